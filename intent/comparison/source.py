"""What is compared: a table as it is, or the labels or metrics of a game log, with the log behind it.

The rows of a comparison: how they count, and their numbers.

How good the moves behind each group of a comparison are: defaulted, missing, refused at first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.base.result import source_of_table
from intent.logs.origin import Behind, log_behind, log_of

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.comparison.share_tests import Comparison
    from intent.logs.gamelog import GameLog


__all__ = ["COUNTS", "Compared", "compared", "numbers", "way_to_count", "with_quality"]


_METRIC_MARKS = {"game_id", "seat", "mean_payoff"}
"""Columns that only tables of metrics have together."""


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared, and where it comes from.

    Parameters
    ----------
    table : DataFrame
    facts : mapping
        source, sha256 and version, for the config of the result.
    provenance : mapping or None
        What the table says of how it was made.
    behind : Behind
        The log behind the table.
    origin : path, optional
        The file that was read.
    where : mapping
        Conditions that are not met yet.
    skipped : mapping
        Reason -> number of games of the log that have no rows.
    notes : tuple of str
        What a reader should know of the table.
    """

    table: pd.DataFrame
    facts: dict[str, Any]
    provenance: Mapping[str, Any] | None
    behind: Behind
    origin: Path | None
    where: Mapping[str, Sequence[str]]
    skipped: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def compared(
    source: pd.DataFrame | GameLog | str | Path,
    *,
    metric: str | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
    recogniser: Any = None,
    background: bool | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    log: GameLog | str | Path | None = None,
    log_needed: bool = False,
    coin: bool = False,
    seed: int = 0,
    **reading: Any,
) -> Compared:
    """Read what is compared.

    Parameters
    ----------
    source : DataFrame, GameLog, or the path of a table (.parquet, .csv, .jsonl, .gz), a log or a run's folder
        A log is labelled first; for a metric that is no column of it, its metrics are computed.
    metric : str, optional
    where : mapping of column -> accepted values
    recogniser, background, others, keep_defaulted, coin, seed
        As `label_log`, for a log.
    log : GameLog or path, optional
        Where the log behind a table is now.
    log_needed : bool
        Whether the log is read however large it is.
    **reading
        As `read_log`.

    Raises
    ------
    UsageError
        A recogniser for what is labelled already, or two logs.
    DataError
        Neither a table nor a log.
    """
    from intent.base.tables import read_table
    from intent.logs.gamelog import GameLog
    from intent.version import __version__

    conditions = dict(where or {})
    if isinstance(source, GameLog) or (isinstance(source, str | Path) and _is_log(Path(source), metric)):
        if log is not None:
            raise UsageError("--log says where the log behind a table is, but a log is compared itself")
        labelling = {
            "recogniser": recogniser,
            "background": background,
            "others": others,
            "keep_defaulted": keep_defaulted,
            "coin": coin,
            "seed": seed,
        }
        return _of_log(log_of(source, reading), source, metric, conditions, labelling)
    if recogniser is not None:
        raise UsageError("-r chooses how to label a log, but these are no moves of games")
    if isinstance(source, str | Path):
        path = Path(source)
        table, provenance = read_table(path)
        facts = {**source_of_table(path), "version": __version__}
        behind = log_behind(provenance, log, beside=path, needed=log_needed, **reading)
        skipped = _skipped(provenance)
        notes = _without_random(table, provenance)
        return Compared(table, facts, provenance, behind, path, conditions, skipped, notes)
    nothing: dict[str, Any] = {"source": None, "sha256": None, "version": __version__}
    own = source.attrs.get("provenance")
    behind = log_behind(own, log, needed=log_needed, **reading)
    notes = _without_random(source, own)
    return Compared(source, nothing, own, behind, None, conditions, notes=notes)


def _of_log(
    log: GameLog,
    source: GameLog | str | Path,
    metric: str | None,
    where: dict[str, Sequence[str]],
    labelling: dict[str, Any],
) -> Compared:
    """Labels or metrics of a log; conditions on games alone are met, others remain."""
    from intent.base.defaults import DEFAULT_RECOGNISER
    from intent.logs.selection import unread_rows
    from intent.recognise.labels.label import label_log
    from intent.version import __version__

    of_games = {c: v for c, v in where.items() if c in log.games.columns}
    names = ("others", "keep_defaulted", "seed")
    read: dict[str, Any] = {"where": of_games, **{name: labelling[name] for name in names}}
    if metric is None:
        competes = labelling["background"]
        own = {} if competes is None else {"background": competes}
        read["coin"] = labelling["coin"]
        labels = label_log(log, labelling["recogniser"] or DEFAULT_RECOGNISER, **own, **read)
        table, skipped = labels.table(), labels.summary["skipped"]
        provenance = {**labels.provenance, "summary": labels.summary}
    else:
        from intent.behaviour.metrics import metrics

        found = metrics(log, bootstrap=1, **read)
        table, provenance, skipped = found.table, {"log": log.provenance}, log.skipped()
    if not len(table):
        why = "; ".join(f"{n:,} games: {reason}" for reason, n in skipped.items())
        raise UsageError(f"nothing to compare in the log{f' ({why})' if why else ''}")
    facts = {
        "source": Path(source).name if isinstance(source, str | Path) else None,
        "sha256": log.provenance.get("sha256"),
        "version": __version__,
    }
    origin = Path(source) if isinstance(source, str | Path) else None
    left = {c: v for c, v in where.items() if c not in of_games}
    unread = tuple(unread_rows(log))
    return Compared(table, facts, provenance, Behind(log), origin, left, skipped, unread)


def _without_random(table: pd.DataFrame, provenance: Mapping[str, Any] | None) -> tuple[str, ...]:
    """A note where labels were made before RANDOM competed for play by default."""
    from intent.recognise.bayes import was_without_random

    line = was_without_random(table.columns, provenance)
    return (line,) if line else ()


def _skipped(provenance: Mapping[str, Any] | None) -> dict[str, int]:
    """Reason -> games of the log without rows, where a table of labels says so."""
    summary = provenance.get("summary") if isinstance(provenance, Mapping) else None
    found = summary.get("skipped") if isinstance(summary, Mapping) else None
    given = found.items() if isinstance(found, Mapping) else ()
    return {str(reason): n for reason, n in given if isinstance(n, int) and n > 0}


def _is_log(path: Path, metric: str | None) -> bool:
    """Whether a path is a game log, not a table of labels, metrics or anything else."""
    from intent.base.errors import IntentError
    from intent.base.tables import are_labels, columns_of
    from intent.logs.readers import READERS
    from intent.logs.readers.reader import Settings, Source

    columns = set(columns_of(path))
    if metric in columns or are_labels(columns) or columns >= _METRIC_MARKS:
        return False
    try:
        source = Source(path)
        return any(reader.recognises(source, Settings()) for reader in READERS.values())
    except IntentError:
        return path.is_dir() and (path / "run.json").is_file()


_MOST = 1e140
"""Largest absolute value of a metric."""


COUNTS = ("estimate", "status", "posterior", "split", "best")
"""What ``--count`` may say: estimated shares, or ways to count labels."""


def way_to_count(
    count: str | None,
    metric: str | None,
    gate: str | None,
    sensitivity: bool,
    interactions: Sequence[str],
    model: bool,
) -> str:
    """How shares are compared: estimated, unless a gate on labels asks to count these.

    Parameters
    ----------
    count : str, optional
    metric, gate, sensitivity, interactions, model
        As `compare`.

    Raises
    ------
    UnknownNameError
        No such way.
    UsageError
        Settings that contradict each other.
    """
    if count == "sfem":
        count = "estimate"
    if count is not None and count not in COUNTS:
        raise UnknownNameError("count", count, COUNTS)
    if gate is not None and count == "estimate":
        raise UsageError(
            "--gate keeps rows by their labels, which would bias an estimate: not with --count estimate"
        )
    if metric is not None and count is not None:
        raise UsageError(f"--metric compares means, --count {count} shares: expected one of them")
    if sensitivity and metric:
        raise UsageError("--sensitivity is of labels, expected no --metric")
    if interactions and not model:
        raise UsageError("--interactions belong to a model: say --model too")
    return count or ("status" if gate is not None else "estimate")


def numbers(table: pd.DataFrame, metric: str) -> NDArray[np.float64]:
    """(n,) values of a numeric or boolean column, NaN where null."""
    import numpy as np
    import pandas as pd

    if metric not in table.columns:
        raise UnknownNameError("column", metric, map(str, table.columns))
    column = table[metric]
    if (
        column.dtype == object
        and column.dropna().map(lambda cell: isinstance(cell, bool | int | float)).all()
    ):
        column = column.astype("Float64")
    if not pd.api.types.is_numeric_dtype(column.dtype):
        shown = column.dropna().iloc[0] if column.notna().any() else "nothing"
        raise DataError(
            f"column {metric!r} holds {str(shown)!r}, expected numbers or truth values for --metric"
        )
    values = column.to_numpy(dtype=float, na_value=np.nan)
    if np.isinf(values).any():
        raise DataError(f"column {metric!r} row {int(np.flatnonzero(np.isinf(values))[0]) + 1} is infinite")
    if (np.abs(values) > _MOST).any():
        raise DataError(f"column {metric!r} has numbers beyond {_MOST:g}, whose squares cannot be summed")
    return np.asarray(values)


_KEYS = ["game_id", "seat"]


def with_quality(
    found: Comparison, rows: pd.DataFrame, factors: Sequence[str], behind: Behind, *, told: bool
) -> tuple[Comparison, str | None]:
    """The comparison with the quality of the moves of each group, and a note where that is not known.

    Parameters
    ----------
    found : Comparison
    rows : DataFrame
        What was compared.
    factors : columns that make the groups
    behind : Behind
    told : bool
        Whether a reader would expect it: a table of labels or metrics from a file.
    """
    from intent.base.statistics.groups import grouping
    from intent.comparison.share_tests import move_quality, quality_of

    if behind.log is None:
        why = f"{behind.why}: shares of defaulted, missing and refused moves are not known (see --log)"
        return found, why if told else None
    if not set(_KEYS) <= set(rows.columns):
        return found, None
    quality = move_quality(behind.log)
    keys = rows[_KEYS].assign(game_id=rows["game_id"].map(str))
    joined = keys.merge(quality, on=_KEYS, how="left", validate="many_to_one")
    if joined["n_moves"].isna().all():
        return found, "no row is a seat of a game of the log: shares of defaulted moves are not known"
    codes = grouping(rows, factors).codes
    groups = [
        replace(group, quality=quality_of(joined[codes == code])) for code, group in enumerate(found.groups)
    ]
    lost = int(joined["n_moves"].isna().sum())
    note = f"{lost:,} of {len(joined):,} rows are no seat of a game of the log" if lost else None
    return replace(found, groups=tuple(groups)), note
