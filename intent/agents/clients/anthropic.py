"""Anthropic's messages endpoint."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from intent.agents.client import Message, Reply, Settings, Tool, Usage
from intent.agents.clients.openai import count
from intent.agents.clients.registry import (
    base_url,
    check_form,
    choice_schema,
    clean,
    constraint,
    finished,
    read_key,
    unwrap,
)
from intent.agents.clients.wire import Wire
from intent.base.errors import RetryableError, SettingError, UsageError
from intent.base.registry import require

if TYPE_CHECKING:
    import httpx2

__all__ = ["MAX_TOKENS", "AnthropicClient", "check_thinking"]

MAX_TOKENS = 4096
"""Sent where the settings give none, since the endpoint wants one."""


class AnthropicClient:
    """A model behind ``/v1/messages``.

    System messages in front are sent apart, as the endpoint has it. There is no seed: `Settings.seed` and
    `Settings.seeded` are errors. Thinking blocks are the reply's reasoning.

    Parameters
    ----------
    name : ``anthropic/NAME``; the key is that of `ANTHROPIC_API_KEY`, the address `ANTHROPIC_BASE_URL` or
        Anthropic's own

    Raises
    ------
    MissingExtraError
    UsageError
        The key is not in the environment.
    """

    concurrency = 32

    def __init__(self, name: str) -> None:
        self.name = name
        self._model = name.removeprefix("anthropic/")
        if not self._model:
            raise UsageError(f"model {name!r}: expected anthropic/NAME")
        require("anthropic")
        own = os.environ.get("ANTHROPIC_BASE_URL", "").strip()
        self._url = base_url(own, "ANTHROPIC_BASE_URL")[0].removesuffix("/v1") if own else None
        self.endpoint = self._url or "anthropic"
        key = read_key("ANTHROPIC_API_KEY")
        if key is None:
            raise UsageError(f"{name} needs a key: set the environment variable ANTHROPIC_API_KEY")
        self._wire = Wire(
            name, self._build, header="x-api-key", key=key, key_name="ANTHROPIC_API_KEY", plain=False
        )

    def __repr__(self) -> str:
        return f"AnthropicClient({self.name!r})"

    def body(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> dict[str, Any]:
        """The body of ``POST /v1/messages``."""
        if settings.seed is not None or settings.seeded:
            raise SettingError(f"{self.name}: the endpoint takes no seed; leave seed and seeded out")
        if tools:
            check_thinking(self.name, settings)
        lead = 0
        while lead < len(messages) and messages[lead].role == "system":
            lead += 1
        extra = dict(settings.extra)
        body: dict[str, Any] = {
            "model": self._model,
            "max_tokens": settings.max_tokens or extra.pop("max_tokens", MAX_TOKENS),
            "messages": _messages(messages[lead:]),
        }
        optional = {
            "system": "\n\n".join(clean(message.content) for message in messages[:lead]) or None,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "stop_sequences": list(settings.stop) or None,
            "tools": [_tool(tool) for tool in tools] or None,
            "tool_choice": {"type": settings.tool_choice} if tools and settings.tool_choice else None,
        }
        body.update({field: value for field, value in optional.items() if value is not None})
        if settings.constrained:
            constraint(check_form(None), settings.choices)
            form = {"type": "json_schema", "schema": choice_schema(settings.choices)}
            other = extra.pop("output_config", {})
            if not isinstance(other, Mapping) or "format" in other:
                raise SettingError(f"{self.name}: output_config.format is set twice")
            body["output_config"] = {**other, "format": form}
        return finished(body, extra, self.name)

    async def complete(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> Reply:
        """One request, not retried."""
        body = self.body(messages, settings, tools)
        answer = await self._wire.post("/v1/messages", body, settings.timeout)
        return _reply(answer.data, answer.headers, answer.sent, settings, self.name)

    async def close(self) -> None:
        """Release connections."""
        await self._wire.close()

    def _build(self, http: httpx2.AsyncClient) -> Any:
        from anthropic import AsyncAnthropic

        # The key is put in by the wire; without one here the SDK would look for it elsewhere.
        address = self._url or "https://api.anthropic.com"
        return AsyncAnthropic(
            api_key="unused", base_url=address, http_client=http, max_retries=0, open_telemetry=False
        )


def check_thinking(name: str, settings: Settings) -> None:
    """Refuse extended thinking beside tools.

    After a tool call the endpoint wants the thinking blocks back, signatures and all, which a conversation
    of ours does not keep; it would refuse the second request.

    Raises
    ------
    SettingError
    """
    thinking = settings.extra.get("thinking")
    kind = thinking.get("type") if isinstance(thinking, Mapping) else None
    if thinking is not None and kind != "disabled":
        raise SettingError(
            f"{name}: settings.extra.thinking is {kind or 'set'} beside native tool calls, and thinking is "
            "not sent back, expected disabled, or options: {tool: {protocol: prompted}}"
        )


def _messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages; all results of a reply's tool calls go into one, as the endpoint wants them."""
    turns: list[dict[str, Any]] = []
    before: Message | None = None
    for message in messages:
        one = _message(message)
        if before is not None and before.role == message.role == "tool":
            turns[-1]["content"] += one["content"]
        else:
            turns.append(one)
        before = message
    return turns


def _message(message: Message) -> dict[str, Any]:
    """A message in blocks where it has tool calls or answers one."""
    content = clean(message.content)
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": content}
        return {"role": "user", "content": [result]}
    if message.tool_calls:
        blocks: list[dict[str, Any]] = [{"type": "text", "text": content}] if content else []
        for call in message.tool_calls:
            arguments = _input(call["arguments"])
            blocks.append({"type": "tool_use", "id": call["id"], "name": call["name"], "input": arguments})
        return {"role": message.role, "content": blocks}
    return {"role": message.role, "content": content}


def _input(arguments: str) -> dict[str, Any]:
    """The arguments as the object that the endpoint wants; empty where a model wrote something else."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _tool(tool: Tool) -> dict[str, Any]:
    """A tool as this endpoint describes it."""
    function = dict(tool["function"])
    block = {"name": function["name"], "input_schema": function.get("parameters", {"type": "object"})}
    if "description" in function:
        block["description"] = function["description"]
    return block


def _reply(
    data: dict[str, Any], headers: Mapping[str, str], sent: dict[str, Any], settings: Settings, who: str
) -> Reply:
    """What a message says; `Reply.created` is the date of the answer, as the message has none."""
    try:
        blocks = [(block["type"], block) for block in data["content"]]
        text = "".join(block["text"] for kind, block in blocks if kind == "text")
        thought = "".join(block["thinking"] for kind, block in blocks if kind == "thinking")
        calls = tuple(
            {
                "id": clean(str(block["id"])),
                "name": clean(str(block["name"])),
                "arguments": clean(json.dumps(block["input"], ensure_ascii=False)),
            }
            for kind, block in blocks
            if kind == "tool_use"
        )
    except (KeyError, TypeError):
        raise RetryableError(f"{who}: the answer is no message") from None
    ended = data.get("stop_reason")
    if not text.strip() and not calls and ended in ("end_turn", None):
        raise RetryableError(f"{who}: the answer is empty")
    if settings.constrained and not calls and ended in ("end_turn", None):
        text = unwrap(text, settings.choices, who)
    return Reply(
        text=clean(text),
        reasoning=clean(thought) or None,
        model=data["model"] if isinstance(data.get("model"), str) else None,
        created=_date(headers.get("date")),
        finish_reason=ended if isinstance(ended, str) else None,
        usage=_usage(data.get("usage")),
        sent=sent,
        tool_calls=calls,
    )


def _usage(usage: object) -> Usage:
    """Tokens; the endpoint counts cached ones apart from ``input_tokens``, here they are among them."""
    if not isinstance(usage, dict):
        return Usage()
    fresh = count(usage.get("input_tokens"))
    cached = count(usage.get("cache_read_input_tokens"))
    written = count(usage.get("cache_creation_input_tokens"))
    details = usage.get("output_tokens_details")
    return Usage(
        prompt_tokens=None if fresh is None else fresh + (cached or 0) + (written or 0),
        completion_tokens=count(usage.get("output_tokens")),
        reasoning_tokens=count(details.get("thinking_tokens")) if isinstance(details, dict) else None,
        cached_tokens=cached,
    )


def _date(text: str | None) -> float | None:
    try:
        return None if text is None else parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return None
