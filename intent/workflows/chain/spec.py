"""Specs of the chain: which models write which sets, and how these are played, as typed values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from intent.arena.entrant import ATTITUDES
from intent.files.settings import Document, read_document
from intent.runner.limits import Limits
from intent.runner.prices import Price
from intent.workflows.experiment.put import parse_setting, put
from intent.workflows.values import Values, checked

__all__ = ["ChainSpec", "Evolution", "LineUpSpec", "Tournament", "Writing", "load_chain"]


class Tournament(Values):
    """The round robin of every set.

    Attributes
    ----------
    repetitions : of every pair that can differ between repetitions
    self_play : bool
    faults : ``disqualify`` or ``void``, for standings; tables 3 to 6 leave out who was at fault in any match
    fidelity : as `MatchRules`
    """

    repetitions: int = Field(default=20, ge=1, le=10_000)
    self_play: bool = True
    faults: Literal["disqualify", "void"] = "disqualify"
    fidelity: Literal["axelrod", "clean"] = "axelrod"


class Writing(Values):
    """How models write, as the options of ``intent strategies write``.

    Attributes
    ----------
    code_model : who turns words into code; None: the same
    attempts : most attempts per attitude and style; None: 3 n + 5
    temperature, max_tokens, prompts, scenarios, limits, prices, concurrency, cache, budget
        As `write_strategies`; ``prompts`` is a folder beside the file.
    """

    code_model: str | None = None
    attempts: int | None = Field(default=None, ge=1)
    temperature: float | None = 0.7
    max_tokens: int | None = Field(default=None, ge=1)
    prompts: str | None = None
    scenarios: str | None = None
    limits: dict[str, Limits] = Field(default_factory=dict)
    prices: dict[str, Price] = Field(default_factory=dict)
    concurrency: int | None = Field(default=None, ge=1)
    cache: bool = False
    budget: float | None = Field(default=None, gt=0)


class LineUpSpec(Values):
    """The tournament of the three attitude agents among others' strategies.

    Attributes
    ----------
    against : opponents, as ``intent tournament --against``
    repetitions : int
    """

    against: str = "humans"
    repetitions: int = Field(default=200, ge=1, le=10_000)


class Evolution(Values):
    """Moran processes between the attitudes.

    Attributes
    ----------
    initial : individuals at the start, in the order of the attitudes
    runs : processes from each start
    """

    initial: list[tuple[int, ...]] = Field(default=[(4, 4, 4), (8, 2, 2)], min_length=1)
    runs: int = Field(default=100, ge=1, le=100_000)

    @field_validator("initial")
    @classmethod
    def _populations(cls, value: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        for counts in value:
            if min(counts, default=-1) < 0 or not 2 <= sum(counts) <= 10_000:
                raise ValueError(f"start {list(counts)}: expected 2 to 10,000 individuals, none negative")
        if len({sum(counts) for counts in value}) > 1:
            raise ValueError("expected populations of one size")
        return value


class ChainSpec(Values):
    """A chain: sets of strategies, and what is done with each of them.

    Attributes
    ----------
    name : str
    seed : int, of writing, matches, Moran processes and intervals
    models : who writes the words, as ``intent play --models``
    writing : how they do
    styles, attitudes, noise, games : a set for each combination of style, noise, game and model
    n : good strategies per attitude
    turns : rounds per match
    tournament, line_up, evolution : None leaves a part out
    inspect : whether every strategy is inspected
    bootstrap : samples of every interval
    """

    name: str = "chain"
    seed: int = Field(default=0, ge=0)
    models: list[str] = Field(default_factory=list)
    writing: Writing = Field(default_factory=Writing)
    styles: list[str] = Field(default_factory=lambda: ["default", "refine", "prose"], min_length=1)
    attitudes: list[str] = Field(default_factory=lambda: list(ATTITUDES), min_length=1)
    noise: list[float] = Field(default_factory=lambda: [0.0, 0.1], min_length=1)
    games: list[str] = Field(default_factory=lambda: ["classic"], min_length=1)
    n: int = Field(default=25, ge=1, le=1000)
    turns: int = Field(default=1000, ge=1, le=100_000)
    tournament: Tournament = Field(default_factory=Tournament)
    line_up: LineUpSpec | None = Field(default_factory=LineUpSpec)
    evolution: Evolution | None = Field(default_factory=Evolution)
    inspect: bool = True
    bootstrap: int = Field(default=2000, ge=100, le=100_000)

    @field_validator("noise")
    @classmethod
    def _probabilities(cls, value: list[float]) -> list[float]:
        if not all(0 <= noise < 0.5 for noise in value):
            raise ValueError("expected probabilities below .5")
        return value

    @field_validator("attitudes")
    @classmethod
    def _known(cls, value: list[str]) -> list[str]:
        strange = [name for name in value if name not in ATTITUDES]
        if strange:
            raise ValueError(f"{strange[0]!r} is none of {', '.join(ATTITUDES)}")
        return value

    @field_validator("styles")
    @classmethod
    def _styles(cls, value: list[str]) -> list[str]:
        from intent.arena.writing.task import parse_style

        return [parse_style(style).name for style in value]

    @model_validator(mode="after")
    def _one_count_per_attitude(self) -> Self:
        for counts in self.evolution.initial if self.evolution is not None else ():
            if len(counts) != len(self.attitudes):
                raise ValueError(
                    f"evolution.initial: {list(counts)} are {len(counts)} numbers, expected one for each of "
                    f"{', '.join(self.attitudes)}"
                )
        return self


def load_chain(path: str | Path, settings: Sequence[str] = ()) -> ChainSpec:
    """The chain of a YAML file.

    Parameters
    ----------
    path : path
    settings : sequence of ``key=value``
        In place of the file's; a dotted key goes into a part, as ``evolution.runs=10``.

    Raises
    ------
    DataError
        No such file, or not such a chain; an unknown key is answered with the nearest known one.
    UsageError
        A setting without ``=``, of no YAML, or below something that has no parts.
    """
    source = Path(path)
    found = read_document(source)
    values: dict[str, Any] = {"name": source.stem, **found.values}
    for setting in settings:
        values = put(values, *parse_setting(setting))
    return checked(ChainSpec, Document(values, found.lines), called=source.name)
