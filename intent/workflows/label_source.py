"""Labels from whatever a user hands over: a table of labels, its file, or a game log to label first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.recognise.base import Recogniser

__all__ = ["holds_labels", "labels_of"]

_MARKS = {"best", "confidence", "rule_labels"}
"""Columns that only a table of labels has together."""

_FIRST_LINE = 1 << 20


def labels_of(
    source: pd.DataFrame | GameLog | str | Path,
    recogniser: Recogniser | str | None = None,
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    seed: int = 0,
    **reading: Any,
) -> tuple[pd.DataFrame, NDArray[np.bool_], dict[str, Any]]:
    """A table of labels, which of its rows meet the conditions, and what is known of its origin.

    Rows that do not meet a condition on a seat stay in the table, so that a gate on games sees all seats.

    Parameters
    ----------
    source : DataFrame of labels, GameLog, or the path of a label table (.parquet, .csv, .jsonl) or a log
    recogniser : fitted recogniser, shipped name or folder, optional
        For a log; default that of `label_log`. A table of labels has its own.
    where : mapping of column -> accepted values
    others, keep_defaulted, seed, **reading
        As `label_log`, for a log.

    Returns
    -------
    table : DataFrame as `schema.LABELS`
    keep : (n,) bool
    provenance : dict

    Raises
    ------
    UsageError
        A recogniser for a table that is labelled already, or no row that meets the conditions.
    UnknownNameError
        A condition on a column that does not exist.
    """
    import pandas as pd

    from intent.logs.conditions import accepted_rows
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.logs.tablefile import read_table
    from intent.workflows.label import DEFAULT_RECOGNISER, label_log

    conditions = dict(where or {})
    skipped: dict[str, int] = {}
    if isinstance(source, pd.DataFrame) or (not isinstance(source, GameLog) and holds_labels(Path(source))):
        if recogniser is not None:
            raise UsageError("-r chooses how to label a log, but these are labels already")
        if isinstance(source, pd.DataFrame):
            table, origin = source, dict(source.attrs.get("provenance") or {})
        else:
            table, origin = read_table(source)
    else:
        log = source if isinstance(source, GameLog) else read_log(source, **reading)
        of_games = {column: v for column, v in conditions.items() if column in log.games.columns}
        labels = label_log(
            log,
            recogniser or DEFAULT_RECOGNISER,
            where=of_games,
            others=others,
            keep_defaulted=keep_defaulted,
            seed=seed,
        )
        table, origin, skipped = labels.table, labels.provenance, labels.summary["skipped"]
        conditions = {column: v for column, v in conditions.items() if column not in of_games}
    keep = accepted_rows(table, conditions)
    if not keep.any():
        said = ", ".join(f"{column}={value}" for column, values in conditions.items() for value in values)
        if not len(table) and skipped:
            why = "; ".join(f"{n:,} games: {reason}" for reason, n in skipped.items())
            raise UsageError(f"the log has nothing to label ({why})")
        raise UsageError(f"no labels left of {len(table):,}{f' (--where {said})' if said else ''}")
    return table, keep, origin


def holds_labels(path: Path) -> bool:
    """Whether a file is a table of labels, by the names of its columns."""
    import csv
    import json

    if not path.is_file() or path.suffix not in (".parquet", ".csv", ".jsonl"):
        return False
    try:
        if path.suffix == ".parquet":
            import pyarrow.parquet as pq

            return set(pq.read_schema(path).names) >= _MARKS
        with path.open(encoding="utf-8-sig") as stream:
            line = stream.readline(_FIRST_LINE)
        names = next(csv.reader([line]), []) if path.suffix == ".csv" else json.loads(line)
        return set(names) >= _MARKS
    except (ValueError, OSError, TypeError, csv.Error, RecursionError):
        return False
