"""A finite mixture of types of contributors, fitted by EM to the contributions of many subjects.

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
Dempster, Laird & Rubin 1977, JRSS B 39:1 (EM); Bardsley & Moffatt 2007, Theory and Decision 62:161 (types of
contributors as a mixture); Fudenberg, Rand & Dreber 2012, AER 102:720 (the same for repeated games).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import DataError
from intent.estimate.contributor_rules import TYPES
from intent.estimate.mixture import ridges

__all__ = [
    "ContributorFit",
    "error_of",
    "fit_contributors",
    "most_error",
    "resampled_shares",
    "response_log_probabilities",
    "responses",
]


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


Floats = NDArray[np.float64]

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
