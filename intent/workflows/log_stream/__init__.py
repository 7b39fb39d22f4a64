"""Logs larger than memory: which can be read piece by piece, and what a piece holds."""

from __future__ import annotations

from intent.workflows.log_stream.sources import PIECE, open_source

__all__ = ["PIECE", "open_source"]
