"""An experiment: a design, how its run is driven, and what is done with the log; and the files that say so.

Files are ours or FAIRGAME's, may be laid over others, and are changed from the command line or Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from pydantic import Field, PrivateAttr, field_validator

from intent.agents.plan import SCRIPTED, GamePlan, name_and_noise, player_kind, saved_folder
from intent.base.errors import (
    DataError,
    GameError,
    IntentError,
    UnknownNameError,
    UsageError,
    shorten,
)
from intent.base.settings import Document, Keys, Values, checked, read_document, read_value
from intent.runner.experiment.grid import (
    ALIASES,
    BLOCKS,
    PATTERNS,
    Condition,
    Design,
    cells,
    check_factor,
    named_prompts,
    put,
)
from intent.runner.experiment.plans import design_prompts, make_plans
from intent.runner.limits import Limits, Price, RetryRules
from intent.runner.treatment import Treatment
from intent.strategies.sets import placed

__all__ = [
    "LISTS",
    "RUNTIME",
    "After",
    "Experiment",
    "Runtime",
    "lay_over",
    "load_experiment",
    "overridden",
    "parse_setting",
    "read_with_includes",
    "spelled_out",
]


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
    treatment : what prompts show, withhold and may differ in, optional
        Checked before anybody is asked (`intent.runner.treatment.Treatment`).
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
    treatment: Treatment | None = None

    def prompt_names(self) -> dict[str, str]:
        """Where prompts come from, by name or folder -> their short name in plans."""
        return {}

    def levels(self, plans: Sequence[GamePlan]) -> Sequence[Mapping[str, Any]]:
        """Factor -> level as people read it, of every condition, in the order of its plans."""
        return []


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
    _lines: Mapping[Keys, str] = PrivateAttr(default_factory=dict)

    @field_validator("after", mode="before")
    @classmethod
    def _nothing(cls, value: Any) -> Any:
        return {} if value is None else value

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should be warned of; no part of the design."""
        return self._notes

    @property
    def document(self) -> Document:
        """Its values, and where those that come from a file or from ``--set`` stand."""
        return Document(self.model_dump(mode="json", exclude_unset=True), self._lines)

    def with_notes(
        self, notes: Sequence[str], lines: Mapping[Keys, str] = MappingProxyType({})
    ) -> Experiment:
        """The experiment with such warnings, and with the places of its keys."""
        noted = self.model_copy()
        noted._notes, noted._lines = tuple(notes), lines
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

    def prompt_names(self) -> dict[str, str]:
        """Where prompts come from, by name or folder -> their short name in plans."""
        return design_prompts(self)

    def levels(self, plans: Sequence[GamePlan]) -> list[Mapping[str, Any]]:
        """Factor -> level as people read it, of every condition, in the order of its plans."""
        return [cell.levels for cell in cells(self)]

    def design(self) -> dict[str, Any]:
        """Everything that decides which games are played, as JSON-able values."""
        return self.model_dump(mode="json", exclude=set(RUNTIME))


LISTS = frozenset(
    {
        "architecture",
        "attitude",
        "counterbalance",
        "game.actions",
        "game.payoffs",
        "labels",
        "names",
        "opponent_persona_probability",
        "options",
        "personas",
        "players",
        "questions",
        "settings.stop",
        "stop",
    }
)
"""Keys that take a list themselves; for any other, a list makes a factor of the grid."""

_OWN = frozenset(
    {
        *("after", "fairgame", "grid", "limits", "model_settings", "persona_texts", "prices", "strategies"),
        "treatment",
    }
)


def with_changes(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The values with others laid over them; a list for a key that takes none becomes a factor."""
    result = dict(values)
    for key, value in changes.items():
        full = ALIASES.get(key, key)
        if isinstance(value, tuple):
            value = list(value)
        if isinstance(value, list) and full not in LISTS and full.split(".")[0] not in _OWN:
            result = lay_over(result, {"grid": {full: value}})
        else:
            result = lay_over(result, spelled_out({key: value}) if "." not in key else put({}, full, value))
            if value is None and full in (result.get("grid") or {}):
                result["grid"] = {k: v for k, v in result["grid"].items() if k != full}
    return result


def set_keys(values: Mapping[str, Any], items: Sequence[str]) -> dict[str, Any]:
    """The values with every ``key=value`` of ``--set`` put in its place, in order."""
    result = dict(values)
    for item in items:
        key, value = parse_setting(item)
        head, _, factor = key.partition(".")
        if head == "grid" and factor:
            name = ALIASES.get(factor, factor)
            levels = value if isinstance(value, list | dict) or value is None else [value]
            result = lay_over(result, {"grid": {name: levels}})
        else:
            result = with_changes(result, {key: value})
    return result


def with_models(values: Mapping[str, Any], models: Sequence[str]) -> dict[str, Any]:
    """The values with these models in place of all language models that they name.

    Where players are listed by seat, every one that is no scripted strategy and no human becomes the model.
    """
    if not models:
        return dict(values)
    named = list(dict.fromkeys(models))
    result = dict(values)
    grid = dict(result.get("grid") or {})
    if result.get("players") is not None:
        result["players"] = _seated(result["players"])
    if "players" in grid:
        grid["players"] = _seated_levels(grid["players"], named)
    if len(named) == 1:
        grid.pop("model", None)
        result["model"] = named[0]
    else:
        result.pop("model", None)
        grid = {**grid, "model": named} if "model" in grid else {"model": named, **grid}
    result["grid"] = grid
    return result


def _seated(players: Any) -> Any:
    if not isinstance(players, list | tuple):
        return players
    return ["model" if isinstance(p, str) and not _is_fixed(p) else p for p in players]


def _seated_levels(levels: Any, models: list[str]) -> Any:
    if isinstance(levels, dict):
        return {
            key: [*models, *filter(_is_fixed, level)] if key in PATTERNS else _seated(level)
            for key, level in levels.items()
        }
    seated = [_seated(level) for level in levels]
    return [level for i, level in enumerate(seated) if level not in seated[:i]]


def _is_fixed(player: str) -> bool:
    return player_kind(player) != "model"


def with_names(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The values with models called by other names, wherever a player is named."""
    used: set[str] = set()

    def renamed(value: Any) -> Any:
        if isinstance(value, str) and value in names:
            used.add(value)
            return names[value]
        if isinstance(value, list | tuple):
            return [renamed(v) for v in value]
        if isinstance(value, dict):
            return {key: renamed(v) for key, v in value.items()}
        return value

    result = dict(values)
    for key in ("model", "opponent", "players"):
        if key in result:
            result[key] = renamed(result[key])
    if result.get("grid"):
        result["grid"] = {
            key: renamed(levels) if key in ("model", "opponent", "players") else levels
            for key, levels in result["grid"].items()
        }
    stray = next((name for name in names if name not in used), None)
    if stray is not None:
        raise UsageError(f"--map-model {shorten(stray)}: no player of the experiment is called so")
    return result


def overridden(experiment: Experiment, key_names: Mapping[str, str]) -> list[str]:
    """A note for each key whose value does not reach every condition.

    A named level is laid over the experiment, so that what it sets is its own, whoever set the key above.

    Parameters
    ----------
    key_names : mapping of key -> what its user calls it, such as ``--set attitude``
    """
    notes = []
    for key, called in key_names.items():
        full = ALIASES.get(key, key)
        if full.split(".")[0] not in Condition.model_fields or full in experiment.grid:
            continue
        for factor, levels in experiment.grid.items():
            if not isinstance(levels, dict) or factor.split(".")[0] in Condition.model_fields:
                continue
            own = [name for name, level in levels.items() if _sets(level or {}, full)]
            if own:
                which = "all levels" if len(own) == len(levels) else f"level {', '.join(map(str, own))}"
                notes.append(f"{called} has no effect on {which} of {factor}: set there again")
    return notes


def _sets(level: Mapping[str, object], full: str) -> bool:
    """Whether a level sets the key, a part of it, or what it is a part of."""
    names = [ALIASES.get(name, name) for name in level]
    return any(f"{full}.".startswith(f"{name}.") or f"{name}.".startswith(f"{full}.") for name in names)


def load_experiment(
    source: str | Path | Mapping[str, Any] | Experiment,
    *,
    set: Sequence[str] = (),
    models: Sequence[str] = (),
    map_models: Mapping[str, str] | None = None,
    payoff_kind: str | None = None,
    **changes: Any,
) -> Experiment:
    """The experiment of a file or mapping, with changes.

    Parameters
    ----------
    source : path of a .yaml file of ours or a .json file (ours or FAIRGAME's), or the values themselves
    set : ``key=value`` texts
        Laid over last; dotted keys, YAML values; a list makes a factor of the grid.
    models : names of models
        In place of those that the source names.
    map_models : name in the source -> model
    payoff_kind : {"reward", "penalty"}, optional
        What FAIRGAME's numbers are, where its game is not one of the known ones.
    **changes
        Values by key; a list makes a factor of the grid.

    Raises
    ------
    DataError
        The source is no experiment; the message names file, line and the nearest known key.
    UsageError
        A change that cannot be.
    """
    document, called = _read(source, payoff_kind)
    _check_lists(document, called)
    values = with_names(document.values, map_models or {})
    values = with_changes(values, changes)
    values = set_keys(values, set)
    values = with_models(values, models)
    document = Document(values, _lines(document, changes, set))
    experiment = checked(Experiment, document, called=called)
    for key, levels in experiment.grid.items():
        problem = check_factor(key, levels)
        if problem is not None:
            raise DataError(f"{document.where(['grid', key]) or called}: {problem}")
    _check_game(experiment, document, called)
    key_names = {key: key for key in changes} | {key: f"--set {key}" for key in map(_key, set)}
    before = source.notes if isinstance(source, Experiment) else ()
    places = document.lines
    if isinstance(source, str | Path) and "after" not in changes:
        places = {("after",): called, **places}
    return experiment.with_notes([*before, *overridden(experiment, key_names)], places)


def _check_game(experiment: Experiment, document: Document, called: str) -> None:
    """Refuse a game that is none where it is fixed, so that the message can say where it stands."""
    grid = {ALIASES.get(key, key).split(".")[0]: levels for key, levels in experiment.grid.items()}
    if {"game", "payoff_kind"} & grid.keys() or any(isinstance(levels, dict) for levels in grid.values()):
        return
    kind = experiment.payoff_kind
    spec = experiment.game if kind is None else experiment.game.model_copy(update={"kind": kind})
    try:
        spec.stage(experiment.scale)
    except IntentError as error:
        kind_of = GameError if isinstance(error, GameError) else DataError
        raise kind_of(f"{document.where(['game']) or called}: {error}") from None


def _check_lists(document: Document, called: str) -> None:
    """Refuse several values outside the grid, the likeliest slip of somebody new."""
    short = {full: key for key, full in ALIASES.items()}
    for key in Condition.model_fields.keys() - LISTS - {"settings", "reply", "columns"}:
        value = document.values.get(key)
        if isinstance(value, list):
            raise DataError(
                f"{document.where([key]) or called}: {short.get(key, key)} is {shorten(value)}, expected one "
                f"value; several make a factor, under grid"
            )


def _lines(
    document: Document, changes: Mapping[str, Any], items: Sequence[str]
) -> dict[tuple[str, ...], str]:
    """Where the keys stand that are still those of the source, and which ``--set`` the others come from."""
    lines = {path: line for path, line in document.lines.items() if path[0] not in changes}
    for item in items:
        key = _key(item)
        lines[tuple(ALIASES.get(key, key).split("."))] = f"--set {key}"
    return lines


def _key(item: str) -> str:
    return item.partition("=")[0].strip()


def _read(source: Any, payoff_kind: str | None) -> tuple[Document, str]:
    if isinstance(source, Experiment):
        return source.document, source.name
    if isinstance(source, Mapping):
        document, called = Document(dict(source)), "experiment"
    else:
        path = Path(source)
        called = path.name
        document = read_document(path) if path.suffix == ".json" else read_with_includes(path)
        if not _is_fairgame(document.values):
            document = Document({"name": path.stem, **document.values}, document.lines)
    if _is_fairgame(document.values):
        from intent.runner.experiment.fairgame import from_fairgame

        return Document(from_fairgame(document.values, called, payoff_kind)), called
    values = spelled_out({"name": "experiment", **document.values})
    if payoff_kind is not None:
        values = with_changes(values, {"payoff_kind": payoff_kind})
    return Document(values, document.lines), called


def _is_fairgame(values: Mapping[str, Any]) -> bool:
    """Whether a mapping is such a file: no experiment of ours has its keys."""
    return "payoffMatrix" in values or "nRounds" in values


def parse_setting(item: str) -> tuple[str, Any]:
    """Key and YAML value of a ``key=value`` of ``--set``; no value is None.

    Raises
    ------
    UsageError
        No key or equals sign, or a value that is no YAML.
    """
    key, equals, text = item.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--set {shorten(item)!r}, expected KEY=VALUE")
    try:
        return key.strip(), None if not text.strip() else read_value(text, f"--set {shorten(key.strip())}")
    except DataError as error:
        raise UsageError(str(error)) from None


def spelled_out(values: Mapping[str, Any], aliases: Mapping[str, str] = ALIASES) -> dict[str, Any]:
    """The values without short keys.

    Parameters
    ----------
    aliases : short key -> the key it stands for

    Raises
    ------
    DataError
        A key that stands there short and in full.
    """
    result = {key: value for key, value in values.items() if key not in aliases}
    for key, value in values.items():
        if key in aliases:
            if _has(result, aliases[key]):
                raise DataError(f"{key} and {aliases[key]} are the same, expected one of them")
            result = put(result, aliases[key], value)
    for block in BLOCKS:
        if isinstance(values.get(block), Mapping):
            result[block] = _factors(values[block], aliases, block)
    return result


def _factors(factors: Mapping[str, Any], aliases: Mapping[str, str], block: str) -> dict[str, Any]:
    full: dict[str, Any] = {}
    for key, levels in factors.items():
        name = aliases.get(key, key)
        if name in full:
            raise DataError(f"{block}: {key} and {name} are the same factor, expected one of them")
        full[name] = levels
    return full


def _has(values: Mapping[str, Any], key: str) -> bool:
    inner: Any = values
    for part in key.split("."):
        if not isinstance(inner, Mapping) or part not in inner:
            return False
        inner = inner[part]
    return True


LIMIT_DEPTH = 20


def read_with_includes(
    path: str | Path, *, aliases: Mapping[str, str] = ALIASES, parents: tuple[Path, ...] = ()
) -> Document:
    """A file with the files that its key ``include`` lists, relative to it, laid below it in order.

    Parameters
    ----------
    path : path
    aliases : short key -> the key it stands for
    parents : the files that include it

    Raises
    ------
    DataError
        A file that cannot be read, or that includes itself.
    """
    source = Path(path)
    place = source.resolve()
    if place in parents:
        chain = " -> ".join(p.name for p in (*parents[parents.index(place) :], place))
        raise DataError(f"{source.name}: files that include one another ({chain})")
    if len(parents) >= LIMIT_DEPTH:
        raise DataError(f"{source.name}: included more than {LIMIT_DEPTH} deep")
    top = read_document(source)
    listed = top.values.get("include", [])
    names = [listed] if isinstance(listed, str) else listed
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DataError(f"{top.where(['include']) or source.name}: include, expected a list of files")
    whole = Document({})
    for name in names:
        if Path(name).suffix not in (".yaml", ".yml"):
            at = top.where(["include"]) or source.name
            raise DataError(f"{at}: include {shorten(name)!r}, expected a .yaml file")
        below = read_with_includes(source.parent / name, aliases=aliases, parents=(*parents, place))
        whole = _joined(whole, below)
    own = {key: value for key, value in top.values.items() if key != "include"}
    _place_prompts(own, source.parent)
    _place_strategies(own, source.parent)
    own = _place_players(own, source.parent)
    try:
        own = spelled_out(own, aliases)
    except IntentError as error:
        raise DataError(f"{source.name}: {error}") from None
    lines = {_spelled_out_path(path, aliases): line for path, line in top.lines.items()}
    return _joined(whole, Document(own, lines))


def _spelled_out_path(path: tuple[str, ...], aliases: Mapping[str, str]) -> tuple[str, ...]:
    """Where a value stands once short keys are spelled out."""
    if path[0] in BLOCKS and len(path) > 1:
        return (path[0], aliases.get(path[1], path[1]), *path[2:])
    return (*aliases.get(path[0], path[0]).split("."), *path[1:])


def _joined(below: Document, above: Document) -> Document:
    return Document(lay_over(below.values, above.values), {**below.lines, **above.lines})


def _place_prompts(values: dict[str, Any], folder: Path) -> None:
    """Make folders of prompts relative to the file that names them."""

    def placed(source: Any) -> Any:
        if isinstance(source, str) and source not in named_prompts() and not Path(source).is_absolute():
            return str(folder / source)
        return source

    if "prompts" in values:
        values["prompts"] = placed(values["prompts"])
    for block in BLOCKS:
        factors = values.get(block)
        if isinstance(factors, dict) and isinstance(factors.get("prompts"), list):
            values[block] = {**factors, "prompts": [placed(source) for source in factors["prompts"]]}


def _place_strategies(values: dict[str, Any], folder: Path) -> None:
    """Make files of strategies relative to the file that names them."""
    if "strategies" in values:
        values["strategies"] = placed(values["strategies"], folder)
    after = values.get("after")
    label = after.get("label") if isinstance(after, dict) else None
    if isinstance(after, dict) and isinstance(label, dict) and "strategies" in label:
        values["after"] = {**after, "label": {**label, "strategies": placed(label["strategies"], folder)}}


def _place_players(value: Any, folder: Path) -> Any:
    """The values of a file, folders of fitted models (``scripted/FOLDER``) made relative to the file."""
    if isinstance(value, dict):
        return {key: _place_players(one, folder) for key, one in value.items()}
    if isinstance(value, list):
        return [_place_players(one, folder) for one in value]
    if isinstance(value, str) and value.startswith(SCRIPTED):
        path = saved_folder(value, folder)
        if path is not None and not Path(path).is_absolute():
            return f"{SCRIPTED}{(folder / path).resolve()}{name_and_noise(value, folder)[1]}"
    return value


def lay_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`below` with `above` laid over it: mappings are merged, all else is replaced.

    Factors (of the grid) are replaced as a whole, and so is a game that is named above. A value that is fixed
    above ends a factor of the grid below; a factor set to null is dropped, and so is ``FACTOR.LEVEL``, a
    level with a name.

    Raises
    ------
    DataError
        A factor with named levels has no level of the name that is to be dropped.
    """
    result = _merged(below, above)
    for block in BLOCKS:
        if isinstance(result.get(block), dict):
            factors = _without_levels(result[block], block)
            upper = above.get(block)
            new = set(upper) if isinstance(upper, Mapping) else set()
            result[block] = {
                key: levels
                for key, levels in factors.items()
                if levels is not None and (key in new or not _is_stated(above, key.split(".")))
            }
    return result


def _without_levels(factors: Mapping[str, Any], block: str) -> dict[str, Any]:
    """The factors without the named levels that are set to null as ``FACTOR.LEVEL``."""
    result = dict(factors)
    for key, value in factors.items():
        factor, _, level = key.partition(".")
        levels = result.get(factor)
        if value is not None or not level or not isinstance(levels, Mapping):
            continue
        if level not in levels:
            raise DataError(f"{block}.{factor}: {UnknownNameError('level', level, levels)}")
        result[factor] = {name: changes for name, changes in levels.items() if name != level}
    return result


def _is_stated(values: Mapping[str, Any], path: list[str]) -> bool:
    """Whether the values say what stands at a path, or what it is a part of."""
    inner: Any = values
    for part in path:
        if not isinstance(inner, Mapping):
            return True
        if inner.get(part) is None:
            return False
        inner = inner[part]
    return True


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        old = result.get(key)
        if not (isinstance(old, Mapping) and isinstance(value, Mapping)) or (
            key == "table" or (key == "game" and "name" in value)
        ):
            result[key] = value
        elif key in BLOCKS:
            result[key] = {**old, **value}
        else:
            result[key] = _merged(old, value)
    return result
