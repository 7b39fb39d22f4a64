"""Files that hold one JSON object: written whole, read with bounds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.errors import DataError, located, shorten
from intent.files.bounds import bounds
from intent.files.json_text import json_value
from intent.files.text import decoded, file_bytes
from intent.logs.output import writing

__all__ = ["read_object", "write_object"]


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
    source = Path(path)
    if not source.is_file():
        raise DataError(f"no such file: {source}, expected {expected}")
    try:
        raw = file_bytes(source, bounds().object_bytes if longest is None else longest, expected)
        found = json_value(decoded(raw, source.name, expected), unique=True, halves=True)
    except (ValueError, RecursionError) as error:
        raise DataError(located(source, f"no JSON ({shorten(error)}), expected {expected}")) from None
    if not isinstance(found, dict):
        raise DataError(located(source, f"no JSON object, expected {expected}"))
    return found
