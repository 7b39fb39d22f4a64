"""What is compared: a table as it is, or the labels or metrics of a game log, with the log behind it.

And how good the moves behind each group are: defaulted, missing, refused at first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import IntentError, UsageError
from intent.base.files import path_of
from intent.base.job import source_of_table
from intent.base.statistics import grouping
from intent.base.tables import are_labels, columns_of, read_table
from intent.comparison.groups import Comparison, Quality
from intent.logs.chunks import unread_rows
from intent.logs.gamelog import GameLog
from intent.logs.readers.reader import Settings, Source, recognised
from intent.logs.reading import Behind, log_behind, log_of
from intent.recognise.bayes import was_without_random
from intent.recognise.labels.label import label_log
from intent.version import __version__

if TYPE_CHECKING:
    from intent.comparison.requests import CompareRequest


__all__ = ["Compared", "compared", "with_quality"]


_METRIC_MARKS = {"game_id", "seat", "mean_payoff"}
"""Columns that only tables of metrics have together."""


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared, and where it comes from.

    Parameters
    ----------
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


def compared(request: CompareRequest, *, log_needed: bool = False, coin: bool = False) -> Compared:
    """Read what is compared.

    A log is labelled first; for a metric that is no column of it, its metrics are computed.

    Parameters
    ----------
    log_needed : bool
        Whether the log behind a table is read however large it is.
    coin : bool
        As `label_log`, for a log.

    Raises
    ------
    UsageError
        A recogniser for what is labelled already, or two logs.
    DataError
        Neither a table nor a log.
    """
    source, log, reading = request.table, request.log, request.file_reading()
    assert source is not None
    conditions = dict(request.where or {})
    if (
        isinstance(source, GameLog)
        or (isinstance(source, str | Path) and _is_log(path_of(source), request.metric))
        or (isinstance(source, pd.DataFrame) and _is_play(source, request.metric))
    ):
        if log is not None:
            raise UsageError("--log says where the log behind a table is, but a log is compared itself")
        return _of_log(request, log_of(source, reading), conditions, coin)
    if request.recogniser is not None:
        raise UsageError("-r chooses how to label a log, but these are no moves of games")
    if isinstance(source, str | Path):
        path = path_of(source)
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


def _of_log(request: CompareRequest, log: GameLog, where: dict[str, Sequence[str]], coin: bool) -> Compared:
    """Labels or metrics of a log; conditions on games alone are met, others remain."""
    of_games = {c: v for c, v in where.items() if c in log.games.columns}
    read = {"where": of_games, **request.values(("others", "keep_defaulted", "seed"))}
    if request.metric is None:
        read |= {"coin": coin} | ({} if request.background is None else {"background": request.background})
        labels = label_log(log, request.recogniser or DEFAULT_RECOGNISER, **read)
        table, skipped = labels.table(), labels.summary["skipped"]
        provenance = {**labels.provenance, "summary": labels.summary}
    else:
        from intent.behaviour.metrics import metrics

        table, skipped = metrics(log, bootstrap=1, **read).table, log.skipped()
        provenance = {"log": log.provenance}
    if not len(table):
        why = "; ".join(f"{n:,} games: {reason}" for reason, n in skipped.items())
        raise UsageError(f"nothing to compare in the log{f' ({why})' if why else ''}")
    origin = request.input_path()
    facts = {
        "source": origin.name if origin else None,
        "sha256": log.provenance.get("sha256"),
        "version": __version__,
    }
    left = {c: v for c, v in where.items() if c not in of_games}
    unread = tuple(unread_rows(log))
    return Compared(table, facts, provenance, Behind(log), origin, left, skipped, unread)


def _without_random(table: pd.DataFrame, provenance: Mapping[str, Any] | None) -> tuple[str, ...]:
    """A note where labels were made before RANDOM competed for play by default."""
    line = was_without_random(table.columns, provenance)
    return (line,) if line else ()


def _skipped(provenance: Mapping[str, Any] | None) -> dict[str, int]:
    """Reason -> games of the log without rows, where a table of labels says so."""
    summary = provenance.get("summary") if isinstance(provenance, Mapping) else None
    skipped = summary.get("skipped") if isinstance(summary, Mapping) else None
    reasons = skipped.items() if isinstance(skipped, Mapping) else ()
    return {str(reason): n for reason, n in reasons if isinstance(n, int) and n > 0}


def _is_log(path: Path, metric: str | None) -> bool:
    """Whether a path is a game log, not a table of labels, metrics or anything else."""
    columns = set(columns_of(path))
    if metric in columns or are_labels(columns) or columns >= _METRIC_MARKS:
        return False
    try:
        return recognised(Source(path), Settings()) is not None
    except IntentError:
        return path.is_dir() and (path / "run.json").is_file()


def _is_play(table: pd.DataFrame, metric: str | None) -> bool:
    """Whether a table in memory holds moves by round, not labels, metrics or anything else."""
    columns = set(map(str, table.columns))
    if "provenance" in table.attrs or metric in columns or are_labels(columns) or columns >= _METRIC_MARKS:
        return False
    try:
        return recognised(Source(table), Settings()) is not None
    except IntentError:
        return False


_KEYS = ["game_id", "seat"]


def with_quality(
    comparison: Comparison, rows: pd.DataFrame, factors: Sequence[str], behind: Behind, *, expected: bool
) -> tuple[Comparison, str | None]:
    """The comparison with the quality of the moves of each group, and a note where that is not known.

    Parameters
    ----------
    rows : DataFrame
        What was compared.
    factors : columns that make the groups
    expected : bool
        Whether a reader would expect it: a table of labels or metrics from a file.
    """
    if behind.log is None:
        why = f"{behind.why}: shares of defaulted, missing and refused moves are not known (see --log)"
        return comparison, why if expected else None
    if not set(_KEYS) <= set(rows.columns):
        return comparison, None
    quality = move_quality(behind.log)
    keys = rows[_KEYS].assign(game_id=rows["game_id"].map(str))
    joined = keys.merge(quality, on=_KEYS, how="left", validate="many_to_one")
    if joined["n_moves"].isna().all():
        return comparison, "no row is a seat of a game of the log: shares of defaulted moves are not known"
    codes = grouping(rows, factors).codes
    groups = [
        replace(group, quality=quality_of(joined[codes == code]))
        for code, group in enumerate(comparison.groups)
    ]
    lost = int(joined["n_moves"].isna().sum())
    note = f"{lost:,} of {len(joined):,} rows are no seat of a game of the log" if lost else None
    return replace(comparison, groups=tuple(groups)), note


_LISTS = ("unread", "refused")
"""Keys of details that list the replies to a move that could not be read; the second in logs of tables of
models before the first was written for every architecture."""


def move_quality(log: GameLog) -> pd.DataFrame:
    """Moves of every seat, and how many of them are not as the player gave them at once.

    Returns
    -------
    DataFrame
        One row per game_id and seat: n_moves, defaulted, missing, refused (float, NaN where no move of the
        seat's record tells; a move counts once, however many replies were refused).
    """
    moves = log.moves
    status = moves["status"].astype(object)
    table = pd.DataFrame(
        {
            "game_id": moves["game_id"].astype(object).map(str),
            "seat": moves["seat"].to_numpy(dtype=np.int64),
            "n_moves": 1,
            "defaulted": (status == "defaulted").to_numpy(dtype=np.int64),
            "missing": (status == "missing").to_numpy(dtype=np.int64),
            "refused": _refused(moves),
        }
    )
    grouped = table.groupby(["game_id", "seat"], sort=False, observed=True)
    counts = grouped[["n_moves", "defaulted", "missing"]].sum()
    counts["refused"] = grouped["refused"].sum(min_count=1).astype(float)
    return counts.reset_index()


def quality_of(quality: pd.DataFrame) -> Quality | None:
    """Shares over some rows of `move_quality`; None without moves.

    A share of refused moves is over the seats whose record tells.
    """
    n = int(quality["n_moves"].sum())
    if not n:
        return None
    recorded = quality["refused"].notna()
    n_recorded = int(quality.loc[recorded, "n_moves"].sum())
    return Quality(
        float(quality["defaulted"].sum()) / n,
        float(quality["missing"].sum()) / n,
        float(quality.loc[recorded, "refused"].sum()) / n_recorded if n_recorded else None,
        n,
    )


def _refused(moves: pd.DataFrame) -> Any:
    """(n,) float: 1 where details list unread replies, 0 where they list none, NaN where they do not say.

    A log that lists refusals and never an empty list writes down those that were: there a move with a reply
    that lists none had none.
    """
    if "details" not in moves.columns:
        return np.full(len(moves), np.nan)
    codes, texts = pd.factorize(moves["details"].astype(object))
    by_text = np.array([*(_refusals(text) for text in texts), np.nan])
    refused = by_text[codes]
    if "reply" in moves.columns and (by_text == 1).any() and not (by_text == 0).any():
        refused[np.isnan(refused) & moves["reply"].notna().to_numpy()] = 0.0
    return refused


def _refusals(text: object) -> float:
    try:
        details = json.loads(str(text))
    except (ValueError, RecursionError):
        return float("nan")
    if not isinstance(details, dict):
        return float("nan")
    listed = [value for value in map(details.get, _LISTS) if isinstance(value, list)]
    return float(any(listed)) if listed else float("nan")
