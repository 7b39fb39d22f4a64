"""A folder of many files alike as one table: what the files hold, and columns for what their names say."""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from intent.base.errors import DataError, IntentError, located, one_line, shorten
from intent.base.files import beyond, bounds
from intent.base.tables import TEXT
from intent.logs.gamelog import GameLog, Rejects, concat_logs
from intent.logs.importer.file_names import NamePattern, pattern_of_names
from intent.logs.importer.trees import table_of_plan, tables_of_json
from intent.logs.readers.arrays import TidyTable, open_table
from intent.logs.readers.reader import CARDS, Reader, Settings, Source, recognised
from intent.logs.readers.runs import logs_of_files

__all__ = ["FolderTable", "folder_table", "format_of_files", "log_of_files", "refuse_spreadsheet"]

_SUFFIXES = (".gz", ".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet")
_SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
_SAMPLE = 7
"""Files by which it is decided where the tables of a folder of JSON lie."""

_FILE = "file"


@dataclass(frozen=True)
class FolderTable:
    """The table of a folder.

    Parameters
    ----------
    table : TidyTable
        The rows of all files, in the order of their names; ``line`` is that of the row's file, and ``text``
        begins with its name.
    pattern : str
        How names of files became columns; empty where they did not.
    how : tuple of str
        What was done, in words.
    questions : tuple of str
        What the names leave open.
    plan : dict or None
        Where the table lies in each file, for folders of JSON (`trees.table_of_plan`).
    files : tuple of str
        Those that were read, below the folder.
    """

    table: TidyTable
    pattern: str
    how: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    plan: dict[str, Any] | None = None
    files: tuple[str, ...] = field(default=(), repr=False)


class _OfFile(Rejects):
    """Rejects of one file of a folder: they go to those of the folder, with the name of the file."""

    def __init__(self, name: str, folder: Rejects) -> None:
        super().__init__(name)
        self.name, self.folder = name, folder

    def add(self, line: int | None, reason: str, text: str | Callable[[], str] = "") -> None:
        """As `Rejects.add`."""
        quoted = text if isinstance(text, str) else text()
        self.folder.add(line, f"{one_line(self.name, 120)}: {reason}", quoted)

    def expect(self, n: int) -> None:
        """As `Rejects.expect`."""
        self.folder.expect(n)


def folder_table(
    path: str | Path,
    rejects: Rejects,
    pattern: str | None = None,
    plan: Mapping[str, Any] | None = None,
    header: tuple[str, ...] = (),
) -> FolderTable:
    """The table of a folder of CSV, JSON or Parquet files alike, in folders of its own or not.

    Files that are no tables, or do not have the columns that most have, and names that do not fit the pattern
    go to the rejects. Hidden files are not looked at.

    Parameters
    ----------
    path : path of the folder
    rejects : Rejects
    pattern : str, optional
        How names are cut into columns (`file_names.NamePattern`); an empty one makes none. Default: as the
        names suggest.
    plan : mapping, optional
        Where the table lies in each file of JSON. Default: where it lies in most of some of them.
    header : tuple of str
        Names of the columns, of files that have none.

    Raises
    ------
    DataError
        The folder holds no table.
    LimitError
        More files, or more text in all, than `Bounds` allows.
    UsageError
        A pattern that is none.
    """
    folder = Path(path)
    chosen = None if pattern is None or not pattern else NamePattern.of_text(pattern)
    names, hidden = _files(folder, rejects)
    if not names:
        raise DataError(located(folder, "a folder without files, expected tables of games"))
    notes = [f"{hidden:,} hidden files and folders are not read"] if hidden else []
    questions: list[str] = []
    stems = {name: _stem(name) for name in names}
    if plan is None:
        plan = _plan(folder, names)
    pieces: list[tuple[str, dict[str, pa.Array]]] = []
    size = 0
    for name in names:
        columns = _columns(folder, name, plan, rejects, header)
        if columns is not None:
            size += sum(column.nbytes for column in columns.values())
            if size > bounds().unpacked_bytes:
                raise beyond(folder, f"tables of more than {size:,} bytes", "unpacked_bytes")
            pieces.append((name, columns))
    pieces = _alike(pieces, rejects, plan is not None)
    if not pieces:
        rejects.table(0)
        raise DataError(located(folder, "no file of the folder is a table"))
    if pattern is None:
        chosen, reasons, questions = pattern_of_names([stems[name] for name, _ in pieces])
        notes += reasons
    by_name = {name: {} if chosen is None else chosen.values(stems[name]) for name, _ in pieces}
    for name, values in by_name.items():
        if values is None:
            reason = f"the name does not fit the pattern {chosen}"
            rejects.add(None, f"{one_line(name, 120)}: {shorten(reason, 200)}", name)
    pieces = [(name, columns) for name, columns in pieces if by_name[name] is not None]
    if not pieces:
        rejects.table(0)
        raise DataError(located(folder, f"no name of a file fits the pattern {chosen}"))
    notes.append(f"{len(pieces):,} of {len(names):,} files are read")
    columns, starts = _joined(pieces, {name: by_name[name] or {} for name, _ in pieces}, stems, notes)
    return FolderTable(
        _table(
            folder, [name for name, _ in pieces], columns, starts, partial(_read, plan=plan, header=header)
        ),
        "" if chosen is None else str(chosen),
        tuple(notes),
        tuple(questions),
        None if plan is None else dict(plan),
        tuple(name for name, _ in pieces),
    )


_PLAIN = frozenset(["pairs", "tidy", "import", "runs", "gamelog", "compact"])
"""Readers of tables that a folder of files is one of, and of logs that have a folder of their own."""


def format_of_files(source: Source, settings: Settings) -> Reader | None:
    """The reader of a format of its own (an export of oTree, results of FAIRGAME) that a folder's files have.

    The first file that is a log decides; of files in one folder with one suffix the first alone is tried.
    Cards, configurations and texts may stand beside.
    """
    if "format" not in source.memo:
        names, _ = _files(source.path, Rejects(source.path))
        firsts: dict[tuple[str, ...], str] = {}
        for name in names:
            if name.rpartition("/")[2].casefold() not in _CARDS:
                firsts.setdefault((name.rpartition("/")[0], *Path(name).suffixes[-2:]), name)
        readers = (_reader_of(source.path / name, settings) for name in firsts.values())
        reader = next((one for one in readers if one is not None), None)
        source.memo["format"] = None if reader is None or reader.name in _PLAIN else reader
    own: Reader | None = source.memo["format"]
    return own


_CARDS = frozenset(
    ["license", "license.md", "license.txt", "notice.md", *(card.casefold() for card in CARDS)]
)
"""Files that describe the others."""


def _reader_of(path: Path, settings: Settings) -> Reader | None:
    """The reader of a file, None where it is no log."""
    try:
        return recognised(Source(path, settings.header), settings)
    except IntentError:
        return None


def log_of_files(source: Source, reader: Reader, settings: Settings) -> GameLog:
    """The files of a folder, each read by the reader of their format, as one log.

    Files that are of another format, or cannot be read, go to the rejects. What varies in the names of files
    becomes columns, as in `folder_table`, where no column of theirs has that name.

    Raises
    ------
    DataError
        No file can be read; or the first that cannot, if `settings` are strict.
    """
    folder = source.path
    rejects = Rejects(folder, strict=settings.strict)
    names, hidden = _files(folder, rejects)
    logs: list[tuple[str, GameLog]] = []
    for name in names:
        if name.rpartition("/")[2].casefold() in _CARDS:
            continue
        file = Source(folder / name, settings.header)
        try:
            if not reader.recognises(file, settings):
                raise DataError(f"no file of format {reader.name}, as others of the folder are")
            logs.append((name, reader.read(file, settings)))
        except IntentError as error:
            shown = name.rpartition("/")[2]
            _OfFile(name, rejects).add(None, str(error).removeprefix(f"{shown}: "), name)
    if not logs:
        rejects.table(0)
        raise DataError(located(folder, f"no file of format {reader.name} can be read"))
    pattern, reasons, _ = pattern_of_names([_stem(name) for name, _ in logs])
    read: list[tuple[str, GameLog]] = []
    for name, log in logs:
        own = log.rejects.assign(file=name) if len(log.rejects) else log.rejects
        values = (pattern.values(_stem(name)) if pattern is not None else None) or {}
        free = {
            column: value
            for column, value in values.items()
            if column not in log.games and column not in log.seats and column not in log.moves
        }
        games = log.games.assign(**{c: pd.array([v or None] * len(log.games), TEXT) for c, v in free.items()})
        read.append(
            (
                _stem(name),
                GameLog(games, log.seats, log.moves, log.questions, provenance=log.provenance, rejects=own),
            )
        )
    changed, of_players = logs_of_files(read)
    rows = [
        {"file": name, "n_games": len(log.games), "notes": list(log.provenance.get("notes", ()))}
        for name, log in logs
    ]
    notes = [f"{hidden:,} hidden files and folders are not read"] if hidden else []
    n = f"{len(logs):,} of {len(names):,} files"
    notes.append(f"{n} are read as one log, each of format {reader.name}; column run tells them apart")
    of_files_notes = dict.fromkeys(str(note) for _, log in logs for note in log.provenance.get("notes", ()))
    provenance = {"files": rows, "notes": [*notes, *reasons, *of_players, *of_files_notes]}
    whole = concat_logs(changed, provenance=provenance)
    of_files = rejects.table(len(whole)) if len(rejects) else None
    if of_files is not None:
        whole.rejects = pd.concat([whole.rejects, of_files], ignore_index=True)
    return whole


def refuse_spreadsheet(path: str | Path) -> None:
    """Say what to do with a spreadsheet.

    Raises
    ------
    DataError
        The name is that of one.
    """
    if Path(path).name.casefold().endswith(_SPREADSHEETS):
        raise DataError(located(path, "a spreadsheet, expected text: save its sheet as CSV and read that"))


def _stem(name: str) -> str:
    """The path of a file without its suffixes."""
    for suffix in _SUFFIXES:
        if name.casefold().endswith(suffix):
            name = name[: -len(suffix)]
    return name


def _order(name: str) -> list[tuple[int, int, str]]:
    """Numbers within names count as numbers: game2 comes before game10."""
    return [(0, int(p), "") if p.isdecimal() and p.isascii() and len(p) < 19 else (1, 0, p)
            for p in re.split(r"(\d+)", name)]  # fmt: skip


def _files(folder: Path, rejects: Rejects) -> tuple[list[str], int]:
    """Paths below a folder in order, and how many are hidden; links out of it and pipes are rejected."""
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder")
    names: list[str] = []
    hidden = 0

    def fail(error: OSError) -> None:
        rejects.add(None, f"cannot be read: {error.strerror}", os.path.relpath(error.filename, folder))

    for at, folders, files in os.walk(folder, onerror=fail):
        within = Path(at).relative_to(folder)
        hidden += sum(name.startswith((".", "__")) for name in (*folders, *files))
        for name in folders:
            if not name.startswith((".", "__")) and (Path(at) / name).is_symlink():
                rejects.add(
                    None, f"{one_line(within / name)}: a link to a folder, which is not followed", name
                )
        folders[:] = [name for name in folders if not name.startswith((".", "__"))]
        if len(within.parts) > bounds().depth:
            raise beyond(folder, f"folders nested deeper than {bounds().depth}", "depth")
        for name in files:
            if name.startswith((".", "__")):
                continue
            inside = (within / name).as_posix()
            real = Path(at) / name
            if real.is_symlink() and not real.resolve().is_relative_to(folder.resolve()):
                rejects.add(None, f"{one_line(inside, 120)}: a link out of the folder", inside)
            elif not real.is_file():
                rejects.add(None, f"{one_line(inside, 120)}: neither a file nor a folder", inside)
            else:
                names.append(inside)
                if len(names) > bounds().members:
                    raise beyond(folder, f"more than {bounds().members:,} files", "members")
    return sorted(names, key=_order), hidden


def _plan(folder: Path, names: Sequence[str]) -> dict[str, Any] | None:
    """Where the table lies in files of JSON: as in most of some of them; None where they are none."""
    json_names = [
        name for name in names if name.casefold().removesuffix(".gz").endswith((".json", ".jsonl", ".ndjson"))
    ]
    if 2 * len(json_names) <= len(names):
        return None
    step = max(1, len(json_names) // _SAMPLE)
    plans: dict[str, list[dict[str, Any]]] = {}
    for name in json_names[::step][:_SAMPLE]:
        try:
            source = Source(folder / name)
            if not source.is_json:
                continue
            plan = tables_of_json(source, Rejects(folder / name))[0].plan
        except IntentError:
            continue
        plans.setdefault(json.dumps([plan["lines"], plan["steps"]]), []).append(plan)
    if not plans:
        return None
    alike = max(plans.values(), key=len)
    return {**alike[0], "names": {k: v for plan in reversed(alike) for k, v in plan["names"].items()}}


def _columns(
    folder: Path, name: str, plan: Mapping[str, Any] | None, rejects: Rejects, header: tuple[str, ...]
) -> dict[str, pa.Array] | None:
    """The columns of one file; None, with a line in the rejects, where it is no table."""
    own = _OfFile(name, rejects)
    try:
        return _read(folder / name, own, plan, header).columns
    except DataError as error:
        shown = Path(name).name
        reason = str(error).removeprefix(f"{shown}: ").removeprefix(f"{shown} ")
        own.add(None, reason, name)
        return None


def _read(path: Path, rejects: Rejects, plan: Mapping[str, Any] | None, header: tuple[str, ...]) -> TidyTable:
    """The table of one file of a folder.

    Raises
    ------
    DataError
        It is none.
    """
    refuse_spreadsheet(path)
    source = Source(path, header)
    if source.kind == "text" and source.is_json:
        if plan is None:
            raise DataError("JSON, among files that are none")
        return table_of_plan(source, plan, rejects)
    if plan is not None:
        raise DataError("no JSON, among files of JSON")
    table = open_table(source, rejects)
    if not len(table):
        raise DataError("not one row")
    return table


def _alike(
    pieces: Sequence[tuple[str, dict[str, pa.Array]]], rejects: Rejects, trees: bool
) -> list[tuple[str, dict[str, pa.Array]]]:
    """The files that have the columns that most have; of trees, half of them, since a field may be absent."""
    if not pieces:
        return []
    usual = Counter(frozenset(columns) for _, columns in pieces).most_common(1)[0][0]
    alike = []
    for name, columns in pieces:
        missing = sorted(usual - set(columns))
        if missing and (not trees or 2 * len(missing) > len(usual)):
            listed = ", ".join(one_line(column, 40) for column in missing[:5])
            rejects.add(None, f"{one_line(name, 120)}: no column {listed}, which most files have", name)
        else:
            alike.append((name, columns))
    return alike


def _joined(
    pieces: Sequence[tuple[str, dict[str, pa.Array]]],
    by_name: Mapping[str, Mapping[str, str]],
    stems: Mapping[str, str],
    notes: list[str],
) -> tuple[dict[str, pa.Array], list[int]]:
    """The columns of all files, those of their names first, and the row at which each file begins."""
    lengths = [len(next(iter(columns.values()))) for _, columns in pieces]
    starts = [0]
    for n in lengths:
        starts.append(starts[-1] + n)
    inside = dict.fromkeys(column for _, columns in pieces for column in columns)
    usual = Counter(column for _, columns in pieces for column in columns)
    for column in inside:
        if usual[column] < len(pieces):
            notes.append(f"column {one_line(column, 60)} is in {usual[column]:,} of {len(pieces):,} files")
    joined: dict[str, pa.Array] = {}

    def of_names(values: Sequence[str]) -> pa.Array:
        codes = pa.concat_arrays([pa.repeat(i, n) for i, n in enumerate(lengths)])
        return pa.array(list(values), pa.string()).take(codes)

    free = _FILE if _FILE not in inside else "file_name"
    joined[free] = of_names([stems[name] for name, _ in pieces])
    for column in dict.fromkeys(column for values in by_name.values() for column in values):
        values = [by_name[name].get(column, "") for name, _ in pieces]
        if column in inside:
            same = all(
                columns.get(column) is not None and set(columns[column].unique().to_pylist()) == {value}
                for (_, columns), value in zip(pieces, values, strict=True)
            )
            if same:
                continue
            notes.append(f"column {column} of the files is another one than {column}_of_file, of their names")
        called = column if column not in inside else f"{column}_of_file"
        joined[called] = of_names(values)
    empty = pa.scalar("", pa.string())
    for column in inside:
        parts = [
            columns[column] if column in columns else pa.repeat(empty, n)
            for (_, columns), n in zip(pieces, lengths, strict=True)
        ]
        joined[column] = pa.concat_arrays(parts)
    return joined, starts


def _table(
    folder: Path,
    names: Sequence[str],
    columns: dict[str, pa.Array],
    starts: Sequence[int],
    read: Callable[[Path, Rejects], TidyTable],
) -> TidyTable:
    @lru_cache(maxsize=1)
    def of_file(name: str) -> TidyTable:
        return read(folder / name, Rejects(folder / name))

    def place(row: int) -> tuple[str, int]:
        at = bisect_right(starts, row) - 1
        return names[at], row - starts[at]

    def line(row: int) -> int | None:
        name, own = place(row)
        return of_file(name).line(own)

    def text(row: int) -> str:
        name, own = place(row)
        return f"{name}: {of_file(name).text(own)}"

    return TidyTable(columns, line, text)
