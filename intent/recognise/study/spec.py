"""Study specs: which recognisers, trained on what, measured where, as typed values from a YAML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from intent.base.errors import shorten
from intent.base.files import bounds
from intent.base.settings import Document, Values, checked, read_document
from intent.play.dataset import parse_range

__all__ = [
    "Entry",
    "Group",
    "LeftOut",
    "Points",
    "Published",
    "RecordedOpponent",
    "Shipped",
    "Size",
    "StudySpec",
    "load_study",
]

Size = int | Literal["endless"]


def _range(value: Any) -> Any:
    """A number, or a text such as ``0-0.2``, as (low, high)."""
    if not isinstance(value, str | int | float):
        return value
    span = parse_range(str(value), "noise")
    if span is None:
        raise ValueError("expected numbers or ranges such as 0-0.2")
    return span


Range = Annotated[tuple[float, float], BeforeValidator(_range)]


@dataclass(frozen=True)
class LeftOut:
    """A part of a study that is not run.

    Attributes
    ----------
    what, why : words
    """

    what: str
    why: str


class RecordedOpponent(Values):
    """Opponents whose moves are those of the players of a log.

    Attributes
    ----------
    log : path below the folder of public logs
    where : column -> accepted values
    """

    log: str
    where: dict[str, list[str]] = Field(default_factory=dict)

    @field_validator("where", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {k: [str(w) for w in (v if isinstance(v, list) else [v])] for k, v in value.items()}


class Points(Values):
    """What every model is measured on: all combinations of these.

    Attributes
    ----------
    noise : eps of the focal player (an automaton that it meets has the same)
    rounds : lengths
    opponents : name -> text as `intent generate --opponent`, or a log; ``{set}`` stands for the set
    """

    noise: list[float] = Field(min_length=1)
    rounds: list[int] = Field(min_length=1)
    opponents: dict[str, str | RecordedOpponent] = Field(min_length=1)

    @field_validator("noise")
    @classmethod
    def _probabilities(cls, value: list[float]) -> list[float]:
        if not all(0 <= eps < 0.5 for eps in value):
            raise ValueError("expected probabilities in [0, .5)")
        return value

    @field_validator("rounds")
    @classmethod
    def _lengths(cls, value: list[int]) -> list[int]:
        if min(value) < 1 or max(value) > bounds().rounds:
            raise ValueError(f"expected 1 to {bounds().rounds:,} rounds")
        return value


class Shipped(Values):
    """A recogniser that comes with the package, in place of one trained here.

    Attributes
    ----------
    name : ``{set}`` stands for the set
    size, noise : what it was trained on
    parameters : set once it is loaded; ``known`` as the value of eps means the noise of the point
    """

    name: str
    size: Size | None = None
    noise: Range | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)


class Entry(Values):
    """One recogniser of a group.

    Attributes
    ----------
    kind : key of the registry
    parameters : of the recogniser; ``known`` as the value of eps means the noise of the point, and ``{set}``
        stands for the set
    shipped : the one that is used for its size and noise, or None
    sizes, noise, sets : in place of the group's
    """

    kind: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    shipped: Shipped | None = None
    sizes: list[Size] | None = None
    noise: list[Range] | None = None
    sets: list[str] | None = None


class Published(Values):
    """A figure from the literature, shown beside ours.

    Attributes
    ----------
    recogniser : name in its group, or None where we have none like it
    called : what the source calls it
    set, noise : where it was measured (trained and tested with the same noise)
    accuracy : as published, a number or words such as "above .9"
    source : str
    """

    recogniser: str | None
    called: str
    set: str
    noise: float
    accuracy: str
    source: str


class Group(Values):
    """Recognisers that are trained alike.

    Attributes
    ----------
    about : one line for people
    data : dataset spec (shipped name, or a file beside the study); None where nothing is learned
    sizes : training trajectories, or ``endless``; the last is the group's best
    noise : ranges of eps to train with, each a model; the last is the most general
    sets : in place of the study's
    rounds, opponents : restrict the points to these
    recognisers : name -> Entry
    published : figures of the literature
    """

    about: str = ""
    data: str | None = None
    sizes: list[Size] = Field(default_factory=list)
    noise: list[Range] = Field(default_factory=list)
    sets: list[str] | None = None
    rounds: list[int] | None = None
    opponents: list[str] | None = None
    recognisers: dict[str, Entry] = Field(min_length=1)
    published: list[Published] = Field(default_factory=list)


class StudySpec(Values):
    """A study: groups of recognisers, and the points at which all of them are measured.

    Attributes
    ----------
    name : str
    seed : int
        Of training, and of the play of every point.
    n_test : int
        Fresh trajectories per point, shared by all models.
    sets : named sets of strategies
    points : Points
    groups : name -> Group
    """

    name: str = "study"
    seed: int = Field(default=0, ge=0)
    n_test: int = Field(default=6000, ge=1, le=10_000_000)
    sets: list[str] = Field(min_length=1)
    points: Points
    groups: dict[str, Group] = Field(min_length=1)

    @model_validator(mode="after")
    def _restrictions_that_leave_something(self) -> Self:
        for name, group in self.groups.items():
            restrictions: list[tuple[str, Any, Any]] = [
                ("opponents", group.opponents, list(self.points.opponents)),
                ("rounds", group.rounds, self.points.rounds),
                ("sets", group.sets, self.sets),
                *(("sets", entry.sets, self.sets) for entry in group.recognisers.values()),
            ]
            for what, values, known in restrictions:
                for value in values or ():
                    if value not in known:
                        raise ValueError(
                            f"groups.{name}: {what} hold {shorten(repr(value))}, "
                            f"which is none of the study's ({', '.join(map(str, known))})"
                        )
        return self


def load_study(path: str | Path) -> StudySpec:
    """The study of a YAML file.

    Raises
    ------
    DataError
        No such file, or not such a study; an unknown key is answered with the nearest known one.
    """
    source = Path(path)
    document = read_document(source)
    return checked(
        StudySpec, Document({"name": source.stem, **document.values}, document.lines), called=source.name
    )
