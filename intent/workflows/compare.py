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

    from intent.analysis.comparison import Comparison
    from intent.logs.gamelog import GameLog

__all__ = ["CompareResult", "check_output", "compare"]


def compare(
    table: pd.DataFrame | GameLog | str | Path,
    by: str | Sequence[str] = (),
    *,
    count: str | None = None,
    metric: str | None = None,
    gate: str | None = None,
    cluster: str | Sequence[str] | None = None,
    within: str | Sequence[str] = "auto",
    bootstrap: int = 2000,
    permutations: int | None = None,
    level: float = 0.95,
    pairwise: bool = False,
    model: bool = False,
    interactions: Sequence[str] = (),
    sensitivity: bool = False,
    baseline: str | Sequence[str] = (),
    indices: bool = False,
    recogniser: Any = None,
    background: bool | None = None,
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
    count : str, optional
        ``estimate`` (default): shares by maximum likelihood from the play behind the labels, each group with
        its own noise; or how labels are counted, which describes labels: ``status``, ``posterior``, ``split``
        or ``best``. With a gate the default is ``status``.
    metric : str, optional
        A numeric or boolean column: compare its mean instead of shares. Of a log, one of its metrics.
    gate : str, optional
        ``game``: only games whose labelled seats all are confident; ``trajectory``: only confident labels.
    cluster : str or sequence of str, optional
        Rows with the same values here are no independent observations; empty for independent rows. Default:
        as the design says (`design_units`): sessions or subjects, conditions that repeat, else games.
    within : str or sequence of str
        Columns at equal values of which each factor is compared too; ``auto``: those of the design that
        vary; ``none``.
    bootstrap : int
        Samples for intervals of means.
    permutations : int, optional
        Per test, or draws of an estimate's test (0: no permutation tests). Default: added until the interval
        of p leaves 1 - level.
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
    background : bool, optional
        Whether RANDOM competes; default: yes, unless the labels were made without it on purpose.
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
    from dataclasses import replace

    import numpy as np

    from intent.analysis.cautions import pooled_games
    from intent.analysis.compare import Settings
    from intent.analysis.shares import gate_rows, strategy_classes
    from intent.analysis.unit import design_units
    from intent.logs.conditions import accepted_rows
    from intent.workflows.columns import column_names
    from intent.workflows.compare_design import confounds_of
    from intent.workflows.compare_extras import extras_of
    from intent.workflows.compare_findings import cooperation_findings
    from intent.workflows.compare_quality import with_quality
    from intent.workflows.compare_rows import way_to_count
    from intent.workflows.compare_source import compared
    from intent.workflows.compare_ways import counted_shares, estimated_shares, means

    check_level(level)
    check_bootstrap(bootstrap)
    if permutations is not None and permutations < 0:
        raise UsageError(f"--permutations {permutations}, expected 0 or more")
    count = way_to_count(count, metric, gate, sensitivity, interactions, model)
    estimating = metric is None and count == "estimate"
    conditions = {column: [v] if isinstance(v, str) else list(v) for column, v in (where or {}).items()}
    given = compared(
        table,
        metric=metric,
        where=conditions,
        recogniser=recogniser,
        background=background,
        others=others,
        keep_defaulted=keep_defaulted,
        log=log,
        log_needed=estimating or sensitivity or indices,
        coin=metric is None and not estimating,
        seed=seed,
        **reading,
    )
    rows = given.table
    factors = column_names(by, rows.columns)
    clusters = None if cluster is None else column_names(cluster, rows.columns)
    keep = gate_rows(rows, gate) & accepted_rows(rows, given.where)  # type: ignore[arg-type]
    rows = rows[keep].reset_index(drop=True)
    kept = _kept(conditions, gate)
    if rows.empty:
        raise UsageError(
            f"no rows left of {len(keep)} ({'; '.join(kept) or 'the table is empty'}), expected at least one"
        )
    settings = Settings(bootstrap, permutations, level, pairwise)
    rng = np.random.default_rng(seed)
    if metric is not None:
        way = means(rows, factors, clusters, within, metric, kept, settings, rng, seed)
    else:
        classes = strategy_classes(rows, given.provenance)
        units = design_units(rows, factors, clusters, classes=classes)
        settings = replace(settings, unit=units.unit.noun)
        if estimating:
            way = estimated_shares(
                given,
                rows,
                factors,
                units,
                settings,
                draws=permutations or None,
                background=background,
                others=others,
                keep_defaulted=keep_defaulted,
                seed=seed,
            )
        else:
            way = counted_shares(rows, factors, units, within, count, classes, settings, rng, seed)
    rows, units = way.rows, way.units
    notes = [*way.notes, *units.notes]
    games = sorted(map(str, rows["game"].dropna().unique())) if "game" in rows.columns else []
    pooled = pooled_games(games, factors) if metric is None else None
    notes += [pooled] if pooled else []
    of_seats = given.origin is not None and {"game_id", "seat"} <= set(rows.columns)
    found, unknown = with_quality(way.comparison, rows, factors, given.behind, told=of_seats)
    left_out = given.skipped.items()
    notes += [f"{n:,} games of the log have no rows: {one_line(why)}" for why, n in left_out]
    notes += [unknown] if unknown else []
    notes += [*given.notes, *untested(found)]
    if count == "status" and metric is None:
        notes += _coins(given.provenance)
    confounded = confounds_of(rows, factors)
    config = {
        **given.facts,
        "games": games,
        "kept": kept,
        "by": list(factors),
        **({"count": count} if metric is None else {"metric": metric}),
        "gate": gate,
        "where": conditions,
        "cluster": list(units.unit.columns),
        "unit": units.unit.line(),
        "n_games": int(rows["game_id"].nunique()) if "game_id" in rows.columns else None,
        **({"strategies": list(found.outcomes)} if estimating else {}),
        "within": {one.factor: list(one.columns) for one in found.within},
        "bootstrap": bootstrap,
        "permutations": permutations,
        "level": level,
        "pairwise": pairwise,
        "seed": seed,
        "labels": _labelling(given.provenance),
    }
    findings = None
    if estimating:
        named = clusters is not None
        findings = cooperation_findings(given, way, factors, named=named, level=level, seed=seed)
    extras, more = extras_of(
        given,
        way,
        found,
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
        units=units,
        findings=findings,
    )


def _coins(provenance: Mapping[str, Any] | None) -> list[str]:
    """What fair coins would get in the games of the labels, where these say so."""
    from intent.report.coin_words import coin_column

    facts = provenance if isinstance(provenance, Mapping) else {}
    summary = facts.get("summary")
    coin = summary.get("coin") if isinstance(summary, Mapping) else None
    shares = coin_column(coin)
    if not shares:
        return []
    each = ", ".join(f"{share} {status}" for status, share in shares.items() if status != "confident")
    return [
        f"of players who toss fair coins in these games {shares['confident']} would be confident ({each})"
    ]


def untested(found: Comparison) -> list[str]:
    """Factors of which no test could be made, and why, in words."""
    from intent.analysis.comparison import group_name

    tested = {test.factor for test in found.tests}
    lines = []
    for factor in found.by:
        if factor in tested:
            continue
        groups = [group for group in found.groups if group.n_clusters < 2]
        if len(found.groups) < 2:
            why = "the rows have one value of it alone"
        elif groups:
            why = f"{group_name(groups[0].values)} rests on one of the {found.unit}"
        else:
            why = "play does not vary within the groups"
        lines.append(f"no test by {factor}: {why}")
    return lines


def _labelling(provenance: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """How labels were made, as far as their table says."""
    names = ("recogniser", "classes", "eps", "prior", "threshold", "alpha", "others", "keep_defaulted")
    facts = provenance if isinstance(provenance, Mapping) else {}
    return {name: facts[name] for name in names if name in facts} or None


def _kept(where: Mapping[str, Sequence[str]], gate: str | None) -> list[str]:
    """Which rows were kept, for messages and captions."""
    return kept_in_words(where) + ([f"gate: {gate}"] if gate else [])
