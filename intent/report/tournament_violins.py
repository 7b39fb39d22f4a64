"""Scores of a tournament's strategies over its repetitions, best at the top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import ATTITUDES
from intent.report.evolution_colours import name_colours
from intent.report.style import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_standings"]

_MOST = 100
_ENOUGH = 5
_HALF = 0.4

Row = tuple[str, str | None, NDArray[np.float64]]
"""Name, group, scores (R,) with NaN where there was no match."""


def draw_standings(rows: Sequence[Row]) -> Figure:
    """A violin and the median for each strategy, coloured by group; at most the first hundred.

    Parameters
    ----------
    rows : sequence of (name, group, scores), best first

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, Figure 2.
    """
    from matplotlib.figure import Figure

    drawn = list(rows[:_MOST])
    found = dict.fromkeys(group for _, group, _ in rows)
    groups = [*(a for a in ATTITUDES if a in found), *(g for g in found if g not in ATTITUDES)]
    tones = dict(zip(groups, name_colours([group or "" for group in groups]), strict=True))
    figure = Figure(figsize=(8.0, 1.9 + 0.26 * len(drawn)), layout="constrained")
    axes = figure.subplots()
    for place, (_, group, scores) in enumerate(drawn):
        _violin(axes, np.sort(scores[~np.isnan(scores)]), -float(place), tones[group])
    axes.set_yticks(-np.arange(len(drawn)), [shown(name) for name, _, _ in drawn], fontsize=8)
    axes.set_ylim(-len(drawn) + 0.4, 0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#E4E4E4", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel("score: mean payoff per round")
    if len(rows) > _MOST:
        axes.set_title(f"the first {_MOST} of {len(rows)}", loc="left")
    if len(groups) > 1:
        _legend(figure, groups, tones)
    return figure


def _violin(axes: Axes, scores: NDArray[np.float64], y: float, tone: str) -> None:
    if len(scores) >= _ENOUGH and np.ptp(scores) > 1e-9:
        drawn: Any = axes.violinplot(
            [scores], [y], orientation="horizontal", widths=2 * _HALF, showextrema=False
        )
        for body in drawn["bodies"]:
            body.set(facecolor=tone, alpha=0.55, linewidth=0)
    else:
        axes.scatter(scores, np.full(len(scores), y), s=16, color=tone, linewidths=0)
    axes.plot([np.median(scores)] * 2, [y - _HALF, y + _HALF], color="#222222", linewidth=1.4)


def _legend(figure: Figure, groups: Sequence[str | None], tones: dict[str | None, str]) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=tones[group], label=shown(group or "other")) for group in groups]
    figure.legend(handles=handles, loc="outside right upper", frameon=False)
