"""Sentences and drawings of the page of a game."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from intent.view.game_page import SeatPanel, _unjudged, payoff_table, posterior_chart, rounds_in_words
from intent.view.judging import fit_sentence, number, reason

LABEL = {
    "best": "TFT",
    "tied_with": ["GRIM"],
    "confidence": 0.62,
    "n_deviations": 1,
    "fit_p": 0.002,
    "consistent": [],
}


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("confident", "TFT: its posterior probability is 0.62"),
        ("ambiguous", "TFT and GRIM explain these moves equally well"),
        ("low_confidence", "most probable strategy is TFT, but its posterior probability is only 0.62"),
        (
            "no_fit",
            "(1 move that it never makes without noise; play at least as unlikely has probability 0.002)",
        ),
    ],
)
def test_each_status_has_its_reason(status, words):
    assert words in reason(LABEL | {"status": status})


def test_which_strategies_fit():
    assert (
        fit_sentence(LABEL)
        == "No strategy of the set makes all these moves without noise; TFT misses 1 move."
    )
    fits = LABEL | {"consistent": ["ALLC", "GRIM", "TFT"]}
    assert fit_sentence(fits) == "ALLC, GRIM and TFT make every one of these moves without noise."


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.50"), (0.999, "> 0.99"), (1.0, "1"), (0.001, "0.001"), (1e-9, "< 0.0001"), (0.0, "0"),
     (None, "–"),     (float("nan"), "–"), (12345, "12,345"), (True, "yes"), (-3.0, "-3"), (2.25, "2.25")],
)  # fmt: skip
def test_numbers_never_round_a_chance_to_certainty(value, text):
    assert number(value) == text


def test_rounds_in_runs():
    assert rounds_in_words([1, 2, 3, 5, 7, 8]) == "1–3, 5, 7–8"
    assert rounds_in_words(range(1, 99, 2), most=2) == "1, 3, 47 more"


def test_payoffs_as_a_table_where_they_are_one():
    pd = '{"C,C": [3, 3], "C,D": [0, 5], "D,C": [5, 0], "D,D": [1, 1]}'
    assert payoff_table(pd) == (["C", "D"], [("C", ["3, 3", "0, 5"]), ("D", ["5, 0", "1, 1"])])
    for other in (None, "", "[1]", '{"n_players": 4}', '{"a,b,c": [1, 2, 3]}', "{", "[" * 100_000):
        assert payoff_table(other) is None


def test_lines_begin_and_end_where_the_posterior_does():
    chart = posterior_chart(["A", "B"], [0, 1, 2], [(0.5, 0.5), (0.75, 0.25), (1, 0)])
    a, b = chart.lines
    assert (
        a.points.split()[0] == b.points.split()[0] == f"{chart.left:.1f},{(chart.top + chart.bottom) / 2:.1f}"
    )
    assert (a.end, b.end) == (chart.top, chart.bottom)
    assert [word for _, word in chart.across] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("after", "ticks"),
    [([0, 20_000], ["0", "2000", "4000"]), ([0, 400], ["0", "50", "100"]), ([99, 199], ["99", "109", "119"])],
)
def test_rounds_have_ticks_however_many(after, ticks):
    chart = posterior_chart(["A"], after, [(1.0,), (1.0,)])
    assert [word for _, word in chart.across][:3] == ticks
    assert len(chart.across) <= 11


def test_names_of_lines_do_not_overlap():
    chart = posterior_chart([f"S{k}" for k in range(6)], [0, 1], [[1 / 6] * 6] * 2)
    heights = sorted(line.text for line in chart.lines)
    assert min(b - a for a, b in itertools.pairwise(heights)) >= 14 - 1e-9


def test_nothing_is_drawn_of_nothing():
    assert posterior_chart([], [0, 1], [(), ()]) is None
    assert posterior_chart(["A"], [0], [(1.0,)]) is None


def test_equal_probabilities_look_equal():
    assert number(0.475 - 1e-16) == number(0.475 + 1e-16)
    assert (number(float("inf")), number(float("-inf")), number(1e-15)) == ("∞", "-∞", "< 0.0001")


def panel(title: str, label=None, **facts) -> SeatPanel:
    seat = SimpleNamespace(label=label)
    why = f"No label: {title}."
    return SeatPanel(seat, title, tuple(facts.items()), None, why, None, None, (), (), 0)


def test_seats_of_which_nothing_is_known_are_rows_of_one_table():
    seats = [panel("a", persona="selfish"), panel("b", model="m"), panel("b", persona="kind")]
    table = _unjudged(seats)
    assert table["reasons"] == ["No label: a.", "No label: b."]
    assert table["names"] == ["persona", "model"]
    assert [items for _, items in table["rows"]] == [["selfish", None], [None, "m"], ["kind", None]]
    assert _unjudged([*seats, panel("c", label={"status": "no_fit"})]) is None
    assert _unjudged(seats[:1]) is None
