"""A game of ours as a sample of Inspect's, and the solver that plays it.

A sample is a planned game of an experiment file: its identifier is the game's, an epoch after the first one
is the same game with chances of its own. The seats are asked by the runner's own referee and agents
(`intent.runner.driver.play_game`); Inspect asks the models. So prompts, parsers, retries of unreadable
replies and what chance draws are those of ``intent play`` of the same file.

Who is asked:

1. a seat that the file gives to a strategy is the strategy's;
2. else the role ``seat1``, ``seat2``, … of the evaluation, where it is given;
3. else, of all seats but the first, the role ``opponent``, where it is given;
4. else the model of the evaluation.

What was played is in the sample's store under the key ``intent``, whole or as far as it came, with the types
of its columns (`intent.logs.readers.inspect_eval` reads it back). A game that did not come to its end says
so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from inspect_ai.agent import Agent as InspectAgent
from inspect_ai.dataset import Sample
from inspect_ai.model import Model, get_model, model_roles
from inspect_ai.solver import Generate, Solver, TaskState, solver

from intent.agents.agent import Agent, Answer, Answering, Decision, make_agents
from intent.agents.client import Client, Message, Settings, Tool
from intent.agents.plan import GamePlan
from intent.agents.prompts.prompt_set import PromptSet
from intent.base.errors import DataError, RunError, UsageError, one_line, shorten
from intent.base.files import bounds
from intent.inspect.exchange import chat_of, output_of, registered
from intent.inspect.models import SEAT, AgentClient, ModelClient, Seat, player_name
from intent.logs.gamelog import GameLog
from intent.logs.readers.inspect_eval import KEY, game_of_record, written_record
from intent.play.match import Match, QuestionAnswer, Round, View, to_log
from intent.runner.caller import CallKey, call_name, draw_text, seed_of
from intent.runner.driver import log_columns, play_game
from intent.runner.finish import checked_plans
from intent.runner.information import check_treatment
from intent.runner.play import load_source

__all__ = ["OPPONENT", "Games", "game_of", "play", "samples"]

OPPONENT = "opponent"
"""The role of all seats but the first."""

MODEL = "inspect/model"
"""Stands for the model of the evaluation where games are planned and nobody knows it yet."""


@dataclass(frozen=True)
class Games:
    """What an evaluation plays: a file with changes.

    Parameters
    ----------
    file : path of an experiment file
    changes : mapping of key -> new value, as of `load_source`
    settings : ``key=value`` texts, as after ``--set``
    """

    file: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    settings: tuple[str, ...] = ()

    def source(self, model: str) -> Any:
        """The experiment with this model in the place of those that it names."""
        return load_source(self.file, set=list(self.settings), models=[model], **self.changes)

    def plans(self, model: str = MODEL) -> tuple[list[GamePlan], dict[str, PromptSet]]:
        """The games, and the prompts by name; all is checked, the treatment too.

        Raises
        ------
        IntentError
            What cannot be played, or shows what the file says is withheld.
        """
        source = self.source(model)
        plans, prompts = checked_plans(source, providers=False)
        check_treatment(source, plans, prompts, source.levels(plans))
        if any(seat.kind == "human" for plan in plans for seat in plan.seats):
            raise UsageError(
                f"{source.name}: a human has a seat, and Inspect's evaluations have nobody at the terminal"
            )
        return plans, prompts


def samples(plans: Sequence[GamePlan]) -> list[Sample]:
    """A sample for every planned game."""
    return [_sample(plan) for plan in plans]


def _sample(plan: GamePlan) -> Sample:
    personas = [seat.persona for seat in plan.seats]
    conditions = {
        "game": plan.game,
        "language": plan.language,
        "rounds": plan.rounds,
        "horizon_known": plan.horizon_known,
        "repetition": plan.repetition,
        **({"personas": ", ".join(p or "none" for p in personas)} if any(personas) else {}),
        **{key: value for key, value in plan.columns.items() if value is not None},
    }
    n = len(plan.seats)
    about = f"{plan.game}, {n} players, {plan.rounds} rounds, {plan.language}"
    return Sample(id=plan.game_id, input=about, metadata=conditions)


class _Roles:
    """Who is asked, by seat."""

    def __init__(self, n_seats: int) -> None:
        roles, main = model_roles(), get_model()
        self.main, self.named = main, dict[int, Model]()
        for seat in range(1, n_seats + 1):
            wanted = (f"seat{seat}", *((OPPONENT,) if seat > 1 else ()))
            role = next((name for name in wanted if name in roles), None)
            if role is not None:
                self.named[seat] = get_model(role=role, default=main)

    def of(self, seat: int) -> Model:
        """The model of a seat."""
        return self.named.get(seat, self.main)


@lru_cache(maxsize=8)
def _planned(text: str, model: str) -> tuple[dict[str, GamePlan], dict[str, PromptSet]]:
    """The plans of an evaluation by identifier; planned once for all samples."""
    values = json.loads(text)
    plans, prompts = Games(values["file"], values["changes"], tuple(values["settings"])).plans(model)
    return {plan.game_id: plan for plan in plans}, prompts


def _seated(
    games: Games, game_id: str, epoch: int
) -> tuple[GamePlan, dict[str, PromptSet], dict[int, Model]]:
    """The plan of a sample with the names of those who are asked, the prompts, and who is asked by seat."""
    text = json.dumps({"file": games.file, "changes": dict(games.changes), "settings": list(games.settings)})
    main = player_name(get_model())
    plans, prompts = _planned(text, main)
    if game_id not in plans:
        raise UsageError(f"sample {shorten(game_id)} is none of the {len(plans)} games of {games.file}")
    plan = plans[game_id]
    roles = _Roles(len(plan.seats))
    models = {seat: roles.of(seat) for seat, one in enumerate(plan.seats, start=1) if one.kind == "model"}
    seats = tuple(
        one.model_copy(update={"player": player_name(models[seat])}) if seat in models else one
        for seat, one in enumerate(plan.seats, start=1)
    )
    plan = plan.model_copy(update={"seats": seats})
    return (plan if epoch == 1 else _again(plan, epoch)), prompts, models


def _again(plan: GamePlan, epoch: int) -> GamePlan:
    """The same game with other chances: the first epoch's are those of ``intent play``."""
    seed = int(np.random.SeedSequence([plan.seed, epoch]).generate_state(1, np.uint64)[0] >> np.uint64(16))
    return plan.model_copy(update={"game_id": f"{plan.game_id}-{epoch}", "seed": seed})


class _SeatAsk:
    """What a seat asks with during one round, as `intent.runner.driver.SeatAsk` without a store."""

    def __init__(self, table: _Table, at: CallKey) -> None:
        self._table, self._last = table, at

    async def __call__(
        self,
        messages: Sequence[Message],
        settings: Settings | None = None,
        *,
        purpose: str = "choose",
        tools: Sequence[Tool] = (),
    ) -> Answer:
        """The answer; None as settings means those of the seat."""
        self._last = self._last._replace(attempt=self._last.attempt + 1)
        plan = self._table.plan
        wanted = plan.seats[self._last.seat - 1].settings if settings is None else settings
        if wanted.seeded and wanted.seed is None:
            wanted = wanted.model_copy(update={"seed": seed_of(draw_text(plan, self._last))})
        seat = SEAT.get()
        if seat is not None:
            SEAT.set(replace(seat, purpose=purpose, settings=wanted, tools=tuple(tools)))
        return await self._table.ask(self._last, messages, wanted, tools)


@dataclass
class _Table:
    """One game while it is played.

    Attributes
    ----------
    clients : who answers, by seat
    texts : reference -> what was asked last, and the reply
    rounds, answers, over : what was played so far
    """

    plan: GamePlan
    state: TaskState
    clients: Mapping[int, Client]
    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)
    answers: list[QuestionAnswer] = field(default_factory=list)
    over: bool = False

    async def ask(
        self, at: CallKey, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool]
    ) -> Answer:
        """The reply of the seat's model; request and reply stand among the sample's messages."""
        client = self.clients[at.seat]
        reply = await client.complete(messages, settings, tools)
        reference = call_name(self.plan.game_id, at)
        longest = bounds().field
        self.texts[reference] = (messages[-1].content[:longest], reply.text[:longest])
        output = output_of(reply, client.name)
        where = {"round": at.round, "seat": at.seat, "attempt": at.attempt}
        shown = [*chat_of(messages), output.message]
        for message in shown:
            message.metadata = dict(where)
        self.state.output = output
        self.state.messages.extend(shown)
        return Answer(reply, reference)

    def keep(self, played: Round, ended: bool, cut: bool, answers: tuple[QuestionAnswer, ...]) -> None:
        """A round was completed."""
        self.rounds.append(played)
        self.answers.extend(answers)
        self.over = ended or cut

    def record(self, agents: Sequence[Agent]) -> dict[str, Any]:
        """What was played, as the store keeps it."""
        from intent.behaviour.questions import score

        plan = self.plan
        columns = log_columns(plan, "")
        del columns["run"]
        rounds = tuple(self._with_texts(one) for one in self.rounds)
        answers = tuple(replace(one, reply=self._text(one.reply, 1)) for one in self.answers)
        seats = tuple(agent.columns for agent in agents)
        match = Match(plan.stage(), plan.horizon(), rounds, seats, columns, answers)
        return written_record(to_log([match], source="intent inspect", score=score), over=self.over)

    def _with_texts(self, played: Round) -> Round:
        moves = tuple(
            replace(move, prompt=self._text(move.prompt, 0), reply=self._text(move.reply, 1))
            for move in played.moves
        )
        return replace(played, moves=moves)

    def _text(self, reference: str | None, place: int) -> str | None:
        known = self.texts.get(reference or "")
        return None if known is None else known[place]


class _Watched:
    """An agent whose strategy models know where they sit, while they are asked."""

    def __init__(self, agent: Any, plan: GamePlan) -> None:
        self._agent, self._plan = agent, plan

    @property
    def columns(self) -> Mapping[str, Any]:
        """Those of the agent."""
        columns: Mapping[str, Any] = self._agent.columns
        return columns

    async def choose(self, view: View, ask: Any, rng: np.random.Generator) -> Decision:
        """The agent's move."""
        return await self._at(view, rng, lambda: self._agent.choose(view, ask, rng))

    async def speak(self, view: View, ask: Any, rng: np.random.Generator) -> Decision:
        """The agent's message."""
        return await self._at(view, rng, lambda: self._agent.speak(view, ask, rng))

    async def _at(self, view: View, rng: np.random.Generator, act: Callable[[], Any]) -> Decision:
        token = SEAT.set(Seat(self._plan, view, rng))
        try:
            decision: Decision = await act()
        finally:
            SEAT.reset(token)
        return decision


class _WatchedAnswering(_Watched):
    """One that questions can be put to."""

    async def answer(self, question: str, view: View, ask: Any, rng: np.random.Generator) -> Decision:
        """The agent's answer."""
        return await self._at(view, rng, lambda: self._agent.answer(question, view, ask, rng))


def _watched(agent: Agent, plan: GamePlan) -> Agent:
    return (_WatchedAnswering if isinstance(agent, Answering) else _Watched)(agent, plan)


def _play(
    file: str,
    changes: dict[str, Any] | None = None,
    set: list[str] | None = None,
    agent: InspectAgent | None = None,
) -> Solver:
    """Plays the game of a sample.

    Parameters
    ----------
    file, changes, set : as `Games`
    agent : an agent of Inspect's that takes the place of the model of the evaluation in its seats, optional
    """
    games = Games(file, changes or {}, tuple(set or ()))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        plan, prompts, models = _seated(games, str(state.sample_id), state.epoch)
        table = _Table(plan, state, _clients(models, agent))
        agents = [_watched(one, plan) for one in make_agents(plan, prompts)]
        state.messages = []
        try:
            await play_game(
                plan, agents, lambda number, seat: _SeatAsk(table, CallKey(0, number, seat, 0)), table.keep
            )
        except (
            TimeoutError
        ) as error:  # which Inspect takes for the end of a sample, so that no retry plays it
            raise RunError(f"game {plan.game_id}: no answer in time: {one_line(error)}") from error
        finally:
            state.store.set(KEY, table.record(agents))
        return state

    return solve


def game_of(state: TaskState) -> GameLog | str:
    """The game of a sample that was played, or why there is none."""
    record = state.store.get(KEY)
    if not isinstance(record, Mapping):
        return "no game was played"
    if not record.get("over"):
        games = record.get("games", {})
        rounds = f"{games.get('rounds_played')} of {games.get('rounds_planned')} rounds"
        return f"stopped after {rounds}: no whole game"
    try:
        return game_of_record(record)
    except DataError as error:
        return str(error)


play = registered(solver, "play", _play)
"""The solver of all tasks."""


def _clients(models: Mapping[int, Model], agent: InspectAgent | None) -> dict[int, Client]:
    main = get_model()
    return {
        seat: AgentClient(player_name(model), agent)
        if agent is not None and model == main
        else ModelClient(model, evaluation=model.config)
        for seat, model in models.items()
    }
