"""CSV files written some rows at a time."""

from __future__ import annotations

import json

import pandas as pd

from intent.base.tables import parquet_to_csv, write_table


def test_parts_are_written_as_the_whole(tmp_path):
    table = pd.DataFrame(
        {
            "game_id": ["a", "b\rc", 'd"'],
            "label": pd.Series([None, "TFT", None], dtype=object),
            "n": pd.Series([1, None, 3], dtype="Int64"),
            "p": [0.1, None, 1 / 3],
            "tied": pd.Series([True, None, False], dtype="boolean"),
            "tied_with": [["A", "B"], [], ["C"]],
        }
    )
    write_table(table, tmp_path / "labels.parquet", {})
    expected = write_table(table, tmp_path / "whole.csv", {"kind": "labels"})
    found = tmp_path / "parts.csv"
    parquet_to_csv(tmp_path / "labels.parquet", found, {"kind": "labels"}, rows=1)
    assert found.read_bytes() == expected.read_bytes()
    facts = [json.loads(p.with_name(f"{p.name}.meta.json").read_text()) for p in (found, expected)]
    assert facts[0] == facts[1]
