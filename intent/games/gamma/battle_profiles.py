"""Profiles of shooting and missing in a cycle of duellists: chances to win, and profiles in which some mix.

`hit` (k, k) has in row i the chances to win of all k once i has hit its target; `q` (m, k) the probabilities
of each to hit in m profiles.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["advantage", "chances", "mixed_profile"]

_MIXED = 1e-9


def chances(q: Floats, hit: Floats) -> tuple[Floats, Floats]:
    """Chances to win (m, k, k), [profile, who is to shoot, who wins], and of any hit in a cycle (m,).

    Where nobody ever hits, nobody wins.
    """
    import numpy as np

    before = np.ones_like(q)
    np.cumprod(1 - q[:, :-1], axis=1, out=before[:, 1:])
    total = 1 - before[:, -1] * (1 - q[:, -1])
    wins = np.empty((*q.shape, q.shape[1]))
    wins[:, 0] = ((before * q) @ hit) / np.where(total > 0, total, 1)[:, None]
    following = wins[:, 0]
    for i in range(q.shape[1] - 1, 0, -1):
        following = q[:, i, None] * hit[i] + (1 - q[:, i, None]) * following
        wins[:, i] = following
    return wins, total


def advantage(q: Floats, hit: Floats) -> tuple[Floats, Floats]:
    """What each gains by a hit over a miss (m, k), and the chance of any hit in a cycle (m,)."""
    import numpy as np

    wins, total = chances(q, hit)
    places = np.arange(q.shape[1])
    return hit[places, places] - np.roll(wins, -1, axis=1)[:, places, places], total


def mixed_profile(p: Floats, hit: Floats) -> Floats | None:
    """Probabilities to shoot in an equilibrium with two or three players who mix, None without one.

    With i missing for sure, its advantage times the chance of any hit in a cycle is linear in the probability
    of every other to shoot: known at the pure profiles, it is known everywhere.

    Parameters
    ----------
    p : (k,) float
        Hit rates.
    hit : (k, k) float
    """
    import numpy as np

    k = len(p)
    codes = np.arange(2**k)
    profiles = ((codes[:, None] >> np.arange(k)) & 1).astype(float)
    g = np.empty((2**k, k))
    for i in range(k):
        q = profiles * p
        q[:, i] = 0
        gain, total = advantage(q, hit)
        g[:, i] = gain[:, i] * total
    for size, roots in ((2, _two), (3, _three)):
        for mixers in combinations(range(k), size):
            pure = codes[(codes & sum(1 << i for i in mixers)) == 0]
            with np.errstate(all="ignore"):
                found = roots(g, pure, mixers)
            for x in found:
                inside = ((x > 0) & (x < 1)).all(axis=1)
                tried = profiles[pure[inside]]
                tried[:, mixers] = x[inside]
                gain, _ = advantage(tried * p, hit)
                bound = np.where(
                    tried >= 1, gain >= -_MIXED, np.where(tried <= 0, gain <= _MIXED, abs(gain) <= _MIXED)
                )
                for row in np.flatnonzero(bound.all(axis=1)):
                    chosen: Floats = tried[row]
                    return chosen
    return None


def _two(g: Floats, pure: NDArray[np.intp], mixers: tuple[int, ...]) -> list[Floats]:
    """Where each of two is indifferent: roots of a line in the probability of the other."""
    import numpy as np

    i, j = mixers
    x = g[pure, j] / (g[pure, j] - g[pure | 1 << i, j])
    y = g[pure, i] / (g[pure, i] - g[pure | 1 << j, i])
    return [np.stack([x, y], axis=1)]


def _three(g: Floats, pure: NDArray[np.intp], mixers: tuple[int, ...]) -> list[Floats]:
    """Where each of three is indifferent: x and z follow from y, which solves a quadratic."""
    import numpy as np

    def bilinear(of: int, u: int, v: int) -> tuple[Floats, Floats, Floats, Floats]:
        f, fu, fv = g[pure, of], g[pure | 1 << u, of], g[pure | 1 << v, of]
        return f, fu - f, fv - f, g[pure | 1 << u | 1 << v, of] - fu - fv + f

    first, second, third = mixers
    a1, b1, c1, d1 = bilinear(first, second, third)
    a2, b2, c2, d2 = bilinear(second, first, third)
    a3, b3, c3, d3 = bilinear(third, first, second)
    q0 = a2 * b3 * c1 - b2 * a3 * c1 - c2 * a1 * b3 + d2 * a3 * a1
    q1 = (
        a2 * (b3 * d1 + d3 * c1)
        - b2 * (a3 * d1 + c3 * c1)
        - c2 * (a1 * d3 + b1 * b3)
        + d2 * (a3 * b1 + c3 * a1)
    )
    q2 = a2 * d3 * d1 - b2 * c3 * d1 - c2 * b1 * d3 + d2 * c3 * b1
    w = -0.5 * (q1 + np.copysign(np.sqrt(q1 * q1 - 4 * q2 * q0), q1))
    return [
        np.stack([-(a3 + c3 * y) / (b3 + d3 * y), y, -(a1 + b1 * y) / (c1 + d1 * y)], axis=1)
        for y in (w / q2, q0 / w)
    ]
