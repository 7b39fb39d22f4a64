"""The grid of an experiment spelled out: every combination of its factors, as conditions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from intent.base import codebook
from intent.base.errors import DataError, LimitError, nearest, shorten
from intent.base.settings import Document, checked
from intent.runner.experiment.model import Condition, GameSpec
from intent.runner.experiment.settings import ALIASES, is_pattern, misspelt_pattern, patterned, put

if TYPE_CHECKING:
    from intent.runner.experiment.model import Experiment

__all__ = ["LIMIT_GAMES", "Cell", "alike", "cells", "check_factor", "combined"]

T = TypeVar("T")

LIMIT_GAMES = 1_000_000

_COLUMNS: dict[str, str | None] = {
    "game.payoffs": "payoff_type",
    "personas": None,
    "players": None,
    "model": None,
    "horizon": None,
    "rounds": None,
    "labels": None,
    "listed_first": None,
    "named_first": None,
    "opponent_persona_probability": None,
    "others": None,
    "prompts": None,
}
"""Factor -> column of the log that holds its level; None where other columns say it."""

_STANDARD = frozenset(column.name for column in codebook.GAMES + codebook.SEATS)

_PAIRS = {"all": "unordered", "others": "different", "ordered": "ordered"}


@dataclass(frozen=True)
class Cell:
    """One combination of levels.

    Attributes
    ----------
    condition : Condition
    levels : factor -> level as people read it
    columns : condition columns of the log
    """

    condition: Condition
    levels: Mapping[str, Any]
    columns: Mapping[str, Any]


@dataclass(frozen=True)
class _Level:
    shown: Any
    changes: Mapping[str, Any]
    named: bool = False


def cells(experiment: Experiment) -> list[Cell]:
    """All combinations, the last factor varying fastest.

    Raises
    ------
    DataError
        A factor or level that cannot be.
    LimitError
        More than a million games.
    """
    grid = _with_pairs(experiment)
    for key, levels in grid.items():
        problem = check_factor(key, levels)
        if problem is not None:
            raise DataError(f"grid: {problem}")
    base = experiment.model_dump(include=set(Condition.model_fields))
    found: list[Cell] = []
    for values, levels in combined(base, list(grid.items()), _laid_over):
        said = ", ".join(f"{key}={shorten(level.shown, 40)}" for key, level in levels.items())
        called = f"{experiment.name}: grid {said}" if said else experiment.name
        condition = checked(Condition, Document(values), called=called)
        columns = {**condition.columns, **_columns(levels)}
        found.append(Cell(condition, {key: level.shown for key, level in levels.items()}, columns))
        if len(found) * experiment.repetitions > LIMIT_GAMES:
            raise LimitError(f"{experiment.name}: more than {LIMIT_GAMES:,} games")
    typed = alike([cell.columns for cell in found])
    return [replace(cell, columns=row) for cell, row in zip(found, typed, strict=True)]


def check_factor(key: str, levels: Any) -> str | None:
    """What is wrong with a factor, None where nothing is."""
    full = ALIASES.get(key, key)
    if not levels:
        return f"{key} has no levels"
    if isinstance(levels, list) and len({repr(level) for level in levels}) < len(levels):
        return f"{key} lists a level twice: {shorten(levels)}"
    meant = misspelt_pattern(full, levels)
    if meant is not None:
        return f"{key}: unknown pattern {shorten(next(iter(levels)))!r}; did you mean {meant}?"
    if full.split(".")[0] in Condition.model_fields:
        return None
    if isinstance(levels, dict):
        wrong = next(
            (name for name, to in levels.items() if to is not None and not isinstance(to, dict)), None
        )
        return (
            None
            if wrong is None
            else f"{key}: level {wrong} is {shorten(levels[wrong])!r}, expected a mapping"
        )
    near = nearest(key, [*Condition.model_fields, *ALIASES])
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return f"unknown factor {shorten(key)!r}{hint} (a column of the log alone is columns.{key})"


def _with_pairs(experiment: Experiment) -> dict[str, Any]:
    """The grid, with the factor of models turned into one of players where models meet one another."""
    grid = dict(experiment.grid)
    if experiment.pairs == "self":
        return grid
    models = grid.get("model", [experiment.model] if experiment.model else [])
    if (
        isinstance(models, dict)
        or experiment.players
        or experiment.opponent
        or "players" in grid
        or "opponent" in grid
    ):
        raise DataError(f"pairs: {experiment.pairs} makes players of a list of models, and needs that alone")
    players = {_PAIRS[experiment.pairs]: models}
    if "model" in grid:
        return {("players" if k == "model" else k): (players if k == "model" else v) for k, v in grid.items()}
    return {"players": players, **grid}


def combined(
    values: dict[str, Any],
    factors: Sequence[tuple[str, Any]],
    laid_over: Callable[[str, Any, dict[str, Any]], Iterator[tuple[T, dict[str, Any]]]],
) -> Iterator[tuple[dict[str, Any], dict[str, T]]]:
    """Values with every combination of levels laid over them, the last factor varying fastest.

    Parameters
    ----------
    values : dict
    factors : sequence of (key, levels)
    laid_over : from key, levels and values to each level and the values with it
    """
    if not factors:
        yield values, {}
        return
    (key, levels), *rest = factors
    for level, changed in laid_over(key, levels, values):
        for below, others in combined(changed, rest, laid_over):
            yield below, {key: level, **others}


def _laid_over(key: str, levels: Any, values: dict[str, Any]) -> Iterator[tuple[_Level, dict[str, Any]]]:
    for level in _levels(key, levels, values):
        changed = values
        for name, value in level.changes.items():
            changed = put(changed, ALIASES.get(name, name), value)
        yield level, changed


def _levels(key: str, levels: Any, values: Mapping[str, Any]) -> Iterator[_Level]:
    full = ALIASES.get(key, key)
    if is_pattern(full, levels):
        n_players = GameSpec.model_validate(values["game"]).stage().n_players
        for seats in patterned(levels, n_players, key):
            yield _Level(_shown(seats), {full: seats})
    elif isinstance(levels, dict):
        known = full.split(".")[0] in Condition.model_fields
        for name, level in levels.items():
            yield _Level(name, {full: level} if known else dict(level or {}), named=True)
    else:
        for level in levels:
            yield _Level(_shown(level), {full: level})


def _shown(level: Any) -> Any:
    if level is None:
        return "none"
    if isinstance(level, list | tuple):
        return " ".join(str(_shown(part)) for part in level)
    if isinstance(level, dict):
        return str(level.get("name") or json.dumps(level, ensure_ascii=False))
    return level


def _columns(levels: Mapping[str, _Level]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for key, level in levels.items():
        full = ALIASES.get(key, key)
        name = _COLUMNS.get(full, full.rpartition(".")[2])
        if full == "personas" and level.named:
            name = "pairing"
        if name is not None and name not in _STANDARD:
            columns[name] = level.shown
    return columns


def alike(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows with columns of one type each: texts where values are of several; None stays None.

    Examples
    --------
    >>> alike([{"memory": 1}, {"memory": "all"}, {"memory": None}])
    [{'memory': '1'}, {'memory': 'all'}, {'memory': None}]
    """
    kinds: dict[str, set[type]] = {}
    for row in rows:
        for name, value in row.items():
            if value is not None:
                kinds.setdefault(name, set()).add(float if type(value) is int else type(value))
    mixed = {name for name, types in kinds.items() if len(types) > 1}
    return [
        {name: str(v) if name in mixed and v is not None else v for name, v in row.items()} for row in rows
    ]
