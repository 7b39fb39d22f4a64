"""Stores of the game log, which the suffix of a path chooses, and the reader of what they wrote."""

from __future__ import annotations

from pathlib import Path

from intent.base.binary import list_members
from intent.base.codebook import TABLES
from intent.base.errors import DataError, OutputError, UsageError, located
from intent.base.files import file_head, require_file
from intent.base.remote import path_of
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.readers.reader import Reader, Settings, Source
from intent.logs.stores.folder import ParquetLogWriter, read_csv, read_parquet, write_csv, write_parquet
from intent.logs.stores.jsonl import is_part, read_jsonl, write_jsonl

__all__ = ["READER", "ParquetLogWriter", "is_part", "read_gamelog", "write_log"]


_WRITERS = {
    ".csv.zip": write_csv,
    ".zip": write_parquet,
    ".jsonl": write_jsonl,
    ".jsonl.gz": write_jsonl,
    ".csvs": write_csv,
    ".parquet": write_parquet,
}
"""Suffix -> store; a path without suffix is a Parquet folder."""


def write_log(log: GameLog, path: str | Path, overwrite: bool = False) -> Path:
    """Write a log; the suffix of the path says how.

    =========================  =======================================
    no suffix, ``.parquet``    folder of Parquet files
    ``.zip``                   the same in one archive
    ``.jsonl``, ``.jsonl.gz``  JSON lines, one game per line
    ``.csvs``                  folder of CSV files
    ``.csv.zip``               the same in one archive
    =========================  =======================================

    Raises
    ------
    OutputError
        Another suffix, or the path cannot be written.
    """
    target = path_of(path)
    writer = next((write for suffix, write in _WRITERS.items() if target.name.endswith(suffix)), None)
    if writer is None and not target.suffix:
        writer = write_parquet
    if writer is None:
        known = ", ".join(sorted(_WRITERS))
        raise OutputError(
            f"cannot write a log to {target}: suffix {target.suffix!r}, expected none or {known}"
        )
    return writer(log, target, overwrite=overwrite)


def read_gamelog(path: str | Path) -> GameLog:
    """Read a log that `write_log` wrote.

    Raises
    ------
    DataError
        It is none.
    """
    source = path_of(path)
    if source.is_dir() or file_head(require_file(source), 2) == b"PK":
        members = list_members(source)
        if "games.parquet" in members:
            return read_parquet(source)
        if "games.csv" in members:
            return read_csv(source)
        if "xl/workbook.xml" in members:
            raise DataError(
                located(source, "an Excel workbook, expected text: save its sheet as CSV in UTF-8")
            )
        what = "a folder" if source.is_dir() else "an archive"
        raise DataError(located(source, f"{what} without games.parquet or games.csv, so no game log"))
    return read_jsonl(source)


def _recognises(source: Source, settings: Settings) -> bool:
    """Whether the source is a zip, JSON lines of ours, or a folder with one of our tables."""
    if source.kind != "folder":
        return True
    return any((source.path / f"{table}.{kind}").is_file() for table in TABLES for kind in ("parquet", "csv"))


def _read(source: Source, settings: Settings) -> GameLog:
    """The stored log, as it is; of JSON lines, those that are no game go to the rejects."""
    unused = settings.to_json()
    unused.pop("strict", None)
    if unused:
        raise UsageError(
            f"{source.path} is a log of our own and says itself what {', '.join(unused)} would say"
        )
    if not source.is_json:
        return read_gamelog(source.path)
    rejects = Rejects(source.path, strict=settings.strict)
    log = read_jsonl(source.path, rejects)
    log.rejects = rejects.table(len(log))
    return log


READER = Reader("gamelog", "a folder or zip with games, seats and moves, or JSON lines", _recognises, _read)
