"""All figures of a study, with titles and captions, written to a folder.

Figures of a study along one axis: regret by opponent, regret by size of training, calibration.

Heat maps of a study: regret by noise and rounds, and by noise of training and of testing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from intent.figures.style import (
    FAINT,
    Drawing,
    canvas,
    colour_bar,
    columns_of,
    hide,
    legend_of,
    palette,
    pt,
    ruled,
    text_map,
    wrapped,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = [
    "REGRET",
    "draw_by_opponent",
    "draw_by_size",
    "draw_mismatch",
    "draw_regret_maps",
    "draw_reliability",
    "grid_shape",
    "write_study_figures",
]


_EDGES = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 100.0)
"""Classes of regret in percentage points, one colour each: they matter from tenths to tens."""

_PANELS_PER_ROW = 5


def draw_regret_maps(table: pd.DataFrame) -> Figure:
    """A panel per recogniser, rows by number of rounds, columns by noise.

    Parameters
    ----------
    table : columns label, rounds, noise, regret_known; one row per cell
    """
    labels = list(dict.fromkeys(table["label"]))
    wide, high = grid_shape(len(labels))
    figure, grid = canvas(max(7.5, 1.6 + 2.75 * wide), 1.7 + 2.3 * high, high, wide, squeeze=False)
    image = None
    for i, axes in enumerate(grid.ravel()):
        axes.set_visible(i < len(labels))
        if i >= len(labels):
            continue
        part = table[table["label"] == labels[i]]
        image = _map(
            axes, part.pivot_table(index="rounds", columns="noise", values="regret_known", observed=True)
        )
        axes.set_title(wrapped(labels[i], 30), loc="left", fontweight="bold")
        axes.set_xlabel("noise of the play" if i + wide >= len(labels) else "")
        axes.set_ylabel("rounds" if i % wide == 0 else "")
    _colour_bar(figure, image, grid)
    return figure


def draw_mismatch(table: pd.DataFrame, noises: Sequence[str]) -> Figure:
    """A panel per set and recogniser, rows by noise of training, columns by noise of the play.

    Parameters
    ----------
    table : columns label, set, train_noise, noise, regret_known; the mean of several rows is shown
    noises : of training, in order
    """
    labels, sets = (list(dict.fromkeys(table[name])) for name in ("label", "set"))
    turned = columns_of(len(labels), 1.75) < len(labels)
    wide, high = (len(sets), len(labels)) if turned else (len(labels), len(sets))
    figure, grid = canvas(max(7.5, 1.6 + 2.75 * wide), 1.7 + 1.75 * high, high, wide, squeeze=False)
    image = None
    for i, j in np.ndindex(len(sets), len(labels)):
        part = table[(table["set"] == sets[i]) & (table["label"] == labels[j])]
        axes = grid[j, i] if turned else grid[i, j]
        axes.set_visible(len(part) > 0)
        if not len(part):
            continue
        values = part.pivot_table(index="train_noise", columns="noise", values="regret_known", observed=True)
        image = _map(axes, values.reindex([n for n in noises if n in values.index]))
        row, column = (j, i) if turned else (i, j)
        title = f"{labels[j]}\n{sets[i]}" if turned or i == 0 else sets[i]
        axes.set_title(title, loc="left", fontweight="bold")
        axes.set_xlabel("noise of the play" if row == high - 1 else "")
        axes.set_ylabel("noise of training" if column == 0 else "")
    _colour_bar(figure, image, grid)
    return figure


def grid_shape(panels: int) -> tuple[int, int]:
    """Columns and rows of a grid of panels: as few places left empty as can be, then as wide as can be."""
    most = columns_of(min(_PANELS_PER_ROW, panels), 1.75)
    wide = min(range(most, min(most, 3) - 1, -1), key=lambda w: (-panels % w, -w))
    return wide, math.ceil(panels / wide)


def _map(axes: Axes, values: pd.DataFrame) -> Any:
    from matplotlib import colormaps
    from matplotlib.colors import BoundaryNorm

    percent = values.to_numpy(dtype=float).round(6) * 100 + 0.0
    colours = colormaps["YlOrRd"].resampled(len(_EDGES) - 1)
    shown = np.clip(percent, 0, _EDGES[-1] - 1e-9)
    texts = [["" if x != x else f"{x:.2f}" if x < 9.995 else f"{x:.1f}" for x in row] for row in percent]
    image = text_map(axes, shown, texts, sizes=(8, 8), cmap=colours, norm=BoundaryNorm(_EDGES, colours.N))
    axes.set_xticks(range(values.shape[1]), [f"{eps:g}" for eps in values.columns])
    axes.set_yticks(range(values.shape[0]), [str(name) for name in values.index])
    return image


def _colour_bar(figure: Figure, image: Any, grid: Any) -> None:
    scale: dict[str, Any] = {"ticks": _EDGES, "spacing": "uniform", "aspect": 28, "pad": 0.015}
    bar = colour_bar(figure, image, grid, "regret (percentage points)", **scale)
    bar.set_ticks(_EDGES, labels=[f"{edge:g}" for edge in _EDGES])


_MARKERS = "osD^vPX*h<>d"
_LEAST = 1e-4
"""Regret below this is drawn here, on a scale of logarithms."""


def draw_by_opponent(table: pd.DataFrame) -> Figure:
    """A panel per set: regret of each recogniser against each opponent, with the ceiling there.

    Parameters
    ----------
    table : columns label, set, opponent, regret_known, ceiling_known; the mean of several rows is shown
    """
    labels, sets, opponents = (_values(table, name) for name in ("label", "set", "opponent"))
    figure, axes = _row(len(sets), across=3.4, down=1.2 + (0.35 + 0.075 * len(labels)) * len(opponents))
    for ax, name in zip(axes, sets, strict=True):
        part = table[table["set"] == name]
        means = part.groupby(["label", "opponent"], observed=True)["regret_known"].mean()
        ceilings = part.groupby("opponent", observed=True)["ceiling_known"].mean()
        for s, label in enumerate(labels):
            offset = (s - (len(labels) - 1) / 2) * 0.62 / max(1, len(labels)) + 0.1
            places = [(means[label, o], i + offset) for i, o in enumerate(opponents) if (label, o) in means]
            x, y = [max(_LEAST, value) for value, _ in places], [at for _, at in places]
            ax.plot(x, y, _marker(s), color=_tone(s, labels), markersize=7, markeredgecolor="white", mew=0.5)
        for i, o in enumerate(opponents):
            if o in ceilings:
                ax.text(
                    1.0, i - 0.42, f"ceiling {ceilings[o]:.3f}", transform=ax.get_yaxis_transform(),
                    ha="right", va="top", fontsize=pt(7), color="#555555",
                )  # fmt: skip
            ax.axhline(i + 0.5, color="#E5E5E5", linewidth=0.8, zorder=0, gid=FAINT)
        _log_percent(ax, "x")
        ax.set_xlabel("regret (percentage points)")
        ax.set_title(name, loc="left", fontweight="bold")
    axes[0].set_yticks(range(len(opponents)), [wrapped(o, 14) for o in opponents])
    axes[0].set_ylim(len(opponents) - 0.45, -0.55)
    axes[0].set_ylabel("opponent")
    _legend(figure, labels)
    return figure


def draw_by_size(table: pd.DataFrame, sizes: Sequence[str]) -> Figure:
    """A panel per set: regret of each recogniser by how much play it learned from.

    Parameters
    ----------
    table : columns label, set, train_size, regret_known; the mean of several rows is shown
    sizes : in order
    """
    labels, sets = (_values(table, name) for name in ("label", "set"))
    sizes = [size for size in sizes if size in set(table["train_size"])]
    figure, axes = _row(len(sets), across=2.9, down=3.2)
    for ax, name in zip(axes, sets, strict=True):
        means = (
            table[table["set"] == name].groupby(["label", "train_size"], observed=True)["regret_known"].mean()
        )
        for s, label in enumerate(labels):
            known = [(i, max(_LEAST, means[label, z])) for i, z in enumerate(sizes) if (label, z) in means]
            x, y = [i for i, _ in known], [value for _, value in known]
            ax.plot(
                x,
                y,
                f"-{_marker(s)}",
                color=_tone(s, labels),
                markeredgecolor="white",
                mew=0.5,
                linewidth=1.6,
            )
        _log_percent(ax, "y")
        ax.set_ylim(top=1.0 if table["regret_known"].max() > 0.1 else 0.1)
        ax.set_xticks(range(len(sizes)), [f"{int(z):,}" if z.isdigit() else z for z in sizes])
        ax.set_xlim(-0.4, len(sizes) - 0.6)
        ax.set_xlabel("training trajectories")
        ax.set_title(name, loc="left", fontweight="bold")
    axes[0].set_ylabel("regret (percentage points)")
    _legend(figure, labels)
    return figure


def draw_reliability(table: pd.DataFrame) -> Figure:
    """A panel per recogniser: accuracy by confidence, a line per set; the area of a dot is its share.

    Parameters
    ----------
    table : columns label, set, confidence, accuracy, mass, ece; one row per bin of confidence
        ece is that of the finer bins; drawn are tenths of confidence.
    """
    labels, sets = (_values(table, name) for name in ("label", "set"))
    wide, high = grid_shape(len(labels))
    size = (max(7.5, 1.4 + 2.2 * wide), 1.5 + 2.1 * high)
    figure, grid = canvas(*size, high, wide, squeeze=False, sharex=True, sharey=True)
    for i, ax in enumerate(grid.flat):
        ax.set_visible(i < len(labels))
        if i >= len(labels):
            continue
        ax.plot([0, 1], [0, 1], color="#767676", linewidth=0.8, linestyle=(0, (4, 3)))
        errors = []
        for s, name in enumerate(sets):
            part = table[(table["label"] == labels[i]) & (table["set"] == name)]
            if not len(part):
                continue
            errors.append(f"{part['ece'].iloc[0]:.3f}")
            coarse = _coarse(part)
            area = 120 * coarse["mass"] + 4
            ax.plot(coarse["confidence"], coarse["accuracy"], color=_tone(s, sets), linewidth=1)
            ax.scatter(
                coarse["confidence"],
                coarse["accuracy"],
                s=area,
                color=_tone(s, sets),
                linewidths=0,
                marker=_marker(s),
                clip_on=False,
            )
        ax.set_title(wrapped(labels[i], 19), loc="left", fontweight="bold")
        ax.text(0.99, 0.03, "ECE " + " / ".join(errors), transform=ax.transAxes, ha="right", fontsize=pt(7.5))
        ax.set_aspect("equal")
        ax.set_xlim(0, 1.02)
        ax.set_ylim(0, 1.02)
        ax.set_xlabel("confidence" if i + wide >= len(labels) else "")
        ax.set_ylabel("accuracy" if i % wide == 0 else "")
        ax.tick_params(labelbottom=i + wide >= len(labels))
    _legend(figure, sets)
    return figure


def _coarse(bins: pd.DataFrame) -> pd.DataFrame:
    """Tenths of confidence that hold at least a thousandth of the mass (as shares)."""
    weighted = bins.assign(
        tenth=(bins["confidence"] * 10 - 1e-9).astype(int),
        confidence=bins["confidence"] * bins["mass"],
        accuracy=bins["accuracy"] * bins["mass"],
    )
    sums = weighted.groupby("tenth", observed=True)[["confidence", "accuracy", "mass"]].sum()
    frequent = sums[sums["mass"] >= sums["mass"].sum() / 1000]
    return frequent.div(frequent["mass"], axis=0).assign(mass=frequent["mass"] / sums["mass"].sum())


def _row(wide: int, across: float, down: float) -> tuple[Figure, Any]:
    beside = columns_of(wide, 0.7 * across)
    high = -(-wide // beside)
    size = (max(7.5, 2.4 + wide * across), 1.1 + down * high)
    figure, grid = canvas(*size, high, beside, squeeze=False, sharey=True)
    for axes in grid.flat[wide:]:
        hide(axes)
    return figure, grid.flat[:wide]


def _log_percent(axes: Axes, which: Literal["x", "y"]) -> None:
    """A scale of logarithms with ticks in percentage points; the lowest stands for all below it."""
    from matplotlib.ticker import NullLocator

    ticks = [1e-4, 1e-3, 1e-2, 1e-1, 1.0]
    texts = ["≤ 0.01", "0.1", "1", "10", "100"]
    calls: dict[str, Any] = {
        "x": (axes.set_xscale, axes.set_xlim, axes.set_xticks, axes.xaxis),
        "y": (axes.set_yscale, axes.set_ylim, axes.set_yticks, axes.yaxis),
    }
    set_scale, set_limits, set_ticks, axis = calls[which]
    set_scale("log")
    set_ticks(ticks, texts)
    set_limits(_LEAST * 0.8, 1.0)
    axis.set_minor_locator(NullLocator())
    ruled(axes, which)


def _legend(figure: Figure, names: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [], [], color=_tone(s, names), marker=_marker(s), markeredgecolor="white", label=wrapped(name, 24)
        )
        for s, name in enumerate(names)
    ]
    legend_of(figure, handles)


def _values(table: pd.DataFrame, name: str) -> list[str]:
    return [str(value) for value in dict.fromkeys(table[name])]


def _tone(s: int, names: Sequence[str]) -> str:
    return palette(len(names))[s]


def _marker(s: int) -> str:
    return _MARKERS[s % len(_MARKERS)]


REGRET = (
    "Regret: accuracy of the exact Bayes rule that knows the noise of the play, minus that of the "
    "recogniser, which does not know it (unless it says so); on the same play."
)


def write_study_figures(
    folder: Path,
    *,
    best: pd.DataFrame,
    opponent: str,
    learners: pd.DataFrame,
    sizes: Sequence[str],
    noises: Sequence[str],
    reliability: pd.DataFrame,
    trained: str,
    n: int,
) -> list[Path]:
    """Write the figures for which there are cells, as .png.

    Parameters
    ----------
    folder : where to write
    best : cells of each recogniser as trained most generally (label, set, opponent, rounds, noise, ...)
    opponent : the opponent of the maps
    learners : cells against it of all that were trained, with label, train_size and train_noise
    sizes, noises : of training, in order
    reliability : as `draw_reliability`
    trained : how the recognisers of `best` were trained, in a sentence
    n : trajectories per point
    """
    tests = f"{n:,} fresh trajectories a point, shared by all recognisers."
    against = f"Opponent: {opponent}."
    written = []

    def write(name: str, title: str, lines: Sequence[str], draw: Callable[[], Figure]) -> None:
        drawing = Drawing(title, draw, lines)
        written.append(drawing.write(folder / f"{name}.png", description=" ".join(lines), overwrite=True))

    met = best[best["opponent"] == opponent]
    for set_name, part in met.groupby("set", sort=False, observed=True):
        write(
            f"regret_{set_name}",
            f"Regret by noise and rounds, {set_name}",
            [REGRET, f"{trained} {against} {tests}"],
            partial(draw_regret_maps, part),
        )
    if best["opponent"].nunique() > 1:
        common = best.groupby("opponent", observed=True)["rounds"].max().min()
        write(
            "regret_by_opponent",
            "Regret by opponent",
            [
                REGRET + " Means over the noise of the play and over rounds up to "
                f"{common}, which all opponents have.",
                f"Ceiling: accuracy of that rule. {trained} {tests}",
            ],
            partial(draw_by_opponent, best[best["rounds"] <= common]),
        )
    for parts in _of_training(learners, sizes, noises, f"{against} {tests}"):
        write(*parts)
    if len(reliability):
        write(
            "calibration",
            "Are the probabilities right?",
            [
                "Accuracy of the most probable class by its probability, all noise levels and rounds "
                "together; on the dashed line the two agree. ECE: mean distance, in the order of the legend.",
                f"{trained} {against} {tests}",
            ],
            partial(draw_reliability, reliability),
        )
    return written


def _of_training(
    learners: pd.DataFrame, sizes: Sequence[str], noises: Sequence[str], ending: str
) -> Iterator[tuple[str, str, Sequence[str], Callable[[], Figure]]]:
    """Name, title, caption and drawing of what noise and size of training do, where several were tried."""
    several = learners[learners["train_size"] == _shared_size(learners, sizes)]
    several = several[
        several.groupby(["label", "set"], observed=True)["train_noise"].transform("nunique") > 1
    ]
    if len(several):
        size = str(several["train_size"].iloc[0])
        trained = f"Trained on {int(size):,} trajectories. " * size.isdigit()
        yield (
            "mismatch",
            "Regret by noise of training and of the play",
            [REGRET, f"{trained}Means over rounds. {ending}"],
            partial(draw_mismatch, several, noises),
        )
    widest = learners[learners["train_noise"] == (noises[-1] if noises else "")]
    if widest["train_size"].nunique() > 1:
        trained = f"Trained with noise {noises[-1].replace('-', ' to ')}."
        yield (
            "regret_by_size",
            "Regret by size of training",
            [REGRET, f"{trained} Means over noise and rounds. {ending}"],
            partial(draw_by_size, widest, sizes),
        )


def _shared_size(learners: pd.DataFrame, sizes: Sequence[str]) -> str:
    """The size at which most recognisers were trained with several noises; of equals the last."""
    counts = learners.groupby(["train_size", "label", "set"], observed=True)["train_noise"].nunique()
    shared = counts[counts > 1].groupby("train_size", observed=True).size()
    if shared.empty:
        return ""
    return max((s for s in sizes if s in shared), key=lambda s: (shared[s], sizes.index(s)))
