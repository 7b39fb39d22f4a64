"""Guess a ratio of the average."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from course_play import play_table
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import GameError
from intent.gamma.guessing import Guessing, winning_number

RNG = np.random.default_rng(0)


def test_the_closest_number_wins() -> None:
    (played,) = play_table(Guessing(4), [[10, 20, 30, 100]])
    assert played.outcome.payoffs == (0, 0, 1, 0)
    assert played.outcome.values == {1: 10, 2: 20, 3: 30, 4: 100}
    assert played.outcome.reports[3] == {"own": 30, "mean": 40, "target": 80 / 3, "winning": 30, "won": True}
    assert played.outcome.reports[1]["won"] is False


def test_of_two_at_the_same_distance_the_first_seat_s_number_wins() -> None:
    """Target 2/3 · 45 = 30 lies between 20 and 40."""
    assert play_table(Guessing(4), [[20, 40, 20, 100]])[0].outcome.payoffs == (1, 0, 1, 0)
    assert play_table(Guessing(4), [[40, 20, 20, 100]])[0].outcome.payoffs == (1, 0, 0, 0)


def test_all_equal_all_win() -> None:
    assert play_table(Guessing(5), [[7] * 5])[0].outcome.payoffs == (1,) * 5


def test_missing_moves_are_not_in_the_mean() -> None:
    one, none = play_table(Guessing(3), [[30, None, 60], [None] * 3])
    assert one.outcome.payoffs == (1, None, 0)
    assert one.outcome.reports[2] == {"own": None, "mean": 45, "target": 30, "winning": 30, "won": False}
    assert none.outcome.reports[1]["mean"] is None
    assert none.outcome.payoffs == (None,) * 3


def test_targets_are_exact() -> None:
    """7/6 · 27 is 31.5, between 30 and 33; in floats it is a hair above."""
    assert winning_number([30, 18, 33], Fraction(7, 6)) == 30
    assert play_table(Guessing(3, ratio="7/6"), [[30, 18, 33]])[0].outcome.reports[1]["target"] == 31.5


@pytest.mark.parametrize(
    ("ratio", "number"), [("0", 2), ("2/3", 2), (".99", 2), (1, 6), ("7/6", 10), ("2", 10)]
)
def test_equilibria(ratio: str, number: int) -> None:
    assert Guessing(3, low=2, high=10, ratio=ratio).equilibrium(1, {}, RNG) == str(number)


def undominated(game: Guessing) -> set[int]:
    """What is left after repeated elimination of weakly dominated numbers, by brute force on all profiles."""
    left = set(range(game.low, game.high + 1))
    while True:
        profiles = list(itertools.product(sorted(left), repeat=game.n_players - 1))
        pays = {}
        for x in sorted(left):
            numbers = ([x, *others] for others in profiles)
            pays[x] = [winning_number(row, game.exact_ratio) == x for row in numbers]
        beaten = {
            x
            for x, y in itertools.permutations(left, 2)
            if all(b >= a for a, b in zip(pays[x], pays[y], strict=True)) and pays[x] != pays[y]
        }
        if not beaten:
            return left
        left -= beaten


@pytest.mark.parametrize(
    ("n", "low", "high", "ratio"), [(2, 0, 12, "2/3"), (3, 0, 8, "1/2"), (3, 2, 9, "1/2"), (2, 3, 9, "3/2")]
)
def test_repeated_elimination_leaves_the_equilibrium(n: int, low: int, high: int, ratio: str) -> None:
    game = Guessing(n, low, high, ratio)
    assert {int(game.equilibrium(1, {}, RNG))} == undominated(game)


def test_at_ratio_one_nothing_is_eliminated_at_once() -> None:
    assert 3 in undominated(Guessing(3, 0, 6, "1"))


@given(
    st.lists(st.none() | st.integers(2, 30), min_size=1, max_size=5),
    st.sampled_from(["0", "1/6", "2/3", "1", "4/3", "2", "3", "5"]),
    st.data(),
)
def test_some_number_always_wins(others: list[int | None], ratio: str, data: st.DataObject) -> None:
    game = Guessing(len(others) + 1, 2, 30, ratio)
    seat = data.draw(st.integers(1, game.n_players))
    seats = [s for s in range(1, game.n_players + 1) if s != seat]
    moves = {s: None if x is None else str(x) for s, x in zip(seats, others, strict=True)}
    action, gain = game.best(seat, moves, {})
    assert gain == 1 == game.gains(seat, moves, {}, (action,))[0]


@given(
    st.lists(st.none() | st.integers(0, 12), min_size=1, max_size=5),
    st.sampled_from(["0", "1/2", "2/3", "1", "4/3", "5"]),
    st.sampled_from([12, 10**9]),
    st.data(),
)
def test_a_number_pays_where_it_is_the_winning_one(
    others: list[int | None], ratio: str, high: int, data: st.DataObject
) -> None:
    game, scale = Guessing(len(others) + 1, 0, high, ratio), high // 12
    seat = data.draw(st.integers(1, game.n_players))
    named = [None if x is None else x * scale for x in others]
    seats = [s for s in range(1, game.n_players + 1) if s != seat]
    moves = {s: None if x is None else str(x) for s, x in zip(seats, named, strict=True)}
    tried = [x * scale for x in range(13)]
    before, after = ([x for x in part if x is not None] for part in (named[: seat - 1], named[seat - 1 :]))
    wins = [winning_number([*before, x, *after], game.exact_ratio) == x for x in tried]
    assert game.gains(seat, moves, {}, tuple(map(str, tried))) == tuple(map(float, wins))


def test_a_long_range_is_not_listed() -> None:
    game = Guessing(3, 0, 10**9)
    assert game.legal(1, {}) is None
    assert game.best(1, {2: "1000000000", 3: "5"}, {})[1] == 1


def test_a_range_without_numbers_is_refused() -> None:
    with pytest.raises(GameError, match="low 5 and high 5, expected low below high"):
        Guessing(3, 5, 5)
