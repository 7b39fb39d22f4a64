"""Labels from whatever a user hands over: a table of labels, its file, or a game log to label first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UnknownNameError, UsageError, located, shorten
from intent.workflows.label_rows import ROWS, games_together, whole_games

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.recognise.base import Recogniser

__all__ = ["LabelPieces", "open_labels"]


@dataclass(frozen=True, eq=False)
class LabelPieces:
    """Labels, in memory or in a file that is read piece by piece.

    Attributes
    ----------
    held : DataFrame as `schema.LABELS`, or the Parquet file of such a table
        In the file, rows of a game stand together.
    columns : tuple of str
    n : int, rows
    origin : dict, what is known of how the labels came about
    conditions : column -> accepted values, which rows have yet to meet
        Others stay, so that a gate on games sees all seats.
    skipped : reason -> games of the log without labels
    """

    held: pd.DataFrame | Path
    columns: tuple[str, ...]
    n: int
    origin: Mapping[str, Any]
    conditions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)

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
        wanted = list(dict.fromkeys([*columns, *self.conditions]))
        for column in wanted:
            if column not in self.columns:
                raise UnknownNameError("column", column, self.columns)
        if not isinstance(self.held, Path):
            return iter([self.held] if self.n else [])
        return whole_games(self.held, wanted, joined=set(joined) - set(self.conditions), rows=rows)

    def nothing(self) -> UsageError:
        """The error where no row meets the conditions."""
        from intent.logs.conditions import as_options

        said = as_options(self.conditions)
        if not self.n and self.skipped:
            why = "; ".join(f"{n:,} games: {reason}" for reason, n in self.skipped.items())
            return UsageError(f"the log has nothing to label ({why})")
        return UsageError(f"no labels left of {self.n:,}{f' (--where {said})' if said else ''}")


@contextmanager
def open_labels(
    source: pd.DataFrame | GameLog | str | Path,
    recogniser: Recogniser | str | None = None,
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    seed: int = 0,
    workers: int = 1,
    dask: str | None = None,
    **reading: Any,
) -> Iterator[LabelPieces]:
    """Labels for the length of a block.

    A log that can be read piece by piece is labelled into a file that goes with the block.

    Parameters
    ----------
    source : DataFrame of labels, GameLog, or the path of a label table (.parquet, .csv, .jsonl) or a log
    recogniser : fitted recogniser, shipped name or folder, optional
        For a log; default that of `label_log`. A table of labels has its own.
    where : mapping of column -> accepted values
    others, keep_defaulted, seed, **reading
        As `label_log`, for a log.
    workers, dask : as `intent.parallel.open_workers`
        Who labels a log that is read piece by piece.

    Raises
    ------
    UsageError
        A recogniser for a table that is labelled already.
    UnknownNameError
        A condition on a column that does not exist.
    """
    from tempfile import TemporaryDirectory

    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.logs.table_columns import holds_labels
    from intent.workflows.label import DEFAULT_RECOGNISER

    conditions = dict(where or {})
    if isinstance(source, pd.DataFrame) or (not isinstance(source, GameLog) and holds_labels(source)):
        if recogniser is not None:
            raise UsageError("-r chooses how to label a log, but these are labels already")
        yield _of_labels(source, conditions)
        return
    chosen = recogniser or DEFAULT_RECOGNISER
    settings = {"others": others, "keep_defaulted": keep_defaulted, "seed": seed}
    if isinstance(source, GameLog):
        yield _of_log(source, chosen, conditions, settings)
        return
    with TemporaryDirectory() as folder:
        labels = Path(folder) / "labels.parquet"
        yield _streamed(
            Path(source), labels, chosen, conditions, {**settings, **reading}, workers, dask
        ) or _of_log(source, chosen, conditions, settings, **reading)


def _of_labels(source: Any, conditions: Mapping[str, Sequence[str]]) -> LabelPieces:
    """A table of labels; a Parquet file stays where it is, if the rows of its games stand together."""
    import pandas as pd

    from intent.logs.table_columns import table_suffix
    from intent.logs.tablefile import read_table

    if isinstance(source, pd.DataFrame):
        columns = tuple(map(str, source.columns))
        return LabelPieces(source, columns, len(source), source.attrs.get("provenance") or {}, conditions)
    if table_suffix(Path(source)) == ".parquet" and games_together(Path(source)):
        return _of_file(Path(source), conditions)
    table, origin = read_table(source)
    return LabelPieces(table, tuple(map(str, table.columns)), len(table), origin, conditions)


def _of_file(path: Path, conditions: Mapping[str, Sequence[str]], **more: Any) -> LabelPieces:
    from intent.files.json_text import json_value
    from intent.files.parquet import parquet_footer
    from intent.logs.tablefile import METADATA_KEY

    facts = parquet_footer(path)
    columns = tuple(facts.schema.to_arrow_schema().names)
    try:
        origin = json_value((facts.metadata or {}).get(METADATA_KEY, b"{}"))
    except (ValueError, RecursionError) as error:
        raise DataError(located(path, f"not a readable table: {shorten(error)}")) from None
    origin = origin if isinstance(origin, dict) else {}
    return LabelPieces(path, columns, facts.num_rows, origin, conditions, **more)


def _of_log(
    source: Any,
    recogniser: Recogniser | str,
    conditions: Mapping[str, Sequence[str]],
    settings: Mapping[str, Any],
    **reading: Any,
) -> LabelPieces:
    """Labels of a log in memory; conditions on games are applied before they are made."""
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.workflows.label import label_log

    log = source if isinstance(source, GameLog) else read_log(source, **reading)
    of_games = {column: v for column, v in conditions.items() if column in log.games.columns}
    labels = label_log(log, recogniser, where=of_games, coin=False, **settings)
    rest = {column: v for column, v in conditions.items() if column not in of_games}
    table = labels.table
    columns = tuple(map(str, table.columns))
    return LabelPieces(table, columns, len(table), labels.provenance, rest, labels.summary["skipped"])


def _streamed(
    log: Path,
    output: Path,
    recogniser: Recogniser | str,
    conditions: Mapping[str, Sequence[str]],
    settings: Mapping[str, Any],
    workers: int,
    dask: str | None,
) -> LabelPieces | None:
    """Labels that are made piece by piece; None where the log has to be read at once."""
    from intent.workflows.label_stream import stream_labels

    known = _game_columns(log)
    of_games = {column: v for column, v in conditions.items() if column in known}
    made = stream_labels(
        log, output, recogniser, workers=workers, dask=dask, **{**settings, "where": of_games, "coin": False}
    )
    if made is None:
        return None
    rest = {column: v for column, v in conditions.items() if column not in of_games}
    found = _of_file(output, rest, skipped=made.summary["skipped"])
    return found if set(rest) <= set(found.columns) and games_together(output) else None


def _game_columns(log: Path) -> set[str]:
    """Columns that describe games, of a log that is read piece by piece."""
    from intent.files.parquet import parquet_schema
    from intent.logs.compact.opening import is_compact, open_compact
    from intent.logs.gamelog import KEY_SEAT_COLUMNS

    games = log / "games.parquet"
    if games.is_file():
        try:
            return set(parquet_schema(games).names)
        except (DataError, OSError):
            return set()
    if not is_compact(log):
        return set()
    found = open_compact(log)
    return {*found.descriptions, *found.filled} - {*KEY_SEAT_COLUMNS, *found.seat_columns}
