"""A value put at a dotted key of nested mappings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from intent.errors import UsageError, shorten

__all__ = ["put"]


def put(values: Mapping[str, Any], key: str | Sequence[str], value: Any) -> dict[str, Any]:
    """The mapping with the value at a dotted key; the name of a game on the way becomes ``{name: …}``.

    Raises
    ------
    UsageError
        A key below something that holds none.

    Examples
    --------
    >>> put({"game": "public-goods", "rounds": 10}, "game.factor", 1.1)
    {'game': {'name': 'public-goods', 'factor': 1.1}, 'rounds': 10}
    """
    path = key.split(".") if isinstance(key, str) else list(key)
    if not all(path):
        raise UsageError(f"key {shorten(key)!r}, expected words joined by dots")
    head, *rest = path
    if not rest:
        return {**values, head: value}
    inner = values.get(head)
    if inner is None:
        inner = {}
    elif head == "game" and isinstance(inner, str):
        inner = {"name": inner}
    if not isinstance(inner, Mapping):
        raise UsageError(f"key {'.'.join(path)!r}: {head} is {shorten(inner)!r} and has no parts")
    return {**values, head: put(inner, rest, value)}
