"""Work in another process, killed with signal 9 in the middle of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from intent.base.workers import _context

PATIENCE = 120
"""Seconds that the work may take to come as far as it is awaited."""


def killed_once(
    ready: Callable[[], object], work: Callable[..., object], *args: Any, **settings: Any
) -> None:
    """Call `work` and kill its process as soon as `ready` says so, or at its end.

    It is forked from a server that has loaded what this process has: loading would take half of its time.
    """
    process = _context().Process(target=work, args=args, kwargs=settings)
    process.start()
    until = time.monotonic() + PATIENCE
    try:
        while process.is_alive() and not ready():
            assert time.monotonic() < until
            time.sleep(0.002)
    finally:
        process.kill()
        process.join()
