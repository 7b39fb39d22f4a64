"""A study spelled out: every model at every point where it is measured.

The models of a study: which recognisers, trained on what, and what makes two of them the same.

The points of a study: set, opponent, length and noise, each with fresh play that all models share.

The cells of a study that are done: one row per key in an SQLite file, kept whatever ends the run.
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
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from intent.base.binary import open_database, transaction
from intent.base.errors import OutputError, UnknownNameError, UsageError, shorten
from intent.base.files import private
from intent.base.json_text import json_value
from intent.play.corpora import Corpus, Mixture, Recorded, SelfPlay, generate_arrays, opponent
from intent.play.dataset import load_spec, recorded_moves
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.recogniser import most_probable, recogniser_class
from intent.recognise.storage import describe_recogniser, shipped_recognisers
from intent.recognise.study.spec import Entry, Group, LeftOut, RecordedOpponent, Shipped, Size, StudySpec
from intent.strategies.sets import strategy_set
from intent.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intent.logs.gamelog import Trajectories
    from intent.play.dataset import DatasetSpec


__all__ = [
    "MODEL",
    "CellStore",
    "ModelPlan",
    "Plan",
    "Play",
    "Point",
    "cell_key",
    "digest",
    "make_plan",
    "noise_text",
    "plan_models",
    "plan_points",
    "play_point",
    "restrict",
    "set_tables",
]


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
        wanted = list(dict.fromkeys(keys))
        cells: dict[str, dict[str, Any]] = {}
        for first in range(0, len(wanted), _LONGEST_QUERY):
            part = wanted[first : first + _LONGEST_QUERY]
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


Range = tuple[float, float]

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
