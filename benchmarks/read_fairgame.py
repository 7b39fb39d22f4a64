"""Rows per second: our FAIRGAME parser, the whole game log, and `ast.literal_eval`, in one run.

    python benchmarks/read_fairgame.py [--rows 100000] [--source results.csv.gz] [--json]

Three files of the same number of rows: the public log repeated (where there is one), made-up rows of ten
rounds that nearly all differ, and made-up rows of thirty rounds with scaled scores.
"""

from __future__ import annotations

import argparse
import ast
import csv
import gzip
import itertools
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from intent.base.files import TextFile
from intent.logs.delimited import Rejects, read_delimited
from intent.logs.readers import read_log
from intent.logs.readers.fairgame import parse_play

COLUMNS = (
    "game_id;language;n_rounds_is_known;max_rounds;played_rounds;agents_communicate;"
    + ";".join(
        f"agent{i}_{c}"
        for i in (1, 2)
        for c in [
            "name",
            "llm",
            "personality",
            "knows_opponent_with_prob",
            "strategies",
            "scores",
            "messages",
        ]
    )
    + ";game;payoff_type;meta_payoff_scale"
)
LITERAL_ROWS = 10_000
PENALTIES = np.array([[6, 6], [0, 10], [10, 0], [2, 2]], dtype=float)


def made_up(n: int, rounds: int, scale: float, rng: np.random.Generator) -> str:
    """A file of `n` games of the Prisoner's Dilemma at random."""
    lines = [COLUMNS]
    for play in rng.integers(0, 2, (n, rounds, 2)):
        scores = PENALTIES[2 * play[:, 0] + play[:, 1]] * scale
        cells = ["game_0", "en", "True", str(rounds), str(rounds), "False"]
        for i in (0, 1):
            options = str([("OptionA", "OptionB")[a] for a in play[:, i]])
            cells += [f"agent{i + 1}", "M", "selfish", "0.0", options, str(scores[:, i].tolist()), "[]"]
        lines.append(";".join([*cells, "prisoner-dilemma", "conventional", str(scale)]))
    return "\n".join(lines) + "\n"


def repeated(source: Path, n: int) -> str:
    """A file of `n` rows that repeats the rows of another."""
    with gzip.open(source, "rt", encoding="utf-8") as stream:
        header, *rows = stream.read().splitlines()
    times = -(-n // len(rows))
    return "\n".join([header, *(rows * times)[:n]]) + "\n"


def ours(path: Path) -> int:
    """Text to arrays of actions and scores."""
    rejects = Rejects(path)
    parts = parse_play(read_delimited(TextFile(path), rejects), rejects)
    return sum(part.play.n_games for part in parts)


def whole(path: Path) -> int:
    """Text to a checked game log."""
    return len(read_log(path))


def literal(path: Path) -> int:
    """The csv module and `ast.literal_eval` on the four list cells of the first rows."""
    with path.open(encoding="utf-8") as stream:
        rows = itertools.islice(csv.DictReader(stream, delimiter=";"), LITERAL_ROWS)
        return sum(
            len([ast.literal_eval(row[f"agent{i}_{c}"]) for i in (1, 2) for c in ("strategies", "scores")])
            == 4
            for row in rows
        )


def rate(read: Callable[[Path], int], path: Path, times: int) -> float:
    """Rows per second, the best of some runs."""
    best = float("inf")
    n = 0
    for _ in range(times):
        start = time.perf_counter()
        n = read(path)
        best = min(best, time.perf_counter() - start)
    return n / best


def main() -> None:
    """Print the table, or one JSON object."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=int, default=100_000)
    public = Path(os.environ.get("INTENT_DATA", "../shared/data")) / "fairgame" / "results.csv.gz"
    arguments.add_argument("--source", type=Path, default=public, help="the public log, left out if absent")
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    rng = np.random.default_rng(1)
    files = {
        "10 rounds": made_up(given.rows, 10, 1.0, rng),
        "30 rounds, scaled": made_up(given.rows, 30, 0.1, rng),
    }
    if given.source.is_file():
        files["public log repeated"] = repeated(given.source, given.rows)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / "results.csv"
            path.write_text(text, encoding="utf-8")
            rates = {
                "parse": rate(ours, path, 3),
                "game_log": rate(whole, path, 2),
                "literal_eval": rate(literal, path, 1),
            }
            found.append(
                {"file": name, "rows": given.rows, **rates, "ratio": rates["parse"] / rates["literal_eval"]}
            )
    if given.json:
        json.dump({"rows_per_second": found}, sys.stdout)
        print()
        return
    print(f"rows per second, {given.rows:,} rows")
    print(f"{'file':<22}{'parse':>10}{'game log':>10}{'literal_eval':>14}{'ratio':>8}")
    for row in found:
        print(
            f"{row['file']:<22}{row['parse']:>10,.0f}{row['game_log']:>10,.0f}"
            f"{row['literal_eval']:>14,.0f}{row['ratio']:>8.1f}"
        )


if __name__ == "__main__":
    main()
