"""Whether contributions rise with those of the others, or rise and then fall, with permutation p values.

Under the null hypothesis a subject's contributions have nothing to do with those of the others, so that any
order of them is as likely (Pitman 1937). All orders are tried where there are at most 5,040, else some are
drawn, and the observed one counts among them (Phipson & Smyth 2010, Statistical Applications in Genetics and
Molecular Biology 9:39).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Association", "associate", "correlation", "ranks"]

Floats = NDArray[np.float64]

_EXACT = 7
"""Most pairs whose orders are all tried."""
_CELLS = 1 << 21
_PEAKS = 10
"""Most places at which a peak is looked for."""
_SIDE = 3
"""Fewest pairs on either side of a peak, itself included."""
_TIE = 1e-9


@dataclass(frozen=True)
class Association:
    """How y goes with x.

    Attributes
    ----------
    r : float, the correlation, NaN where x or y does not vary
    p : float, probability of at least this correlation if order were arbitrary (one-sided)
    hump : float, the smaller of rise up to the peak and fall beyond it (correlations), at the best peak
    hump_p : float, as `p`, the search for the peak being part of it; NaN where `hump` is not positive
    peak : float, where that peak is; NaN where neither side is long enough
    """

    r: float
    p: float
    hump: float
    hump_p: float
    peak: float


def correlation(x: Floats, y: Floats) -> float:
    """Pearson's correlation; NaN where either does not vary."""
    return float(_correlations(x, y[None])[0]) if _varies(x) and _varies(y) else float("nan")


def ranks(x: Floats) -> Floats:
    """Ranks, those of ties averaged (their Pearson correlation is Spearman's)."""
    _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    found: Floats = (last - (counts - 1) / 2)[inverse.reshape(-1)]
    return found


def associate(x: Floats, y: Floats, permutations: int, rng: np.random.Generator) -> Association:
    """Correlation and hump of n pairs.

    Parameters
    ----------
    x : (n,) mean contribution of the others
    y : (n,) own contribution; ranks of both give Spearman's version
    permutations : int, orders drawn where they are not all tried
    rng : Generator
    """
    if not (_varies(x) and _varies(y)):
        return Association(*[float("nan")] * 5)
    sides = _sides(x)
    r, (hump, peak) = float(_correlations(x, y[None])[0]), _hump(x, y[None], sides)
    humped = bool(sides) and hump[0] > 0
    reached = hump_reached = total = 0
    for order in _orders(len(x), permutations, rng):
        shuffled = y[order]
        reached += int((_correlations(x, shuffled) >= r - _TIE).sum())
        if humped:
            hump_reached += int((_hump(x, shuffled, sides)[0] >= hump[0] - _TIE).sum())
        total += len(order)
    exact = len(x) <= _EXACT
    p, hump_p = (n / total if exact else (n + 1) / (total + 1) for n in (reached, hump_reached))
    if not sides:
        return Association(r, p, float("nan"), float("nan"), float("nan"))
    return Association(
        r, p, float(hump[0]), hump_p if humped else float("nan"), float(sides[int(peak[0])][0])
    )


def _orders(n: int, permutations: int, rng: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    if n <= _EXACT:
        yield np.array(list(itertools.permutations(range(n))), dtype=np.intp)
        return
    step = max(1, _CELLS // n)
    for done in range(0, permutations, step):
        size = min(step, permutations - done)
        yield rng.permuted(np.tile(np.arange(n), (size, 1)), axis=1)


def _sides(x: Floats) -> list[tuple[float, NDArray[np.intp], NDArray[np.intp]]]:
    """Peaks that there can be: value, pairs up to it, pairs from it on."""
    inner = np.unique(x)[1:-1]
    if len(inner) > _PEAKS:
        inner = inner[np.unique(np.linspace(0, len(inner) - 1, _PEAKS).round().astype(int))]
    found = []
    for peak in inner:
        left, right = np.flatnonzero(x <= peak), np.flatnonzero(x >= peak)
        if min(len(left), len(right)) >= _SIDE:
            found.append((float(peak), left, right))
    return found


def _hump(
    x: Floats, ys: Floats, sides: list[tuple[float, NDArray[np.intp], NDArray[np.intp]]]
) -> tuple[Floats, NDArray[np.intp]]:
    """(b,) largest min(rise, fall) over the peaks, and which peak."""
    if not sides:
        return np.full(len(ys), np.nan), np.zeros(len(ys), dtype=np.intp)
    each = np.stack(
        [
            np.minimum(_correlations(x[left], ys[:, left]), -_correlations(x[right], ys[:, right]))
            for _, left, right in sides
        ]
    )
    return each.max(axis=0), each.argmax(axis=0)


def _correlations(x: Floats, ys: Floats) -> Floats:
    """(b,) correlations of x (n,) with rows of ys (b, n); 0 where a row does not vary."""
    dx = x - x.mean()
    dy = ys - ys.mean(axis=1, keepdims=True)
    spread = np.sqrt((dx @ dx) * (dy * dy).sum(axis=1))
    found: Floats = np.where(spread > 1e-12, dy @ dx / np.maximum(spread, 1e-12), 0.0)
    return found


def _varies(x: Floats) -> bool:
    return bool(len(x) and np.ptp(x) > _TIE)
