"""A benchmark killed with signal 9 in the middle of its games: gone on with, its log is the same."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
import time

import pytest

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
PLAY = """
import json, sys
from intent.gamma.bench.run import run_benchmark
run_benchmark(*json.loads(sys.argv[1]))
"""
PATIENCE = 60


def killed_at(folder, calls):
    """Play in another process and kill it as soon as so many calls are stored."""
    process = subprocess.Popen([sys.executable, "-c", PLAY, json.dumps([SMALL, str(folder)])])
    until = time.monotonic() + PATIENCE
    while process.poll() is None and stored(folder) < calls and time.monotonic() < until:
        time.sleep(0.005)
    process.kill()
    process.communicate()
    assert time.monotonic() < until


def stored(folder):
    """Calls in the store, none where there is none yet."""
    if not (folder / "run.sqlite").is_file():
        return 0
    with contextlib.closing(sqlite3.connect(folder / "run.sqlite")) as db:
        return db.execute("SELECT count(*) FROM calls").fetchone()[0]


def test_killed_and_gone_on_with_is_as_if_played_at_once(tmp_path):
    calls = 300
    whole = run_benchmark(SMALL, tmp_path / "whole")
    killed_at(tmp_path / "part", calls)
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
