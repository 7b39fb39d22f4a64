"""Mixed, correlated, Pareto and focal, against brute force and games whose answers are known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.games.catalogue import game
from intent.games.equilibria import (
    best_correlated,
    correlated_distance,
    deviation_gain,
    focal_point,
    joint_actions,
    mixed_equilibria,
    nash_equilibria,
    pareto_efficient,
    pure_equilibria,
    solutions,
)
from intent.games.game import MatrixGame

numbers = st.integers(0, 3).map(float)
cells = st.tuples(numbers, numbers)
kinds = st.sampled_from(["reward", "penalty"])
games = st.builds(
    lambda a, b, c, d, kind: MatrixGame("any", ("A", "B"), ((a, b), (c, d)), kind),
    *[cells] * 4,
    kinds,
)

GRID = [np.array(p) / 8 for p in product(range(9), repeat=4) if sum(p) == 8]


def utilities(g: MatrixGame) -> np.ndarray:
    return np.asarray(g.payoffs, dtype=float) * (1 if g.kind == "reward" else -1)


def gain_by_hand(g: MatrixGame, p: np.ndarray) -> float:
    """The largest gain from one swap, from the definition."""
    u, joint, best = utilities(g), p.reshape(2, 2), 0.0
    for told, instead in ((0, 1), (1, 0)):
        best = max(best, sum(joint[told, j] * (u[instead, j, 0] - u[told, j, 0]) for j in (0, 1)))
        best = max(best, sum(joint[i, told] * (u[i, instead, 1] - u[i, told, 1]) for i in (0, 1)))
    return best


@given(games)
def test_every_nash_equilibrium_is_one_and_all_pure_ones_are_found(g: MatrixGame) -> None:
    found = nash_equilibria(g)
    u = utilities(g)
    for e in found:
        x, y = np.array(e.first), np.array(e.second)
        assert (u[:, :, 0] @ y).max() <= x @ u[:, :, 0] @ y + 1e-6
        assert (x @ u[:, :, 1]).max() <= x @ u[:, :, 1] @ y + 1e-6
    pure = {(g.actions[int(e.first[1])], g.actions[int(e.second[1])]) for e in found if e.is_pure}
    assert pure == set(pure_equilibria(g))
    assert found


@given(games, st.sampled_from(GRID))
def test_the_gain_is_that_of_the_definition(g: MatrixGame, p: np.ndarray) -> None:
    assert deviation_gain(g, p) == pytest.approx(gain_by_hand(g, p))
    assert (correlated_distance(g, p) < 1e-7) == (gain_by_hand(g, p) < 1e-9)


@given(games)
def test_no_correlated_equilibrium_on_a_grid_is_better(g: MatrixGame) -> None:
    p, welfare = np.array(best_correlated(g)), utilities(g).sum(axis=2).ravel()
    assert gain_by_hand(g, p) < 1e-5
    assert p.sum() == pytest.approx(1)
    others = [welfare @ q for q in GRID if gain_by_hand(g, q) < 1e-12]
    assert welfare @ p >= max(others, default=-np.inf) - 1e-5


@given(games)
def test_pareto_by_enumeration(g: MatrixGame) -> None:
    u = {(a, b): utilities(g)[i, j] for i, a in enumerate(g.actions) for j, b in enumerate(g.actions)}
    kept = {p for p in u if not any((u[q] >= u[p]).all() and (u[q] > u[p]).any() for q in u)}
    assert set(pareto_efficient(g)) == kept


@given(games)
def test_a_focal_point_is_an_equilibrium(g: MatrixGame) -> None:
    assert focal_point(g) in {None, *pure_equilibria(g)}


def test_aumanns_chicken() -> None:
    chicken = game("chicken")
    assert best_correlated(chicken) == pytest.approx((0.5, 0.25, 0.25, 0), abs=1e-6)
    assert [e.first for e in nash_equilibria(chicken)][2] == pytest.approx((2 / 3, 1 / 3))
    assert focal_point(chicken) is None
    assert pareto_efficient(chicken) == (("Swerve", "Swerve"), ("Swerve", "Dare"), ("Dare", "Swerve"))
    assert correlated_distance(chicken, [1, 0, 0, 0]) == 0.5
    assert deviation_gain(chicken, [1, 0, 0, 0]) == 1


def test_matching_pennies() -> None:
    pennies = game("matching-pennies")
    (only,) = nash_equilibria(pennies)
    assert only.first == only.second == (0.5, 0.5)
    assert best_correlated(pennies) == pytest.approx((0.25,) * 4, abs=1e-6)
    assert focal_point(pennies) is None


def test_games_of_private_deliberation() -> None:
    assert focal_point(game("prisoner-dilemma-deliberation")) == ("OptionB", "OptionB")
    assert focal_point(game("stag-hunt-deliberation")) == ("Stag", "Stag")
    assert focal_point(game("head-tail")) == ("Heads", "Heads")
    assert focal_point(game("battle-sexes-2-1")) is None
    assert best_correlated(game("battle-sexes-2-1")) == pytest.approx((0.5, 0, 0, 0.5), abs=1e-6)
    assert pareto_efficient(game("stag-hunt-deliberation")) == (("Stag", "Stag"),)
    assert best_correlated(game("prisoner-dilemma-deliberation")) == pytest.approx((0, 0, 0, 1), abs=1e-6)


@pytest.mark.extra("nashpy")
def test_what_is_singled_out_in_a_stag_hunt():
    found = solutions(game("stag-hunt-deliberation"))
    stag, hare = found.nash
    assert found.focal == found.pareto == (stag,)
    assert dict(found.correlated) == {stag: 1.0}
    (mixed,) = mixed_equilibria(game("stag-hunt-deliberation"))
    assert joint_actions(game("stag-hunt-deliberation"))[3] == hare
    assert not mixed.is_pure
