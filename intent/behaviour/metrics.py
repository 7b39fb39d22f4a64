"""From any game log to behaviour and comprehension metrics, and their means by group.

What the metrics of a log return: means by group, the table or where it is, files as their suffix says.

What a reader of metrics should be warned of, from counts that add up over the pieces of a log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from intent.base.errors import OutputError
from intent.base.json_text import json_values
from intent.base.result import write_result
from intent.base.workers import open_workers
from intent.estimate.intervals import check_bootstrap, check_level
from intent.logs.selection import unread_rows
from intent.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from intent.base.statistics.intervals import Interval
    from intent.behaviour.means import GroupMeans
    from intent.logs.gamelog import GameLog


__all__ = [
    "UNKNOWN",
    "MetricMeans",
    "MetricsResult",
    "StreamedMetrics",
    "claim_outputs",
    "metric_notes",
    "metrics",
    "metrics_config",
    "unknown_moves",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricMeans:
    """Means of the metrics of a log.

    Parameters
    ----------
    n, n_games : trajectories, and games that have rows
    by : columns that make the groups
    groups : means of the metrics, by group
    questions : means of the columns of comprehension questions, by group
    asked : names of these questions
    skipped : mapping of reason -> number of games without rows
    config : the resolved settings, version and hash of the log, JSON-able; kept in every file written
    notes : what a reader should be warned of
    origin : the log that was read, if it was a file; never written over
    unit, unit_line : what intervals take as independent, and a line that says why
    """

    n: int
    n_games: int
    by: tuple[str, ...]
    groups: tuple[GroupMeans, ...]
    questions: tuple[GroupMeans, ...] = ()
    asked: tuple[str, ...] = ()
    skipped: Mapping[str, int]
    config: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    origin: Path | None = None
    unit: str = "games"
    unit_line: str = ""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.n:,} trajectories, {len(self.groups)} groups>"

    def to_dict(self, path: str | Path | None = None) -> dict[str, Any]:
        """The object of ``intent metrics --json``.

        Parameters
        ----------
        path : where the table was written, if it was
        """
        found: dict[str, Any] = json_values(
            {
                "path": None if path is None else str(path),
                "n": self.n,
                "n_games": self.n_games,
                "by": self.by,
                "groups": [
                    {
                        "group": dict(zip(self.by, group.values, strict=True)),
                        "n": group.n,
                        "n_games": group.n_games,
                        **{
                            name: {
                                **_ends(mean.all),
                                "n": mean.n,
                                "estimate_with_occasion": mean.occasion.estimate,
                            }
                            for name, mean in group.means.items()
                        },
                    }
                    for group in self.groups
                ],
                "questions": [
                    {
                        "group": dict(zip(self.by, group.values, strict=True)),
                        "question": name,
                        "n": group.means[f"{name}_correct"].n,
                        "correct": _ends(group.means[f"{name}_correct"].all),
                        "misunderstood": _ends(group.means[f"{name}_misunderstood"].all),
                    }
                    for group in self.questions
                    for name in self.asked
                    if f"{name}_correct" in group.means
                ],
                "skipped": dict(self.skipped),
                "unit": self.unit,
                "unit_line": self.unit_line,
            }
        )
        return found

    def rows(self, most: int | None = None) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of means for people.

        Parameters
        ----------
        most : int, optional
            Groups that are shown, in their order; default: all.
        """
        header = [*self.by, "metric", "n", "mean", "with occasion", "mean of these"]
        rows: list[list[object]] = []
        for group in self.groups[:most]:
            for name, mean in group.means.items():
                known = [*map(str, group.values), name, f"{mean.valued:,}", _shown(mean.all)]
                rows.append([*known, f"{mean.n:,}", _shown(mean.occasion) if mean.n else "–"])
        return header, rows

    def question_rows(self, most: int | None = None) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of comprehension for people, of as many groups."""
        rows: list[list[object]] = []
        for group in self.questions[:most]:
            for name in self.asked:
                if f"{name}_correct" in group.means:
                    right, lost = (group.means[f"{name}_{what}"] for what in ("correct", "misunderstood"))
                    told = [f"{right.n:,}", _shown(right.all), _shown(lost.all)]
                    rows.append([*map(str, group.values), name, *told])
        return [*self.by, "question", "n", "correct", "misunderstood"], rows

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the object of the means (.json).

        Raises
        ------
        OutputError
            Another suffix, or a path that cannot be written.
        """
        if Path(path).suffix != ".json":
            raise OutputError(f"cannot write {path}: only means are in memory, expected a .json file")
        return _written(self, path, overwrite)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MetricsResult(MetricMeans):
    """Metrics of a log, in memory.

    Parameters
    ----------
    table : DataFrame as `codebook.METRICS`
    """

    table: pd.DataFrame

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the table (.parquet, .csv, .jsonl) or the object of the means (.json).

        Raises
        ------
        OutputError
            Another suffix, or a path that cannot be written.
        """
        return _written(self, path, overwrite, self.table)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class StreamedMetrics(MetricMeans):
    """Metrics of a log, written but not in memory.

    Parameters
    ----------
    path : Path of the table as `codebook.METRICS`, or None where only the means were wanted
    """

    path: Path | None


def metrics_config(
    log: Mapping[str, Any],
    by: Sequence[str],
    *,
    where: Mapping[str, Sequence[str]] | None,
    **settings: Any,
) -> dict[str, Any]:
    """The resolved settings of metrics, as they are kept with every result.

    Parameters
    ----------
    log : provenance of the log
    by : columns that make the groups
    where : mapping of column -> accepted values
    **settings : cluster, bootstrap, level, rescore, others, keep_defaulted and seed
    """
    kept = {column: list(values) for column, values in (where or {}).items()}
    order = ("bootstrap", "level", "rescore", "others", "keep_defaulted")
    return {
        "kind": "metrics",
        "log": log,
        "by": list(by),
        "cluster": list(settings["cluster"]),
        **{name: settings[name] for name in order},
        "where": kept,
        "seed": settings["seed"],
        "version": __version__,
    }


def _written(
    result: MetricMeans, path: str | Path, overwrite: bool, table: pd.DataFrame | None = None
) -> Path:

    claim_outputs([Path(path)], overwrite=overwrite, source=result.origin)
    return write_result(
        path,
        figure=Path,
        table=lambda: cast(Any, table),
        payload=lambda: {**result.to_dict(), "notes": list(result.notes), "config": dict(result.config)},
        facts={**result.config, "skipped": dict(result.skipped)},
        origin=result.origin,
        overwrite=overwrite,
    )


def _ends(interval: Interval) -> dict[str, float]:
    return {"estimate": interval.estimate, "low": interval.low, "high": interval.high}


def _shown(interval: Interval) -> str:
    """``0.512 [0.480, 0.540]``, without brackets where there is no interval."""
    digits = 3 if abs(interval.estimate) < 1000 else 1
    if interval.low != interval.low:
        return f"{interval.estimate:.{digits}f}"
    return f"{interval.estimate:.{digits}f} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"


UNKNOWN = ("missing", "defaulted")
"""Statuses of moves that give no occasion."""


def unknown_moves(log: GameLog) -> dict[str, int]:
    """Number of moves of each status in `UNKNOWN`."""
    status = log.moves["status"]
    return {name: int((status == name).sum()) for name in UNKNOWN}


def metric_notes(
    *,
    skipped: Mapping[str, int],
    unread: Sequence[str],
    unknown: Mapping[str, int],
    kinds: pd.DataFrame,
    by: Sequence[str],
    columns: Collection[str],
    left_out: int,
) -> list[str]:
    """Notes on the means of a log.

    Parameters
    ----------
    skipped : mapping of reason -> number of games without rows
    unread : notes on rows that could not be read
    unknown : as `unknown_moves`
    kinds : DataFrame
        Distinct values of payoff_kind (absent where the log does not say it) and of the columns `by`.
    by : columns that make the groups
    columns : those that describe the trajectories of the log
    left_out : int, trajectories in the table and not in the means
    """
    from intent.behaviour.metric_table import TAKEN, outside_columns

    notes = [f"{n:,} games have no rows: {why}" for why, n in skipped.items()]
    notes += unread
    told = " and ".join(f"{n:,} {status}" for status, n in unknown.items() if n)
    if told:
        notes.append(f"{told} moves; what is unknown gives no occasion (defaults: --keep-defaulted)")
    if "payoff_kind" in kinds and _mixed(kinds, by):
        notes.append("mean_payoff is over rewards and penalties together: --by payoff_kind tells them apart")
    lost = [c for c in columns if c in (*TAKEN, *outside_columns())]
    if lost:
        notes.append(f"columns of the log that are called as a metric are left out: {', '.join(lost)}")
    if left_out:
        why = "seats that no model plays are in the table and not in the means (--by strategy shows them)"
        notes.append(f"{left_out:,} trajectories of {why}")
    return notes


def _mixed(table: pd.DataFrame, by: Sequence[str]) -> bool:
    """Whether a group has both rewards and penalties."""
    kinds = table[["payoff_kind", *(c for c in by if c != "payoff_kind")]].drop_duplicates()
    return bool(len(kinds) > 1 if not by else kinds.duplicated(list(by)).any())


def metrics(
    log: GameLog | str | Path,
    by: str | Sequence[str] = (),
    *,
    cluster: str | Sequence[str] = (),
    bootstrap: int = 2000,
    level: float = 0.95,
    rescore: bool = False,
    others: str | None = None,
    keep_defaulted: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    workers: int = 1,
    dask: str | None = None,
    **reading: Any,
) -> MetricsResult:
    """Behaviour metrics of every focal trajectory of a log, and their means by group.

    Of a log larger than memory, `intent.behaviour.metrics_stream.metrics_to` writes the same to a file.

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows, such as a run folder
    by : columns whose joint values make the groups; a comma in text separates columns
    cluster : columns that name what is independent, ``cell`` for conditions
        Default: as the design says (`intent.estimate.design_units.design_units`): sessions or subjects,
        conditions
        that repeat, else games.
    bootstrap : int
        Samples for intervals, which resample whole units.
    level : float in (0, 1)
        Coverage of the intervals.
    rescore : bool
        Whether answers to comprehension questions are read and scored again, instead of taken as they were
        scored when the log was written.
    others : {"any", "majority", "all"}, optional
        With more than two players: when the others count as having cooperated.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as the player's own move.
    where : mapping of column -> accepted values
    seed : int
        Of the bootstrap.
    workers, dask : as `intent.base.workers.open_workers`
        Who measures, some thousand games at a time; the result is the same for any.
    **reading
        Passed to `read_log` where `log` is a path.

    Returns
    -------
    MetricsResult
        ``table`` has one row per trajectory, as `codebook.METRICS`. Games without a cooperative action have
        no rows and are counted under ``skipped``. Means are over subjects alone (`play_table`),
        unless ``strategy`` makes groups.

    Raises
    ------
    UsageError
        A setting that cannot be, games of more than two players and no `others`, or no game left.
    UnknownNameError
        A column that does not exist.
    """
    import numpy as np

    from intent.base.codebook import column_names
    from intent.behaviour import comprehension
    from intent.behaviour.means import Intervals, group_means
    from intent.behaviour.metric_table import chunked_metrics, metric_names
    from intent.behaviour.play_table import subjects
    from intent.estimate.design_units import design_units
    from intent.logs.selection import focal_play

    check_bootstrap(bootstrap)
    check_level(level)
    played, X = focal_play(log, where=where, others=others, keep_defaulted=keep_defaulted, **reading)
    questions = comprehension.rescore(played) if rescore else played.questions
    with open_workers(workers, dask) as those:
        table = chunked_metrics(played, X, keep_defaulted=keep_defaulted, questions=questions, workers=those)
    factors = column_names(by, table.columns)
    rng, intervals = np.random.default_rng(seed), Intervals(bootstrap, level)
    asked = [c.removesuffix("_misunderstood") for c in table.columns if c.endswith("_misunderstood")]
    meant = np.ones(len(table), dtype=bool) if "strategy" in factors else subjects(table)
    counted = table[meant].reset_index(drop=True)
    answered = [f"{name}_{what}" for name in asked for what in ("correct", "misunderstood")]
    described = counted[[c for c in counted if c not in _of_questions(asked, counted.columns)]]
    design = design_units(described, factors, column_names(cluster, described.columns) or None)
    unit = design.unit.one_way()
    settings: dict[str, Any] = {"rng": rng, "intervals": intervals, "units": unit.codes}
    groups = group_means(counted, factors, [*metric_names(), "mean_payoff"], **settings)
    questions_of = group_means(counted, factors, answered, **settings)
    config = metrics_config(
        played.provenance,
        factors,
        cluster=unit.columns,
        bootstrap=bootstrap,
        level=level,
        rescore=rescore,
        others=others,
        keep_defaulted=keep_defaulted,
        where=where,
        seed=seed,
    )
    assert X.keys is not None
    notes = metric_notes(
        skipped=played.skipped(),
        unread=unread_rows(played),
        unknown=unknown_moves(played),
        kinds=counted[[c for c in ("payoff_kind", *factors) if c in counted]],
        by=factors,
        columns=list(X.keys.columns),
        left_out=int((~meant).sum()),
    )
    return MetricsResult(
        table=table,
        n=len(table),
        n_games=int(table["game_id"].nunique()),
        by=factors,
        groups=tuple(groups),
        questions=tuple(questions_of),
        asked=tuple(asked),
        skipped=played.skipped(),
        config=config,
        unit=unit.noun,
        unit_line=unit.line(),
        notes=(*notes, *design.notes, *those.notes),
        origin=Path(log) if isinstance(log, str | Path) else None,
    )


def _of_questions(asked: Sequence[str], columns: Iterable[str]) -> set[str]:
    """Columns with answers to questions: results, which say nothing of a condition."""
    return {c for c in columns for name in asked if c.startswith(f"{name}_")}


def claim_outputs(outputs: Sequence[Path], *, overwrite: bool, source: Path | None = None) -> None:
    """Make sure, before any work, that results may be written; the log itself is never written over.

    Raises
    ------
    OutputError
        A suffix other than that of a table, or a path that cannot be written.
    """
    from intent.base.result import TABLE_SUFFIXES, check_output

    for path in outputs:
        if path.suffix not in TABLE_SUFFIXES:
            known = ", ".join(TABLE_SUFFIXES)
            raise OutputError(f"cannot write {path}: suffix {path.suffix!r}, expected one of {known}")
        check_output(path, overwrite=overwrite, origin=source)
