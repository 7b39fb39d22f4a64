"""Play of the simultaneous gamma-bench games over rounds: a panel per group of runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.report.panels import hide, panels
from intent.report.style import palette, wrapped
from intent.suites.gamma.plays import (
    AuctionPlays,
    BarPlays,
    DinerPlays,
    DollarPlays,
    GoodsPlays,
    GuessingPlays,
    Plays,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_rounds"]

_WIDE = 4
_TARGET = "#444444"
_CHOICES = "#7A7A7A"


@dataclass(frozen=True)
class _Picture:
    """How a game is drawn: the line of a run, the single choices behind it, what it is held against."""

    label: str
    line: Callable[[Any], NDArray[np.float64]]
    choices: Callable[[Any], Sequence[Sequence[float | None]] | None]
    marks: Callable[[Any], Mapping[str, Any]]
    limits: Callable[[Any], tuple[float, float | None]]


def draw_rounds(groups: Mapping[str, Sequence[Plays]]) -> Figure:
    """A panel per group: thin lines are runs, the thick one their mean, dots single choices.

    Parameters
    ----------
    groups : mapping of name -> runs of one game with the same parameters
        Guessing: the mean of the numbers chosen, dashed the target. Bar: share of goers, dashed the share
        that the bar holds. Dollar: sum of bids, dashed the gold. Goods: mean contribution, dashed the
        endowment. Diner: the bill of all, and what it is if all order cheap or all costly. Auction: bids over
        valuations (valuations of 0 left out), dashed what equilibrium bidders with valuations drawn evenly
        from an interval bid.

    References
    ----------
    Huang et al. 2024, arXiv:2403.11807, figures 4 to 8 and 11.
    """
    names = list(groups)
    picture = _PICTURES[type(groups[names[0]][0])]
    wide = min(_WIDE, len(names))
    high = -(-len(names) // wide)
    figure, axes = panels(high, wide, across=3.1, down=2.5, least=7.0, sharey=True)
    tone = palette(1)[0]
    for place, ax in enumerate(axes.flat):
        if place >= len(names):
            hide(ax)
            continue
        runs = groups[names[place]]
        _draw_panel(ax, runs, picture, tone)
        ax.set_title(wrapped(names[place], 28), loc="left", fontweight="bold")
        if place % wide == 0:
            ax.set_ylabel(picture.label)
        if place + wide >= len(names):
            ax.set_xlabel("round")
    _set_limits(axes.flat[0], picture.limits(groups[names[0]][0]))
    handles, labels = axes.flat[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside right upper", frameon=False, alignment="left")
    return figure


def _draw_panel(ax: Axes, runs: Sequence[Plays], picture: _Picture, tone: str) -> None:
    from matplotlib.ticker import MaxNLocator

    lines = [picture.line(run) for run in runs]
    for run in runs:
        _draw_choices(ax, picture.choices(run))
    for line in lines:
        ax.plot(np.arange(1, len(line) + 1), line, color=tone, linewidth=0.8, alpha=0.45)
    mean = _mean(lines)
    ax.plot(np.arange(1, len(mean) + 1), mean, color=tone, linewidth=2.2, label="mean of the runs")
    marks = picture.marks(runs[0] if len(runs) == 1 else _Mean(runs[0], mean))
    for (name, value), style in zip(marks.items(), ("--", ":"), strict=False):
        _draw_mark(ax, name, np.asarray(value, dtype=float), style)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    ax.grid(axis="y", color="#EEEEEE")
    ax.set_axisbelow(True)


def _set_limits(ax: Axes, limits: tuple[float, float | None]) -> None:
    """The vertical axis that all panels share: from the limits, or as far as the data go, with a margin."""
    low, top = limits
    high = ax.get_ylim()[1] if top is None else top
    margin = 0.03 * (high - low)
    ax.set_ylim(low - margin, high + margin)


def _draw_choices(ax: Axes, choices: Sequence[Sequence[float | None]] | None) -> None:
    if choices is None:
        return
    points = [(r, c) for r, row in enumerate(choices, start=1) for c in row if c is not None]
    if points:
        ax.plot(*zip(*points, strict=True), ".", color=_CHOICES, alpha=0.3, markersize=3.5, zorder=1)


def _draw_mark(ax: Axes, name: str, value: NDArray[np.float64], style: str) -> None:
    how: dict[str, Any] = {"color": _TARGET, "linestyle": style, "linewidth": 1.1, "label": name}
    if value.ndim == 0:
        ax.axhline(float(value), **how)
    else:
        ax.plot(np.arange(1, len(value) + 1), value, **how)


@dataclass(frozen=True)
class _Mean:
    """Several runs as one, for what is drawn beside their mean."""

    run: Any
    means: NDArray[np.float64]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.run, name)


def _mean(lines: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """(T,), mean by round of those runs that had it."""
    longest = max(map(len, lines))
    padded = np.full((len(lines), longest), np.nan)
    for i, line in enumerate(lines):
        padded[i, : len(line)] = line
    known = np.isfinite(padded)
    counts = np.where(known.any(axis=0), known.sum(axis=0), np.nan)
    return np.asarray(np.where(known, padded, 0.0).sum(axis=0) / counts)


def _floats(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if v is None else float(v) for v in values])


def _bill(run: DinerPlays, cheap: NDArray[np.float64], diners: NDArray[np.float64]) -> NDArray[np.float64]:
    return cheap * run.menu[0] + (diners - cheap) * run.menu[2]


def _shares(run: AuctionPlays) -> list[list[float | None]]:
    """Bids over valuations, None without either."""
    return [
        [None if b is None or not v else b / v for b, v in zip(bids, values, strict=True)]
        for bids, values in zip(run.bids, run.valuations, strict=True)
    ]


def _row_means(rows: Sequence[Sequence[float | None]]) -> NDArray[np.float64]:
    known = [[c for c in row if c is not None] for row in rows]
    return np.array([np.mean(row) if row else np.nan for row in known])


_PICTURES: Mapping[type[Plays], _Picture] = {
    GuessingPlays: _Picture(
        "number chosen",
        lambda run: _floats(run.means),
        lambda run: run.by_seat,
        lambda run: {f"target, {run.written} of the mean": np.asarray(run.means, dtype=float) * run.ratio},
        lambda run: (run.low, run.high),
    ),
    BarPlays: _Picture(
        "share of goers",
        lambda run: _floats(run.goers) / run.n_players,
        lambda run: None,
        lambda run: {"what the bar holds": run.ratio},
        lambda run: (0, 1),
    ),
    DollarPlays: _Picture(
        "sum of bids",
        lambda run: _floats(run.totals),
        lambda run: None,
        lambda run: {"gold": run.gold},
        lambda run: (0, None),
    ),
    GoodsPlays: _Picture(
        "tokens contributed",
        lambda run: _floats(run.totals) / run.n_players,
        lambda run: run.by_seat,
        lambda run: {"endowment": run.tokens},
        lambda run: (0, None),
    ),
    DinerPlays: _Picture(
        "bill of all",
        lambda run: _bill(run, _floats(run.cheap), _floats(run.diners)),
        lambda run: None,
        lambda run: {
            "all order cheap": run.n_players * run.menu[0],
            "all order costly": run.n_players * run.menu[2],
        },
        lambda run: (0, None),
    ),
    AuctionPlays: _Picture(
        "bid / valuation",
        lambda run: _row_means(_shares(run)),
        _shares,
        lambda run: {"equilibrium": 1.0 if run.price == "second" else (run.n_players - 1) / run.n_players},
        lambda run: (0, None),
    ),
}
