"""A benchmark killed with signal 9 in the middle of its games: gone on with, its log is the same."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest
from killed import killed_once

from intent.gamma.bench.run import run_benchmark
from intent.runner.play import resume
from intent.runner.run import Run

pytestmark = pytest.mark.slow

SMALL = {
    "name": "killed",
    "players": 6,
    "rounds": 8,
    "repetitions": 2,
    "figures": False,
    "models": ["scripted/asked:RANDOM", "scripted/erratic"],
    "table": {"model": 4, "scripted/RANDOM": 1, "scripted/best-reply": 1},
}


def stored(folder):
    """Calls in the store, none where there is none yet."""
    if not (folder / "run.sqlite").is_file():
        return 0
    with contextlib.closing(sqlite3.connect(folder / "run.sqlite")) as db:
        return db.execute("SELECT count(*) FROM calls").fetchone()[0]


def test_killed_and_gone_on_with_is_as_if_played_at_once(tmp_path):
    calls = 300
    whole = run_benchmark(SMALL, tmp_path / "whole")
    killed_once(lambda: stored(tmp_path / "part") >= calls, run_benchmark, SMALL, tmp_path / "part")
    before = stored(tmp_path / "part")
    rest = resume(tmp_path / "part")
    assert calls <= before < whole.summary["calls"]
    assert rest.summary["new_calls"] == whole.summary["calls"] - before
    assert Run.open(tmp_path / "part").check() == []
    one, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name / "log").glob("*.parquet")}
        for name in ("whole", "part")
    )
    assert one == other
    assert (tmp_path / "part" / "scores.csv").read_bytes() == (tmp_path / "whole" / "scores.csv").read_bytes()
