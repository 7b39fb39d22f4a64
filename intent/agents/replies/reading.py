"""What came of reading a reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intent.errors import shorten

__all__ = ["Reading", "found", "nothing"]


@dataclass(frozen=True)
class Reading:
    """A label, or why there is none.

    Parameters
    ----------
    action : str or None
        The label as the game spells it.
    why : str or None
        One line; None where there is a label.
    """

    action: str | None
    why: str | None = None


def found(labels: Sequence[str], named: Sequence[str]) -> Reading:
    """The reading of a reply that names these labels: exactly one is an answer."""
    if len(named) == 1:
        return Reading(named[0])
    if named:
        return nothing(f"names {' and '.join(named)}, expected one of them")
    return nothing(f"names none of {', '.join(labels)}")


def nothing(why: str) -> Reading:
    """A reply that cannot be read."""
    return Reading(None, shorten(why, 200))
