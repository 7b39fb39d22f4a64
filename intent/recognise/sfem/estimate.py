"""Shares of strategies in one or several groups of subjects, from their play."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import DataError, StrategyError, UsageError
from intent.parallel import SERIAL, Workers
from intent.recognise.sfem.bootstrap import bootstrap as resample
from intent.recognise.sfem.counts import Counts
from intent.recognise.sfem.describe import TOLERANCE, cluster_scores, describe
from intent.recognise.sfem.groups import group_tests
from intent.recognise.sfem.information import covariance
from intent.recognise.sfem.mixture import Mixture
from intent.recognise.sfem.result import GroupTest, MixtureFit, SfemResult, TrembleKind
from intent.recognise.sfem.sample import Sample, layout_of, split
from intent.recognise.sfem.starts import climb
from intent.recognise.sfem.thresholds import Play, Player, count_play
from intent.recognise.sfem.units import Units, find_units

__all__ = ["check_request", "estimate", "fit_counts"]

Floats = NDArray[np.float64]


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
    n_groups = len(units.group_codes)
    permutations = bootstrap if test and n_groups > 1 else 0
    total = 1 + permutations + bootstrap * (1 if tremble == "pooled" else n_groups)
    counts = count_play(X, units.of_row, strategies)
    if not counts.choices.any():
        raise DataError("the play has no own move that counts, expected at least one")
    update(1, total)
    names = tuple(s.name for s in strategies)
    samples = split(counts, units)
    fits = _fit(
        names,
        samples,
        units,
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
            counts,
            units,
            samples,
            tremble,
            free,
            permutations=permutations,
            rng=rng,
            update=lambda done: update(total - permutations + done, total),
            workers=workers,
        )
    update(total, total)
    return SfemResult(tuple(zip(units.group_codes, fits, strict=True)), tests)


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


def fit_counts(
    names: Sequence[str], counts: Counts, units: Units, tremble: TrembleKind
) -> tuple[MixtureFit, ...]:
    """Fits of all groups to counts that are known, with errors from the information.

    Parameters
    ----------
    names : K strategies
    counts : Counts of all units
    units : Units
    tremble : {"common", "strategy", "pooled"}
    """
    return _fit(tuple(names), split(counts, units), units, tremble, 0, 0.95, None, lambda done: None, SERIAL)


def _fit(
    names: tuple[str, ...],
    samples: Sequence[Sample],
    units: Units,
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
        found = climb([s.counts for s in own], [s.number for s in own], layout, tol=TOLERANCE)
        draws: tuple[Floats, Floats] | None = None
        if n_draws:
            assert rng is not None
            draws = resample(
                Mixture([s.counts for s in own], layout),
                [s.pattern for s in own],
                [s.cluster for s in own],
                found.at,
                n_draws,
                rng,
                lambda done, base=turn * n_draws: update(base + done),  # type: ignore[misc]
                workers,
            )
        scores = cluster_scores(own, layout, found.at) if own[0].cluster is not None else None
        errors = covariance(found, scores)
        for place, g in enumerate(members):
            subjects = units.subject[units.rows(g)]
            fits.append(describe(names, own, place, layout, found, errors, draws, level, tremble, subjects))
    return tuple(fits)
