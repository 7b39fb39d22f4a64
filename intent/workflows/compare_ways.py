"""The three ways to compare groups: shares estimated, labels counted, the mean of a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.analysis.compare import Settings
    from intent.analysis.comparison import Comparison
    from intent.analysis.estimated import EstimatedShares
    from intent.analysis.hypothesis import Hypothesis
    from intent.analysis.shares import Outcomes
    from intent.analysis.unit import DesignUnits, Unit
    from intent.workflows.compare_source import Compared

__all__ = ["Way", "counted_shares", "estimated_shares", "means"]


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
    units : DesignUnits, of these rows
    counted : Outcomes, of labels that were counted
    values : (n,) float, of a metric
    estimate : EstimatedShares, of shares that were estimated
    notes : tuple of str
    """

    comparison: Comparison
    rows: pd.DataFrame
    clusters: NDArray[np.intp]
    units: DesignUnits
    blocks: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    counted: Outcomes | None = None
    values: NDArray[np.float64] | None = None
    estimate: EstimatedShares | None = None
    notes: tuple[str, ...] = ()


def counted_shares(
    rows: pd.DataFrame,
    factors: Sequence[str],
    units: DesignUnits,
    within: str | Sequence[str],
    count: str,
    classes: Sequence[str],
    settings: Settings,
    rng: np.random.Generator,
    seed: int,
) -> Way:
    """Labels, counted as `count` says."""
    from intent.analysis.cautions import identical_repeats
    from intent.analysis.compare import compare_shares
    from intent.analysis.hypothesis import share_tests
    from intent.analysis.shares import outcomes
    from intent.workflows.compare_design import blocks_of

    counted = outcomes(rows, count, classes=classes)  # type: ignore[arg-type]
    codes = units.unit.codes
    blocks, told = blocks_of(rows, factors, within, codes)
    found = compare_shares(
        rows,
        factors,
        counted,
        codes,
        count=count,
        settings=settings,
        rng=rng,
        blocks=blocks,
        also=units.unit.also,
        seed=seed,
    )

    def tests(factor: str, groups: NDArray[np.intp], unit: Unit) -> list[Hypothesis]:
        own = blocks_of(rows, factor.split(","), within, unit.codes)[0].get(factor)
        return share_tests(
            factor,
            counted.weights,
            groups,
            unit.codes,
            permutations=settings.permutations,
            rng=rng,
            blocks=own,
            also=unit.also,
            seed=seed,
            alpha=1 - settings.level,
        )

    found = _on_both(replace(found, within=told), rows, units, tests)
    alike = None if units.unit.kind == "condition" else identical_repeats(rows, classes=classes)
    return Way(found, rows, codes, units, blocks, counted, notes=(alike,) if alike else ())


def _on_both(
    found: Comparison,
    rows: pd.DataFrame,
    units: DesignUnits,
    tests: Callable[[str, NDArray[np.intp], Unit], list[Hypothesis]],
) -> Comparison:
    """Tests with their unit, and the deciding test of each factor on the narrower unit beside them."""
    from intent.analysis.groups import grouping
    from intent.analysis.hypothesis import with_holm
    from intent.analysis.sensitivity import deciding

    wide, narrow = units.unit, units.narrow
    every = [replace(test, unit=wide.noun, question=wide.question) for test in found.tests]
    if narrow is not None:
        for factor in [(f,) for f in found.by] + ([found.by] if len(found.by) > 1 else []):
            own = tests(",".join(factor), grouping(rows, factor).codes, narrow)
            if own:
                every.append(replace(deciding(own), unit=narrow.noun, question=narrow.question))
    return replace(found, tests=with_holm(every))


def estimated_shares(
    given: Compared,
    rows: pd.DataFrame,
    factors: Sequence[str],
    units: DesignUnits,
    settings: Settings,
    **options: Any,
) -> Way:
    """Shares by maximum likelihood, each group with its own tremble; no tests within blocks.

    Parameters
    ----------
    given, rows, factors, units, settings
    **options : as `compare_estimate.estimator`

    Raises
    ------
    UsageError
        There is neither a log nor a posterior.
    """
    from intent.workflows.compare_estimate import estimator

    estimate, keep, notes = estimator(given, rows, factors, units, level=settings.level, **options)
    own = rows.iloc[keep].reset_index(drop=True)
    comparison = estimate.comparison(pairwise=settings.pairwise)
    kept = estimate.subjects.units
    return Way(comparison, own, kept.unit.codes, kept, estimate=estimate, notes=tuple(notes))


def means(
    rows: pd.DataFrame,
    factors: Sequence[str],
    cluster: Sequence[str] | None,
    within: str | Sequence[str],
    metric: str,
    kept: Sequence[str],
    settings: Settings,
    rng: np.random.Generator,
    seed: int,
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
    from intent.analysis.hypothesis import mean_tests
    from intent.analysis.unit import design_units
    from intent.workflows.compare_design import blocks_of
    from intent.workflows.compare_rows import numbers

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
    units = design_units(rows, factors, cluster)
    settings, codes = replace(settings, unit=units.unit.noun), units.unit.codes
    blocks, told = blocks_of(rows, factors, within, codes)
    found = compare_means(
        rows,
        factors,
        values,
        codes,
        metric=metric,
        settings=settings,
        rng=rng,
        blocks=blocks,
        also=units.unit.also,
        seed=seed,
    )

    def tests(factor: str, groups: NDArray[np.intp], unit: Unit) -> list[Hypothesis]:
        own = blocks_of(rows, factor.split(","), within, unit.codes)[0].get(factor)
        return mean_tests(
            factor,
            values,
            groups,
            unit.codes,
            permutations=settings.permutations,
            rng=rng,
            blocks=own,
            also=unit.also,
            seed=seed,
            alpha=1 - settings.level,
        )

    found = _on_both(replace(found, within=told), rows, units, tests)
    return Way(found, rows, codes, units, blocks, values=values, notes=notes)
