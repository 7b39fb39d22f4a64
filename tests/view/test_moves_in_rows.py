"""The moves of a game in the row of a list: what is kept, what is drawn, and in which order games stand."""

from __future__ import annotations

import re

import numpy as np
import pytest
from play_logs import PD, log_of, match

from intent.logs.stores import write_log
from intent.view.library import open_library
from intent.view.list_page import _lead
from intent.view.query import Query
from intent.view.strips import DEFAULTED, LINE, SeatMoves, strip, strip_of_seats

GAMES = [("CCCCCC", "CCCCCC"), ("CDCDCD", "DCDCDC"), ("CCCCCC", "DDDDDD"), ("CCcD.C", "CCCCCC")]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    log = log_of(*(match(PD, *moves) for moves in GAMES))
    with open_library(write_log(log, tmp_path_factory.mktemp("l") / "log"), background=False) as made:
        yield made


def letters(moves: SeatMoves) -> str:
    return "".join(".CD?."[m & 7].lower() if m >= DEFAULTED else ".CD?."[m & 7] for m in moves.marks)


def test_the_moves_of_both_seats_stand_in_the_row(library):
    rows = library.page(Query(order="log")).rows
    assert [tuple(map(letters, row["moves"])) for row in rows] == GAMES


def test_marks_are_the_moves_that_the_log_has(library):
    """An oracle: the marks against the cooperation rate that is counted apart."""
    for row in library.page(Query()).rows:
        for seat, moves in zip(row["seats"], row["moves"], strict=True):
            marks = np.frombuffer(moves.marks, dtype=np.uint8) & 7
            known = np.isin(marks, (1, 2))
            assert (marks == 1).sum() / known.sum() == pytest.approx(seat["cooperation_rate"])


def test_games_in_which_most_happens_come_first(library):
    """The mean of 4 r (1 - r), and the distance: 1 and 0, 0 and 1, about .3 and .2, nothing."""
    ids = [row["game_id"] for row in library.page(Query()).rows]
    assert set(ids[:2]) == {"game_1", "game_2"}
    assert ids[2:] == ["game_3", "game_0"]
    assert [row["game_id"] for row in library.page(Query(order="log")).rows] == [
        f"game_{i}" for i in range(4)
    ]


def test_cooperation_and_defection_differ_in_shape_and_class():
    drawn = strip(SeatMoves(bytes([1, 2, 1 + DEFAULTED, 4])))
    shapes = dict(drawn.paths)
    assert set(shapes) == {"c", "d", "ch", "n"}
    assert (shapes["c"], shapes["d"], shapes["n"]) == ("M4 6h0", "M8.8 6h6.4", "M24.8 6h6.4")
    assert "a3.2" in shapes["ch"]
    assert drawn.words == "CDC?: cooperated in 2 of 3 moves, 1 of them defaults"


def test_long_play_is_condensed_to_shares():
    drawn = strip(SeatMoves(bytes([1] * 64 + [2] * 64)))
    assert (drawn.kind, drawn.width) == ("bars", 256)
    assert [path.count("M") for _, path in drawn.paths] == [16, 16]
    assert drawn.words == "cooperated in 64 of 128 moves, condensed"


def test_play_longer_than_the_marks_is_read_for_the_page(tmp_path):
    log = write_log(log_of(match(PD, "CD" * 130, "DC" * 130)), tmp_path / "log")
    with open_library(log, background=False) as library:
        (row,) = library.page(Query()).rows
        assert [len(moves.marks) for moves in row["moves"]] == [260, 260]
        assert letters(row["moves"][0]) == "CD" * 130


def test_numbers_are_a_line_and_other_actions_letters():
    line = strip(SeatMoves(bytes([3, 3, 3]), values=(50.0, 33.0, 0.0)))
    assert (line.kind, line.text) == ("line", "50 → 0")
    assert line.words == "3 numbers from 0 to 50, first 50, last 0"
    shown = strip(SeatMoves(bytes([3, 3, 4]), actions=("OptionA", "OptionB", "")))
    assert (shown.text, shown.words) == ("AB·", "3 moves: A OptionA, B OptionB")
    assert strip(SeatMoves(b"")).kind == "nothing"
    one = strip(SeatMoves(bytes([3]), values=(float("nan"),)))
    assert one.words == "no number was read"


def test_marks_of_one_kind_stand_at_their_moves():
    """Pieces of a line are placed from the one before: their ends, added up, against the places."""
    marks = [1, 2, 2, 1, 1, 4, 2, 1, 1, 1]
    for name, path in strip(SeatMoves(bytes(marks))).paths:
        at, starts = 0.0, []
        for step, length in re.findall(r"[Mm](-?[\d.]+) [06]h([\d.]+)", path):
            at += float(step)
            starts.append(at)
            at += float(length)
        kind = {"c": 1, "d": 2, "n": 4}[name]
        begin = 4.0 if name == "c" else 0.8
        assert starts == pytest.approx([8 * i + begin for i, mark in enumerate(marks) if mark == kind])


def test_the_seats_of_a_row_are_one_picture():
    """Each seat's marks stand in the middle of its line; a seat that is drawn otherwise stands apart."""
    seats = SeatMoves(bytes([1, 2])), SeatMoves(bytes([2, 1 + DEFAULTED]))
    drawn = strip_of_seats(seats)
    shapes = dict(drawn.paths)
    middles = f"{LINE / 2:g}", f"{LINE * 1.5:g}"
    assert shapes["c"] == f"M4 {middles[0]}h0"
    assert shapes["d"] == f"M8.8 {middles[0]}h6.4M0.8 {middles[1]}h6.4"
    assert shapes["ch"].startswith(f"M8.8 {middles[1]}m0 0a3.2")
    assert (drawn.width, drawn.height) == (16, 2 * LINE)
    assert drawn.words.startswith("seat 1, CD: cooperated in 1 of 2 moves; seat 2, DC:")
    assert strip_of_seats((*seats, SeatMoves(bytes([3]), values=(1.0,)))) is None
    assert strip_of_seats(()) is None


@pytest.mark.parametrize(
    ("names", "lead"),
    [
        (["2026-11-28T20-09_task.eval/g1", "2026-11-28T20-09_task.eval/g12"], "2026-11-28T20-09_task.eval/"),
        (["fairgame-0483", "fairgame-0576"], ""),
        (["a-long-name-of-a-game"], ""),
        (["", "a-long-name-of-a-game"], ""),
    ],
)
def test_what_all_names_begin_with_is_said_once(names, lead):
    assert _lead(names) == lead
