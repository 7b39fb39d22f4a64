"""The diner's dilemma."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from course_play import play_table

from intent.base.errors import GameError
from intent.gamma.diner import Diner

RNG = np.random.default_rng(0)

PUBLISHED = [(10, 15, 20, 20), (11, 5, 20, 7), (4, 19, 9, 20), (1, 8, 19, 12), (4, 5, 17, 7), (2, 11, 8, 13)]
"""Prices and utilities of the dishes in the settings of the paper."""


def test_all_pay_the_same_for_what_they_like() -> None:
    (played,) = play_table(Diner(), [["costly"] * 4 + ["cheap"] * 6])
    assert played.outcome.payoffs == (6,) * 4 + (1,) * 6
    news = {"own": "cheap", "costly": 4, "cheap": 6, "total_cost": 140, "share": 14, "gain": 1}
    assert played.outcome.reports[10] == news


@pytest.mark.parametrize("dishes", PUBLISHED)
def test_the_published_settings_are_dilemmas(dishes: tuple[int, ...]) -> None:
    game = Diner(10, *dishes)
    assert game.cooperative_label == "cheap"
    assert game.equilibrium(1, {}, RNG) == "costly"
    assert game.payoff(["cheap"] * 10)[0] > game.payoff(["costly"] * 10)[0]


@pytest.mark.parametrize(
    ("dishes", "n", "dish"),
    [((10, 15, 20, 20), 2, "cheap"), ((10, 15, 20, 25), 2, "costly"), ((10, 15, 20, 16), 10, "cheap")],
)
def test_no_dilemma_no_cooperation(dishes: tuple[int, ...], n: int, dish: str) -> None:
    """At the bound both dishes pay the same; a costly dish worth its price alone harms nobody's choice."""
    game = Diner(n, *dishes)
    assert game.cooperative_label is None
    assert game.equilibrium(1, {}, RNG) == dish


@pytest.mark.parametrize("dishes", PUBLISHED)
def test_costly_for_all_is_the_only_equilibrium_by_brute_force(dishes: tuple[int, ...]) -> None:
    game = Diner(4, *(dishes[0], dishes[1] + 5, dishes[2], dishes[3] + 10))
    stable = []
    for joint in itertools.product(game.actions, repeat=4):
        moves, paid = dict(enumerate(joint, start=1)), game.payoff(joint)
        if all(paid[s - 1] == game.best(s, moves, {})[1] for s in moves):
            stable.append(joint)
    assert stable == [("costly",) * 4]


def test_who_orders_nothing_pays_nothing() -> None:
    one, none = play_table(Diner(3), [["costly", None, "cheap"], [None] * 3])
    assert one.outcome.payoffs == (5, None, 0)
    assert one.outcome.reports[2] == {
        "own": None,
        "costly": 1,
        "cheap": 1,
        "total_cost": 30,
        "share": 0,
        "gain": 0,
    }
    assert none.outcome.reports[1]["total_cost"] == 0


def test_prices_are_split_exactly() -> None:
    game = Diner(3, cheap_price=0.1, cheap_utility=0.1, costly_price=0.2, costly_utility=0.2)
    assert game.payoff(["cheap"] * 3) == (0, 0, 0)


@pytest.mark.parametrize("wrong", [{"cheap_price": 20}, {"cheap_price": -1}, {"costly_utility": "much"}])
def test_what_is_no_diner_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(GameError, match=r"^diner: .*expected"):
        Diner(**wrong)  # type: ignore[arg-type]
