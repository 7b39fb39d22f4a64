"""A table's columns and kind are told from the beginning of its file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from simulated_labels import labels

from intent.base.tables import columns_of, holds_labels, table_suffix, write_table


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_labels_are_known_in_every_form(tmp_path, suffix):
    table = labels("CD")
    path = write_table(table, tmp_path / f"labels{suffix}", {})
    assert columns_of(path) == list(table.columns)
    assert holds_labels(path)
    if suffix != ".parquet":
        for name in (f"packed{suffix}", f"packed{suffix}.gz"):
            packed = tmp_path / name
            packed.write_bytes(gzip.compress(path.read_bytes()))
            assert columns_of(packed) == list(table.columns)
    other = write_table(table.drop(columns="best"), tmp_path / f"other{suffix}", {})
    assert not holds_labels(other)


@pytest.mark.parametrize("head", [b"", b"\x1f\x8b\x08\x00broken", b"\xff\xfe\x00", b"[" * 2000, b"[1]"])
def test_what_is_no_table_has_no_columns(tmp_path, head):
    for name in ("t.jsonl", "t.parquet", "t.txt"):
        (tmp_path / name).write_bytes(head)
        assert columns_of(tmp_path / name) == []
    assert columns_of(tmp_path / "nothing.csv") == []
    assert not holds_labels(tmp_path)


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.csv", ".csv"),
        ("a.csv.gz", ".csv"),
        ("a.b.jsonl.gz", ".jsonl"),
        ("a.parquet.gz", None),
        ("a", None),
    ],
)
def test_a_name_promises_a_form(name, suffix):
    assert table_suffix(Path(name)) == suffix
