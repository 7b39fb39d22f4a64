"""Delimited text: regular files by Arrow, irregular ones row by row, with the right line numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.base.errors import DataError
from intent.base.files import TextFile, bounds
from intent.logs.delimited import Delimited, Rejects, read_delimited


def read(tmp_path: Path, text: str) -> tuple[Delimited, Rejects]:
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    rejects = Rejects(path)
    return read_delimited(TextFile(path), rejects), rejects


def cells(table: Delimited, name: str) -> list[str]:
    return list(table.columns[name].to_pylist())


@pytest.mark.parametrize("mark", [";", ",", "\t", "|"])
def test_delimiter_is_read_off_the_header(tmp_path: Path, mark: str) -> None:
    table, _ = read(tmp_path, f"a{mark}b\n1{mark}2\n")
    assert cells(table, "b") == ["2"]


def test_rows_of_another_width_are_rejected_with_their_line(tmp_path: Path) -> None:
    table, rejects = read(tmp_path, "a;b\n1;2\n3\n4;5;6\n7;8\n")
    assert cells(table, "a") == ["1", "7"]
    assert list(table.lines) == [2, 5]
    listed = rejects.table(2)
    assert list(listed["line"]) == [3, 4]
    assert list(listed["reason"]) == ["1 fields, expected 2 cut by ';'", "3 fields, expected 2 cut by ';'"]
    assert list(listed["text"]) == ["3", "4;5;6"]


def test_quoted_line_feeds_count_as_lines(tmp_path: Path) -> None:
    table, _ = read(tmp_path, 'a;b\n"x\ny";2\n3;4\n')
    assert cells(table, "a") == ["x\ny", "3"]
    assert list(table.lines) == [2, 4]


def test_an_unclosed_quote_costs_its_own_line_only(tmp_path: Path) -> None:
    table, rejects = read(tmp_path, 'a;b\n1;2\n"3;4\n5;6\n7;8\n')
    assert cells(table, "b") == ["2", "6", "8"]
    assert list(rejects.table(3)["line"]) == [3]


def test_a_huge_field_costs_its_row_only(tmp_path: Path) -> None:
    table, rejects = read(tmp_path, "a;b\n1;" + "x" * (bounds().field + 1) + "\n3;4\n")
    assert cells(table, "b") == ["4"]
    assert "more than 1,000,000 characters" in rejects.table(1)["reason"][0]
    assert len(rejects.table(1)["text"][0]) <= 200


def test_irregular_and_regular_files_read_alike(tmp_path: Path) -> None:
    body = 'a,b\n"x, y",\'q\'\n\n é ,"he said ""no"""\n'
    regular, _ = read(tmp_path, body)
    irregular, _ = read(tmp_path, body + "odd\n")
    assert {k: v.to_pylist() for k, v in regular.columns.items()} == {
        k: v.to_pylist() for k, v in irregular.columns.items()
    }
    assert list(regular.lines) == list(irregular.lines) == [2, 4]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("just words\n1\n", "no column names cut by"),
        ("a;b;a\n1;2;3\n", "line 1: two columns are called 'a'"),
        ("a;b\n", "column names and no rows"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        read(tmp_path, text)


def test_strict_stops_at_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a;b\n1;2\n3\n4\n")
    rejects = Rejects(path, strict=True)
    read_delimited(TextFile(path), rejects)
    with pytest.raises(DataError, match=r"x\.csv line 3: 1 fields"):
        rejects.table(1)
