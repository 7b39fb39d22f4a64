"""Types of contributors to a public good: how a subject's contribution answers those of the others.

The rules of the literature for types of contributors, read from play instead of a table of intentions.

A subject's contribution y is set beside the others' mean contribution x. With r the correlation:

1. free rider: y = 0 in all rounds;
2. unconditional cooperator: y > 0 and the same in all rounds;
3. conditional cooperator: r at least .5, and more than chance would give;
4. hump-shaped ("triangle"): such a rise up to a peak, and such a fall beyond it;
5. other: none of these.

The tables of the strategy method show the answer to every x. Play shows it where the others went, so a type
is named only where another one would have looked different.

Whether contributions rise with those of the others, or rise and then fall, with permutation p values.

Under the null hypothesis a subject's contributions have nothing to do with those of the others, so that any
order of them is as likely (Pitman 1937). All orders are tried where there are at most 5,040, else some are
drawn, and the observed one counts among them (Phipson & Smyth 2010, Statistical Applications in Genetics and
Molecular Biology 9:39).

References
----------
Fischbacher, Gächter & Fehr 2001, Economics Letters 71:397 (types; rank correlation significant at 1 %);
Fischbacher & Gächter 2010, AER 100:541; Thöni & Volk 2018, Economics Letters 171:37 (refined: Pearson's
correlation of at least .5, unconditional cooperators apart).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.estimate.requests import ContributorsRequest

__all__ = [
    "STATUSES",
    "TYPES",
    "Association",
    "Rules",
    "Verdict",
    "associate",
    "classify",
    "correlation",
    "ranks",
]


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
    averaged: Floats = (last - (counts - 1) / 2)[inverse.reshape(-1)]
    return averaged


def associate(x: Floats, y: Floats, permutations: int, rng: np.random.Generator) -> Association:
    """Correlation and hump of n pairs.

    Parameters
    ----------
    x : (n,) mean contribution of the others
    y : (n,) own contribution; ranks of both give Spearman's version
    permutations : int, orders drawn where they are not all tried
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
    sides = []
    for peak in inner:
        left, right = np.flatnonzero(x <= peak), np.flatnonzero(x >= peak)
        if min(len(left), len(right)) >= _SIDE:
            sides.append((float(peak), left, right))
    return sides


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
    r: Floats = np.where(spread > 1e-12, dy @ dx / np.maximum(spread, 1e-12), 0.0)
    return r


def _varies(x: Floats) -> bool:
    return bool(len(x) and np.ptp(x) > _TIE)


Floats = NDArray[np.float64]

TYPES = ("free_rider", "unconditional", "conditional", "hump_shaped", "other")
"""Types of contributors, in the order of tables."""

STATUSES = ("too_short", "constant_others", "ambiguous", "identified")
"""In the order in which they are tested."""

_ZERO = 1e-9


@dataclass(frozen=True)
class Rules:
    """Thresholds of the rules.

    Parameters
    ----------
    min_rounds : int
        Pairs of y and x below which nothing is said.
    correlation : {"pearson", "spearman"}
    strength : float in (0, 1]
        Correlation from which on contributions are conditional.
    alpha : float in (0, 1)
        Level of the permutation tests.
    tolerance : float in [0, .5)
        Share of rounds in which a free rider or unconditional cooperator may do otherwise; 0 in the
        literature, whose tables have no slips.
    span : float in [0, 1]
        How far the others' mean must range, in shares of the endowment.
    gap : float in [0, 1]
        A flat player is told from one who matches the others by `contrast` rounds: own contributions that are
        further from the others' mean than this (and than half a step of what can be given), less slips.

    Raises
    ------
    UsageError
        A threshold out of its range.
    """

    min_rounds: int = ContributorsRequest.min_rounds
    correlation: str = ContributorsRequest.correlation
    strength: float = ContributorsRequest.strength
    alpha: float = ContributorsRequest.alpha
    tolerance: float = ContributorsRequest.tolerance
    span: float = ContributorsRequest.span
    gap: float = ContributorsRequest.gap
    contrast: int = ContributorsRequest.contrast
    permutations: int = ContributorsRequest.permutations

    def __post_init__(self) -> None:
        if self.correlation not in ("pearson", "spearman"):
            raise UsageError(f"correlation {self.correlation!r}, expected pearson or spearman")
        for name, low, high in _RANGES:
            value = getattr(self, name)
            if not low <= value <= high:
                raise UsageError(f"{name} is {value:g}, expected {low:g} to {high:g}")


_RANGES = (
    ("min_rounds", 3, 1e6),
    ("strength", 1e-6, 1),
    ("alpha", 1e-6, 1),
    ("tolerance", 0, 0.5),
    ("span", 0, 1),
    ("gap", 0, 1),
    ("contrast", 1, 1e6),
    ("permutations", 99, 1e6),
)


@dataclass(frozen=True)
class Verdict:
    """What is said of one subject, and from what.

    Attributes
    ----------
    type : one of `TYPES`, or None unless the status is ``identified``
    candidates : types that fit as well as any
    status : one of `STATUSES`
    n_rounds : int, pairs
    mean : float, own mean contribution, as a share of the endowment
    zero_share : float, rounds without a contribution
    others_low, others_mean, others_high : float, of the others' mean
    p : float, of the correlation that the rules use
    slope : float, of the least-squares line of y on x
    trend : float, rank correlation of y with its order in time
    hump, hump_p, peak : float, as `Association`
    """

    type: str | None
    candidates: tuple[str, ...]
    status: str
    n_rounds: int
    mean: float
    zero_share: float
    others_low: float
    others_mean: float
    others_high: float
    pearson: float
    spearman: float
    p: float
    slope: float
    trend: float
    hump: float
    hump_p: float
    peak: float


def classify(x: Floats, y: Floats, units: int, rules: Rules, rng: np.random.Generator) -> Verdict:
    """The type of one subject.

    Parameters
    ----------
    x : (n,) others' mean contribution, as a share of the endowment
    y : (n,) own contribution in answer to it, in order of time
    units : int
        Contributions are multiples of 1 / units; 1: all or nothing.
    rng : Generator, for the permutations
    """
    n = len(y)
    nan = float("nan")
    association = Association(nan, nan, nan, nan, nan)
    enough = n >= rules.min_rounds
    if enough:
        ranked = rules.correlation == "spearman"
        association = associate(ranks(x) if ranked else x, ranks(y) if ranked else y, rules.permutations, rng)
    candidates, status = _verdict(x, y, units, rules, association) if enough else ((), "too_short")
    dx = x - x.mean() if n else x
    spread = float(dx @ dx)
    return Verdict(
        type=candidates[0] if status == "identified" else None,
        candidates=candidates,
        status=status,
        n_rounds=n,
        mean=float(y.mean()) if n else nan,
        zero_share=float((y <= _ZERO).mean()) if n else nan,
        others_low=float(x.min()) if n else nan,
        others_mean=float(x.mean()) if n else nan,
        others_high=float(x.max()) if n else nan,
        pearson=correlation(x, y),
        spearman=correlation(ranks(x), ranks(y)),
        p=association.p,
        slope=float(dx @ y) / spread if spread > _ZERO else nan,
        trend=correlation(np.arange(n, dtype=float), ranks(y)),
        hump=association.hump,
        hump_p=association.hump_p,
        peak=_value_of_rank(x, association.peak) if rules.correlation == "spearman" else association.peak,
    )


def _verdict(
    x: Floats, y: Floats, units: int, rules: Rules, association: Association
) -> tuple[tuple[str, ...], str]:
    """Types that fit, and the status."""
    flat = _flat(y, rules.tolerance)
    strong, sure = association.r >= rules.strength, association.p <= rules.alpha
    apart = flat is not None and not (strong and sure) and _apart(x, y, flat, units, rules)
    own = () if flat is None else ("free_rider" if flat <= _ZERO else "unconditional",)
    if np.ptp(x) < max(rules.span, _ZERO):
        return own if apart or not own else (*own, "conditional"), "constant_others"
    if own:
        return (own, "identified") if apart else ((*own, "conditional"), "ambiguous")
    humped = association.hump >= rules.strength and association.hump_p <= rules.alpha
    fits = (*(("conditional",) if strong and sure else ()), *(("hump_shaped",) if humped else ()))
    if len(fits) == 1:
        return fits, "identified"
    if fits:
        return fits, "ambiguous"
    # Large but no more than chance gives, or no chance but small: here the literature's rules part.
    return (("conditional", "other"), "ambiguous") if strong or sure else (("other",), "identified")


def _flat(y: Floats, tolerance: float) -> float | None:
    """The contribution of (nearly) all rounds: 0 first, else the most frequent; None where there is none."""
    allowed = tolerance * len(y) + _ZERO
    if (y > _ZERO).sum() <= allowed:
        return 0.0
    values, numbers = np.unique(np.round(y, 9), return_counts=True)
    top = int(numbers.argmax())
    return float(values[top]) if len(y) - numbers[top] <= allowed and values[top] > _ZERO else None


def _apart(x: Floats, y: Floats, level: float, units: int, rules: Rules) -> bool:
    """Whether to give what the others gave explains clearly fewer rounds than a flat contribution does."""
    gap = max(rules.gap, 0.5 / units) + _ZERO
    unlike_others = int((np.abs(y - x) > gap).sum())
    slips = int((np.abs(y - level) > _ZERO).sum())
    return unlike_others - slips >= rules.contrast


def _value_of_rank(x: Floats, rank: float) -> float:
    """The value whose (mean) rank this is."""
    if np.isnan(rank):
        return rank
    return float(x[int(np.abs(ranks(x) - rank).argmin())])
