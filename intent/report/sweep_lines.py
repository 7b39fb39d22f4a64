"""Lines over the threshold: what is kept, how sure it is, how diverse the labels are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.analysis.comparison import group_name
from intent.analysis.sweep import Point, Sweep
from intent.errors import UsageError
from intent.report.style import caption, look, palette, save, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_sweep", "write_sweep_figure"]

_MOST_GROUPS = 9
_USUAL = 0.9
"""The threshold of the literature, marked by a line."""


def write_sweep_figure(
    sweep: Sweep,
    path: str | Path,
    *,
    remarks: Sequence[str] = (),
    description: str = "",
    overwrite: bool = False,
) -> Path:
    """Draw a sweep and write it as .png, .svg or .pdf.

    Raises
    ------
    UsageError
        More than nine groups.
    OutputError
        The path cannot be written or has another suffix.
    """
    if len(sweep.groups) > _MOST_GROUPS:
        raise UsageError(
            f"{len(sweep.groups)} groups are too many for a figure, expected at most {_MOST_GROUPS}"
        )
    title = f"Labels by threshold{' and ' + ' and '.join(sweep.by) if sweep.by else ''}"
    with look():
        figure = draw_sweep(sweep)
        caption(figure, title, [*_explained(sweep), *remarks])
        return save(figure, path, title=title, description=description, overwrite=overwrite)


def draw_sweep(sweep: Sweep) -> Figure:
    """Three panels over tau; groups in colours, full lines the recogniser alone, broken ones with rules."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    figure = Figure(figsize=(12.5, 4.9), layout="constrained")
    panels: Any = figure.subplots(1, 3, sharex=True)
    unit = "games" if sweep.gate == "game" else "trajectories"
    names = (f"{unit} kept (%)", "mean confidence of the kept (%)", "diversity of their labels")
    fields = ("retention", "mean_confidence", "diversity")
    tones = palette(len(sweep.groups))
    for axes, name, field in zip(panels, names, fields, strict=True):
        if sweep.taus[0] <= _USUAL <= sweep.taus[-1]:
            axes.axvline(_USUAL, color="#BBBBBB", linewidth=0.9, zorder=0)
        for tone, group in zip(tones, sweep.groups, strict=True):
            for way, dashes in enumerate(("-", "--")):
                values = [_value(both[way], field) for both in group.points]
                axes.plot(
                    sweep.taus,
                    values,
                    dashes,
                    color=tone,
                    linewidth=1.8,
                    marker="o" if way == 0 else "s",
                    markersize=3.5,
                    markerfacecolor=tone if way == 0 else "white",
                )
        axes.set_title(name, loc="left")
        axes.set_xlabel("threshold of the label's probability")
        axes.grid(axis="y", color="#EEEEEE")
        axes.set_axisbelow(True)
    for axes in panels[:2]:
        axes.yaxis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10]))
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=""))
    panels[0].set_ylim(0, 1.02)
    panels[2].set_ylim(0, 1.02)
    handles = [
        Line2D([], [], color="#444444", marker="o", markersize=3.5, label="recogniser"),
        Line2D(
            [],
            [],
            color="#444444",
            linestyle="--",
            marker="s",
            markersize=3.5,
            markerfacecolor="white",
            label="hybrid",
        ),
    ]
    if len(sweep.groups) > 1:
        handles.append(Line2D([], [], color="none", label=wrapped(" · ".join(sweep.by), 18)))
        handles += [
            Line2D([], [], color=tone, linewidth=4, label=wrapped(group_name(group.values), 18))
            for tone, group in zip(tones, sweep.groups, strict=True)
        ]
    figure.legend(handles=handles, loc="outside right upper", frameon=False)
    return figure


def _value(point: Point, field: str) -> float:
    found: float = getattr(point, field)
    return found


def _explained(sweep: Sweep) -> list[str]:
    n = sum(group.n for group in sweep.groups)
    rules = (
        "all labels of the rules that it satisfies"
        if sweep.rules == "expand"
        else "the first rule of ALLD, ALLC, TFT, WSLS that it satisfies"
    )
    counted = ""
    if sweep.rules == "expand":
        counted = " in equal shares" if sweep.split else ", each counted fully"
    kept = (
        "A game is kept where all of its labelled seats get a label."
        if sweep.gate == "game"
        else "A trajectory is kept where it gets a label."
    )
    return [
        f"{n:,} trajectories. {kept} Recogniser: a label where its highest "
        "probability reaches the threshold (ties in equal shares). "
        f"Hybrid: below the threshold, a trajectory gets {rules}{counted}.",
        "Confidence: the recogniser's highest probability. Diversity: Shannon's entropy of the labels over "
        f"its maximum, ln {len(sweep.classes)}; 1 where all {len(sweep.classes)} strategies are as frequent. "
        "A label that is confident need not fit: no test of fit is applied here.",
    ]
