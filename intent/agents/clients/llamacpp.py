"""A model that runs in this process: ``local/NAME`` or ``gguf:PATH``, by llama.cpp.

Marks that end a turn in some model's chat format, kept from doing so inside a message.

A model of llama.cpp in this process: loaded once, asked one request after another, stoppable.

What a prompt shares with an earlier one, taken over without changing the reply.

llama.cpp can keep the state of a prompt's beginning, which makes a decision several times faster, since the
rules and the past of a game stand there. But the numbers of a state depend on the batches in which it was
computed: on SmolLM2, log-probabilities move by up to .07, and of 60 sampled replies 57 changed. So the
beginning is always computed in the same pieces:

1. The first message is cut at ends of lines into pieces of at least `PIECE` characters, from the front.
2. Each piece is computed by a request of its own, whose message ends there; the rest by the request itself.
3. Of an earlier prompt in the same slot, whole pieces are taken over, never a part of one.

The state of a piece then depends on the text up to its end and nothing else.

The pieces of a streamed chat reply, put together.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from intent.agents.client import Message, Reply, Settings, Tool, Usage
from intent.agents.clients.registry import chat_message, clean, constraint, finished
from intent.agents.local_models import LOCAL_MODELS, check_gguf, fetch, file_sha256
from intent.base.errors import (
    RefusedError,
    RetryableError,
    SettingError,
    UnknownNameError,
    UsageError,
    shorten,
)
from intent.base.openmp import load_asleep
from intent.base.registry import require
from intent.base.workers import usable_processors

__all__ = [
    "DEFAULTS",
    "FIELDS",
    "PIECE",
    "THREADS",
    "Engine",
    "LlamaCppClient",
    "Slots",
    "Streamed",
    "as_text",
    "engine",
    "engine_version",
    "pieces",
]


_MARKS = re.compile(
    r"<(?=\|[^|<>\n]{1,40}\|>|｜[^｜<>\n]{1,40}｜>|/?s>|(?:start|end)_of_turn>|<SYS>>|</SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS)\])",
    re.IGNORECASE,
)


def as_text(content: str) -> str:
    """`content` with a space inside every such mark.

    llama.cpp reads ``<|im_end|>`` in the text of a message as the token that ends the message; then a
    player could write the system's words into the prompt of another. Served models treat it as text.
    """
    return _MARKS.sub(lambda mark: mark[0] + " ", content)


PIECE = 100
"""Least length of a piece, in characters."""

_END_OF_LINE = re.compile(r"\n+(?=\S)")


def pieces(text: str, least: int = PIECE) -> tuple[str, ...]:
    """The pieces that `text` is cut into; what follows the last one is in none of them."""
    cuts, start = [], 0
    for end in _END_OF_LINE.finditer(text):
        if end.end() - start >= least:
            cuts.append(text[start : end.end()])
            start = end.end()
    return tuple(cuts)


class Slots:
    """What the slots of a server hold."""

    def __init__(self, n: int) -> None:
        self._held: dict[int, tuple[str, ...]] = dict.fromkeys(range(n), ())

    def requests(self, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The requests that answer `body`, in order; the last one gives the reply.

        Assumes that all of them succeed; call `forget` where one did not.
        """
        first = body["messages"][0]
        cut = pieces(first["content"])
        slot = max(self._held, key=lambda i: _shared((self._held[i], cut)))
        shared = _shared((self._held[slot], cut))
        if not shared:
            slot = next(iter(self._held))
        # The order of the dict is that of use, longest ago first.
        del self._held[slot]
        self._held[slot] = cut
        ends = [sum(map(len, cut[: i + 1])) for i in range(len(cut))]
        bodies = []
        for end in ends[max(shared - 1, 0) :]:
            message = {**first, "content": first["content"][:end]}
            bodies.append({"messages": [message], "max_tokens": 0, "id_slot": slot, "cache_prompt": True})
        bodies.append({**body, "id_slot": slot, "cache_prompt": True})
        if not shared:
            bodies[0]["cache_prompt"] = False
        return bodies

    def forget(self) -> None:
        """Take nothing over from now on."""
        self._held = dict.fromkeys(self._held, ())


def _shared(two: tuple[Sequence[str], Sequence[str]]) -> int:
    """How many pieces both begin with."""
    n = 0
    for one, other in zip(*two, strict=False):
        if one != other:
            break
        n += 1
    return n


class Streamed:
    """Takes the pieces as they come, and asks after each whether to go on.

    Parameters
    ----------
    enough : whether to stop here

    Attributes
    ----------
    text, reasoning : str
    finish_reason : str or None
        None until the reply is whole.
    created : float or None
    usage : mapping
    error : mapping or None
    """

    def __init__(self, enough: Callable[[], bool]) -> None:
        self._enough = enough
        self.text, self.reasoning = "", ""
        self.finish_reason: str | None = None
        self.created: float | None = None
        self.usage: Mapping[str, Any] = {}
        self.error: Mapping[str, Any] | None = None

    def take(self, piece: Mapping[str, Any]) -> bool:
        """Add a piece; whether to stop."""
        if "error" in piece:
            self.error = piece["error"]
            return True
        self.created = piece.get("created", self.created)
        self.usage = piece.get("usage") or self.usage
        for choice in piece.get("choices") or ():
            delta = choice.get("delta") or {}
            self.text += delta.get("content") or ""
            self.reasoning += delta.get("reasoning_content") or ""
            self.finish_reason = choice.get("finish_reason") or self.finish_reason
        return self.finish_reason is None and self._enough()


CONTEXT = "INTENT_LLAMA_CONTEXT"
"""Environment variable: tokens that prompt and reply may have together."""

THREADS = "INTENT_LLAMA_THREADS"
"""Environment variable: threads to compute with; by default one per processor of this process."""

SLOTS = "INTENT_LLAMA_SLOTS"
"""Environment variable: prompts whose beginnings are kept; each takes the memory of a context. By default 8,
and 2 for a file of half a gigabyte or more. It changes the time that replies take, never a reply."""

_TOKENS = 4096
_LARGE = 500_000_000
_LONGEST_SOCKET = 100

Locate = Callable[[], Path]


class Engine:
    """One loaded model. One request at a time: replies computed together would change each other's rounding.

    xllamacpp brings llama.cpp's HTTP server along and cannot leave it out. It is bound to a Unix socket in
    a private folder, whose name is removed as soon as the model is loaded: nobody can connect. Where there
    are no Unix sockets it listens on 127.0.0.1 behind a random key.

    Parameters
    ----------
    locate : callable
        Finds (and perhaps downloads) the model file; called when the model is first asked.
    n_ctx : int, tokens
    """

    def __init__(self, locate: Locate, n_ctx: int, n_threads: int) -> None:
        self._locate, self.n_ctx, self._n_threads = locate, n_ctx, n_threads
        self._server: Any = None
        self._slots = Slots(1)
        self.worker = ThreadPoolExecutor(1, thread_name_prefix="llama.cpp")

    def run(self, body: Mapping[str, Any], timeout: float, stopped: threading.Event) -> Streamed:
        """The reply to a chat request; blocks, and is only called in `worker`.

        Parameters
        ----------
        body : mapping, as of llama.cpp's ``/v1/chat/completions``
        timeout : float, seconds; the model's loading does not count
        stopped : Event
            Ends the reply after the next token.

        Raises
        ------
        RetryableError
            Time-out, or llama.cpp failed.
        RefusedError
            The model cannot be loaded, or the request cannot be answered.
        """
        if stopped.is_set():
            raise RetryableError("stopped before it was asked")
        if self._server is None:
            path = self._locate()
            n = _number(SLOTS, 2 if path.stat().st_size >= _LARGE else 8)
            self._server, self._slots = _load(path, self.n_ctx, n, self._n_threads), Slots(n)
        ends = time.monotonic() + timeout

        def enough() -> bool:
            return stopped.is_set() or time.monotonic() > ends

        *prepare, last = self._slots.requests(body)
        try:
            for request in prepare:
                if enough() or "error" in self._server.handle_chat_completions(request):
                    # A prompt too long, or a chat format that refuses the beginning alone.
                    self._slots.forget()
                    last = {**body, "cache_prompt": False}
                    break
            stream = Streamed(enough)
            if not enough():
                whole = {**last, "stream": True, "stream_options": {"include_usage": True}}
                self._server.handle_chat_completions(whole, stream.take)
        except RuntimeError as error:
            self._slots.forget()
            raise RefusedError(f"llama.cpp cannot read the request: {shorten(error, 200)}") from None
        if stream.finish_reason is None:
            self._slots.forget()
            if stream.error is not None:
                raise _failure(stream.error)
            raise RetryableError("stopped" if stopped.is_set() else f"no reply within {timeout:g} s")
        return stream


def engine(path: str, locate: Locate) -> Engine:
    """The engine of a model, the same for all clients in this process that are in use.

    Parameters
    ----------
    path : str, what tells model files apart
    locate : callable

    Raises
    ------
    UsageError
        `CONTEXT` or `THREADS` is no positive number.
    """
    n_ctx, n_threads = _number(CONTEXT, _TOKENS), _number(THREADS, usable_processors())
    with _LOCK:
        shared = _ENGINES.get((path, n_ctx, n_threads))
        if shared is None:
            shared = _ENGINES[path, n_ctx, n_threads] = Engine(locate, n_ctx, n_threads)
        return shared


def engine_version() -> str:
    """The version of xllamacpp, which decides what the same request is answered.

    Raises
    ------
    MissingExtraError
    """
    require("xllamacpp")
    return version("xllamacpp")


_ENGINES: WeakValueDictionary[tuple[str, int, int], Engine] = WeakValueDictionary()
_LOCK = threading.Lock()


def _load(path: Path, n_ctx: int, n_slots: int, n_threads: int) -> Any:
    xllamacpp = load_asleep("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = n_ctx * n_slots
    params.n_parallel = n_slots
    params.kv_unified = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = n_threads
    # Layers go to a GPU where the installed build has one (n_gpu_layers is -1).
    params.verbosity = -1
    params.cache_ram_mib = 0
    params.ui = params.endpoint_slots = False
    params.api_keys = [secrets.token_hex(32)]
    with tempfile.TemporaryDirectory(prefix="intent-") as folder:
        name = str(Path(folder) / "s.sock")
        if hasattr(socket, "AF_UNIX") and len(os.fsencode(name)) < _LONGEST_SOCKET:
            params.hostnames = [name]
        try:
            return xllamacpp.Server(params)
        except RuntimeError:
            raise RefusedError(
                f"{path.name}: llama.cpp cannot load it with {n_ctx} tokens of context; expected a GGUF file "
                f"of a kind it knows, and memory for it ({CONTEXT} sets the context)"
            ) from None


def _failure(error: Mapping[str, Any]) -> RetryableError | RefusedError:
    if error.get("type") == "exceed_context_size_error":
        return RefusedError(
            f"the prompt has {error.get('n_prompt_tokens')} tokens, the context holds {error.get('n_ctx')}; "
            f"{CONTEXT} sets how many"
        )
    text = f"llama.cpp: {shorten(error.get('message'), 200)}"
    code = error.get("code")
    return RefusedError(text) if isinstance(code, int) and code < 500 else RetryableError(text)


def _number(variable: str, default: int) -> int:
    text = os.environ.get(variable)
    if not text:
        return default
    if not text.isdecimal() or not 0 < int(text) <= 10_000_000:
        raise UsageError(f"{variable} is {shorten(text)!r}, expected a positive number")
    return int(text)


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
    asked before (`intent.agents.clients.llamacpp`). Without a seed one is drawn and recorded in
    `Reply.sent`. A reply may be empty: asked again alike, the model would say the same. Chat control marks
    inside messages are spelt apart (`intent.agents.clients.llamacpp`).

    Prompt and reply may have 4096 tokens together; ``INTENT_LLAMA_CONTEXT`` sets another number,
    ``INTENT_LLAMA_THREADS`` the threads, ``INTENT_LLAMA_SLOTS`` how many prompts are kept.

    Parameters
    ----------
    name : ``local/NAME`` of `intent.agents.local_models.LOCAL_MODELS`, downloaded when first asked, or
        ``gguf:PATH``

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
        self._version = engine_version()
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
        """The body of llama.cpp's chat endpoint, with the snapshot as the model."""
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
        """One reply, computed in a thread of its own."""
        body = self.body(messages, settings, tools)
        body.setdefault("seed", secrets.randbelow(_SEEDS))
        if self._engine is None:
            self._engine = engine(self.snapshot, self._locate)
        stopped = threading.Event()
        job = asyncio.get_running_loop().run_in_executor(
            self._engine.worker, self._engine.run, body, settings.timeout, stopped
        )
        try:
            stream = await job
        finally:
            stopped.set()
        return Reply(
            clean(stream.text),
            reasoning=clean(stream.reasoning) or None,
            model=self.snapshot,
            created=stream.created,
            fingerprint=f"xllamacpp {self._version}",
            finish_reason=stream.finish_reason,
            usage=Usage(stream.usage.get("prompt_tokens"), stream.usage.get("completion_tokens")),
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
