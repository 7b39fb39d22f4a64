"""A benchmark file as typed values: games, models and conditions, how often, how the run is driven."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field, field_validator

from intent.agents.client import Settings
from intent.workflows.bench.condition import BenchCondition
from intent.workflows.experiment.runtime import Runtime

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan

__all__ = ["RUNTIME", "Benchmark"]

RUNTIME = frozenset({*Runtime.model_fields, "description", "figures"})
"""Keys that decide nothing about the games, and may differ when a run is resumed."""


class Benchmark(BenchCondition, Runtime):
    """A benchmark: a condition, what varies, who plays, and how the run is driven.

    Attributes
    ----------
    name, description : str
    models : list of players
        Each plays its own tables: openai/NAME, local/NAME, scripted/NAME, human, …
    sweep : factor -> levels
        One thing at a time: the condition as it stands, and every level with all else as it stands.
    grid : factor -> levels
        All combinations; the sweep is played in each of them.
    repetitions : int
        Tables of every condition.
    model_settings : model -> settings in place of those of all
    seed : int
    figures : bool
        Whether figures are drawn at the end.
    concurrency, window, limits, retry, prices, budget, cache
        As `Runtime`.

    Notes
    -----
    A factor is a key of `BenchCondition` (``temperature``, ``version``, ``language``, …) with a list of
    values; ``parameters``, those of the games; or a word of its own with named levels, each a mapping of
    keys:

    - ``parameters: paper`` varies every game as the paper did (`intent.workflows.bench.settings`);
    - ``parameters: {bar: {ratio: [20%, 60%], mode: [implicit, explicit]}}`` varies these, in a sweep one at a
      time, in a grid in all combinations;
    - ``parameters: {diner: [{cheap_price: 11, cheap_utility: 5}]}`` lists settings as they stand;
    - ``treatment: {smart: {told: smart}, random: {told: random, games: [guessing]}}`` has two levels, the
      second of which is for one of the games alone.

    References
    ----------
    Huang et al. 2024, arXiv:2403.11807.
    """

    name: str = "gamma"
    description: str = ""
    models: tuple[str, ...] = ()
    sweep: dict[str, list[Any] | dict[str, Any] | str] = Field(default_factory=dict)
    grid: dict[str, list[Any] | dict[str, Any] | str] = Field(default_factory=dict)
    repetitions: int = Field(default=5, ge=1, le=100_000)
    model_settings: dict[str, Settings] = Field(default_factory=dict)
    seed: int = Field(default=0, ge=0, lt=2**48)
    figures: bool = True

    @field_validator("sweep", "grid", mode="before")
    @classmethod
    def _none(cls, value: Any) -> Any:
        return {} if value is None else value

    @field_validator("models", mode="before")
    @classmethod
    def _one_model(cls, value: Any) -> Any:
        return () if value is None else (value,) if isinstance(value, str) else value

    def plans(self) -> list[GamePlan]:
        """The games, repetition after repetition, so that a run that is cut short stays balanced.

        Raises
        ------
        DataError, GameError, UnknownNameError
            A factor, level, parameter or table that makes no game.
        """
        from intent.workflows.bench.plans import make_plans

        return make_plans(self)

    def design(self) -> dict[str, Any]:
        """Everything that decides which games are played, as JSON-able values."""
        return self.model_dump(mode="json", exclude=set(RUNTIME))
