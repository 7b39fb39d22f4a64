"""Payoff tables from play: what the scores say about the game that was played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["MatrixFit", "PublicGoodsFit", "fit_matrix", "fit_public_goods"]

_TOLERANCE = 1e-6
_DIGITS = 9


@dataclass(frozen=True)
class MatrixFit:
    """The table of a 2x2 game as seen in play.

    Parameters
    ----------
    payoffs : (2, 2, 2) float
        ``payoffs[i, j]`` = payoffs of seats 1 and 2 for actions i and j; NaN where unknown.
    explained : (m,) bool
        Rounds whose scores agree with the table.
    mirrored : bool
        Whether a never-played outcome was filled in from its mirror image, all others being symmetric.
    """

    payoffs: NDArray[np.float64]
    explained: NDArray[np.bool_]
    mirrored: bool

    @property
    def is_complete(self) -> bool:
        """Whether all four outcomes are known."""
        return bool(np.isfinite(self.payoffs).all())


def fit_matrix(joint: NDArray[np.integer], scores: NDArray[np.float64]) -> MatrixFit | None:
    """The most frequent pair of scores of each joint action.

    Parameters
    ----------
    joint : (m,) int, 2 * (action of seat 1) + action of seat 2
    scores : (m, 2) float

    Returns
    -------
    MatrixFit or None
        None where fewer than half of the rounds of some outcome agree: the scores do not follow from
        the joint action.
    """
    payoffs = np.full((4, 2), np.nan)
    explained = np.zeros(len(joint), dtype=bool)
    for outcome in range(4):
        rounds = np.flatnonzero(joint == outcome)
        if not len(rounds):
            continue
        pairs, first, counts = np.unique(scores[rounds], axis=0, return_index=True, return_counts=True)
        best = int(np.lexsort((first, -counts))[0])
        if 2 * counts[best] < len(rounds):
            return None
        payoffs[outcome] = pairs[best]
        explained[rounds] = (scores[rounds] == pairs[best]).all(axis=1)
    table = payoffs.reshape(2, 2, 2)
    mirror = table.transpose(1, 0, 2)[:, :, ::-1]
    known = np.isfinite(table) & np.isfinite(mirror)
    mirrored = not np.isfinite(table).all() and bool((table[known] == mirror[known]).all())
    if mirrored:
        filled = np.where(np.isfinite(table), table, mirror)
        mirrored = bool((np.isfinite(filled) != np.isfinite(table)).any())
        table = filled
    return MatrixFit(table, explained, mirrored)


@dataclass(frozen=True)
class PublicGoodsFit:
    """Cost and factor of a linear public goods game as seen in the play of each game.

    Parameters
    ----------
    parameters : (p, 2) float, cost and factor of the games found, the most frequent first
    which : (n,) int, row of `parameters` for each game; -1 where its play does not tell
    explained : (n,) bool, whether the scores of a game agree with some such game
    """

    parameters: NDArray[np.float64]
    which: NDArray[np.int64]
    explained: NDArray[np.bool_]


def fit_public_goods(
    gives: NDArray[np.bool_], scores: NDArray[np.float64], game: NDArray[np.integer], n_games: int
) -> PublicGoodsFit:
    """Least squares of score = s * k - c * gave in each game, with k contributors; factor = s * N / c.

    Parameters
    ----------
    gives : (m, N) bool, whether each player contributed in each round
    scores : (m, N) float
    game : (m,) int, the game of each round, 0 to n_games - 1
    n_games : int

    Notes
    -----
    Play in which k and the own choice never vary apart (nobody contributes, or all do) leaves cost and
    factor open; such a game takes the parameters found elsewhere if exactly one pair explains it.
    """
    n = gives.shape[1]
    k = np.broadcast_to(gives.sum(axis=1, keepdims=True), gives.shape).astype(float)

    def total(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(game, values.sum(axis=1), n_games), dtype=np.float64)

    g = gives.astype(float)
    kk, kg, gg, ky, gy = total(k * k), total(k * g), total(g), total(k * scores), total(g * scores)
    determinant = kk * gg - kg * kg
    open_ = determinant < 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (ky * gg - gy * kg) / determinant
        cost = -(kk * gy - kg * ky) / determinant
        found = np.column_stack([_rounded(cost), _rounded(share * n / cost)])
    found[open_ | ~(found > 0).all(axis=1) | ~np.isfinite(found).all(axis=1)] = np.nan
    scale = np.maximum(1.0, total(np.abs(scores)))

    def error(parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        of_round = parameters[game] if parameters.ndim == 2 else np.broadcast_to(parameters, (len(game), 2))
        c, factor = of_round[:, :1], of_round[:, 1:]
        return total(np.abs(k * c * factor / n - g * c - scores)) / scale

    own = (error(found) <= _TOLERANCE) & np.isfinite(found).all(axis=1)
    pairs, counts = (
        np.unique(found[own], axis=0, return_counts=True) if own.any() else (np.empty((0, 2)), np.empty(0))
    )
    pairs = pairs[np.argsort(-counts, kind="stable")][:64]
    fits = np.array([error(pair) <= _TOLERANCE for pair in pairs]).reshape(len(pairs), n_games)
    certain = own | (open_ & (fits.sum(axis=0) == 1))
    which = np.where(certain & fits.any(axis=0), fits.argmax(axis=0) if len(pairs) else 0, -1)
    explained = fits.any(axis=0) | own | (open_ & (len(pairs) == 0))
    return PublicGoodsFit(pairs, which.astype(np.int64), np.asarray(explained, dtype=bool))


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values to nine significant digits, to undo the rounding of sums."""
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(values > 0, 10.0 ** (_DIGITS - 1 - np.floor(np.log10(values))), np.nan)
        return np.asarray(np.round(values * size) / size)
