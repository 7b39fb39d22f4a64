"""Tables of games and seats from the rows of a long table, and where its other columns belong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from intent import schema
from intent.logs.tables import TEXT

if TYPE_CHECKING:
    from intent.logs.readers.reader import Source
    from intent.logs.readers.stages import Stage

__all__ = ["game_table", "place_conditions", "seat_table"]

_OF_GAME = ("language", "run", "horizon_known", "rounds_planned", "implementation_error")
_OF_SEAT = ("model", "persona", "architecture", "attitude", "strategy")


def place_conditions(rows: pd.DataFrame, extra: Sequence[str]) -> dict[str, list[str]]:
    """Each further column: a condition of games where no game varies it, else of seats, else of moves.

    Parameters
    ----------
    rows : DataFrame with _game and _seat
    extra : sequence of str
        Columns of rows, each with a leading ``+``.

    Returns
    -------
    dict of table name -> names without the plus
    """
    placed: dict[str, list[str]] = {"games": [], "seats": [], "moves": []}
    for column in extra:
        values = pd.Series(pd.factorize(rows[column])[0], index=rows.index)
        if _constant(values, [rows["_game"]]):
            placed["games"].append(column[1:])
        elif _constant(values, [rows["_game"], rows["_seat"]]):
            placed["seats"].append(column[1:])
        else:
            placed["moves"].append(column[1:])
    return placed


def _constant(values: pd.Series[int], keys: Sequence[pd.Series[Any]]) -> bool:
    grouped = values.groupby(list(keys), sort=False)
    return bool((grouped.transform("first") == values).all())


def free_name(name: str, table: str) -> str:
    """A condition's name, prefixed where the codebook has a column of that name in the table."""
    return f"source_{name}" if name in {c.name for c in schema.TABLES[table]} else name


def game_table(
    source: Source,
    heads: pd.DataFrame,
    ids: pd.Series[str],
    stages: dict[int, Stage],
    moves: pd.DataFrame,
    conditions: Sequence[str],
) -> pd.DataFrame:
    """Table ``games``.

    Parameters
    ----------
    source : Source
    heads : DataFrame, one row per game in order: the first of its rows
    ids : Series of game -> identifier
    stages : by game
    moves : DataFrame with game and round
    conditions : names of columns of heads, which bear a leading ``+``
    """
    of = [stages[game] for game in heads.index]
    data: dict[str, Any] = {
        "game_id": ids.to_numpy(),
        "source": source.path.name,
        "game": pd.array([stage.name for stage in of], dtype=TEXT),
        "payoffs": pd.array([stage.payoffs for stage in of], dtype=TEXT),
        "payoff_kind": pd.array([stage.kind for stage in of], dtype=TEXT),
        "cooperative_action": pd.array([stage.label for stage in of], dtype=TEXT),
        "n_players": moves.groupby("game")["seat"]
        .max()
        .reindex(heads.index)
        .fillna(2)
        .clip(lower=2)
        .to_numpy(),
        "rounds_played": moves.groupby("game")["round"]
        .max()
        .reindex(heads.index)
        .fillna(0)
        .to_numpy(dtype=np.int64),
    }
    data |= {c: heads[c].array for c in _OF_GAME if c in heads}
    data |= {free_name(c, "games"): heads[f"+{c}"].array for c in conditions}
    games = pd.DataFrame(data)
    if "repetition" in heads:
        number = pd.to_numeric(heads["repetition"], errors="coerce").reset_index(drop=True)
        if number.abs().lt(2**53).all() and (number % 1 == 0).all():
            return games.assign(repetition=number.astype("Int64"))
    players = heads["player"].reset_index(drop=True).rename("_player")
    keys = pd.concat([games.drop(columns=["game_id", "rounds_played"]), players], axis=1)
    return games.assign(repetition=keys.groupby(list(keys.columns), dropna=False).cumcount() + 1)


def seat_table(
    rows: pd.DataFrame, moves: pd.DataFrame, ids: pd.Series[str], conditions: Sequence[str]
) -> pd.DataFrame:
    """Table ``seats``: those with rows of their own are focal, opponents known from others' rows are not."""
    heads = rows.groupby(["_game", "_seat"], sort=True).head(1).set_index(["_game", "_seat"])
    known = pd.MultiIndex.from_arrays([moves["game"].astype("int64"), moves["seat"].astype("int64")])
    at = known.append(heads.index).unique().sort_values()
    own = heads.reindex(at).reset_index(drop=True)
    focal = at.isin(heads.index)
    player = own["player"]
    if "_anonymous" in rows:
        player = pd.Series([None] * len(own), dtype=TEXT)
    data: dict[str, Any] = {
        "game_id": ids.reindex(at.get_level_values(0)).to_numpy(),
        "seat": at.get_level_values(1).to_numpy(),
        "player": player.array,
        "focal": focal,
    }
    data |= {c: own[c].array for c in _OF_SEAT if c in own}
    data |= {free_name(c, "seats"): own[f"+{c}"].array for c in conditions}
    seats = pd.DataFrame(data)
    for theirs, ours in (("other_player", "player"), ("other_model", "model")):
        if theirs in heads:
            partner = pd.MultiIndex.from_arrays([at.get_level_values(0), 3 - at.get_level_values(1)])
            told = heads[theirs].reindex(partner).array
            seats[ours] = (
                seats[ours].where(focal, pd.Series(told)) if ours in seats else pd.Series(told).where(~focal)
            )
    return seats
