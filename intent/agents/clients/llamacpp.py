"""A model that runs in this process: ``local/NAME`` or ``gguf:PATH``, by llama.cpp."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from intent.agents.client import Message, Reply, Settings, Tool, Usage
from intent.agents.clients.chat_marks import as_text
from intent.agents.clients.constrain import constraint
from intent.agents.clients.fields import chat_message, clean, finished
from intent.agents.clients.llama_engine import Engine, engine, installed
from intent.agents.local_models import LOCAL_MODELS, check_gguf, fetch, file_sha256
from intent.errors import SettingError, UnknownNameError, shorten

__all__ = ["DEFAULTS", "FIELDS", "LlamaCppClient"]

DEFAULTS = {"temperature": 1.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "max_tokens": 512}
"""What is sent for settings that are None.

llama.cpp's own defaults (temperature 0.8, the 40 likeliest tokens, 95 % of the probability, nothing below
5 % of the likeliest) would bend the choice probabilities that a study measures: here the model's own
distribution is sampled. `extra` may change any of them."""

# fmt: off
FIELDS = frozenset((
    "chat_template_kwargs", "dry_allowed_length", "dry_base", "dry_multiplier",
    "dry_penalty_last_n", "dynatemp_exponent", "dynatemp_range", "frequency_penalty", "ignore_eos",
    "logit_bias", "max_tokens", "min_p", "mirostat", "mirostat_eta", "mirostat_tau", "presence_penalty",
    "reasoning_format", "repeat_last_n", "repeat_penalty", "samplers", "temperature", "top_k",
    "top_n_sigma", "top_p", "typical_p", "xtc_probability", "xtc_threshold",
))
# fmt: on
"""Fields of `Settings.extra`; llama.cpp drops those that it does not know without a word."""

_SEEDS = 2**32 - 1
"""llama.cpp's seeds have 32 bits, and the highest means a random one."""


class LlamaCppClient:
    """A GGUF model in this process, one request after another.

    The same body and seed give the same reply on the same machine with the same xllamacpp, whatever was
    asked before (`intent.agents.clients.llama_prefix`). Without a seed one is drawn and recorded in
    `Reply.sent`. A reply may be empty: asked again alike, the model would say the same. Chat control marks
    inside messages are spelt apart (`intent.agents.clients.chat_marks`).

    Prompt and reply may have 4096 tokens together; ``INTENT_LLAMA_CONTEXT`` sets another number,
    ``INTENT_LLAMA_THREADS`` the threads, ``INTENT_LLAMA_SLOTS`` how many prompts are kept.

    Parameters
    ----------
    name : str
        ``local/NAME`` of `intent.agents.local_models.LOCAL_MODELS`, downloaded when first asked, or
        ``gguf:PATH``.

    Raises
    ------
    MissingExtraError
        xllamacpp is not installed.
    UnknownNameError
        No such local model.
    DataError
        The path is no GGUF file.
    """

    endpoint = "local"
    concurrency = 1

    def __init__(self, name: str) -> None:
        self._version = installed()
        self.name = name
        self._path: Path | None = None
        self._row = None
        if name.startswith("gguf:"):
            self._path = check_gguf(Path(name.removeprefix("gguf:")).expanduser())
        else:
            short = name.removeprefix("local/")
            if short not in LOCAL_MODELS:
                raise UnknownNameError("local model", name, [f"local/{known}" for known in LOCAL_MODELS])
            self._row = LOCAL_MODELS[short]
        self._engine: Engine | None = None

    def __repr__(self) -> str:
        return f"LlamaCppClient({self.name!r})"

    @cached_property
    def snapshot(self) -> str:
        """The model file's name and the beginning of its SHA-256, as ``smollm2-135m@b179c9523d0e``."""
        if self._path is not None:
            return f"{self._path.stem}@{file_sha256(self._path)[:12]}"
        assert self._row is not None
        return f"{self._row.name}@{self._row.sha256[:12]}"

    def body(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> dict[str, Any]:
        """The body of llama.cpp's chat endpoint, with the snapshot as the model.

        Raises
        ------
        SettingError
            Tools, or a field of `extra` that llama.cpp does not have.
        """
        if tools or settings.tool_choice:
            raise SettingError(
                f"{self.name} takes no tools; an agent with a tool needs options: {{protocol: prompted}}"
            )
        unknown = sorted(set(settings.extra) - FIELDS)
        if unknown:
            raise SettingError(
                f"{self.name}: {UnknownNameError('field of extra', unknown[0], sorted(FIELDS))}"
            )
        body: dict[str, Any] = {"model": self.snapshot, "messages": [_message(m) for m in messages]}
        for field in ("temperature", "top_p", "max_tokens"):
            if (value := getattr(settings, field)) is not None:
                body[field] = value
        if settings.seed is not None:
            body["seed"] = settings.seed % _SEEDS
        if settings.stop:
            body["stop"] = list(settings.stop)
        if settings.constrained:
            body |= constraint("grammar", settings.choices)
        body = finished(body, settings.extra, self.name)
        return {**DEFAULTS, **body}

    async def complete(
        self, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool] = ()
    ) -> Reply:
        """One reply, computed in a thread of its own.

        Raises
        ------
        RetryableError, RefusedError, SettingError, UsageError, DataError, OutputError
        """
        body = self.body(messages, settings, tools)
        body.setdefault("seed", secrets.randbelow(_SEEDS))
        if self._engine is None:
            self._engine = engine(self.snapshot, self._locate)
        stopped = threading.Event()
        job = asyncio.get_running_loop().run_in_executor(
            self._engine.worker, self._engine.run, body, settings.timeout, stopped
        )
        try:
            got = await job
        finally:
            stopped.set()
        return Reply(
            clean(got.text),
            reasoning=clean(got.reasoning) or None,
            model=self.snapshot,
            created=got.created,
            fingerprint=f"xllamacpp {self._version}",
            finish_reason=got.finish_reason,
            usage=Usage(got.usage.get("prompt_tokens"), got.usage.get("completion_tokens")),
            sent=body,
        )

    async def close(self) -> None:
        """Let go of the model; it is unloaded when no client in this process holds it."""
        self._engine = None

    def _locate(self) -> Path:
        if self._path is not None:
            return self._path
        assert self._row is not None
        return fetch(self._row.name)


def _message(message: Message) -> dict[str, Any]:
    if message.role == "tool" or message.tool_calls:
        raise SettingError(f"local models take no tools, got {shorten(message.content)!r} from one")
    return {**chat_message(message), "content": as_text(clean(message.content))}
