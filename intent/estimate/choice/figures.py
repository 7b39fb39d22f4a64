"""Figures of a comparison of models of choice: losses, losses by round, portraits of types, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from intent.base.errors import UsageError
from intent.base.statistics import interval_words
from intent.estimate.choice.checks import Check, outcome_names
from intent.estimate.choice.choices import COOPERATION
from intent.estimate.choice.heldout import CLUSTERED_T
from intent.estimate.choice.scores import ModelRow
from intent.figures.style import (
    MARKERS,
    Drawing,
    canvas,
    columns_of,
    legend_of,
    name_rows,
    narrow,
    palette,
    percent_axis,
    pt,
    ruled,
    text_map,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FIGURES", "Compared", "checks_figure", "losses_figure", "rounds_figure", "types_figure"]

_DARK, _PALE, _OUT = "#222222", "#767676", "#C1432E"
_MOST_LINES = 8
_MOST_TYPES = 24


class Compared(Protocol):
    """What the figures need of a result."""

    @property
    def rows(self) -> tuple[ModelRow, ...]:
        """The models."""
        ...

    @property
    def best(self) -> str | None:
        """Name of the best readable one."""
        ...

    @property
    def ceiling(self) -> str | None:
        """Name of the best flexible one."""
        ...

    @property
    def n_moves(self) -> int:
        """Moves predicted."""
        ...

    @property
    def actions(self) -> tuple[str, ...]:
        """What is chosen among."""
        ...

    @property
    def checks(self) -> tuple[Check, ...]:
        """Of simulated play."""
        ...

    @property
    def config(self) -> Mapping[str, Any]:
        """Settings."""
        ...

    def row(self, name: str) -> ModelRow:
        """The row of a model."""
        ...


def losses_figure(result: Compared) -> Drawing:
    """Held-out log loss of each model, and the share of what can be predicted that it explains."""
    rows = _scored(result)
    lines = [
        f"Points: mean over {result.n_moves:,} moves, each predicted by models fitted without its "
        f"{' × '.join(result.config['held_out'])}; lines: "
        f"{interval_words(result.config['level'], CLUSTERED_T)}. "
        "Filled: a person can read the model."
    ]
    if result.ceiling is not None:
        lines.append(
            f"Explained: the part of what {result.ceiling} predicts better than the base rate that a model "
            "predicts, too."
        )
    return Drawing("What predicts the next move", lambda: _draw_losses(result, rows), lines)


def _draw_losses(result: Compared, rows: list[ModelRow]) -> Figure:
    explained = [row for row in rows if np.isfinite(row.explained.estimate)]
    figure, axes = canvas(10, 1.6 + 0.34 * len(rows), 1, 2 if explained else 1, sharey=True, squeeze=False)
    left = axes[0, 0]
    for i, row in enumerate(rows):
        _whisker(left, i, row.loss, filled=row.interpretable)
        if explained and np.isfinite(row.explained.estimate):
            _whisker(axes[0, 1], i, row.explained, filled=row.interpretable)
    marks = {result.best: "best readable", result.ceiling: "ceiling"}
    names = [row.name + (f" ({marks[row.name]})" if row.name in marks else "") for row in rows]
    name_rows(left, [wrapped(name.replace(":", ": "), 18) for name in names] if narrow() else names)
    left.set_xlabel("held-out log loss (nats per move)")
    ruled(left, "x")
    if explained:
        right = axes[0, 1]
        right.set_xlabel("explained (%)")
        percent_axis(right.xaxis)
        right.axvline(1, color=_PALE, linewidth=1, linestyle=":")
        right.tick_params(axis="y", length=0)
        ruled(right, "x")
    return figure


def _whisker(axes: Axes, at: int, value: Any, *, filled: bool) -> None:
    if np.isfinite(value.low):
        axes.plot([value.low, value.high], [at, at], color=_DARK, linewidth=1.4)
    face = _DARK if filled else "white"
    axes.plot([value.estimate], [at], marker="o", markersize=6, color=_DARK, markerfacecolor=face)


def rounds_figure(result: Compared) -> Drawing:
    """Loss of each model by round."""
    rows = _scored(result)
    if len(rows) > _MOST_LINES:
        step = (len(rows) - 1) / (_MOST_LINES - 1)
        chosen = {round(i * step) for i in range(_MOST_LINES)}
        wanted = {result.best, result.ceiling}
        rows = [row for i, row in enumerate(rows) if i in chosen or row.name in wanted]
    lines = [
        f"{len(rows)} of {len(_scored(result))} models. The gap between two lines is what one knows more."
    ]
    return Drawing("Log loss by round", lambda: _draw_rounds(rows), lines)


def _draw_rounds(rows: list[ModelRow]) -> Figure:
    figure, axes = canvas(9.5, 5)
    for i, (row, tone) in enumerate(zip(rows, palette(len(rows)), strict=True)):
        t = np.arange(1, len(row.rounds) + 1)
        marker = MARKERS[i % len(MARKERS)] if len(t) <= 30 else None
        style = "-" if row.interpretable else "--"
        axes.plot(t, row.rounds, style, color=tone, marker=marker, markersize=5, label=row.name)
    axes.set_xlabel("round")
    axes.set_ylabel("held-out log loss (nats per move)")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_ylim(bottom=0)
    ruled(axes)
    legend_of(figure, axes.get_legend_handles_labels()[0], "model")
    return figure


def types_figure(result: Compared) -> Drawing:
    """How each type of the best readable model answers, and what plays like it.

    Raises
    ------
    UsageError
        The best readable model has no types.
    """
    row = None if result.best is None else result.row(result.best)
    if row is None or not row.types:
        raise UsageError(f"{result.best} has no types to draw, expected a mixture as the best readable model")
    types = row.types[:_MOST_TYPES]
    title = f"Types of {row.name}"
    lines = [
        "Cells: P(cooperate) in the first round and after the last outcomes, own move first; empty: not met. "
        "Distance: root mean square difference from the noisy strategy over the moves of the type."
    ]
    if len(types) < len(row.types):
        lines.append(f"The {len(types)} largest of {len(row.types)} types.")
    return Drawing(title, lambda: _draw_types(row, _spread(row)), lines)


def _spread(row: ModelRow) -> bool:
    """Whether the answer to the last outcome depends on the one before it."""
    for portrait in row.types:
        table = [list(portrait.after_two[last::4]) for last in range(4)]
        for answers in table:
            known = [p for p in answers if p is not None]
            if known and max(known) - min(known) > 0.02:
                return True
    return False


def _draw_types(row: ModelRow, two: bool) -> Figure:
    types = row.types[:_MOST_TYPES]
    names = outcome_names(COOPERATION)
    columns = ["first"]
    columns += [f"{before}\n{last}" for last in names for before in names] if two else names
    values = np.full((len(types), len(columns)), np.nan)
    for i, portrait in enumerate(types):
        after = portrait.after
        if two:
            after = tuple(portrait.after_two[before * 4 + last] for last in range(4) for before in range(4))
        cells = (portrait.first, *after)
        values[i] = [np.nan if p is None else p for p in cells]
    texts = [["" if np.isnan(p) else f"{p:.2f}" for p in line] for line in values]
    figure, axes = canvas(4.8 + 0.5 * len(columns), 1.6 + 0.5 * len(types))
    axes.set_facecolor("#F4F4F4")
    text_map(axes, values, texts, places=(0.12, 0.25), cmap="RdBu", vmin=0, vmax=1)
    axes.set_xticks(range(len(columns)), columns, fontsize=pt(8.5))
    labels = []
    for portrait in types:
        share = f"{portrait.share:.0%}" + ("" if portrait.se is None else f" ± {portrait.se:.0%}")
        near = portrait.nearest[0] if portrait.nearest else None
        line = "" if near is None else f"\n{near.strategy}, noise {near.eps:.2f}: {near.distance:.2f} away"
        labels.append(f"{wrapped(portrait.name, 40)}: {share}{line}")
    axes.set_yticks(range(len(types)), labels, fontsize=pt(8.5))
    if two:
        for edge in (0.5, 4.5, 8.5, 12.5):
            axes.axvline(edge, color="white", linewidth=4)
        axes.set_xlabel("the round before the last, and below it the last round")
    return figure


def checks_figure(result: Compared) -> Drawing:
    """Simulated play of the best readable model beside the log: rounds, outcomes, streaks.

    Raises
    ------
    UsageError
        Nothing was simulated.
    """
    if not result.checks:
        raise UsageError("no play was simulated, expected --checks above 0 and a readable model")
    outside = sum(check.outside for check in result.checks)
    lines = [
        f"Points: the log; bars: 95 % of plays simulated from {result.best}; red: p of .05 "
        f"at most ({outside} of {len(result.checks)})."
    ]
    return Drawing(f"Does {result.best} play like this?", lambda: _draw_checks(result), lines)


def _draw_checks(result: Compared) -> Figure:
    kinds = {"round": "by round", "after": "after an outcome", "streak": "length of streaks"}
    parts = {kind: [c for c in result.checks if c.kind == kind] for kind in kinds}
    parts = {kind: checks for kind, checks in parts.items() if checks}
    widths = [max(3, min(len(checks), 24)) for checks in parts.values()]
    if columns_of(len(parts), 2.3) == len(parts):
        figure, axes = canvas(11.5, 4.2, 1, len(parts), squeeze=False, width_ratios=widths)
    else:
        figure, axes = canvas(4.8, 0.9 + 2.3 * len(parts), len(parts), 1, squeeze=False)
    two = result.actions == COOPERATION
    for ax, (kind, checks) in zip(axes.flat, parts.items(), strict=True):
        _panel(ax, checks)
        ax.set_title(kinds[kind], loc="left")
        rate = "share of moves that cooperate (%)" if two else "share of moves (%)"
        ax.set_ylabel("share of streaks (%)" if kind == "streak" else rate)
        if kind == "round" and len(checks) > 20:
            at = np.linspace(0, len(checks) - 1, 8).astype(int)
            ax.set_xticks(at, [checks[i].name for i in at])
        else:
            ax.set_xticks(range(len(checks)), [check.name for check in checks])
        ax.set_xlabel({"round": "round", "after": "outcome of the round before", "streak": "moves"}[kind])
    return figure


def _panel(axes: Axes, checks: list[Check]) -> None:
    for i, check in enumerate(checks):
        axes.bar(
            i,
            check.high - check.low,
            bottom=check.low,
            width=0.7,
            color="#C9D6E4",
            edgecolor="#5B7FA6",
            linewidth=0.6,
        )
        axes.plot([i - 0.35, i + 0.35], [check.expected] * 2, color="#5B7FA6", linewidth=1.4)
        axes.plot([i], [check.observed], "o", color=_OUT if check.outside else _DARK, markersize=5)
    percent_axis(axes.yaxis)
    axes.set_ylim(bottom=0)
    ruled(axes)


def _scored(result: Compared) -> list[ModelRow]:
    """Rows with a loss, the largest first."""
    return sorted((row for row in result.rows if row.scored), key=lambda row: -row.loss.estimate)


FIGURES: dict[str, Callable[[Compared], Drawing]] = {
    "losses": losses_figure,
    "rounds": rounds_figure,
    "types": types_figure,
    "checks": checks_figure,
}
"""What a figure shows -> how it is drawn."""
