"""Agents across the border: Inspect's in our seats, ours in Inspect's conversations.

Of Inspect's: an agent gets the messages of a request and is taken at its last words. It samples as it will;
so the file must not say how (temperature and the like), and a reply cannot be constrained.

Of ours: whatever may have a seat of a matrix game, a strategy or an architecture, as an agent that is told
what the other did and says its own move.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent, run
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput, get_model

from intent.agents.agent import Answer, make_agents
from intent.agents.client import Message, Reply, Settings, Tool
from intent.agents.clients.registry import whole_body
from intent.agents.plan import SCRIPTED, GamePlan
from intent.base.errors import DataError, SettingError, UsageError, shorten
from intent.inspect.exchange import chat_of, reply_of
from intent.inspect.models import ModelClient
from intent.inspect.names import registered
from intent.runner.experiment.file import load_experiment
from intent.runner.experiment.plans import prompt_sets
from intent.runner.game import stage

__all__ = ["AgentClient", "as_model", "seat"]


class AgentClient:
    """An agent of Inspect's as a client of ours.

    Parameters
    ----------
    name : what the log calls it
    agent : Agent
    """

    endpoint = "inspect-agent"
    concurrency = 64

    def __init__(self, name: str, agent: Agent) -> None:
        self.name, self._agent = name, agent

    def body(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> dict[str, Any]:
        """Messages, tools and settings by our names; the agent makes what is sent."""
        return whole_body(self.name, messages, settings, tools)

    async def complete(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> Reply:
        """What the agent says last.

        Raises
        ------
        SettingError
            The file says how replies are sampled, constrains them, or sends tools: an agent has its own.
        """
        left = {"seed", "seeded", "choices", "timeout", "tool_choice"}
        stray = sorted(settings.model_dump(exclude_defaults=True).keys() - left)
        if stray or tools:
            what = stray[0] if stray else "tools"
            raise SettingError(
                f"{self.name} is an agent of Inspect's, which takes no {what}: it samples as it will"
            )
        state = await run(self._agent, chat_of(messages))
        reply = reply_of(state.output)
        return Reply(
            reply.text, reply.reasoning, reply.model, finish_reason=reply.finish_reason, usage=reply.usage
        )

    async def close(self) -> None:
        """Nothing to release."""


def as_model(agent: Agent) -> Callable[..., Awaitable[Reply]]:
    """An agent of Inspect's as a model of `intent.play_experiment`: ``models={"a": as_model(react())}``."""
    client = AgentClient("python/agent", agent)

    async def function(messages: Sequence[Message], tools: Sequence[Tool], settings: Settings) -> Reply:
        return await client.complete(messages, settings, tools)

    return function


def seat_agent(
    player: str = "scripted/TFT",
    game: str = "prisoner-dilemma",
    rounds: int = 10,
    language: str = "en",
    architecture: str = "plain",
    persona: str | None = None,
    seed: int = 1,
) -> Agent:
    """A seat of a matrix game for two as an agent: it is told the other's move, and says its own.

    Each of its messages is a move of its own, and each message of the user after it says what the other did
    in that round, by naming one of the two options; what stands before its first move is not read.

    Parameters
    ----------
    player : ``scripted/TFT`` or another strategy, or ``model``: the model of the evaluation, asked by our
    prompts game, rounds, language, architecture, persona, seed
        As in an experiment file.
    """
    values: dict[str, Any] = {
        "name": "seat",
        "game": game,
        "rounds": rounds,
        "language": language,
        "seed": seed,
    }
    if not player.startswith(SCRIPTED):
        values |= {"architecture": architecture} | ({} if persona is None else {"personas": [persona, None]})
    values["players"] = [player if player.startswith(SCRIPTED) else "inspect/model", SCRIPTED + "ALLC"]
    design = load_experiment(values)
    (plan,) = design.plans()
    if len(plan.seats) != 2:
        raise UsageError(f"seat: {game} has {len(plan.seats)} players, expected a game of two")
    prompts = prompt_sets(design, [plan])

    async def execute(state: AgentState) -> AgentState:
        label = await _move(plan, prompts, _moves(state, plan))
        message = ChatMessageAssistant(content=label, source="generate")
        state.messages.append(message)
        state.output = ModelOutput.from_content(str(player), label)
        return state

    return execute


seat = registered(agent, "seat", seat_agent)


def _moves(state: AgentState, plan: GamePlan) -> list[tuple[str, str]]:
    """Own and other's move of every past round.

    Raises
    ------
    DataError
        A message that names neither option or both.
    """
    labels = plan.stage().actions
    own: str | None = None
    rounds: list[tuple[str, str]] = []
    for message in state.messages:
        if isinstance(message, ChatMessageAssistant):
            own = _named(message.text, labels, "own move")
        elif isinstance(message, ChatMessageUser) and own is not None:
            rounds.append((own, _named(message.text, labels, "the other's move")))
            own = None
    if own is not None:
        raise DataError("the last message is the agent's own, expected what the other did")
    return rounds


def _named(text: str, labels: Sequence[str], what: str) -> str:
    named = [label for label in labels if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text)]
    if len(named) != 1:
        raise DataError(f"{what} in {shorten(text)!r}, expected one of {', '.join(labels)}")
    return named[0]


async def _move(plan: GamePlan, prompts: Any, past: Sequence[tuple[str, str]]) -> str:
    """The move of seat 1 after such a past, drawing chance as it would have been drawn in one go."""
    agents = make_agents(plan, prompts)
    referee, streams = stage(plan)
    scripted = plan.seats[0].kind == "scripted"
    client = None if scripted else ModelClient(get_model())

    async def ask(
        messages: Sequence[Message],
        settings: Settings | None = None,
        *,
        purpose: str = "choose",
        tools: Sequence[Tool] = (),
    ) -> Answer:
        assert client is not None
        wanted = plan.seats[0].settings if settings is None else settings
        return Answer(await client.complete(messages, wanted, tools), "")

    for joint in past:
        if referee.over:
            raise DataError(f"{len(past)} rounds were played, expected at most {plan.rounds}")
        if scripted:
            await agents[0].choose(referee.view(1), ask, streams[0])
        for number, action in enumerate(joint, start=1):
            referee.submit(number, action)
    if referee.over:
        raise DataError(f"the game of {plan.rounds} rounds is over")
    decision = await agents[0].choose(referee.view(1), ask, streams[0])
    return decision.action or ""
