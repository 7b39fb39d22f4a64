"""How prompts write numbers: the same digits in every language."""

from __future__ import annotations

import math
from collections.abc import Iterable

__all__ = ["total", "written"]

DIGITS = 12


def written(value: float) -> str:
    """The shortest text of the value rounded to 12 significant digits.

    That is 6, 0.6, 3.33333333333, never 0.6000000000000001: what arithmetic in binary adds at the end
    is no part of the game. Full digits are in the log.
    """
    rounded = float(f"{value:.{DIGITS}g}")
    return str(int(rounded)) if rounded.is_integer() and abs(rounded) < 1e15 else repr(rounded)


def total(values: Iterable[float]) -> str:
    """The sum, as `written`."""
    return written(math.fsum(values))
