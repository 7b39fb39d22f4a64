"""From a table of labels, metrics or anything else to a comparison of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError, one_line
from intent.workflows.compare_result import CompareResult
from intent.workflows.interval_settings import check_bootstrap, check_level
from intent.workflows.result_files import check_output, kept_in_words

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog

__all__ = ["CompareResult", "check_output", "compare"]


def compare(
    table: pd.DataFrame | GameLog | str | Path,
    by: str | Sequence[str] = (),
    *,
    count: str = "status",
    metric: str | None = None,
    gate: str | None = None,
    cluster: str | Sequence[str] = ("game_id",),
    within: str | Sequence[str] = "auto",
    bootstrap: int = 2000,
    permutations: int = 2000,
    level: float = 0.95,
    pairwise: bool = False,
    model: bool = False,
    interactions: Sequence[str] = (),
    sensitivity: bool = False,
    baseline: str | Sequence[str] = (),
    indices: bool = False,
    recogniser: Any = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    log: GameLog | str | Path | None = None,
    seed: int = 0,
    where: Mapping[str, Sequence[str]] | None = None,
    **reading: Any,
) -> CompareResult:
    """Strategy shares, or the mean of a number, by group: intervals and tests.

    Parameters
    ----------
    table : DataFrame, GameLog or path
        Labels, metrics, or any table (.parquet, .csv, .jsonl, .csv.gz, .jsonl.gz); or a game log or the
        folder of a run, which is labelled first.
    by : str or sequence of str
        Columns whose joint values make the groups; a comma in text separates columns.
    count : str
        How labels are counted: status, posterior, split or best; ``sfem`` estimates the shares instead, by
        maximum likelihood from the log that the labels were made from.
    metric : str, optional
        A numeric or boolean column: compare its mean instead of shares. Of a log, one of its metrics.
    gate : str, optional
        ``game``: only games whose labelled seats all are confident; ``trajectory``: only confident labels.
    cluster : str or sequence of str
        Rows with the same values here are no independent observations; empty for independent rows.
    within : str or sequence of str
        Columns at equal values of which each factor is compared too; ``auto``: those of the design that
        vary; ``none``.
    bootstrap, permutations : int
        Samples for intervals; permutations per test (0: none).
    level : float in (0, 1)
        Coverage of the intervals; tests speak at 1 - level.
    pairwise : bool
        Test every two groups against each other too.
    model : bool
        Fit a regression on all factors together: multinomial logit, or least squares for a metric.
    interactions : sequence of str
        Pairs of factors whose interaction the model has, as ``"model:language"``.
    sensitivity : bool
        Show how shares and tests change with threshold, noise, prior, and the counting of ties.
    baseline : str or sequence of str
        Published shares of human subjects to set beside the groups (`baselines`).
    indices : bool
        Add the four indices of how steady behaviour is, by the one factor in `by`; needs the log.
    recogniser, others, keep_defaulted
        As `label_log`, for a log.
    log : GameLog or path, optional
        Where the log behind a table is, if not where the table says.
    seed : int
        Same seed, same result.
    where : mapping of column -> accepted values, optional
        Rows to keep. The gate is applied before.
    **reading
        As `read_log`, for a log.

    Raises
    ------
    UnknownNameError
        A column that the table does not have, or a baseline that is not there.
    UsageError
        A setting that cannot be, no rows left, or a column that makes no groups; a log that is
        needed and missing.
    DataError
        The table is not readable, holds no labels, or the metric is no number; a log that is not
        the table's.
    """
    import numpy as np

    from intent.analysis.cautions import repeated_players
    from intent.analysis.compare import Settings
    from intent.analysis.shares import gate_rows, strategy_classes
    from intent.logs.conditions import accepted_rows
    from intent.recognise.background import was_without_random
    from intent.workflows.columns import column_names
    from intent.workflows.compare_design import confounds_of
    from intent.workflows.compare_extras import extras_of
    from intent.workflows.compare_quality import with_quality
    from intent.workflows.compare_rows import check_together, unit_of
    from intent.workflows.compare_source import compared
    from intent.workflows.compare_ways import counted_shares, estimated_shares, means

    check_level(level)
    check_bootstrap(bootstrap)
    if permutations < 0:
        raise UsageError(f"--permutations {permutations}, expected 0 or more")
    check_together(
        count,
        metric,
        gate,
        [cluster] if isinstance(cluster, str) else cluster,
        sensitivity,
        interactions,
        model,
    )
    conditions = {column: [v] if isinstance(v, str) else list(v) for column, v in (where or {}).items()}
    given = compared(
        table,
        metric=metric,
        where=conditions,
        recogniser=recogniser,
        others=others,
        keep_defaulted=keep_defaulted,
        log=log,
        log_needed=count == "sfem" or sensitivity or indices,
        seed=seed,
        **reading,
    )
    rows = given.table
    factors = column_names(by, rows.columns)
    clusters, notes = column_names(cluster, rows.columns), []
    if clusters == ("game_id",) and "game_id" not in rows.columns:
        clusters = ("player",) if "player" in rows.columns and "n_games" in rows.columns else ()
        if not clusters:
            notes.append("no column game_id: rows are taken as independent (see --cluster)")
    notes += filter(None, [was_without_random(rows.columns, given.provenance)])
    keep = gate_rows(rows, gate) & accepted_rows(rows, given.where)  # type: ignore[arg-type]
    rows = rows[keep].reset_index(drop=True)
    kept = _kept(conditions, gate)
    if rows.empty:
        raise UsageError(
            f"no rows left of {len(keep)} ({'; '.join(kept) or 'the table is empty'}), expected at least one"
        )
    settings = Settings(bootstrap, permutations, level, pairwise, unit_of(clusters))
    rng = np.random.default_rng(seed)
    if metric is not None:
        way = means(rows, factors, clusters, within, metric, kept, settings, rng)
    elif count != "sfem":
        classes = strategy_classes(rows, given.provenance)
        way = counted_shares(rows, factors, clusters, within, count, classes, settings, rng)
    else:
        way = estimated_shares(
            given,
            rows,
            factors,
            clusters,
            settings,
            where=conditions,
            others=others,
            keep_defaulted=keep_defaulted,
            seed=seed,
        )
    rows = way.rows
    notes += way.notes
    of_seats = given.origin is not None and {"game_id", "seat"} <= set(rows.columns)
    found, unknown = with_quality(way.comparison, rows, factors, given.behind, told=of_seats)
    if count != "sfem":
        left_out = given.skipped.items()
        notes += [f"{n:,} games of the log have no rows: {one_line(why)}" for why, n in left_out]
    players = repeated_players(rows, way.clusters, (*factors, *clusters))
    notes += [caution for caution in (players, unknown) if caution]
    confounded = confounds_of(rows, factors)
    config = {
        **given.facts,
        "games": sorted(map(str, rows["game"].dropna().unique())) if "game" in rows.columns else [],
        "kept": kept,
        "by": list(factors),
        **({"count": count} if metric is None else {"metric": metric}),
        "gate": gate,
        "where": conditions,
        "cluster": list(clusters),
        "within": {one.factor: list(one.columns) for one in found.within},
        "bootstrap": bootstrap,
        "permutations": permutations,
        "level": level,
        "pairwise": pairwise,
        "seed": seed,
        "labels": _labelling(given.provenance),
    }
    extras, more = extras_of(
        given,
        rows,
        found,
        way.clusters,
        blocks=way.blocks,
        values=way.values,
        counted=way.counted,
        wanted={"model": model, "sensitivity": sensitivity, "indices": indices, "baseline": baseline},
        interactions=interactions,
        settings=settings,
        gate=gate,
        seed=seed,
    )
    return CompareResult(
        found,
        config,
        (*notes, *found.notes, *more),
        given.origin,
        confounds=tuple(confounded),
        extras=extras,
    )


def _labelling(provenance: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """How labels were made, as far as their table says."""
    names = ("recogniser", "classes", "eps", "prior", "threshold", "alpha", "others", "keep_defaulted")
    facts = provenance if isinstance(provenance, Mapping) else {}
    return {name: facts[name] for name in names if name in facts} or None


def _kept(where: Mapping[str, Sequence[str]], gate: str | None) -> list[str]:
    """Which rows were kept, for messages and captions."""
    return kept_in_words(where) + ([f"gate: {gate}"] if gate else [])
