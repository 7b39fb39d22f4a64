"""Repeats of one condition: cells of the design, whether their games are all the same, their worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent import schema
from intent.analysis.blocks import block_codes
from intent.analysis.groups import cluster_codes
from intent.analysis.shares import strategy_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intent.logs.gamelog import GameLog

__all__ = ["cell_codes", "cell_columns", "identical_cells"]

_PLAYERS = ("player", "model", "persona", "architecture", "attitude", "strategy")
_NAMES = {"game_id", "source", "repetition", "run", "player", "rounds_played", "strategy"}
"""What names games, repeats and players, and the truth behind scripted play."""
_RESULTS = {c.name for c in (*schema.LABELS, *schema.METRICS)} - {"seat", "rounds", "opponent"}
_MANY = 20


def identical_cells(log: GameLog) -> pd.DataFrame:
    """One row per cell of the design: how many games it has, and how many different ones.

    A cell is a game with its payoffs, length, language and every other condition, and the same players in
    the same seats; two games are the same where every move is. FAIRGAME's public log (three of its models)
    has 630 cells of ten games, and 140 of them hold ten times the same game.

    Returns
    -------
    DataFrame
        One row per cell: n_games, n_distinct, identical (several games, all the same), and the columns
        that make the cell; ``players`` joins what each seat is.
    """
    games, seats = log.games, log.seats
    moves = log.moves.sort_values(["game_id", "round", "step", "seat"])
    settings = [
        *("game", "payoffs", "payoff_kind", "rounds_planned", "horizon_known", "language", "n_players"),
        *log.conditions,
    ]
    found = games.set_index(games["game_id"].map(str))[settings].map(str)
    who = _joined(seats[["seat", *_PLAYERS, *log.seat_conditions]].map(str))
    found["players"] = who.groupby(seats["game_id"].map(str)).agg(" / ".join)
    found["play"] = moves["action"].astype(object).map(str).groupby(moves["game_id"].map(str)).agg(",".join)
    kinds = found.groupby([*settings, "players"], sort=False)["play"].agg(
        n_games="size", n_distinct="nunique"
    )
    kinds["identical"] = (kinds["n_games"] > 1) & (kinds["n_distinct"] == 1)
    return kinds.reset_index()[["n_games", "n_distinct", "identical", *settings, "players"]]


def cell_columns(table: pd.DataFrame, *, classes: Sequence[str] | None = None) -> tuple[str, ...]:
    """Columns of a table of labels or metrics that say under which condition a game was played.

    All but names of games and repeats, results of labelling, metrics, and continuous numbers.

    Parameters
    ----------
    table : DataFrame
    classes : sequence of str, optional
        Strategies whose posteriors it holds; default `strategy_classes`.
    """
    known = strategy_classes(table) if classes is None else classes
    results = _RESULTS | _NAMES | {schema.PROBABILITY_PREFIX + name for name in known}
    return tuple(
        c
        for c in map(str, table.columns)
        if c not in results and not c.endswith("_id") and _is_kind(table[c])
    )


def cell_codes(table: pd.DataFrame, *, classes: Sequence[str] | None = None) -> NDArray[np.intp]:
    """(n,), number of the cell of each row: the condition of its whole game, with who sits where.

    Clustering by it takes only conditions as independent. Where the conditions compared are all there are
    (three models in five languages, each chosen), that asks for more than the question does; where repeats
    are hardly independent, clustering by game asks for less. The truth lies between the two.

    Parameters
    ----------
    table : DataFrame
        With game_id; a row is one seat of a game.
    classes : as `cell_columns`

    Raises
    ------
    UnknownNameError
        No column game_id.
    """
    games = cluster_codes(table, ["game_id"])
    columns = list(cell_columns(table, classes=classes))
    if not columns:
        return np.zeros(len(table), dtype=np.intp)
    own = block_codes(table, columns)
    order = np.lexsort((own, games))
    parts = np.split(own[order], np.flatnonzero(np.diff(games[order])) + 1)
    kinds: dict[bytes, int] = {}
    by_game = np.array([kinds.setdefault(part.tobytes(), len(kinds)) for part in parts], dtype=np.intp)
    cells: NDArray[np.intp] = by_game[games]
    return cells


def _joined(texts: pd.DataFrame) -> pd.Series[str]:
    """Cells of each row with bars between them."""
    rows = zip(*(texts[column].tolist() for column in texts.columns), strict=True)
    return pd.Series(["|".join(row) for row in rows], index=texts.index, dtype=object)


def _is_kind(column: pd.Series) -> bool:
    """Whether a column holds kinds of things: no fractions in many values."""
    if not pd.api.types.is_float_dtype(column.dtype):
        return True
    values = column.dropna().unique()
    return len(values) <= _MANY or bool((values == np.round(values)).all())
