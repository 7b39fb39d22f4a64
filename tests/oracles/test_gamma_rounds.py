"""Our rules against rounds that GAMA-Bench saved: the same moves come to the same results.

Numbers from its public raw results (CUHK-ARISE/GAMABench: guessing_game and bar_game/implicit of
gpt-3.5-turbo-0613, run 1; public_goods and diner_dilemma of gpt-4o, run 1).
"""

from __future__ import annotations

import pytest
from course_play import play_table

from intent.gamma.catalogue import gamma_game

GUESSES = [
    ([50] * 10, 50, "33.33", 50, 10),
    ([75, 70, 75, 60, 70, 75, 75, 75, 75, 45], 69.5, "46.33", 45, 1),
    ([30, 60, 75, 65, 60, 70, 62, 55, 60, 60], 59.7, "39.80", 30, 1),
    ([45, 70, 40, 40, 80, 70, 60, 55, 40, 75], 57.5, "38.33", 40, 3),
    ([60, 55, 55, 55, 50, 65, 65, 45, 65, 60], 57.5, "38.33", 45, 1),
    ([42, 65, 47, 60, 70, 55, 55, 45, 65, 60], 56.4, "37.60", 42, 1),
    ([60, 50, 65, 65, 65, 75, 50, 70, 60, 62], 62.2, "41.47", 50, 2),
    ([60, 49, 55, 55, 60, 55, 65, 55, 65, 75], 59.4, "39.60", 49, 1),
    ([65, 60, 50, 50, 50, 55, 55, 55, 55, 60], 55.5, "37.00", 50, 3),
]
"""Numbers, mean, target as reported, winning number, how many named it."""

BAR = [
    "gsgggggggg",
    "gggsggsgsg",
    "sgsgssgsgg",
    "sggggggggs",
    "gssgggsggg",
    "gggssggggs",
    "sssgsgggsg",
    "sssgsssggs",
]
BAR_UTILITIES = [0, 0, 5, 5, 0, 0, 5, 5]
BAR_REPORTS = [(9, 1, 0), (7, 3, 0), None, None, (7, 3, 0), (7, 3, 0), None, None]
"""Moves by seat (g: go) in the first eight rounds; utilities of seat 1, and what it was told if it went."""

CONTRIBUTIONS = [
    ([2, 2, 2, 3, 3, 2, 2, 3, 3, 4], 3.2, [23.2, 23.2, 23.2, 22.2, 22.2, 23.2, 23.2, 22.2, 22.2, 21.2]),
    ([2, 3, 2, 3, 2, 1, 2, 2, 2, 3], 2.4, [22.4, 21.4, 22.4, 21.4, 22.4, 23.4, 22.4, 22.4, 22.4, 21.4]),
    ([2, 1, 2, 2, 2, 2, 2, 1, 2, 3], 1.8, [21.8, 22.8, 21.8, 21.8, 21.8, 21.8, 21.8, 22.8, 21.8, 20.8]),
    ([2, 1, 0, 2, 2, 1, 1, 2, 2, 2], 1.0, [21.0, 22.0, 23.0, 21.0, 21.0, 22.0, 22.0, 21.0, 21.0, 21.0]),
    ([1, 0, 0, 2, 1, 1, 1, 0, 2, 2], 1.0, [21.0, 22.0, 22.0, 20.0, 21.0, 21.0, 21.0, 22.0, 20.0, 20.0]),
    ([0, 0, 0, 1, 0, 1, 1, 0, 0, 1], 0.8, [20.8, 20.8, 20.8, 19.8, 20.8, 19.8, 19.8, 20.8, 20.8, 19.8]),
    ([0, 0, 0, 1, 0, 0, 0, 0, 0, 0], 0.2, [20.2, 20.2, 20.2, 19.2, 20.2, 20.2, 20.2, 20.2, 20.2, 20.2]),
]
"""Rounds 4 to 10: contributions, gain of seat 1, tokens of all after the round."""

DINERS = [
    ("xcccxccccc", 120, 12, 8),
    ("cccxcxcccc", 120, 12, 3),
    ("cccxcccccc", 110, 11, 4),
    ("xccxxccccc", 130, 13, 7),
    ("xccxxxcccc", 140, 14, 6),
]
"""Orders by seat (x: costly), the bill, what each pays, what it came to for seat 1."""


@pytest.mark.parametrize(("numbers", "mean", "target", "winning", "n_winners"), GUESSES)
def test_guesses(numbers: list[int], mean: float, target: str, winning: int, n_winners: int) -> None:
    (played,) = play_table(gamma_game("guessing"), [numbers])
    told = played.outcome.reports[1]
    assert (told["mean"], told["winning"]) == (mean, winning)
    assert f"{told['target']:.2f}" == target
    assert sum(paid or 0 for paid in played.outcome.payoffs) == n_winners


def test_evenings_at_the_bar() -> None:
    rounds = [["go" if move == "g" else "stay" for move in row] for row in BAR]
    played = play_table(gamma_game("bar"), rounds)
    assert [row.outcome.payoffs[0] for row in played] == BAR_UTILITIES
    told = [row.outcome.reports[1] for row in played]
    seen = [(t["went"], t["stayed"], t["gain"]) if "went" in t else None for t in told]
    assert seen == BAR_REPORTS


def test_contributions() -> None:
    played = play_table(gamma_game("public_goods"), [row for row, _, _ in CONTRIBUTIONS])
    for row, (_, gain, tokens) in zip(played, CONTRIBUTIONS, strict=True):
        assert row.outcome.reports[1]["gain"] == gain
        assert list(row.outcome.reports[1]["holdings"]) == tokens  # type: ignore[call-overload]


@pytest.mark.parametrize(("orders", "bill", "share", "utility"), DINERS)
def test_dinners(orders: str, bill: int, share: int, utility: int) -> None:
    (played,) = play_table(gamma_game("diner"), [["costly" if dish == "x" else "cheap" for dish in orders]])
    told = played.outcome.reports[1]
    assert (told["total_cost"], told["share"], told["gain"]) == (bill, share, utility)
