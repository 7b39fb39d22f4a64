"""Files of earlier layouts: read as they are, brought up to date when they are written to."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing

import pytest
from stub_runs import StubCaller, make, plans, play

from intent.base.errors import RunError
from intent.runner.store import LATER, LAYOUT


def execute(run, *statements):
    with closing(sqlite3.connect(run.folder / "run.sqlite", isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def layout(run):
    with closing(sqlite3.connect(run.folder / "run.sqlite")) as db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
        return db.execute("PRAGMA user_version").fetchone()[0], LATER.keys() <= tables


@pytest.fixture
def old(tmp_path):
    """A run of layout 1 that was broken off in its third game, and its log as it will be."""
    whole = make(tmp_path / "whole", plans(4))
    play(whole)
    run = make(tmp_path / "run", plans(4))
    play(run, StubCaller(before=lambda n: 1 / 0 if n == 13 else None), window=1)
    execute(run, *(f"DROP TABLE {name}" for name in LATER), "PRAGMA user_version = 1")
    return run, whole.log()


def test_the_first_layout_has_the_tables_it_always_had(old):
    """What version 1 wrote, so that this test fails where those tables are changed."""
    with closing(sqlite3.connect(old[0].folder / "run.sqlite")) as db:
        found = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    assert [*found] == [
        *("plans", "games", "moves", "calls", "calls_key", "bases", "flights", "failures"),
        *("failures_key", "sessions"),
    ]
    assert " ".join(found["moves"].split()) == (
        "CREATE TABLE moves ( game INTEGER, round INTEGER, step INTEGER, seat INTEGER, action TEXT, "
        "status TEXT NOT NULL, reply TEXT, prompt TEXT, message, private_thought, reasoning, "
        "PRIMARY KEY (game, round, step, seat)) WITHOUT ROWID"
    )


def test_an_old_run_is_read_without_being_changed(old):
    run, log = old
    assert run.log().moves.equals(log.where({"game_id": ["g001", "g002", "g004"]}).moves)
    assert run.status().finished == 3
    assert run.check() == []
    assert len(run.calls()) > 0
    assert layout(run) == (1, False)


def test_an_old_run_is_read_where_nothing_can_be_written(old, tmp_path):
    run, _ = old
    for name in ("run.sqlite", ""):
        os.chmod(run.folder / name, 0o555)
    try:
        assert len(run.log().games) == 3
    finally:
        os.chmod(run.folder, 0o755)


def test_an_old_run_is_resumed_in_the_present_layout(old):
    run, log = old
    play(run)
    assert layout(run) == (LAYOUT, True)
    assert run.log().equals(log)
    assert run.check() == []


def test_layouts_that_lack_a_table_or_are_of_the_future_are_refused(old, tmp_path):
    run, _ = old
    shutil.copytree(run.folder, tmp_path / "other")
    execute(run, f"PRAGMA user_version = {LAYOUT}")
    with pytest.raises(RunError, match="holds answers, notes, expected just the tables of a run"):
        run.log()
    execute(run, "PRAGMA user_version = 3")
    with pytest.raises(RunError, match="layout 3, this version of intent reads layouts 1 and 2"):
        run.log()
