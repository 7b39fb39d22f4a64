"""The figure of a comparison: which kind suits it, its title, its caption, its file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from intent.analysis.comparison import Comparison
from intent.errors import UnknownNameError, UsageError
from intent.report.bars import draw_bars
from intent.report.heatmap import draw_heatmap
from intent.report.points import draw_points
from intent.report.ribbons import draw_ribbons, ordered_factor
from intent.report.style import caption, look, save
from intent.report.tables import sentences
from intent.strategies.catalogue import CATALOGUE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ComparisonFigure", "Kind", "comparison_figure", "figure_kind", "write_figure"]

Kind = Literal["auto", "bars", "stacked", "ribbons", "heatmap", "points"]

_MAX_ROWS = 60
_MAX_RULES = 8

_DRAW: dict[str, Callable[[Comparison], Figure]] = {
    "bars": draw_bars,
    "ribbons": draw_ribbons,
    "heatmap": draw_heatmap,
    "points": draw_points,
}

_COUNTS = {
    "estimate": "Shares of strategies estimated by maximum likelihood, each group with its own noise.",
    "posterior": "Each trajectory counts for every strategy with its posterior probability.",
    "split": "Each trajectory counts for its most probable strategy; ties are shared equally.",
    "best": "Each trajectory counts for its most probable strategy, however uncertain; ties go to the first.",
}


_REASONS = {
    "ambiguous": "several strategies explain it equally well (ambiguous)",
    "low_confidence": "none is probable enough (low confidence)",
    "no_fit": "none explains it (no fit)",
}


@dataclass(frozen=True, eq=False)
class ComparisonFigure:
    """What a figure of a comparison is called, how it is read, and what draws it.

    Parameters
    ----------
    kind : str
    title : str
    lines : tuple of str
        For the caption.
    draw : callable
        Returns a matplotlib Figure; call it within `intent.report.style.look`.
    """

    kind: Kind
    title: str
    lines: tuple[str, ...]
    draw: Callable[[], Figure]


def comparison_figure(comparison: Comparison, kind: str = "auto") -> ComparisonFigure:
    """The figure of a comparison, not yet drawn.

    Raises
    ------
    UsageError
        As `figure_kind`.
    """
    chosen = figure_kind(comparison, kind)
    what = f"Mean {comparison.metric}" if comparison.metric else "Strategies"
    title = f"{what} by {' and '.join(comparison.by)}" if comparison.by else what
    lines = (*_explained(comparison, chosen), *sentences(comparison, brief=True))
    return ComparisonFigure(chosen, title, lines, partial(_DRAW[chosen], comparison))


def figure_kind(comparison: Comparison, kind: str = "auto") -> Kind:
    """The kind to draw: points for a metric, a heat map for two or more factors, else stacked bars.

    ``stacked`` is another name of ``bars``.

    Raises
    ------
    UnknownNameError
        No such kind.
    UsageError
        A kind that cannot show a metric, or too many groups to be readable.
    """
    if kind not in get_args(Kind):
        raise UnknownNameError("figure", kind, get_args(Kind))
    if kind == "auto":
        chosen: Kind = "points" if comparison.metric else "heatmap" if len(comparison.by) > 1 else "bars"
    else:
        chosen = "bars" if kind == "stacked" else kind  # type: ignore[assignment]
    if comparison.metric and chosen != "points":
        raise UsageError(
            f"--figure {chosen} shows shares, expected points (or auto) for the mean of a metric"
        )
    size = len(comparison.groups)
    if chosen == "heatmap" and len(comparison.by) > 1:
        size = max(
            len({g.values[0] for g in comparison.groups}), len({g.values[1:] for g in comparison.groups})
        )
    if size > _MAX_ROWS:
        raise UsageError(f"{size} groups are too many for a figure of {chosen}, expected at most {_MAX_ROWS}")
    return chosen


def write_figure(
    comparison: Comparison,
    path: str | Path,
    *,
    kind: str = "auto",
    remarks: Sequence[str] = (),
    description: str = "",
    overwrite: bool = False,
) -> Path:
    """Draw a comparison and write it as .png, .svg or .pdf.

    Parameters
    ----------
    comparison : Comparison
    path : path
    kind : str
        auto, bars (stacked), ribbons, heatmap or points.
    remarks : sequence of str
        Further lines of the caption, such as the file and the rows that were kept.
    description : str
        Kept in the file's metadata.
    overwrite : bool

    Raises
    ------
    UsageError
        As `figure_kind`.
    OutputError
        The path cannot be written or has another suffix.
    """
    made = comparison_figure(comparison, kind)
    with look():
        figure = made.draw()
        caption(figure, made.title, [*made.lines, *remarks])
        return save(figure, path, title=made.title, description=description, overwrite=overwrite)


def _explained(comparison: Comparison, kind: Kind) -> list[str]:
    """How to read the figure."""
    interval = f"{comparison.level * 100:g} % intervals that take whole {comparison.unit} as independent"
    lines = [] if comparison.metric else [_glossary(comparison), _counted(comparison)]
    if kind == "points":
        return [*lines, f"Points: {'means' if comparison.metric else 'shares'}; lines: {interval}."]
    if kind == "ribbons":
        ordered = comparison.by[ordered_factor(comparison)]
        return [
            *lines,
            f"Left: shares on top of each other by {ordered}; right: each with its {interval}.",
        ]
    lines.append(f"Small numbers below the shares: {interval}.")
    if kind == "bars":
        lines[-1] += (
            f" eff.: independent trajectories worth as much as these, which come in {comparison.unit}."
        )
    return lines


def _counted(comparison: Comparison) -> str:
    """What a trajectory counts for; of the reasons against a label, those that occur."""
    if comparison.count in _COUNTS:
        return _COUNTS[comparison.count]
    reasons = [reason for name, reason in _REASONS.items() if name in _occurring(comparison)]
    if not reasons:
        return "Each trajectory counts for its strategy; all labels are confident."
    return (
        "Each trajectory counts for its strategy where the label is confident, else for the reason why it is "
        f"not: {' or '.join([', '.join(reasons[:-1]), reasons[-1]] if len(reasons) > 1 else reasons)}."
    )


def _occurring(comparison: Comparison) -> list[str]:
    """Outcomes that some trajectory has."""
    shares = zip(*(group.intervals for group in comparison.groups), strict=True)
    return [
        name
        for name, found in zip(comparison.outcomes, shares, strict=True)
        if any(interval.estimate > 0 for interval in found)
    ]


def _glossary(comparison: Comparison) -> str:
    """What the strategies in the figure do, as the catalogue puts it."""
    rules = [f"{name}: {CATALOGUE[name].rule}" for name in _occurring(comparison) if name in CATALOGUE]
    return f"C cooperates, D defects. {'; '.join(rules[:_MAX_RULES])}." if rules else ""
