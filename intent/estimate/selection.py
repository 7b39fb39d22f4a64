"""Backward selection: strategies leave one by one while a criterion improves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from intent.base.errors import UsageError
from intent.estimate.counts import Play, Player, count_play
from intent.estimate.population import Population, find_units, split
from intent.estimate.resampling import Method
from intent.estimate.shares import (
    SfemResult,
    check_request,
    estimate_population,
    fit_samples,
    populated_by,
    with_subjects,
)

__all__ = ["Criterion", "Selection", "Step", "select", "select_population"]


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
