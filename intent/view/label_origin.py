"""Tables of labels: telling one by its columns, and finding the log that it says it is of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.errors import DataError, IntentError, located, shorten
from intent.logs.readers import READERS
from intent.logs.readers.reader import Source as LogSource

__all__ = ["MARKS", "changed_log", "holds_labels", "log_of_labels", "reading_of_labels"]

MARKS = {"game_id", "seat", "best", "confidence"}
"""Columns that only a table of labels has together."""

_TABLES = (".parquet", ".csv", ".jsonl")
_LONGEST_HASHED = 256 * 1024**2


def holds_labels(place: Path) -> bool:
    """Whether a file is a table of labels, by the names of its columns."""
    if not place.is_file() or place.suffix not in _TABLES:
        return False
    if place.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return set(pq.read_schema(place).names) >= MARKS
        except (pa.ArrowException, OSError):
            return False
    try:
        with place.open(encoding="utf-8-sig") as stream:
            head = stream.readline(1 << 20)
    except (OSError, UnicodeDecodeError):
        return False
    if place.suffix == ".csv":
        return {name.strip('" \r\n') for name in head.split(",")} >= MARKS
    return all(f'"{name}"' in head for name in MARKS)


def log_of_labels(place: Path, origin: Mapping[str, Any]) -> Path:
    """Where the log of a table of labels is."""
    source = _said(origin).get("source")
    if not isinstance(source, str) or "\0" in source:
        raise DataError(located(place, "does not say which log it is of, expected LOG --labels LABELS"))
    for candidate in (Path(source), place.parent / source, place.parent / Path(source).name):
        if candidate.exists():
            return candidate
    raise DataError(
        located(place, f"its log {shorten(source)} is not there, expected LOG --labels {place.name}")
    )


def _said(origin: Mapping[str, Any]) -> Mapping[str, Any]:
    log = origin.get("log")
    return log if isinstance(log, Mapping) else {}


def reading_of_labels(origin: Mapping[str, Any]) -> dict[str, Any]:
    """How the log was read when it was labelled."""
    settings, name = _said(origin).get("settings"), _said(origin).get("format")
    if not isinstance(settings, Mapping) or name not in READERS:
        return {}
    kinds: dict[str, type] = {
        "mapping": dict,
        "cooperate": str,
        "payoff_kind": str,
        "game": str,
        "strict": bool,
    }
    given = {name: settings[name] for name, kind in kinds.items() if isinstance(settings.get(name), kind)}
    return {"format": name, **given} if given else {}


def changed_log(log: Path, origin: Mapping[str, Any]) -> list[str]:
    """A note where the log is not what was labelled, as far as that is soon said."""
    digest = _said(origin).get("sha256")
    try:
        source = LogSource(log)
        files = [source.path] if source.path.is_file() else [p for p in source.path.iterdir() if p.is_file()]
        if not isinstance(digest, str) or sum(p.stat().st_size for p in files) > _LONGEST_HASHED:
            return []
        same = source.sha256 == digest
    except (IntentError, OSError):
        return []
    return [] if same else ["the log is not the one that was labelled: its contents differ"]
