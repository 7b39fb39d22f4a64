"""How likely a difference between two groups is to be found, and how many games that takes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from intent.errors import UsageError

__all__ = ["MOST_GAMES", "games_needed", "mean_power", "share_power", "shifted", "simulated_power"]

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


def share_power(first: Floats, second: Floats, rows: float, deff: float = 1.0, alpha: float = 0.05) -> float:
    """Power of chi-square for two groups of `rows` rows each, worth rows / deff independent ones.

    lambda = N w^2 with N = 2 rows / deff and w Cohen's; power = P(chi'^2(df, lambda) > critical value). An
    outcome costs a degree of freedom only if it occurs: df = sum_k [1 - (1 - p_k)^N] - 1, in the mean.

    Parameters
    ----------
    first, second : (k,) float, shares that sum to one
    rows : float
        Per group.
    deff : float, at least 1
        Kish's design effect.
    alpha : float in (0, 1)

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, §7.3; Rao & Scott (1981), JASA
    76:221 (division by the design effect).
    """
    from scipy.special import chdtri, chndtr

    mean, n = (first + second) / 2, 2 * rows / deff
    some = mean > 0
    if some.sum() < 2:
        return alpha
    df = max(1.0, float(-np.expm1(n * np.log1p(-mean[some])).sum()) - 1)
    w2 = float(((first - mean)[some] ** 2 / mean[some]).sum())
    return float(1 - chndtr(chdtri(df, alpha), df, n * w2))


def mean_power(difference: float, sd: float, rows: float, deff: float = 1.0, alpha: float = 0.05) -> float:
    """Power of the two-sided test of two means, normal approximation.

    With d = |difference| / (sd (2 deff / rows)^1/2): P(|Z + d| > z).

    Parameters
    ----------
    difference, sd : float
    rows, deff, alpha : as `share_power`
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


def simulated_power(
    first: Floats,
    second: Floats,
    games: int,
    seats: int,
    deff: float,
    *,
    alpha: float = 0.05,
    studies: int = 500,
    permutations: int = 199,
    rng: np.random.Generator,
) -> float:
    """Share of simulated studies in which the permutation of clusters finds the difference.

    Rows come in clusters of m, the least multiple of `seats` that is no less than deff. A row repeats the
    common outcome of its cluster with probability r, r^2 = (deff - 1) / (m - 1): two rows are then correlated
    by r^2, and the design effect is deff.

    Parameters
    ----------
    first, second : (k,) float
    games : int, per group
    seats : int
    deff : float
    alpha : float
    studies, permutations : int
    rng : Generator
    """
    from intent.analysis.hypothesis import chi_square
    from intent.analysis.permutation import permutation_p

    m = seats * max(1, math.ceil(deff / seats - 1e-9))
    clusters = max(2, round(games * seats / m))
    same = math.sqrt((deff - 1) / (m - 1)) if m > 1 else 0.0
    codes = np.repeat([0, 1], clusters * m)
    of = np.arange(2 * clusters).repeat(m)
    found = 0
    for _ in range(studies):
        play = np.concatenate([_drawn(p, clusters, m, same, rng) for p in (first, second)])
        weights = np.eye(len(first))[play]
        weights = weights[:, weights.any(axis=0)]
        if weights.shape[1] < 2:
            continue
        table = np.stack([weights[codes == g].sum(axis=0) for g in (0, 1)])
        p = permutation_p(float(chi_square(table)), weights, codes, of, chi_square, permutations, rng)
        found += p <= alpha
    return found / studies


def _drawn(p: Floats, clusters: int, m: int, same: float, rng: np.random.Generator) -> NDArray[np.intp]:
    common = rng.choice(len(p), size=(clusters, 1), p=p)
    own = rng.choice(len(p), size=(clusters, m), p=p)
    return np.where(rng.random((clusters, m)) < same, common, own).ravel()
