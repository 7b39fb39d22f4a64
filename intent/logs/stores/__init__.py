"""Stores of the game log; the suffix of a path says which one writes it.

Which files make up a log.
"""

from __future__ import annotations

from pathlib import Path

from intent.base.archive import list_members
from intent.base.errors import DataError, OutputError, located
from intent.base.files import file_head, require_file
from intent.logs.gamelog import GameLog
from intent.logs.stores.folder import ParquetLogWriter, read_csv, read_parquet, write_csv, write_parquet
from intent.logs.stores.jsonl import read_jsonl, write_jsonl

__all__ = ["ParquetLogWriter", "is_part", "read_gamelog", "write_log"]


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


def is_part(target: Path, log: Path) -> bool:
    """Whether to write a file changes a log: it is the log, one of its tables, or would be read with them."""
    if not log.is_dir():
        return log.exists() and target.exists() and target.samefile(log)
    if not target.absolute().parent.is_dir() or not target.absolute().parent.samefile(log):
        return False
    from intent.logs.compact import is_compact
    from intent.logs.stores.folder import FACTS, TABLE_NAMES

    if any((log / name).exists() for name in (FACTS, "games.parquet", "games.csv")):
        tables = {f"{name}{suffix}" for name in TABLE_NAMES for suffix in (".parquet", ".csv")}
        return target.exists() and target.name in {FACTS, *tables}
    return target.suffix == ".parquet" and is_compact(log)
