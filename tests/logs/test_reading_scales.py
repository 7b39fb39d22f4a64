"""Reading takes time in proportion to the file, whatever is in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import inspect_logs
import pytest

from intent import read_log
from intent.base.errors import IntentError

HEAD = "game_id,round,player,action\n"


def tidy(line: str) -> Callable[[Path, int], Path]:
    def make(folder: Path, n: int) -> Path:
        path = folder / f"{n}.csv"
        path.write_text(
            HEAD
            + "a,1,x,C\na,1,y,D\n"
            + "".join(line.format(i=i, g=i // 20, t=i // 2 % 10 + 1, p="xy"[i % 2]) for i in range(n))
        )
        return path

    return make


def evaluations(folder: Path, n: int) -> Path:
    made = [inspect_logs.intent_sample(str(i)) for i in range(n // 20)]
    return inspect_logs.write_eval(folder / f"{n}.eval", made)


def lists(folder: Path, n: int) -> Path:
    path = folder / f"{n}.csv"
    cell = "[" + ", ".join(["'A'"] * n) + "]"
    path.write_text(
        f"game;agent1_strategies;agent1_scores;agent2_strategies;agent2_scores\npd;{cell};[1];{cell};[1]\n"
    )
    return path


FILES = {
    "honest": tidy("g{g},{t},{p},C\n"),
    "each row a second one": tidy("a,1,x,C\n"),
    "each row unreadable": tidy("a,x{i},x,C\n"),
    "each row of another width": tidy("a\n"),
    "each row opens a quote": tidy('a,"\n'),
    "each row another player": tidy("a,1,p{i},C\n"),
    "each row another game": tidy("g{i},1,x,C\n"),
    "samples of an archive": evaluations,
    "long lists": lists,
}


def seconds(path: Path) -> float:
    started = time.process_time()
    with suppress(IntentError):
        read_log(path, cooperate="C" if path.suffix == ".csv" else None)
    return time.process_time() - started


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", FILES)
def test_four_times_the_file_takes_no_sixteen_times_the_time(tmp_path, kind):
    small, large = FILES[kind](tmp_path, 5_000), FILES[kind](tmp_path, 20_000)
    seconds(small)
    once, four = min(seconds(small) for _ in range(3)), min(seconds(large) for _ in range(2))
    assert four < 9 * once + 0.5
