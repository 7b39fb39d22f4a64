"""Rows of games from a mapped file, sorted or not."""

import numpy as np
import pyarrow as pa
import pytest

from intent.base.errors import DataError
from intent.view.source import RowsByGame

IDS = pa.array(["a", "b", "c", "d"], pa.large_string())


def batches(owner, size, coded=False):
    names = pa.array(owner, pa.string())
    table = pa.table({"game_id": names.dictionary_encode() if coded else names, "x": range(len(owner))})
    return table.to_batches(size)


@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("owner", ["aaabbd", "abdaba", "dddbba", "abzabd"])
def test_rows_are_those_of_the_game(owner, coded, tmp_path):
    rows = RowsByGame.build(batches(list(owner), 2, coded), IDS, tmp_path / "x")
    wanted = [3, 0, 2, 1]
    table, whose = rows.rows(wanted)
    expected = [(w, i) for w, g in enumerate(wanted) for i, o in enumerate(owner) if o == "abcd"[g]]
    assert list(zip(whose.tolist(), table["x"].to_pylist(), strict=True)) == expected


def test_no_rows(tmp_path):
    table, whose = RowsByGame.build([], IDS, tmp_path / "x").rows([0, 1])
    assert len(table) == len(whose) == 0


def test_many_rows_in_many_batches(rng, tmp_path):
    owner = rng.choice(list("abcd"), 500)
    rows = RowsByGame.build(batches(owner.tolist(), 64), IDS, tmp_path / "x")
    assert rows.rows([1])[0]["x"].to_pylist() == np.flatnonzero(owner == "b").tolist()


def test_a_table_without_games(tmp_path):
    with pytest.raises(DataError, match="game_id"):
        RowsByGame.build(pa.table({"x": [1]}).to_batches(), IDS, tmp_path / "x")
