"""Messages, settings, tools and replies as Inspect has them and as we have them.

Texts pass through as they are: what a model of Inspect is asked is what a client of ours would be asked,
letter by letter. A setting that one side does not have is an error, as it is for every client, and is never
dropped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    ResponseSchema,
    StopReason,
)
from inspect_ai.scorer import metric
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams
from inspect_ai.util import JSONSchema, registry_info

from intent.agents.client import Message, Reply, Settings, Tool, Usage
from intent.agents.clients.registry import FIELD, choice_schema, clean, unwrap
from intent.base.errors import SettingError
from intent.base.files import json_value

__all__ = [
    "PACKAGE",
    "chat_of",
    "choice_of",
    "config_of",
    "full_name",
    "messages_of",
    "output_of",
    "registered",
    "reply_of",
    "settings_of",
    "tool_infos",
    "tools_of",
]

PACKAGE = "intent"


def _probe() -> Any:
    """Nothing: it shows what Inspect makes of a name."""
    return lambda scores: 0.0


_PREFIXED = registry_info(metric(name="intent_name")(_probe)).name.startswith(f"{PACKAGE}/")


def full_name(name: str) -> str:
    """What a decorator is told, so that the name comes to be ``intent/NAME``."""
    return name if _PREFIXED else f"{PACKAGE}/{name}"


def registered(decorator: Callable[..., Any], name: str, work: Callable[..., Any], **settings: Any) -> Any:
    """What a decorator of Inspect's makes of a function, registered as ``intent/NAME``.

    Parameters
    ----------
    decorator : such as ``task`` or ``scorer``
    settings : of the decorator
    """
    return decorator(name=full_name(name), **settings)(work)


def chat_of(messages: Sequence[Message]) -> list[ChatMessage]:
    """Our messages as Inspect's."""
    return [_chat_message(message) for message in messages]


def _chat_message(message: Message) -> ChatMessage:
    text = clean(message.content)
    if message.role == "system":
        return ChatMessageSystem(content=text)
    if message.role == "user":
        return ChatMessageUser(content=text)
    if message.role == "tool":
        return ChatMessageTool(content=text, tool_call_id=message.tool_call_id)
    return ChatMessageAssistant(content=text, tool_calls=_tool_calls(message.tool_calls))


def _tool_calls(calls: Sequence[Mapping[str, str]]) -> list[ToolCall] | None:
    """Calls of tools; arguments that are no JSON object stand under the name `_RAW`, as they came."""
    tool_calls = []
    for call in calls:
        try:
            read = json_value(call["arguments"])
        except (ValueError, RecursionError):
            read = None
        known = isinstance(read, dict)
        tool_calls.append(
            ToolCall(
                id=call["id"],
                function=call["name"],
                arguments=read if known else {_RAW: call["arguments"]},
                parse_error=None if known else "the arguments are no JSON object",
            )
        )
    return tool_calls or None


_RAW = "text"


def messages_of(chat: Sequence[ChatMessage]) -> list[Message]:
    """Inspect's messages as ours; of their content the text, reasoning and pictures apart."""
    return [
        Message(
            message.role,
            message.text,
            _calls(message.tool_calls or ()) if isinstance(message, ChatMessageAssistant) else (),
            message.tool_call_id if isinstance(message, ChatMessageTool) else None,
        )
        for message in chat
    ]


def _calls(calls: Sequence[ToolCall]) -> tuple[Mapping[str, str], ...]:
    return tuple(
        {
            "id": call.id,
            "name": call.function,
            # what could not be read is as it came, or, where Inspect has read it in vain, nothing
            "arguments": str(call.arguments.get(_RAW, ""))
            if call.parse_error
            else json.dumps(call.arguments),
        }
        for call in calls
    )


def config_of(settings: Settings, evaluation: GenerateConfig | None = None) -> GenerateConfig:
    """Our settings of one reply as Inspect's.

    Parameters
    ----------
    settings : Settings
    evaluation : GenerateConfig, optional
        What the user set for the whole evaluation (``--temperature 0``): it goes before the file's, and the
        log says so.

    Raises
    ------
    SettingError
        Constrained replies without labels.
    """
    values: dict[str, Any] = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": settings.max_tokens,
        "seed": settings.seed,
        "stop_seqs": list(settings.stop) or None,
        "extra_body": dict(settings.extra) or None,
    }
    if settings.timeout != Settings.model_fields["timeout"].default:
        values["attempt_timeout"] = max(1, round(settings.timeout))
    if settings.constrained:
        if not settings.choices:
            raise SettingError("constrained output needs labels, got none")
        schema = JSONSchema.model_validate(choice_schema(settings.choices))
        values["response_schema"] = ResponseSchema(name=FIELD, json_schema=schema, strict=True)
    stated = {} if evaluation is None else evaluation.model_dump(exclude_none=True)
    return GenerateConfig(
        **{key: value for key, value in values.items() if value is not None and key not in stated}
    )


_OURS = frozenset(
    {"temperature", "top_p", "max_tokens", "seed", "stop_seqs", "extra_body", "response_schema"}
)
_OF_THE_DRIVER = frozenset(
    {
        *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections"),
        *("adaptive_connections", "cache", "batch", "max_tool_output", "fail_on_refusal", "system_message"),
        *("internal_tools", "reasoning_history", "parallel_tool_calls", "modalities"),
    }
)
"""What Inspect sees to itself before or after a model is asked."""


def settings_of(config: GenerateConfig) -> Settings:
    """Inspect's settings as ours.

    Raises
    ------
    SettingError
        One that our clients do not have, or a schema of replies other than one of labels.
    """
    stated = config.model_dump(exclude_none=True)
    stray = sorted(stated.keys() - _OURS - _OF_THE_DRIVER)
    if stray:
        raise SettingError(
            f"{stray[0]} is no setting of this model, expected some of {', '.join(sorted(_OURS))}"
        )
    choices = _choices(config)
    settings = Settings(
        temperature=config.temperature,
        top_p=config.top_p,
        max_tokens=config.max_tokens,
        seed=config.seed,
        stop=tuple(config.stop_seqs or ()),
        extra=dict(config.extra_body or {}),
        constrained=bool(choices),
        choices=choices,
    )
    if config.attempt_timeout is None:
        return settings
    return settings.model_copy(update={"timeout": float(config.attempt_timeout)})


def _choices(config: GenerateConfig) -> tuple[str, ...]:
    if config.response_schema is None:
        return ()
    schema = config.response_schema.json_schema.model_dump(exclude_none=True)
    choices = schema.get("properties", {}).get(FIELD, {}).get("enum")
    if not choices or set(schema["properties"]) != {FIELD}:
        raise SettingError(f"response_schema is none of labels, expected one field {FIELD} with an enum")
    return tuple(map(str, choices))


def tool_infos(tools: Sequence[Tool]) -> list[ToolInfo]:
    """Our tools as Inspect's."""
    functions = [tool["function"] for tool in tools]
    return [
        ToolInfo(
            name=function["name"],
            description=function.get("description", ""),
            parameters=ToolParams.model_validate(function.get("parameters", {})),
        )
        for function in functions
    ]


def tools_of(tools: Sequence[ToolInfo]) -> list[Tool]:
    """Inspect's tools as ours."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters.model_dump(exclude_none=True),
            },
        }
        for tool in tools
    ]


def choice_of(settings: Settings, text: str, who: str) -> str:
    """The label in a constrained reply, else the reply."""
    return unwrap(text, settings.choices, who) if settings.constrained else text


_REASONS: Mapping[str, str] = {"max_tokens": "length", "model_length": "length"}


def reply_of(output: ModelOutput) -> Reply:
    """A reply of Inspect's as ours; one without any choice is empty."""
    if output.empty:
        return Reply("", model=output.model or None)
    message, usage = output.message, output.usage
    return Reply(
        clean(message.text),
        reasoning=_reasoning(message.content),
        model=output.model or None,
        finish_reason=_REASONS.get(output.stop_reason, output.stop_reason),
        usage=Usage()
        if usage is None
        else Usage(
            usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0),
            usage.output_tokens,
            usage.reasoning_tokens,
            usage.input_tokens_cache_read,
        ),
        tool_calls=_calls(message.tool_calls or ()),
    )


def _reasoning(content: str | list[Content]) -> str | None:
    """Reasoning that came apart from the text; of redacted one its summary, where there is one."""
    if isinstance(content, str):
        return None
    parts = [
        (part.summary or "") if part.redacted else part.reasoning
        for part in content
        if isinstance(part, ContentReasoning)
    ]
    return clean("\n\n".join(filter(None, parts))) or None


_STOPS: Mapping[str, StopReason] = {
    "stop": "stop",
    "length": "max_tokens",
    "tool_calls": "tool_calls",
    "content_filter": "content_filter",
}


def output_of(reply: Reply, model: str) -> ModelOutput:
    """A reply of ours as Inspect's."""
    calls = _tool_calls(reply.tool_calls)
    content: str | list[Content] = reply.text
    if reply.reasoning:
        content = [ContentReasoning(reasoning=reply.reasoning), ContentText(text=reply.text)]
    message = ChatMessageAssistant(content=content, tool_calls=calls, model=model, source="generate")
    used = reply.usage
    prompt, completion = used.prompt_tokens or 0, used.completion_tokens or 0
    usage = ModelUsage(
        input_tokens=prompt - (used.cached_tokens or 0),
        output_tokens=completion,
        total_tokens=prompt + completion,
        input_tokens_cache_read=used.cached_tokens,
        reasoning_tokens=used.reasoning_tokens,
    )
    reason = _STOPS.get(reply.finish_reason or "stop", "unknown")
    return ModelOutput(
        model=reply.model or model,
        choices=[ChatCompletionChoice(message=message, stop_reason=reason)],
        usage=usage,
    )
