"""Work in another process, killed with signal 9 in the middle of it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

from intent.base.workers import _context

PATIENCE = 120
"""Seconds that the work may take to come as far as it is awaited."""


def killed_once(
    ready: Callable[[], object], work: Callable[..., object], *args: Any, **settings: Any
) -> None:
    """Call `work` in another process and kill that with signal 9 as soon as `ready` says so, or at its end.

    It is forked from a server that has loaded what this process has, as processes of our pools are: loading
    takes a second of a second's work. The server has no threads and no file of the work open.
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
    assert process.exitcode in (-signal.SIGKILL, 0), "the work failed"
