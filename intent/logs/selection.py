"""Names of `intent.logs.reading`."""

from intent.logs.reading import focal_play, narrowed, unread_rows

__all__ = ["focal_play", "narrowed", "unread_rows"]
