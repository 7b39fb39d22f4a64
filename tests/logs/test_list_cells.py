"""List cells: Arrow's kernels agree with the Python literal that a cell is."""

from __future__ import annotations

import ast

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.logs.readers.fairgame import ListCells, parse_numbers, parse_texts

words = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8)


def lists(cells: ListCells) -> list[list[object] | None]:
    found: list[list[object] | None] = []
    for row, n in enumerate(cells.lengths):
        values = cells.flat(np.array([row])).tolist() if n >= 0 else None
        found.append(
            [cells.labels[int(v)] for v in values] if cells.labels and values is not None else values
        )
    return found


@given(st.lists(st.lists(words, min_size=1, max_size=5), min_size=1, max_size=6))
def test_texts_are_what_python_reads(rows: list[list[str]]) -> None:
    column = pa.array([str(row) for row in rows])
    assert lists(parse_texts(column)) == [[text.strip() for text in row] for row in rows]


@given(
    st.lists(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=5), min_size=1, max_size=6)
)
def test_numbers_are_what_python_reads(rows: list[list[float]]) -> None:
    column = pa.array([str(row) for row in rows])
    assert lists(parse_numbers(column)) == [ast.literal_eval(str(row)) for row in rows]


@pytest.mark.parametrize("cell", ["['A','B' ]", '["A", "B"]', " [ 'A', 'B', ] ", "['A', 'B']"])
def test_other_spellings_of_a_list(cell: str) -> None:
    assert lists(parse_texts(pa.array([cell, "['B', 'A']"]))) == [["A", "B"], ["B", "A"]]


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("junk", "'junk', expected a list of texts"),
        ("['A', 3]", "3 at item 2, expected a list of texts"),
        ("['A', ['B']]", r"\"['B']\" at item 2"),
        ("['A' 'B']", "at item 1"),
        ("[__import__('os')]", "at item 1"),
        ("", "'', expected a list of texts"),
    ],
)
def test_what_is_no_list_of_texts(cell: str, says: str) -> None:
    cells = parse_texts(pa.array(["['A']", cell]))
    assert cells.lengths.tolist() == [1, -1]
    assert says.replace("\\", "") in cells.errors[1]


@pytest.mark.parametrize("cell", ["['3']", "[nan, 1]", "[inf]", "[1e999]", "[None]", "[1_0]", "[" * 50_000])
def test_what_is_no_list_of_numbers(cell: str) -> None:
    assert list(parse_numbers(pa.array([cell])).errors) == [0]


def test_an_empty_list_has_no_items() -> None:
    assert parse_texts(pa.array(["[]", "['A']"])).lengths.tolist() == [0, 1]
