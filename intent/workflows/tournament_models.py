"""Language models in a tournament: their games are a run of the runner, whose moves join the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import RunError, shorten

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from intent.arena.entrant import Entrant
    from intent.arena.match import MatchRules
    from intent.arena.round_robin import RoundRobin
    from intent.arena.streams import Salt
    from intent.games.matrix import MatrixGame
    from intent.logs.gamelog import GameLog

__all__ = ["ModelGames", "check_models", "play_models"]

FOLDER = "models"
"""Within the folder of a tournament: the run folder of the models' games."""


@dataclass(frozen=True, eq=False)
class ModelGames:
    """Games with language models, played.

    Parameters
    ----------
    table : RoundRobin
        Of the strategies, then the models.
    summary : dict, as `schema.JSON_OBJECTS["play"]`: calls, cost, errors
    notes : tuple of str
    """

    table: RoundRobin
    summary: dict[str, Any]
    notes: tuple[str, ...]


def check_models(
    field: Sequence[Entrant],
    models: Sequence[str],
    rules: MatchRules,
    game: MatrixGame,
    *,
    seed: int = 0,
    self_play: bool = True,
    changes: Mapping[str, Any] | None = None,
    callables: Mapping[str, Callable[..., Any]] | None = None,
) -> None:
    """Refuse models that could not be asked, before a strategy plays: a key that is missing, an unknown name.

    Raises
    ------
    IntentError
        As `model_experiment` and `checked_run` say.
    """
    from intent.workflows.new_run import checked_run
    from intent.workflows.own_loop import in_own_loop
    from intent.workflows.tournament_calls import model_experiment

    experiment, _ = model_experiment(
        field, models, rules, game, seed=seed, self_play=self_play, changes=changes
    )
    clients = checked_run(experiment, callables)[2]

    async def close() -> None:
        for client in clients:
            await client.close()

    in_own_loop(close)


def play_models(
    table: RoundRobin,
    models: Sequence[str],
    game: MatrixGame,
    folder: Path,
    salt: Salt,
    *,
    seed: int = 0,
    self_play: bool = True,
    changes: Mapping[str, Any] | None = None,
    callables: Mapping[str, Callable[..., Any]] | None = None,
) -> ModelGames:
    """Let language models join a round robin that strategies have played.

    All pairs have the length and the number of repetitions of the table, so that no score rests on longer
    games than another. The games are a run folder, ``FOLDER`` below `folder`: what was answered before is
    not asked again, and `intent status` and `intent export` read it. A game in which a reply could not be
    read, or written code failed, ends there and does not count.

    Parameters
    ----------
    table : RoundRobin, of the strategies
    models : names, as in an experiment file
    game : MatrixGame
    folder : of the tournament
    salt : Salt, of the tournament; written code draws from it
    seed, self_play, changes : as `model_experiment`
    callables : mapping of name -> async function, for models ``python/NAME``

    Raises
    ------
    UsageError
        As `model_experiment`.
    RunError
        The folder holds a run of other games, or no game came to its end.
    """
    from intent.arena.model_seats import LiveSeats, model_entrant
    from intent.arena.model_table import join_models
    from intent.runner.run import Run
    from intent.tracking.base import NullTracker
    from intent.workflows.new_run import new_run
    from intent.workflows.resume import experiment_of
    from intent.workflows.run_finish import finish
    from intent.workflows.run_models import make_clients
    from intent.workflows.run_session import play_session
    from intent.workflows.tournament_calls import model_experiment

    rules, repetitions = table.rules, table.outcomes.shape[2]
    experiment, pairs = model_experiment(
        table.field,
        models,
        rules,
        game,
        repetitions=repetitions,
        seed=seed,
        left_out=_absent(table),
        self_play=self_play,
        changes=changes,
    )
    place = folder / FOLDER
    if (place / "run.json").is_file():
        run = Run.open(place)
        experiment = experiment_of(run, experiment)
        clients = make_clients(list(run.plans()), experiment, callables or {})
    else:
        run, clients = new_run(experiment, place, callables)
    seats = LiveSeats(table.field, rules, salt)
    try:
        outcome = play_session(run, experiment, clients, agents_of=seats.agents_of)
    finally:
        seats.close()
    result = finish(run, experiment, outcome, NullTracker())
    games, lost = _games(result.log, pairs, rules.turns)
    planned = len(pairs) * repetitions
    if not games:
        why = result.summary["reason"] or next(iter(result.summary["notes"]), None)
        if why is None:
            why = (
                f"no reply could be read; intent export {place} --calls FILE.csv writes them, and "
                "settings: {max_tokens: 16, constrained: true} in --model-settings, with another -o, keeps "
                "them short"
            )
        raise RunError(f"none of {planned} games with language models came to its end: {shorten(why, 400)}")
    notes = [
        f"with language models, all pairs play {rules.turns} rounds, "
        f"{'once' if repetitions == 1 else f'{repetitions} times'}",
        *result.summary["notes"],
    ]
    if result.summary["reason"]:
        notes.append(f"language models stopped early: {result.summary['reason']}; the same command goes on")
    if len(games) < planned:
        notes.append(
            f"{planned - len(games)} of {planned} games with language models do not count: in {lost} a reply "
            "could not be read, the others were not played to the end"
        )
    joined = join_models(table, [model_entrant(model) for model in models], games)
    return ModelGames(joined, result.summary, tuple(notes))


def _absent(table: RoundRobin) -> frozenset[int]:
    """Strategies without any match: they were disqualified."""
    import numpy as np

    alone = ~np.asarray(table.played).any(axis=(1, 2))
    return frozenset(np.flatnonzero(alone).tolist()) if len(table.field) > 1 else frozenset()


def _games(
    log: GameLog, pairs: Mapping[str, tuple[int, int]], turns: int
) -> tuple[dict[tuple[int, int, int], NDArray[np.uint8]], int]:
    """Complete games by places and repetition, and how many were ended by a reply."""
    import numpy as np

    from intent.workflows.tournament_calls import PAIR

    found: dict[tuple[int, int, int], NDArray[np.uint8]] = {}
    lost = 0
    moves = log.moves.sort_values(["game_id", "seat", "round"])
    by_game = dict(tuple(moves.groupby("game_id", sort=False)))
    for game_id, pair, repetition in zip(
        log.games["game_id"], log.games[PAIR], log.games["repetition"], strict=True
    ):
        rows = by_game.get(game_id)
        if rows is None or len(rows) != 2 * turns or rows["cooperated"].isna().any():
            lost += 1
            continue
        first, second = pairs[str(pair)]
        cube = rows["cooperated"].to_numpy(dtype=np.uint8).reshape(2, turns)
        found[first, second, int(repetition) - 1] = cube
    return found, lost
