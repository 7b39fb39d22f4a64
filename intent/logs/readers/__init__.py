"""Readers of foreign logs, one per file, and the one door to them: `read_log`."""

from __future__ import annotations

from intent.logs.readers.reader import READERS, read_log

__all__ = ["READERS", "read_log"]
