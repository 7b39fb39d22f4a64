"""What models of choice know of payoffs: stated by the log, or read off what its rounds paid."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import DataError
from intent.estimate.choice.choices import Choices, choices_of_log
from intent.logs.gamelog import GameLog

RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
"""Own payoff by own and other's move, in the order paper, rock, scissors of the log: see `NAMES`."""
NAMES = ("a", "b", "c")


def log_of(tables: np.ndarray, *, kind: str | None = "reward", stated: bool = False, n: int = 30) -> GameLog:
    """Random play of a game of three actions with tables (2, A, A) by seat 1's and seat 2's move."""
    rng = np.random.default_rng(0)
    games = pd.DataFrame({"game_id": [f"g{i}" for i in range(n)], "game": "three", "payoff_kind": kind})
    games["repetition"] = 1
    games["n_players"], games["rounds_planned"], games["rounds_played"], games["source"] = 2, 9, 9, "test"
    joint = {
        f"{NAMES[x]},{NAMES[y]}": [float(tables[0, x, y]), float(tables[1, x, y])]
        for x in range(3)
        for y in range(3)
    }
    games["payoffs"] = json.dumps(joint) if stated else None
    seats, moves = [], []
    for i in range(n):
        play = rng.integers(0, 3, (9, 2))
        for seat in (1, 2):
            seats.append({"game_id": f"g{i}", "seat": seat, "player": f"p{i % 3}{seat}", "focal": True})
            moves += [
                {
                    "game_id": f"g{i}",
                    "round": t + 1,
                    "step": 1,
                    "seat": seat,
                    "action": NAMES[x[seat - 1]],
                    "payoff": float(tables[seat - 1, x[0], x[1]]),
                    "status": "valid",
                }
                for t, x in enumerate(play)
            ]
    return GameLog(games, pd.DataFrame(seats), pd.DataFrame(moves))


ZERO_SUM = np.stack([RPS, -RPS])
UNEQUAL = np.stack([np.arange(9.0).reshape(3, 3), np.arange(9.0)[::-1].reshape(3, 3) ** 2])


def tables_of(X: Choices) -> dict[int, np.ndarray]:
    """Own and the other's payoffs by seat."""
    assert X.keys is not None
    assert X.payoffs is not None
    assert X.payoff_of is not None
    assert X.other_payoffs is not None
    seats = X.keys["seat"].to_numpy(dtype=int)
    both = np.stack([X.payoffs, X.other_payoffs], axis=1)
    return {s: both[X.payoff_of[seats == s]] for s in (1, 2)}


def test_stated_payoffs_are_those_of_each_seat() -> None:
    tables = tables_of(choices_of_log(log_of(UNEQUAL, stated=True)))
    for got in tables[1]:
        np.testing.assert_array_equal(got, UNEQUAL)
    for got in tables[2]:
        np.testing.assert_array_equal(got, [UNEQUAL[1].T, UNEQUAL[0].T])


@pytest.mark.parametrize("tables", [ZERO_SUM, UNEQUAL], ids=["symmetric", "unequal"])
def test_payoffs_of_rounds_give_the_table_that_is_not_stated(tables: np.ndarray) -> None:
    stated = tables_of(choices_of_log(log_of(tables, stated=True)))
    learned = tables_of(choices_of_log(log_of(tables)))
    for seat in (1, 2):
        np.testing.assert_array_equal(learned[seat], stated[seat])


def test_penalties_are_turned_round() -> None:
    learned = tables_of(choices_of_log(log_of(ZERO_SUM, kind="penalty")))
    np.testing.assert_array_equal(learned[1][0, 0], -RPS)


def test_payoffs_of_unknown_kind_stay_unknown() -> None:
    assert choices_of_log(log_of(ZERO_SUM, kind=None)).payoffs is None


def test_outcomes_that_pay_differently_give_no_table() -> None:
    log = log_of(ZERO_SUM)
    moves = log.moves.copy()
    moves.loc[moves.index[0], "payoff"] = 7.0
    assert choices_of_log(GameLog(log.games, log.seats, moves)).payoffs is None


def test_an_outcome_that_nobody_met_gives_no_table() -> None:
    log = log_of(ZERO_SUM)
    short = log.moves[(log.moves["action"] != "a") | (log.moves["seat"] == 1)]
    assert choices_of_log(GameLog(log.games, log.seats, short)).payoffs is None


def test_stakes_start_at_zero_and_count_in_spans() -> None:
    stakes = choices_of_log(log_of(UNEQUAL, stated=True)).stakes()
    assert stakes.span == 64
    assert stakes.own.min() == 0
    np.testing.assert_allclose(np.ptp(stakes.own[stakes.of], axis=(1, 2))[:2] * 64, [8, 64])


def test_unknown_payoffs_are_one_line_that_counts_them() -> None:
    X = choices_of_log(log_of(ZERO_SUM, kind=None))
    with pytest.raises(DataError, match=r"payoffs of 60 of 60 games \(540 moves\) are unknown"):
        X.stakes()
