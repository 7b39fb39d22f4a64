"""Texts that nobody vouches for, as far as a page shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from intent.files.json_text import encodable
from intent.view.detail import Text

__all__ = ["LIMIT_SHOWN", "Keep", "TextKeeper", "bounded"]

Keep = Callable[[Any, str], Text | None]
"""From a value and a key to what a page shows of it."""

LIMIT_SHOWN = 4_000
"""Most characters of one text in a page."""


def bounded(value: Any, key: str, limit: int = LIMIT_SHOWN) -> Text | None:
    """A text cut to what a page shows; None for null.

    Parameters
    ----------
    value : str or null
    key : str, as `Text`
    limit : int, most characters
    """
    if not isinstance(value, str):
        return None
    return Text(encodable(value[:limit]), len(value), key)


class TextKeeper:
    """Cuts texts for a page, and keeps the one whole text that is asked for.

    Parameters
    ----------
    wanted : str, optional
        Key of that text.
    """

    def __init__(self, wanted: str | None = None) -> None:
        self._wanted = wanted
        self.whole: str | None = None

    def __call__(self, value: Any, key: str) -> Text | None:
        """A text as far as a page shows it; None for null."""
        if key == self._wanted and isinstance(value, str):
            self.whole = encodable(value)
        return bounded(value, key)
