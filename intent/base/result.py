"""What a job returns, declared once: `Result`.

The command line prints it (`intent.cli.jobs`), files are written as their suffix says (a figure, a table, or
the JSON object), and each of them carries how the result came about.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from intent.base.errors import OutputError
from intent.base.json_text import json_values
from intent.base.registry import load, points
from intent.base.remote import is_remote, path_of
from intent.base.sheet import Sheet, drawn_on, sheet_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FIGURE_SUFFIXES",
    "TABLE_SUFFIXES",
    "Result",
    "Summary",
    "Table",
    "Text",
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

INPUTS = "intent.inputs"
"""Group of entry points: functions of (file, folder) that say whether the file is one of those read there."""


@dataclass(frozen=True)
class Table:
    """A table for people.

    Attributes
    ----------
    header : sequence of str
    rows : iterable of rows; floats are rounded, None is a dash
    title : str, above it
    fixed : int, optional
        Where the terminal may be too narrow: columns that stand in every block of it.
    """

    header: Sequence[str]
    rows: Iterable[Sequence[object]]
    title: str = ""
    fixed: int | None = None


class Text(str):
    """Several lines for people, such as a prompt; a plain text among the parts of a result is one line."""


class Result:
    """What a job returns: values, a table, a figure, words, and how it came about.

    A subclass says its `kind` and gives `fields`, `table`, `parts`; where it can be drawn, `draw`. The rest
    is shared.
    """

    kind: ClassVar[str]
    """Of the result, in the facts of every file."""

    noun: ClassVar[str] = "the result"
    """What it is, for errors."""

    config: Mapping[str, Any]
    """The resolved settings, the version, and path and hash of what was read; JSON-able."""

    origin: Path | None = None
    """What was read, if it was a file; never written over."""

    notes: Sequence[str] = ()
    """What a reader should be warned of, one line each."""

    sheet: Sheet | None = None
    """How its figures are set, where its request says so."""

    @property
    def exit_code(self) -> int:
        """Of the command: other than 0 where something is left to be done."""
        return 0

    def fields(self) -> Mapping[str, Any]:
        """The keys of its JSON object."""
        raise NotImplementedError

    def table(self) -> pd.DataFrame:
        """The rows of .csv, .parquet and .jsonl; a result that has them in memory may hold them instead."""
        raise NotImplementedError

    def parts(self) -> Iterator[Table | str]:
        """What a command prints: tables, and lines of text; an empty one parts what stands around it."""
        raise NotImplementedError

    def remarks(self) -> Iterator[str]:
        """Lines beside the result that warn of nothing, such as what was left out of it."""
        yield from ()

    def warnings(self) -> Iterator[str]:
        """Lines that warn, in front of what a command prints: the notes."""
        yield from self.notes

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """Draw into a path that has been checked."""
        expected = f"{', '.join(TABLE_SUFFIXES[:-1])} or {TABLE_SUFFIXES[-1]}"
        raise OutputError(f"cannot write {target}: {self.noun} has no figure, expected {expected}")

    def to_dict(self) -> dict[str, Any]:
        """The object of ``--json``, as `codebook.JSON_OBJECTS` describes it; what is not a number is None."""
        values: dict[str, Any] = json_values(dict(self.fields()))
        return values

    def facts(self) -> dict[str, Any]:
        """How it came about, as every file of it says."""
        return {"kind": self.kind, **self.config}

    def payload(self) -> dict[str, Any]:
        """The object of a .json file: what ``--json`` prints, and the settings."""
        return {**self.to_dict(), "config": self.facts()}

    def description(self) -> str:
        """Its facts as a figure's metadata holds them, in ASCII."""
        return json.dumps(self.facts(), ensure_ascii=True, default=str)

    def write(self, path: str | Path, *, overwrite: bool = False, **how: Any) -> Path:
        """Write it as the suffix says: a figure, the table, or the JSON object with its settings.

        Parameters
        ----------
        path : path
        overwrite : bool
        **how : of the figure, as `draw` takes it; and width, font, theme as `intent.base.sheet.sheet_of`

        Raises
        ------
        UsageError
            Too much for one figure, or a width that is none.
        OutputError
            Another suffix, or a path that cannot be written.
        """
        page = self.sheet_for(how)
        return write_result(
            path,
            figure=lambda target: self._drawn(target, page, overwrite=overwrite, **how),
            table=lambda: self.table() if callable(self.table) else self.table,
            payload=self.payload,
            facts=self.facts(),
            origin=self.origin,
            overwrite=overwrite,
        )

    def _drawn(self, target: Path, page: Sheet | None, *, overwrite: bool, **how: Any) -> Path:
        with drawn_on(page):
            return self.draw(target, overwrite=overwrite, **how)

    def sheet_for(self, how: dict[str, Any]) -> Sheet | None:
        """The sheet that width, font and theme describe, which are taken out; else that of the request."""
        words = {name: how.pop(name) for name in ("width", "font", "theme") if name in how}
        return sheet_of(**words) if words else self.sheet


@dataclass(frozen=True, eq=False)
class Summary(Result):
    """A result of which no more is known than its JSON object.

    Parameters
    ----------
    values : mapping
    path : Path, optional
        The folder that the job filled.
    config : mapping
    """

    kind = "summary"

    values: Mapping[str, Any]
    path: Path | None = None
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def notes(self) -> Sequence[str]:  # type: ignore[override]
        """Those of the object."""
        return list(self.values.get("notes", ()))

    def fields(self) -> Mapping[str, Any]:
        """The values."""
        return self.values


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
    from intent.base.json_text import write_object

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
    target = path_of(path)
    if target.suffix not in (*FIGURE_SUFFIXES, *TABLE_SUFFIXES, *texts):
        kinds = f"a figure ({', '.join(FIGURE_SUFFIXES)}) or a table ({', '.join((*TABLE_SUFFIXES, *texts))})"
        raise OutputError(f"cannot write {target}: suffix {target.suffix!r}, expected {kinds}")
    _spare(target, origin)
    if overwrite is not None and target.suffix in (".csv", ".jsonl"):
        from intent.base.tables import claim_table

        claim_table(target, overwrite=overwrite)
    elif overwrite is not None:
        from intent.base.files import claim

        claim(target, overwrite=overwrite)
    return target


def check_text(path: str | Path, *, overwrite: bool) -> Path:
    """The path of a text file, if it may be written to.

    Raises
    ------
    OutputError
        It may not.
    """
    from intent.base.files import claim

    return claim(path, overwrite=overwrite)


def write_text(text: str, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a text file.

    Raises
    ------
    OutputError
        The path cannot be written.
    """
    from intent.base.files import writing

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
    folder = path_of(origin)
    if folder.is_dir() and any(load(part)(target, folder) for part in points(INPUTS).values()):
        raise OutputError(f"cannot write {target}: it is part of the log that is read")
    if not target.exists():
        return
    for read in (folder, folder.with_name(f"{folder.name}.meta.json")):
        if is_remote(read) == is_remote(target) and read.exists() and target.samefile(read):
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
