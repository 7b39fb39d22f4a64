"""All of a transaction or nothing of it, and the reason why."""

from __future__ import annotations

import sqlite3

import pytest

from intent.base.binary import transaction
from intent.base.caches import SharedFile
from intent.base.errors import DataError


@pytest.fixture
def db():
    made = sqlite3.connect(":memory:", isolation_level=None)
    made.execute("CREATE TABLE t (x)")
    yield made
    made.close()


def test_an_error_undoes_the_block(db):
    def both():
        with transaction(db):
            db.execute("INSERT INTO t VALUES (1)")
            db.execute("INSERT INTO u VALUES (2)")

    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        both()
    with transaction(db):
        db.execute("INSERT INTO t VALUES (3)")
    assert db.execute("SELECT x FROM t").fetchall() == [(3,)]


def test_a_full_disk_is_what_the_error_says():
    file = SharedFile(None, "CREATE TABLE t (x)", version=1)
    file.connection.execute("PRAGMA max_page_count=3")
    for _ in range(2):
        with pytest.raises(DataError, match="disk is full"), file.transaction() as db:
            db.execute("INSERT INTO t VALUES (zeroblob(100000))")
    file.close()


def test_a_refused_commit_leaves_no_transaction_behind(db):
    db.execute("PRAGMA foreign_keys=ON")
    db.execute("CREATE TABLE p (id INTEGER PRIMARY KEY)")
    db.execute("CREATE TABLE c (p REFERENCES p DEFERRABLE INITIALLY DEFERRED)")
    with pytest.raises(sqlite3.IntegrityError), transaction(db):
        db.execute("INSERT INTO c VALUES (7)")
    with transaction(db):
        db.execute("INSERT INTO t VALUES (1)")
