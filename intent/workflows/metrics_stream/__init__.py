"""Metrics of logs larger than memory: read, measured and written piece by piece, by any number of workers."""

from __future__ import annotations

from intent.workflows.metrics_stream.stream import metrics_to, stream_metrics

__all__ = ["metrics_to", "stream_metrics"]
