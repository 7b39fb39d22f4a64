"""Settings given as ``key=value``, and a value put at a dotted key of nested mappings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from intent.errors import DataError, UsageError, shorten
from intent.files.settings import read_value

__all__ = ["parse_setting", "put"]


def parse_setting(item: str) -> tuple[str, Any]:
    """Key and YAML value of a ``key=value`` of ``--set``; no value is None.

    Raises
    ------
    UsageError
        No key or equals sign, or a value that is no YAML.
    """
    key, equals, text = item.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--set {shorten(item)!r}, expected KEY=VALUE")
    try:
        return key.strip(), None if not text.strip() else read_value(text, f"--set {shorten(key.strip())}")
    except DataError as error:
        raise UsageError(str(error)) from None


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
