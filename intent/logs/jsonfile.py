"""Files that hold one JSON object: written whole, read with bounds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.errors import DataError, located, shorten
from intent.logs.output import writing

__all__ = ["LONGEST", "read_object", "write_object"]

LONGEST = 64 * 2**20
"""Bytes that are read."""


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
    return Path(path)


def read_object(path: str | Path, expected: str, *, longest: int = LONGEST) -> dict[str, Any]:
    """The object in a file.

    Parameters
    ----------
    path : path
    expected : str
        What the file should be, for messages: ``a tournament``.
    longest : int, bytes

    Raises
    ------
    DataError
        The file is not there, larger, or holds no JSON object, or one with a key that stands twice.
    """
    source = Path(path)
    try:
        with source.open("rb") as stream:
            raw = stream.read(longest + 1)
        if len(raw) > longest:
            raise DataError(located(source, f"more than {longest // 2**20} MiB, expected {expected}"))
        found = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_once)
    except OSError as error:
        message = f"cannot be read ({error.strerror or error}), expected {expected}"
        raise DataError(located(source, message)) from None
    except (ValueError, RecursionError) as error:
        raise DataError(located(source, f"no JSON ({shorten(error)}), expected {expected}")) from None
    if not isinstance(found, dict):
        raise DataError(located(source, f"no JSON object, expected {expected}"))
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object's fields; of a key that stands twice nobody knows which value is meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise ValueError(f"key {shorten(counts.most_common(1)[0][0], 40)!r} stands twice")
    return found
