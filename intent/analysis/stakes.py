"""What was at stake in a game: its largest payoff, its factor, and whether games are scaled copies."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from intent.errors import GameError, UnknownNameError
from intent.games.matrix import MatrixGame
from intent.games.public_goods import PublicGoods
from intent.games.read import game_from_json

__all__ = [
    "SCALE_COLUMNS",
    "largest_payoff",
    "multiplication_factor",
    "proportional",
    "stage",
    "stakes_column",
]

SCALE_COLUMNS = ("payoff_scale", "scale", "lambda", "meta_payoff_scale")
"""Columns that may hold the factor lambda by which all payoffs were multiplied."""

FACTOR = "factor"
"""The multiplication factor of public goods games, read off their payoffs."""

_OTHERS = ("payoff_type",)


def stage(payoffs: object, kind: object = "reward") -> MatrixGame | PublicGoods | None:
    """The game that cells of the columns ``payoffs`` and ``payoff_kind`` hold.

    None where they hold none, or one that does not pay the same for the same play in every round.
    """
    if not isinstance(payoffs, str):
        return None
    try:
        found = game_from_json(payoffs, "game", kind if isinstance(kind, str) else None)
    except GameError:
        return None
    return found if isinstance(found, MatrixGame | PublicGoods) else None


def largest_payoff(game: MatrixGame | PublicGoods) -> float:
    """The largest absolute payoff of a round.

    For a public goods game with cost c, factor M and N players, the larger of that of a free rider among
    N - 1 contributors, (N - 1)·c·M/N, that of a contributor among N, c·M - c, and that of a lone contributor,
    \\|c·M/N - c\\|.

    Examples
    --------
    >>> from intent.games.catalogue import game
    >>> largest_payoff(game("prisoner-dilemma").scaled(10))
    100.0
    """
    if isinstance(game, MatrixGame):
        return float(np.abs(game.payoffs).max())
    n, pool = game.n_players, game.cost * game.factor
    return max((n - 1) * pool / n, abs(pool - game.cost), abs(pool / n - game.cost))


def multiplication_factor(game: MatrixGame | PublicGoods | None) -> float:
    """M of a public goods game, NaN of any other."""
    return float(game.factor) if isinstance(game, PublicGoods) else float("nan")


def proportional(games: Iterable[MatrixGame]) -> bool:
    """Whether all games are one game with its payoffs multiplied, so that normalised payoffs compare.

    Labels do not count, nor which option comes first.
    """
    tables = [np.asarray(game.payoffs, dtype=float) for game in games]
    scaled = [table / (np.abs(table).max() or 1.0) for table in tables]
    return all(np.allclose(table, scaled[0]) or np.allclose(table[::-1, ::-1], scaled[0]) for table in scaled)


def stakes_column(games: pd.DataFrame, given: str | None = None) -> str | None:
    """The column that tells payoff settings apart: `given`, else the first known one that varies.

    Parameters
    ----------
    games : DataFrame
        Games of one name, with a column ``factor``.
    given : str, optional

    Returns
    -------
    str or None
        None where all games have the same payoffs setting.

    Raises
    ------
    UnknownNameError
        No column `given`.
    """
    if given is not None:
        if given not in games.columns:
            raise UnknownNameError("column", given, map(str, games.columns))
        return given
    names = (*SCALE_COLUMNS, FACTOR, *_OTHERS)
    return next((name for name in names if name in games.columns and games[name].nunique() > 1), None)
