"""Strategy shares of logs larger than memory: counted piece by piece, estimated from the counts."""

from __future__ import annotations

from intent.workflows.sfem_stream.stream import Streamed, stream_population

__all__ = ["Streamed", "stream_population"]
