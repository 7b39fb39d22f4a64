"""Files of a result: the suffix says whether a figure, a table, or the JSON object is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import OutputError
from intent.base.json_text import json_values

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FIGURE_SUFFIXES",
    "TABLE_SUFFIXES",
    "check_output",
    "check_text",
    "data_line",
    "kept_in_words",
    "source_of",
    "source_of_table",
    "write_result",
    "write_text",
]

FIGURE_SUFFIXES = (".png", ".svg", ".pdf")
TABLE_SUFFIXES = (".csv", ".parquet", ".jsonl", ".json")


def write_result(
    path: str | Path,
    *,
    figure: Callable[[Path], Path],
    table: Callable[[], pd.DataFrame],
    payload: Callable[[], Mapping[str, Any]],
    facts: Mapping[str, Any],
    origin: str | Path | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a result as the suffix says; only what is written is computed.

    Parameters
    ----------
    path : path
    figure : draws into a path that has been checked, and returns it
    table : the rows of .csv, .parquet and .jsonl
    payload : the object of .json
    facts : mapping
        How the result came about, JSON-able; kept with the table.
    origin : path, optional
        As `check_output`.
    overwrite : bool

    Raises
    ------
    OutputError
        As `check_output`, or the path cannot be written.
    """
    target = check_output(path, origin=origin)
    if target.suffix in FIGURE_SUFFIXES:
        return figure(target)
    if target.suffix != ".json":
        from intent.base.tables import write_table

        return write_table(table(), target, facts, overwrite=overwrite)
    from intent.base.output import write_object

    return write_object(target, json_values(dict(payload())), overwrite=overwrite)


def check_output(
    path: str | Path,
    *,
    overwrite: bool | None = None,
    origin: str | Path | None = None,
    texts: Sequence[str] = (),
) -> Path:
    """The path, if its suffix is one that a result can be written as.

    Parameters
    ----------
    path : path
    overwrite : bool, optional
        Where given, also whether the path may be written to (for a table with a companion file: both).
    origin : path, optional
        What is read: neither it, if a folder one of its tables, nor its companion file may be written over.
    texts : sequence of str
        Further suffixes, of texts that a result can be written as.

    Raises
    ------
    OutputError
        Another suffix, a path that cannot be written, or what is read.
    """
    target = Path(path)
    if target.suffix not in (*FIGURE_SUFFIXES, *TABLE_SUFFIXES, *texts):
        kinds = f"a figure ({', '.join(FIGURE_SUFFIXES)}) or a table ({', '.join((*TABLE_SUFFIXES, *texts))})"
        raise OutputError(f"cannot write {target}: suffix {target.suffix!r}, expected {kinds}")
    _spare(target, origin)
    if overwrite is not None and target.suffix in (".csv", ".jsonl"):
        from intent.base.tables import claim_table

        claim_table(target, overwrite=overwrite)
    elif overwrite is not None:
        from intent.base.output import claim

        claim(target, overwrite=overwrite)
    return target


def check_text(path: str | Path, *, overwrite: bool) -> Path:
    """The path of a text file, if it may be written to.

    Raises
    ------
    OutputError
        It may not.
    """
    from intent.base.output import claim

    return claim(path, overwrite=overwrite)


def write_text(text: str, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a text file.

    Raises
    ------
    OutputError
        The path cannot be written.
    """
    from intent.base.output import writing

    target = check_text(path, overwrite=overwrite)
    with writing(target, overwrite=overwrite) as draft:
        draft.write_text(text, encoding="utf-8")
    return target


def data_line(source: str | None, *details: str, nothing: str = "log in memory") -> str:
    """The line of a caption that says what the result was made from.

    Parameters
    ----------
    source : name of a file, or None
    *details : what else is to be known; empty ones are left out
    nothing : what stands in place of a name

    Examples
    --------
    >>> data_line("results.csv", "game = chicken")
    'Data: results.csv; game = chicken.'
    """
    return f"Data: {'; '.join([source or nothing, *filter(None, details)])}."


def kept_in_words(where: Mapping[str, Any]) -> list[str]:
    """Conditions on columns as a caption names them: ``model = a or b``."""
    return [f"{column} = {' or '.join(map(str, values))}" for column, values in where.items()]


def _spare(target: Path, origin: str | Path | None) -> None:
    """Refuse to write over what is read, or over the companion file that says what its columns are.

    Nor may a result become part of a folder of tables that is read.
    """
    if origin is None:
        return
    if Path(origin).is_dir():
        from intent.logs.stores import is_part

        if is_part(target, Path(origin)):
            raise OutputError(f"cannot write {target}: it is part of the log that is read")
    if not target.exists():
        return
    for read in (Path(origin), Path(f"{origin}.meta.json")):
        if read.exists() and target.samefile(read):
            raise OutputError(f"cannot write {target}: it is the table that is read")


def source_of(log: Mapping[str, Any]) -> dict[str, Any]:
    """Name and hash of a log, from its provenance: a figure tells no paths."""
    name = Path(str(log["source"])).name if log.get("source") else None
    return {"source": name, "sha256": log.get("sha256")}


def source_of_table(path: Path) -> dict[str, Any]:
    """Name and hash of the file of a table."""
    import hashlib

    with path.open("rb") as stream:
        return {"source": path.name, "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}
