"""A model of llama.cpp in this process: loaded once, asked one request after another, stoppable."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from intent.agents.clients.llama_prefix import Slots
from intent.agents.clients.llama_stream import Streamed
from intent.errors import MissingExtraError, RefusedError, RetryableError, UsageError, shorten
from intent.processors import usable_processors

__all__ = ["CONTEXT", "SLOTS", "THREADS", "Engine", "engine", "installed"]

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
_WAITING = "OMP_WAIT_POLICY"

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
    n_threads : int
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
            got = Streamed(enough)
            if not enough():
                whole = {**last, "stream": True, "stream_options": {"include_usage": True}}
                self._server.handle_chat_completions(whole, got.take)
        except RuntimeError as error:
            self._slots.forget()
            raise RefusedError(f"llama.cpp cannot read the request: {shorten(error, 200)}") from None
        if got.finish_reason is None:
            self._slots.forget()
            if got.error is not None:
                raise _failure(got.error)
            raise RetryableError("stopped" if stopped.is_set() else f"no reply within {timeout:g} s")
        return got


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
        found = _ENGINES.get((path, n_ctx, n_threads))
        if found is None:
            found = _ENGINES[path, n_ctx, n_threads] = Engine(locate, n_ctx, n_threads)
        return found


def installed() -> str:
    """The version of xllamacpp, which decides what the same request is answered.

    Raises
    ------
    MissingExtraError
    """
    try:
        return version("xllamacpp")
    except ModuleNotFoundError:
        raise MissingExtraError("xllamacpp", "local") from None


_ENGINES: WeakValueDictionary[tuple[str, int, int], Engine] = WeakValueDictionary()
_LOCK = threading.Lock()


def _load(path: Path, n_ctx: int, n_slots: int, n_threads: int) -> Any:
    xllamacpp = _library()
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


def _library() -> Any:
    """xllamacpp, with threads that sleep while they wait.

    OpenMP reads the variable when it is loaded. By default threads wait in a loop, which on processors that
    are shared with other work makes a decision take three times as long.
    """
    given = os.environ.get(_WAITING)
    os.environ.setdefault(_WAITING, "PASSIVE")
    try:
        import xllamacpp
    finally:
        if given is None:
            del os.environ[_WAITING]
    return xllamacpp


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
