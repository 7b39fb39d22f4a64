"""OpenAI's chat endpoint, and every endpoint that speaks its language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from intent.agents.client import Message, Reply, Settings, Tool, Usage
from intent.agents.clients.registry import (
    chat_message,
    check_form,
    clean,
    constraint,
    finished,
    openai_endpoint,
    required_key,
    unwrap,
)
from intent.agents.clients.wire import Wire
from intent.base.errors import RetryableError
from intent.base.registry import require
from intent.base.replies import strip_reasoning

if TYPE_CHECKING:
    import httpx2

__all__ = ["MOST_TOKENS", "OpenAIClient", "chat_reply", "count"]

MOST_TOKENS = 10**9
"""Of one call. An endpoint that counts more is not believed: the sums of a run would overflow."""


class OpenAIClient:
    """A model behind ``/chat/completions``.

    `Settings.max_tokens` is sent as ``max_completion_tokens`` to OpenAI, whose reasoning models refuse the
    older ``max_tokens``, and as ``max_tokens`` to others, which all know it; `Settings.extra` can hold the
    other one.

    Parameters
    ----------
    name : ``openai/NAME``, ``openai/NAME@URL`` or ``openai/NAME@URL#FORM``
        (`intent.agents.clients.registry`, `intent.agents.clients.registry`)

    Raises
    ------
    MissingExtraError
        The extra ``play`` is not installed.
    UsageError
        A name that means no endpoint, or a key that is not in the environment.
    """

    concurrency = 64

    def __init__(self, name: str) -> None:
        require("openai", "httpx2")
        self.name = name
        self._at = openai_endpoint(name.removeprefix("openai/"))
        self.endpoint = self._at.shared
        self._form = check_form(self._at.form)
        self._wire = Wire(
            name,
            self._build,
            header="authorization",
            key=required_key(self._at, name),
            key_name=self._at.key_name,
            plain=not (self._at.official or self._at.configured),
            direct=self._at.local,
            trusting=not (self._at.local and self._at.url.startswith("http:")),
        )

    def __repr__(self) -> str:
        return f"OpenAIClient({self.name!r})"

    def body(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> dict[str, Any]:
        """The body of ``POST /chat/completions``."""
        body: dict[str, Any] = {
            "model": self._at.model,
            "messages": [chat_message(message) for message in messages],
        }
        limit = "max_completion_tokens" if self._at.official else "max_tokens"
        sampling = {
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            limit: settings.max_tokens,
            "seed": settings.seed,
            "stop": list(settings.stop) or None,
            "tools": [dict(tool) for tool in tools] or None,
            "tool_choice": settings.tool_choice if tools else None,
        }
        body.update({field: value for field, value in sampling.items() if value is not None})
        if settings.constrained:
            body.update(constraint(self._form, settings.choices))
        return finished(body, settings.extra, self.name)

    async def complete(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> Reply:
        """One request, not retried."""
        body = self.body(messages, settings, tools)
        answer = await self._wire.post("/chat/completions", body, settings.timeout)
        return chat_reply(answer.data, answer.sent, settings, self.name)

    async def close(self) -> None:
        """Release connections."""
        await self._wire.close()

    def _build(self, http: httpx2.AsyncClient) -> Any:
        from openai import AsyncOpenAI

        # The key is put in by the wire; without one here the SDK would look for it elsewhere.
        return AsyncOpenAI(api_key="unused", base_url=self._at.url, http_client=http, max_retries=0)


def chat_reply(data: dict[str, Any], sent: dict[str, Any], settings: Settings, who: str) -> Reply:
    """What a chat completion says.

    A refusal is a reply: its text is what the model says instead. So is a reply that a content filter or
    the limit of tokens left empty.

    Raises
    ------
    RetryableError
        Nothing was said, or it is no chat completion.
    SettingError
        A constrained reply that is none of the labels.
    """
    try:
        choice = data["choices"][0]
        message = choice["message"]
        text, thought = _parts(message.get("content"))
        calls = tuple(_call(call) for call in message.get("tool_calls") or ())
    except (KeyError, IndexError, TypeError, AttributeError):
        raise RetryableError(f"{who}: the answer is no chat completion") from None
    refusal = message.get("refusal")
    if not text and isinstance(refusal, str):
        text = refusal
    finish = choice.get("finish_reason")
    finish = "refusal" if refusal and finish in ("stop", None) else finish
    if not text.strip() and not calls and finish in ("stop", None):
        raise RetryableError(f"{who}: the answer is empty")
    if settings.constrained and not calls and finish in ("stop", None):
        text, inside = strip_reasoning(text)
        text, thought = unwrap(text, settings.choices, who), thought or inside or ""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(message.get(name), str) and message[name]:
            thought = message[name]
    return Reply(
        text=clean(text),
        reasoning=clean(thought) if thought else None,
        model=_text(data.get("model")),
        created=_number(data.get("created")),
        fingerprint=_text(data.get("system_fingerprint")),
        finish_reason=_text(finish),
        usage=_usage(data.get("usage")),
        sent=sent,
        tool_calls=calls,
    )


def _parts(content: object) -> tuple[str, str]:
    """Text and reasoning of a content, which some endpoints give as a list of parts."""
    if content is None or isinstance(content, str):
        return content or "", ""
    text, thought = [], []
    for part in content if isinstance(content, list) else ():
        if part.get("type") == "text":
            text.append(part["text"])
        elif part.get("type") in ("thinking", "reasoning"):
            inner = part.get("thinking", part.get("text", ""))
            thought.append(inner if isinstance(inner, str) else _parts(inner)[0])
    return "".join(text), "".join(thought)


def _call(call: dict[str, Any]) -> dict[str, str]:
    function = call["function"]
    return {
        "id": clean(str(call.get("id") or "")),
        "name": clean(str(function["name"])),
        "arguments": clean(str(function.get("arguments") or "")),
    }


def _usage(usage: object) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    answer, prompt = usage.get("completion_tokens_details"), usage.get("prompt_tokens_details")
    return Usage(
        prompt_tokens=count(usage.get("prompt_tokens")),
        completion_tokens=count(usage.get("completion_tokens")),
        reasoning_tokens=count(answer.get("reasoning_tokens")) if isinstance(answer, dict) else None,
        cached_tokens=count(prompt.get("cached_tokens")) if isinstance(prompt, dict) else None,
    )


def count(value: object) -> int | None:
    """`value` where it can be a number of tokens."""
    plain = isinstance(value, int) and not isinstance(value, bool)
    return value if plain and 0 <= value <= MOST_TOKENS else None  # type: ignore[operator,return-value]


def _number(value: object) -> float | None:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain and abs(value) < 2**53 else None  # type: ignore[arg-type]


def _text(value: object) -> str | None:
    return clean(value) if isinstance(value, str) and value else None
