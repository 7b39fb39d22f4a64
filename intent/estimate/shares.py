"""Shares of strategies in one or several groups of subjects, from their play.

Shares of strategies in the groups of a population, from its counts.

Backward selection: strategies leave one by one while a criterion improves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import DataError, StrategyError, UsageError
from intent.base.workers import SERIAL, Workers
from intent.estimate.counts import Counts, Play, Player, count_play
from intent.estimate.group_tests import group_tests
from intent.estimate.intervals import TOLERANCE, cluster_scores, covariance, describe
from intent.estimate.intervals import bootstrap as resample
from intent.estimate.mixture import GroupTest, Mixture, MixtureFit, SfemResult, TrembleKind, climb, shares_of
from intent.estimate.population import Population, Sample, Units, find_units, layout_of, population_of, split
from intent.logs.trajectories import Trajectories
from intent.recognise.bayes import EmpiricalPrior
from intent.strategies.automaton import Strategy

__all__ = [
    "SFEM_PRIOR",
    "Criterion",
    "Selection",
    "Step",
    "check_request",
    "estimate",
    "estimate_population",
    "select",
    "select_population",
    "with_subjects",
]


Floats = NDArray[np.float64]


def estimate_population(
    names: Sequence[str],
    population: Population,
    *,
    codes: Sequence[Any] | None = None,
    tremble: TrembleKind = "common",
    bootstrap: int = 0,
    level: float = 0.95,
    test: bool = True,
    rng: np.random.Generator | None = None,
    shares_rng: np.random.Generator | None = None,
    update: Callable[[int, int], None] = lambda done, total: None,
    workers: Workers = SERIAL,
) -> SfemResult:
    """Shares and trembles of a population whose play is counted; its fits know no subject by name.

    Parameters
    ----------
    names : K strategies, of which the play was counted
    population : Population
    codes : of the groups; default: 0 .. G - 1
    tremble, bootstrap, level, test, rng, shares_rng, update, workers
        As `estimate`.

    Raises
    ------
    UsageError
        A bootstrap without `rng`.
    DataError
        No own move.
    """
    if bootstrap and rng is None:
        raise UsageError("a bootstrap draws random numbers: got no rng, expected a numpy Generator")
    if not population.counts.choices.any():
        raise DataError("the play has no own move that counts, expected at least one")
    n_groups = population.n_groups
    codes = range(n_groups) if codes is None else codes
    permutations = bootstrap if test and n_groups > 1 else 0
    total = 1 + permutations + bootstrap * (1 if tremble == "pooled" else n_groups)
    update(1, total)
    samples = split(population)
    fits = _fit(
        tuple(names),
        samples,
        tremble,
        bootstrap,
        level,
        rng,
        lambda done: update(1 + done, total),
        workers,
    )
    tests: tuple[GroupTest, ...] = ()
    if test and n_groups > 1:
        free = sum(fit.log_likelihood for fit in fits)
        tests = group_tests(
            population,
            codes,
            samples,
            tremble,
            free,
            permutations=permutations,
            rng=rng,
            shares_rng=shares_rng,
            alpha=1 - level,
            update=lambda done: update(total - permutations + done, total),
            workers=workers,
        )
    update(total, total)
    return SfemResult(tuple(zip(codes, fits, strict=True)), tests)


def _fit_population(
    names: Sequence[str], population: Population, tremble: TrembleKind
) -> tuple[MixtureFit, ...]:
    """Fits of all groups, with errors from the information."""
    return _fit(tuple(names), split(population), tremble, 0, 0.95, None, lambda done: None, SERIAL)


def _fit(
    names: tuple[str, ...],
    samples: Sequence[Sample],
    tremble: TrembleKind,
    n_draws: int,
    level: float,
    rng: np.random.Generator | None,
    update: Callable[[int], None],
    workers: Workers,
) -> tuple[MixtureFit, ...]:
    """Fits of all groups: one by one, or together where they share their tremble."""
    together = [list(range(len(samples)))] if tremble == "pooled" else [[g] for g in range(len(samples))]
    fits: list[MixtureFit] = []
    for turn, members in enumerate(together):
        own = [samples[g] for g in members]
        layout = layout_of(len(own), len(names), tremble)
        optimum = climb([s.counts for s in own], [s.number for s in own], layout, tol=TOLERANCE)
        draws: tuple[Floats, Floats] | None = None
        if n_draws:
            assert rng is not None
            draws = resample(
                Mixture([s.counts for s in own], layout),
                [s.kinds for s in own],
                optimum.at,
                n_draws,
                rng,
                lambda done, base=turn * n_draws: update(base + done),  # type: ignore[misc]
                workers,
            )
        scores = cluster_scores(own, layout, optimum.at) if own[0].clustered else (None, None)
        errors = covariance(optimum, *scores)
        for place in range(len(members)):
            fits.append(describe(names, own, place, layout, optimum, errors, draws, level, tremble))
    return tuple(fits)


def estimate(
    X: Play,
    subjects: ArrayLike,
    strategies: Sequence[Player],
    *,
    groups: ArrayLike | None = None,
    tremble: TrembleKind = "common",
    clusters: ArrayLike | None = None,
    bootstrap: int = 0,
    level: float = 0.95,
    test: bool = True,
    rng: np.random.Generator | None = None,
    shares_rng: np.random.Generator | None = None,
    update: Callable[[int, int], None] = lambda done, total: None,
    workers: Workers = SERIAL,
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
    tremble : {"common", "strategy", "pooled"}
        One per group; one per strategy and group; one for all groups, which are then fitted together.
    clusters : (n,) codes, optional
        Of subjects that are not independent (a session, a game); errors allow for it.
    bootstrap : int
        Resamples of subjects (or clusters); 0: errors from the information. As many permutations are drawn
        for the test between groups.
    level : float in (0, 1), of the intervals
    test : bool, whether groups are compared
    rng : Generator, needed for the bootstrap
    shares_rng : Generator, for a test of equal shares that holds for clusters; None: by chi-square alone
    update : called with (units of work done, in all)
    workers : Workers, which fit resamples and permutations; the result is the same for any

    Returns
    -------
    SfemResult

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
    strategies = check_request(strategies, tremble, level)
    if bootstrap and rng is None:
        raise UsageError("a bootstrap draws random numbers: got no rng, expected a numpy Generator")
    units = find_units(len(X), subjects, groups, clusters)
    population, pattern = _populated_by(count_play(X, units.of_row, strategies), units)
    result = estimate_population(
        [s.name for s in strategies],
        population,
        codes=units.group_codes,
        tremble=tremble,
        bootstrap=bootstrap,
        level=level,
        test=test,
        rng=rng,
        shares_rng=shares_rng,
        update=update,
        workers=workers,
    )
    return with_subjects(result, population, pattern, units)


def _populated_by(counts: Counts, units: Units) -> tuple[Population, NDArray[np.intp]]:
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


Criterion = Literal["bic", "aic", "icl"]


@dataclass(frozen=True)
class Step:
    """One fit on the way.

    Attributes
    ----------
    dropped : strategy that left last, None at the start
    names : strategies that are left
    criterion : float, smaller is better
    log_likelihood : float
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
    tremble: TrembleKind = "common",
    update: Callable[[int, int], None] = lambda done, total: None,
    **options: Any,
) -> Selection:
    """Drop, in each step, the strategy without which the criterion is best, as long as it improves.

    With groups a strategy leaves all of them at once, and the criterion is that of all groups together. The
    errors of the final fit do not know that a selection came before.

    Parameters
    ----------
    X, subjects, strategies, groups, clusters, tremble
        As `estimate`.
    criterion : {"bic", "aic", "icl"}
    update : called with (strategies tried, most that may have to be tried)
    **options
        Of the final `estimate`: bootstrap, level, test, rng, shares_rng, workers.

    Raises
    ------
    UsageError
        No such criterion.
    """
    chosen = check_request(strategies, tremble)
    units = find_units(len(X), subjects, groups, clusters)
    population, pattern = _populated_by(count_play(X, units.of_row, chosen), units)
    names = [s.name for s in chosen]
    selection = select_population(
        names,
        population,
        codes=units.group_codes,
        criterion=criterion,
        tremble=tremble,
        update=update,
        **options,
    )
    left, new = population.only([names.index(name) for name in selection.steps[-1].names])
    return replace(selection, result=with_subjects(selection.result, left, new[pattern], units))


def select_population(
    names: Sequence[str],
    population: Population,
    *,
    codes: Sequence[Any] | None = None,
    criterion: Criterion = "bic",
    tremble: TrembleKind = "common",
    update: Callable[[int, int], None] = lambda done, total: None,
    **options: Any,
) -> Selection:
    """As `select`, from a population whose play is counted.

    Parameters
    ----------
    names, population, codes, tremble
        As `estimate_population`.
    criterion, update
        As `select`.
    **options
        Of the final `estimate_population`: bootstrap, level, test, rng, shares_rng, workers.
    """
    if criterion not in ("bic", "aic", "icl"):
        raise UsageError(f"criterion is {criterion!r}, expected 'bic', 'aic' or 'icl'")
    tried, most = 0, len(names) * (len(names) + 1) // 2

    def fitted(keep: Sequence[int]) -> tuple[float, float]:
        own = [names[k] for k in keep]
        fits = _fit_population(own, population.only(keep)[0], tremble)
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
            update(tried, most)
        best = int(np.argmin([c for c, _ in candidates]))
        if candidates[best][0] >= value:
            break
        value, ll = candidates[best]
        gone = keep.pop(best)
        steps.append(Step(names[gone], tuple(names[k] for k in keep), value, ll))
    update(most, most)
    left = population.only(keep)[0]
    final = estimate_population([names[k] for k in keep], left, codes=codes, tremble=tremble, **options)
    return Selection(criterion, tuple(steps), final)


def _noise_and_shares(X: Trajectories, strategies: Sequence[Strategy]) -> tuple[float, NDArray[np.float64]]:
    fit = estimate(X, np.arange(len(X)), strategies, test=False).groups[0][1]
    eps = fit.tremble[0].estimate
    return 0.0 if np.isnan(eps) else eps, np.array([share.estimate for share in fit.shares])


SFEM_PRIOR = EmpiricalPrior(shares_of, _noise_and_shares)
"""The shares that maximise the likelihood of the trajectories."""
