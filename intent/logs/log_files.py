"""Which files make up a log."""

from __future__ import annotations

from pathlib import Path

__all__ = ["is_part"]


def is_part(target: Path, log: Path) -> bool:
    """Whether to write a file changes a log: it is the log, one of its tables, or would be read with them."""
    if not log.is_dir():
        return log.exists() and target.exists() and target.samefile(log)
    if not target.absolute().parent.is_dir() or not target.absolute().parent.samefile(log):
        return False
    from intent.logs.compact.opening import is_compact
    from intent.logs.stores.layout import FACTS, TABLE_NAMES

    if any((log / name).exists() for name in (FACTS, "games.parquet", "games.csv")):
        tables = {f"{name}{suffix}" for name in TABLE_NAMES for suffix in (".parquet", ".csv")}
        return target.exists() and target.name in {FACTS, *tables}
    return target.suffix == ".parquet" and is_compact(log)
