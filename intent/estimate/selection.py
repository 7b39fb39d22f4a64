"""Backward selection: strategies leave one by one while a criterion improves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from intent.base.errors import UsageError
from intent.base.workers import SERIAL
from intent.estimate.counts import Play, Player, count_play
from intent.estimate.mixture import TrembleKind
from intent.estimate.population import Population, find_units, split
from intent.estimate.shares import (
    MixtureFit,
    SfemResult,
    _fit,
    _populated_by,
    check_request,
    estimate_population,
    with_subjects,
)

__all__ = ["Criterion", "Selection", "Step", "select", "select_population"]


def _fit_population(
    names: Sequence[str], population: Population, tremble: TrembleKind
) -> tuple[MixtureFit, ...]:
    """Fits of all groups, with errors from the information."""
    return _fit(tuple(names), split(population), tremble, 0, 0.95, None, lambda done: None, SERIAL)


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
