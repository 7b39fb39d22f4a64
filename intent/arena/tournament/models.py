"""Language models in a tournament: their games are a run of the runner, whose moves join the table.

Strategies in written code play with them live, move by move, in their sandbox.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from intent.agents.agent import Agent, Ask, Decision, make_agents
from intent.agents.plan import SCRIPTED, WRITTEN, GamePlan, parse_player, seat_columns
from intent.agents.prompts.prompt_set import PromptSet
from intent.arena.entrant import MODEL_SOURCE, Entrant
from intent.arena.match import MatchRules
from intent.arena.streams import Salt
from intent.base.errors import GameError, RunError, UsageError, shorten
from intent.base.job import Summary
from intent.play.match import View
from intent.play.players import action_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intent.arena.requests import TournamentRequest
    from intent.arena.tournament.table import RoundRobin
    from intent.games.game import MatrixGame
    from intent.logs.gamelog import GameLog
    from intent.runner.experiment.file import Experiment

__all__ = [
    "MODEL_REPETITIONS",
    "MODEL_TURNS",
    "PAIR",
    "CallCount",
    "LiveSeats",
    "ModelGames",
    "WrittenAgent",
    "check_models",
    "count_calls",
    "model_entrant",
    "model_experiment",
    "model_pairs",
    "play_models",
    "seat_player",
]


FOLDER = "models"
"""Within the folder of a tournament: the run folder of the models' games."""


@dataclass(frozen=True, eq=False)
class ModelGames:
    """Games with language models, played.

    Parameters
    ----------
    table : RoundRobin
        Of the strategies, then the models.
    summary : dict, as `json_objects.JSON_OBJECTS["play"]`: calls, cost, errors
    """

    table: RoundRobin
    summary: dict[str, Any]
    notes: tuple[str, ...]


def check_models(
    field: Sequence[Entrant], request: TournamentRequest, rules: MatchRules, game: MatrixGame
) -> None:
    """Refuse models that could not be asked, before a strategy plays: a key that is missing, an unknown name.

    Raises
    ------
    IntentError
        As `model_experiment` and `checked_run` say.
    """
    from intent.runner.caller import in_own_loop
    from intent.runner.play import checked_run

    experiment, _ = model_experiment(field, request, rules, game)
    clients = checked_run(experiment, request.callables)[2]

    async def close() -> None:
        for client in clients:
            await client.close()

    in_own_loop(close)


def play_models(
    table: RoundRobin, request: TournamentRequest, game: MatrixGame, folder: Path, salt: Salt
) -> ModelGames:
    """Let language models join a round robin that strategies have played.

    All pairs have the length and the number of repetitions of the table, so that no score rests on longer
    games than another. The games are a run folder, ``FOLDER`` below `folder`: what was answered before is
    not asked again, and `intent status` and `intent export` read it. A game in which a reply could not be
    read, or written code failed, ends there and does not count.

    Parameters
    ----------
    table : RoundRobin, of the strategies
    folder : of the tournament
    salt : Salt, of the tournament; written code draws from it

    Raises
    ------
    UsageError
        As `model_experiment`.
    RunError
        The folder holds a run of other games, or no game came to its end.
    """
    from intent.arena.tournament.table import join_models
    from intent.base.tracking import NullTracker
    from intent.runner.caller import make_clients
    from intent.runner.finish import finish
    from intent.runner.play import experiment_of, new_run, play_session
    from intent.runner.run import Run

    rules, repetitions = table.rules, table.outcomes.shape[2]
    experiment, pairs = model_experiment(
        table.field, request, rules, game, repetitions=repetitions, left_out=_absent(table)
    )
    place = folder / FOLDER
    if (place / "run.json").is_file():
        run = Run.open(place)
        experiment = experiment_of(run, experiment)
        clients = make_clients(list(run.plans()), experiment, request.callables or {})
    else:
        run, clients = new_run(experiment, place, request.callables)
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
    joined = join_models(table, [model_entrant(model) for model in request.models], games)
    return ModelGames(joined, result.summary, tuple(notes))


def _absent(table: RoundRobin) -> frozenset[int]:
    """Strategies without any match: they were disqualified."""
    alone = ~np.asarray(table.played).any(axis=(1, 2))
    return frozenset(np.flatnonzero(alone).tolist()) if len(table.field) > 1 else frozenset()


def _games(
    log: GameLog, pairs: Mapping[str, tuple[int, int]], turns: int
) -> tuple[dict[tuple[int, int, int], NDArray[np.uint8]], int]:
    """Complete games by places and repetition, and how many were ended by a reply."""
    complete: dict[tuple[int, int, int], NDArray[np.uint8]] = {}
    lost = 0
    moves = log.moves.sort_values(["game_id", "seat", "round"])
    by_game = dict(tuple(moves.groupby("game_id", sort=False, observed=True)))
    for game_id, pair, repetition in zip(
        log.games["game_id"], log.games[PAIR], log.games["repetition"], strict=True
    ):
        rows = by_game.get(game_id)
        if rows is None or len(rows) != 2 * turns or rows["cooperated"].isna().any():
            lost += 1
            continue
        first, second = pairs[str(pair)]
        cube = rows["cooperated"].to_numpy(dtype=np.uint8).reshape(2, turns)
        complete[first, second, int(repetition) - 1] = cube
    return complete, lost


MODEL_TURNS = 10
MODEL_REPETITIONS = 1
"""What all pairs play where a language model takes part and nothing is said: every move is paid for."""


_WINDOW = 24
"""Games in play at a time; each strategy in written code is a process of its own."""

_OURS = frozenset({"game", "rounds", "repetitions", "grid", "players", "opponent", "model", "pairs", "reply"})
"""Keys of an experiment that the tournament decides."""

PAIR = "pair"
"""Column of the log that names the two players of a game."""


def model_experiment(
    field: Sequence[Entrant],
    request: TournamentRequest,
    rules: MatchRules,
    game: MatrixGame,
    *,
    repetitions: int = 1,
    left_out: frozenset[int] = frozenset(),
) -> tuple[Experiment, dict[str, tuple[int, int]]]:
    """The experiment in which every model meets every strategy, every other model and itself.

    Parameters
    ----------
    request : its models, and what else it says of them
    rules : MatchRules, without noise
    left_out : places of strategies that are met by nobody

    Returns
    -------
    Experiment
        It can be counted before it is played (`intent.runner.dry_run.dry_run`).
    dict of str -> (int, int)
        Name of a pair in the log -> places in the field followed by the models.

    Raises
    ------
    UsageError
        Noise, a model twice or one that is none, or a key that the tournament decides.
    """
    from intent.runner.experiment.file import load_experiment

    models, changes = request.models, request.model_settings or {}
    if rules.noise:
        raise UsageError(
            f"noise {rules.noise:g} with language models, expected none: a flipped reply would not be theirs"
        )
    if len(set(models)) < len(models) or not models:
        raise UsageError(f"models {shorten(', '.join(models))}, expected one or more, each once")
    if ours := sorted(_OURS & set(changes)):
        raise UsageError(f"key {ours[0]} is the tournament's to decide, expected such as settings or prices")
    everybody = [*field, *map(model_entrant, models)]
    pairs = {
        f"{everybody[a].name} : {everybody[b].name}": (a, b)
        for a, b in model_pairs(
            field, everybody[len(field) :], left_out=left_out, self_play=request.self_play
        )
    }
    values = {
        "name": "tournament",
        "horizon": "known" if rules.known_length else "unknown",
        "seed": request.seed,
        "window": _WINDOW,
        **changes,
        "game": game.name,
        "rounds": rules.turns,
        "repetitions": repetitions,
        "reply": {"then": "end"},
        "grid": {
            PAIR: {
                name: {"players": [seat_player(everybody[a]), seat_player(everybody[b])]}
                for name, (a, b) in pairs.items()
            }
        },
    }
    return load_experiment(values), pairs


@dataclass(frozen=True, eq=False)
class CallCount(Summary):
    """What the language models of a tournament would be asked, as `json_objects.JSON_OBJECTS["dry_run"]`."""

    kind = "dry_run"

    def parts(self) -> Iterator[str]:
        """One line."""
        cost = "; prices in --model-settings tell the cost"
        if self.values["cost"] is not None:
            cost = f", about {self.values['cost']:.2f}"
        yield f"{self.values['n_games']:,} games, {self.values['calls']:,.0f} calls{cost}"


def count_calls(request: TournamentRequest) -> CallCount:
    """What the language models of a tournament would be asked, and what it would cost; nobody is asked.

    Strategies that turn out to be at fault are counted, too.

    Raises
    ------
    UsageError
        As `model_experiment`.
    """
    from intent.arena.field import path_list, read_entries, stage
    from intent.runner.dry_run import dry_run

    field = read_entries(path_list(request.paths), request.against).field
    game, rules, _ = stage(field, game=request.game, turns=request.turns or MODEL_TURNS, noise=0.0)
    repetitions = request.repetitions or MODEL_REPETITIONS
    experiment, _ = model_experiment(field, request, rules, game, repetitions=repetitions)
    return CallCount(dry_run(experiment, prompts_shown=1))


class _Live(Protocol):
    """A player that is told every round, as `intent.arena.sandbox.confined.ConfinedPlayer`."""

    def move(self, own_last: int | None = None, other_last: int | None = None) -> int: ...
    def close(self) -> None: ...


def model_entrant(model: str) -> Entrant:
    """A language model as an entrant, group ``model``; its source is a comment, which nothing plays.

    Raises
    ------
    UsageError
        The name is that of a strategy or of a human.
    """
    if parse_player(model).kind != "model":
        raise UsageError(f"{shorten(model)!r} is no language model, expected such as openai/gpt-4o")
    return Entrant(model, source=MODEL_SOURCE, group="model", words=model)


def seat_player(entrant: Entrant) -> str:
    """What plans of games call an entrant: ``scripted/TFT``, ``scripted/written:NAME``, a model's name."""
    if entrant.is_model:
        return entrant.name
    if entrant.automaton is not None:
        return SCRIPTED + entrant.automaton.name
    return SCRIPTED + WRITTEN + entrant.name.replace("@", "_")


class WrittenAgent:
    """Plays a written strategy in a two-player game; never asks anything, never speaks.

    A view that does not follow on the last one is replayed from round 1. The strategy's C is the game's
    cooperative action. Its random numbers are those of `seed`, however often it is replayed.

    Parameters
    ----------
    rules : MatchRules
        Of the length that it is told.
    columns : mapping
        What the log says of the seat.
    seed : int
        Of its own generator; one that nobody can know beforehand (`Salt.live`).
    """

    def __init__(self, entrant: Entrant, rules: MatchRules, columns: Mapping[str, Any], seed: int) -> None:
        self.entrant, self.rules, self.seed = entrant, rules, seed
        self._columns = dict(columns)
        self._player: _Live | None = None
        self._past: tuple[Sequence[str | None], ...] = ()

    @property
    def columns(self) -> Mapping[str, Any]:
        """The name of the strategy, and its attitude where it has one."""
        return self._columns

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The strategy's move.

        Raises
        ------
        StrategyError
            The code failed.
        GameError
            A move that it must be told is missing.
        """
        move = await asyncio.to_thread(self._move, view)
        cooperate, defect = action_labels(view.game, view.seat)
        return Decision(cooperate if move else defect)

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """Silence."""
        return Decision(None)

    def close(self) -> None:
        """End the process of the player."""
        if self._player is not None:
            self._player.close()
            self._player = None

    def _move(self, view: View) -> int:
        past = view.actions_by_seat
        follows = view.round > 1 and tuple(p[:-1] for p in past) == self._past
        if self._player is None or not follows:
            self.close()
            self._player = self._begin()
            move = self._player.move()
            for number in range(view.round - 1):
                move = self._player.move(*self._last(view, number))
        else:
            move = self._player.move(*self._last(view, view.round - 2))
        self._past = past
        if view.round >= self.rules.turns:
            self.close()
        return move

    def _begin(self) -> _Live:
        from intent.arena.sandbox.confined import ConfinedPlayer

        return ConfinedPlayer(self.entrant, self.rules, self.seed)

    def _last(self, view: View, number: int) -> tuple[int, int]:
        """Own and other's realised move of a past round (from 0), 1 = cooperate."""
        moves = []
        for seat in (view.seat, *view.other_seats):
            action = view.actions_by_seat[seat - 1][number]
            if action is None:
                raise GameError(f"{self.entrant.name} cannot be told round {number + 1}: a move is missing")
            moves.append(int(action == action_labels(view.game, seat)[0]))
        own, other = moves
        return own, other


class LiveSeats:
    """The agents of games between language models and the strategies of a field.

    Parameters
    ----------
    salt : Salt
        Of the tournament: gives each written player a seed for each game.
    """

    def __init__(self, field: Sequence[Entrant], rules: MatchRules, salt: Salt) -> None:
        self.rules, self._salt = rules, salt
        self._written = {seat_player(entrant): entrant for entrant in field if entrant.source}
        self._open: list[WrittenAgent] = []

    def agents_of(self, plan: GamePlan, prompts: Mapping[str, PromptSet]) -> tuple[Agent, ...]:
        """The agents of a game, by seat."""
        return tuple(
            agent if seat.player not in self._written or seat.kind == "model" else self._agent(plan, number)
            for number, (seat, agent) in enumerate(zip(plan.seats, make_agents(plan, prompts), strict=True))
        )

    def close(self) -> None:
        """End the processes of games that were cut short."""
        for agent in self._open:
            agent.close()
        self._open.clear()

    def _agent(self, plan: GamePlan, place: int) -> WrittenAgent:
        seat = plan.seats[place]
        entrant = self._written[seat.player]
        columns = {**seat_columns(seat), "architecture": "scripted", "strategy": entrant.name}
        players = [seat.player for seat in plan.seats]
        seed = self._salt.live(*players, plan.repetition, place)
        agent = WrittenAgent(entrant, self.rules, columns, seed)
        self._open.append(agent)
        return agent


def model_pairs(
    field: Sequence[Entrant],
    models: Sequence[Entrant],
    *,
    left_out: frozenset[int] = frozenset(),
    self_play: bool = True,
) -> list[tuple[int, int]]:
    """Places of the pairs that have a language model, in the field followed by the models.

    A model is in the first seat; it meets every strategy, every later model, and itself.

    Parameters
    ----------
    field, models : sequences of Entrants
    left_out : places of strategies that are met by nobody
    self_play : bool
        Whether a model meets itself.
    """
    n = len(field)
    places = range(n, n + len(models))
    with_strategies = [(m, s) for m in places for s in range(n) if s not in left_out]
    return with_strategies + [(a, b) for a in places for b in places if a < b or (a == b and self_play)]
