"""Shares of strategies in one or several groups of subjects, from their play: estimates, errors, intervals.

Errors are those of the observed information or of a bootstrap; on a ridge the ends are the bounds that the
data leave.

Backward selection: strategies leave one by one while a criterion improves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import DataError, StrategyError, UsageError
from intent.base.statistics import score_ends, student
from intent.estimate.counts import Counts, Play, Player, count_play
from intent.estimate.mixture import (
    HIGHEST,
    NO_TREMBLE,
    ZERO,
    Covariance,
    Layout,
    Method,
    Mixture,
    Optimum,
    Parameters,
    TrembleKind,
    climb,
    covariance,
    gradient_bound,
    layout_of,
    ridges,
    shares_of,
)
from intent.estimate.population import Population, Sample, Units, find_units, population_of, split
from intent.estimate.resampling import GroupTest, group_tests
from intent.estimate.resampling import bootstrap as resample
from intent.logs.gamelog import Trajectories
from intent.recognise.bayes import EmpiricalPrior
from intent.strategies.catalogue import Strategy

__all__ = [
    "SFEM_PRIOR",
    "TOLERANCE",
    "Counted",
    "Criterion",
    "Estimate",
    "GroupShares",
    "MixtureFit",
    "Selection",
    "SfemResult",
    "Step",
    "check_request",
    "describe",
    "estimate",
    "estimate_population",
    "fit_samples",
    "populated_by",
    "select",
    "select_population",
    "share_estimates",
    "with_subjects",
]

Floats = NDArray[np.float64]


def estimate_population(
    names: Sequence[str], population: Population, method: Method, codes: Sequence[Any] | None = None
) -> SfemResult:
    """Shares and trembles of a population whose play is counted; its fits know no subject by name.

    Parameters
    ----------
    names : K strategies, of which the play was counted
    codes : of the groups; default: 0 .. G - 1

    Raises
    ------
    DataError
        No own move.
    """
    if not population.counts.choices.any():
        raise DataError("the play has no own move that counts, expected at least one")
    n_groups = population.n_groups
    codes = range(n_groups) if codes is None else codes
    compared = method.test and n_groups > 1
    permutations = method.bootstrap if compared else 0
    total = 1 + permutations + method.bootstrap * (1 if method.tremble == "pooled" else n_groups)
    method.update(1, total)
    samples = split(population)
    fits = fit_samples(tuple(names), samples, method, lambda done: method.update(1 + done, total))
    tests: tuple[GroupTest, ...] = ()
    if compared:
        tests = group_tests(
            population,
            codes,
            samples,
            sum(fit.log_likelihood for fit in fits),
            method,
            lambda done: method.update(total - permutations + done, total),
        )
    method.update(total, total)
    return SfemResult(tuple(zip(codes, fits, strict=True)), tests)


def fit_samples(
    names: tuple[str, ...],
    samples: Sequence[Sample],
    method: Method,
    update: Callable[[int], None] = lambda done: None,
) -> tuple[MixtureFit, ...]:
    """Fits of all groups: one by one, or together where they share their tremble."""
    together = [[g] for g in range(len(samples))]
    if method.tremble == "pooled":
        together = [list(range(len(samples)))]
    fits: list[MixtureFit] = []
    n_draws = method.bootstrap
    for turn, members in enumerate(together):
        own = [samples[g] for g in members]
        layout = layout_of(len(own), len(names), method.tremble)
        optimum = climb([s.counts for s in own], [s.number for s in own], layout, tol=TOLERANCE)
        draws: tuple[Floats, Floats] | None = None
        if n_draws:
            assert method.rng is not None
            draws = resample(
                Mixture([s.counts for s in own], layout),
                [s.kinds for s in own],
                optimum.at,
                n_draws,
                method.rng,
                lambda done, base=turn * n_draws: update(base + done),  # type: ignore[misc]
                method.workers,
            )
        scores = cluster_scores(own, layout, optimum.at) if own[0].clustered else (None, None)
        errors = covariance(optimum, *scores)
        for place in range(len(members)):
            fits.append(describe(names, own, place, layout, optimum, errors, draws, method))
    return tuple(fits)


def estimate(
    X: Play,
    subjects: ArrayLike,
    strategies: Sequence[Player],
    *,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    **settings: Any,
) -> SfemResult:
    """Maximum-likelihood shares and trembles, with errors.

    log L = sum_i log sum_k phi_k prod_t q_t, over subjects i with all their games, where strategy k makes
    the move seen with q = (1 - b) p + b (1 - p).

    1. Count, per subject and strategy, the moves of each probability p; identical subjects once.
    2. Climb from several trembles by EM with Newton steps, until the gradient is at most 1e-9.
    3. Errors by the observed information (sandwich with clusters), or by `bootstrap` resamples.

    Parameters
    ----------
    X : Trajectories of shape (n, T), or CountedOthers
    subjects : (n,) codes; all trajectories of a subject (in a group) are one observation
    strategies : K Strategy, or ThresholdStrategy where others are counted
    groups : (n,) codes, optional
    clusters : (n,) codes, optional
        Of subjects that are not independent (a session, a game); errors allow for it.
    **settings
        As `Method`.

    Raises
    ------
    StrategyError
        A strategy listed twice, or none.
    UsageError
        A tremble or level that does not exist, or a bootstrap without `rng`.
    DataError
        No trajectory, no own move, or codes of another length.

    References
    ----------
    Dal Bó & Fréchette 2011, AER 101:411; Fudenberg, Rand & Dreber 2012, AER 102:720; Dvorak 2023, JESA 9:337.
    """
    method = Method(**settings)
    strategies = check_request(strategies, method.tremble, method.level)
    units = find_units(len(X), subjects, groups, clusters)
    population, pattern = populated_by(count_play(X, units.of_row, strategies), units)
    result = estimate_population([s.name for s in strategies], population, method, units.group_codes)
    return with_subjects(result, population, pattern, units)


def populated_by(counts: Counts, units: Units) -> tuple[Population, NDArray[np.intp]]:
    """The population of units, and the pattern of each."""
    cluster = units.cluster
    if cluster is None:
        cluster = np.unique(units.subject, return_inverse=True)[1].reshape(-1)
    clustered = units.cluster is not None
    return population_of(counts, units.group, cluster, len(units.group_codes), clustered=clustered)


def with_subjects(
    result: SfemResult, population: Population, pattern: NDArray[np.intp], units: Units
) -> SfemResult:
    """The result with the code and the posterior of each subject."""
    named = []
    for g, (code, fit) in enumerate(result.groups):
        rows = units.rows(g)
        place = np.unique(population.kinds.pattern[population.kinds.group == g])
        assert fit.patterns is not None
        posterior = fit.patterns[np.searchsorted(place, pattern[rows])]
        named.append((code, replace(fit, posterior=posterior, subjects=units.subject[rows])))
    return SfemResult(tuple(named), result.tests)


def check_request(
    strategies: Sequence[Player], tremble: str = "common", level: float = 0.95
) -> tuple[Player, ...]:
    """The strategies, once it is sure that the request can be met.

    Raises
    ------
    StrategyError
        No strategy, or one listed twice.
    UsageError
        A tremble that does not exist, or a level outside (0, 1).
    """
    chosen = tuple(strategies)
    if not chosen:
        raise StrategyError("no strategy given, expected at least one")
    names = [s.name for s in chosen]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise StrategyError(f"strategy listed twice: {', '.join(twice)}")
    if tremble not in ("common", "strategy", "pooled"):
        raise UsageError(f"tremble is {tremble!r}, expected 'common', 'strategy' or 'pooled'")
    if not 0 < level < 1:
        raise UsageError(f"level is {level}, expected a number in (0, 1)")
    return chosen


def _noise_and_shares(X: Trajectories, strategies: Sequence[Strategy]) -> tuple[float, NDArray[np.float64]]:
    fit = estimate(X, np.arange(len(X)), strategies, test=False).groups[0][1]
    eps = fit.tremble[0].estimate
    return 0.0 if np.isnan(eps) else eps, np.array([share.estimate for share in fit.shares])


SFEM_PRIOR = EmpiricalPrior(shares_of, _noise_and_shares)
"""The shares that maximise the likelihood of the trajectories."""


@dataclass(frozen=True)
class Estimate:
    """A parameter with its error.

    Attributes
    ----------
    estimate : float
        NaN where the data say nothing of it (the tremble of a strategy that nobody plays).
    se : float or None
        None on the boundary, on a ridge, and where there is no bootstrap to take it from.
    low, high : float
        Ends of the interval; NaN where there is none.
    source : {"information", "bootstrap", "none"}
        Where the error and the interval come from; on a ridge ("none") the ends are the bounds that the
        data leave.
    """

    estimate: float
    se: float | None
    low: float
    high: float
    source: str


@dataclass(frozen=True, eq=False)
class MixtureFit:
    """The finite mixture of one group.

    Attributes
    ----------
    names : K strategies
    shares : K Estimate
    tremble : one Estimate, or one per strategy
    tremble_kind : {"common", "strategy", "pooled"}
    n_parameters : int
        K - 1 shares, and the trembles (a pooled one is counted here too).
    gradient : float
        max_k mean_i P_ki / mix_i - 1 at the end: the mean log-likelihood of a subject can rise by no more
        than this through other shares at the same tremble.
    posterior : (n_subjects, K), or None where subjects were counted and not kept
    subjects : (n_subjects,) codes as given, or None
    ridge : tuples of strategies whose shares the data do not tell apart
    best : strategy whose likelier moves agree with most choices
    match : share of the choices that agree with it
    n_units : int or None
        Independent observations: clusters, or subjects.
    patterns, weights : (P, K) and (P,), or None
        Posterior of the distinct subjects, and how often each occurs.
    """

    names: tuple[str, ...]
    shares: tuple[Estimate, ...]
    tremble: tuple[Estimate, ...]
    tremble_kind: TrembleKind
    n_subjects: int
    n_choices: int
    log_likelihood: float
    n_parameters: int
    gradient: float
    iterations: int
    converged: bool
    posterior: NDArray[np.float64] | None
    subjects: NDArray[Any] | None
    ridge: tuple[tuple[str, ...], ...]
    best: str
    match: float
    n_units: int | None = None
    patterns: NDArray[np.float64] | None = None
    weights: NDArray[np.float64] | None = None

    @property
    def aic(self) -> float:
        """-2 log L + 2 p; smaller is better (Akaike 1974)."""
        return -2 * self.log_likelihood + 2 * self.n_parameters

    @property
    def bic(self) -> float:
        """-2 log L + p log n over n subjects; smaller is better (Schwarz 1978)."""
        return -2 * self.log_likelihood + self.n_parameters * float(np.log(self.n_subjects))

    @property
    def entropy(self) -> float:
        """-sum_ik t_ik log t_ik of the posterior: 0 where every subject is assigned with certainty."""
        t = self.posterior if self.patterns is None else self.patterns
        if t is None:
            return float("nan")
        each = -(t * np.log(np.where(t > 0, t, 1.0))).sum(axis=1)
        return float(each.sum() if self.weights is None else each @ self.weights)

    @property
    def icl(self) -> float:
        """BIC + 2 entropy: prefers strategies that separate (Biernacki, Celeux & Govaert 2000)."""
        return self.bic + 2 * self.entropy

    @property
    def gammas(self) -> tuple[float, ...]:
        """Dal Bó & Fréchette's gamma of each tremble b: b = 1 / (1 + exp(1 / gamma))."""
        return tuple(_gamma(t.estimate) for t in self.tremble)

    @property
    def gamma(self) -> float:
        """The gamma of the tremble; NaN where each strategy has its own (see `gammas`)."""
        return self.gammas[0] if self.tremble_kind != "strategy" else float("nan")


@dataclass(frozen=True, eq=False)
class SfemResult:
    """The fits of all groups, and tests between them.

    Attributes
    ----------
    groups : pairs of group code and MixtureFit, sorted by code
    tests : GroupTest, empty for one group
    """

    groups: tuple[tuple[Any, MixtureFit], ...]
    tests: tuple[GroupTest, ...]

    @property
    def log_likelihood(self) -> float:
        """Of all groups together."""
        return sum(fit.log_likelihood for _, fit in self.groups)

    @property
    def n_parameters(self) -> int:
        """Of all groups together; a pooled tremble counts once."""
        total = sum(fit.n_parameters for _, fit in self.groups)
        first = self.groups[0][1]
        shared = first.n_parameters - (len(first.names) - 1) if first.tremble_kind == "pooled" else 0
        return total - (len(self.groups) - 1) * shared

    def criterion(self, name: Literal["aic", "bic", "icl"]) -> float:
        """AIC, BIC or ICL of all groups together; smaller is better."""
        if name == "aic":
            return -2 * self.log_likelihood + 2 * self.n_parameters
        n = sum(fit.n_subjects for _, fit in self.groups)
        bic = -2 * self.log_likelihood + self.n_parameters * float(np.log(n))
        return bic if name == "bic" else bic + 2 * sum(fit.entropy for _, fit in self.groups)


def _gamma(tremble: float) -> float:
    if not 0 < tremble < 0.5:
        return {0.0: 0.0, 0.5: float("inf")}.get(tremble, float("nan"))
    return 1 / float(np.log((1 - tremble) / tremble))


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

    Intervals from the information are `score_ends` with Student's t of one degree of freedom less than units.
    Where every resample gives the same share of 0 or 1, the end is that of the exact binomial interval.
    A share on a ridge can be anything from 0 to the upper end of the ridge's total.

    Parameters
    ----------
    shares : (K,)
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
                high = _by_information(total, float(v @ errors.matrix @ v), n_units, level).high
            estimates.append(Estimate(float(share), None, 0.0, 1.0 if np.isnan(high) else high, "none"))
        elif draws is not None and len(shares) > 1:
            estimates.append(_percentile(float(share), draws[:, k], n_units, level))
        elif errors.known[place]:
            variance = float(errors.matrix[place, place])
            estimates.append(_by_information(float(share), variance, n_units, level))
        else:
            estimates.append(Estimate(float(share), None, np.nan, np.nan, "none"))
    return tuple(estimates)


def tremble_estimates(
    log_odds: Floats,
    governs: NDArray[np.bool_],
    errors: Covariance,
    first: int,
    draws: Floats | None,
    n_units: int,
    level: float,
) -> tuple[Estimate, ...]:
    """The trembles, at most .5; intervals from the information are symmetric in log-odds, with Student's t.

    Parameters
    ----------
    log_odds : (J,)
    governs : (J,) bool, whether the tremble governs any move
    errors, first, n_units, level
        As `share_estimates`.
    draws : (samples, J) or None
    """
    estimates = []
    t = student(level, n_units - 1)
    for j, odds in enumerate(log_odds):
        b = 0.0 if odds <= NO_TREMBLE else _expit(odds)
        if not governs[j]:
            estimates.append(Estimate(np.nan, None, np.nan, np.nan, "none"))
        elif draws is not None:
            drawn = draws[:, j][np.isfinite(draws[:, j])]
            whole = _percentile(b, np.where(drawn < 1e-8, 0.0, drawn), n_units, level)
            estimates.append(replace(whole, high=min(whole.high, 0.5)))
        elif errors.known[first + j]:
            se = float(np.sqrt(max(errors.matrix[first + j, first + j], 0.0)))
            low, high = (_expit(min(odds + side * t * se, HIGHEST)) for side in (-1, 1))
            estimates.append(Estimate(b, b * (1 - b) * se, low, high, "information"))
        else:
            estimates.append(Estimate(b, None, np.nan, np.nan, "none"))
    return tuple(estimates)


def _by_information(share: float, variance: float, n_units: int, level: float) -> Estimate:
    if not ZERO < share < 1 - ZERO or not variance > 0:
        return Estimate(share, None, np.nan, np.nan, "none")
    low, high = score_ends(share, variance, student(level, n_units - 1))
    return Estimate(share, float(np.sqrt(variance)), low, high, "information")


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
    method: Method,
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
            method.level,
        ),
        tremble=tremble_estimates(
            at.log_odds[0],
            moves[used] > 1e-6 * moves.sum(),
            errors,
            blocks + int(used[0]),
            None if draws is None else draws[1][:, used],
            n_units,
            method.level,
        ),
        tremble_kind=method.tremble,
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


@dataclass(frozen=True)
class Counted:
    """What counting labels gives, as shares of all labelled trajectories.

    Parameters
    ----------
    n : int, labelled trajectories
    best : mapping of strategy -> share of which it is the most probable one (ties go to the first)
    confident : mapping of strategy -> share that is labelled with it, the label being confident
    """

    n: int
    best: dict[str, float]
    confident: dict[str, float]

    @classmethod
    def of(cls, best: Mapping[str, int], confident: Mapping[str, int]) -> Counted:
        """From numbers of labels by strategy.

        Examples
        --------
        >>> Counted.of({"TFT": 2, "ALLD": 1, "ALLC": 1}, {"TFT": 1, "ALLD": 1}).confident
        {'ALLC': 0.0, 'ALLD': 0.25, 'TFT': 0.25}
        """
        n, names = sum(best.values()), sorted(best)
        return cls(
            n,
            {name: best[name] / n for name in names},
            {name: confident.get(name, 0) / n for name in names},
        )


@dataclass(frozen=True, eq=False)
class GroupShares:
    """One group of a mixture estimate.

    Parameters
    ----------
    values : the group's value of each factor
    counted : Counted, or None where nothing was counted
    """

    values: tuple[Any, ...]
    fit: MixtureFit
    counted: Counted | None = None


Criterion = Literal["bic", "aic", "icl"]


@dataclass(frozen=True)
class Step:
    """One fit on the way.

    Attributes
    ----------
    dropped : strategy that left last, None at the start
    names : strategies that are left
    criterion : float, smaller is better
    """

    dropped: str | None
    names: tuple[str, ...]
    criterion: float
    log_likelihood: float


@dataclass(frozen=True, eq=False)
class Selection:
    """The way and its end.

    Attributes
    ----------
    criterion : {"bic", "aic", "icl"}
    steps : Step, from all strategies to those that stay
    result : SfemResult of those that stay
    """

    criterion: Criterion
    steps: tuple[Step, ...]
    result: SfemResult


def select(
    X: Play,
    subjects: ArrayLike,
    strategies: Sequence[Player],
    *,
    criterion: Criterion = "bic",
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    **settings: Any,
) -> Selection:
    """Drop, in each step, the strategy without which the criterion is best, as long as it improves.

    With groups a strategy leaves all of them at once, and the criterion is that of all groups together. The
    errors of the final fit do not know that a selection came before.

    Parameters
    ----------
    X, subjects, strategies, groups, clusters
        As `estimate`.
    criterion : {"bic", "aic", "icl"}
    **settings
        As `Method`; `update` is called with (strategies tried, most that may have to be tried).

    Raises
    ------
    UsageError
        No such criterion.
    """
    method = Method(**settings)
    chosen = check_request(strategies, method.tremble)
    units = find_units(len(X), subjects, groups, clusters)
    population, pattern = populated_by(count_play(X, units.of_row, chosen), units)
    names = [s.name for s in chosen]
    selection = select_population(names, population, method, criterion, units.group_codes)
    left, new = population.only([names.index(name) for name in selection.steps[-1].names])
    return replace(selection, result=with_subjects(selection.result, left, new[pattern], units))


def select_population(
    names: Sequence[str],
    population: Population,
    method: Method,
    criterion: Criterion,
    codes: Sequence[Any] | None = None,
) -> Selection:
    """As `select`, from a population whose play is counted; parameters as `estimate_population`."""
    if criterion not in ("bic", "aic", "icl"):
        raise UsageError(f"criterion is {criterion!r}, expected 'bic', 'aic' or 'icl'")
    tried, most = 0, len(names) * (len(names) + 1) // 2
    plain = Method(method.tremble)

    def fitted(keep: Sequence[int]) -> tuple[float, float]:
        own = tuple(names[k] for k in keep)
        fits = fit_samples(own, split(population.only(keep)[0]), plain)
        result = SfemResult(tuple(enumerate(fits)), ())
        return result.criterion(criterion), result.log_likelihood

    keep = list(range(len(names)))
    value, ll = fitted(keep)
    steps = [Step(None, tuple(names), value, ll)]
    while len(keep) > 1:
        candidates = []
        for k in keep:
            candidates.append(fitted([i for i in keep if i != k]))
            tried += 1
            method.update(tried, most)
        best = int(np.argmin([c for c, _ in candidates]))
        if candidates[best][0] >= value:
            break
        value, ll = candidates[best]
        gone = keep.pop(best)
        steps.append(Step(names[gone], tuple(names[k] for k in keep), value, ll))
    method.update(most, most)
    final = replace(method, update=plain.update)
    result = estimate_population([names[k] for k in keep], population.only(keep)[0], final, codes)
    return Selection(criterion, tuple(steps), result)
