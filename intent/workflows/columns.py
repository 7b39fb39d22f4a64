"""Names of columns, as users give them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["column_names"]


def column_names(given: str | Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """Column names in order; a text is split at commas unless it is a column itself.

    Parameters
    ----------
    given : text, or several
    known : the columns that there are
    """
    names: list[str] = []
    for item in [given] if isinstance(given, str) else given:
        names += [item] if item in known else [part.strip() for part in item.split(",") if part.strip()]
    return tuple(names)
