"""Models across the border: ours as a provider of Inspect's, Inspect's as clients of ours.

``intent/NAME`` in Inspect is

- a strategy, as in ``intent/tft``, ``intent/GTFT(0.1)``, ``intent/tft@0.05``: in a game of our tasks it is
  asked by the same prompts as any model, and answers with the move that the strategy makes there, in the form
  that the prompt asks for. Elsewhere nobody tells it which game is played, and it says so;
- one of our artificial models, as in ``intent/scripted/uniform``, ``intent/scripted/erratic``;
- any model that our own clients ask: ``intent/local/smollm2-135m``, ``intent/gguf:PATH``,
  ``intent/openai/…``.

None of them needs the network for counting tokens: words count as tokens, as for all artificial models.

``inspect/PROVIDER/NAME`` in an experiment file is the model of that name in Inspect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelCall,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from intent.agents.agent import Answer, make_agents
from intent.agents.client import Client, Message, Reply, Settings, Tool, Usage
from intent.agents.clients.registry import clean, make_client, providers, whole_body
from intent.agents.mock.rules import agreeable
from intent.agents.plan import SCRIPTED, GamePlan, parse_player
from intent.base.errors import RetryableError, SettingError, UsageError, shorten
from intent.inspect.exchange import (
    chat_of,
    choice_of,
    config_of,
    messages_of,
    output_of,
    reply_of,
    settings_of,
    tool_infos,
    tools_of,
)
from intent.play.match import View

__all__ = ["SEAT", "ClientAPI", "ModelClient", "Seat", "StrategyClient", "client_of", "player_name"]


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
