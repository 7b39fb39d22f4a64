"""Labels on disk, read some rows at a time: whole games, whatever their order."""

from __future__ import annotations

from itertools import chain

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from intent.base.errors import DataError
from intent.recognise.labels.sources import games_together, whole_games


@pytest.fixture
def file(tmp_path):
    def write(ids, **columns):
        path = tmp_path / "labels.parquet"
        pq.write_table(pa.table({"game_id": ids, **columns}), path, row_group_size=3)
        return path

    return write


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 100])
def test_no_game_is_cut(file, rows):
    ids = list("aabbbbccdeeeee")
    parts = [part["game_id"].tolist() for part in whole_games(file(ids), ["game_id"], rows=rows)]
    assert list(chain(*parts)) == ids
    assert sum(len(set(part)) for part in parts) == 5


@pytest.mark.parametrize(
    ("ids", "together"),
    [
        (["a", "a", "b", "c", "c"], True),
        (["g9", "g9", "g10", "g11"], True),
        (["z", "z", "b", "b", "y"], True),
        (["a", "b", "a"], False),
        (["z", "b", "b", "y", "z"], False),
        (["a", None, "b"], False),
        ([3, 3, 1, 2], True),
        ([3, 1, 3], False),
        ([], True),
    ],
)
def test_whether_games_stand_together(file, ids, together):
    for rows in (1, 2, 100):
        assert games_together(file(ids), rows=rows) is together


def test_cells_are_those_of_a_table_read_at_once(file):
    lists = [["A", "B"], [], None]
    path = file(["a", "a", "a"], one=lists, two=lists, empty=[[], [], []], flag=[True, None, False])
    columns = ["one", "two", "empty", "flag"]
    (table,) = whole_games(path, ["game_id", *columns], joined=["one", "empty"])
    assert table["two"].tolist() == lists
    assert [None if pd.isna(cell) else cell for cell in table["one"]] == ["A|B", "", None]
    assert table["empty"].tolist() == ["", "", ""]
    assert table["flag"].isna().tolist() == [False, True, False]
    assert pd.api.types.is_bool_dtype(table["flag"].dtype)


def test_a_broken_file(file):
    path = file(["a", "b"])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"labels\.parquet: no readable"):
        games_together(path)
