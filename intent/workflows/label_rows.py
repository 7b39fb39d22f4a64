"""A Parquet file of labels, read some rows at a time, whole games together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from intent.errors import DataError, located, shorten

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["ROWS", "games_together", "whole_games"]

ROWS = 1 << 17
"""Rows that are read at a time."""


def games_together(path: Path, *, rows: int = ROWS) -> bool:
    """Whether the rows of each game follow each other.

    Raises
    ------
    DataError
        The file cannot be read.
    """
    from intent.workflows.log_stream.together import together

    return together(lambda: _game_ids(path, rows))


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
    import pyarrow as pa

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
    import pyarrow.compute as pc

    other = pc.fill_null(pc.not_equal(ids, ids[-1]), fill_value=True).combine_chunks()
    places = pc.indices_nonzero(other)
    return places[-1].as_py() + 1 if len(places) else 0


def _game_ids(path: Path, rows: int) -> Iterator[pa.Array]:
    import pyarrow as pa

    for batch in _batches(path, ["game_id"], rows):
        ids = batch["game_id"].combine_chunks()
        yield ids if pa.types.is_string(ids.type) else ids.cast(pa.string())


def _batches(path: Path, columns: Sequence[str], rows: int) -> Iterator[pa.Table]:
    import pyarrow as pa

    from intent.files.parquet import open_parquet

    try:
        with open_parquet(path) as file:
            for batch in file.iter_batches(batch_size=rows, columns=list(columns), use_threads=False):
                if len(batch):
                    yield pa.table(batch)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(located(path, f"not readable: {shorten(error)}")) from None


def _frame(table: pa.Table, joined: Collection[str]) -> pd.DataFrame:
    """Rows as `intent.logs.tablefile.read_table` gives them, truth values with nulls as such."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    from intent.logs.column_kinds import LIST_SEPARATOR

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
