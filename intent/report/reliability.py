"""The reliability diagram: how often the recogniser is right, beside how often it says it is.

Bins hold equally many trajectories and are drawn equally wide, so that the mean distance between the bars and
the marks is the expected calibration error, and the many confident trajectories are not squeezed into
one corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from intent.report.style import caption, look, save, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["RELIABILITY_LINES", "draw_reliability", "write_diagram"]

_BAR, _MARK, _OVER, _UNDER = "#9DB9D1", "#111111", "#D55E00", "#0072B2"
_COLUMNS = 3
_Z = 1.96

RELIABILITY_LINES = (
    "Bins of equally many trajectories, from the least to the most confident. Bars: share of the bin in "
    "which the class is the true one, with 95 % Wilson interval. Black marks: mean probability that the "
    "recogniser gave it. A calibrated recogniser has its marks at the ends of the bars."
)


def write_diagram(
    bins: pd.DataFrame,
    path: str | Path,
    *,
    title: str,
    remarks: Sequence[str] = (),
    description: str = "",
    overwrite: bool = False,
) -> Path:
    """Draw the bins and write them as .png, .svg or .pdf.

    Parameters
    ----------
    bins : DataFrame with columns class, bin, low, high, n, confidence, accuracy
        The bins of one class, or of several, each then in a panel of its own.
    path : path
    title : str
    remarks : sequence of str
        Further lines of the caption.
    description : str
        Kept in the file's metadata.
    overwrite : bool

    Raises
    ------
    OutputError
        The path cannot be written or has another suffix.
    """
    with look():
        figure = draw_reliability(bins)
        caption(figure, title, [RELIABILITY_LINES, *remarks])
        return save(figure, path, title=title, description=description, overwrite=overwrite)


def draw_reliability(bins: pd.DataFrame) -> Figure:
    """A panel per class; with one class, a second panel shows the distance alone, on a scale of its own."""
    from matplotlib.figure import Figure

    parts = list(bins.groupby("class", sort=False))
    if len(parts) <= 1:
        figure = Figure(figsize=(8.5, 6.8), layout="constrained")
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1.5))
        for _, part in parts:
            _draw_bars(upper, part)
            _draw_gaps(lower, part)
            _name_bins(lower, part)
        lower.set_xlabel("probability of the most probable strategy, range of the bin")
        return figure
    rows = -(-len(parts) // _COLUMNS)
    figure = Figure(figsize=(3.6 * _COLUMNS, 1.3 + 2.9 * rows), layout="constrained")
    grid = figure.subplots(rows, _COLUMNS, squeeze=False, sharey=True)
    for axes, (name, part) in zip(grid.flat, parts, strict=False):
        _draw_bars(axes, part, legend=False)
        distance = (part["n"] * (part["accuracy"] - part["confidence"]).abs()).sum() / part["n"].sum()
        axes.set_title(wrapped(f"{name}: ECE {distance:.4f}", 30), loc="left")
        axes.set_xticks([0, len(part) - 1], ["least", "most"])
    for axes in list(grid.flat)[len(parts) :]:
        axes.axis("off")
    for row in grid[:, 0]:
        row.set_ylabel("share of the bin")
    return figure


def _draw_bars(axes: Axes, part: pd.DataFrame, *, legend: bool = True) -> None:
    x = range(len(part))
    low, high = _wilson(part)
    axes.bar(x, part["accuracy"], 0.9, color=_BAR, label="is the true one")
    axes.vlines(x, low, high, color="#44617A", linewidth=1.3)
    left, right = [i - 0.45 for i in x], [i + 0.45 for i in x]
    axes.hlines(part["confidence"], left, right, color=_MARK, linewidth=2, label="probability given")
    axes.set_ylim(0, 1.02)
    axes.grid(axis="y", color="#EEEEEE")
    axes.set_axisbelow(True)
    if legend:
        axes.set_ylabel("share of the bin")
        n = sorted({int(v) for v in part["n"]})
        axes.set_title(f"{len(part)} bins of {' or '.join(f'{v:,}' for v in n[:2])} trajectories", loc="left")
        axes.legend(loc="lower right", framealpha=0.92, edgecolor="none")


def _draw_gaps(axes: Axes, part: pd.DataFrame) -> None:
    gaps = (part["accuracy"] - part["confidence"]).tolist()
    low, high = _wilson(part)
    x = range(len(part))
    axes.bar(x, gaps, 0.9, color=[_OVER if gap < 0 else _UNDER for gap in gaps])
    axes.vlines(x, low - part["confidence"], high - part["confidence"], color="#555555", linewidth=1.1)
    axes.axhline(0, color=_MARK, linewidth=0.8)
    axes.set_ylabel("distance")
    axes.grid(axis="y", color="#EEEEEE")
    axes.set_axisbelow(True)
    axes.set_title("right more often than it says (blue) or less often (orange)", loc="left")


def _name_bins(axes: Axes, part: pd.DataFrame) -> None:
    names = [
        _digits(low) if _digits(low) == _digits(high) else f"{_digits(low)}–{_digits(high).lstrip('> ')}"
        for low, high in zip(part["low"], part["high"], strict=True)
    ]
    axes.set_xticks(range(len(part)), names, rotation=40, ha="right", rotation_mode="anchor", fontsize=8)
    axes.tick_params(axis="x", length=0)


def _digits(p: float) -> str:
    """Three decimals; what would read as certain, and is not, says so."""
    return "> .999" if p < 1 and round(p, 3) == 1 else f"{p:.3f}".removeprefix("0")


def _wilson(part: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Ends of the 95 % score interval of each bin's share (Wilson 1927)."""
    n, p = part["n"], part["accuracy"]
    middle = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z * (p * (1 - p) / n + _Z**2 / (4 * n**2)) ** 0.5 / (1 + _Z**2 / n)
    return (middle - half).clip(lower=0), (middle + half).clip(upper=1)
