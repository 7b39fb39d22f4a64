"""A study: its spec from a YAML file, spelled out as every model at every point where it is measured.

The models of a study: which recognisers, trained on what, and what makes two of them the same. The points:
set, opponent, length and noise, each with fresh play that all models share. The cells that are done: one row
per key in an SQLite file, kept whatever ends the run.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from pydantic import BeforeValidator, Field, field_validator, model_validator

from intent.base.binary import open_database, transaction
from intent.base.errors import OutputError, UnknownNameError, UsageError, shorten
from intent.base.files import bounds, json_value
from intent.base.outputs import private
from intent.base.settings import Document, Values, checked, read_document
from intent.play.corpora import Corpus, Mixture, Recorded, SelfPlay, generate_arrays, opponent
from intent.play.dataset import load_spec, parse_range, recorded_moves
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.recogniser import (
    describe_recogniser,
    most_probable,
    recogniser_class,
    shipped_recognisers,
)
from intent.strategies.sets import strategy_set
from intent.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intent.logs.gamelog import Trajectories
    from intent.play.dataset import DatasetSpec

__all__ = [
    "MODEL",
    "CellStore",
    "Entry",
    "Group",
    "LeftOut",
    "ModelPlan",
    "Plan",
    "Play",
    "Point",
    "Points",
    "Published",
    "RecordedOpponent",
    "Shipped",
    "Size",
    "StudySpec",
    "cell_key",
    "digest",
    "load_study",
    "make_plan",
    "noise_text",
    "plan_models",
    "plan_points",
    "play_point",
    "restrict",
    "set_tables",
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


_LONGEST_QUERY = 500
_FOREIGN = "SELECT 1 FROM sqlite_master WHERE type IN ('view', 'trigger')"
"""What computes when a file from elsewhere is read or written."""


def digest(identity: Any) -> str:
    """The key of what determines a result: 24 hexadecimal digits of the SHA-256 of its JSON."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


class CellStore:
    """Key -> JSON object. Each `put` is one transaction: all of its rows are kept, or none.

    Parameters
    ----------
    path : file, made where absent

    Raises
    ------
    OutputError
        The file cannot be opened, or is not such a store.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            with private():
                self._base = open_database(self.path, timeout=5)
                if self._base.execute(_FOREIGN).fetchone():
                    raise sqlite3.DatabaseError("it holds views or triggers")
            with transaction(self._base):
                self._base.execute("CREATE TABLE IF NOT EXISTS cells (key TEXT PRIMARY KEY, value TEXT)")
                self._base.execute("SELECT key, value FROM cells LIMIT 0")
        except sqlite3.Error as error:
            raise OutputError(f"{self.path}: not a store of cells ({shorten(error)})") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()

    def put(self, cells: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep cells, in place of those with the same keys."""
        rows = [(key, json.dumps(value)) for key, value in cells.items()]
        with transaction(self._base):
            self._base.executemany("INSERT OR REPLACE INTO cells VALUES (?, ?)", rows)

    def get(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Those of the keys that are there, with their values.

        Raises
        ------
        OutputError
            A value is no JSON object.
        """
        distinct = list(dict.fromkeys(keys))
        cells: dict[str, dict[str, Any]] = {}
        for first in range(0, len(distinct), _LONGEST_QUERY):
            part = distinct[first : first + _LONGEST_QUERY]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, value FROM cells WHERE key IN ({marks})"
            cells |= {key: self._read(key, value) for key, value in self._base.execute(query, part)}
        return cells

    def _read(self, key: str, text: Any) -> dict[str, Any]:
        try:
            value = json_value(text)
        except (ValueError, TypeError, AttributeError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        raise OutputError(
            f"{self.path}: cell {shorten(key)} holds {shorten(repr(text))}, expected a JSON object"
        )


MODEL = ("group", "recogniser", "kind", "set", "train_size", "train_noise")
"""Columns that name a model."""

_POINT = ("set", "opponent", "rounds", "noise")
"""Columns that name a point."""


@dataclass(frozen=True, eq=False)
class ModelPlan:
    """One recogniser, trained once and measured everywhere.

    Attributes
    ----------
    group, recogniser : names in the study
    kind : key of the registry
    set : its strategies
    parameters : of the recogniser; eps "known" is the noise of the point
    size : training trajectories, "endless", or None where nothing is learned
    noise : range of eps trained with, or None
    data : what to train on, or None
    shipped : name of a recogniser that is ready, or None
    rounds, opponents : restrict where it is measured
    key : of everything that determines the fitted recogniser
    """

    group: str
    recogniser: str
    kind: str
    set: str
    parameters: Mapping[str, Any]
    size: Size | None = None
    noise: Range | None = None
    data: DatasetSpec | None = None
    shipped: str | None = None
    rounds: tuple[int, ...] | None = None
    opponents: tuple[str, ...] | None = None
    key: str = ""

    @property
    def trained(self) -> bool:
        """Whether it is trained here, once, and kept."""
        return self.data is not None

    def columns(self) -> dict[str, str]:
        """What names it in tables, by `MODEL`."""
        size = "" if self.size is None else str(self.size)
        values = (self.group, self.recogniser, self.kind, self.set, size, noise_text(self.noise))
        return dict(zip(MODEL, values, strict=True))

    @property
    def title(self) -> str:
        """Recogniser, set, size and noise of training in a few words."""
        learned = f", {self.size} rows, eps {noise_text(self.noise)}" if self.trained else ""
        return f"{self.recogniser} ({self.group}), {self.set}{learned}"


def plan_models(spec: StudySpec, beside: Path = Path()) -> tuple[tuple[ModelPlan, ...], tuple[LeftOut, ...]]:
    """All models of a study, and those that cannot be had with the reason.

    Parameters
    ----------
    spec : StudySpec
    beside : folder in which dataset specs of its own are looked for

    Raises
    ------
    UnknownNameError
        A set, kind, shipped recogniser or dataset spec that does not exist.
    """
    models: list[ModelPlan] = []
    left_out: list[LeftOut] = []
    for name, group in spec.groups.items():
        for recogniser, entry in group.recognisers.items():
            for planned in _of_entry(spec, name, group, recogniser, entry, beside):
                if isinstance(planned, LeftOut):
                    left_out.append(planned)
                else:
                    models.append(planned)
    return tuple(models), tuple(dict.fromkeys(left_out))


def noise_text(noise: Range | None) -> str:
    """A range of eps as text: ``0.05``, ``0-0.2``, or nothing."""
    if noise is None:
        return ""
    return f"{noise[0]:g}" if noise[0] == noise[1] else f"{noise[0]:g}-{noise[1]:g}"


def set_tables(set_name: str) -> list[Any]:
    """The strategies of a set, as what determines their play."""
    return [[s.name, s.p_cooperate, s.next_state, s.start, s.memory] for s in strategy_set(set_name)]


def _of_entry(
    spec: StudySpec, group_name: str, group: Group, recogniser: str, entry: Entry, beside: Path
) -> Iterator[ModelPlan | LeftOut]:
    for set_name in entry.sets or group.sets or spec.sets:
        plain = ModelPlan(
            group_name,
            recogniser,
            entry.kind,
            set_name,
            _parameters(entry, set_name, spec.seed),
            rounds=None if group.rounds is None else tuple(group.rounds),
            opponents=None if group.opponents is None else tuple(group.opponents),
        )
        if group.data is not None:
            yield from _trained(spec, group, entry, plain, beside)
        elif entry.shipped is not None:
            yield _shipped(plain, entry.shipped)
        else:
            yield replace(plain, key=_key(plain))


def _trained(
    spec: StudySpec, group: Group, entry: Entry, plain: ModelPlan, beside: Path
) -> Iterator[ModelPlan | LeftOut]:
    sizes: Sequence[Size | None] = (group.sizes if entry.sizes is None else entry.sizes) or [None]
    noises: Sequence[Range | None] = (group.noise if entry.noise is None else entry.noise) or [None]
    ready = entry.shipped
    for size in sizes:
        if size == "endless" and not hasattr(recogniser_class(plain.kind), "fit_stream"):
            what = f"{plain.recogniser} ({plain.group}), endless"
            yield LeftOut(what, f"{plain.kind} learns from a table of fixed size")
            continue
        for noise in noises:
            if ready is not None and (ready.size, ready.noise) == (size, noise):
                yield _shipped(plain, ready)
                continue
            data = _data(str(group.data), plain.set, size, noise, spec.seed, beside)
            full = replace(plain, size=size or data.n, noise=noise or data.eps, data=data)
            yield replace(full, key=_key(full))


def _parameters(entry: Entry, set_name: str, seed: int) -> dict[str, Any]:
    accepted = recogniser_class(entry.kind)().get_params()
    for name in entry.parameters:
        if name not in accepted:
            raise UnknownNameError(f"parameter of {entry.kind}", name, list(accepted))
    usual = {k: v for k, v in {"strategies": set_name, "random_state": seed}.items() if k in accepted}
    own = entry.parameters.items()
    return usual | {k: v.replace("{set}", set_name) if isinstance(v, str) else v for k, v in own}


def _data(
    name: str, set_name: str, size: Size | None, noise: Range | None, seed: int, beside: Path
) -> DatasetSpec:
    text = name.replace("{set}", set_name)
    changes: dict[str, Any] = {"strategies": set_name, "seed": seed}
    if isinstance(size, int):
        changes["n"] = size
    if noise is not None:
        changes["eps"] = noise
    return load_spec(beside / text if (beside / text).is_file() else text, **changes)


def _key(plan: ModelPlan) -> str:
    named = {v for v in plan.parameters.values() if isinstance(v, str)}
    data = None if plan.data is None else plan.data.model_dump(mode="json", exclude={"name"})
    if data is not None and plan.size == "endless":
        del data["n"]
    return digest(
        {
            "version": __version__,
            "kind": plan.kind,
            "parameters": dict(plan.parameters),
            "strategies": set_tables(plan.set),
            "endless": plan.size == "endless",
            "data": data,
            "shipped": {name: _manifest(at) for name, at in shipped_recognisers().items() if name in named},
        }
    )


def _shipped(plain: ModelPlan, ready: Shipped) -> ModelPlan:
    name, parameters = ready.name.replace("{set}", plain.set), dict(ready.parameters)
    facts = describe_recogniser(name)
    key = digest({"shipped": _manifest(Path(facts["path"])), "parameters": parameters})
    model = replace(plain, kind=facts["kind"], parameters=parameters, shipped=name, key=key)
    return replace(model, size=ready.size, noise=ready.noise)


def _manifest(folder: Path) -> str:
    """SHA-256 of the manifest of a saved recogniser, which lists those of its files."""
    return hashlib.sha256((folder / "recogniser.json").read_bytes()).hexdigest()


Where = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Point:
    """Where models are measured: fresh play of one set, opponent, length and noise.

    Attributes
    ----------
    set, opponent, rounds, noise : as the study names them
    text : opponent as `intent generate` takes it, or None where it is recorded
    log : file of the recorded moves, or None
    where : rows of the log
    n : trajectories
    key : of everything that determines the play
    """

    set: str
    opponent: str
    rounds: int
    noise: float
    text: str | None
    log: str | None
    where: Where
    n: int
    key: str

    def columns(self) -> dict[str, str]:
        """What names it, by `_POINT`."""
        values = (self.set, self.opponent, str(self.rounds), f"{self.noise:g}")
        return dict(zip(_POINT, values, strict=True))


@dataclass(frozen=True, eq=False)
class Play:
    """The play of a point.

    Attributes
    ----------
    X : Trajectories of n rows
    truth : (n, K) exact posterior of the rule that knows eps
    rule : (n,) class named by the rule that integrates eps over U[0, .2]
    classes : K names
    """

    X: Trajectories
    truth: NDArray[np.float64]
    rule: NDArray[np.intp]
    classes: tuple[str, ...]


def plan_points(spec: StudySpec, logs: Path | None = None) -> tuple[tuple[Point, ...], tuple[LeftOut, ...]]:
    """All points of a study, and those that cannot be had with the reason.

    Parameters
    ----------
    spec : StudySpec
    logs : folder of public logs, for recorded opponents

    Raises
    ------
    UnknownNameError
        A set or opponent that does not exist.
    UsageError
        An opponent that plays the same strategy as the player.
    DataError
        The log of an opponent has no two-player moves.
    """
    points: list[Point] = []
    left_out: list[LeftOut] = []
    for set_name in spec.sets:
        for name, met in spec.points.opponents.items():
            for planned in _against(spec, set_name, name, met, logs):
                if isinstance(planned, LeftOut):
                    left_out.append(planned)
                else:
                    points.append(planned)
    return tuple(points), tuple(dict.fromkeys(left_out))


def play_point(point: Point) -> Play:
    """Fresh play of a point and what the exact rules say of it; the same whenever it is called."""
    if point.log is not None:
        moves = _recorded_moves(point.log, point.where)
        met: Any = Recorded(np.ascontiguousarray(moves[:, : point.rounds]), name=point.opponent)
    else:
        met = opponent(str(point.text))
    strategies = strategy_set(point.set)
    span, eps = (point.rounds, point.rounds), (point.noise, point.noise)
    corpus = Corpus(strategies, point.n, span, eps, eps_other=None, opponent=met)
    X, _ = generate_arrays(corpus, np.random.default_rng(int(point.key, 16)))
    truth = BayesRecogniser(strategies, eps=point.noise).fit().predict_proba(X)
    blind = BayesRecogniser(strategies, eps="integrate").fit().predict_proba(X)
    return Play(X, truth, most_probable(blind), tuple(s.name for s in strategies))


def _against(
    spec: StudySpec, set_name: str, name: str, met: str | RecordedOpponent, logs: Path | None
) -> Iterator[Point | LeftOut]:
    text, log = None, None
    where: Where = ()
    longest = max(spec.points.rounds)
    if isinstance(met, str):
        text = met.replace("{set}", set_name)
        identity: Any = text
        _check_independent(name, text)
    else:
        where = tuple((column, tuple(values)) for column, values in met.where.items())
        logged = _log_of(met.log, where, logs)
        if isinstance(logged, str):
            yield LeftOut(f"opponent {name}", logged)
            return
        log, longest, sha256 = logged
        identity = {"log": sha256, "where": where}
    for rounds in spec.points.rounds:
        if rounds > longest:
            yield LeftOut(f"opponent {name}, {rounds} rounds", f"its recorded games have {longest}")
            continue
        for noise in spec.points.noise:
            key = digest([set_tables(set_name), identity, rounds, noise, spec.n_test, spec.seed])
            yield Point(set_name, name, rounds, noise, text, log, where, spec.n_test, key)


def _check_independent(name: str, text: str) -> None:
    """Refuse an opponent whose moves depend on the label: they would be evidence that no recogniser reads."""
    met = opponent(text)
    if any(isinstance(part, SelfPlay) for part in (met.parts if isinstance(met, Mixture) else (met,))):
        raise UsageError(f"opponent {name!r} is {text!r}, expected one that does not depend on the player")


def _log_of(log: str, where: Where, logs: Path | None) -> tuple[str, int, str] | str:
    """File, rounds and SHA-256 of recorded games, or why there are none."""
    if logs is None:
        return f"{log} is looked for in the folder of public logs (INTENT_DATA or --data); none was named"
    path = logs / log
    if not path.is_file():
        return f"the folder of public logs has no {log}"
    rounds = _recorded_moves(str(path), where).shape[1]
    return str(path), int(rounds), hashlib.sha256(path.read_bytes()).hexdigest()


@lru_cache(maxsize=4)
def _recorded_moves(path: str, where: Where) -> NDArray[np.int8]:
    """As `recorded_moves`, kept."""
    return recorded_moves(path, {column: list(values) for column, values in where})


_MEASURES = 1
"""Counted up whenever what is measured at a point changes, so that old cells are measured anew."""


@dataclass(frozen=True, eq=False)
class Plan:
    """All of a study.

    Attributes
    ----------
    models : tuple of ModelPlan
    points : tuple of Point
    left_out : tuple of LeftOut
    """

    models: tuple[ModelPlan, ...]
    points: tuple[Point, ...]
    left_out: tuple[LeftOut, ...]

    def models_at(self, point: Point) -> list[ModelPlan]:
        """The models that are measured at a point."""
        return [
            m
            for m in self.models
            if m.set == point.set
            and (m.rounds is None or point.rounds in m.rounds)
            and (m.opponents is None or point.opponent in m.opponents)
        ]

    def cells(self) -> list[tuple[ModelPlan, Point]]:
        """Every model at every point where it is measured, point by point."""
        return [(model, point) for point in self.points for model in self.models_at(point)]


def make_plan(spec: StudySpec, *, beside: Path = Path(), logs: Path | None = None) -> Plan:
    """Spell a study out.

    Parameters
    ----------
    spec : StudySpec
    beside : folder in which dataset specs of its own are looked for
    logs : folder of public logs, for recorded opponents

    Raises
    ------
    UnknownNameError
        Something that the study names does not exist.
    """
    models, no_models = plan_models(spec, beside)
    points, no_points = plan_points(spec, logs)
    return Plan(models, points, (*no_models, *no_points))


def cell_key(model: ModelPlan, point: Point) -> str:
    """The key of one model measured at one point."""
    return digest({"model": model.key, "point": point.key, "measures": _MEASURES})


def restrict(plan: Plan, only: Mapping[str, Sequence[str]]) -> Plan:
    """The part of a plan that a user asks for.

    Parameters
    ----------
    plan : Plan
    only : column -> accepted values; columns are group, recogniser, kind, set, train_size, train_noise,
        opponent, rounds, noise

    Raises
    ------
    UsageError
        No such column, or nothing is left.
    """
    known = dict.fromkeys([*MODEL, *_POINT])
    for column, values in only.items():
        if column not in known:
            expected = f"expected one of {', '.join(known)}"
            raise UsageError(f"--only {column}={values[0]}: no such column, {expected}")

    def chosen(part: ModelPlan | Point) -> bool:
        return all(value in only.get(column, (value,)) for column, value in part.columns().items())

    part = replace(plan, models=tuple(filter(chosen, plan.models)), points=tuple(filter(chosen, plan.points)))
    if not part.cells():
        raise UsageError("--only leaves no model or no point of the study")
    return part
