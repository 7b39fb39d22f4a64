"""Divide the dollar."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from course_play import equilibrium_policy, play_policy, play_table

from intent.gamma.divide_dollar import DivideDollar

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("bids", "payoffs"),
    [([10] * 10, (10,) * 10), ([10] * 9 + [11], (0,) * 10), ([91] + [1] * 9, (91,) + (1,) * 9)],
)
def test_bids_are_paid_if_they_fit(bids: list[int], payoffs: tuple[float, ...]) -> None:
    assert play_table(DivideDollar(), [bids])[0].outcome.payoffs == payoffs


def test_all_learn_the_sum_and_their_own_gain() -> None:
    (played,) = play_table(DivideDollar(3, 10), [[3, None, 8]])
    assert played.outcome.reports[1] == {"own": 3, "total": 11, "within": False, "gain": 0}
    assert played.outcome.reports[2] == {"own": None, "total": 11, "within": False, "gain": 0}
    assert played.outcome.payoffs == (0, None, 0)
    assert play_table(DivideDollar(3, 10), [[3, None, 7]])[0].outcome.reports[3]["gain"] == 7


@pytest.mark.parametrize(("n", "gold"), [(10, 100), (3, 100), (10, 4), (2, 1), (10, 800)])
def test_equilibrium_divides_all_the_gold_equally(n: int, gold: int) -> None:
    game = DivideDollar(n, gold)
    (played,) = play_policy(game, equilibrium_policy(game), 1)
    bids = [int(a) for a in played.actions.values() if a]
    assert sum(bids) == gold
    assert max(bids) - min(bids) <= 1


def test_equilibria_by_brute_force_add_up_to_the_gold_or_are_hopeless() -> None:
    game = DivideDollar(3, 4)
    for bids in itertools.product(range(5), repeat=3):
        moves = {seat: str(bid) for seat, bid in enumerate(bids, start=1)}
        paid = game.payoff([str(bid) for bid in bids])
        stable = all(paid[s - 1] == game.best(s, moves, {})[1] for s in moves)
        hopeless = all(sum(bids) - bid >= 4 for bid in bids)
        assert stable == (sum(bids) == 4 or hopeless)


def test_best_reply_takes_what_the_others_left() -> None:
    game = DivideDollar()
    assert game.best_reply(1, {"own": 50, "total": 130}, {}, RNG) == "20"
    assert game.best_reply(1, {"own": 5, "total": 130}, {}, RNG) == "0"
