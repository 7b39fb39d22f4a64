"""Table 1 as pictures: closed and open models apart, the paper's rows beside ours, in the paper's order.

The play of each game as the paper shows it: by round, run by run, and where one condition varies.

References
----------
Huang et al. 2024, arXiv:2403.11807, tables 1a and 1b, figures 1, 2 and 4 to 10.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from intent.base.errors import shorten
from intent.base.job import data_line
from intent.gamma.bench.leaderboard import published_standings
from intent.gamma.figures import board_map, play_drawings
from intent.gamma.plays import Plays
from intent.gamma.ranking import Standing, grouped, leaderboard
from intent.report.results import Drawn

__all__ = ["board_figures", "play_figures"]

_TABLES: Mapping[str, str] = {"closed": "Table 1a", "open": "Table 1b", "other": "Table 1"}
_LONGEST = 40


def board_figures(table: pd.DataFrame) -> Iterator[Drawn]:
    """A map of scores for closed and for open models, and one for models whose name does not say which.

    Parameters
    ----------
    table : scores of default settings: model, game, run, score
    """
    ours = _standings(table)
    theirs = grouped(published_standings())
    for kind, mine in grouped(ours).items():
        rows = [*theirs.get(kind, ()), *mine]
        title, lines, draw = board_map(rows)
        paper = ", ".join(one.model for one in theirs.get(kind, ()))
        about = f"Rows of the paper, in its order: {paper}; then ours." if paper else "Ours alone."
        yield Drawn(f"{title} of {kind} models", draw, _TABLES[kind], (*lines, about))


_VARIED = {"Figure 5": "temperature", "Figure 6": "version", "Figure 7": "prompt", "Figure 8": "setting"}
"""Figure -> what differs between its panels, all else being as by default."""

_ONE_RUN = {"battle_royale": "Figure 2", "pirate": "Table 2"}
"""Where the paper shows single runs of the games that are played in turn; the others are in figure 1."""


def play_figures(
    plays: Sequence[tuple[Mapping[str, Any], Plays]], table: pd.DataFrame, source: str
) -> Iterator[Drawn]:
    """The play of each game: under the default conditions, run by run, and where one condition varies.

    Figures 1, 2 and 4 to 8, of whatever was played; one that a log has nothing of is left out.

    Parameters
    ----------
    plays : (row of scores, what was played), ``at`` of a row being its place in the table
    table : scores with temperature, version, prompt, language and setting, None where they are the default
    source : name of what was read
    """
    levels = table[["temperature", "version", "prompt", "language"]].astype(object)
    levels = levels.where(levels.notna(), None).assign(setting=table["setting"].replace("default", None))
    varied = levels.notna()
    default = [one for one in plays if not varied.loc[one[0]["at"]].any()]

    def drawn(chosen: Sequence[tuple[Mapping[str, Any], Plays]], figure: str, what: str) -> Iterator[Drawn]:
        for game, one in play_drawings(chosen).items():
            place = _ONE_RUN.get(game, figure) if figure == "Figure 1" else figure
            yield Drawn(f"{one.title}{what}", one.draw, place, (*one.lines, data_line(source)))

    yield from drawn(default, "Figure 1", "")
    runs = Counter((row["model"], play.game) for row, play in default)
    single = [
        ({**row, "model": f"{row['model']} · run {row['run']}"}, play)
        for row, play in default
        if runs[row["model"], play.game] > 1 and play.game not in _ONE_RUN
    ]
    yield from drawn(single, "Figure 4", ", run by run")
    for figure, name in _VARIED.items():
        alone = ~varied.drop(columns=name).any(axis=1)
        mine = [one for one in plays if alone[one[0]["at"]]]
        there = {(play.game, levels.loc[row["at"], name]) for row, play in mine}
        several = Counter(game for game, _ in there)
        yield from drawn([one for one in mine if several[one[1].game] > 1], figure, f" by {name}")


def _standings(table: pd.DataFrame) -> list[Standing]:
    """Ours, best first, marked as ours; without runs that stand twice."""
    from dataclasses import replace

    rows = table[["model", "game", "score"]].copy()
    rows["model"] = [shorten(str(name), _LONGEST) for name in rows["model"]]
    rows["run"] = rows.groupby(["model", "game"], observed=True).cumcount() + 1
    return [replace(one, model=f"ours: {one.model}") for one in leaderboard(rows)]
