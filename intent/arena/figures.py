"""The figures of a tournament and of an evolution of three names, with titles and captions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import ATTITUDES
from intent.arena.evolution.stability import flow, rest_points
from intent.arena.tournament.standings import scores
from intent.arena.tournament.table import RoundRobin
from intent.base.statistics import PERCENTILES, interval_words
from intent.figures.populations import Matrices, draw_head_to_head, name_colours
from intent.figures.style import Drawing, canvas, key, pt, shown, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = ["draw_field", "draw_standings", "ternary", "write_tournament_figures"]


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
    drawn = list(rows[:_MOST])
    known = dict.fromkeys(group for _, group, _ in rows)
    groups = [*(a for a in ATTITUDES if a in known), *(g for g in known if g not in ATTITUDES)]
    tones = dict(zip(groups, name_colours([group or "" for group in groups]), strict=True))
    figure, axes = canvas(8.0, 1.9 + 0.26 * len(drawn))
    for place, (_, group, payoffs) in enumerate(drawn):
        _violin(axes, np.sort(payoffs[~np.isnan(payoffs)]), -float(place), tones[group])
    axes.set_yticks(-np.arange(len(drawn)), [shown(name) for name, _, _ in drawn], fontsize=pt(8))
    axes.set_ylim(-len(drawn) + 0.4, 0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#E4E4E4", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel("score: mean payoff per round")
    if len(rows) > _MOST:
        axes.set_title(f"the first {_MOST} of {len(rows)}", loc="left")
    if len(groups) > 1:
        key(figure, [shown(group or "other") for group in groups], [tones[group] for group in groups])
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


def write_tournament_figures(
    folder: Path,
    table: RoundRobin,
    *,
    standings: Sequence[Mapping[str, Any]],
    head_to_head: Matrices,
    intervals: Matrices | None,
    config: Mapping[str, Any],
    image: str = "png",
) -> list[Path]:
    """Write ``standings.png`` and ``head_to_head.png``; nothing where no match counts.

    Parameters
    ----------
    folder : where to write
    standings : rows as `codebook.STANDINGS`
    head_to_head, intervals : as the functions of `intent.arena.tournament.standings` give them
    config : mapping
        game, repetitions, seed, agents, and what else is to be kept in the files.
    image : {"png", "svg", "pdf"}
    """
    if not standings:
        return []
    repetitions, noise = config["repetitions"], table.rules.noise
    played = (
        f"{config['game']}, {table.rules.turns:,} rounds, {f'noise {noise:g}' if noise else 'no noise'}, "
        f"{len(table.field):,} strategies, {repetitions} repetition{'s' if repetitions != 1 else ''} of each "
        f"match, seed {config['seed']}."
    )
    if config["agents"]:
        played += " An agent draws one of its strategies for each match."
    place = {entrant.name: i for i, entrant in enumerate(table.field)}
    per_repetition = scores(table)
    drawn = [(row["name"], row["group"], per_repetition[place[row["name"]]]) for row in standings]
    written = []

    def write(name: str, title: str, lines: Sequence[str], draw: Callable[[], Figure]) -> None:
        facts = json.dumps({"kind": "tournament", **config})
        path = folder / f"{name}.{image}"
        written.append(Drawing(title, draw, lines).write(path, description=facts, overwrite=True))

    write(
        "standings",
        "Standings",
        [
            "Score: mean payoff per round over all opponents but itself, once per repetition; violins (dots "
            "where there are few) show the repetitions, black lines their median.",
            played,
        ],
        lambda: draw_standings(drawn),
    )
    unit = "matches" if intervals is None else "pairs of strategies"
    small = "" if intervals is None else f" Small: {interval_words(0.95, PERCENTILES, 'strategies')}."
    write(
        "head_to_head",
        "Head to head",
        [
            "What the row earns per round, and how often it cooperates, against the column (columns in the "
            f"order of the rows); means over {unit}.{small}",
            played,
        ],
        lambda: draw_head_to_head(head_to_head, intervals),
    )
    return written


_CORNERS = np.array([[0.0, 0.0], [0.5, 3**0.5 / 2], [1.0, 0.0]])
"""Of the first name at the left, the second on top, the third at the right."""


def ternary(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """(..., 2) places in the triangle of shares (..., 3).

    Examples
    --------
    >>> ternary(np.array([0.0, 0.0, 1.0])).tolist()
    [1.0, 0.0]
    """
    return np.asarray(shares @ _CORNERS)


def draw_field(evolution: Any) -> Figure:
    """The triangle.

    Parameters
    ----------
    evolution : intent.arena.evolution.evolve.Evolution
        Of three names; ``pool.names``, ``payoffs`` and ``mixes`` are drawn.
    """
    figure, axes = canvas(7.4, 6.8)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_xlim(-0.24, 1.24)
    axes.set_ylim(-0.2, 1.02)
    loop = _CORNERS[[0, 1, 2, 0]]
    axes.plot(loop[:, 0], loop[:, 1], color="#444444", linewidth=1.2)
    _arrows(axes, evolution.payoffs)
    for mix in evolution.mixes:
        line = ternary(mix.course.shares)
        axes.plot(line[:, 0], line[:, 1], color="#333333", linewidth=1.6)
        axes.plot(*line[0], "s", color="white", markeredgecolor="#333333", markersize=7, clip_on=False)
    for point in rest_points(evolution.payoffs):
        face = "#BBBBBB" if point.stable is None else "black" if point.stable else "white"
        place = ternary(np.array(point.shares))
        axes.plot(*place, "o", color=face, markeredgecolor="black", markersize=9, clip_on=False)
    places: list[dict[str, Any]] = [
        {"ha": "center", "va": "top", "xytext": (0, -12)},
        {"ha": "center", "va": "bottom", "xytext": (0, 10)},
        {"ha": "center", "va": "top", "xytext": (0, -12)},
    ]
    for k, name in enumerate(evolution.pool.names):
        ends = " · ".join(f"{mix.equilibria[k].share.estimate:.0%}" for mix in evolution.mixes)
        text = wrapped(name, 18) + (f"\n{ends}" if evolution.mixes[0].long_run is None else "")
        axes.annotate(
            text,
            tuple(_CORNERS[k]),
            textcoords="offset points",
            color="#222222",
            fontweight="bold",
            **places[k],
        )
    return figure


def _arrows(axes: Axes, payoffs: NDArray[np.float64], n: int = 14) -> None:
    """Directions of the flow at inner compositions, longer where it is faster."""
    inner = np.array([(i, j, n - i - j) for i in range(1, n) for j in range(1, n - i)]) / n
    change = flow(payoffs, inner)
    at, way = ternary(inner), ternary(change)
    speed = np.hypot(*way.T)
    if not speed.max() > 0:
        return
    length = 0.6 / n * (0.35 + 0.65 * np.sqrt(speed / speed.max()))
    unit = way / np.where(speed > 0, speed, 1.0)[:, None] * length[:, None] * (speed > 0)[:, None]
    axes.quiver(
        *(at - unit / 2).T,
        *unit.T,
        angles="xy",
        scale_units="xy",
        scale=1,
        color="#5F7F98",
        width=0.0035,
        headwidth=4.5,
    )
