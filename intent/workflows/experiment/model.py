"""An experiment: conditions, how they vary, who meets whom, how often, and how the run is driven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, PrivateAttr, field_validator

from intent.agents.client import Settings
from intent.workflows.experiment.condition import Condition, Labels
from intent.workflows.experiment.runtime import Runtime
from intent.workflows.values import Values

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan

__all__ = ["RUNTIME", "After", "Experiment", "FairgameWording"]

RUNTIME = frozenset({*Runtime.model_fields, "after", "description"})
"""Keys that decide nothing about the games, and may differ when a run is resumed."""


class After(Values):
    """What is done with the log of a finished run.

    Attributes
    ----------
    label : settings of `intent.workflows.label.label_log`, optional
        Written to ``labels.parquet`` in the run folder.
    compare : settings of `intent.workflows.compare.compare`, or a list of them
        Written to ``comparison.json``, ``comparison.png`` (numbered from the second on).
    figures : names of figures, or settings of `intent.workflows.figures.figures` (names, by, …), optional
        Drawn into ``figures/``; no settings are all figures, no names are none.
    metrics : settings of `intent.workflows.metrics.metrics`, optional
        Written to ``metrics.parquet`` and, with their means by group, to ``metrics.json``.
    results : name of a study, or several (`intent.workflows.results.RESULTS`)
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


class FairgameWording(Values):
    """What fills FAIRGAME's templates beside the game.

    Attributes
    ----------
    weights : numbers called weight1, weight2, … in order, or the cells (row, column, seat) they stand in
    strategies : language -> labels called strategy1, strategy2
    stem : name of the template, without language
    templates : language -> template, used where prompts are ``fairgame``
    """

    weights: tuple[tuple[int, int, int] | float, ...] | None = None
    strategies: dict[str, Labels] = Field(default_factory=dict)
    stem: str | None = None
    templates: dict[str, str] | None = None


class Experiment(Condition, Runtime):
    """An experiment file as typed values: a condition, what varies, and how the run is driven.

    Attributes
    ----------
    name, description : str
    grid : factor -> levels
        A key of `Condition` (dotted: ``settings.temperature``, ``columns.NAME`` for a column of the log
        alone) with a list of values; or a word of its own with named levels, each a mapping of keys. All
        combinations are played, the last factor varying fastest.
    pairs : {"self", "all", "others", "ordered"}
        Whom each model meets: itself; every one and itself; every other one; every one in both orders.
    repetitions : int
    counterbalance : of listed_first, named_first, labels
        Alternated over the repetitions, so that 2, 4 or 8 repetitions hold every combination once.
    persona_texts : persona -> its wording, or language -> wording
    model_settings : model -> settings in place of those of all
    fairgame : FairgameWording, optional
        What templates of FAIRGAME need to know; set where the file is FAIRGAME's.
    seed : int
    after : After
    concurrency, window, limits, retry, prices, budget, cache
        As `Runtime`.
    """

    name: str
    description: str = ""
    grid: dict[str, list[Any] | dict[str, Any]] = Field(default_factory=dict)
    pairs: Literal["self", "all", "others", "ordered"] = "self"
    repetitions: int = Field(default=1, ge=1, le=1_000_000)
    counterbalance: tuple[Literal["listed_first", "named_first", "labels"], ...] = ()
    persona_texts: dict[str, str | dict[str, str]] = Field(default_factory=dict)
    model_settings: dict[str, Settings] = Field(default_factory=dict)
    fairgame: FairgameWording | None = None
    seed: int = Field(default=0, ge=0, lt=2**48)
    after: After = After()
    _notes: tuple[str, ...] = PrivateAttr(())

    @field_validator("grid", "after", mode="before")
    @classmethod
    def _none(cls, value: Any) -> Any:
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
        from intent.workflows.experiment.plans import make_plans

        return make_plans(self)

    def design(self) -> dict[str, Any]:
        """Everything that decides which games are played, as JSON-able values."""
        return self.model_dump(mode="json", exclude=set(RUNTIME))
