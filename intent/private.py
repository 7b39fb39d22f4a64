"""Files and folders for their user's eyes only, from the moment that they are made.

Runs hold what people and models said. Whatever of theirs this package, or a library under it, makes within
`private` has mode 0600, folders 0700: there is no moment at which somebody else could open them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["private"]

_OTHERS = 0o077
_LOCK = threading.Lock()
_STATE = {"depth": 0, "mask": 0}


@contextmanager
def private(wanted: bool = True) -> Iterator[None]:
    """The process makes files for its user alone within the block; its mask comes back with the last block.

    The mask belongs to the process, so what other threads make in the meantime is private, too.

    Parameters
    ----------
    wanted : bool
        False changes nothing.
    """
    if not wanted:
        yield
        return
    with _LOCK:
        if not _STATE["depth"]:
            _STATE["mask"] = os.umask(_OTHERS)
        _STATE["depth"] += 1
    try:
        yield
    finally:
        with _LOCK:
            _STATE["depth"] -= 1
            if not _STATE["depth"]:
                os.umask(_STATE["mask"])
