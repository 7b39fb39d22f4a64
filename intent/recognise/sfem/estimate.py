"""Shares of strategies in one or several groups of subjects, from their play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import StrategyError, UsageError
from intent.parallel import SERIAL, Workers
from intent.recognise.sfem.counts import Counts
from intent.recognise.sfem.population import Population, populated
from intent.recognise.sfem.population_fit import estimate_population
from intent.recognise.sfem.result import SfemResult, TrembleKind
from intent.recognise.sfem.thresholds import Play, Player, count_play
from intent.recognise.sfem.units import Units, find_units

__all__ = ["check_request", "estimate", "populated_by", "with_subjects"]


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
    population, pattern = populated_by(count_play(X, units.of_row, strategies), units)
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


def populated_by(counts: Counts, units: Units) -> tuple[Population, NDArray[np.intp]]:
    """The population of units, and the pattern of each."""
    cluster = units.cluster
    if cluster is None:
        cluster = np.unique(units.subject, return_inverse=True)[1].reshape(-1)
    clustered = units.cluster is not None
    return populated(counts, units.group, cluster, len(units.group_codes), clustered=clustered)


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
