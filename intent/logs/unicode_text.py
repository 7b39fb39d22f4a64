"""Text that no encoding can hold: halves of surrogate pairs, which JSON can spell, as visible text."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["encodable", "encodable_parts", "json_value"]

_SPELLED = re.compile(rb"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    r"""Text with lone surrogates, which no encoding can hold, as ``⟨U+D800⟩``.

    Examples
    --------
    >>> encodable("a\ud800b")
    'a⟨U+D800⟩b'
    """
    return text if text.isascii() else _HALF.sub(lambda half: f"⟨U+{ord(half[0]):04X}⟩", text)


def encodable_parts(value: Any) -> Any:
    """A value of JSON with all its texts `encodable`, names of fields among them."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [encodable_parts(item) for item in value]
    if isinstance(value, dict):
        return {encodable(name): encodable_parts(item) for name, item in value.items()}
    return value


def json_value(raw: str | bytes) -> Any:
    """The value that untrusted JSON stands for, its texts `encodable`.

    Parameters
    ----------
    raw : str or bytes in UTF-8

    Raises
    ------
    ValueError, RecursionError
        As `json.loads`.
    """
    value = json.loads(raw)
    half = _SPELLED.search(raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw)
    return encodable_parts(value) if half else value
