import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from intent.arena.entrant import Entrant
from intent.arena.match import MatchRules
from intent.arena.tournament.matches import MatchStore, match_keys
from intent.base.errors import DataError

RULES = MatchRules(turns=7)
A, B = (Entrant(name, source=f"def strategy(self, opponent): return {name}") for name in "AB")


def keys(first=A, second=B, rules=RULES, seeds=(1, 2)):
    return list(match_keys(first, second, rules, seeds))


def test_moves_come_back_bit_by_bit():
    moves = np.array([[1, 0, 0, 1, 1, 0, 1], [0, 1, 1, 0, 0, 0, 1]], dtype=np.uint8)
    with MatchStore(None) as store:
        store.put([(b"k", moves)])
        assert len(store) == 1
        found = store.get([b"k", b"other"], 7)
    assert list(found) == [b"k"]
    assert (found[b"k"] == moves).all()


def test_moves_of_another_length_are_damage():
    with MatchStore(None) as store:
        store.put([(b"k", np.zeros((2, 7), dtype=np.uint8))])
        with pytest.raises(DataError, match="not of 20 turns"):
            store.get([b"k"], 20)


def test_a_file_that_is_no_store_is_said_to_be_none(tmp_path):
    path = tmp_path / "moves.sqlite"
    path.write_text("hello " * 100)
    with pytest.raises(DataError, match=r"moves\.sqlite"):
        MatchStore(path)


def test_a_store_from_elsewhere_computes_nothing(tmp_path):
    path = tmp_path / "moves.sqlite"
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    with closing(sqlite3.connect(path)) as made:
        made.execute(f"CREATE VIEW matches AS {endless} SELECT x AS key, x AS moves FROM c")
        made.execute("PRAGMA user_version=1")
    with pytest.raises(DataError, match=r"moves\.sqlite: holds views or triggers"):
        MatchStore(path)


def test_a_key_holds_what_decides_the_moves_and_no_name():
    assert keys() == keys(replace(A, name="C", words="x", group="human"))
    assert len(set(keys() + keys(B, A) + keys(rules=MatchRules(turns=8)) + keys(seeds=(None,)))) == 7


def test_attributes_that_live_on_make_a_match_depend_on_those_before():
    lives = replace(RULES, reuse_instances=True)
    assert keys(rules=lives)[0] == keys(rules=lives, seeds=(1, 3))[0]
    assert keys(rules=lives)[1] != keys(rules=lives, seeds=(5, 2))[1]
