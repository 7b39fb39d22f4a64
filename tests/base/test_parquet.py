"""Parquet through the door: what a footer says is held against the file before a row is read."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from intent.base.binary import open_parquet, parquet_rows, parquet_table
from intent.base.errors import DataError, LimitError


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"use_dictionary": False},
        {"use_dictionary": False, "column_encoding": {"a": "DELTA_BYTE_ARRAY", "b": "DELTA_BYTE_ARRAY"}},
    ],
)
def test_a_table_comes_back_as_it_was_written(tmp_path, how):
    table = pa.table(
        {
            "a": ["x", None, "y"],
            "b": pa.array([b"1", b"", None]),
            "n": [1, 2, None],
            "l": [["x"], [], None],
            "d": pa.array(["u", "v", "u"]).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "x.parquet", **how)
    assert parquet_table(tmp_path / "x.parquet").equals(table)
    assert parquet_table(tmp_path / "x.parquet", columns=["n", "a"]).equals(table.select(["n", "a"]))
    assert parquet_rows(tmp_path / "x.parquet", "a", ["y"]).num_rows == 1


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", None])
def test_texts_are_counted_before_they_fill_the_memory(tmp_path, monkeypatch, encoding):
    how = (
        {"use_dictionary": True}
        if encoding is None
        else {"use_dictionary": False, "column_encoding": encoding}
    )
    pq.write_table(pa.table({"a": ["x" * 100_000] * 1000}), tmp_path / "x.parquet", compression="zstd", **how)
    monkeypatch.setenv("INTENT_LIMITS", "unpacked_bytes=20MiB")
    with pytest.raises(LimitError, match=r"x\.parquet: .*INTENT_LIMITS=unpacked_bytes=N raises that"):
        parquet_table(tmp_path / "x.parquet")


@pytest.mark.parametrize(
    ("bound", "value"), [("rows", 9), ("cells", 19), ("columns", 1), ("row_groups", 4), ("footer_bytes", 100)]
)
def test_what_goes_beyond_a_bound_says_how_to_raise_it(tmp_path, monkeypatch, bound, value):
    pq.write_table(pa.table({"a": range(10), "b": range(10)}), tmp_path / "x.parquet", row_group_size=2)
    monkeypatch.setenv("INTENT_LIMITS", f"{bound}={value}")
    with pytest.raises(LimitError, match=rf"x\.parquet: .*expected at most .*; INTENT_LIMITS={bound}=N"):
        parquet_table(tmp_path / "x.parquet")


def test_two_columns_of_one_name_are_refused(tmp_path):
    pq.write_table(
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "x.parquet"
    )
    with pytest.raises(DataError, match=r"x\.parquet: two columns are called 'a'"):
        parquet_table(tmp_path / "x.parquet")


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"PAR1" + bytes(20), b"PAR1" + b"\xff" * 40 + b"\x20\0\0\0PAR1"]
)
def test_what_is_no_parquet_is_one_line(tmp_path, content):
    (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(DataError, match=r"^x\.parquet: [^\n]+$"):
        open_parquet(tmp_path / "x.parquet")


def test_what_pandas_said_of_an_index_is_not_believed(tmp_path):
    for told in (b"[]", b'{"index_columns": ["a"], "columns": [3]}'):
        pq.write_table(
            pa.table({"a": [1]}).replace_schema_metadata({b"pandas": told}), tmp_path / "x.parquet"
        )
        assert list(parquet_table(tmp_path / "x.parquet").to_pandas().columns) == ["a"]
