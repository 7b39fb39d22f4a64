"""Rows of a prediction: how well a model predicts what it was not fitted to, and what it explains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from intent.base.statistics import Interval
from intent.estimate.choice.heldout import NOTHING
from intent.estimate.choice.model import Parameter
from intent.estimate.choice.portraits import Portrait

__all__ = ["BASELINE", "CHOSEN", "STACK", "GroupScore", "ModelRow"]

BASELINE = "base-rate"
STACK, CHOSEN = "stack", "chosen"
"""Rows that the job adds: a mixture of all models, and the readable one that each training part chose."""


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
