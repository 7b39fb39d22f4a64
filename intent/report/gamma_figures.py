"""The figures of a benchmark: the play of each game, the leaderboard, and scores over settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.games.gamma.catalogue import FAMILIES, GAMMA_GAMES
from intent.report.gamma_events import draw_battles, draw_pirates
from intent.report.gamma_rounds import draw_rounds
from intent.report.play_figures import write_play_figure
from intent.report.score_map import draw_score_map
from intent.suites.gamma.leaderboard import TITLES, Cell, Standing, cell, leaderboard
from intent.suites.gamma.plays import Plays

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MOST_PANELS", "board_map", "draw_board", "gamma_figures"]

MOST_PANELS = 12
"""Groups of runs, or single runs of a sequential game, that a figure shows."""

_MOST_ROWS = 40

_OVERALL = "overall"

_WHAT = {
    "guessing": "Thin lines: mean of the numbers chosen in a run; dots: single players.",
    "bar": "Thin lines: share of the players that went, in a run.",
    "divide_dollar": "Thin lines: sum of all bids in a run; above the gold nobody gets anything.",
    "public_goods": "Thin lines: mean contribution in a run; dots: single players.",
    "diner": "Thin lines: bill of all players in a run.",
    "auction": "Thin lines: mean of bid / valuation in a run; dots: single bids; without valuations of 0.",
    "battle_royale": "Arrows: from the shooter to the target; grey bars: who is alive.",
    "pirate": "Numbers: gold offered to each pirate; the proposer stands first and accepts.",
}

Scored = Mapping[str, Any]
"""A row of scores: model, game, setting, run, score, base (whether it counts in the leaderboard)."""


def gamma_figures(
    plays: Sequence[tuple[Scored, Plays]], folder: Path, *, about: Mapping[str, Any] | None = None
) -> list[Path]:
    """Write ``play_<game>.png`` of every game, ``leaderboard.png``, and ``scores_<game>.png`` of swept games.

    Parameters
    ----------
    plays : sequence of (row of scores, record of the run)
    folder : Path
        Is made where there is none; figures of the same name are replaced.
    about : mapping, optional
        What is kept in the files' metadata.

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
    told = json.dumps({"kind": "figure of a benchmark", **(about or {})}, ensure_ascii=True)

    def write(name: str, title: str, lines: Sequence[str], draw: Callable[[], Figure]) -> Path:
        path = folder / name
        return write_play_figure(draw, path, title=title, lines=lines, description=told, overwrite=True)

    written = []
    for game in GAMMA_GAMES:
        mine = [(row, run) for row, run in plays if run.game == game and run.rounds]
        if mine:
            written.append(_play(game, mine, write))
    rows = [row for row, _ in plays]
    if any(row["base"] for row in rows):
        written.append(_board(rows, write))
    for game in GAMMA_GAMES:
        settings = dict.fromkeys(row["setting"] for row in rows if row["game"] == game)
        if len(settings) > 1:
            written.append(_sweep(game, list(settings), rows, write))
    return written


def _play(game: str, plays: Sequence[tuple[Scored, Plays]], write: Callable[..., Path]) -> Path:
    single = game in ("battle_royale", "pirate")
    groups: dict[str, list[Plays]] = {}
    for row, run in plays:
        name = " · ".join([str(row["model"]), *([row["setting"]] if row["setting"] != "default" else [])])
        groups.setdefault(f"{name} · run {row['run']}" if single else name, []).append(run)
    kept = dict(list(groups.items())[:MOST_PANELS])
    left = len(groups) - len(kept)
    what = "runs" if single else "conditions"
    more = f"The first {MOST_PANELS} of {len(groups)} {what} are shown." if left else ""

    def draw() -> Figure:
        if game == "battle_royale":
            return draw_battles({name: runs[0] for name, runs in kept.items()})  # type: ignore[misc]
        if game == "pirate":
            return draw_pirates({name: runs[0] for name, runs in kept.items()})  # type: ignore[misc]
        return draw_rounds(kept)

    return write(f"play_{game}.png", TITLES[game], [_WHAT[game], more], draw)


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
    told = json.dumps({"kind": "figure of a leaderboard", **(about or {})}, ensure_ascii=True)
    return write_play_figure(draw, path, title=title, lines=lines, description=told, overwrite=overwrite)


def board_map(standings: Sequence[Standing]) -> tuple[str, list[str], Callable[[], Figure]]:
    """Title, caption, and what draws the map of a leaderboard; columns without any score are left out."""
    shown = standings[:_MOST_ROWS]
    cells = [{**one.games, **one.families, _OVERALL: one.overall} for one in shown]
    known = {part for row in cells for part, value in row.items() if value is not None}
    groups = [[*games, family] for family, games in FAMILIES.items()] + [[_OVERALL]]
    groups = [some for group in groups if (some := [part for part in group if part in known])]
    parts = [part for group in groups for part in group]
    values: list[list[Cell | None]] = [[row.get(part) for part in parts] for row in cells]
    ends = [sum(map(len, groups[:k])) for k in range(1, len(groups))]
    about = "Scores from 0 to 100: mean and standard deviation of the runs."
    if known & {*FAMILIES, _OVERALL}:
        about += (
            " Lines part the families, whose last column is the mean over their games of each run; overall "
            "is that over all games."
        )
    lines = [about]
    if len(standings) > len(shown):
        lines.append(f"The first {len(shown)} of {len(standings)} are shown.")
    names = [TITLES.get(part, "Overall") for part in parts]
    models = [one.model for one in shown]
    return "Scores", lines, lambda: draw_score_map(models, names, *_split(values), breaks=ends)


def _sweep(game: str, settings: Sequence[str], rows: Sequence[Scored], write: Callable[..., Path]) -> Path:
    models = list(dict.fromkeys(row["model"] for row in rows if row["game"] == game))[:_MOST_ROWS]
    values: list[list[Cell | None]] = []
    for model in models:
        found: list[Cell | None] = []
        for setting in settings:
            mine = [
                float(row["score"])
                for row in rows
                if (row["game"], row["model"], row["setting"]) == (game, model, setting)
            ]
            found.append(cell(mine) if mine else None)
        known = [one.mean for one in found if one is not None]
        values.append([*found, cell(known) if known else None])
    lines = ["Scores from 0 to 100: mean and standard deviation of the runs; at the right, of the settings."]
    return write(
        f"scores_{game}.png",
        f"{TITLES[game]}: scores over settings",
        lines,
        lambda: draw_score_map(
            models, [*settings, "mean over settings"], *_split(values), breaks=[len(settings)]
        ),
    )


def _split(
    values: Sequence[Sequence[Cell | None]],
) -> tuple[list[list[float | None]], list[list[float | None]]]:
    """Means and deviations, in tables of the same shape."""
    means = [[None if one is None else one.mean for one in row] for row in values]
    return means, [[None if one is None else one.sd for one in row] for row in values]
