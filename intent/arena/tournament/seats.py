"""Strategies at the table of language models: written code that plays live, move by move, in its sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from intent.agents.agent import Agent, Ask, Decision, make_agents
from intent.agents.plan import SCRIPTED, WRITTEN, GamePlan, parse_player, seat_columns
from intent.agents.prompts.prompt_set import PromptSet
from intent.arena.entrant import MODEL_SOURCE, Entrant
from intent.arena.match import MatchRules
from intent.arena.streams import Salt
from intent.base.errors import GameError, UsageError, shorten
from intent.play.match import View
from intent.play.players import action_labels

__all__ = ["LiveSeats", "WrittenAgent", "model_entrant", "model_pairs", "seat_player"]


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
            made if seat.player not in self._written or seat.kind == "model" else self._agent(plan, number)
            for number, (seat, made) in enumerate(zip(plan.seats, make_agents(plan, prompts), strict=True))
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
