"""Correlated equilibria against the corners of the set that its inequalities describe, by brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.games.catalogue import game
from intent.games.equilibria import best_correlated, correlated_distance
from intent.games.game import MatrixGame

numbers = st.integers(-4, 4).map(float)
games = st.builds(
    lambda a, b, c, d, kind: MatrixGame("any", ("A", "B"), ((a, b), (c, d)), kind),
    *[st.tuples(numbers, numbers)] * 4,
    st.sampled_from(["reward", "penalty"]),
)


def corners(g: MatrixGame) -> np.ndarray:
    """All (p11, p12, p21, p22) where three of the eight inequalities are tight and none is broken."""
    u = np.asarray(g.payoffs, dtype=float) * (1 if g.kind == "reward" else -1)
    # p >= 0, and no seat gains by the other action where it was told one.
    (a, b), (c, d) = u[0, :, 0] - u[1, :, 0], u[:, 0, 1] - u[:, 1, 1]
    obeyed = [[a, b, 0, 0], [0, 0, -a, -b], [c, 0, d, 0], [0, -c, 0, -d]]
    inequalities, found = np.vstack([np.eye(4), obeyed]), []
    for tight in combinations(range(8), 3):
        system = np.vstack([inequalities[list(tight)], np.ones(4)])
        if abs(np.linalg.det(system)) > 1e-9:
            p = np.linalg.solve(system, [0, 0, 0, 1])
            if (inequalities @ p > -1e-9).all():
                found.append(p)
    return np.array(found)


@settings(max_examples=50)
@given(games)
def test_the_best_is_as_good_as_the_best_corner(g: MatrixGame) -> None:
    u = np.asarray(g.payoffs, dtype=float).reshape(4, 2) * (1 if g.kind == "reward" else -1)
    among = corners(g)
    p, welfare = np.array(best_correlated(g)), u.sum(axis=1)
    assert welfare @ p == pytest.approx((among @ welfare).max(), abs=1e-5)
    equals = among[among @ welfare > (among @ welfare).max() - 1e-9]
    assert (p @ u).min() >= (equals @ u).min(axis=1).max() - 1e-5


@settings(max_examples=25)
@given(games)
def test_corners_and_their_mean_are_correlated_equilibria(g: MatrixGame) -> None:
    among = corners(g)
    assert max(correlated_distance(g, p) for p in [*among, among.mean(axis=0)]) < 1e-6


@settings(max_examples=50)
@given(games, st.tuples(*[st.integers(0, 6)] * 4).filter(any))
def test_the_distance_is_at_most_that_to_any_corner(g: MatrixGame, counts: tuple[int, ...]) -> None:
    p = np.array(counts) / sum(counts)
    assert correlated_distance(g, p) <= np.abs(corners(g) - p).sum(axis=1).min() / 2 + 1e-6


def test_chicken_has_the_five_corners_of_the_textbook() -> None:
    """Two pure equilibria, the mixed one, and (1/2, 1/4, 1/4, 0) and (0, 2/5, 2/5, 1/5)."""
    found = {tuple(np.round(p * 180).astype(int)) for p in corners(game("chicken"))}
    assert found == {(0, 180, 0, 0), (0, 0, 180, 0), (80, 40, 40, 20), (90, 45, 45, 0), (0, 72, 72, 36)}
