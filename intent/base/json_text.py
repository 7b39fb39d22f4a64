"""JSON from untrusted hands, bounded in nesting, values and digits, all its text fit for an encoding.

Halves of surrogate pairs, which JSON can spell, become visible text.

Results as plain JSON values, and files that hold one object.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.base.errors import DataError, located, shorten
from intent.base.files import bounds, decoded, file_bytes, path_of, raising, writing

__all__ = [
    "check_json",
    "encodable",
    "encodable_parts",
    "json_value",
    "json_values",
    "read_object",
    "write_object",
]


_DIGITS = bytes(48 if 48 <= byte < 58 else byte for byte in range(256))
"""Every digit to a zero, so that a long number is found as a run of one byte."""

_NO_STRUCTURE = bytes(sorted(set(range(256)) - set(b'[]{}"')))

_NO_SYNTAX = bytes(sorted(set(range(256)) - set(b'[]{}"\\/bfnrtu')))
"""What is neither structure nor part of an escape: without it every backslash still stands before its own."""

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


def json_value(
    raw: str | bytes,
    *,
    unique: bool = False,
    finite: bool = False,
    halves: bool = False,
    nested: bool = False,
) -> Any:
    """The value that untrusted JSON stands for, its texts `encodable`.

    Parameters
    ----------
    raw : str, or bytes in UTF-8
    unique : bool
        Whether a key that stands twice is an error, as in settings, where nobody knows which value is meant.
        In logs the last one counts, as JSON has it.
    finite : bool
        Whether ``NaN``, infinity and numbers that overflow are errors.
    halves : bool
        Whether halves of surrogate pairs stay as they are, for names of files.
    nested : bool
        Whether any nesting is taken that the parser takes: for who reads known fields alone, of many files.

    Raises
    ------
    ValueError
        It is no JSON, or goes beyond `Bounds` (json_bytes, json_values, depth, digits).
    RecursionError
        As `json.loads`.
    """
    data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    long_number = check_json(data, nested=nested)
    hooks: dict[str, Any] = {"parse_int": _int} if long_number else {}
    if unique:
        hooks["object_pairs_hook"] = _once
    if finite:
        hooks |= {"parse_constant": _no_number, "parse_float": _float}
    value = json.loads(raw, **hooks)
    return encodable_parts(value) if not halves and _SPELLED.search(data) else value


def check_json(data: bytes, *, nested: bool = False) -> bool:
    """Whether a long run of digits stands in a JSON text whose size and nesting are within `Bounds`.

    The nesting is found without parsing: strings are taken out, then pairs of brackets that hold nothing, as
    often as there are levels; not at all where it may be `nested`.

    Raises
    ------
    ValueError
        It goes beyond the bounds.
    """
    allowed = bounds()
    if len(data) > allowed.json_bytes:
        raise ValueError(f"more than {allowed.json_bytes:,} bytes of JSON; {raising('json_bytes')}")
    if len(data) > allowed.json_values and sum(map(data.count, (b",", b"[", b"{"))) > allowed.json_values:
        raise ValueError(f"more than {allowed.json_values:,} values; {raising('json_values')}")
    if not nested and len(data) > allowed.depth and _is_deep(data, allowed.depth):
        raise ValueError(f"nested deeper than {allowed.depth}; {raising('depth')}")
    step = allowed.digits // 10 or 1
    sample = data[::step].translate(_DIGITS)  # a long run of digits shows in every tenth of it
    return b"0" * (allowed.digits // step) in sample and b"0" * (allowed.digits + 1) in data.translate(
        _DIGITS
    )


def _is_deep(data: bytes, depth: int) -> bool:
    data = data.translate(None, _NO_SYNTAX)
    if data.count(b"[") + data.count(b"{") <= depth:
        return False
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    left = data.translate(None, _NO_STRUCTURE).replace(b'""', b"")
    if b'"' in left:
        left = b"".join(left.split(b'"')[::2])
    for _ in range(depth):
        before = len(left)
        left = left.replace(b"[]", b"").replace(b"{}", b"")
        if len(left) == before:  # nothing closes: no JSON, or its end is missing
            break
    return left.count(b"[") + left.count(b"{") > depth or (len(left) < before and bool(left))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's fields; of a key that stands twice nobody knows which value is meant."""
    values = dict(pairs)
    if len(values) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise ValueError(f"key {shorten(counts.most_common(1)[0][0], 40)!r} stands there twice")
    return values


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"number {shorten(text, 40)} is beyond all that can be computed with")
    return value


def _int(text: str) -> int:
    most = bounds().digits
    if len(text.lstrip("-")) > most:
        raise ValueError(f"a number of {len(text):,} digits, expected at most {most:,}; {raising('digits')}")
    return int(text)


def json_values(value: Any) -> Any:
    """A value that JSON can hold: what is no finite number is None, tuples are lists, keys are text.

    Parameters
    ----------
    value : mapping, list, tuple or scalar
        numpy's scalars become Python's; other objects are left as they are.

    Examples
    --------
    >>> json_values({"p": float("nan"), "sizes": (1, 2)})
    {'p': None, 'sizes': [1, 2]}
    """
    if isinstance(value, dict):
        return {str(key): json_values(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def write_object(path: str | Path, value: Mapping[str, Any], *, overwrite: bool = False) -> Path:
    """Write an object, indented; text that is no UTF-8 stays readable as the escapes of JSON.

    Parameters
    ----------
    path : path
    value : mapping that JSON can hold; what it cannot is written as its text
    overwrite : bool

    Raises
    ------
    OutputError
        As `writing`.
    """
    text = json.dumps(dict(value), ensure_ascii=False, indent=2, allow_nan=False, default=str) + "\n"
    with writing(path, overwrite=overwrite) as draft:
        draft.write_text(text, encoding="utf8", errors="backslashreplace")
    return path_of(path)


def read_object(path: str | Path, expected: str, *, longest: int | None = None) -> dict[str, Any]:
    """The object in a file.

    Parameters
    ----------
    path : path
    expected : str
        What the file should be, for messages: ``a tournament``.
    longest : int, bytes; default: as `Bounds` says

    Raises
    ------
    DataError
        The file is not there, larger, or holds no JSON object, or one with a key that stands twice.
    """
    source = path_of(path)
    if not source.is_file():
        raise DataError(f"no such file: {source}, expected {expected}")
    try:
        raw = file_bytes(source, bounds().object_bytes if longest is None else longest, expected)
        value = json_value(decoded(raw, source.name, expected), unique=True, halves=True)
    except (ValueError, RecursionError) as error:
        raise DataError(located(source, f"no JSON ({shorten(error)}), expected {expected}")) from None
    if not isinstance(value, dict):
        raise DataError(located(source, f"no JSON object, expected {expected}"))
    return value
