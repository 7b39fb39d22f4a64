"""An experiment: a design, how its run is driven, and what is done with the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import Field, PrivateAttr, field_validator

from intent.agents.plan import GamePlan
from intent.base.settings import Values
from intent.runner.experiment.grid import Design
from intent.runner.experiment.plans import make_plans
from intent.runner.limits import Limits, RetryRules
from intent.runner.prices import Price

__all__ = ["RUNTIME", "After", "Experiment", "Runtime"]


class Runtime(Values):
    """What decides nothing about the games, and may differ when a run is resumed.

    Attributes
    ----------
    concurrency : calls in flight per endpoint, in place of the client's own
    window : games in play at a time; by default many, and few where one model answers one call at a time
    limits : endpoint or model -> limits of rate
    retry : rules of asking again after failures of an endpoint
    prices : model -> price per million tokens of prompt and reply: ``[2.5, 10]``
    budget : what the run may cost, in the currency of the prices
    cache : bool or path
        Keeps replies for other runs, in a file of the user's own or in this one.
    """

    run_key: ClassVar[str] = ""
    """What ``run.json`` keeps it under, and what an error calls it."""

    concurrency: int | None = Field(default=None, ge=1)
    window: int | None = Field(default=None, ge=1)
    limits: dict[str, Limits] = Field(default_factory=dict)
    retry: RetryRules = RetryRules()
    prices: dict[str, Price] = Field(default_factory=dict)
    budget: float | None = Field(default=None, gt=0)
    cache: bool | str = False


RUNTIME = frozenset({*Runtime.model_fields, "after", "description"})
"""Keys that decide nothing about the games, and may differ when a run is resumed."""


class After(Values):
    """What is done with the log of a finished run.

    Attributes
    ----------
    label : settings of `intent.recognise.labels.label.label_log`, optional
        Written to ``labels.parquet`` in the run folder.
    compare : settings of `intent.comparison.compare.compare`, or a list of them
        Written to ``comparison.json``, ``comparison.png`` (numbered from the second on).
    figures : names of figures, or settings of `intent.report.figures.figures` (names, by, …), optional
        Drawn into ``figures/``; no settings are all figures, no names are none.
    metrics : settings of `intent.behaviour.metrics.metrics`, optional
        Written to ``metrics.parquet`` and, with their means by group, to ``metrics.json``.
    results : name of a study, or several (`intent.report.results.papers`)
        All its tables and figures, written into ``results/NAME``.
    """

    label: dict[str, Any] | None = None
    compare: tuple[dict[str, Any], ...] = ()
    figures: tuple[str, ...] | dict[str, Any] | None = None
    metrics: dict[str, Any] | None = None
    results: tuple[str, ...] = ()

    @field_validator("compare", "results", mode="before")
    @classmethod
    def _one(cls, value: Any) -> Any:
        return (value,) if isinstance(value, dict | str) else value


class Experiment(Design, Runtime):
    """An experiment file as typed values: what is played, how the run is driven, what is done afterwards.

    Attributes
    ----------
    name, description, grid, pairs, repetitions, … : as `Design` and `Condition`
    concurrency, window, limits, retry, prices, budget, cache : as `Runtime`
    """

    run_key: ClassVar[str] = "experiment"

    after: After = After()
    _notes: tuple[str, ...] = PrivateAttr(())

    @field_validator("after", mode="before")
    @classmethod
    def _nothing(cls, value: Any) -> Any:
        return {} if value is None else value

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should be warned of; no part of the design."""
        return self._notes

    def with_notes(self, notes: Sequence[str]) -> Experiment:
        """The experiment with such warnings."""
        noted = self.model_copy()
        noted._notes = tuple(notes)
        return noted

    def plans(self) -> list[GamePlan]:
        """The games, repetition after repetition, so that a run that is cut short stays balanced.

        Raises
        ------
        DataError
            A factor, level or seat that makes no game.
        GameError
            Payoffs that make none.
        """
        return make_plans(self)

    def design(self) -> dict[str, Any]:
        """Everything that decides which games are played, as JSON-able values."""
        return self.model_dump(mode="json", exclude=set(RUNTIME))
