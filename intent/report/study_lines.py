"""Figures of a study along one axis: regret by opponent, regret by size of training, calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from intent.report.study_maps import grid_shape
from intent.report.style import palette, wrapped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_by_opponent", "draw_by_size", "draw_reliability"]

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
    figure, axes = _row(
        len(sets), across=3.4, down=1.2 + (0.35 + 0.075 * len(labels)) * len(opponents), share="y"
    )
    for ax, name in zip(axes, sets, strict=True):
        part = table[table["set"] == name]
        means = part.groupby(["label", "opponent"])["regret_known"].mean()
        ceilings = part.groupby("opponent")["ceiling_known"].mean()
        for s, label in enumerate(labels):
            offset = (s - (len(labels) - 1) / 2) * 0.62 / max(1, len(labels)) + 0.1
            places = [(means[label, o], i + offset) for i, o in enumerate(opponents) if (label, o) in means]
            x, y = [max(_LEAST, value) for value, _ in places], [at for _, at in places]
            ax.plot(x, y, _marker(s), color=_tone(s, labels), markersize=7, markeredgecolor="white", mew=0.5)
        for i, o in enumerate(opponents):
            if o in ceilings:
                ax.text(
                    1.0, i - 0.42, f"ceiling {ceilings[o]:.3f}", transform=ax.get_yaxis_transform(),
                    ha="right", va="top", fontsize=7, color="#555555",
                )  # fmt: skip
            ax.axhline(i + 0.5, color="#E5E5E5", linewidth=0.8, zorder=0)
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
    figure, axes = _row(len(sets), across=2.9, down=3.2, share="y")
    for ax, name in zip(axes, sets, strict=True):
        means = table[table["set"] == name].groupby(["label", "train_size"])["regret_known"].mean()
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
    from matplotlib.figure import Figure

    labels, sets = (_values(table, name) for name in ("label", "set"))
    wide, high = grid_shape(len(labels))
    figure = Figure(figsize=(max(7.5, 1.4 + 2.2 * wide), 1.5 + 2.1 * high), layout="constrained")
    grid = figure.subplots(high, wide, squeeze=False, sharex=True, sharey=True).ravel()
    for i, ax in enumerate(grid):
        ax.set_visible(i < len(labels))
        if i >= len(labels):
            continue
        ax.plot([0, 1], [0, 1], color="#999999", linewidth=0.8, linestyle=(0, (4, 3)))
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
                clip_on=False,
            )
        ax.set_title(wrapped(labels[i], 19), loc="left", fontweight="bold")
        ax.text(0.99, 0.03, "ECE " + " / ".join(errors), transform=ax.transAxes, ha="right", fontsize=7.5)
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
    sums = weighted.groupby("tenth")[["confidence", "accuracy", "mass"]].sum()
    kept = sums[sums["mass"] >= sums["mass"].sum() / 1000]
    return kept.div(kept["mass"], axis=0).assign(mass=kept["mass"] / sums["mass"].sum())


def _row(wide: int, across: float, down: float, share: str) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(max(7.5, 2.4 + wide * across), 1.1 + down), layout="constrained")
    axes = figure.subplots(1, wide, squeeze=False, sharey=share == "y", sharex=False)
    return figure, axes[0]


def _log_percent(axes: Axes, which: str) -> None:
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
    axes.grid(axis="x" if which == "x" else "y", color="#EEEEEE", linewidth=0.8)
    axes.set_axisbelow(True)


def _legend(figure: Figure, names: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [], [], color=_tone(s, names), marker=_marker(s), markeredgecolor="white", label=wrapped(name, 24)
        )
        for s, name in enumerate(names)
    ]
    figure.legend(handles=handles, loc="outside right upper", frameon=False)


def _values(table: pd.DataFrame, name: str) -> list[str]:
    return [str(value) for value in dict.fromkeys(table[name])]


def _tone(s: int, names: Sequence[str]) -> str:
    return palette(len(names))[s]


def _marker(s: int) -> str:
    return _MARKERS[s % len(_MARKERS)]
