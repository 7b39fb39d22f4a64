"""An experiment from a file of ours or of FAIRGAME's, with changes from the command line or Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from intent.agents.plan import parse_player
from intent.base.errors import DataError, GameError, IntentError, UsageError, shorten
from intent.base.settings import Document, checked, read_document
from intent.runner.experiment.grid import Condition, check_factor
from intent.runner.experiment.model import Experiment
from intent.runner.experiment.settings import (
    ALIASES,
    PATTERNS,
    lay_over,
    parse_setting,
    put,
    read_with_includes,
    spelled_out,
)

__all__ = ["LISTS", "load_experiment", "overridden"]


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

_OWN = frozenset({"after", "fairgame", "grid", "limits", "model_settings", "persona_texts", "prices"})


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
    """The values with every ``key=value`` of ``--set`` put in its place, in order.

    Raises
    ------
    UsageError
        An item without key or equals sign, or a value that is no YAML.
    """
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
    return parse_player(player).kind != "model"


def with_names(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The values with models called by other names, wherever a player is named.

    Parameters
    ----------
    names : mapping of name in the file -> client

    Raises
    ------
    UsageError
        A name that the file does not have.
    """
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
    return experiment.with_notes([*before, *overridden(experiment, key_names)])


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
        return Document(source.model_dump(mode="json", exclude_unset=True)), source.name
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
