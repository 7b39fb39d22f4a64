"""The small protocol behind which every language model stands, and the values that pass through it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Client", "Message", "Reply", "Role", "Settings", "Tool", "Usage"]

Role = Literal["system", "user", "assistant", "tool"]

Tool = Mapping[str, Any]
"""A tool as OpenAI's chat endpoint describes it: type, function (name, description, parameters)."""


@dataclass(frozen=True)
class Message:
    """One message of a conversation.

    Parameters
    ----------
    role : {"system", "user", "assistant", "tool"}
    tool_calls : tuple of mappings with id, name, arguments (text)
        What an assistant asked for, as in `Reply.tool_calls`.
    tool_call_id : which of those a tool message answers
    """

    role: Role
    content: str
    tool_calls: tuple[Mapping[str, str], ...] = ()
    tool_call_id: str | None = None


class Settings(BaseModel):
    """How a reply is to be sampled. None leaves a setting to the endpoint and sends nothing.

    A client that cannot honour a setting raises `SettingError`; it never drops one in silence.

    Attributes
    ----------
    max_tokens : int, length of the reply
    seed : None with ``seeded`` true: derived from the seed of the run for every call
    seeded : whether calls get seeds of their own; only for endpoints that take one
    constrained : whether the reply is to be one of the labels by grammar, where the endpoint has that
    choices : the labels a constrained reply is one of; set for every call by the agent
    tool_choice : {"auto", "none"}
        Whether a reply may call the tools that go with the request; set by the agent, sent only with tools.
    timeout : float, seconds for one request; not sent
    extra : further fields of the request body, as the endpoint names them
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    seed: int | None = None
    seeded: bool = False
    stop: tuple[str, ...] = ()
    constrained: bool = False
    choices: tuple[str, ...] = ()
    tool_choice: Literal["auto", "none"] | None = None
    timeout: float = Field(default=120.0, gt=0)
    extra: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True)
class Usage:
    """Tokens of one call, as the endpoint counts them; None where it does not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True)
class Reply:
    """What an endpoint answered.

    Parameters
    ----------
    reasoning : reasoning that the endpoint returned apart from the text
    model : the snapshot that answered, as the endpoint names it
    created : when, in seconds since 1970, as the endpoint says
    sent : the body of the request as it was sent, without headers
    tool_calls : tuple of mappings with id, name, arguments (text)
    """

    text: str
    reasoning: str | None = None
    model: str | None = None
    created: float | None = None
    fingerprint: str | None = None
    finish_reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    sent: Mapping[str, Any] = field(default_factory=dict)
    tool_calls: tuple[Mapping[str, str], ...] = ()


class Client(Protocol):
    """A language model that can be asked.

    Attributes
    ----------
    name : str
        As in an experiment file: ``openai/gpt-4o``, ``local/smollm2-135m``.
    endpoint : str
        What limits of rate and concurrency are shared by: the provider or the URL, without keys.
    concurrency : int
        Calls in flight that the endpoint takes by default.
    """

    @property
    def name(self) -> str: ...
    @property
    def endpoint(self) -> str: ...
    @property
    def concurrency(self) -> int: ...

    def body(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> dict[str, Any]:
        """The body that a request would send, without keys; part of what a cached call is known by.

        Raises
        ------
        SettingError
            A setting that the endpoint does not have.
        """
        ...

    async def complete(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> Reply:
        """One request, not retried.

        Raises
        ------
        RetryableError
            Overload, server error, time-out, cut connection, an answer that is empty or cannot be read.
        RefusedError
            The request will fail again.
        SettingError
            A setting was not sent, or refused.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
