"""From any game log to behaviour and comprehension metrics, and their means by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import OutputError
from intent.parallel import open_workers
from intent.version import __version__
from intent.workflows.focal import unread_rows
from intent.workflows.interval_settings import check_bootstrap, check_level
from intent.workflows.metrics_result import MetricsResult

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories

__all__ = ["MetricsResult", "claim_outputs", "metrics"]


def metrics(
    log: GameLog | str | Path,
    by: str | Sequence[str] = (),
    *,
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

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows, such as a run folder
    by : columns whose joint values make the groups; a comma in text separates columns
    bootstrap : int
        Samples for intervals, which resample whole games.
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
    workers, dask : as `intent.parallel.open_workers`
        Who measures, some thousand games at a time; the result is the same for any.
    **reading
        Passed to `read_log` where `log` is a path.

    Returns
    -------
    MetricsResult
        ``table`` has one row per trajectory, as `schema.METRICS`. Games without a cooperative action have
        no rows and are counted under ``skipped``. Means are over subjects alone (`intent.analysis.subjects`),
        unless ``strategy`` makes groups.

    Raises
    ------
    UsageError
        A setting that cannot be, games of more than two players and no `others`, or no game left.
    UnknownNameError
        A column that does not exist.
    """
    import numpy as np

    from intent.analysis.means import Intervals
    from intent.analysis.metrics import comprehension
    from intent.analysis.metrics.chunks import chunked_metrics
    from intent.analysis.metrics.group_means import group_means
    from intent.analysis.metrics.table import METRICS
    from intent.analysis.subjects import subjects
    from intent.workflows.columns import column_names
    from intent.workflows.focal import focal_play

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
    groups = group_means(counted, factors, [*METRICS, "mean_payoff"], rng=rng, intervals=intervals)
    answered = [f"{name}_{what}" for name in asked for what in ("correct", "misunderstood")]
    questions_of = group_means(counted, factors, answered, rng=rng, intervals=intervals)
    config = {
        "kind": "metrics",
        "log": played.provenance,
        "by": list(factors),
        "bootstrap": bootstrap,
        "level": level,
        "rescore": rescore,
        "others": others,
        "keep_defaulted": keep_defaulted,
        "where": {column: list(values) for column, values in (where or {}).items()},
        "seed": seed,
        "version": __version__,
    }
    return MetricsResult(
        table=table,
        by=factors,
        groups=tuple(groups),
        questions=tuple(questions_of),
        asked=tuple(asked),
        skipped=played.skipped(),
        config=config,
        notes=(*_notes(played, X, counted, factors), *_left_out(meant), *those.notes),
        origin=Path(log) if isinstance(log, str | Path) else None,
    )


def claim_outputs(outputs: Sequence[Path], *, overwrite: bool, source: Path | None = None) -> None:
    """Make sure, before any work, that results may be written; the log itself is never written over.

    Raises
    ------
    OutputError
        A suffix other than that of a table, or a path that cannot be written.
    """
    from intent.workflows.result_files import TABLE_SUFFIXES, check_output

    for path in outputs:
        if path.suffix not in TABLE_SUFFIXES:
            known = ", ".join(TABLE_SUFFIXES)
            raise OutputError(f"cannot write {path}: suffix {path.suffix!r}, expected one of {known}")
        check_output(path, overwrite=overwrite, origin=source)


def _notes(played: GameLog, X: Trajectories, table: pd.DataFrame, by: Sequence[str]) -> list[str]:
    """What a reader should be warned of."""
    from intent.analysis.metrics.table import TAKEN

    assert X.keys is not None
    notes = [f"{n:,} games have no rows: {why}" for why, n in played.skipped().items()]
    notes += unread_rows(played)
    status = played.moves["status"]
    unknown = {s: int((status == s).sum()) for s in ("missing", "defaulted")}
    told = " and ".join(f"{n:,} {s}" for s, n in unknown.items() if n)
    if told:
        notes.append(f"{told} moves; what is unknown gives no occasion (defaults: --keep-defaulted)")
    if "payoff_kind" in table and _mixed(table, by):
        notes.append("mean_payoff is over rewards and penalties together: --by payoff_kind tells them apart")
    lost = [c for c in X.keys.columns if c in TAKEN]
    if lost:
        notes.append(f"columns of the log that are called as a metric are left out: {', '.join(lost)}")
    return notes


def _left_out(meant: NDArray[np.bool_]) -> list[str]:
    """How many trajectories are in the table and not in the means."""
    n = int((~meant).sum())
    why = "seats that no model plays are in the table and not in the means (--by strategy shows them)"
    return [f"{n:,} trajectories of {why}"] if n else []


def _mixed(table: pd.DataFrame, by: Sequence[str]) -> bool:
    """Whether a group has both rewards and penalties."""
    kinds = table[["payoff_kind", *(c for c in by if c != "payoff_kind")]].drop_duplicates()
    return bool(len(kinds) > 1 if not by else kinds.duplicated(list(by)).any())
