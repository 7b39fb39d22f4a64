"""The El Farol bar."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from course_play import equilibrium_policy, play_policy, play_table

from intent.base.errors import GameError
from intent.gamma.bar import Bar, attendance


def crowd(n: int) -> list[str]:
    return ["go"] * n + ["stay"] * (10 - n)


@pytest.mark.parametrize(("went", "pays"), [(1, 10), (6, 10), (7, 0), (10, 0)])
def test_going_pays_up_to_the_ratio(went: int, pays: int) -> None:
    (played,) = play_table(Bar(), [crowd(went)])
    assert played.outcome.payoffs == (pays,) * went + (5,) * (10 - went)


def test_implicit_games_tell_the_crowd_to_those_who_went() -> None:
    (played,) = play_table(Bar(), [crowd(7)])
    assert played.outcome.reports[10] == {"own": "stay", "gain": 5}
    seen = {"own": "go", "gain": 0, "went": 7, "stayed": 3, "share": "70%", "crowded": True}
    assert played.outcome.reports[1] == seen
    (played,) = play_table(Bar(mode="explicit"), [crowd(7)])
    assert played.outcome.reports[10] == {**seen, "own": "stay", "gain": 5}


def test_shares_are_compared_exactly() -> None:
    """0.55 · 100 is 55.00000000000001 and 0.57 · 100 is 56.99999999999999 in floats."""
    assert [Bar(100, ratio=ratio).capacity for ratio in ("55%", 0.57, "29/100", 0.58)] == [55, 57, 29, 58]
    assert Bar(3, ratio="1/3").capacity == 1


def test_a_ratio_is_told_as_a_percentage() -> None:
    assert Bar(ratio=0.6) == Bar(ratio="60%") == Bar(ratio="3/5")
    assert [Bar(ratio=ratio).facts()["ratio"] for ratio in (0, "1", ".125", "1/3")] == [
        "0%",
        "100%",
        "12.5%",
        "1/3",
    ]


def test_missing_moves_stay_home_without_fun() -> None:
    (played,) = play_table(Bar(3, ratio="1/3"), [["go", None, "stay"]])
    assert played.outcome.payoffs == (10, None, 5)
    assert played.outcome.reports[2] == {"own": None, "gain": 0}
    assert played.outcome.reports[1]["share"] == "33.3333%"


@pytest.mark.parametrize("ratio", [0.2, 0.4, 0.5, 0.8])
@pytest.mark.parametrize("home", [1, 5, 9])
def test_in_equilibrium_going_and_staying_pay_the_same(ratio: float, home: int) -> None:
    """By brute force over what the others do."""
    game = Bar(5, ratio=ratio, home=home)
    p, going = Fraction(game.attendance), Fraction(0)
    for others in itertools.product(("go", "stay"), repeat=4):
        weight = p ** others.count("go") * (1 - p) ** others.count("stay")
        going += weight * int(game.gains(1, dict(zip(range(2, 6), others, strict=True)), {}, ("go",))[0])
    assert float(going) == pytest.approx(home, abs=1e-9)


def test_the_default_mixes_at_607() -> None:
    assert attendance(10, 6, 0.5) == pytest.approx(0.6069, abs=5e-5)


def test_with_no_room_all_stay_and_with_room_for_all_they_go() -> None:
    for ratio, action in (("0%", "stay"), ("9%", "stay"), ("100%", "go")):
        (played,) = play_policy(Bar(ratio=ratio), equilibrium_policy(Bar(ratio=ratio)), 1)
        assert set(played.actions.values()) == {action}


@pytest.mark.parametrize(("n", "capacity"), [(1000, 1), (1000, 600), (1000, 999), (2, 1)])
def test_equilibria_of_any_size(n: int, capacity: int) -> None:
    assert 0 < attendance(n, capacity, 0.5) < 1
    assert attendance(n, capacity, 0.5) == pytest.approx((capacity - 1 / 3) / (n - 1 / 3), abs=0.15 / n**0.5)


def test_equilibrium_play_goes_at_its_rate() -> None:
    game = Bar(1000, ratio="60%")
    (played,) = play_policy(game, equilibrium_policy(game), 1, seed=3)
    went = list(played.actions.values()).count("go")
    assert abs(went / 1000 - game.attendance) < 4 * np.sqrt(0.24 / 1000)


@pytest.mark.parametrize("wrong", [{"home": 0}, {"home": 11}, {"ratio": "110%"}, {"mode": "secret"}])
def test_what_is_no_bar_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(GameError, match=r"^bar: .*expected"):
        Bar(**wrong)  # type: ignore[arg-type]
