"""All Nash equilibria of a 2x2 game, mixed ones included."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from intent.errors import MissingExtraError
from intent.games.equilibria import pure_equilibria
from intent.games.matrix import MatrixGame

__all__ = ["MixedEquilibrium", "nash_equilibria"]

_DIGITS = 9
"""Decimals to which probabilities that differ only by rounding are the same."""

_Mixture = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True)
class MixedEquilibrium:
    """A pair of mixed strategies that are best replies to one another.

    Parameters
    ----------
    first : (float, float)
        Probability of each of the game's actions, of seat 1.
    second : (float, float), of seat 2
    """

    first: tuple[float, float]
    second: tuple[float, float]

    @property
    def is_pure(self) -> bool:
        """Whether both seats play one action for sure."""
        return {*self.first, *self.second} == {0.0, 1.0}


def nash_equilibria(game: MatrixGame) -> tuple[MixedEquilibrium, ...]:
    """The Nash equilibria in pure and mixed strategies, by enumeration of supports.

    A degenerate game, in which a player is indifferent against a pure strategy, may have infinitely many:
    then its pure equilibria are listed, and the mixed ones that the enumeration meets.

    Parameters
    ----------
    game : MatrixGame

    Returns
    -------
    tuple of MixedEquilibrium
        Pure ones first, in the order of the actions.

    Raises
    ------
    MissingExtraError
        nashpy is not installed.

    References
    ----------
    Nash 1951, Annals of Mathematics 54:286; Nisan et al. 2007, Algorithmic Game Theory, algorithm 3.4.
    """
    try:
        import nashpy
    except ImportError:
        raise MissingExtraError("nashpy", "games") from None

    utilities = np.asarray(game.utilities, dtype=float)
    size = float(np.abs(utilities).max()) or 1.0
    a, b = np.moveaxis(utilities / size, -1, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an even number of equilibria, as degenerate games have
        pairs = list(nashpy.Game(a, b).support_enumeration())
    found = {_equilibrium(game, x, y) for x, y in pairs if np.all(np.isfinite([x, y]))}
    return tuple(sorted(found, key=lambda e: (not e.is_pure, -e.first[0], -e.second[0])))


def _equilibrium(game: MatrixGame, x: _Mixture, y: _Mixture) -> MixedEquilibrium:
    """Rounded, unless that made pure actions that are no equilibrium of ones that mix a little."""
    rounded = MixedEquilibrium(_pair(x), _pair(y))
    played = tuple(game.actions[pair.index(1.0)] for pair in (rounded.first, rounded.second) if 1.0 in pair)
    if rounded.is_pure and played not in pure_equilibria(game):
        return MixedEquilibrium(*((float(pair[0]), float(pair[1])) for pair in (x, y)))
    return rounded


def _pair(values: _Mixture) -> tuple[float, float]:
    first, second = (round(float(value), _DIGITS) + 0.0 for value in values)
    return first, second
