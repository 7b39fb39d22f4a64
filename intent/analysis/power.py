"""How likely a difference between two groups is to be found, and how many games that takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.errors import UsageError

__all__ = ["MOST_GAMES", "Curve", "Played", "Search", "games_needed", "mean_power", "search", "shifted"]

MOST_GAMES = 10_000_000
"""Games per group beyond which none are said to be enough."""

Floats = NDArray[np.float64]


def shifted(shares: Floats, which: int, difference: float) -> Floats:
    """Shares with one of them larger by `difference`, the others smaller in proportion.

    Raises
    ------
    UsageError
        A share would leave [0, 1].
    """
    own = float(shares[which]) + difference
    if not 0 <= own <= 1 or (shares[which] >= 1 and difference != 0):
        raise UsageError(
            f"a difference of {difference:g} from a share of {shares[which]:g}, "
            "expected shares within 0 and 1"
        )
    others = shares * (1 - own) / (1 - shares[which]) if shares[which] < 1 else shares.copy()
    others[which] = own
    return np.asarray(others)


def mean_power(difference: float, sd: float, rows: float, deff: float = 1.0, alpha: float = 0.05) -> float:
    """Power of the two-sided test of two means, normal approximation.

    With d = |difference| / (sd (2 deff / rows)^1/2): P(|Z + d| > z).

    Parameters
    ----------
    difference, sd : float
    rows : float
        Per group.
    deff : float, at least 1
        Kish's design effect.
    alpha : float in (0, 1)
    """
    from scipy.special import ndtr, ndtri

    d, z = abs(difference) / (sd * math.sqrt(2 * deff / rows)), float(ndtri(1 - alpha / 2))
    return float(ndtr(d - z) + ndtr(-d - z))


def games_needed(power: Callable[[float], float], target: float) -> int | None:
    """The fewest games per group whose power reaches the target; None beyond `MOST_GAMES`.

    Parameters
    ----------
    power : callable
        Games -> power, never falling.
    target : float in (0, 1)
    """
    if power(MOST_GAMES) < target:
        return None
    low, high = 1, MOST_GAMES
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= target else (middle + 1, high)
    return low


@dataclass(frozen=True)
class Played:
    """Studies of one size: so many games per group, so many studies, and those of them that rejected."""

    games: int
    studies: int
    rejected: int

    @property
    def power(self) -> float:
        """Share of the studies."""
        return self.rejected / self.studies

    @property
    def se(self) -> float:
        """Its Monte Carlo standard error, of a share that is not quite 0 or 1."""
        near = (self.rejected + 2) / (self.studies + 4)
        return float(np.sqrt(near * (1 - near) / (self.studies + 4)))


@dataclass(frozen=True)
class Curve:
    """Power of a test of level alpha whose statistic is noncentral chi-square: lambda = per_game x games.

    Parameters
    ----------
    alpha : float
    df : float, not a whole number: shares near zero cost less than one each
    per_game : float
    """

    alpha: float
    df: float
    per_game: float

    def power(self, games: Any) -> Any:
        """Of studies of so many games per group."""
        from scipy.special import chdtri, chndtr

        return 1 - chndtr(chdtri(self.df, self.alpha), self.df, np.asarray(games) * self.per_game)

    def games(self, target: float) -> float:
        """Games per group for that power."""
        from scipy.special import chdtri, chndtrinc

        reach = float(chndtrinc(chdtri(self.df, self.alpha), self.df, 1 - target))
        return reach / self.per_game

    @classmethod
    def fitted(cls, played: Sequence[Played], alpha: float) -> Curve:
        """The curve by maximum likelihood."""
        from scipy.optimize import minimize

        games = np.array([p.games for p in played], dtype=float)
        yes = np.array([p.rejected for p in played], dtype=float)
        no = np.array([p.studies for p in played]) - yes

        def deviance(at: Floats) -> float:
            power = np.clip(cls(alpha, *np.exp(at)).power(games), 1e-6, 1 - 1e-6)
            return -float((yes * np.log(power) + no * np.log1p(-power)).sum())

        ends = [(0.0, math.log(_MOST_DF)), (-25.0, 5.0)]
        middle = math.log(10 / float(np.average(games, weights=yes + no)))
        begins = [np.array([math.log(4.0), middle + more]) for more in (-1.5, 0.0, 1.5)]
        optima = [minimize(deviance, at, method="L-BFGS-B", bounds=ends) for at in begins]
        best = min(optima, key=lambda one: float(one.fun))
        return cls(alpha, *map(float, np.exp(best.x)))


@dataclass(frozen=True)
class Search:
    """What was played on the way to the numbers of games, and what came of it.

    Parameters
    ----------
    curve : Curve
    needed : tuple of int or None, games per group for each target
    checked : Played or None, studies of the number for the first target, played once that was fixed
    played : tuple of Played, all of them
    """

    curve: Curve
    needed: tuple[int | None, ...]
    checked: Played | None
    played: tuple[Played, ...]


_FIRST, _MOST_DF, _CHECKS = 32, 30.0, 4

_NEAR, _TOLERANCE = 0.02, 0.03
"""A number is recommended whose power is so near to its target: by all that was played, and by its check."""


def search(
    play: Callable[[int, int], int],
    targets: Sequence[float],
    *,
    whole: Callable[[float], int],
    fewest: int = 8,
    most: int = 20_000,
    check: int = 200,
    alpha: float = 0.05,
) -> Search:
    """The fewest games per group that reach each power, by playing studies.

    1. Few studies of few games, of twice as many, ... until most of them reject.
    2. A curve through all of them (`Curve`); more studies where it reaches the targets; and again.
    3. `check` new studies of the number for the first target; where they, or all studies together, say that
       its power is off, the number is moved and checked again.

    Parameters
    ----------
    play : callable
        Games per group and studies -> studies that reject.
    targets : sequence of float in (0, 1)
    whole : callable
        The least number of games of which the design can be made, no less than so many.
    fewest, most : int, games per group
    check : int, studies
    alpha : float, level of the test
    """
    played: list[Played] = []

    def add(games: int, studies: int) -> Played:
        played.append(Played(games, studies, play(games, studies)))
        return played[-1]

    def needed(target: float) -> int:
        return whole(min(max(Curve.fitted(played, alpha).games(target), fewest), 2 * most))

    n = whole(max(fewest, _FIRST))
    while add(n, 16).power < max(0.75, *(t - 0.1 for t in targets)) and n < most:
        n = whole(min(2 * n, most))
    first, *others = targets
    for target, studies in ((first, 60), *((t, 40) for t in others), (first, 80)):
        if needed(target) <= most:
            add(needed(target), studies)
    checked, n = None, needed(first)
    for _ in range(_CHECKS if n <= most else 0):
        checked = add(n, check)
        better = needed(first)
        off = abs(float(Curve.fitted(played, alpha).power(n)) - first)
        alone = abs(checked.power - first)
        if better == n or better > most or (off <= _NEAR and alone <= _TOLERANCE):
            break
        n = better
    numbers = [needed(t) for t in targets]
    if checked is not None:
        numbers[0] = checked.games
        numbers = [max(a, numbers[0]) if t > first else a for a, t in zip(numbers, targets, strict=True)]
    within = tuple(a if a <= most else None for a in numbers)
    return Search(Curve.fitted(played, alpha), within, checked, tuple(played))
