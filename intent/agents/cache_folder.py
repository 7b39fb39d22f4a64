"""Where files are kept that can be had again: downloaded models, cached replies, the ledger of limits."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """The user's folder for such files; not made.

    It is ``INTENT_CACHE`` where that is set, else ``intent`` in the platform's cache folder:
    ``%LOCALAPPDATA%`` on Windows, ``~/Library/Caches`` on macOS, elsewhere ``XDG_CACHE_HOME`` or
    ``~/.cache`` (XDG Base Directory Specification 0.8).
    """
    if own := os.environ.get("INTENT_CACHE"):
        return Path(own).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "intent"
