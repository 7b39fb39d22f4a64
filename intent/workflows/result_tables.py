"""Which result table a file holds, told by its columns, and its rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TABLES", "TableKind", "columns_of", "read_result", "table_kind"]

_GZIP = b"\x1f\x8b"
_HEAD = 1 << 20
"""Bytes of a text file in which its first line must end."""


@dataclass(frozen=True)
class TableKind:
    """A result table that figures are made of.

    Parameters
    ----------
    name : str
    columns : tuple of str
        By which it is known.
    command : str
        What writes it.
    """

    name: str
    columns: tuple[str, ...]
    command: str


TABLES: tuple[TableKind, ...] = (
    TableKind(
        "labels", ("label", "best", "confidence", "status", "fit_p"), "intent label LOG -o labels.parquet"
    ),
    TableKind(
        "metrics",
        ("first_move", "p_cc", "p_cc_n", "p_dd", "p_dd_n"),
        "intent metrics LOG -o metrics.parquet",
    ),
    TableKind(
        "estimates",
        ("strategy", "n_subjects", "estimate", "low", "high", "tremble"),
        "intent sfem LOG --by COLUMN -o estimates.csv",
    ),
    TableKind(
        "shares",
        ("outcome", "n", "n_effective", "estimate", "low", "high"),
        "intent compare LABELS --by COLUMN -o shares.csv",
    ),
    TableKind(
        "means",
        ("metric", "n", "n_effective", "estimate", "low", "high"),
        "intent compare METRICS --by COLUMN --metric NAME -o means.csv",
    ),
    TableKind(
        "bins",
        ("class", "bin", "low", "high", "n", "confidence", "accuracy"),
        "intent evaluate LOG -o bins.csv",
    ),
    TableKind(
        "cells",
        ("recogniser", "set", "opponent", "rounds", "noise", "regret_known"),
        "intent study STUDY.yaml -o FOLDER: cells.csv.gz",
    ),
    TableKind(
        "importance",
        ("target", "feature", "mean_abs_shap", "share", "r2_in", "r2_out"),
        "intent explain METRICS --target NAME --features A,B -o FOLDER: importance.csv",
    ),
    TableKind("paths", ("start", "run", "step"), "intent evolve … -o FOLDER: paths.parquet"),
    TableKind(
        "equilibria",
        ("start", "name", "initial", "runs", "share", "low", "high", "fixation"),
        "intent evolve … -o FOLDER: equilibria.csv",
    ),
    TableKind("matrix", ("against",), "intent tournament … -o FOLDER: head_to_head_payoff.csv"),
)
"""Kinds in the order in which a file is compared with them."""


def table_kind(path: str | Path) -> str | None:
    """The kind of result table in a file; None where it is none, such as a log.

    Only its first line is looked at.
    """
    found = columns_of(Path(path))
    return next((kind.name for kind in TABLES if set(kind.columns) <= set(found)), None)


def columns_of(path: Path) -> list[str]:
    """Names of the columns of a table; empty for what is none."""
    suffix = Path(path.name.removesuffix(".gz")).suffix
    if not path.is_file() or suffix not in (".parquet", ".csv", ".jsonl"):
        return []
    if suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return list(pq.read_schema(path).names)
        except (pa.ArrowException, OSError):
            return []
    return _columns_of_text(_head(path), suffix)


def read_result(path: str | Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A result table and its metadata, as `read_table`; text may be packed by gzip, whatever its name.

    Raises
    ------
    DataError
        The file is not readable.
    """
    from tempfile import TemporaryDirectory

    from intent.logs.tablefile import read_table
    from intent.logs.textfile import TextFile, file_head

    source = Path(path)
    name = source.name.removesuffix(".gz")
    text = Path(name).suffix in (".csv", ".jsonl")
    if not text or (name == source.name and file_head(source, len(_GZIP)) != _GZIP):
        return read_table(source)
    with TemporaryDirectory() as folder:
        plain = Path(folder) / name
        plain.write_bytes(TextFile(source).data)
        companion = source.with_name(f"{source.name}.meta.json")
        if companion.is_file():
            plain.with_name(f"{name}.meta.json").write_bytes(companion.read_bytes())
        return read_table(plain)


def _head(path: Path) -> bytes:
    """The beginning of a text file, unpacked."""
    import gzip
    import zlib

    with path.open("rb") as stream:
        packed = stream.read(len(_GZIP)) == _GZIP
    try:
        with gzip.open(path) if packed else path.open("rb") as stream:
            return stream.read(_HEAD)
    except (OSError, EOFError, zlib.error):
        return b""


def _columns_of_text(head: bytes, suffix: str) -> list[str]:
    import csv
    import json

    line = head.decode("utf-8-sig", errors="replace").split("\n", 1)[0].rstrip("\r")
    try:
        if suffix == ".csv":
            return next(csv.reader([line]), [])
        found = json.loads(line)
    except (ValueError, csv.Error, RecursionError):
        return []
    return list(found) if isinstance(found, dict) else []
