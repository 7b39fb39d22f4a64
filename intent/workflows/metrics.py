"""From any game log to behaviour and comprehension metrics, and their means by group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import OutputError
from intent.parallel import open_workers
from intent.workflows.focal import unread_rows
from intent.workflows.interval_settings import check_bootstrap, check_level
from intent.workflows.metrics_notes import metric_notes, unknown_moves
from intent.workflows.metrics_result import MetricsResult, metrics_config

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["MetricsResult", "claim_outputs", "metrics"]


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

    Of a log larger than memory, `intent.workflows.metrics_stream.metrics_to` writes the same to a file.

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows, such as a run folder
    by : columns whose joint values make the groups; a comma in text separates columns
    cluster : columns that name what is independent, ``cell`` for conditions
        Default: as the design says (`intent.analysis.unit.design_units`): sessions or subjects, conditions
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
    from intent.analysis.unit import design_units
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
    answered = [f"{name}_{what}" for name in asked for what in ("correct", "misunderstood")]
    described = counted[[c for c in counted if c not in _of_questions(asked, counted.columns)]]
    design = design_units(described, factors, column_names(cluster, described.columns) or None)
    unit = design.unit.one_way()
    settings: dict[str, Any] = {"rng": rng, "intervals": intervals, "units": unit.codes}
    groups = group_means(counted, factors, [*METRICS, "mean_payoff"], **settings)
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
    from intent.workflows.result_files import TABLE_SUFFIXES, check_output

    for path in outputs:
        if path.suffix not in TABLE_SUFFIXES:
            known = ", ".join(TABLE_SUFFIXES)
            raise OutputError(f"cannot write {path}: suffix {path.suffix!r}, expected one of {known}")
        check_output(path, overwrite=overwrite, origin=source)
