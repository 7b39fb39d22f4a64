"""Result tables come back from files as they were written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated_labels import labels

from intent.base.errors import DataError, OutputError
from intent.base.tables import METADATA_KEY, read_table, write_table

SUFFIXES = (".parquet", ".csv", ".jsonl")

words = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0|"), min_size=1, max_size=6)
texts = st.one_of(
    words, st.sampled_from(["007", "7", "1e3", "None", "NA", "true", "2020-01-01", "a\rb", '"'])
)
maybe = st.one_of(st.none(), texts)
rows = st.fixed_dictionaries(
    {
        "game_id": texts,
        "seat": st.integers(-(2**53), 2**53),
        "persona": maybe,
        "condition": maybe,
        "1": st.one_of(st.none(), st.booleans()),
        "line": st.one_of(st.none(), st.integers(0, 9)),
        "confidence": st.floats(allow_nan=False, allow_infinity=False),
        "payoff": st.one_of(st.none(), st.floats(-1, 1)),
        "tied_with": st.lists(words, max_size=3),
    }
)


def frame(written: list[dict[str, object]]) -> pd.DataFrame:
    kinds = {"1": "boolean", "line": "Int64", "payoff": "float64", "confidence": "float64"}
    names = ("game_id", "seat", "persona", "condition", *kinds, "tied_with")
    cells = {n: [row[n] for row in written] for n in names}
    return pd.DataFrame({n: pd.Series(cells[n], dtype=kinds.get(n)) for n in names})


def cells(table: pd.DataFrame) -> dict[str, list[object]]:
    """Columns as lists of plain values, None where null."""
    return {
        str(n): [None if not isinstance(v, list) and pd.isna(v) else v for v in table[n].tolist()]
        for n in table.columns
    }


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(written=st.lists(rows, min_size=1, max_size=6))
def test_what_is_read_is_what_was_written(suffix: str, written: list[dict[str, object]]) -> None:
    table = frame(written)
    with TemporaryDirectory() as folder:
        path = write_table(table, Path(folder) / f"t{suffix}", {"kind": "labels"})
        read, metadata = read_table(path)
    assert cells(read) == cells(table)
    assert metadata == {"kind": "labels"}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_labels_come_back_with_their_types(tmp_path, suffix):
    table = labels("CDaaln", persona=["None", "NA", "x", "x", None, "7"])
    read, _ = read_table(write_table(table, tmp_path / f"t{suffix}", {}))
    pd.testing.assert_frame_equal(read, table, check_exact=True, check_dtype=False)
    assert [read[n].dtype.kind for n in ("seat", "tied", "fit_p")] == ["i", "b", "f"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_table_of_no_rows_keeps_its_columns(tmp_path, suffix):
    table = labels("C").iloc[:0]
    read, _ = read_table(write_table(table, tmp_path / f"t{suffix}", {}))
    assert list(read.columns) == list(table.columns)


def test_labels_in_csv_without_a_companion_are_read_by_the_codebook(tmp_path):
    path = write_table(labels("aC").assign(game_id=["007", "7"]), tmp_path / "t.csv", {})
    path.with_name("t.csv.meta.json").unlink()
    read, metadata = read_table(path)
    assert read["game_id"].tolist() == ["007", "7"]
    assert read["tied_with"].tolist() == [["TFT"], []]
    assert (metadata, read["tied"].tolist()) == ({}, [True, False])


def test_a_foreign_csv_has_numbers_and_truth_values_where_all_cells_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("score,won,mood,version\r\n1.5,TRUE,None,1\r\nNA,NA,NA,b\r\n2,FALSE,,3\r\n", "utf8")
    read, _ = read_table(path)
    assert cells(read) == {
        "score": [1.5, None, 2.0],
        "won": [True, None, False],
        "mood": ["None", "NA", None],
        "version": ["1", "b", "3"],
    }
    assert pd.api.types.is_numeric_dtype(read["score"].dtype)


def test_infinite_numbers_are_null_in_json_lines(tmp_path):
    path = write_table(pd.DataFrame({"x": [1.0, np.inf]}), tmp_path / "t.jsonl", {})
    assert path.read_text("utf8") == '{"x": 1.0}\n{"x": null}\n'


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_companion_is_not_overwritten_unasked(tmp_path, name):
    precious = tmp_path / f"{name}.meta.json"
    precious.write_text("precious", "utf8")
    with pytest.raises(OutputError, match=r"meta\.json exists; .* --overwrite"):
        write_table(labels("C"), tmp_path / name, {})
    assert precious.read_text("utf8") == "precious"
    assert not (tmp_path / name).exists()
    write_table(labels("C"), tmp_path / name, {"a": 1}, overwrite=True)
    assert json.loads(precious.read_text("utf8"))["a"] == 1


def test_a_companion_that_is_no_object_is_refused(tmp_path):
    path = write_table(labels("C"), tmp_path / "t.csv", {})
    path.with_name("t.csv.meta.json").write_text("[1]", "utf8")
    with pytest.raises(DataError, match=r"t\.csv\.meta\.json holds a list, expected an object"):
        read_table(path)


def test_json_lines_may_differ_in_their_keys(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1, "b": "2020-01-01"}\n\n{"b": "7"}\n{"a": 3, "c": true}\n', "utf8")
    assert cells(read_table(path)[0]) == {
        "a": [1, None, 3],
        "b": ["2020-01-01", "7", None],
        "c": [None, None, True],
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [("[1]", "line 2 holds a list"), ("{", "not a readable jsonl"), ("[" * 99999, "not a")],
)
def test_what_is_no_json_line_is_refused(tmp_path, line, message):
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{"a": 1}}\n{line}\n', "utf8")
    with pytest.raises(DataError, match=message):
        read_table(path)


def test_metadata_that_are_no_object_are_none(tmp_path):
    path = write_table(labels("CD"), tmp_path / "t.parquet", {})
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({METADATA_KEY: "[1]"}), path)
    assert read_table(path)[1] == {}


def test_a_broken_table_is_told_in_one_line(tmp_path):
    path = write_table(labels("CD" * 500), tmp_path / "t.parquet", {})
    data = bytearray(path.read_bytes())
    data[40:400] = b"\xff" * 360
    path.write_bytes(data)
    with pytest.raises(DataError, match="no readable Parquet") as stopped:
        read_table(path)
    assert "\n" not in str(stopped.value)


def test_a_column_that_was_edited_is_left_as_it_is(tmp_path):
    path = write_table(labels("CD"), tmp_path / "t.csv", {})
    path.write_text(path.read_text("utf8").replace("g0,1,", "g0,first,"), "utf8")
    assert read_table(path)[0]["seat"].tolist() == ["first", "2"]


def test_a_run_folder_is_no_table_but_may_hold_one(tmp_path):
    (tmp_path / "labels.parquet").touch()
    with pytest.raises(DataError, match=r"is a folder, expected .*did you mean .*labels.parquet\?"):
        read_table(tmp_path)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_packed_text_is_the_same_table(suffix, tmp_path):
    table = labels("CDC")
    plain = write_table(table, tmp_path / f"t{suffix}", {"seed": 3})
    for name in (f"packed{suffix}.gz", f"packed{suffix}"):
        (tmp_path / name).write_bytes(gzip.compress(plain.read_bytes()))
        (tmp_path / f"{name}.meta.json").write_bytes((tmp_path / f"t{suffix}.meta.json").read_bytes())
        found, metadata = read_table(tmp_path / name)
        pd.testing.assert_frame_equal(found, read_table(plain)[0])
        assert metadata == {"seed": 3}
    (tmp_path / f"cut{suffix}.gz").write_bytes(gzip.compress(plain.read_bytes())[:-9])
    with pytest.raises(DataError, match="truncated gzip"):
        read_table(tmp_path / f"cut{suffix}.gz")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,share,model\na,1,b\n", "two columns are called 'model'"),
        ("model,share\na,1,b\nc,2,d\n", "more cells than the header"),
    ],
)
def test_a_csv_whose_cells_and_names_do_not_go_together_is_refused(tmp_path, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_table(path)
