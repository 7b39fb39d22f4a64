"""Pictures of single groups: memory-one portraits, and where posteriors lie between the strategies.

A portrait is P(C) at the start and after each outcome, of groups and of the catalogue. A posterior lies in a
triangle, or on the net of a tetrahedron laid flat: a triangle of twice the side, one face in the middle, the
three others folded out, so that the fourth corner stands at all three tips. A posterior of four strategies
goes to the face of its three most probable ones; the fourth probability, mostly near 0, is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import DataError, UsageError
from intent.base.statistics import group_name, grouping
from intent.base.tables import keys_of_rows
from intent.behaviour.measures import SITUATIONS
from intent.figures.panels import check_sizes, panels
from intent.figures.style import (
    canvas,
    colour,
    colour_bar,
    columns_of,
    hide,
    key,
    narrow,
    outline,
    pt,
    room,
    text_map,
    wrapped,
)
from intent.strategies.sets import strategy_set

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "PORTRAIT_LINES",
    "REFERENCES",
    "draw_portraits",
    "draw_simplex",
    "posterior_points",
    "simplex_lines",
    "simplex_net",
]

REFERENCES = ("ALLC", "ALLD", "TFT", "DTFT", "WSLS", "GTFT", "EXTORT2", "BULLY")
"""Strategies of the catalogue that stand beside groups, unless others are asked for."""
PORTRAIT_LINES = (
    "P(C): share of cooperation in round 1 and after each joint outcome, own move first, all moves of a "
    "group together; below it the interval and the number of moves.",
    "Lower block: what strategies of the catalogue do without noise. Pale and hatched: never came about.",
)
_MOST_ROWS = 60
_TICKS = {"first": "first\nmove"} | {name: f"after\n{name}" for name in SITUATIONS[1:]}


def draw_portraits(
    table: pd.DataFrame, by: Sequence[str] = (), *, references: Sequence[str] = REFERENCES
) -> Figure:
    """A row per group, then one per strategy of the catalogue; columns are the situations.

    Parameters
    ----------
    table : DataFrame
        As `intent.behaviour.measures.portraits` gives it.
    references : names of strategies that remember one round

    Raises
    ------
    UsageError
        More than 60 rows.
    """
    keys = keys_of_rows(table, by)
    groups = list(dict.fromkeys(keys))
    cells_of = {
        (key, cell.situation): cell for key, cell in zip(keys, table.itertuples(index=False), strict=True)
    }
    named = [(s.name, s.memory_one_vector()) for name in references for s in strategy_set(name)]
    known = [(name, vector) for name, vector in named if vector is not None]
    n_rows = len(groups) + len(known)
    if n_rows > _MOST_ROWS:
        raise UsageError(
            f"{len(groups)} groups are too many for a figure of portraits, expected at most "
            f"{_MOST_ROWS - len(known)}"
        )
    heights = [0.62 * max(1, len(groups)), 0.34 * max(1, len(known))]
    figure, (upper, lower) = canvas(8.6, 2.3 + sum(heights), 2, 1, height_ratios=heights, sharex=True)
    image = _groups(upper, groups, cells_of)
    _catalogue(lower, known)
    upper.set_yticks(range(len(groups)), [wrapped(group_name(group), 28) for group in groups])
    upper.set_ylabel(wrapped(" · ".join(by), 30))
    upper.tick_params(labeltop=True, labelbottom=False)
    lower.tick_params(labelbottom=False)
    upper.set_xticks(range(len(SITUATIONS)), [_TICKS[name] for name in SITUATIONS])
    colour_bar(figure, image, [upper, lower], "P(C)", aspect=30)
    return figure


def _groups(axes: Axes, groups: Sequence[Any], cells_of: dict[Any, Any]) -> Any:
    values = np.full((max(1, len(groups)), len(SITUATIONS)), np.nan)
    texts = [["" for _ in row] for row in values]
    for i, group in enumerate(groups):
        for j, name in enumerate(SITUATIONS):
            cell = cells_of[group, name]
            values[i, j] = cell.estimate
            if not np.isnan(cell.estimate):
                ends = f"{cell.low:.2f}–{cell.high:.2f}"
                ends = ends.replace("0.", ".") if narrow() else ends
                texts[i][j] = f"{cell.estimate:.2f}\n{ends}\nn = {cell.n:,}"
    return _map(axes, values, texts, sizes=(9.5, 6.5), places=(0.2, 0.2))


def _catalogue(axes: Axes, known: Sequence[tuple[str, Any]]) -> None:
    if not known:
        axes.set_visible(False)
        return
    values = np.array([vector for _, vector in known], dtype=float)
    texts = [[f"{value:.2f}".rstrip("0").rstrip(".") or "0" for value in row] for row in values]
    _map(axes, values, texts, sizes=(8, 8))
    axes.set_yticks(range(len(known)), [name for name, _ in known], fontsize=pt(8.5))
    axes.set_ylabel("catalogue")


def _map(axes: Axes, values: NDArray[np.float64], texts: Sequence[Sequence[str]], **how: Any) -> Any:
    """Cells from 0 (red) over .5 (white) to 1 (blue); hatched where there is no value."""
    from matplotlib.patches import Rectangle

    for (i, j), value in np.ndenumerate(values):
        if np.isnan(value):
            axes.add_patch(
                Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor="#F4F4F4", edgecolor="#DDDDDD", hatch="///")
            )
    return text_map(axes, values, texts, cmap="RdBu", vmin=0, vmax=1, **how)


_H = np.sqrt(3) / 2
_TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, _H]])
_MIDDLE = np.array([[1.0, 0.0], [1.5, _H], [0.5, _H]])
_TIPS = np.array([[1.0, 2 * _H], [0.0, 0.0], [2.0, 0.0]])
"""Tip k is the fourth corner of the face without corner k of the middle one."""


@dataclass(frozen=True, eq=False)
class Net:
    """Corners, edges and points in the plane.

    Parameters
    ----------
    corners : list of (name index, (2,) place), one or three places per strategy
    edges : list of (2, 2), ends of the lines to draw
    points : (n, 2)
    left_out : (n,), probability that a place does not show
    """

    corners: list[tuple[int, NDArray[np.float64]]]
    edges: list[NDArray[np.float64]]
    points: NDArray[np.float64]
    left_out: NDArray[np.float64]


def simplex_net(posterior: NDArray[np.float64]) -> Net:
    """Places of posteriors over three or four strategies.

    Of four, the last is the one at the three tips.

    Parameters
    ----------
    posterior : (n, 3) or (n, 4), rows sum to one

    Returns
    -------
    Net
    """
    if posterior.shape[1] == 3:
        edges = [_TRIANGLE[[a, b]] for a, b in ((0, 1), (1, 2), (2, 0))]
        return Net(list(enumerate(_TRIANGLE)), edges, posterior @ _TRIANGLE, np.zeros(len(posterior)))
    least = posterior.argmin(axis=1)
    least = np.where(posterior[:, 3] <= posterior.min(axis=1), 3, least)
    rows = np.arange(len(posterior))
    left_out = posterior[rows, least]
    shown = posterior.copy()
    shown[rows, least] = 0.0
    shown /= shown.sum(axis=1, keepdims=True)
    points = np.empty((len(posterior), 2))
    for face in range(4):
        places = np.vstack([_MIDDLE, np.zeros(2) if face == 3 else _TIPS[face]])
        inside = least == face
        points[inside] = shown[inside] @ places
    corners = [*enumerate(_MIDDLE), *((3, tip) for tip in _TIPS)]
    outline = [_TIPS[[a, b]] for a, b in ((0, 1), (1, 2), (2, 0))]
    inner = [_MIDDLE[[a, b]] for a, b in ((0, 1), (1, 2), (2, 0))]
    return Net(corners, [*outline, *inner], points, left_out)


_MOST = 4
_GRAIN = 100
"""Posteriors that agree to a hundredth are one point."""


@dataclass(frozen=True, eq=False)
class PosteriorPoints:
    """Distinct posteriors over three or four strategies.

    Parameters
    ----------
    names : tuple of str, the strategies
    by : tuple of str, columns that make the groups
    table : DataFrame
        `by`, one ``p_<STRATEGY>`` per name (rows sum to one), outcome (the label, or the status where there
        is none), n: trajectories.
    elsewhere : float
        Mean probability of strategies that are not among the names.
    dropped : int
        Trajectories that give them more than half, and are no point.
    """

    names: tuple[str, ...]
    by: tuple[str, ...]
    table: pd.DataFrame
    elsewhere: float
    dropped: int


def posterior_points(labels: pd.DataFrame, classes: Sequence[str], by: Sequence[str] = ()) -> PosteriorPoints:
    """Group labels by where their posterior lies.

    1. Of more than four classes keep the four most probable on average; leave out trajectories that give the
       others more than half, and divide by the sum of the rest.
    2. Of four put the one that is least probable on average last.
    3. Count equal posteriors, to a hundredth, in each group.

    Parameters
    ----------
    labels : DataFrame
        A table of labels.
    classes : sequence of str
        At least three, in the order of the recogniser.

    Raises
    ------
    UsageError
        Fewer than three classes.
    DataError
        Posteriors that do not sum to one.
    """
    if len(classes) < 3:
        raise UsageError(
            f"{len(classes)} strategies in the table ({', '.join(classes)}), expected at least 3"
        )
    prefix = codebook.PROBABILITY_PREFIX
    p = labels[[f"{prefix}{name}" for name in classes]].to_numpy(dtype=float, na_value=np.nan)
    known = np.isfinite(p).all(axis=1)
    if ((p[known] < -1e-9) | (np.abs(p[known].sum(axis=1, keepdims=True) - 1) > 1e-6)).any():
        raise DataError(f"columns {prefix}… are no posteriors, expected rows that sum to one")
    order = np.argsort(-p[known].mean(axis=0), kind="stable")[:_MOST] if known.any() else np.arange(_MOST)
    chosen = [*sorted(order[:-1]), order[-1]] if len(order) == _MOST else sorted(order)
    inside = p[:, chosen].sum(axis=1)
    shown = known & (inside > 0.5)
    names = tuple(classes[k] for k in chosen)
    rows = labels.loc[shown].reset_index(drop=True)
    scaled = p[shown][:, chosen] / inside[shown, None]
    rounded = np.round(scaled * _GRAIN) / _GRAIN
    groups = grouping(rows, by)
    outcome = rows["label"].astype(object).where(rows["status"] == "confident", rows["status"]).astype(str)
    points = pd.DataFrame({f"{prefix}{name}": rounded[:, k] for k, name in enumerate(names)})
    points.insert(0, "_group", groups.codes)
    points["outcome"] = outcome.to_numpy()
    counted = points.groupby(list(points.columns), sort=True, observed=True).size().rename("n").reset_index()
    values = [groups.values[code] for code in counted.pop("_group")]
    for i, column in enumerate(by):
        counted.insert(i, column, [value[i] for value in values])
    cells = [f"{prefix}{name}" for name in names]
    counted[cells] = counted[cells].div(counted[cells].sum(axis=1), axis=0)
    elsewhere = float(1 - inside[known].mean()) if known.any() else 0.0
    return PosteriorPoints(names, tuple(by), counted, max(elsewhere, 0.0), int((known & ~shown).sum()))


_WIDE = 4
_LARGEST = 900.0
"""Area of the disc of a whole group, in square points."""
_LEAST = 6.0


def draw_simplex(points: PosteriorPoints) -> Figure:
    """A panel per group: discs whose area is the share of the group's trajectories with that posterior.

    Raises
    ------
    UsageError
        More than 30 groups.
    """
    table = points.table
    keys = keys_of_rows(table, points.by)
    groups = list(dict.fromkeys(keys)) or [()]
    check_sizes(len(groups), ())
    wide = columns_of(min(len(groups), _WIDE), 1.8, 0.5)
    high = -(-len(groups) // wide)
    across = min(4.6 if wide == 1 else 3.5, room() / wide)
    figure, grid = panels(high, wide, across=across, down=0.97 * across, least=7.5)
    for place, axes in enumerate(grid.flat):
        if place >= len(groups):
            hide(axes)
            continue
        inside = np.array([key == groups[place] for key in keys], dtype=bool)
        _panel(axes, points, inside)
        n = int(table["n"][inside].sum())
        heading = f"{wrapped(group_name(groups[place]), 30)}\n" if points.by else ""
        axes.set_title(f"{heading}n = {n:,}", loc="left", fontsize=pt(9.5))
    _legend(figure, list(dict.fromkeys(table["outcome"])))
    return figure


def simplex_lines(points: PosteriorPoints) -> list[str]:
    """How to read the figure, for its caption."""
    lines = [
        f"n: {int(points.table['n'].sum()):,} trajectories. "
        "Discs: trajectories with the same posterior; area: their share of the panel. In a corner a strategy "
        "is certain, on an edge two share the probability, in the middle of an edge equally."
    ]
    if len(points.names) > 3:
        left_out = simplex_net(_posterior(points)).left_out
        n = points.table["n"].to_numpy(dtype=float)
        mean = float((left_out * n).sum() / n.sum()) if n.sum() else 0.0
        lines.append(
            f"A tetrahedron laid flat: {points.names[-1]} is the corner at all three tips. Each disc lies on "
            f"the face of its three most probable strategies; the fourth's probability (mean {mean:.3f}, at "
            f"most {left_out.max(initial=0.0):.2f}) is not shown."
        )
    if points.elsewhere > 5e-4 or points.dropped:
        lines.append(
            f"Other strategies have {points.elsewhere:.1%} of the probability; {points.dropped:,} "
            "trajectories that give them more than half are left out."
        )
    lines.append("Coloured: confident labels; grey: no label is given, for the reason named.")
    return lines


def _posterior(points: PosteriorPoints) -> Any:
    """(m, K) posteriors of the points."""
    columns = [f"{codebook.PROBABILITY_PREFIX}{name}" for name in points.names]
    return points.table[columns].to_numpy(dtype=float)


def _panel(axes: Axes, points: PosteriorPoints, inside: Any) -> None:
    net = simplex_net(_posterior(points)[inside])
    for edge in net.edges:
        axes.plot(edge[:, 0], edge[:, 1], color="#888888", linewidth=1, zorder=1)
    _names(axes, net, points.names)
    n = points.table["n"].to_numpy(dtype=float)[inside]
    outcomes = points.table["outcome"].to_numpy(dtype=object)[inside]
    order = np.argsort(-n, kind="stable")
    tones = [colour(str(outcomes[i])) for i in order]
    rims = [outline(tone) for tone in tones]
    area = np.maximum(_LEAST, _LARGEST * n / max(n.sum(), 1.0))[order]
    x, y = net.points[order].T
    axes.scatter(x, y, s=area, c=tones, alpha=0.85, edgecolors=rims, linewidths=0.6, zorder=3, clip_on=False)
    axes.set_aspect("equal")
    axes.margins(0.14)
    axes.set_axis_off()


def _names(axes: Axes, net: Net, names: Sequence[str]) -> None:
    """Names beside the corners, away from the middle."""
    middle = np.mean([place for _, place in net.corners], axis=0)
    for k, place in net.corners:
        out = place - middle
        out = out / max(float(np.hypot(*out)), 1e-9)
        side = "left" if out[0] > 0.3 else "right" if out[0] < -0.3 else "center"
        level = "bottom" if out[1] > 0.3 else "top" if out[1] < -0.3 else "center"
        if abs(out[1]) > 0.3 and place[1] < 1e-9:
            side = "center"
        x, y = map(float, place)
        beside = (12 * float(out[0]), 12 * float(out[1]))
        axes.annotate(
            wrapped(names[k], 14), (x, y), beside, textcoords="offset points", ha=side, va=level,
            fontsize=pt(8.5), color="#333333", annotation_clip=False,
        )  # fmt: skip


def _legend(figure: Figure, outcomes: list[str]) -> None:
    statuses = [name for name in codebook.STATUSES if name in outcomes]
    names = [*sorted(name for name in outcomes if name not in statuses), *statuses]
    if names:
        tones = [colour(name) for name in names]
        labels = [wrapped(name.replace("_", " "), 18) for name in names]
        key(figure, labels, tones, "label", marker="o", linestyle="")
