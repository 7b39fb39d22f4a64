"""The figures of a benchmark: the play of each game, the leaderboard, and scores over settings.

Play of the simultaneous gamma-bench games over rounds: a panel per group of runs.

A map of scores from 0 to 100: models by games, or models by settings, with means and deviations.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.base.job import data_line
from intent.figures.panels import panels
from intent.figures.style import (
    Drawing,
    canvas,
    colour_bar,
    column_ticks,
    columns_of,
    hide,
    legend_of,
    palette,
    ruled,
    text_map,
    wrapped,
)
from intent.gamma.catalogue import GAMMA_GAMES, bench_game, families
from intent.gamma.game import Events, Picture
from intent.gamma.plays import Plays
from intent.gamma.ranking import TITLES, Cell, Standing, cell, leaderboard

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = [
    "board_map",
    "draw_board",
    "draw_events",
    "draw_rounds",
    "draw_score_map",
    "gamma_figures",
    "play_drawings",
]


_WIDE = 4
_TARGET = "#444444"
_CHOICES = "#7A7A7A"


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
    picture = bench_game(groups[names[0]][0].game).picture
    assert isinstance(picture, Picture)
    wide = columns_of(min(_WIDE, len(names)), 1.7)
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
    handles, _ = axes.flat[0].get_legend_handles_labels()
    if handles:
        legend_of(figure, handles)
    return figure


def _draw_panel(ax: Axes, runs: Sequence[Plays], picture: Picture, tone: str) -> None:
    from matplotlib.ticker import MaxNLocator

    lines = [np.asarray(picture.line(run), dtype=float) for run in runs]
    for run in runs:
        _draw_choices(ax, picture.choices(run))
    for line in lines:
        ax.plot(np.arange(1, len(line) + 1), line, color=tone, linewidth=0.5)
    mean = _mean(lines)
    ax.plot(np.arange(1, len(mean) + 1), mean, color=tone, linewidth=2.2, label="mean of the runs")
    marks = picture.marks(runs[0] if len(runs) == 1 else _Mean(runs[0], mean))
    for (name, value), style in zip(marks.items(), ("--", ":"), strict=False):
        _draw_mark(ax, name, np.asarray(value, dtype=float), style)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    ruled(ax)


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
        ax.plot(*zip(*points, strict=True), ".", color=_CHOICES, markersize=2.5, zorder=1)


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


_EVENTS_WIDE = 3


def draw_events(runs: Mapping[str, Plays]) -> Figure:
    """A panel per run of a game that is played in turn.

    Battles have a row per player while alive, an arrow from the shooter to the target of each shot; pirates a
    row per proposal, a cell per pirate with its share, coloured by its vote.

    Parameters
    ----------
    runs : mapping of name -> run, all of one game

    References
    ----------
    Huang et al. 2024, arXiv:2403.11807, section 2.3; Stewart 1999, Scientific American 280(5):98.
    """
    events = bench_game(next(iter(runs.values())).game).picture
    assert isinstance(events, Events)
    wide = columns_of(min(_EVENTS_WIDE, len(runs)), 1.6)
    figure, axes = panels(-(-len(runs) // wide), wide, across=events.across, down=events.down, least=7.0)
    for ax in list(axes.flat)[len(runs) :]:
        hide(ax)
    for ax, (name, run) in zip(axes.flat, runs.items(), strict=False):
        events.draw(ax, run)
        ax.set_title(wrapped(name, events.wrap), loc="left", fontweight="bold")
        ax.set_xlabel(events.x)
        ax.set_ylabel(events.y)
    legend_of(figure, events.legend())
    return figure


def draw_score_map(
    rows: Sequence[str],
    columns: Sequence[str],
    means: Sequence[Sequence[float | None]],
    deviations: Sequence[Sequence[float | None]],
    *,
    breaks: Sequence[int] = (),
    label: str = "score",
) -> Figure:
    """Each cell holds a mean, and below it the standard deviation of the runs.

    Parameters
    ----------
    rows, columns : sequences of str
    means, deviations : (rows, columns), None where there is nothing
    breaks : sequence of int
        Columns before which a line parts families of games.
    label : str, of the colours
    """
    table = np.array([[np.nan if x is None else float(x) for x in row] for row in means])
    texts = [["–" if x != x else f"{x:.1f}" for x in row] for row in table]
    for (i, j), value in np.ndenumerate(table):
        if not np.isnan(value) and deviations[i][j] is not None:
            texts[i][j] += f"\n± {deviations[i][j]:.1f}"
    ticks, slant, depth = column_ticks(columns, 11)
    named = [wrapped(row, _ROW_WIDTH) for row in rows]
    height = max(0.56, _LINE * (1 + max((row.count("\n") for row in named), default=0)) + 0.08)
    blocks = _blocks(len(columns), breaks, columns_of(len(columns), _CELL, 2.0))
    size = (max(3.2 + 0.86 * len(columns), 6.5), 0.7 + len(blocks) * (1.0 + depth + height * len(rows)))
    figure, grid = canvas(*size, len(blocks), 1, squeeze=False)
    how: dict[str, Any] = {
        "vmin": 0,
        "vmax": 100,
        "sizes": (9.5, 7),
        "places": (0.12, 0.24),
        "empty": "#767676",
    }
    for axes, (start, end) in zip(grid.flat, blocks, strict=True):
        image = text_map(axes, table[:, start:end], [row[start:end] for row in texts], **how)
        for at in breaks:
            if start < at < end:
                axes.axvline(at - start - 0.5, color="#444444", linewidth=1.2)
        axes.set_xticks(range(end - start), ticks[start:end], **slant)
        axes.set_yticks(range(len(rows)), named)
    colour_bar(figure, image, grid if len(blocks) > 1 else axes, label)
    return figure


_CELL = 0.5
"""Inches that a cell needs on a narrow sheet."""


def _blocks(n: int, breaks: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Columns from and to that stand in one map: families that fit side by side, else what fits."""
    if n <= most:
        return [(0, n)]
    ends = sorted({*(at for at in breaks if 0 < at < n), n})
    blocks, start, last = [], 0, 0
    for end in ends:
        if end - start > most and last > start:
            blocks.append((start, last))
            start = last
        while end - start > most:
            blocks.append((start, start + most))
            start += most
        last = end
    return [*blocks, (start, n)]


_ROW_WIDTH = 30
"""Characters of a line of a row's label."""

_LINE = 0.19
"""Height of a line of it, in inches."""

_UNDER = re.compile(r"(.*) \(([\w ]+=[^()]*)\)( · .*)?", re.DOTALL)


def short_labels(names: Sequence[str]) -> list[str]:
    """Names of models under conditions without the levels that most of them share.

    Where two would be called alike, all keep their levels.

    Parameters
    ----------
    names : such as ``gpt-4o (temperature=0, version=v1)``

    Examples
    --------
    >>> short_labels(["a (temperature=1, version=v1)", "a (temperature=1, version=v2)", "b"])
    ['a (version=v1)', 'a (version=v2)', 'b']
    >>> short_labels([f"a (temperature={t}, version={v})" for t, v in ((1, 1), (0, 1), (1, 2))])
    ['a', 'a (temperature=0)', 'a (version=2)']
    """
    parts = [_UNDER.fullmatch(name) for name in names]
    levels = [part[2].split(", ") if part else [] for part in parts]
    counts = Counter(level for own in levels for level in own)
    usual: dict[str, str] = {}
    for level, n in counts.most_common():
        if 2 * n > sum(map(bool, levels)):
            usual.setdefault(level.partition("=")[0], level)
    short = []
    for name, part, own in zip(names, parts, levels, strict=True):
        shown = [level for level in own if level not in usual.values()]
        under = f" ({', '.join(shown)})" if shown else ""
        short.append(f"{part[1]}{under}{part[3] or ''}" if part else name)
    return short if len(set(short)) == len(set(names)) else list(names)


_MOST_PANELS = 12
"""Groups of runs, or single runs of a sequential game, that a figure shows."""

_MOST_ROWS = 40

_OVERALL = "overall"

Scored = Mapping[str, Any]
"""A row of scores: model, game, setting, run, score, base (whether it counts in the leaderboard)."""


def gamma_figures(
    plays: Sequence[tuple[Scored, Plays]],
    folder: Path,
    *,
    about: Mapping[str, Any] | None = None,
    source: str | None = None,
) -> list[Path]:
    """Write ``play_<game>.png`` of every game, ``leaderboard.png``, and ``scores_<game>.png`` of swept games.

    Parameters
    ----------
    plays : sequence of (row of scores, record of the run)
    folder : Path
        Is made where there is none; figures of the same name are replaced.
    about : mapping, optional
        What is kept in the files' metadata.
    source : str, optional
        Name of the run or file that the plays are from, for the captions.

    Returns
    -------
    list of Path

    Raises
    ------
    OutputError
        A file cannot be written.

    References
    ----------
    Huang et al. 2024, arXiv:2403.11807, tables 1 and 4 to 8, figures 4 to 12.
    """
    folder.mkdir(parents=True, exist_ok=True)
    description = json.dumps({"kind": "figure of a benchmark", **(about or {})}, ensure_ascii=True)

    def write(name: str, title: str, lines: Sequence[str], draw: Callable[[], Figure]) -> Path:
        data = data_line(source, nothing="plays in memory")
        return Drawing(title, draw, [*lines, data]).write(
            folder / name, description=description, overwrite=True
        )

    written = [
        write(f"play_{game}.png", one.title, one.lines, one.draw)
        for game, one in play_drawings(plays).items()
    ]
    rows = [row for row, _ in plays]
    if any(row["base"] for row in rows):
        written.append(_board(rows, write))
    for game in GAMMA_GAMES:
        settings = dict.fromkeys(row["setting"] for row in rows if row["game"] == game)
        if len(settings) > 1:
            written.append(_sweep(game, list(settings), rows, write))
    return written


def play_drawings(plays: Sequence[tuple[Scored, Plays]]) -> dict[str, Drawing]:
    """Game -> its play, in the order of the games; games of which nothing was played are left out."""
    drawn = {}
    for game in GAMMA_GAMES:
        mine = [(row, run) for row, run in plays if run.game == game and run.rounds]
        if mine:
            drawn[game] = _play(game, mine)
    return drawn


def _play(game: str, plays: Sequence[tuple[Scored, Plays]]) -> Drawing:
    single = bench_game(game).sequential
    groups: dict[str, list[Plays]] = {}
    for row, run in plays:
        name = " · ".join([str(row["model"]), *([row["setting"]] if row["setting"] != "default" else [])])
        groups.setdefault(f"{name} · run {row['run']}" if single else name, []).append(run)
    shown = dict(zip(short_labels(list(groups)), groups.values(), strict=True))
    shown = dict(list(shown.items())[:_MOST_PANELS])
    left = len(groups) - len(shown)
    what = "runs" if single else "conditions"
    more = f"The first {_MOST_PANELS} of {len(groups)} {what} are shown." if left else ""

    def draw() -> Figure:
        if single:
            return draw_events({name: runs[0] for name, runs in shown.items()})
        return draw_rounds(shown)

    models = len({row["model"] for row, _ in plays})
    number = f"{len(plays):,} run{'s' * (len(plays) != 1)} of {models} model{'s' * (models != 1)}."
    return Drawing(TITLES[game], draw, [bench_game(game).picture.what, number, *filter(None, [more])])


def _board(rows: Sequence[Scored], write: Callable[..., Path]) -> Path:
    import pandas as pd

    base = [{name: row[name] for name in ("model", "game", "run", "score")} for row in rows if row["base"]]
    return write("leaderboard.png", *board_map(leaderboard(pd.DataFrame(base))))


def draw_board(
    standings: Sequence[Standing],
    path: Path,
    *,
    about: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the heat map of a leaderboard: models by games, each family with its subtotal, and overall.

    Parameters
    ----------
    standings : best first; 40 are shown
    path : Path, .png, .svg or .pdf
    about : mapping, optional
        What is kept in the file's metadata.
    overwrite : bool

    Raises
    ------
    OutputError
        The path cannot be written, or is there and may not be replaced.
    """
    title, lines, draw = board_map(standings)
    description = json.dumps({"kind": "figure of a leaderboard", **(about or {})}, ensure_ascii=True)
    data = data_line(None, nothing="scores beside this figure")
    return Drawing(title, draw, [*lines, data]).write(path, description=description, overwrite=overwrite)


def board_map(standings: Sequence[Standing]) -> tuple[str, list[str], Callable[[], Figure]]:
    """Title, caption, and what draws the map of a leaderboard; columns without any score are left out."""
    shown = standings[:_MOST_ROWS]
    cells = [{**one.games, **one.families, _OVERALL: one.overall} for one in shown]
    known = {part for row in cells for part, value in row.items() if value is not None}
    groups = [[*games, family] for family, games in families().items()] + [[_OVERALL]]
    groups = [some for group in groups if (some := [part for part in group if part in known])]
    parts = [part for group in groups for part in group]
    values: list[list[Cell | None]] = [[row.get(part) for part in parts] for row in cells]
    ends = [sum(map(len, groups[:k])) for k in range(1, len(groups))]
    runs = sum(one.n for row in shown for one in row.games.values() if one is not None)
    about = f"Scores from 0 to 100: mean and standard deviation of {runs:,} runs."
    if known & {*families(), _OVERALL}:
        about += (
            " Lines part the families, whose last column is the mean over their games of each run; overall "
            "is that over all games."
        )
    lines = [about]
    if len(standings) > len(shown):
        lines.append(f"The first {len(shown)} of {len(standings)} are shown.")
    names = [TITLES.get(part, part.capitalize()) for part in parts]
    whole = [one.model for one in shown]
    models = short_labels(whole)
    if models != whole:
        lines.append("Labels leave out the levels of conditions that most rows share.")
    return "Scores", lines, lambda: draw_score_map(models, names, *_split(values), breaks=ends)


def _sweep(game: str, settings: Sequence[str], rows: Sequence[Scored], write: Callable[..., Path]) -> Path:
    models = list(dict.fromkeys(row["model"] for row in rows if row["game"] == game))[:_MOST_ROWS]
    values: list[list[Cell | None]] = []
    for model in models:
        line: list[Cell | None] = []
        for setting in settings:
            mine = [
                float(row["score"])
                for row in rows
                if (row["game"], row["model"], row["setting"]) == (game, model, setting)
            ]
            line.append(cell(mine) if mine else None)
        known = [one.mean for one in line if one is not None]
        values.append([*line, cell(known) if known else None])
    played = sum(row["game"] == game for row in rows)
    lines = [
        f"Scores from 0 to 100: mean and standard deviation of {played:,} runs; at the right, of the "
        "settings."
    ]
    return write(
        f"scores_{game}.png",
        f"{TITLES[game]}: scores over settings",
        lines,
        lambda: draw_score_map(
            short_labels(models), [*settings, "mean over settings"], *_split(values), breaks=[len(settings)]
        ),
    )


def _split(
    values: Sequence[Sequence[Cell | None]],
) -> tuple[list[list[float | None]], list[list[float | None]]]:
    """Means and deviations, in tables of the same shape."""
    means = [[None if one is None else one.mean for one in row] for row in values]
    return means, [[None if one is None else one.sd for one in row] for row in values]
