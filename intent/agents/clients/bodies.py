"""What all bodies of requests have in common: plain JSON, each field set once, no key inside.

Replies that can only be one of the labels are asked for in the words of each kind of endpoint:

================== =================================================== ===========================
form               field of the body                                   endpoints
================== =================================================== ===========================
json_schema        ``response_format`` with an enum                    OpenAI, Mistral, Ollama, vLLM,
                                                                       llama.cpp, OpenRouter
structured_outputs ``structured_outputs: {"choice": [...]}``           vLLM
guided_choice      ``guided_choice: [...]``                            older vLLM
grammar            ``grammar`` in GBNF                                 llama.cpp
================== =================================================== ===========================

``openai/NAME@URL#FORM`` chooses one; json_schema is the default, being the most widely understood.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from intent.agents.client import Message, Settings, Tool
from intent.base.errors import SettingError, UnknownNameError, shorten
from intent.base.masking import redact

__all__ = [
    "FORMS",
    "OWN_FIELDS",
    "chat_message",
    "check_form",
    "choice_schema",
    "clean",
    "constraint",
    "finished",
    "unwrap",
    "whole_body",
]


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
    if extra and redact(further := json.dumps(extra, ensure_ascii=False)) != further:
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


FIELD = "choice"
"""Name of the one field of a JSON reply."""


def choice_schema(choices: Sequence[str]) -> dict[str, Any]:
    """JSON schema of an object whose one field is one of the labels."""
    return {
        "type": "object",
        "properties": {FIELD: {"type": "string", "enum": list(choices)}},
        "required": [FIELD],
        "additionalProperties": False,
    }


def gbnf(choices: Sequence[str]) -> str:
    """The grammar of llama.cpp that allows the labels and nothing else."""
    return "root ::= " + " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)


def _json_schema(choices: Sequence[str]) -> dict[str, Any]:
    named = {"name": FIELD, "strict": True, "schema": choice_schema(choices)}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


FORMS: Mapping[str, Callable[[Sequence[str]], dict[str, Any]]] = MappingProxyType(
    {
        "json_schema": _json_schema,
        "structured_outputs": lambda choices: {"structured_outputs": {"choice": list(choices)}},
        "guided_choice": lambda choices: {"guided_choice": list(choices)},
        "grammar": lambda choices: {"grammar": gbnf(choices)},
    }
)


def check_form(form: str | None) -> str:
    """`form`, or json_schema where none is given.

    Raises
    ------
    UnknownNameError
    """
    if form is not None and form not in FORMS:
        raise UnknownNameError("form of constrained output", form, FORMS)
    return form or "json_schema"


def constraint(form: str, choices: Sequence[str]) -> dict[str, Any]:
    """The fields of the body that allow `choices` only.

    Raises
    ------
    SettingError
        No labels, or one that occurs twice.
    """
    if not choices or len(set(choices)) < len(choices):
        raise SettingError(f"constrained output needs distinct labels, got {shorten(list(choices))}")
    return FORMS[form](choices)


def unwrap(text: str, choices: Sequence[str], who: str) -> str:
    """The label in a constrained reply: bare, or the one field of a JSON object.

    Raises
    ------
    SettingError
        It is none of the labels: the endpoint dropped the constraint.
    """
    inner: object = text.strip()
    if inner not in choices:
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            read = None
        inner = read.get(FIELD) if isinstance(read, dict) else read
    if isinstance(inner, str) and inner in choices:
        return inner
    raise SettingError(
        f"{who} does not honour constrained: expected one of {', '.join(choices)}, got {shorten(text)!r}; "
        "choose another form with openai/NAME@URL#FORM or set constrained: false"
    )
