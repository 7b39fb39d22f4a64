"""How a model calls a tool: by the endpoint's own tool calls, or by a line in its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from intent.agents.architectures.deciding import Heard, cut
from intent.agents.client import Message, Settings, Tool
from intent.agents.clients.registry import provider_of
from intent.agents.prompts.history import LONGEST_MESSAGE
from intent.agents.tools.advice import TOOL_NAME
from intent.agents.tools.calls import Calls, native_calls, written_calls

__all__ = ["LABELS_ONLY", "CallProtocol", "Native", "Prompted", "described", "takes_tools"]

LABELS_ONLY = ("uniform", "first", "last", "says")
"""Scripted models that never call anything."""


class CallProtocol(Protocol):
    """One way to call the one tool.

    Attributes
    ----------
    name : str
    request : str
        Block of the prompt that asks for a choice with the tool at hand.
    tools : tuple of Tool
        What is declared to the endpoint.
    """

    @property
    def name(self) -> str: ...
    @property
    def request(self) -> str: ...
    @property
    def tools(self) -> tuple[Tool, ...]: ...

    def settings(self, settings: Settings, called: bool) -> Settings:
        """The settings before and after the one call."""
        ...

    def calls(self, last: Heard) -> Calls:
        """The calls of a reply."""
        ...

    def exchange(
        self, messages: Sequence[Message], last: Heard, found: Calls, answers: Sequence[str]
    ) -> tuple[Message, ...]:
        """`messages`, the reply with its calls, and the answer to each."""
        ...


@dataclass(frozen=True)
class Native:
    """Tool calls of the endpoint.

    The tool stays declared after the call, since Anthropic's endpoint refuses results of tools that it is not
    told of; a tool choice of none keeps it from being called.

    Parameters
    ----------
    description : str
    arguments : tuple of (name, description)
        Of numbers, all required.
    """

    description: str
    arguments: tuple[tuple[str, str], ...] = ()
    name: str = "native"
    request: str = "choose_tool"

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tool as OpenAI's endpoint describes it."""
        parameters: dict[str, Any] = {
            "type": "object",
            "properties": {name: {"type": "number", "description": text} for name, text in self.arguments},
            "required": [name for name, _ in self.arguments],
            "additionalProperties": False,
        }
        function = {"name": TOOL_NAME, "description": self.description, "parameters": parameters}
        return ({"type": "function", "function": function},)

    def settings(self, settings: Settings, called: bool) -> Settings:
        """No further tool call after the one."""
        return settings.model_copy(update={"tool_choice": "none"}) if called else settings

    def calls(self, last: Heard) -> Calls:
        """The endpoint's tool calls."""
        return native_calls(last.reply, last.text)

    def exchange(
        self, messages: Sequence[Message], last: Heard, found: Calls, answers: Sequence[str]
    ) -> tuple[Message, ...]:
        """The reply with its tool calls, and one tool message for each."""
        said = Message(
            "assistant",
            cut(last.text, LONGEST_MESSAGE),
            tool_calls=tuple(call.as_sent for call in found.calls),
        )
        results = (
            Message("tool", answer, tool_call_id=call.id)
            for call, answer in zip(found.calls, answers, strict=True)
        )
        return (*messages, said, *results)


@dataclass(frozen=True)
class Prompted:
    """Calls written into the text, for models that take no tools.

    Parameters
    ----------
    explained : str
        How to write a call; the prompt holds it.
    """

    explained: str
    name: str = "prompted"
    request: str = "choose_tool_prompted"
    tools: tuple[Tool, ...] = ()

    def settings(self, settings: Settings, called: bool) -> Settings:
        """As they are."""
        return settings

    def calls(self, last: Heard) -> Calls:
        """The calls in the text."""
        return written_calls(last.text)

    def exchange(
        self, messages: Sequence[Message], last: Heard, found: Calls, answers: Sequence[str]
    ) -> tuple[Message, ...]:
        """The reply as it was, and the answers in one message of the user."""
        said = Message("assistant", cut(last.text, LONGEST_MESSAGE))
        return (*messages, said, Message("user", "\n\n".join(dict.fromkeys(answers))))

    def told(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """`messages` with the explanation at the end, for requests that have no place for it."""
        last = messages[-1]
        return (*messages[:-1], replace(last, content=f"{last.content}\n\n{self.explained}"))


def takes_tools(player: str) -> bool:
    """Whether a model is asked through an endpoint of tool calls.

    Models that run in this process are not, nor are scripted ones that only ever say one of the labels.
    """
    provider = provider_of(player)
    if provider == "scripted":
        return player.removeprefix("scripted/").partition(":")[0] not in LABELS_ONLY
    return provider not in ("local", "gguf")


def described(arguments: Mapping[str, str]) -> str:
    """The arguments with their descriptions, as the prompt lists them; a dash without any."""
    return "; ".join(f"{name} ({text})" for name, text in arguments.items()) or "–"
