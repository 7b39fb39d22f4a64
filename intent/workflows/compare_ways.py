"""The three ways to compare groups: labels counted, shares estimated, the mean of a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.analysis.compare import Settings
    from intent.analysis.comparison import Comparison
    from intent.analysis.shares import Outcomes
    from intent.workflows.compare_source import Compared

__all__ = ["Way", "counted_shares", "estimated_shares", "means"]

_MOST_FITS = 200
"""Bootstrap samples of estimated shares, each of which is a fit."""


@dataclass(frozen=True, eq=False)
class Way:
    """A comparison with what it was made of.

    Parameters
    ----------
    comparison : Comparison
    rows : DataFrame
        Those that were compared.
    clusters : (n,) int
    blocks : mapping of factor -> (n,) int
    counted : Outcomes, of labels that were counted
    values : (n,) float, of a metric
    notes : tuple of str
    """

    comparison: Comparison
    rows: pd.DataFrame
    clusters: NDArray[np.intp]
    blocks: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    counted: Outcomes | None = None
    values: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()


def counted_shares(
    rows: pd.DataFrame,
    factors: Sequence[str],
    clusters: Sequence[str],
    within: str | Sequence[str],
    count: str,
    classes: Sequence[str],
    settings: Settings,
    rng: np.random.Generator,
) -> Way:
    """Labels, counted as `count` says."""
    from intent.analysis.cautions import identical_repeats
    from intent.analysis.compare import compare_shares
    from intent.analysis.shares import outcomes
    from intent.workflows.compare_design import blocks_of
    from intent.workflows.compare_rows import clusters_of, sizes_note

    counted = outcomes(rows, count, classes=classes)  # type: ignore[arg-type]
    codes = clusters_of(rows, clusters)
    blocks, told = blocks_of(rows, factors, within, codes)
    found = compare_shares(
        rows, factors, counted, codes, count=count, settings=settings, rng=rng, blocks=blocks
    )
    alike = identical_repeats(rows, classes=classes)
    worth = sizes_note(rows, counted.weights, classes, always=alike is not None)
    notes = tuple(line for line in (alike, worth) if line)
    return Way(replace(found, within=told), rows, codes, blocks, counted, notes=notes)


def estimated_shares(
    given: Compared,
    rows: pd.DataFrame,
    factors: Sequence[str],
    clusters: Sequence[str],
    settings: Settings,
    **asked: Any,
) -> Way:
    """Shares by maximum likelihood, from the log behind the labels; no tests within blocks.

    Parameters
    ----------
    given, rows, factors, clusters, settings
    **asked : where, others, keep_defaulted, seed, as `compare_sfem.estimated`

    Raises
    ------
    UsageError
        There is no log.
    """
    from intent.workflows.compare_rows import clusters_of
    from intent.workflows.compare_sfem import estimated, estimated_comparison

    codes = clusters_of(rows, clusters)
    estimates = estimated(
        given.behind.needed("--count sfem"),
        factors,
        given.provenance,
        cluster=clusters,
        level=settings.level,
        bootstrap=min(settings.bootstrap, _MOST_FITS),
        **asked,
    )
    return Way(estimated_comparison(estimates, unit=settings.unit), rows, codes)


def means(
    rows: pd.DataFrame,
    factors: Sequence[str],
    clusters: Sequence[str],
    within: str | Sequence[str],
    metric: str,
    kept: Sequence[str],
    settings: Settings,
    rng: np.random.Generator,
) -> Way:
    """The mean of a column, over the rows that have a value there.

    Raises
    ------
    UsageError
        No row has one.
    """
    import numpy as np

    from intent.analysis.cautions import mixed_payoffs
    from intent.analysis.compare import compare_means
    from intent.workflows.compare_design import blocks_of
    from intent.workflows.compare_rows import clusters_of, numbers

    values = numbers(rows, metric)
    notes: tuple[str, ...] = ()
    known = ~np.isnan(values)
    if not known.any():
        also = f" ({'; '.join(kept)})" if kept else ""
        raise UsageError(f"column {metric!r} has no value in any of {len(rows)} rows{also}")
    if not known.all():
        notes = (f"{int((~known).sum())} of {len(rows)} rows have no {metric} and are left out",)
    rows, values = rows[known].reset_index(drop=True), values[known]
    mixed = mixed_payoffs(rows, factors) if metric == "mean_payoff" else None
    notes += (mixed,) if mixed else ()
    codes = clusters_of(rows, clusters)
    blocks, told = blocks_of(rows, factors, within, codes)
    found = compare_means(
        rows, factors, values, codes, metric=metric, settings=settings, rng=rng, blocks=blocks
    )
    return Way(replace(found, within=told), rows, codes, blocks, values=values, notes=notes)
