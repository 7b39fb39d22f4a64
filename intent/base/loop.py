"""Asynchronous work from where nobody awaits: the command line, a script, a notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["in_own_loop"]

T = TypeVar("T")


def in_own_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What the work brings; in a thread of its own where a loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()
