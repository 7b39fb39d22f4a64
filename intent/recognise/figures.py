"""The figure of discovered states: how each answers every outcome, where it leads, and who plays it.

The reliability diagram: how often the recogniser is right, beside how often it says it is.

Bins hold equally many trajectories and are drawn equally wide, so that the mean distance between the bars and
the marks is the expected calibration error, and the many confident trajectories are not squeezed into
one corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.statistics import interval_words
from intent.figures.style import (
    FAINT,
    Drawing,
    canvas,
    columns_of,
    hide,
    ink,
    narrow,
    outline,
    palette,
    paper,
    percent_axis,
    pt,
    ruled,
    text_map,
    wrapped,
)
from intent.recognise.hmm import Discovery, State
from intent.recognise.scores import paired_regret

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = [
    "confusion_figure",
    "draw_reliability",
    "regret_figure",
    "reliability_figure",
    "states_figure",
]


Codes = NDArray[np.intp]
Group = tuple[str, int, Sequence[float]]
"""Name, number of trajectories, share of moves in each state."""

_FEW = 30
_MAX_GROUPS = 40
_SITUATIONS = {"first": "first\nround", "R": "after R\n(CC)", "S": "after S\n(CD)", "T": "after T\n(DC)"}
_SITUATIONS |= {"P": "after P\n(DD)", "R after other's defection": "R, other\nonce D"}
_SITUATIONS |= {"T after other's defection": "T, other\nonce D"}


def states_figure(discovery: Discovery, groups: Sequence[Group] = (), by: str = "") -> Drawing:
    """The states, and below them who is in which.

    Parameters
    ----------
    discovery : Discovery
    groups : (name, n, shares) of each group, for a panel below
    by : str
        What makes the groups.

    Raises
    ------
    UsageError
        Too many groups to be readable.
    """
    if len(groups) > _MAX_GROUPS:
        raise UsageError(f"{len(groups)} groups are too many for a figure, expected at most {_MAX_GROUPS}")
    k = len(discovery.states)
    title = f"Ways of playing: {k} state{'s' if k > 1 else ''} of a hidden Markov model"
    return Drawing(title, lambda: _draw_states(discovery, groups, by), _explained(discovery))


def _draw_states(discovery: Discovery, groups: Sequence[Group], by: str) -> Figure:
    k, wide = len(discovery.states), len(discovery.situations)
    heights = [0.9 + 0.62 * k, *([0.7 + 0.42 * len(groups)] if groups else [])]
    size = (4.6 + 0.78 * wide + 0.62 * (k + 1), sum(heights) + 1.9)
    stacked = narrow()
    if stacked:
        heights = [2 * heights[0], *(height + 1.2 for height in heights[1:])]  # their key goes below
        size = (size[0], sum(heights) + 1.9)
    figure = paper(max(size[0], 9.0), size[1])
    top, *below = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    if stacked:
        left, right = top.subplots(2, 1)
    else:
        left, right = top.subplots(1, 2, width_ratios=(0.78 * wide, 0.62 * (k + 1)))
    _answers(left, discovery)
    _moves_on(right, discovery.states)
    for part in below:
        _who(part.subplots(), discovery.states, groups, by)
    return figure


def _answers(axes: Axes, discovery: Discovery) -> None:
    """States by situations: P(C), and the moves it is known from."""
    moves = np.array([state.moves for state in discovery.states])
    p = np.where(moves >= 0.5, np.array([state.p_cooperate for state in discovery.states]), np.nan)
    texts = [
        [
            "" if np.isnan(value) else f"{value:.2f}\n{count:,.0f}" + ("?" if count < _FEW else "")
            for value, count in zip(row, counts, strict=True)
        ]
        for row, counts in zip(p, moves, strict=True)
    ]
    _map(axes, p, texts, "RdBu")
    axes.set_xticks(range(p.shape[1]), [_SITUATIONS[name] for name in discovery.situations], fontsize=pt(8.5))
    axes.set_yticks(range(len(p)), [_name(state) for state in discovery.states], fontsize=pt(8.5))
    axes.set_title("P(cooperate)", loc="left")


def _moves_on(axes: Axes, states: Sequence[State]) -> None:
    """Where trajectories begin, and the state of the next round."""
    chances = np.array([[state.start, *state.next] for state in states])
    _map(axes, chances, [[f"{x:.2f}" for x in row] for row in chances], "Greys")
    axes.axvline(0.5, color="white", linewidth=6, gid=FAINT)  # parts two tables
    names = [state.name for state in states]
    axes.set_xticks(range(len(states) + 1), ["starts\nhere", *names], fontsize=pt(8.5))
    axes.set_yticks(range(len(states)), names)
    axes.set_title("next state", loc="left")


def _who(axes: Axes, states: Sequence[State], groups: Sequence[Group], by: str) -> None:
    """Stacked shares of moves by group."""
    tones = palette(len(states))
    left = np.zeros(len(groups))
    for i, (state, tone) in enumerate(zip(states, tones, strict=True)):
        widths = np.nan_to_num([shares[i] for _, _, shares in groups])
        axes.barh(
            range(len(groups)), widths, left=left, color=tone, edgecolor=outline(tone), label=state.name
        )
        for row, (start, width) in enumerate(zip(left, widths, strict=True)):
            if width >= 0.04:
                middle = start + width / 2
                axes.text(
                    middle, row, f"{width:.0%}", ha="center", va="center", color=ink(tone), fontsize=pt(8)
                )
        left += widths
    axes.set_yticks(range(len(groups)), [f"{wrapped(name or 'all')}\nn = {n:,}" for name, n, _ in groups])
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    percent_axis(axes.xaxis)
    axes.set_xlabel("share of moves made in each state (%)")
    axes.set_ylabel(wrapped(by, 30))
    how: dict[str, Any] = {"frameon": False, "title": "state", "alignment": "left"}
    if narrow():
        axes.figure.legend(
            *axes.get_legend_handles_labels(), loc="outside lower left", ncols=len(states), **how
        )
    else:
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), ncols=1, **how)


def _map(axes: Axes, values: NDArray[np.float64], texts: list[list[str]], colours: str) -> Any:
    axes.set_facecolor("#F4F4F4")
    return text_map(axes, values, texts, places=(0.12, 0.25), cmap=colours, vmin=0, vmax=1)


def _name(state: State) -> str:
    if not state.nearest:
        return f"{state.name}: {state.share:.0%} of play"
    near = state.nearest[0]
    distance = f"{near.strategy}, {near.distance:.2f} away"
    meaning = f"outside; nearest {distance}" if state.outside else f"as {distance}, noise {near.eps:.2f}"
    if narrow():
        meaning = wrapped(meaning, 22)
    return f"{state.name}: {state.share:.0%} of play\n{meaning}"


def _explained(discovery: Discovery) -> list[str]:
    """How to read the figure."""
    tried = [c.n_states for c in discovery.candidates]
    chosen = (
        ""
        if len(tried) == 1
        else f" BIC is least for {len(discovery.states)} of {tried[0]} to {tried[-1]} states."
    )
    return [
        "Left: probability of cooperating in each state, by what happened in the round before (own move "
        "first), and below it the number of moves that it is known from; ? under 30; empty: never seen.",
        "Distance: root mean square difference in P(cooperate) from the nearest strategy of the catalogue "
        "that depends on the last outcome only, with the noise (up to .2) that fits best; outside: above .1.",
        f"Right: share of trajectories that begin in the state, and the state of the next round.{chosen}",
    ]


_BAR, _MARK = "#6A8FB0", "#111111"
_COLUMNS = 3
_Z = 1.96

_RELIABILITY = (
    "Bins of equally many trajectories, from the least to the most confident. Bars: share of the bin in "
    f"which the class is the true one, with {interval_words(0.95, 'Wilson')}. Black marks: mean probability "
    "that the recogniser gave it. A calibrated recogniser has its marks at the ends of the bars."
)


def reliability_figure(bins: pd.DataFrame, title: str) -> Drawing:
    """The bins of one class, or of several, each then in a panel of its own.

    Parameters
    ----------
    bins : DataFrame with columns class, bin, low, high, n, confidence, accuracy
    title : str
    """
    n = int(bins.loc[bins["class"].isin(bins["class"].head(1)), "n"].sum())
    return Drawing(title, lambda: draw_reliability(bins), (_RELIABILITY, f"n: {n:,} trajectories."))


def draw_reliability(bins: pd.DataFrame) -> Figure:
    """A panel per class; with one class, a second panel shows the distance alone, on a scale of its own."""
    parts = list(bins.groupby("class", sort=False, observed=True))
    if len(parts) <= 1:
        figure, (upper, lower) = canvas(8.5, 6.8, 2, 1, sharex=True, height_ratios=(3, 1.5))
        for _, part in parts:
            _draw_bars(upper, part)
            _draw_gaps(lower, part)
            _name_bins(lower, part)
        lower.set_xlabel("probability of the most probable strategy, range of the bin")
        return figure
    wide = columns_of(_COLUMNS, 2.0)
    rows = -(-len(parts) // wide)
    figure, grid = canvas(3.6 * wide, 1.3 + 2.9 * rows, rows, wide, squeeze=False, sharey=True)
    for axes, (name, part) in zip(grid.flat, parts, strict=False):
        _draw_bars(axes, part, legend=False)
        distance = (part["n"] * (part["accuracy"] - part["confidence"]).abs()).sum() / part["n"].sum()
        axes.set_title(wrapped(f"{name}: ECE {distance:.4f}", 30), loc="left")
        axes.set_xticks([0, len(part) - 1], ["least", "most"])
    for axes in list(grid.flat)[len(parts) :]:
        hide(axes)
    for row in grid[:, 0]:
        row.set_ylabel("share of the bin")
    return figure


def _draw_bars(axes: Axes, part: pd.DataFrame, *, legend: bool = True) -> None:
    x = range(len(part))
    low, high = _wilson(part)
    axes.bar(x, part["accuracy"], 0.9, color=_BAR, label="is the true one")
    axes.vlines(x, low, high, color="#2F4354", linewidth=1.3)
    left, right = [i - 0.45 for i in x], [i + 0.45 for i in x]
    axes.hlines(part["confidence"], left, right, color=_MARK, linewidth=2, label="probability given")
    axes.set_ylim(0, 1.02)
    ruled(axes)
    if legend:
        axes.set_ylabel("share of the bin")
        n = sorted({int(v) for v in part["n"]})
        axes.set_title(f"{len(part)} bins of {' or '.join(f'{v:,}' for v in n[:2])} trajectories", loc="left")
        axes.legend(loc="lower right", framealpha=0.92, edgecolor="none")


def _draw_gaps(axes: Axes, part: pd.DataFrame) -> None:
    gaps = (part["accuracy"] - part["confidence"]).tolist()
    low, high = _wilson(part)
    x = range(len(part))
    axes.bar(x, gaps, 0.9, color=_BAR)
    axes.vlines(x, low - part["confidence"], high - part["confidence"], color="#555555", linewidth=1.1)
    axes.axhline(0, color=_MARK, linewidth=0.8)
    axes.set_ylabel("distance")
    ruled(axes)
    axes.set_title("above 0: right more often than it says", loc="left")


def _name_bins(axes: Axes, part: pd.DataFrame) -> None:
    names = [
        _digits(low) if _digits(low) == _digits(high) else f"{_digits(low)}–{_digits(high).lstrip('> ')}"
        for low, high in zip(part["low"], part["high"], strict=True)
    ]
    axes.set_xticks(range(len(part)), names, rotation=40, ha="right", rotation_mode="anchor", fontsize=pt(8))
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


def confusion_figure(truth: Codes, guess: Codes, classes: Sequence[str], title: str) -> Drawing:
    """What play of each strategy was taken for.

    Parameters
    ----------
    truth, guess : (n,) int, the true class and the most probable one
    classes : K names
    title : str
    """
    k = len(classes)
    counts = np.zeros((k, k), dtype=np.intp)
    np.add.at(counts, (truth, guess), 1)
    lines = (
        "Rows: the strategy that was played. Columns: the most probable one. Cells: share of the row, and "
        "below it the number of trajectories.",
    )
    return Drawing(title, lambda: _draw_confusion(counts, classes), (*lines, _number(truth)))


def _draw_confusion(counts: Codes, classes: Sequence[str]) -> Figure:
    k = len(classes)
    figure, axes = canvas(max(6.5, 2.4 + 0.95 * k), max(4.2, 1.6 + 0.62 * k))
    rows = counts.sum(1, keepdims=True)
    shares = np.where(rows > 0, counts / np.maximum(rows, 1), np.nan)
    texts = [
        [f"{share:.3f}\n{count:,}" if count else "" for share, count in zip(row, numbers, strict=True)]
        for row, numbers in zip(shares, counts, strict=True)
    ]
    text_map(axes, shares, texts, vmin=0, vmax=1)
    names = [wrapped(name, 14) for name in classes]
    axes.set_xticks(
        range(k), names, rotation=0 if k <= _LEVEL else 60, ha="center" if k <= _LEVEL else "right"
    )
    axes.set_yticks(range(k), names)
    axes.set_xlabel("taken for")
    axes.set_ylabel("played")
    return figure


_LEVEL = 8
"""Names beside each other that need no turning."""


def regret_figure(
    truth: Codes, hit: NDArray[np.bool_], rule: NDArray[np.bool_], classes: Sequence[str], title: str
) -> Drawing:
    """Where the recogniser is right less often than the exact rule, by strategy.

    Parameters
    ----------
    truth : (n,) int
    hit, rule : (n,) bool, whether the recogniser and the exact Bayes rule are right
    classes : K names
    title : str
    """
    lines = (
        "Share of the play of each strategy that is recognised, by the recogniser and by the exact rule, "
        f"on the same play; right: the difference, with {interval_words(0.95, 'paired proportions')}.",
    )
    return Drawing(title, lambda: _draw_regret(truth, hit, rule, classes), (*lines, _number(truth)))


def _number(truth: Codes) -> str:
    return f"n: {len(truth):,} trajectories."


def _draw_regret(
    truth: Codes, hit: NDArray[np.bool_], rule: NDArray[np.bool_], classes: Sequence[str]
) -> Figure:
    parts = [(name, truth == k) for k, name in enumerate(classes) if (truth == k).any()]
    parts = [("all", np.ones(len(truth), dtype=bool)), *parts]
    figure, (left, right) = canvas(9.0, 2.0 + 0.4 * len(parts), 1, 2, sharey=True, width_ratios=(1.4, 1))
    places = np.arange(len(parts))
    left.barh(places, [hit[of].mean() for _, of in parts], 0.62, color=_BAR, label="recogniser")
    left.plot(
        [rule[of].mean() for _, of in parts], places, "|", color=_MARK, markersize=15, label="exact rule"
    )
    left.set_yticks(places, [f"{wrapped(name)} (n = {int(of.sum()):,})" for name, of in parts])
    left.invert_yaxis()
    left.set_xlim(0, 1.02)
    left.set_xlabel("share recognised")
    left.legend(
        loc="upper center", bbox_to_anchor=(0.5, 1.0 + 0.55 / (0.4 * len(parts) + 1)), ncols=2, frameon=False
    )
    regrets = [paired_regret(rule[of], hit[of]) for _, of in parts]
    values = [regret.value for regret in regrets]
    right.errorbar(
        values,
        places,
        xerr=[_Z * regret.standard_error for regret in regrets],
        fmt="o",
        color=_MARK,
        capsize=3,
    )
    right.axvline(0, color=_MARK, linewidth=0.8)
    right.set_xlabel("regret: rule less recogniser")
    right.locator_params(axis="x", nbins=5)
    for axes in (left, right):
        ruled(axes, "x")
    return figure
