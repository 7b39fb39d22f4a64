"""How many permutations a p needs, and which stream of random numbers they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

__all__ = ["ALPHA", "MOST", "named_stream", "p_interval", "sequential_p"]

ALPHA = 0.05

MOST = 99_999
"""Permutations after which p is what it is."""

_FIRST = 999
_LEVEL = 0.99


def named_stream(seed: int, *names: str) -> np.random.Generator:
    """A generator that depends on the seed and on names alone, not on what was drawn before.

    Parameters
    ----------
    seed : int
    *names : factor and test

    Examples
    --------
    >>> named_stream(0, "model", "permutation").random() == named_stream(0, "model", "permutation").random()
    True
    """
    digest = sha256("\x1f".join(names).encode()).digest()
    return np.random.default_rng([seed, *np.frombuffer(digest[:16], dtype="<u4").tolist()])


def p_interval(reached: int, permutations: int, level: float = _LEVEL) -> tuple[float, float]:
    """Clopper and Pearson's interval of the p that all permutations would give.

    Parameters
    ----------
    reached : int
        Permutations whose statistic is at least the observed one.
    permutations : int
    level : float

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26:404.
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(reached, permutations - reached + 1, tail)) if reached else 0.0
    high = float(betaincinv(reached + 1, permutations - reached, 1 - tail)) if reached < permutations else 1.0
    return low, high


def sequential_p(
    observed: float,
    draws: Callable[[int], Iterator[NDArray[np.float64]]],
    *,
    alpha: float = ALPHA,
    permutations: int | None = None,
) -> tuple[float, int]:
    """p = (1 + number of statistics at least as large) / (1 + permutations), and how many were made.

    Without a number of them, 999 are made, and as many again as there are, until the 99 % interval of p
    (`p_interval`) lies on one side of alpha, or 99,999 are made.

    Parameters
    ----------
    observed : float, finite
    draws : callable
        A number of permutations -> their statistics, in chunks; large means unlike the null.
    alpha : float
    permutations : int, optional
        Exactly so many.

    References
    ----------
    Besag & Clifford (1991), Biometrika 78:301 (sequential p); Phipson & Smyth (2010), Statistical
    Applications in Genetics and Molecular Biology 9:39 (the 1 in numerator and denominator).
    """
    threshold = observed - 1e-9 * max(1.0, abs(observed))
    reached = done = 0
    size = _FIRST if permutations is None else permutations
    while size:
        reached += sum(int((statistics >= threshold).sum()) for statistics in draws(size))
        done += size
        low, high = p_interval(reached, done)
        if permutations is not None or not low <= alpha <= high:
            break
        size = min(done + 1, MOST - done)
    return (1 + reached) / (1 + done), done
