"""Table 1 as pictures: closed and open models apart, the paper's rows beside ours, in the paper's order.

References
----------
Huang et al. 2024, arXiv:2403.11807, tables 1a and 1b, figures 9 and 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from intent.base.errors import shorten
from intent.gamma.bench.leaderboard import published_standings
from intent.gamma.figures import board_map
from intent.gamma.ranking import Standing, grouped, leaderboard
from intent.report.results import Drawn

__all__ = ["board_figures"]

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


def _standings(table: pd.DataFrame) -> list[Standing]:
    """Ours, best first, marked as ours; without runs that stand twice."""
    from dataclasses import replace

    rows = table[["model", "game", "score"]].copy()
    rows["model"] = [shorten(str(name), _LONGEST) for name in rows["model"]]
    rows["run"] = rows.groupby(["model", "game"]).cumcount() + 1
    return [replace(one, model=f"ours: {one.model}") for one in leaderboard(rows)]
