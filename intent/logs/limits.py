"""Bounds that protect memory from logs that nobody vouches for."""

from __future__ import annotations

__all__ = ["LIMIT_BYTES", "LIMIT_CELLS", "LIMIT_FIELD", "LIMIT_GRID", "LIMIT_ROUND", "LIMIT_SEAT"]

LIMIT_BYTES = 2 * 1024**3
"""Most bytes of text that a file may hold, compressed or not."""

LIMIT_FIELD = 1_000_000
"""Most characters of one field; longer ones make the row unreadable."""

LIMIT_CELLS = 2**31
"""Most values (rows times columns) of one stored table."""

LIMIT_ROUND = 100_000
"""Highest round number: trajectories take memory by it."""

LIMIT_SEAT = 10_000
"""Highest seat number: looking seats up takes memory by it."""

LIMIT_GRID = 2**30
"""Most moves (seats times the longest game's rounds) of the arrays that a log is turned into."""
