"""What is compared: a table as it is, or the labels or metrics of a game log, with the log behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError
from intent.workflows.log_behind import Behind, log_behind, log_of
from intent.workflows.result_files import source_of_table

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog

__all__ = ["Compared", "compared"]

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
    from intent.logs.gamelog import GameLog
    from intent.logs.tablefile import read_table
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
    from intent.version import __version__
    from intent.workflows.focal import unread_rows
    from intent.workflows.label import DEFAULT_RECOGNISER, label_log

    of_games = {c: v for c, v in where.items() if c in log.games.columns}
    names = ("others", "keep_defaulted", "seed")
    read: dict[str, Any] = {"where": of_games, **{name: labelling[name] for name in names}}
    if metric is None:
        competes = labelling["background"]
        own = {} if competes is None else {"background": competes}
        read["coin"] = labelling["coin"]
        labels = label_log(log, labelling["recogniser"] or DEFAULT_RECOGNISER, **own, **read)
        table, skipped = labels.table, labels.summary["skipped"]
        provenance = {**labels.provenance, "summary": labels.summary}
    else:
        from intent.workflows.metrics import metrics

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
    from intent.recognise.background import was_without_random

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
    from intent.errors import IntentError
    from intent.logs.readers import READERS
    from intent.logs.readers.reader import Settings, Source
    from intent.logs.table_columns import are_labels, columns_of

    columns = set(columns_of(path))
    if metric in columns or are_labels(columns) or columns >= _METRIC_MARKS:
        return False
    try:
        source = Source(path)
        return any(reader.recognises(source, Settings()) for reader in READERS.values())
    except IntentError:
        return path.is_dir() and (path / "run.json").is_file()
