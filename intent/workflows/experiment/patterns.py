"""Levels by seat, in short: every pair of these, in both orders or regardless of order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from intent.errors import DataError, nearest, shorten

__all__ = ["PATTERNED", "PATTERNS", "is_pattern", "misspelt_pattern", "patterned"]

PATTERNS: dict[str, Callable[[Sequence[Any], int], Iterable[tuple[Any, ...]]]] = {
    "ordered": lambda values, n: itertools.product(values, repeat=n),
    "unordered": itertools.combinations_with_replacement,
    "different": itertools.combinations,
}
"""Word -> the seatings of some values on n seats: AA AB BA BB, AA AB BB, or AB."""

PATTERNED = ("personas", "players", "opponent_persona_probability")
"""Keys whose levels may be written so: ``personas: {unordered: [cooperative, selfish]}``."""


def is_pattern(key: str, levels: Any) -> bool:
    """Whether the levels of a factor are such a pattern."""
    return (
        key in PATTERNED and isinstance(levels, dict) and len(levels) == 1 and next(iter(levels)) in PATTERNS
    )


def misspelt_pattern(key: str, levels: Any) -> str | None:
    """The pattern that a factor's one named level, a list as in a pattern, seems to mean."""
    if key not in PATTERNED or not isinstance(levels, dict) or len(levels) != 1:
        return None
    word, values = next(iter(levels.items()))
    near = nearest(str(word), PATTERNS, cutoff=0.75)
    return near[0] if isinstance(values, list | tuple) and word not in PATTERNS and near else None


def patterned(levels: dict[str, Any], n_players: int, key: str) -> Iterator[list[Any]]:
    """The levels, one list by seat each.

    Raises
    ------
    DataError
        What is to be seated is no list of different values.
    """
    word, values = next(iter(levels.items()))
    if not isinstance(values, list | tuple) or not values:
        raise DataError(f"grid: {key}: {word} {shorten(values)!r}, expected a list")
    if len({repr(value) for value in values}) < len(values):
        raise DataError(f"grid: {key}: {word} {shorten(values)!r} lists a value twice")
    yield from map(list, PATTERNS[word](values, n_players))
