"""Backward selection: strategies leave one by one while a criterion improves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from intent.errors import UsageError
from intent.recognise.sfem.estimate import check_request, estimate, fit_counts
from intent.recognise.sfem.result import SfemResult, TrembleKind
from intent.recognise.sfem.thresholds import Play, Player, count_play
from intent.recognise.sfem.units import find_units

__all__ = ["Criterion", "Selection", "Step", "select"]

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
    tremble: TrembleKind = "common",
    update: Callable[[int, int], None] = lambda done, total: None,
    **options: Any,
) -> Selection:
    """Drop, in each step, the strategy without which the criterion is best, as long as it improves.

    With groups a strategy leaves all of them at once, and the criterion is that of all groups together. The
    errors of the final fit do not know that a selection came before.

    Parameters
    ----------
    X, subjects, strategies, groups, tremble
        As `estimate`.
    criterion : {"bic", "aic", "icl"}
    update : called with (strategies tried, most that may have to be tried)
    **options
        Of the final `estimate`: clusters, bootstrap, level, test, rng, workers.

    Raises
    ------
    UsageError
        No such criterion.
    """
    if criterion not in ("bic", "aic", "icl"):
        raise UsageError(f"criterion is {criterion!r}, expected 'bic', 'aic' or 'icl'")
    chosen = check_request(strategies, tremble)
    units = find_units(len(X), subjects, groups, None)
    counts = count_play(X, units.of_row, chosen)
    tried, most = 0, len(chosen) * (len(chosen) + 1) // 2

    def fitted(keep: Sequence[int]) -> tuple[float, float]:
        fits = fit_counts([chosen[k].name for k in keep], counts.only(keep), units, tremble)
        found = SfemResult(tuple(zip(units.group_codes, fits, strict=True)), ())
        return found.criterion(criterion), found.log_likelihood

    keep = list(range(len(chosen)))
    value, ll = fitted(keep)
    steps = [Step(None, tuple(s.name for s in chosen), value, ll)]
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
        steps.append(Step(chosen[gone].name, tuple(chosen[k].name for k in keep), value, ll))
    update(most, most)
    final = estimate(X, subjects, [chosen[k] for k in keep], groups=groups, tremble=tremble, **options)
    return Selection(criterion, tuple(steps), final)
