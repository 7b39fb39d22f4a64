"""A whole run has no problems; each kind of damage is named."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest
from stub_runs import make, plans, play

from intent.base.errors import RunError
from intent.runner.run import Run


@pytest.fixture
def run(tmp_path):
    """A finished run of two games."""
    made = make(tmp_path / "run", plans(2))
    play(made)
    return made


def test_a_whole_run_is_clean(run):
    assert run.check() == []


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM calls WHERE game = 1 AND round = 2", "reply 'g001/2/1/1' is no stored call"),
        ("UPDATE calls SET attempt = 3 WHERE game = 1 AND round = 2", "the last of calls with a gap"),
        ("INSERT INTO flights VALUES (2, 3, 1, 1, 1, 0)", "stored, but noted as in flight"),
        ("INSERT INTO flights VALUES (2, 3, 1, 9, 1, 0)", "in flight, though its game is finished"),
        ("UPDATE calls SET game = 7 WHERE game = 1", "of a game that is not planned"),
        ("UPDATE calls SET round = 6 WHERE round = 5", "in a round after the end of its game"),
        ("UPDATE calls SET tries = 0 WHERE id = 1", "less than once"),
        ("DELETE FROM moves WHERE game = 2 AND round = 5", "4 rounds are kept, expected 5"),
        ("DELETE FROM moves WHERE game = 2 AND round = 3", "round 3 is missing"),
        ("DELETE FROM moves WHERE game = 2 AND seat = 2", r"moves of seats \[1\]"),
        ("UPDATE moves SET action = 'X' WHERE game = 1 AND round = 1 AND seat = 1", "'X' is not one of C, D"),
        ("UPDATE games SET rounds = 4 WHERE game = 1", "5 rounds are kept, expected 4"),
        ("DELETE FROM plans WHERE game = 2", "game 2: not planned"),
    ],
)
def test_damage_is_named(run, statement, problem):
    with closing(sqlite3.connect(run.folder / "run.sqlite")) as db, db:
        assert db.execute(statement).rowcount > 0
    assert any(re.search(problem, found) for found in run.check()), run.check()


def test_a_damaged_file_is_told(run):
    path = run.folder / "run.sqlite"
    with closing(sqlite3.connect(path)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'calls_key'").fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    whole = bytearray(path.read_bytes())
    whole[(page - 1) * size + 40 : page * size] = bytes(size - 40)
    path.write_bytes(whole)
    assert run.check()


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        ("UPDATE sessions SET started = 'long ago'", Run.status),
        ("UPDATE calls SET sends = 9e999", Run.status),
        ("UPDATE calls SET sends = 9e999", Run.calls),
        (r"""UPDATE games SET seats = '[{"persona": "\ud800"}, {}]'""", Run.log),
    ],
)
def test_values_that_no_run_keeps_are_told(run, statement, read):
    with closing(sqlite3.connect(run.folder / "run.sqlite")) as db, db:
        db.execute(statement)
    with pytest.raises(RunError):
        read(run)
