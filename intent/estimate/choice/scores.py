"""How well a model of choice predicts what it was not fitted to, and what share of the play it explains."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics import Grouping, Interval
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.heldout import Independent, ratio_interval
from intent.estimate.choice.model import Parameter
from intent.estimate.choice.portraits import Portrait

__all__ = ["BASELINE", "CHOSEN", "NOTHING", "STACK", "GroupScore", "ModelRow", "Scores"]

Floats = NDArray[np.float64]

BASELINE = "base-rate"
STACK, CHOSEN = "stack", "chosen"
"""Rows that the job adds: a mixture of all models, and the readable one that each training part chose."""

NOTHING = Interval(float("nan"), float("nan"), float("nan"))
"""What stands where a number has no meaning."""


@dataclass(frozen=True)
class GroupScore:
    """How well a model predicts the moves of a group.

    Attributes
    ----------
    values : of the columns that make the groups
    n_moves : int
    loss : Interval, nats per move
    explained : Interval, NaN where nothing of the group can be predicted
    """

    values: tuple[Any, ...]
    n_moves: int
    loss: Interval
    explained: Interval


@dataclass(frozen=True)
class ModelRow:
    """A model of choice, and how well it predicts what it was not fitted to.

    Attributes
    ----------
    name : str
    kind : str, its family
    interpretable : bool
    loss : Interval, nats per move; NaN where it has none
    explained : Interval
        Share of what the ceiling predicts beyond the base rate, not clipped; NaN where that is nothing.
    difference : Interval, its loss less that of the best readable model
    n_parameters : int or None
    parameters : tuple of Parameter, of a fit to all rows
    seconds : float, all fits for the losses
    notes : tuple of str
    rounds : tuple of float, loss by round, NaN where no move is predicted
    types : tuple of Portrait
    effects : tuple of Parameter, by which covariates act on the responses of the types
    groups : tuple of GroupScore
    """

    name: str
    kind: str
    interpretable: bool
    loss: Interval
    explained: Interval = NOTHING
    difference: Interval = NOTHING
    n_parameters: int | None = None
    parameters: tuple[Parameter, ...] = ()
    seconds: float | None = None
    notes: tuple[str, ...] = ()
    rounds: tuple[float, ...] = ()
    types: tuple[Portrait, ...] = ()
    effects: tuple[Parameter, ...] = ()
    groups: tuple[GroupScore, ...] = ()

    @property
    def scored(self) -> bool:
        """Whether it has a loss."""
        return math.isfinite(self.loss.estimate)


@dataclass(frozen=True, eq=False)
class Scores:
    """What losses are scored on.

    Attributes
    ----------
    X : Choices
    of : Independent
    level : float
    groups : Grouping, optional
    """

    X: Choices
    of: Independent
    level: float
    groups: Grouping | None

    @property
    def moves(self) -> Floats:
        """(n,) moves that are predicted."""
        return np.asarray(self.X.counted.sum(1), dtype=float)

    @property
    def n_actions_met(self) -> int:
        """Actions that were chosen at all."""
        return len(np.unique(self.X.chosen[self.X.counted]))

    def mean(self, losses: Floats, rows: NDArray[np.bool_] | None = None) -> Interval:
        """Mean loss per move, of all rows or some; the interval of what is nowhere below 0 ends there."""
        inside = 1.0 if rows is None else rows
        mean = ratio_interval(losses.sum(1) * inside, self.moves * inside, self.of, self.level)
        return replace(mean, low=max(mean.low, 0.0)) if mean.low < 0 <= losses.min() else mean

    def gain(self, base: Floats, ceiling: Floats, rows: NDArray[np.bool_] | None = None) -> Interval:
        """What the ceiling saves per move."""
        return self.mean(base - ceiling, rows)

    def explained(
        self, base: Floats, losses: Floats, ceiling: Floats, rows: NDArray[np.bool_] | None = None
    ) -> Interval:
        """Share of that; NaN where its interval holds 0."""
        gain = self.gain(base, ceiling, rows)
        if not gain.low > 0:
            return NOTHING
        inside = 1.0 if rows is None else rows
        top, bottom = (base - losses).sum(1) * inside, (base - ceiling).sum(1) * inside
        return ratio_interval(top, bottom, self.of, self.level)

    def rounds(self, losses: Floats) -> tuple[float, ...]:
        """Mean loss by round."""
        with np.errstate(invalid="ignore"):
            means = losses.sum(0) / self.X.counted.sum(0)
        return tuple(means.tolist())
