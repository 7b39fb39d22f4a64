"""Proposals of how to share gold: read from what a player answers, and all there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from intent.errors import GameError, shorten

__all__ = ["all_proposals", "shares_of"]

_LONGEST = 4096
_RANK = re.compile(r"\D{0,20}(\d{1,4})\D{0,20}")


def shares_of(value: object, left: tuple[int, ...]) -> list[object]:
    """The shares of those in `left`, in order, as they were given.

    Parameters
    ----------
    value : list, mapping of rank -> share, or text of either
        Ranks as ``"1"``, 1 or ``"pirate 1"``; text as JSON, or shares between commas.
    left : tuple of int
        Ranks of those who get a share.

    Raises
    ------
    GameError
        Not one share for each of them and no others; the message may be shown to a player.

    Examples
    --------
    >>> shares_of({"2": 98, "3": 0, "4": 2}, (2, 3, 4)), shares_of("98, 0, 2", (2, 3, 4))
    ([98, 0, 2], ['98', ' 0', ' 2'])
    """
    ranks = ", ".join(map(str, left)) if len(left) <= 20 else f"{left[0]} to {left[-1]}"
    if isinstance(value, str):
        value = _parsed_text(value)
    if isinstance(value, Mapping):
        by_rank: dict[int, object] = {}
        for key, share in value.items():
            match = (
                _RANK.fullmatch(str(key))
                if isinstance(key, str | int) and not isinstance(key, bool)
                else None
            )
            if match is None or int(match[1]) not in left or int(match[1]) in by_rank:
                raise GameError(f"share for {shorten(key)!r}, expected one each for {ranks}")
            by_rank[int(match[1])] = share
        missing = [rank for rank in left if rank not in by_rank]
        if missing:
            raise GameError(f"proposal without a share for {missing[0]}, expected shares for {ranks}")
        return [by_rank[rank] for rank in left]
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        if len(value) != len(left):
            raise GameError(f"proposal of {len(value)} shares, expected {len(left)}: for {ranks}")
        return list(value)
    raise GameError(f"proposal {shorten(value)!r}, expected a share for each of {ranks}")


def _parsed_text(text: str) -> object:
    """A proposal that came as text: numbers between commas, or JSON."""
    if len(text) > _LONGEST:
        return text
    if not text.lstrip().startswith(("{", "[")):
        return text.split(",") if "," in text else text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def all_proposals(gold: int, aboard: int) -> Iterator[tuple[int, ...]]:
    """All ways to share `gold` coins among `aboard` pirates: bars among stars.

    Examples
    --------
    >>> list(all_proposals(1, 3))
    [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    for bars in combinations(range(gold + aboard - 1), aboard - 1):
        ends = (-1, *bars, gold + aboard - 1)
        yield tuple(b - a - 1 for a, b in pairwise(ends))
