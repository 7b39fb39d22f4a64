"""The conditions of a benchmark spelled out: every game in every setting, with every model."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, LimitError, nearest, shorten
from intent.files.settings import Document
from intent.games.gamma.settings import setting_name
from intent.workflows.bench.condition import BENCH_ALIASES, BenchCondition, games_of
from intent.workflows.bench.table import wants_model
from intent.workflows.bench.variants import check_number, combinations, one_at_a_time
from intent.workflows.experiment.grid import combined
from intent.workflows.experiment.put import put
from intent.workflows.values import checked

if TYPE_CHECKING:
    from intent.games.course import CourseGame
    from intent.workflows.bench.benchmark import Benchmark

__all__ = ["PARAMETERS", "Cell", "bench_cells"]

PARAMETERS = "parameters"
"""The factor that varies the games."""

LIMIT_SEATS = 1_000_000
"""Of all tables: each is planned in memory."""

_UNSWEPT = "default"
"""What the level of a swept word is called where the condition stands as it is."""


@dataclass(frozen=True, eq=False)
class Cell:
    """Tables that differ in their repetition alone.

    Attributes
    ----------
    condition : BenchCondition
    game : CourseGame
        One of the eight.
    stage : CourseGame
        What is played: the game, or the same under another surface.
    setting : str, as `setting_name`
    model : str, optional
        None where the table seats no ``model``.
    levels : factor -> level as people read it
    """

    condition: BenchCondition
    game: CourseGame
    stage: CourseGame
    setting: str
    model: str | None
    levels: Mapping[str, Any]


def bench_cells(benchmark: Benchmark) -> list[Cell]:
    """All conditions, each once: by model, then as the grid has them, then the sweep, then the games.

    Raises
    ------
    DataError
        A factor or level that cannot be.
    GameError, UnknownNameError
        Parameters that make no game.
    LimitError
        More than a hundred thousand conditions, or a million seats; said before they are spelled out.
    """
    shared = {*benchmark.sweep} & {*benchmark.grid}
    if shared:
        raise DataError(
            f"{benchmark.name}: {', '.join(sorted(shared))} in sweep and in grid, expected in one"
        )
    for block, factors in (("grid", benchmark.grid), ("sweep", benchmark.sweep)):
        for key, levels in factors.items():
            _check_factor(f"{benchmark.name}: {block}", key, levels)
    grid, swept = (
        [len(levels) for key, levels in factors.items() if key != PARAMETERS]
        for factors in (benchmark.grid, benchmark.sweep)
    )
    check_number(benchmark.name, math.prod(grid) * (1 + sum(swept)) * (len(benchmark.models) or 1))
    found: dict[str, Cell] = {}
    seats = 0
    for number, cell in enumerate(_cells(benchmark), start=1):
        check_number(benchmark.name, number)
        like = [cell.condition.model_dump_json(exclude={"games"}), cell.stage.to_json(), cell.model]
        kept = found.setdefault(json.dumps(like), cell)
        seats += benchmark.repetitions * cell.game.n_players if kept is cell else 0
        if seats > LIMIT_SEATS:
            raise LimitError(f"{benchmark.name}: more than {LIMIT_SEATS:,} seats of all tables")
    if not found:
        raise DataError(
            f"{benchmark.name}: nothing is played, expected a game of the benchmark in some level"
        )
    return list(found.values())


def _cells(benchmark: Benchmark) -> Iterator[Cell]:
    from intent.games.gamma.relabelled import relabelled

    conditions = list(_conditions(benchmark))
    for i, model in enumerate(benchmark.models or (None,)):
        for condition, levels, swept in conditions:
            seats_model = wants_model(condition.table)
            if not seats_model and i:
                continue
            for name, parameters in condition.games.items():
                settings: Iterable[dict[str, Any]] = combinations(
                    name, benchmark.grid.get(PARAMETERS), parameters
                )
                if not swept:
                    asked = benchmark.sweep.get(PARAMETERS)
                    settings = (one for base in settings for one in one_at_a_time(name, asked, base))
                for own in settings:
                    game = _game(benchmark.name, name, condition.players, own)
                    stage = relabelled(game) if condition.relabelled else game
                    playing = model if seats_model else None
                    yield Cell(condition, game, stage, setting_name(game), playing, levels)


def _game(called: str, name: str, players: int, parameters: Mapping[str, Any]) -> CourseGame:
    from intent.games.gamma import gamma_game

    try:
        return gamma_game(name, **{"n_players": players, **parameters})
    except TypeError as error:
        raise DataError(
            f"{called}: parameters of {name} {shorten(dict(parameters))}: {shorten(error)}"
        ) from None


def _conditions(benchmark: Benchmark) -> Iterator[tuple[BenchCondition, dict[str, Any], bool]]:
    """Conditions with their levels, and whether the sweep has made them something else than the base."""
    base = benchmark.model_dump(include=set(BenchCondition.model_fields))
    grid = [(key, levels) for key, levels in benchmark.grid.items() if key != PARAMETERS]
    sweep = [(key, levels) for key, levels in benchmark.sweep.items() if key != PARAMETERS]
    for values, shown in combined(base, grid, _laid_over):
        unswept = {key: _named(key, levels, values) for key, levels in sweep}
        yield _condition(benchmark, values, shown), {**shown, **unswept}, False
        for key, levels in sweep:
            for name, changes in _levels(key, levels):
                level = {**shown, **unswept, key: name}
                yield _condition(benchmark, _changed(values, changes), level), level, True


def _laid_over(key: str, levels: Any, values: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    for name, changes in _levels(key, levels):
        yield name, _changed(values, changes)


def _levels(key: str, levels: Any) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Levels as people read them, and what each changes."""
    full = BENCH_ALIASES.get(key, key)
    known = full.split(".")[0] in BenchCondition.model_fields
    if isinstance(levels, Mapping):
        for name, level in levels.items():
            yield name, ({full: level} if known else dict(level or {}))
    else:
        for level in levels:
            yield _shown(level), {full: level}


def _changed(values: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The values with a level laid over them; the games of a level are those for which it is played."""
    for key, value in changes.items():
        if key == "games":
            mine: Any = values["games"]
            named = games_of(value)
            if not isinstance(named, Mapping) or not all(isinstance(own, Mapping) for own in named.values()):
                raise DataError(f"games {shorten(value)!r}, expected names, or names with parameters")
            value = {name: {**mine[name], **own} for name, own in named.items() if name in mine}
        values = put(values, BENCH_ALIASES.get(key, key), value)
    return values


def _condition(benchmark: Benchmark, values: dict[str, Any], levels: Mapping[str, Any]) -> BenchCondition:
    said = ", ".join(f"{key}={shorten(level, 40)}" for key, level in levels.items())
    return checked(
        BenchCondition, Document(values), called=f"{benchmark.name}: {said}" if said else benchmark.name
    )


def _named(key: str, levels: Any, values: Mapping[str, Any]) -> Any:
    """The level that the condition has as it stands."""
    path = BENCH_ALIASES.get(key, key).split(".")
    if path[0] not in BenchCondition.model_fields:
        return _UNSWEPT
    found: Any = values
    for part in path:
        found = found.get(part) if isinstance(found, Mapping) else getattr(found, part, None)
    if isinstance(levels, Mapping):
        return next((name for name, level in levels.items() if level == found), _UNSWEPT)
    return _shown(found)


def _shown(level: Any) -> Any:
    if level is None:
        return "none"
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, float):
        return int(level) if level.is_integer() else level
    if isinstance(level, list | tuple):
        return " ".join(str(_shown(part)) for part in level)
    if isinstance(level, Mapping):
        return ", ".join(f"{key}×{_shown(value)}" for key, value in level.items())
    return level


def _check_factor(where: str, key: str, levels: Any) -> None:
    if not levels:
        raise DataError(f"{where}: {key} has no levels")
    if key == PARAMETERS:
        if isinstance(levels, Mapping):
            games_of(levels)
        elif levels != "paper":
            raise DataError(f"{where}: parameters {shorten(levels)!r}, expected paper or game: parameters")
        return
    if isinstance(levels, str):
        raise DataError(f"{where}: {key} is {shorten(levels)!r}, expected a list of values")
    if BENCH_ALIASES.get(key, key).split(".")[0] in BenchCondition.model_fields:
        return
    if not isinstance(levels, Mapping):
        near = nearest(key, [*BenchCondition.model_fields, *BENCH_ALIASES, PARAMETERS])
        hint = (
            f"; did you mean {', '.join(near)}?" if near else " (a column of the log alone is columns.NAME)"
        )
        raise DataError(f"{where}: unknown factor {shorten(key)!r}{hint}")
    if _UNSWEPT in levels and where.endswith("sweep"):
        raise DataError(f"{where}: {key}: level {_UNSWEPT}, expected another name than {_UNSWEPT}")
    for name, level in levels.items():
        if level is not None and not isinstance(level, Mapping):
            raise DataError(
                f"{where}: {key}: level {shorten(name)} is {shorten(level)!r}, expected a mapping"
            )
