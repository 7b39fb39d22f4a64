"""A run of every architecture, killed with signal 9 in another process and resumed: the log is the same."""

from __future__ import annotations

import contextlib
import json
import sqlite3

import pytest
from killed import killed_once

from intent.agents.agent import ARCHITECTURES
from intent.runner.experiment.file import load_experiment
from intent.runner.play import play, resume
from intent.runner.run import Run

pytestmark = pytest.mark.slow

REPETITIONS = {"debate": 2, "private": 4, "tool": 4}
"""Fewer of the architectures that call often."""


def stored(path):
    """Calls in the database of a run, 0 before it is there."""
    address = f"{path.as_uri()}?mode=ro"
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(address, uri=True)) as db:
        return db.execute("SELECT count(*) FROM calls").fetchone()[0]
    return 0


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_kill_changes_nothing(tmp_path, architecture):
    values = {
        "name": "killed",
        "model": "scripted/erratic",
        "architecture": architecture,
        "attitude": "cooperate" if architecture in ("tool", "debate") else None,
        "questions": ["opponent_next", "extremes"],
        "rounds": 5,
        "repetitions": REPETITIONS.get(architecture, 7),
        "seed": 3,
    }
    source = tmp_path / "killed.json"
    source.write_text(json.dumps(values), encoding="utf-8")
    whole = play(load_experiment(source), tmp_path / "whole")
    folder = tmp_path / "run"
    early = whole.summary["calls"] * 0.3
    killed_once(lambda: stored(folder / "run.sqlite") >= early, play, load_experiment(source), folder)
    assert 0 < stored(folder / "run.sqlite") < whole.summary["calls"]
    found = resume(folder)
    assert found.log.equals(whole.log)
    assert found.summary["calls"] == whole.summary["calls"]
    assert Run.open(folder).check() == []
