"""Estimates with errors and intervals: from the information, a bootstrap, or the bounds of a ridge.

Errors of estimates from the observed information.

The shares sum to one, so the information is taken along that plane: with T a basis of it, the covariance is
T (T' I T)^-1 T', which gives every share its error at once. Estimates on their boundary are held there. With
clusters the covariance is the sandwich T A^-1 (sum_c s_c s_c') A^-1 T' of the clusters' scores s_c; those
of clusters that are alike are counted.

Bootstrap over subjects or clusters: many resamples are one batch of weights on the distinct subjects.

Clusters that are alike are drawn together, by a multinomial over their kinds: the number of clusters costs
nothing.

From an optimum to what is said of one group.

What the settings of intervals may be, said as the command line says it.

References
----------
Louis 1982, JRSS B 44:226; White 1982, Econometrica 50:1 (sandwich); Liang & Zeger 1986, Biometrika 73:13
(clusters).
Efron & Tibshirani 1993, An Introduction to the Bootstrap; Cameron, Gelbach & Miller 2008, Review of Economics
and Statistics 90:414 (pairs cluster bootstrap).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.workers import SERIAL, Workers
from intent.estimate.mixture import (
    HIGHEST,
    Estimate,
    Layout,
    Mixture,
    MixtureFit,
    Optimum,
    Parameters,
    TrembleKind,
    gradient_bound,
    maximise,
)
from intent.estimate.population import Kinds, Sample

__all__ = [
    "BATCH",
    "NO_TREMBLE",
    "PIECE",
    "TOLERANCE",
    "ZERO",
    "Covariance",
    "bootstrap",
    "check_bootstrap",
    "check_level",
    "cluster_scores",
    "covariance",
    "describe",
    "drawn_weights",
    "resampled_weights",
    "ridges",
    "share_estimates",
    "tremble_estimates",
]


NO_TREMBLE = float(np.log(1e-8))
"""Log-odds of the smallest tremble that is told from none."""
ZERO = 1e-9
"""Shares smaller than this are zero."""


@dataclass(frozen=True, eq=False)
class Covariance:
    """Covariance of all parameters, shares block by block, then the log-odds of the trembles.

    Attributes
    ----------
    matrix : (P, P)
    interior : (P,) bool, neither on the boundary nor without moves to learn from
    known : (P,) bool, interior and told apart by the data
    """

    matrix: Floats
    interior: NDArray[np.bool_]
    known: NDArray[np.bool_]


def covariance(
    optimum: Optimum, scores: Floats | None = None, number: NDArray[np.int64] | None = None
) -> Covariance:
    """Covariance of the estimates at an optimum (the first of its batch).

    Parameters
    ----------
    optimum : Optimum
    scores : (C, P) or None
        Sum of the scores of each cluster, for the sandwich.
    number : (C,), optional
        How many clusters each row stands for; default: one.
    """
    shares, log_odds = optimum.at.shares[0], optimum.at.log_odds[0]
    moves = optimum.slopes.moves[0]
    odds_inside = (
        (log_odds > NO_TREMBLE) & (log_odds < optimum.highest) & (moves > 1e-6 * max(moves.sum(), 1e-300))
    )
    inside = (shares > ZERO) & (shares < 1 - ZERO)
    interior = np.concatenate([inside.reshape(-1), odds_inside])
    basis = _basis(shares.shape, inside, odds_inside)
    reduced = basis.T @ optimum.slopes.information[0] @ basis
    diagonal = np.abs(np.diag(reduced))
    scale = 1 / np.sqrt(np.maximum(diagonal, max(1e-10 * diagonal.max(initial=0.0), 1e-300)))
    values, vectors = np.linalg.eigh(reduced * scale[:, None] * scale)
    good = values > 1e-8
    half = basis @ (scale[:, None] * vectors)
    null = np.abs(half[:, ~good]).max(axis=1, initial=0.0)
    known = interior & (null <= 1e-6 * max(1e-300, np.abs(half).max(initial=0.0)))
    inverse = (half[:, good] / values[good]) @ half[:, good].T
    if scores is None:
        return Covariance(inverse, interior, known)
    number = np.ones(len(scores), dtype=np.int64) if number is None else number
    n_clusters = int(number.sum())
    if n_clusters < 2:
        return Covariance(inverse, interior, np.zeros_like(known))
    meat = (scores.T * number) @ scores * (n_clusters / max(n_clusters - 1, 1))
    return Covariance(inverse @ meat @ inverse, interior, known)


def ridges(shares_slope: Floats, information: Floats, total: float) -> list[tuple[int, ...]]:
    """Groups of strategies between which shares can be moved without changing the likelihood.

    A direction v with sum_k v_k P_ki = 0 for every subject i is a null vector of sum_i r_i r_i'; only
    strategies that the data do not exclude (mean_i r_ik = 1) take part.

    Parameters
    ----------
    shares_slope : (K,) sum_i r_ik
    information : (K, K) sum_i r_i r_i'
    total : float, number of subjects
    """
    able = np.flatnonzero(shares_slope >= total * (1 - 1e-6))
    values, vectors = np.linalg.eigh(information[np.ix_(able, able)] / total)
    null = vectors[:, values <= 1e-10 * max(values.max(initial=0.0), 1.0)]
    linked = np.abs(null @ null.T) > 1e-6
    left = {int(i) for i in np.flatnonzero(np.diag(linked))}
    parts = []
    while left:
        part, edge = set(), {min(left)}
        while edge:
            part |= edge
            edge = {int(j) for i in edge for j in np.flatnonzero(linked[i])} - part
        left -= part
        parts.append(tuple(int(able[i]) for i in sorted(part)))
    return parts


def _basis(shape: tuple[int, int], inside: NDArray[np.bool_], odds_inside: NDArray[np.bool_]) -> Floats:
    """(P, R) columns along which interior parameters can move: shares of a block by sums of zero."""
    a, k = shape
    size = a * k + len(odds_inside)
    columns = []
    for block in range(a):
        free = np.flatnonzero(inside[block]) + block * k
        for i in range(1, len(free)):
            column = np.zeros(size)
            column[free[:i]] = 1 / np.sqrt(i * (i + 1))
            column[free[i]] = -i / np.sqrt(i * (i + 1))
            columns.append(column)
    for j in np.flatnonzero(odds_inside):
        column = np.zeros(size)
        column[a * k + j] = 1.0
        columns.append(column)
    return np.stack(columns, axis=1) if columns else np.zeros((size, 0))


Floats = NDArray[np.float64]


def share_estimates(
    shares: Floats,
    errors: Covariance,
    first: int,
    ridge: Sequence[Sequence[int]],
    draws: Floats | None,
    n_units: int,
    level: float,
) -> tuple[Estimate, ...]:
    """The shares of one group.

    Intervals from the information are symmetric in the log-odds of the share, so they stay within (0, 1);
    within z standard errors of 0 or 1, where log-odds are far from normal, in the share, cut off there.
    Where every resample gives the same share of 0 or 1, the end is that of the exact binomial interval.
    A share on a ridge can be anything from 0 to the upper end of the ridge's total.

    Parameters
    ----------
    shares : (K,)
    errors : Covariance
    first : int, place of the first share in it
    ridge : groups of indices that are not told apart
    draws : (samples, K) or None
    n_units : int, subjects or clusters
    level : float in (0, 1)
    """
    estimates = []
    for k, share in enumerate(shares):
        among = next((part for part in ridge if k in part), None)
        place = first + k
        if among is not None:
            members = np.array(among)
            total = float(min(shares[members].sum(), 1.0))
            if draws is not None:
                high = _percentile(total, draws[:, members].sum(axis=1), n_units, level).high
            else:
                v = np.zeros(len(errors.matrix))
                v[first + members] = 1.0
                high = _by_information(total, float(v @ errors.matrix @ v), level).high
            estimates.append(Estimate(float(share), None, 0.0, 1.0 if np.isnan(high) else high, "none"))
        elif draws is not None and len(shares) > 1:
            estimates.append(_percentile(float(share), draws[:, k], n_units, level))
        elif errors.known[place]:
            estimates.append(_by_information(float(share), float(errors.matrix[place, place]), level))
        else:
            estimates.append(Estimate(float(share), None, np.nan, np.nan, "none"))
    return tuple(estimates)


def tremble_estimates(
    log_odds: Floats,
    seen: NDArray[np.bool_],
    errors: Covariance,
    first: int,
    draws: Floats | None,
    n_units: int,
    level: float,
) -> tuple[Estimate, ...]:
    """The trembles, at most .5; intervals from the information are symmetric in their log-odds.

    Parameters
    ----------
    log_odds : (J,)
    seen : (J,) bool, whether the tremble governs any move
    errors, first, n_units, level
        As `share_estimates`.
    draws : (samples, J) or None
    """
    estimates = []
    z = NormalDist().inv_cdf(0.5 + level / 2)
    for j, odds in enumerate(log_odds):
        b = 0.0 if odds <= NO_TREMBLE else _expit(odds)
        if not seen[j]:
            estimates.append(Estimate(np.nan, None, np.nan, np.nan, "none"))
        elif draws is not None:
            drawn = draws[:, j][np.isfinite(draws[:, j])]
            whole = _percentile(b, np.where(drawn < 1e-8, 0.0, drawn), n_units, level)
            estimates.append(replace(whole, high=min(whole.high, 0.5)))
        elif errors.known[first + j]:
            se = float(np.sqrt(max(errors.matrix[first + j, first + j], 0.0)))
            low, high = (_expit(min(odds + side * z * se, HIGHEST)) for side in (-1, 1))
            estimates.append(Estimate(b, b * (1 - b) * se, low, high, "information"))
        else:
            estimates.append(Estimate(b, None, np.nan, np.nan, "none"))
    return tuple(estimates)


def _by_information(share: float, variance: float, level: float) -> Estimate:
    if not ZERO < share < 1 - ZERO or not variance > 0:
        return Estimate(share, None, np.nan, np.nan, "none")
    z = NormalDist().inv_cdf(0.5 + level / 2)
    se = float(np.sqrt(variance))
    if not z * se < min(share, 1 - share):
        return Estimate(share, se, max(share - z * se, 0.0), min(share + z * se, 1.0), "information")
    odds, reach = np.log(share / (1 - share)), z * se / (share * (1 - share))
    return Estimate(share, se, _expit(odds - reach), _expit(odds + reach), "information")


def _percentile(estimate: float, drawn: Floats, n_units: int, level: float) -> Estimate:
    tail = (1 - level) / 2
    if len(drawn) < 2 or n_units < 2:
        return Estimate(estimate, None, np.nan, np.nan, "none")
    low, high = (float(v) for v in np.quantile(drawn, [tail, 1 - tail], method="weibull"))
    low, high = min(low, estimate), max(high, estimate)
    reach = 1 - tail ** (1 / n_units)
    if estimate <= ZERO:
        high = max(high, reach)
    if estimate >= 1 - ZERO:
        low = min(low, 1 - reach)
    se = float(drawn.std(ddof=1))
    return Estimate(estimate, se if se > ZERO else None, low, high, "bootstrap")


def _expit(odds: float) -> float:
    return float(np.exp(odds) / (1 + np.exp(odds)) if odds < 0 else 1 / (1 + np.exp(-odds)))


BATCH = 1 << 19
"""Numbers per array of weights that are drawn together."""

PIECE = 1 << 16
"""Numbers per array of fits that a worker makes together. They do not depend on the number of workers, since
the last digits of a fit may depend on what it is fitted with."""


def resampled_weights(
    pattern: NDArray[np.intp],
    clusters: NDArray[np.intp] | None,
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """How often each distinct subject is drawn in each resample, (size, n_patterns), clusters one by one.

    Parameters
    ----------
    pattern : (n,) which distinct subject each subject is
    clusters : (n,) int in 0 .. C - 1, or None to draw subjects
    size : int, number of resamples
    rng : Generator
    """
    number = np.bincount(pattern)
    if clusters is None:
        return rng.multinomial(len(pattern), number / len(pattern), size=size).astype(float)
    n_clusters = int(clusters.max()) + 1
    drawn = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), size=size)
    order = np.argsort(pattern, kind="stable")
    first = np.concatenate([[0], np.cumsum(number)[:-1]])
    weights: Floats = np.add.reduceat(drawn[:, clusters[order]].astype(float), first, axis=1)
    return weights


def drawn_weights(kinds: Kinds, n_patterns: int, size: int, rng: np.random.Generator) -> Floats:
    """How often each pattern is drawn in each resample, (size, n_patterns).

    C clusters drawn with replacement are a multinomial over the kinds with chances n_d / C.

    Parameters
    ----------
    kinds : Kinds of the clusters of one group
    n_patterns : int
    size : int, number of resamples
    rng : Generator
    """
    drawn = rng.multinomial(kinds.n_clusters, kinds.number / kinds.n_clusters, size=size)
    order = np.argsort(kinds.pattern, kind="stable")
    number = np.bincount(kinds.pattern, minlength=n_patterns)
    first = np.cumsum(number) - number
    each = (drawn[:, kinds.owner[order]] * kinds.times[order]).astype(float)
    weights: Floats = np.add.reduceat(each, first, axis=1)
    return weights


def bootstrap(
    mixture: Mixture,
    kinds: Sequence[Kinds],
    at: Parameters,
    samples: int,
    rng: np.random.Generator,
    update: Callable[[int], None] = lambda done: None,
    workers: Workers = SERIAL,
) -> tuple[Floats, Floats]:
    """Estimates of resampled data: shares (samples, A, K) and trembles (samples, J), NaN where undefined.

    Groups are resampled apart, each at its size. Every fit starts near the estimate, with all shares
    positive.

    Parameters
    ----------
    mixture : Mixture of distinct subjects
    kinds : Kinds of the clusters of each group
    at : Parameters, the estimate
    samples : int
    rng : Generator
    update : called with the number of resamples done
    workers : Workers, which fit; what is drawn is drawn here
    """
    k = mixture.n_strategies
    size = k * sum(map(len, mixture.groups))
    most = max(size, *(len(own.pattern) for own in kinds))
    step = max(1, min(samples, BATCH // max(most, 1)))
    begin = 0.9 * at.shares + 0.1 / k
    odds = np.clip(at.log_odds, np.log(1e-3), np.log(0.45 / 0.55))
    piece = max(1, PIECE // max(size, 1))

    def pieces() -> Iterator[list[Floats]]:
        for done in range(0, samples, step):
            b = min(step, samples - done)
            drawn = [
                drawn_weights(own, len(counts), b, rng)
                for own, counts in zip(kinds, mixture.groups, strict=True)
            ]
            yield from ([weights[i : i + piece] for weights in drawn] for i in range(0, b, piece))

    shares, trembles = [], []
    done = 0
    for some, own in workers.map(partial(_refitted, mixture, begin, odds), pieces()):
        shares.append(some)
        trembles.append(own)
        update(done := done + len(some))
    return np.concatenate(shares), np.concatenate(trembles)


def _refitted(
    mixture: Mixture, begin: Floats, odds: Floats, weights: Sequence[Floats]
) -> tuple[Floats, Floats]:
    """Shares (b, A, K) and trembles (b, J) of b resamples, NaN where no move tells a tremble."""
    b = len(weights[0])
    start = Parameters(np.repeat(begin, b, axis=0), np.repeat(odds, b, axis=0))
    optimum = maximise(mixture, weights, start, tol=1e-7)
    moves = optimum.slopes.moves
    seen = moves > 1e-6 * moves.sum(axis=1, keepdims=True)
    return optimum.at.shares, np.where(seen, 1 / (1 + np.exp(-optimum.at.log_odds)), np.nan)


TOLERANCE = 1e-9
"""Gradient per subject at which a fit has converged."""


def describe(
    names: tuple[str, ...],
    samples: Sequence[Sample],
    place: int,
    layout: Layout,
    optimum: Optimum,
    errors: Covariance,
    draws: tuple[Floats, Floats] | None,
    level: float,
    tremble: TrembleKind,
) -> MixtureFit:
    """The fit of one group of those that were fitted together, without posteriors of its subjects."""
    sample, k = samples[place], len(names)
    own_layout = Layout(np.zeros(1, dtype=np.intp), _renumbered(layout.tremble[place]))
    used = np.unique(layout.tremble[place])
    at = Parameters(optimum.at.shares[:, layout.block[[place]]], optimum.at.log_odds[:, used])
    mixture = Mixture([sample.counts], own_layout)
    slopes = mixture.slopes(at, [sample.number[None, :]])
    n = sample.n_subjects
    ridge = ridges(slopes.shares[0, 0], slopes.information[0, :k, :k], n)
    shares = np.where(at.shares[0, 0] > ZERO, at.shares[0, 0], 0.0)
    first = int(layout.block[place]) * k
    blocks = layout.n_blocks * k
    moves = optimum.slopes.moves[0]
    n_units = sum(s.n_units for s in samples)
    can_show = [
        any(
            (sample.counts.p[sample.counts.columns(int(s))] != 0.5).any()
            for s in np.flatnonzero(own_layout.tremble[0] == j)
        )
        for j in range(len(used))
    ]
    best, match = _best(sample)
    return MixtureFit(
        names=names,
        shares=share_estimates(
            shares,
            errors,
            first,
            ridge,
            None if draws is None else draws[0][:, layout.block[place]],
            sample.n_units,
            level,
        ),
        tremble=tremble_estimates(
            at.log_odds[0],
            moves[used] > 1e-6 * moves.sum(),
            errors,
            blocks + int(used[0]),
            None if draws is None else draws[1][:, used],
            n_units,
            level,
        ),
        tremble_kind=tremble,
        n_subjects=n,
        n_choices=int(sample.counts.choices @ sample.number),
        log_likelihood=float(slopes.value[0]),
        n_parameters=k - 1 + sum(can_show),
        gradient=float(gradient_bound(at, slopes, np.full((1, 1), float(n)))[0][0]),
        iterations=int(optimum.iterations[0]),
        converged=bool(optimum.gradient[0] <= TOLERANCE),
        posterior=None,
        subjects=None,
        ridge=tuple(tuple(names[i] for i in part) for part in ridge),
        best=names[best],
        match=match,
        n_units=sample.n_units,
        patterns=mixture.posterior(0, at),
        weights=sample.number,
    )


def _renumbered(tremble: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.unique(tremble, return_inverse=True)[1].reshape(1, -1)


def _best(sample: Sample) -> tuple[int, float]:
    """The strategy whose likelier moves agree with most choices (half of those that it leaves open)."""
    counts = sample.counts
    total = sample.number @ counts.moves
    agree = np.select([counts.p > 0.5, counts.p == 0.5], [1.0, 0.5], 0.0) * total
    match = [
        float(agree[counts.columns(k)].sum() / max(total[counts.columns(k)].sum(), 1e-300))
        for k in range(counts.n_strategies)
    ]
    best = int(np.argmax(match))
    return best, match[best]


def cluster_scores(
    samples: Sequence[Sample], layout: Layout, at: Parameters
) -> tuple[Floats, NDArray[np.int64]]:
    """Sum of the scores of each kind of cluster, (C, A K + J), and how many are of the kind (C,).

    Clusters of different groups are different.
    """
    mixture = Mixture([s.counts for s in samples], layout)
    parts = []
    for g, sample in enumerate(samples):
        kinds = sample.kinds
        each = mixture.scores(g, at)[kinds.pattern] * kinds.times[:, None]
        parts.append(np.add.reduceat(each, kinds.start[:-1], axis=0))
    return np.concatenate(parts), np.concatenate([sample.kinds.number for sample in samples])


def check_level(level: float) -> None:
    """Refuse a coverage that is none.

    Raises
    ------
    UsageError
    """
    if not 0 < level < 1:
        raise UsageError(f"--level {level:g}, expected between 0 and 1, such as 0.95")


def check_bootstrap(samples: int) -> None:
    """Refuse a bootstrap without samples.

    Raises
    ------
    UsageError
    """
    if samples < 1:
        raise UsageError(f"--bootstrap {samples}, expected at least 1")
