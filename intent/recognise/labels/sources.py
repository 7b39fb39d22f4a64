"""Labels from whatever a user hands over: a table of labels, its file, or a game log to label first.

A Parquet file of labels, read some rows at a time, whole games together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from intent.base.binary import open_parquet, parquet_footer, parquet_schema
from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import DataError, UnknownNameError, UsageError, located, shorten
from intent.base.files import json_value, path_of
from intent.base.tables import LIST_SEPARATOR, METADATA_KEY, holds_labels, read_table, table_suffix
from intent.logs.chunks import RunsSource, notes_of_rejects
from intent.logs.compact import open_compact
from intent.logs.compact_chunks import rows_together
from intent.logs.gamelog import KEY_SEAT_COLUMNS, GameLog, as_options
from intent.logs.readers import read_log
from intent.logs.reading import open_source
from intent.recognise.labels.label import Labels
from intent.recognise.labels.request import ROWS, LabelRequest
from intent.recognise.recogniser import Recogniser

__all__ = [
    "LabelPieces",
    "games_together",
    "open_labels",
    "whole_games",
]


def games_together(path: Path, *, rows: int = ROWS) -> bool:
    """Whether the rows of each game follow each other.

    Raises
    ------
    DataError
        The file cannot be read.
    """
    return rows_together(lambda: _game_ids(path, rows))


def whole_games(
    path: Path, columns: Sequence[str], *, joined: Collection[str] = (), rows: int = ROWS
) -> Iterator[pd.DataFrame]:
    """Some rows at a time, in order; those of a game that stand together are in one of the tables.

    Parameters
    ----------
    path : Path
    columns : those to read, with game_id
    joined : columns of lists that are to be texts joined by ``|``
    rows : int, about

    Raises
    ------
    DataError
        The file cannot be read.
    """
    left: pa.Table | None = None
    for batch in _batches(path, columns, rows):
        table = batch if left is None else pa.concat_tables([left, batch])
        start = _last_game(table["game_id"])
        left = table.slice(start)
        if start:
            yield _frame(table.slice(0, start), joined)
    if left is not None and len(left):
        yield _frame(left, joined)


def _last_game(ids: pa.ChunkedArray) -> int:
    """Where the rows of the last game begin."""
    other = pc.fill_null(pc.not_equal(ids, ids[-1]), fill_value=True).combine_chunks()
    places = pc.indices_nonzero(other)
    return places[-1].as_py() + 1 if len(places) else 0


def _game_ids(path: Path, rows: int) -> Iterator[pa.Array]:
    for batch in _batches(path, ["game_id"], rows):
        ids = batch["game_id"].combine_chunks()
        yield ids if pa.types.is_string(ids.type) else ids.cast(pa.string())


def _batches(path: Path, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
    try:
        with open_parquet(path) as file:
            for batch in file.iter_batches(batch_size=rows, columns=list(columns), use_threads=False):
                if len(batch):
                    yield pa.table(batch)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(located(path, f"not readable: {shorten(error)}")) from None


def _frame(table: pa.Table, joined: Collection[str]) -> pd.DataFrame:
    """Rows as `intent.base.tables.read_table` gives them, truth values with nulls as such."""
    lists = [f.name for f in table.schema if pa.types.is_list(f.type) or pa.types.is_large_list(f.type)]
    for name in joined:
        if name in lists:
            texts = pc.binary_join(table[name].cast(pa.list_(pa.string())), LIST_SEPARATOR)
            table = table.set_column(table.column_names.index(name), name, texts)
    frame: pd.DataFrame = table.to_pandas(
        ignore_metadata=True, types_mapper={pa.bool_(): pd.BooleanDtype()}.get
    )
    for name in lists:
        if name not in joined:
            cells = [None if cell is None else list(cell) for cell in frame[name]]
            frame[name] = pd.Series(cells, index=frame.index, dtype=object)
    return frame


@dataclass(frozen=True, eq=False)
class LabelPieces:
    """Labels, in memory or in a file that is read piece by piece.

    Attributes
    ----------
    held : DataFrame as `codebook.LABELS`, or the Parquet file of such a table
        In the file, rows of a game stand together.
    columns : tuple of str
    n : int, rows
    origin : dict, what is known of how the labels came about
    conditions : column -> accepted values, which rows have yet to meet
        Others stay, so that a gate on games sees all seats.
    skipped : reason -> games of the log without labels
    notes : what of the log could not be read
    """

    held: pd.DataFrame | Path
    columns: tuple[str, ...]
    n: int
    origin: Mapping[str, Any]
    conditions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def read(
        self, columns: Sequence[str], *, joined: Collection[str] = (), rows: int = ROWS
    ) -> Iterator[pd.DataFrame]:
        """Rows in order, no game in two of the tables, with these columns and those of the conditions.

        Parameters
        ----------
        columns : sequence of str
        joined : those of them whose lists may come as texts joined by ``|``
        rows : int, about; of a table in memory all

        Raises
        ------
        UnknownNameError
            A column that does not exist.
        DataError
            The file cannot be read.
        """
        names = list(dict.fromkeys([*columns, *self.conditions]))
        for column in names:
            if column not in self.columns:
                raise UnknownNameError("column", column, self.columns)
        if not isinstance(self.held, Path):
            return iter([self.held] if self.n else [])
        return whole_games(self.held, names, joined=set(joined) - set(self.conditions), rows=rows)

    def nothing(self) -> UsageError:
        """The error where no row meets the conditions."""
        conditions = as_options(self.conditions)
        if not self.n and self.skipped:
            why = "; ".join(f"{n:,} games: {reason}" for reason, n in self.skipped.items())
            return UsageError(f"the log has nothing to label ({why})")
        return UsageError(f"no labels left of {self.n:,}{f' (--where {conditions})' if conditions else ''}")


@contextmanager
def open_labels(
    source: pd.DataFrame | GameLog | str | Path,
    recogniser: Recogniser | str | None = None,
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    **settings: Any,
) -> Iterator[LabelPieces]:
    """Labels for the length of a block.

    A log that can be read piece by piece is labelled into a file that goes with the block.

    Parameters
    ----------
    source : DataFrame of labels, GameLog, or the path of a label table (.parquet, .csv, .jsonl) or a log
    recogniser : fitted recogniser, shipped name or folder, optional
        For a log; default that of `label_log`. A table of labels has its own.
    where : mapping of column -> accepted values
    **settings
        As `LabelRequest`, for a log.

    Raises
    ------
    UsageError
        A recogniser for a table that is labelled already.
    UnknownNameError
        A condition on a column that does not exist.
    """
    conditions = dict(where or {})
    if isinstance(source, pd.DataFrame) or (not isinstance(source, GameLog) and holds_labels(source)):
        if recogniser is not None:
            raise UsageError("-r chooses how to label a log, but these are labels already")
        yield _of_labels(source, conditions)
        return
    with TemporaryDirectory() as folder:
        output = Path(folder) / "labels.parquet"
        how = {"log": source, "recogniser": recogniser or DEFAULT_RECOGNISER, "coin": False, **settings}
        request = LabelRequest(**how, output=output, rows=False)
        yield _of_log(request, conditions)


def _of_labels(source: Any, conditions: Mapping[str, Sequence[str]]) -> LabelPieces:
    """A table of labels; a Parquet file stays where it is, if the rows of its games stand together."""
    if isinstance(source, pd.DataFrame):
        columns = tuple(map(str, source.columns))
        return LabelPieces(source, columns, len(source), source.attrs.get("provenance") or {}, conditions)
    if table_suffix(Path(source)) == ".parquet" and games_together(Path(source)):
        return _of_file(Path(source), conditions)
    table, origin = read_table(source)
    return LabelPieces(table, tuple(map(str, table.columns)), len(table), origin, conditions)


def _of_file(path: Path, conditions: Mapping[str, Sequence[str]], **more: Any) -> LabelPieces:
    facts = parquet_footer(path)
    columns = tuple(facts.schema.to_arrow_schema().names)
    try:
        origin = json_value((facts.metadata or {}).get(METADATA_KEY, b"{}"))
    except (ValueError, RecursionError) as error:
        raise DataError(located(path, f"not a readable table: {shorten(error)}")) from None
    origin = origin if isinstance(origin, dict) else {}
    return LabelPieces(path, columns, facts.num_rows, origin, conditions, **more)


def _of_log(request: LabelRequest, conditions: Mapping[str, Sequence[str]]) -> LabelPieces:
    """Labels of a log; conditions on games are applied before they are made."""
    log = request.log
    source = None
    if isinstance(log, str | Path):
        source = open_source(path_of(log), **request.file_reading())
        log = log if source is not None else read_log(log, **request.file_reading())
    if isinstance(source, RunsSource):
        columns = set(source.game_columns)
    else:
        columns = set(log.games.columns) if isinstance(log, GameLog) else _game_columns(path_of(log))
    of_games = {column: v for column, v in conditions.items() if column in columns}
    rest = {column: v for column, v in conditions.items() if column not in of_games}
    labels: Labels = request.replace(log=log, where=of_games).run()
    if labels.path is not None:
        about = {"skipped": labels.summary["skipped"], "notes": notes_of_rejects(labels.rejects)}
        pieces = _of_file(labels.path, rest, **about)
        if set(rest) <= set(pieces.columns) and games_together(labels.path):
            return pieces
        in_memory = read_log(labels.request.log, **request.file_reading())
        return _of_log(request.replace(log=in_memory), conditions)
    table = labels.table()
    names = tuple(map(str, table.columns))
    skipped, notes = labels.summary["skipped"], notes_of_rejects(labels.rejects)
    return LabelPieces(table, names, len(table), labels.provenance, rest, skipped, notes)


def _game_columns(log: Path) -> set[str]:
    """Columns that describe games, of a log that is read piece by piece."""
    games = log / "games.parquet"
    if games.is_file():
        return set(parquet_schema(games).names)
    compact = open_compact(log)
    return {*compact.descriptions, *compact.filled} - {*KEY_SEAT_COLUMNS, *compact.seat_columns}
