"""From a benchmark to the plans of its games, with common random numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.agents.plan import GamePlan
from intent.errors import DataError
from intent.workflows.bench.cells import PARAMETERS, Cell, bench_cells
from intent.workflows.bench.seats import bench_seat
from intent.workflows.bench.table import seated, table_name
from intent.workflows.experiment.grid import alike
from intent.workflows.experiment.prompt_names import prompt_names

if TYPE_CHECKING:
    from intent.games.course import CourseGame
    from intent.workflows.bench.benchmark import Benchmark

__all__ = ["bench_seed", "make_plans", "planned_rounds"]

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
    PARAMETERS: None,
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


def planned_rounds(game: CourseGame, rounds: int) -> int:
    """Most rounds of a match: pirates are gone after as many as there are players."""
    return min(rounds, game.n_players) if game.name == "pirate" else rounds


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
    players = seated(condition.table, cell.model, game.n_players, chairs)
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
        rounds=planned_rounds(game, condition.rounds),
        language=condition.language,
        prompts=prompts[condition.prompts],
        framing=condition.version,
        memory=condition.memory,
        reply=reply,
        seats=tuple(
            bench_seat(benchmark, condition, player, seat) for seat, player in enumerate(players, start=1)
        ),
        repetition=repetition,
        seed=seed,
        columns={**columns, **({"table": table_name(players)} if "table" in columns else {})},
    )


def _columns(cell: Cell, tables: bool) -> dict[str, Any]:
    """Condition columns of the log; who sits at a table is filled in when they sit there."""
    condition = cell.condition
    found: dict[str, Any] = {
        **condition.columns,
        "setting": cell.setting,
        "version": condition.version,
        "temperature": condition.settings.temperature,
    }
    if tables:
        found["table"] = None
    for key, level in cell.levels.items():
        name = _COLUMNS.get(key, key.rpartition(".")[2])
        if name is not None:
            found[name] = level
    return found
