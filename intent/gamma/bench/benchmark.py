"""A benchmark file as typed values: games, models and conditions, how often, how the run is driven.

Load a benchmark from a file or values, with changes.

The conditions of a benchmark spelled out: every game in every setting, with every model.

Who takes which seat of a benchmark's table, and how a model there is asked.

From a benchmark to the plans of its games, with common random numbers.

The prompts that a benchmark is played with, by the names that its plans give them.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import Field, field_validator

from intent.agents.client import Settings
from intent.agents.clients.registry import SEEDED, provider_of
from intent.agents.plan import GamePlan, SeatPlan, parse_player
from intent.base.errors import DataError, IntentError, LimitError, nearest, shorten
from intent.base.settings import Document, checked, read_document
from intent.gamma.bench.conditions import (
    BENCH_ALIASES,
    BenchCondition,
    check_number,
    combinations,
    games_of,
    one_at_a_time,
    seat_players,
    table_name,
    wants_model,
)
from intent.gamma.catalogue import bench_game, setting_name
from intent.runner.experiment.file import Runtime, lay_over, parse_setting, read_with_includes, spelled_out
from intent.runner.experiment.grid import BLOCKS, alike, combined, put
from intent.runner.experiment.plans import loaded_prompts, prompt_names

if TYPE_CHECKING:
    from intent.agents.prompts.prompt_set import PromptSet
    from intent.games.game import CourseGame


__all__ = [
    "RUNTIME",
    "Benchmark",
    "Cell",
    "bench_cells",
    "bench_prompts",
    "bench_seed",
    "load_benchmark",
    "make_plans",
]


KIND = "gamma"
"""What the key ``benchmark`` of a file says, by which `intent play` knows what it is."""

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

    - ``parameters: paper`` varies every game as the paper did (`intent.gamma.bench.conditions`);
    - ``parameters: {bar: {ratio: [20%, 60%], mode: [implicit, explicit]}}`` varies these, in a sweep one at a
      time, in a grid in all combinations;
    - ``parameters: {diner: [{cheap_price: 11, cheap_utility: 5}]}`` lists settings as they stand;
    - ``treatment: {smart: {told: smart}, random: {told: random, games: [guessing]}}`` has two levels, the
      second of which is for one of the games alone.

    References
    ----------
    Huang et al. 2024, arXiv:2403.11807.
    """

    run_key: ClassVar[str] = "benchmark"

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
        return make_plans(self)

    def prompt_names(self) -> dict[str, str]:
        """Where prompts come from, by name or folder -> their short name in plans."""
        return prompt_names(cell.condition.prompts for cell in bench_cells(self))

    def levels(self, plans: Sequence[GamePlan]) -> list[dict[str, Any]]:
        """What tells each condition from the others, as people read it, in the order of its plans."""
        return [
            {
                **({} if cell.model is None else {"model": cell.model}),
                **({"table": plan.columns["table"]} if "table" in plan.columns else {}),
                **cell.levels,
                "game": plan.game,
                "setting": cell.setting,
            }
            for cell, plan in zip(bench_cells(self), plans, strict=False)
        ]

    def design(self) -> dict[str, Any]:
        """Everything that decides which games are played, as JSON-able values."""
        return self.model_dump(mode="json", exclude=set(RUNTIME))


_LISTS = frozenset({"games", "models", "settings.stop", "table"})
"""Keys that take a list themselves; for any other, a list makes a factor of the grid."""

_OWN = frozenset({*BLOCKS, "limits", "model_settings", "prices"})


def load_benchmark(
    source: str | Path | Mapping[str, Any] | Benchmark | None = None,
    *,
    set: Sequence[str] = (),
    models: Sequence[str] = (),
    games: Sequence[str] = (),
    **changes: Any,
) -> Benchmark:
    """The benchmark of a file or mapping, with changes.

    Parameters
    ----------
    source : path of a .yaml or .json file, the values themselves, or nothing: the eight games as published
    set : ``key=value`` texts
        Laid over last; dotted keys, YAML values; a list makes a factor of the grid.
    models : names
        In place of those of the source.
    games : names
        In place of those of the source, whose parameters of these games stay.
    **changes
        Values by key; a list makes a factor of the grid.

    Raises
    ------
    DataError
        The source is no benchmark; the message names file, line and the nearest known key.
    UsageError
        A change that cannot be.

    Examples
    --------
    >>> load_benchmark(games=["bar"], temperature=[0, 1], models=["scripted/RANDOM"]).grid
    {'settings.temperature': [0, 1]}
    """
    document, called = _read(source)
    values = {key: value for key, value in document.values.items() if key != Benchmark.run_key}
    if (kind := document.values.get(Benchmark.run_key, KIND)) != KIND:
        raise DataError(
            f"{document.where([Benchmark.run_key]) or called}: benchmark {shorten(kind)!r}, expected {KIND}"
        )
    items = [(key, list(v) if isinstance(v, tuple) else v) for key, v in changes.items()]
    for key, value in (*items, *map(parse_setting, set)):
        values = _changed(values, key, value)
    if models:
        values["models"] = list(models)
    if games:
        values["games"] = _only(games, values.get("games", "all"))
    benchmark = checked(Benchmark, Document(values, document.lines), called=called)
    _check_games(benchmark, document, called)
    return benchmark


def _read(source: Any) -> tuple[Document, str]:
    if source is None:
        return Document({}), "gamma"
    if isinstance(source, Benchmark):
        return Document(source.model_dump(mode="json", exclude_unset=True)), source.name
    if isinstance(source, Mapping):
        return Document(spelled_out(source, BENCH_ALIASES)), str(source.get("name", "benchmark"))
    path = Path(source)
    if path.suffix == ".json":
        document = read_document(path)
        document = Document(spelled_out(document.values, BENCH_ALIASES), document.lines)
    else:
        document = read_with_includes(path, aliases=BENCH_ALIASES)
    return Document({"name": path.stem, **document.values}, document.lines), path.name


def _changed(values: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The values with one laid over them; a factor of that name ends, or begins with a list."""
    head, _, factor = key.partition(".")
    if head in BLOCKS and factor:
        name = BENCH_ALIASES.get(factor, factor)
        listed = isinstance(value, list | dict) or value is None or name == "parameters"
        return lay_over(values, {head: {name: value if listed else [value]}})
    full = BENCH_ALIASES.get(key, key)
    freed = {
        **values,
        **{block: {k: v for k, v in (values.get(block) or {}).items() if k != full} for block in BLOCKS},
    }
    if isinstance(value, list) and full not in _LISTS and full.split(".")[0] not in _OWN:
        return lay_over(freed, {"grid": {full: value}})
    return lay_over(freed if full.split(".")[0] not in _OWN else values, put({}, full, value))


def _only(names: Sequence[str], known: Any) -> Any:
    """These games, with the parameters that the source has for them."""
    games_of(list(names))
    fixed = games_of(known)
    return {name: (fixed.get(name) if isinstance(fixed, Mapping) else None) or {} for name in names}


def _check_games(benchmark: Benchmark, document: Document, called: str) -> None:
    """Refuse parameters that make no game where they are fixed, so that the message can say where."""
    from intent.gamma.catalogue import gamma_game

    for name, parameters in benchmark.games.items():
        try:
            gamma_game(name, **{"n_players": benchmark.players, **parameters})
        except (IntentError, TypeError) as error:
            at = document.where(["games", name]) or called
            raise DataError(f"{at}: {error}") from None


_PARAMETERS = "parameters"
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
        [len(levels) for key, levels in factors.items() if key != _PARAMETERS]
        for factors in (benchmark.grid, benchmark.sweep)
    )
    check_number(benchmark.name, math.prod(grid) * (1 + sum(swept)) * (len(benchmark.models) or 1))
    unique: dict[str, Cell] = {}
    seats = 0
    for number, cell in enumerate(_cells(benchmark), start=1):
        check_number(benchmark.name, number)
        like = [cell.condition.model_dump_json(exclude={"games"}), cell.stage.to_json(), cell.model]
        first = unique.setdefault(json.dumps(like), cell)
        seats += benchmark.repetitions * cell.game.n_players if first is cell else 0
        if seats > LIMIT_SEATS:
            raise LimitError(f"{benchmark.name}: more than {LIMIT_SEATS:,} seats of all tables")
    if not unique:
        raise DataError(
            f"{benchmark.name}: nothing is played, expected a game of the benchmark in some level"
        )
    return list(unique.values())


def _cells(benchmark: Benchmark) -> Iterator[Cell]:
    from intent.gamma.stories import relabelled

    conditions = list(_conditions(benchmark))
    for i, model in enumerate(benchmark.models or (None,)):
        for condition, levels, swept in conditions:
            seats_model = wants_model(condition.table)
            if not seats_model and i:
                continue
            for name, parameters in condition.games.items():
                settings: Iterable[dict[str, Any]] = combinations(
                    name, benchmark.grid.get(_PARAMETERS), parameters
                )
                if not swept:
                    sweep = benchmark.sweep.get(_PARAMETERS)
                    settings = (one for base in settings for one in one_at_a_time(name, sweep, base))
                for own in settings:
                    game = _game(benchmark.name, name, condition.players, own)
                    stage = relabelled(game) if condition.relabelled else game
                    playing = model if seats_model else None
                    yield Cell(condition, game, stage, setting_name(game), playing, levels)


def _game(called: str, name: str, players: int, parameters: Mapping[str, Any]) -> CourseGame:
    from intent.gamma.catalogue import gamma_game

    try:
        return gamma_game(name, **{"n_players": players, **parameters})
    except TypeError as error:
        raise DataError(
            f"{called}: parameters of {name} {shorten(dict(parameters))}: {shorten(error)}"
        ) from None


def _conditions(benchmark: Benchmark) -> Iterator[tuple[BenchCondition, dict[str, Any], bool]]:
    """Conditions with their levels, and whether the sweep has made them something else than the base."""
    base = benchmark.model_dump(include=set(BenchCondition.model_fields))
    grid = [(key, levels) for key, levels in benchmark.grid.items() if key != _PARAMETERS]
    sweep = [(key, levels) for key, levels in benchmark.sweep.items() if key != _PARAMETERS]
    for values, shown in combined(base, grid, _laid_over):
        unswept = {key: _named(key, levels, values) for key, levels in sweep}
        yield _condition(benchmark, values, shown), {**shown, **unswept}, False
        for key, levels in sweep:
            for name, changes in _levels(key, levels):
                level = {**shown, **unswept, key: name}
                yield _condition(benchmark, _cells_changed(values, changes), level), level, True


def _laid_over(key: str, levels: Any, values: dict[str, Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    for name, changes in _levels(key, levels):
        yield name, _cells_changed(values, changes)


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


def _cells_changed(values: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
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
    label = ", ".join(f"{key}={shorten(level, 40)}" for key, level in levels.items())
    return checked(
        BenchCondition, Document(values), called=f"{benchmark.name}: {label}" if label else benchmark.name
    )


def _named(key: str, levels: Any, values: Mapping[str, Any]) -> Any:
    """The level that the condition has as it stands."""
    path = BENCH_ALIASES.get(key, key).split(".")
    if path[0] not in BenchCondition.model_fields:
        return _UNSWEPT
    value: Any = values
    for part in path:
        value = value.get(part) if isinstance(value, Mapping) else getattr(value, part, None)
    if isinstance(levels, Mapping):
        return next((name for name, level in levels.items() if level == value), _UNSWEPT)
    return _shown(value)


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
    if key == _PARAMETERS:
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
        near = nearest(key, [*BenchCondition.model_fields, *BENCH_ALIASES, _PARAMETERS])
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


def _bench_seat(benchmark: Benchmark, condition: BenchCondition, player: str, seat: int) -> SeatPlan:
    """The plan of one seat; strategies and humans have no persona and nothing that prompts say."""
    name = f"player_{seat}"
    if parse_player(player).kind != "model":
        return SeatPlan(player=player, name=name)
    thinks = condition.chain_of_thought is not None
    return SeatPlan(
        player=player,
        name=name,
        persona=condition.persona,
        architecture="chain_of_thought" if thinks else "plain",
        options={
            **condition.options,
            **({"told": condition.told} if condition.told is not None else {}),
            **({"phrase": condition.chain_of_thought} if thinks else {}),
        },
        settings=_settings(benchmark, condition, player),
    )


def _settings(benchmark: Benchmark, condition: BenchCondition, player: str) -> Settings:
    """Those of the condition, with the model's own over them; who can be seeded is, so that runs repeat."""
    own: dict[str, Any] = {}
    if player in benchmark.model_settings:
        own = benchmark.model_settings[player].model_dump(exclude_unset=True)
    if provider_of(player) in SEEDED:
        own = {"seeded": True, **own}
    return Settings.model_validate({**condition.settings.model_dump(), **own})


_COLUMNS: Mapping[str, str | None] = {
    "persona": "role",
    "told": "treatment",
    "settings.temperature": None,
    "temperature": None,
    "version": None,
    "language": None,
    "table": None,
    "players": None,
    "rounds": None,
    "relabelled": None,
    _PARAMETERS: None,
}
"""Factor -> column of the log that holds its level; None where another column says it."""


def make_plans(benchmark: Benchmark) -> list[GamePlan]:
    """The games of a benchmark, repetition after repetition.

    Raises
    ------
    DataError, GameError, UnknownNameError
        A condition that makes no game.
    """
    cells = bench_cells(benchmark)
    names = prompt_names(cell.condition.prompts for cell in cells)
    tables = any(cell.condition.table is not None for cell in cells)
    columns = alike([_columns(cell, tables) for cell in cells])
    return [
        _plan(benchmark, cell, fixed, repetition, (repetition - 1) * len(cells) + place, names)
        for repetition in range(1, benchmark.repetitions + 1)
        for place, (cell, fixed) in enumerate(zip(cells, columns, strict=True), start=1)
    ]


def bench_seed(seed: int, game: CourseGame, repetition: int) -> int:
    """Forty-eight bits that follow from seed, game, setting and repetition alone.

    Tables that differ in model, wording, surface, language, temperature, persona or company share them: their
    luck (hits, ties, seats) is the same, so that differences of scores are paired.

    Parameters
    ----------
    seed : int, of the benchmark
    game : CourseGame
        One of the eight, not another surface of it.
    repetition : int, from 1
    """
    text = json.dumps(["gamma", seed, game.name, game.to_json(), repetition])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def _planned_rounds(game: CourseGame, rounds: int) -> int:
    """Most rounds of a match: pirates are gone after as many as there are players."""
    return bench_game(game.name).most_rounds(rounds, game.n_players)


def _plan(
    benchmark: Benchmark,
    cell: Cell,
    columns: dict[str, Any],
    repetition: int,
    number: int,
    prompts: Mapping[str, str],
) -> GamePlan:
    condition, game = cell.condition, cell.game
    seed = bench_seed(benchmark.seed, game, repetition)
    chairs = np.random.default_rng([seed, game.n_players])
    players = seat_players(condition.table, cell.model, game.n_players, chairs)
    reply = condition.reply
    if reply.then == "default":
        if game.name not in condition.defaults and reply.default is None:
            raise DataError(
                f"{benchmark.name}: reply.then is default, but defaults has no action of {game.name}"
            )
        reply = reply.model_copy(update={"default": condition.defaults.get(game.name, reply.default)})
    return GamePlan.of(
        cell.stage,
        game_id=f"g{number:06d}",
        rounds=_planned_rounds(game, condition.rounds),
        language=condition.language,
        prompts=prompts[condition.prompts],
        framing=condition.version,
        memory=condition.memory,
        reply=reply,
        seats=tuple(
            _bench_seat(benchmark, condition, player, seat) for seat, player in enumerate(players, start=1)
        ),
        repetition=repetition,
        seed=seed,
        columns={**columns, **({"table": table_name(players)} if "table" in columns else {})},
    )


def _columns(cell: Cell, tables: bool) -> dict[str, Any]:
    """Condition columns of the log; who sits at a table is filled in when they sit there."""
    condition = cell.condition
    columns: dict[str, Any] = {
        **condition.columns,
        "setting": cell.setting,
        "version": condition.version,
        "temperature": condition.settings.temperature,
    }
    if tables:
        columns["table"] = None
    for key, level in cell.levels.items():
        name = _COLUMNS.get(key, key.rpartition(".")[2])
        if name is not None:
            columns[name] = level
    return columns


def bench_prompts(benchmark: Benchmark, plans: Sequence[GamePlan]) -> dict[str, PromptSet]:
    """Name -> prompts, checked against every condition in which a language model or a human plays.

    Raises
    ------
    PromptError
        A folder that holds no prompts, or a condition that has no words.
    """
    from intent.gamma.templates import GamaTemplates, gamma_source

    names = benchmark.prompt_names()
    prompted = [
        plan for plan in plans if plan.repetition == 1 and any(seat.kind != "scripted" for seat in plan.seats)
    ]

    def load(source: str, name: str) -> PromptSet:
        prompts = gamma_source(source)
        if isinstance(prompts, GamaTemplates):
            prompts.check_files(plan for plan in prompted if plan.prompts == name)
        return prompts

    return loaded_prompts(names, prompted, load)
