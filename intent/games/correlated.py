"""Correlated equilibria of 2x2 games: the best one, and how far a distribution of play is from any."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.games.matrix import MatrixGame

__all__ = ["best_correlated", "correlated_distance", "deviation_gain", "deviation_gains"]

_TOLERANCE = 1e-9


def deviation_gains(game: MatrixGame) -> NDArray[np.float64]:
    """What disobeying brings, for each seat and recommended action, as rows to multiply a distribution by.

    For seat 1, action i and its alternative i', the row holds u1(i', j) - u1(i, j) at (i, j) and 0 elsewhere;
    likewise for seat 2. A joint distribution p is a correlated equilibrium where all four products are at
    most 0.

    Parameters
    ----------
    game : MatrixGame

    Returns
    -------
    (4, 4) float, utilities (penalties with their sign turned)
        Rows: seat 1 told its first, its second action, seat 2 told its first, its second. Columns: the joint
        actions in the order 11, 12, 21, 22.

    References
    ----------
    Aumann 1987, Econometrica 55:1.
    """
    u = np.asarray(game.utilities, dtype=float)
    rows = np.zeros((4, 2, 2))
    for told in (0, 1):
        rows[told, told, :] = u[1 - told, :, 0] - u[told, :, 0]
        rows[2 + told, :, told] = u[:, 1 - told, 1] - u[:, told, 1]
    return rows.reshape(4, 4)


def deviation_gain(game: MatrixGame, joint: Any) -> NDArray[np.float64]:
    """The most that a player would have gained per round by replacing one action by the other throughout.

    0 exactly where the distribution is a correlated equilibrium. The largest of the four products of
    `deviation_gains`, and 0.

    Parameters
    ----------
    game : MatrixGame
    joint : (4,) or (n, 4) float
        Probabilities of the joint actions in the order 11, 12, 21, 22.

    Returns
    -------
    () or (n,) float, in the units of the game

    References
    ----------
    Hart & Mas-Colell 2000, Econometrica 68:1127 (the regret whose vanishing leads play there).
    """
    gains = np.asarray(joint, dtype=float) @ deviation_gains(game).T
    found: NDArray[np.float64] = np.maximum(gains.max(axis=-1), 0.0)
    return found


def best_correlated(game: MatrixGame) -> tuple[float, float, float, float]:
    """The correlated equilibrium with the largest sum of utilities.

    Of several, one in which the player who is worse off is best off.

    Parameters
    ----------
    game : MatrixGame

    Returns
    -------
    tuple of 4 float
        Probabilities of the joint actions in the order 11, 12, 21, 22.

    References
    ----------
    Aumann 1974, Journal of Mathematical Economics 1:67; Papadimitriou & Roughgarden 2008, Journal of the
    ACM 55:14 (the linear programme).
    """
    u = np.asarray(game.utilities, dtype=float).reshape(4, 2)
    size = float(np.abs(u).max()) or 1.0
    u, gains = u / size, deviation_gains(game) / size
    welfare = u.sum(axis=1)
    first = _solve(-welfare, gains, np.zeros(4), np.ones((1, 4)), bounds=[(0, 1)] * 4)
    # Second programme, of p and the least utility z: max z with p as good in sum, u1·p >= z, u2·p >= z.
    rows = np.zeros((7, 5))
    rows[:4, :4] = gains
    rows[4, :4] = -welfare
    rows[5:, :4], rows[5:, 4] = -u.T, 1.0
    most = np.array([0.0] * 4 + [_TOLERANCE - float(welfare @ first)] + [0.0] * 2)
    sums = np.array([[1.0, 1.0, 1.0, 1.0, 0.0]])
    goal = np.array([0.0, 0.0, 0.0, 0.0, -1.0])
    p = _solve(goal, rows, most, sums, bounds=[(0, 1)] * 4 + [(None, None)])[:4]
    kept = np.round(np.clip(p, 0, 1), 7) + 0.0
    cc, cd, dc, dd = (float(x) for x in kept / kept.sum())
    return cc, cd, dc, dd


def correlated_distance(game: MatrixGame, joint: Any) -> float:
    """Total variation distance from a distribution to the nearest correlated equilibrium.

    The least share of rounds whose joint action would have had to be another.

    Parameters
    ----------
    game : MatrixGame
    joint : (4,) float
        Probabilities of the joint actions in the order 11, 12, 21, 22.

    Returns
    -------
    float in [0, 1]
    """
    target = np.asarray(joint, dtype=float)
    gains = deviation_gains(game)
    gains = gains / (float(np.abs(gains).max()) or 1.0)
    eye = np.eye(4)
    # Variables q and d with |q - p| <= d elementwise; the distance is half the sum of d.
    rows = np.block([[gains, np.zeros((4, 4))], [eye, -eye], [-eye, -eye]])
    most = np.concatenate([np.zeros(4), target, -target])
    sums = np.array([[1.0] * 4 + [0.0] * 4])
    found = _solve(np.array([0.0] * 4 + [0.5] * 4), rows, most, sums, bounds=[(0, 1)] * 8)
    return float(np.clip(found[4:].sum() / 2, 0, 1)) if found[4:].sum() > _TOLERANCE else 0.0


def _solve(
    goal: NDArray[np.float64],
    rows: NDArray[np.float64],
    most: NDArray[np.float64],
    sums: NDArray[np.float64],
    *,
    bounds: list[tuple[float | None, float | None]],
) -> NDArray[np.float64]:
    """The x that minimises goal·x with rows·x <= most and sums·x = 1."""
    from scipy.optimize import linprog

    found = linprog(goal, A_ub=rows, b_ub=most, A_eq=sums, b_eq=[1.0], bounds=bounds, method="highs")
    assert found.status == 0, "every game has a correlated equilibrium"
    return np.asarray(found.x, dtype=float)
