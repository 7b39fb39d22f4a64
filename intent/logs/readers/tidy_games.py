"""Which rows of a long table are one game, who sits where, and what the games are called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from intent.errors import DataError, IntentError
from intent.logs.readers.tidy_repeats import without_repeats
from intent.logs.readers.tidy_table import TidyTable
from intent.logs.rejects import Rejects
from intent.logs.tables import TEXT

__all__ = ["assign_games", "name_games"]


def assign_games(rows: pd.DataFrame, by: Sequence[str], table: TidyTable, rejects: Rejects) -> pd.DataFrame:
    """The rows with columns ``_game`` (number), ``_seat``, ``_own`` (own value) and ``_name`` (of the game).

    The column game tells games apart unless there is a game_id, or all its values are names of games
    that the catalogue has. A second row for the same player and round is rejected.

    Parameters
    ----------
    rows : DataFrame
        As `tidy_rows.typed_rows`.
    by : sequence of str
        Condition columns; games of one value under different conditions are different games.
    table, rejects
        Where rejected rows come from and go to.

    Raises
    ------
    DataError
        More than two players, and nothing tells games apart; seats beyond 2 with one opponent; or most
        rows are second rows for a player and round.
    """
    if "other" in rows and "seat" in rows and (rows["seat"] > 2).any():
        raise DataError(
            f"seats go up to {rows['seat'].max():,}, but each row has the move of one opponent, expected "
            "seats 1 and 2; give --map player=NAME for a column that names the players"
        )
    own = "game_id" if "game_id" in rows else "game" if "game" in rows else None
    if own == "game" and _names_games(rows["game"]):
        own = None
    name = rows["game"] if "game" in rows and own != "game" else None
    rows = rows.assign(_own=rows[own] if own else None, _name=name)
    keys = [own] if own else []
    keys += [c for c in ("run", "repetition") if c in rows]
    if keys:
        keys += [f"+{c}" for c in by if f"+{c}" in rows] + ["_name"]
        rows = without_repeats(
            rows, [*keys, "player", "other_player", "seat", "round", "step"], table, rejects
        )
    elif "other" not in rows and rows["player"].nunique() > 2:
        raise DataError(
            f"{rows['player'].nunique()} players and no column tells games apart; give --map game=NAME"
        )
    game = _codes(rows, keys)
    seat = rows["seat"] if "seat" in rows else _seats(rows, game)
    rows = rows.assign(_game=game, _seat=seat.astype("int64"))
    return without_repeats(rows, ["_game", "_seat", "round", "step"], table, rejects)


def _names_games(values: pd.Series[str]) -> bool:
    """Whether all values are names of games in the catalogue."""
    from intent.games.catalogue import game

    distinct = values.dropna().unique().tolist()
    if not 0 < len(distinct) <= 100:
        return False
    try:
        return all(game(value) for value in distinct)
    except IntentError:
        return False


def _codes(rows: pd.DataFrame, keys: Sequence[str]) -> pd.Series[int]:
    """The game of each row.

    1. Rows belong together that agree in `keys`; without any, a player begins a new game where the
       round does not grow or the name of the game changes.
    2. Where the opponent is named, the pair decides.
    3. Where only the opponent's move is known, the two players of a value are one game if each one's
       rows mirror the other's; else each player's rows are a game of their own.
    """
    player = rows["player"].fillna("")
    if keys:
        base = rows.groupby(list(keys), dropna=False, sort=False).ngroup()
    else:
        name = pd.Series(pd.factorize(rows["_name"])[0], index=rows.index)
        fresh = (rows.groupby(player, sort=False)["round"].diff() <= 0).fillna(False)
        fresh |= name.groupby(player, sort=False).diff().fillna(0) != 0
        base = fresh.astype("int64").groupby(player, sort=False).cumsum()
    if "other_player" in rows and rows["other_player"].notna().all() and rows["player"].notna().all():
        pair = np.sort(rows[["player", "other_player"]].to_numpy(dtype=object).astype(str), axis=1)
        return _numbered(pd.DataFrame({"base": base, "a": pair[:, 0], "b": pair[:, 1]}, index=rows.index))
    if "other" not in rows:
        return _numbered(pd.DataFrame({"base": base}))
    return _numbered(pd.DataFrame({"base": base, "player": player.where(~_mirrored(rows, base), "")}))


def _numbered(keys: pd.DataFrame) -> pd.Series[int]:
    return keys.groupby(list(keys.columns), sort=False).ngroup()


def _mirrored(rows: pd.DataFrame, base: pd.Series[int]) -> pd.Series[bool]:
    """Whether the value of each row has two players who tell the same story from both sides."""
    two = rows.groupby(base)["player"].transform("nunique") == 2
    part = rows.loc[two, ["player", "round", "action", "other"]].assign(base=base[two])
    first = part["player"] == part.groupby("base")["player"].transform("first")
    joined = part[first].merge(
        part[~first], on=["base", "round"], how="outer", suffixes=("", "_2"), indicator=True
    )
    same = (
        joined["_merge"].eq("both")
        & joined["action"].eq(joined["other_2"])
        & joined["other"].eq(joined["action_2"])
    )
    agreed = same.groupby(joined["base"]).all()
    return base.isin(agreed.index[agreed])


def _seats(rows: pd.DataFrame, game: pd.Series[int]) -> pd.Series[int]:
    """Seats from 1 in the order in which the players of a game appear."""
    player = rows["player"].fillna("")
    pair = pd.DataFrame({"game": game, "player": player})
    heads = pair[~pair.duplicated()]
    heads = heads.assign(seat=heads.groupby("game").cumcount() + 1)
    return pair.merge(heads, on=["game", "player"], how="left").set_axis(rows.index)["seat"]


def name_games(heads: pd.DataFrame) -> pd.Series[str]:
    """Identifiers: a game's own value where no other has it, else with the player, the run or a number.

    Parameters
    ----------
    heads : DataFrame
        The first row of each game, with ``_own`` and ``player``, and perhaps ``run`` and ``repetition``.
    """
    names = heads["_own"].astype(TEXT).fillna("game")
    for column in ("player", "run", "repetition"):
        if column in heads and "_anonymous" not in (heads.columns if column == "player" else ()):
            twice = names.duplicated(keep=False) & heads[column].notna()
            names = names.where(~twice, names + "-" + heads[column].astype(TEXT).fillna(""))
    taken, counts, unique = set(names), dict.fromkeys(names, 0), []
    for name, shared in zip(names, names.duplicated(keep=False).tolist(), strict=True):
        chosen = name
        while shared and (chosen == name or chosen in taken):
            counts[name] += 1
            chosen = f"{name}-{counts[name]}"
        taken.add(chosen)
        unique.append(chosen)
    return pd.Series(unique, index=heads.index, dtype=TEXT)
