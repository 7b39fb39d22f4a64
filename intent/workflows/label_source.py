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

__all__ = ["labels_of"]


def labels_of(
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
    workers, dask : as `intent.parallel.open_workers`
        Who labels a log that is read piece by piece; without conditions.

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

    from intent.logs.conditions import accepted_rows, as_options
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.logs.table_columns import holds_labels
    from intent.logs.tablefile import read_table
    from intent.workflows.label import DEFAULT_RECOGNISER, label_log

    conditions = dict(where or {})
    skipped: dict[str, int] = {}
    if isinstance(source, pd.DataFrame) or (not isinstance(source, GameLog) and holds_labels(source)):
        if recogniser is not None:
            raise UsageError("-r chooses how to label a log, but these are labels already")
        if isinstance(source, pd.DataFrame):
            table, origin = source, dict(source.attrs.get("provenance") or {})
        else:
            table, origin = read_table(source)
    elif not conditions and not isinstance(source, GameLog) and (workers != 1 or dask is not None):
        settings = {"others": others, "keep_defaulted": keep_defaulted, "seed": seed, **reading}
        table, origin = _spread(source, recogniser, settings, workers, dask)
        skipped = origin["summary"]["skipped"]
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
        said = as_options(conditions)
        if not len(table) and skipped:
            why = "; ".join(f"{n:,} games: {reason}" for reason, n in skipped.items())
            raise UsageError(f"the log has nothing to label ({why})")
        raise UsageError(f"no labels left of {len(table):,}{f' (--where {said})' if said else ''}")
    return table, keep, origin


def _spread(
    log: str | Path,
    recogniser: Recogniser | str | None,
    settings: Mapping[str, Any],
    workers: int,
    dask: str | None,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Labels made by several workers, and what is known of their origin."""
    from tempfile import TemporaryDirectory

    from intent.logs.tablefile import read_table
    from intent.workflows.label_stream import label_to

    with TemporaryDirectory() as folder:
        output = Path(folder) / "labels.parquet"
        made = label_to(log, output, recogniser, workers=workers, dask=dask, **settings)
        return read_table(output)[0], {**made.provenance, "summary": made.summary}
