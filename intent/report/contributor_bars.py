"""Stacked bars by round: in what share of games how many players cooperated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from intent.errors import UsageError
from intent.report.panels import (
    check_sizes,
    headings,
    is_level,
    levels,
    named,
    panels,
    percent_axis,
    say_no_play,
)
from intent.report.style import ink

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["draw_contributors"]

_MOST = 12
"""Players beyond which shades are no longer told apart."""


def draw_contributors(
    table: pd.DataFrame, *, rows: str | None, columns: str | None, title: str | None = None
) -> Figure:
    """A bar per round, divided by the number of contributors, darker for more; a number where there is room.

    Parameters
    ----------
    table : DataFrame
        As `contributor_counts` returns.
    rows, columns : str or None
        What makes the panels.
    title : str, optional
        What the values of `columns` are called.

    Raises
    ------
    UsageError
        Too many panels, or games of more than twelve players.
    """
    from matplotlib import colormaps
    from matplotlib.colors import to_hex
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator

    down, across = levels(table, rows), levels(table, columns)
    check_sizes(len(down) * len(across), ())
    most = int(table["contributors"].max())
    if most > _MOST:
        raise UsageError(
            f"games of {most} players are too many for bars of contributors, expected at most {_MOST}"
        )
    tones = [to_hex(colormaps["viridis_r"](0.04 + 0.9 * k / most)) for k in range(most + 1)]
    figure, axes = panels(len(down), len(across), across=3.2, down=2.3, least=7.5, sharex=True, sharey=True)
    for i, row in enumerate(down):
        for j, column in enumerate(across):
            ax = axes[i, j]
            part = table[is_level(table, rows, row) & is_level(table, columns, column)]
            _stack(ax, part, tones)
            ax.set_ylim(0, 1)
            percent_axis(ax)
            ax.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True, min_n_ticks=1))
            ax.tick_params(axis="x", length=0)
            if j == 0:
                ax.set_ylabel("games (%)")
            if i == len(down) - 1:
                ax.set_xlabel("round")
    headings(axes, down, [f"{title or columns} = {named(c)}" if columns else None for c in across])
    handles = [Patch(facecolor=tone, label=str(k)) for k, tone in reversed(list(enumerate(tones)))]
    figure.legend(
        handles=handles, loc="outside right upper", frameon=False, title="contributors", alignment="left"
    )
    return figure


def _stack(ax: Any, part: pd.DataFrame, tones: list[str]) -> None:
    few = part["round"].nunique() <= 12
    for _, bar in part.groupby("round"):
        bottom = 0.0
        for k, n, share in bar.groupby("contributors")[["n", "share"]].sum().itertuples():
            at = bar["round"].iloc[0]
            ax.bar(at, share, 0.86, bottom=bottom, color=tones[k], edgecolor="white", linewidth=0.4)
            if few and share > 0.09:
                ax.text(
                    at,
                    bottom + share / 2,
                    f"{n:g}",
                    ha="center",
                    va="center",
                    fontsize=6.5,
                    color=ink(tones[k]),
                )
            bottom += share
    if not len(part):
        say_no_play(ax)
