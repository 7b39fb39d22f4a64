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

A finite mixture of types of contributors, fitted by EM to the contributions of many subjects.

    log L = sum_i log sum_k phi_k P_ik
    P_ik = mean over the functions s of type k of prod_t P(y_it | mu_s(x_it), sigma)

At a given sigma the log-likelihood is concave in the shares phi, and EM climbs it (phi_k is the mean
posterior). Sigma maximises what that leaves: a grid, then a golden-section search, up to `most_error`.

Types as response functions with error: the probability of every contribution, given those of the others.

A type holds several functions mu(x), which share its weight equally: a free rider gives nothing, an
unconditional cooperator one of ten positive levels, a conditional one half, three quarters or all of what the
others gave, the hump-shaped one as much as the others up to a peak and less beyond it, and "other" anything.
Where all or nothing is given, a conditional cooperator contributes when at least k others do, and a
hump-shaped one when at least j and at most k do. A contribution of j out of M units then has probability

    P(j | x) proportional to exp(-(j / M - mu(x))^2 / (2 sigma^2)),    j = 0 .. M.

A fall that nobody could see is none: a hump-shaped function competes for a subject only where the others
went beyond its peak, since up to there it is that of a conditional cooperator. For M = 1 the probability is a
logit choice; the error, P(the other action), is 1 / (1 + exp(1 / (2 sigma^2))).

References
----------
Fischbacher, Gächter & Fehr 2001, Economics Letters 71:397 (types; rank correlation significant at 1 %);
Fischbacher & Gächter 2010, AER 100:541; Thöni & Volk 2018, Economics Letters 171:37 (refined: Pearson's
correlation of at least .5, unconditional cooperators apart);
Dempster, Laird & Rubin 1977, JRSS B 39:1 (EM); Bardsley & Moffatt 2007, Theory and Decision 62:161 (types of
contributors as a mixture); Fudenberg, Rand & Dreber 2012, AER 102:720 (the same for repeated games).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import DataError, UsageError
from intent.estimate.mixture import ridges
from intent.estimate.requests import ContributorsRequest

__all__ = [
    "STATUSES",
    "TYPES",
    "Association",
    "ContributorFit",
    "Rules",
    "Verdict",
    "associate",
    "classify",
    "correlation",
    "error_of",
    "fit_contributors",
    "most_error",
    "ranks",
    "resampled_shares",
    "response_log_probabilities",
    "responses",
]

_EXACT = 7
"""Most pairs whose orders are all tried."""
_CELLS = 1 << 21
_MOST_PEAKS = 10
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
    if len(inner) > _MOST_PEAKS:
        inner = inner[np.unique(np.linspace(0, len(inner) - 1, _MOST_PEAKS).round().astype(int))]
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


_LEVELS = np.arange(1, 11) / 10
_SLOPES = (0.5, 0.75, 1.0)
_PEAKS = (0.3, 0.4, 0.5, 0.6, 0.7)
_FALL = 0.1
"""Beyond a peak, of the endowment, where a fall shows."""
_MOST = 10
"""Others at most between whose numbers thresholds are told apart; more are parted in as many steps."""
_CLOSE = 1e-6


def responses(x: Floats, units: int, others: int) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Response functions at given contributions of the others.

    Parameters
    ----------
    x : (m,) mean contribution of the others
    units : int, M
    others : int, the largest number of others

    Returns
    -------
    types : (S,) index into `TYPES` of each function, ascending
    mu : (S, m) what it contributes; NaN of the one that contributes anything
    beyond : (S,) others' mean that must have been reached for it to compete; 0 of all but hump-shaped ones
    """
    rows: list[tuple[str, Floats]] = [("free_rider", np.zeros_like(x))]
    beyond: list[float] = []
    if units == 1:
        m = min(others, _MOST)
        at_least = [(x >= k / m - _CLOSE) for k in range(1, m + 1)]
        rows.append(("unconditional", np.ones_like(x)))
        rows += [("conditional", some.astype(float)) for some in at_least]
        for j in range(m - 1):
            rows += [("hump_shaped", (at_least[j] & ~more).astype(float)) for more in at_least[j + 1 :]]
            beyond += [k / m - _CLOSE for k in range(j + 2, m + 1)]
    else:
        rows += [("unconditional", np.full_like(x, level)) for level in _LEVELS]
        rows += [("conditional", slope * x) for slope in _SLOPES]
        rows += [("hump_shaped", np.clip(np.minimum(x, 2 * peak - x), 0, 1)) for peak in _PEAKS]
        beyond += [peak + _FALL for peak in _PEAKS]
    rows.append(("other", np.full_like(x, np.nan)))
    types = np.array([TYPES.index(name) for name, _ in rows])
    start = np.zeros(len(rows))
    start[types == TYPES.index("hump_shaped")] = beyond
    return types, np.stack([mu for _, mu in rows]), start


def response_log_probabilities(mu: Floats, units: int, sigma: float) -> Floats:
    """Log-probability of every contribution, (S, m, M + 1).

    Parameters
    ----------
    mu : (S, m), as `responses`
    units : int, M
    sigma : float > 0, as a share of the endowment
    """
    level = np.arange(units + 1) / units
    log = -((level - np.nan_to_num(mu)[:, :, None]) ** 2) / (2 * sigma**2)
    log[np.isnan(mu)] = 0.0
    top = log.max(axis=2, keepdims=True)
    normalised: Floats = log - top - np.log(np.exp(log - top).sum(axis=2, keepdims=True))
    return normalised


def most_error(units: int) -> float:
    """The largest sigma of a type: a quarter of the endowment, or one other action in four.

    Beyond it a free rider who errs would be as good a name for arbitrary contributions as "other".
    """
    return 0.25 if units > 1 else float((2 * np.log(3)) ** -0.5)


def error_of(sigma: float) -> float:
    """Probability of the other action where all or nothing is given."""
    return float(1 / (1 + np.exp(min(1 / (2 * sigma**2), 700.0))))


_FEWEST, _PLACES = 0.03, 16
_CHUNK = 1 << 18
_BATCH = 1 << 21
_ROUNDED = 1000
"""The others' mean is taken in steps of one thousandth of the endowment."""
_GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, eq=False)
class ContributorFit:
    """A fitted mixture.

    Attributes
    ----------
    types : K names, of `TYPES`; no hump where there are fewer than two others who give all or nothing
    shares : (K,)
    sigma : float, standard deviation of the error as a share of the endowment
    n_rounds : int, contributions
    by_type : (n, K) log-likelihood of each subject under each type
    posterior : (n, K)
    subjects : (n,) who they are, as given
    """

    types: tuple[str, ...]
    shares: Floats
    sigma: float
    log_likelihood: float
    n_rounds: int
    by_type: Floats
    posterior: Floats
    subjects: NDArray[np.intp]

    @property
    def ridge(self) -> tuple[tuple[str, ...], ...]:
        """Types between which shares can be moved without changing the likelihood."""
        ratio = np.exp(self.by_type - self.by_type.max(axis=1, keepdims=True))
        r = ratio / (ratio @ self.shares)[:, None]
        parts = ridges(r.sum(axis=0), r.T @ r, float(len(r)))
        return tuple(tuple(self.types[k] for k in part) for part in parts)

    @property
    def bic(self) -> float:
        """-2 log L + parameters log n, over n subjects; smaller is better."""
        return -2 * self.log_likelihood + len(self.types) * float(np.log(len(self.posterior)))


def fit_contributors(
    x: Floats, y: Floats, subject: NDArray[np.intp], units: int, others: int
) -> ContributorFit:
    """Shares of the types, and the error.

    Parameters
    ----------
    x : (m,) mean contribution of the others, as a share of the endowment
    y : (m,) own contribution in answer to it
    subject : (m,) int, who contributes
    units : int
        Contributions are multiples of 1 / units.
    others : int, the largest number of others

    Raises
    ------
    DataError
        No contribution.
    """
    if not len(y):
        raise DataError("no contribution in answer to others, expected at least one")
    values, at = np.unique(np.round(x * _ROUNDED) / _ROUNDED, return_inverse=True)
    values[-1] = max(values[-1], float(x.max()))
    level = np.round(y * units).astype(np.intp)
    cell = at.reshape(-1) * (units + 1) + level
    kind, mu, beyond = responses(values, units, others)
    subjects, place = np.unique(subject, return_inverse=True)
    place, n, used = place.reshape(-1), len(subjects), np.unique(kind)
    reached = np.zeros(n)
    np.maximum.at(reached, place, x)
    competes = reached[:, None] >= beyond

    def score(sigma: float) -> Floats:
        table = response_log_probabilities(mu, units, sigma).reshape(len(mu), -1)
        return _by_type(table, cell, place, competes, kind, used)

    def value(sigma: float) -> float:
        return _climb(score(sigma))[1]

    grid = np.geomspace(_FEWEST, most_error(units), _PLACES)
    best = int(np.argmax([value(float(s)) for s in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, _PLACES - 1)]
    sigma = _golden(value, float(low), float(high))
    by_type = score(sigma)
    shares, log_likelihood = _climb(by_type)
    posterior = shares * np.exp(by_type - by_type.max(axis=1, keepdims=True))
    posterior /= posterior.sum(axis=1, keepdims=True)
    names = tuple(TYPES[k] for k in used)
    return ContributorFit(names, shares, sigma, log_likelihood, len(y), by_type, posterior, subjects)


def resampled_shares(fit: ContributorFit, weights: Floats) -> Floats:
    """(B, K) shares of resampled subjects, the error held where it is.

    Parameters
    ----------
    weights : (B, n) how often each subject is drawn
    """
    ratio = np.exp(fit.by_type - fit.by_type.max(axis=1, keepdims=True))
    step = max(1, _BATCH // max(len(ratio), 1))
    parts = [_shares(ratio, weights[a : a + step], 300) for a in range(0, len(weights), step)]
    return np.concatenate(parts)


def _climb(by_type: Floats) -> tuple[Floats, float]:
    """Shares that maximise the log-likelihood, and its maximum."""
    top = by_type.max(axis=1, keepdims=True)
    ratio = np.exp(by_type - top)
    shares = _shares(ratio, np.ones((1, len(ratio))), 2000)[0]
    return shares, float((np.log(ratio @ shares) + top[:, 0]).sum())


def _shares(ratio: Floats, weights: Floats, most: int) -> Floats:
    """(B, K) EM from equal shares until no share moves by 1e-9."""
    shares = np.full((len(weights), ratio.shape[1]), 1 / ratio.shape[1])
    total = weights.sum(axis=1, keepdims=True)
    for _ in range(most):
        density = np.maximum(shares @ ratio.T, 1e-300)
        new = shares * ((weights / density) @ ratio) / total
        moved = float(np.abs(new - shares).max())
        shares = new
        if moved < 1e-9:
            break
    normalised: Floats = shares / shares.sum(axis=1, keepdims=True)
    return normalised


def _by_type(
    table: Floats,
    cell: NDArray[np.intp],
    subject: NDArray[np.intp],
    competes: NDArray[np.bool_],
    kind: NDArray[np.intp],
    used: NDArray[np.intp],
) -> Floats:
    """(n, K) log-likelihood of each subject's contributions, the competing functions of a type averaged."""
    n = len(competes)
    by_function = np.zeros((n, len(table)))
    for a in range(0, len(cell), _CHUNK):
        rows = slice(a, a + _CHUNK)
        for s, log in enumerate(table):
            by_function[:, s] += np.bincount(subject[rows], weights=log[cell[rows]], minlength=n)
    out = np.empty((n, len(used)))
    for i, k in enumerate(used):
        own = np.where(competes[:, kind == k], by_function[:, kind == k], -np.inf)
        top, number = own.max(axis=1), competes[:, kind == k].sum(axis=1)
        total = np.exp(own - np.where(number > 0, top, 0.0)[:, None]).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            out[:, i] = np.where(number > 0, top + np.log(total / number), -np.inf)
    return out


def _golden(value: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one hill between two places is highest."""
    a, b = low, high
    c, d = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
    fc, fd = value(c), value(d)
    for _ in range(18):
        if fc >= fd:
            b, d, fd = d, c, fc
            c = b - _GOLDEN * (b - a)
            fc = value(c)
        else:
            a, c, fc = c, d, fd
            d = a + _GOLDEN * (b - a)
            fd = value(d)
    return c if fc >= fd else d
