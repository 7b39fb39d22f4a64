"""Models and agents across the border: ours in Inspect, Inspect's in our seats.

``intent/NAME`` in Inspect is

- a strategy, as in ``intent/tft``, ``intent/GTFT(0.1)``, ``intent/tft@0.05``: in a game of our tasks it is
  asked by the same prompts as any model, and answers with the move that the strategy makes there, in the form
  that the prompt asks for. Elsewhere nobody tells it which game is played, and it says so;
- one of our artificial models, as in ``intent/scripted/uniform``, ``intent/scripted/erratic``;
- any model that our own clients ask: ``intent/local/smollm2-135m``, ``intent/gguf:PATH``,
  ``intent/openai/…``.

None of them needs the network for counting tokens: words count as tokens, as for all artificial models.

``inspect/PROVIDER/NAME`` in an experiment file is the model of that name in Inspect.

An agent of Inspect's gets the messages of a request and is taken at its last words. It samples as it will; so
the file must not say how, and a reply cannot be constrained. A seat of ours, a strategy or an architecture,
is an agent that is told what the other did and says its own move.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
from inspect_ai.agent import Agent, AgentState, agent, run
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelCall,
    ModelOutput,
    get_model,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from intent.agents.agent import Answer, make_agents
from intent.agents.client import Client, Message, Reply, Settings, Tool, Usage
from intent.agents.clients.registry import clean, make_client, providers, whole_body
from intent.agents.mock.rules import agreeable
from intent.agents.plan import SCRIPTED, GamePlan, parse_player
from intent.base.errors import DataError, RetryableError, SettingError, UsageError, shorten
from intent.inspect.exchange import (
    PACKAGE,
    chat_of,
    choice_of,
    config_of,
    messages_of,
    output_of,
    registered,
    reply_of,
    settings_of,
    tool_infos,
    tools_of,
)
from intent.inspect.transcripts import named_option
from intent.play.match import View
from intent.runner.driver import stage
from intent.runner.experiment.file import load_experiment
from intent.runner.experiment.plans import prompt_sets

__all__ = [
    "SEAT",
    "AgentClient",
    "ClientAPI",
    "ModelClient",
    "Seat",
    "StrategyClient",
    "as_model",
    "client_of",
    "player_name",
    "seat",
]


PLAIN = Settings()


@dataclass(frozen=True)
class Seat:
    """Where a model is being asked: what a strategy needs to know that does not read prompts.

    Parameters
    ----------
    view, rng
        As the agent of the seat has them; a strategy draws its noise there, as it does in a seat of its own.
    purpose : what the request is for (`intent.agents.agent.Ask`)
    settings, tools : of the request
        Inspect has no room for labels of a reply that is not constrained, and leaves out tools that may not
        be called.
    """

    plan: GamePlan
    view: View
    rng: np.random.Generator
    purpose: str = "choose"
    settings: Settings = PLAIN
    tools: tuple[Tool, ...] = ()


SEAT: ContextVar[Seat | None] = ContextVar("intent_seat", default=None)
"""The seat that asks, while it asks; of this task alone, so that seats that ask at once do not mix."""


class StrategyClient:
    """A strategy that is asked as a language model is.

    It does what well-behaved models do (`intent.agents.mock.rules.agreeable`), and chooses what the strategy
    chooses. Messages before a move are empty, as strategies are silent.

    Parameters
    ----------
    name : a name that may stand after ``scripted/``

    Raises
    ------
    IntentError
        As `parse_player`.
    """

    endpoint = "intent"
    concurrency = 256

    def __init__(self, name: str) -> None:
        self.name = name
        if parse_player(SCRIPTED + name).kind != "scripted":
            raise UsageError(f"model intent/{shorten(name)}: expected a strategy, such as intent/tft")

    def body(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> dict[str, Any]:
        """Messages, tools and settings as given; nothing is sent anywhere."""
        return whole_body(f"intent/{self.name}", messages, settings, tools)

    async def complete(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> Reply:
        """The strategy's move, in the words that the request asks for.

        Raises
        ------
        UsageError
            Nobody says which game is played: the request comes from no task of ours.
        """
        seat = SEAT.get()
        if seat is None:
            raise UsageError(
                f"intent/{self.name} plays the games of intent's tasks, where it is told the moves so far; "
                "expected a task such as intent/prisoners_dilemma"
            )
        body = self.body(messages, settings, tools)
        if seat.purpose == "message":
            text, calls = "", tuple[Mapping[str, str], ...]()
        else:
            chosen = "" if seat.purpose == "question" else await self._choice(seat)
            utterance = agreeable(body, chosen, seat.settings.choices)
            text, calls = clean(utterance.text), utterance.tool_calls
        words = sum(len(message.content.split()) for message in messages)
        return Reply(
            text,
            model=f"intent/{self.name}",
            finish_reason="tool_calls" if calls else "stop",
            usage=Usage(words, len(text.split())),
            sent=body,
            tool_calls=tuple(calls),
        )

    async def _choice(self, seat: Seat) -> str:
        """The move of a scripted seat at the same place.

        Raises
        ------
        GameError
            The strategy does not play this game.
        """
        plan, place = seat.plan, seat.view.seat
        scripted = plan.seats[place - 1].model_copy(
            update={"player": SCRIPTED + self.name, "architecture": "plain", "options": {}, "attitude": None}
        )
        alone = plan.model_copy(update={"seats": (scripted,) * len(plan.seats), "questions": ()})
        agent = make_agents(alone, {})[place - 1]
        decision = await agent.choose(seat.view, _nobody, seat.rng)
        return decision.action or ""

    async def close(self) -> None:
        """Nothing to release."""


async def _nobody(
    messages: Sequence[Message],
    settings: Settings | None = None,
    *,
    purpose: str = "choose",
    tools: Sequence[Tool] = (),
) -> Answer:
    raise UsageError("a strategy asks nobody")


def client_of(name: str) -> Client:
    """The client of a name after ``intent/``: one of ours, else a strategy.

    Raises
    ------
    IntentError
        As `make_client` and `StrategyClient`.
    """
    provider = name.partition("/")[0]
    if name.startswith("gguf:") or (provider != name and provider in providers()):
        return make_client(name)
    return StrategyClient(name)


def player_name(model: Model) -> str:
    """What experiment files call a model of Inspect's: ``openai/gpt-4o``; ours as they are called here."""
    api = model.api
    if isinstance(api, ClientAPI) and not isinstance(api.client, StrategyClient):
        return api.model_name
    return str(model)


class ClientAPI(ModelAPI):
    """A client of ours as a model of Inspect's.

    Parameters
    ----------
    model_name : as `client_of`
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 (the signature is Inspect's)
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if model_args or base_url or api_key:
            what = next(iter(model_args), "base_url" if base_url else "api_key")
            raise SettingError(f"model intent/{model_name} takes no {shorten(what)}: its name says all")
        self.client = client_of(model_name)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        """The client's reply, and the body that it sent."""
        settings = settings_of(config)
        if tools:
            settings = settings.model_copy(
                update={"tool_choice": "none" if tool_choice == "none" else "auto"}
            )
        seat = SEAT.get()
        if seat is not None:
            more = {name: getattr(seat.settings, name) for name in ("choices", "tool_choice", "seeded")}
            settings = settings.model_copy(update=more)
        sent = seat.tools if seat is not None else tools_of(tools)
        reply = await self.client.complete(messages_of(input), settings, sent)
        output = output_of(reply, f"intent/{self.model_name}")
        return output, ModelCall.create(
            dict(reply.sent), {"text": reply.text, "finish_reason": reply.finish_reason}
        )

    async def count_text_tokens(self, text: str) -> int:
        """Words: no tokenizer is fetched for a count that nothing hangs on."""
        return len(text.split())

    def max_connections(self) -> int:
        """As many calls as the client takes at a time."""
        return self.client.concurrency

    def connection_key(self) -> str:
        """What the client shares its limits by."""
        return self.client.endpoint

    def should_retry(self, ex: Exception) -> bool:
        """Whether the same request may succeed later."""
        return isinstance(ex, RetryableError)

    async def aclose(self) -> None:
        """Release the client's connections."""
        await self.client.close()


modelapi(PACKAGE)(ClientAPI)


class ModelClient:
    """A model of Inspect's as a client of ours: ``inspect/PROVIDER/NAME`` in an experiment file.

    Parameters
    ----------
    model : Model, or the whole name
    evaluation : settings of the evaluation that go before those of the file (`exchange.config_of`)
    """

    def __init__(self, model: Model | str, evaluation: GenerateConfig | None = None) -> None:
        self.model = get_model(model.removeprefix("inspect/")) if isinstance(model, str) else model
        self.name = model if isinstance(model, str) else str(model)
        self.endpoint = f"inspect/{self.model.api.connection_key()}"
        self.concurrency = self.model.api.max_connections()
        self._evaluation = evaluation

    def __repr__(self) -> str:
        return f"ModelClient({self.name!r})"

    def body(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> dict[str, Any]:
        """Messages, tools and settings by our names; Inspect makes the body that is sent."""
        return whole_body(self.name, messages, settings, tools)

    async def complete(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> Reply:
        """One reply; retries, limits and the cache are Inspect's."""
        output = await self.model.generate(
            chat_of(messages),
            tools=tool_infos(tools),
            tool_choice=settings.tool_choice if tools else None,
            config=config_of(settings, self._evaluation),
        )
        reply = reply_of(output)
        text = choice_of(settings, reply.text, self.name)
        return Reply(
            **{
                **{name: getattr(reply, name) for name in Reply.__dataclass_fields__},
                "text": text,
                "sent": self.body(messages, settings, tools),
            }
        )

    async def close(self) -> None:
        """Nothing: Inspect closes its models."""


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
    label = named_option(text, {one.casefold(): one for one in labels})
    if label is None:
        raise DataError(f"{what} in {shorten(text)!r}, expected one of {', '.join(labels)}")
    return label


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
