"""The parts of a report, and the page that they become."""

from __future__ import annotations

import pytest

from intent.report.page import (
    Listing,
    Section,
    Strip,
    StripSeat,
    Verbatim,
    Words,
    foreign_parts,
    grid,
    in_cell,
    report_page,
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (True, "yes"),
        (12345, "12,345"),
        (0.25, "0.250"),
        (1e-7, "1e-07"),
        ("a", "a"),
    ],
)
def test_a_value_in_a_cell(value, shown):
    assert in_cell(value) == shown


def test_columns_of_numbers_are_told_from_others():
    rows = [("A", "31.2 (28–34)", "x", "28–34", "-1 to +2"), ("B", None, "1", "–", "")]
    found = grid("c", ("model", "share", "which", "ends", "range"), rows)
    assert found.numeric == (False, True, False, True, True)


def test_headings_go_down_one_by_one():
    inner = Section("b", "Inner", (Section("c", "Innermost", (Words("text"),)),))
    page = report_page("T", [Section("a", "Outer", (inner,))])
    assert [page.count(f"<h{k}") for k in (1, 2, 3, 4)] == [1, 1, 1, 1]
    assert '<a href="#b">Inner</a>' in page


def test_two_sections_need_two_addresses():
    with pytest.raises(AssertionError, match="one address"):
        report_page("T", [Section("a", "A", ()), Section("a", "B", ())])


def test_every_block_is_escaped():
    evil = "<script>alert(1)</script>\u202e\ud800"
    seat = StripSeat(evil, evil, (evil,), (evil,), ((evil, ("1",)),), ("",), (False,))
    strip = Strip(evil, evil, (1,), (seat,), ((evil, evil),))
    table = grid(evil, (evil,), [(evil,)], folded=True)
    page = report_page(
        evil,
        [Section("a", evil, (Words(evil), Listing((evil,)), table, strip, Verbatim(evil, evil)))],
        lines=[evil],
        foot=evil,
    )
    assert foreign_parts(page) == []
    assert "<script" not in page
    assert "\u202e" not in page
    assert "⟨U+202E⟩" in page
