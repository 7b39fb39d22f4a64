"""The JSON texts of an Inspect log: an ``.eval`` archive, packed by zstd or deflate, or one ``.json``.

References
----------
UK AI Security Institute, Inspect: A framework for large language model evaluations, pages "Log Files" and
"EvalLog". Archives hold ``header.json`` once an evaluation is over, ``_journal/start.json`` from its start,
and ``samples/<id>_epoch_<n>.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from intent.errors import DataError, LimitError, located, one_line, shorten
from intent.files.archive import Archive, list_members
from intent.files.bounds import beyond, bounds
from intent.files.json_text import json_value
from intent.logs.readers.reader import Source

__all__ = ["is_eval", "read_eval"]

_HEADER, _START = "header.json", "_journal/start.json"
_JSON = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*\{')


def is_eval(source: Source) -> bool:
    """Whether a source is an Inspect log, by its members or its first keys."""
    if source.kind == "zip":
        return bool({_HEADER, _START} & list_members(source.path))
    return source.is_json and _JSON.match(source.text.data[:4096]) is not None


def read_eval(source: Source) -> tuple[dict[str, Any], Iterator[tuple[str, dict[str, Any] | DataError]]]:
    """What a log says of its evaluation, and its samples one by one.

    Parameters
    ----------
    source : Source

    Returns
    -------
    header : dict
        ``eval``, ``status`` (``started`` where the evaluation is not over) and others.
    samples : iterator of (where, sample), or (where, error) of one that cannot be read

    Raises
    ------
    DataError
        No Inspect log, or a damaged one.
    LimitError
        A member, or all of them, unpack to more than may be read.
    """
    if source.kind != "zip":
        if not source.is_json:
            raise DataError(located(source.path, f"a {source.kind}, expected an Inspect log, .eval or .json"))
        if len(source.text.data) > bounds().json_bytes:
            what = "more bytes of JSON (inspect log convert --to eval cuts it)"
            raise beyond(source.path, what, "json_bytes")
        log = _parsed(source.text.data, source.path, source.path.name)
        samples = log.pop("samples", None) or []
        if not isinstance(samples, list):
            raise DataError(located(source.path, f"samples is {shorten(samples)}, expected a list"))
        _spec(log, source.path)
        return log, ((f"sample {i}", s) for i, s in enumerate(samples, start=1) if isinstance(s, dict))
    archive = Archive(source.path)
    try:
        first = next((name for name in (_HEADER, _START) if name in archive.names), None)
        if first is None:
            raise DataError(located(source.path, f"an archive without {_HEADER}, so no Inspect log"))
        header = _parsed(archive.read(first, bound="json_bytes"), source.path, first)
        _spec(header, source.path)
    except DataError:
        archive.close()
        raise
    return {"status": "started", **header}, _samples(archive, source.path)


def _natural(name: str) -> list[tuple[int, str]]:
    """The order of numbers in names: sample 2 before sample 10."""
    return [
        (int(part), "") if part.isdecimal() and len(part) < 18 else (-1, part)
        for part in re.split(r"(\d+)", name)
    ]


def _samples(archive: Archive, path: Path) -> Iterator[tuple[str, dict[str, Any] | DataError]]:
    with archive:
        for name in sorted(archive.names, key=_natural):
            if name.startswith("samples/") and name.endswith(".json"):
                try:
                    yield name, _parsed(archive.read(name, bound="json_bytes"), path, name)
                except LimitError:
                    raise
                except DataError as error:
                    yield name, error


def _spec(log: dict[str, Any], path: Path) -> None:
    if not isinstance(log.get("eval"), dict):
        raise DataError(located(path, f"eval is {shorten(log.get('eval'))}, expected an object"))


def _parsed(data: bytes, path: Path, name: str) -> dict[str, Any]:
    try:
        found = json_value(data)
    except (ValueError, RecursionError) as error:
        raise DataError(located(path, f"{one_line(name)} is no JSON ({one_line(error)})")) from None
    if not isinstance(found, dict):
        raise DataError(located(path, f"{one_line(name)} is no JSON object"))
    return found
