"""What all bodies of requests have in common: plain JSON, each field set once, no key inside."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from intent.agents.client import Message, Settings, Tool
from intent.errors import SettingError, shorten
from intent.masking import redact

__all__ = ["OWN_FIELDS", "chat_message", "clean", "finished", "whole_body"]

OWN_FIELDS = frozenset({"model", "messages", "system", "tools", "stream", "n"})
"""Fields that `Settings.extra` may not set: they are decided by the client."""


def chat_message(message: Message) -> dict[str, Any]:
    """A message as OpenAI's chat endpoint has it."""
    made: dict[str, Any] = {"role": message.role, "content": clean(message.content)}
    if message.tool_calls:
        made["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        made["tool_call_id"] = message.tool_call_id
    return made


def whole_body(
    name: str, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool]
) -> dict[str, Any]:
    """Messages, tools and settings by our names for them, for models that no endpoint stands before.

    Raises
    ------
    SettingError
        As for `finished`.
    """
    body: dict[str, Any] = {"model": name, "messages": [chat_message(m) for m in messages]}
    if tools:
        body["tools"] = [dict(tool) for tool in tools]
    body.update(settings.model_dump(mode="json", exclude={"timeout", "extra"}, exclude_defaults=True))
    return finished(body, settings.extra, name)


def finished(body: Mapping[str, Any], extra: Mapping[str, Any], who: str) -> dict[str, Any]:
    """`body` with `extra` added, as JSON gives it back.

    Raises
    ------
    SettingError
        A field of `extra` that is set already or not the user's to set, a value that JSON does not have, or
        a key in `extra`, since the body is stored.
    """
    for name in extra:
        if name in OWN_FIELDS:
            raise SettingError(f"{who}: extra.{name} cannot be set there")
        if name in body:
            raise SettingError(f"{who}: {name} is set twice, by the settings and by extra.{name}")
    try:
        text = json.dumps({**body, **extra}, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise SettingError(f"{who}: a setting is not JSON: {shorten(error)}") from None
    if extra and redact(given := json.dumps(extra, ensure_ascii=False)) != given:
        raise SettingError(f"{who}: the request holds an API key; keys come from the environment only")
    made: dict[str, Any] = json.loads(text)
    return made


def clean(text: str) -> str:
    """`text` without lone surrogates, which no UTF-8 file or store can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text
