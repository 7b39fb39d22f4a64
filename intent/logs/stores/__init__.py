"""Stores of the game log; the suffix of a path says which one writes it."""

from __future__ import annotations

from pathlib import Path

from intent.errors import DataError, OutputError, located
from intent.files.archive import list_members
from intent.files.text import file_head, require_file
from intent.logs.gamelog import GameLog
from intent.logs.stores.csv import read_csv, write_csv
from intent.logs.stores.jsonl import read_jsonl, write_jsonl
from intent.logs.stores.parquet import ParquetLogWriter, read_parquet, write_parquet

__all__ = ["ParquetLogWriter", "read_gamelog", "write_log"]

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
    target = Path(path)
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
    source = Path(path)
    if source.is_dir() or file_head(require_file(source), 2) == b"PK":
        members = list_members(source)
        if "games.parquet" in members:
            return read_parquet(source)
        if "games.csv" in members:
            return read_csv(source)
        what = "folder" if source.is_dir() else "archive"
        raise DataError(located(source, f"a {what} without games.parquet or games.csv, so no game log"))
    return read_jsonl(source)
