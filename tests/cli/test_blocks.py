"""Wide tables in blocks."""

from __future__ import annotations

import pytest

from intent.cli.console import blocks, print_blocks

HEADER, ROWS = ("model", "one", "two", "three", "four"), [("m", "1", "2", "3", "4")]


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (100, [(1, 5)]),
        (20, [(1, 3), (3, 5)]),
        (17, [(1, 3), (3, 4), (4, 5)]),
        (1, [(1, 2), (2, 3), (3, 4), (4, 5)]),
    ],
)
def test_blocks_fit_and_are_even_where_they_can_be(width, expected):
    assert [(part.start, part.stop) for part in blocks(HEADER, ROWS, width)] == expected


def test_long_names_leave_half_of_the_width():
    assert len(blocks(HEADER, [("m" * 90, "1", "2", "3", "4")], 100)) == 1


def test_every_block_has_the_first_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    print_blocks(HEADER, ROWS, title="Scores")
    assert capsys.readouterr().out.splitlines() == [
        "Scores",
        "model  one  two",
        "m        1    2",
        "",
        "model  three  four",
        "m          3     4",
    ]
