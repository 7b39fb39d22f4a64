"""Labels of logs larger than memory: read, labelled and written piece by piece, by any number of workers."""

from __future__ import annotations

from intent.workflows.label_stream.stream import StreamedLabels, label_to, stream_labels
from intent.workflows.label_stream.whole import why_not_streamed

__all__ = ["StreamedLabels", "label_to", "stream_labels", "why_not_streamed"]
