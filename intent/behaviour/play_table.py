"""The play of a log as one tidy table, a row per game, round and seat, with what describes each.

The personas of a log's seats by kind, and who meets whom in each game.

Who is a subject of an experiment, and who its condition: the one rule for means, figures and results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from intent.base import codebook
from intent.base.statistics import NONE
from intent.behaviour.metric_table import subjects
from intent.behaviour.payoffs import SCALE_COLUMNS, largest_payoff, multiplication_factor
from intent.behaviour.personas import composition, pairing, persona_kind
from intent.games.normal_form import PublicGoods, stage
from intent.logs.gamelog import GameLog

__all__ = ["conditions", "determined", "played", "seat_personas"]


def seat_personas(seats: pd.DataFrame, kinds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Kind of persona of every seat, and pairing and composition of its game.

    Parameters
    ----------
    seats : DataFrame
        Columns game_id, seat, persona.
    kinds : mapping of persona -> kind, optional
        As in `persona_kind`.

    Returns
    -------
    DataFrame
        With the index of `seats`: persona (its kind), pairing, composition; null where a persona is unknown,
        and for the game where that of any seat is.
    """
    names = seats["persona"].dropna().unique()
    kind = seats["persona"].map({name: persona_kind(name, kinds) for name in names})
    ordered = kind[seats.sort_values(["game_id", "seat"], kind="stable").index]
    lists = ordered.groupby(seats["game_id"].reindex(ordered.index), sort=False).agg(tuple)
    known = {who for who in lists.unique() if not any(pd.isna(k) for k in who)}
    met = seats["game_id"].map(lists)
    return pd.DataFrame(
        {
            "persona": kind.astype(object),
            "pairing": met.map({who: pairing(who) for who in known}).astype(object),
            "composition": met.map({who: composition(who) for who in known}).astype(object),
        },
        index=seats.index,
    )


_GAME_COLUMNS = (
    "game",
    "payoffs",
    "payoff_kind",
    "n_players",
    "horizon_known",
    "language",
    "repetition",
    "run",
)
_SEAT_COLUMNS = ("model", "architecture", "attitude", "strategy", "focal")
_NO_CONDITIONS = {"game_id", "source", "payoffs", "cooperative_action", "rounds_played", "repetition", "run"}


def played(
    log: GameLog, *, kinds: Mapping[str, str] | None = None, keep_defaulted: bool = False
) -> pd.DataFrame:
    """Every move with its game and seat.

    Parameters
    ----------
    kinds : mapping of persona -> kind, optional
        As in `persona_kind`.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as a choice. If not, action, cooperated
        and choice are null there; its payoff counts in any case, since the players got it.

    Returns
    -------
    DataFrame
        One row per game, round and seat, in that order. game_id, round, seat; action; cooperated (1, 0 or
        NaN); choice (+1 for defection, -1 for cooperation; where the game has no cooperative action, +1 for
        its first action and -1 for its second); payoff; normalised (payoff over the largest absolute payoff
        of the game, NaN where the payoffs are not known); status; then the columns of seats and games that
        describe the row. persona is its kind; pairing and composition are derived from the personas; factor
        is that of a public goods game, and ``public-goods(2.9)`` is the game public-goods. A seat played by
        a strategy has its name as model, and is not focal where models play other seats.

    Notes
    -----
    Where a seat moves in several steps of a round, its first known action and the sum of its payoffs count.
    """
    games, seats = _games(log), _seats(log, kinds)
    rows = _one_step(log.moves)
    game = games.index.get_indexer(pd.Index(rows["game_id"]))
    keys = pd.MultiIndex.from_frame(log.seats[["game_id", "seat"]])
    seat = keys.get_indexer(pd.MultiIndex.from_arrays([rows["game_id"].astype(object), rows["seat"]]))
    counts = ~rows["status"].isin(["missing"] if keep_defaulted else ["missing", "defaulted"]).to_numpy()
    cooperated = np.where(counts, rows["cooperated"].to_numpy(dtype=float, na_value=np.nan), np.nan)
    action = rows["action"].astype(object).where(counts)
    of_game = games.iloc[game].reset_index(drop=True)
    payoff = rows["payoff"].to_numpy(dtype=float, na_value=np.nan)
    data: dict[str, Any] = {
        "game_id": pd.Categorical.from_codes(game, pd.Index(games.index.astype(str))),
        "round": rows["round"].to_numpy(dtype=np.intp),
        "seat": rows["seat"].to_numpy(dtype=np.intp),
        "action": action.to_numpy(dtype=object),
        "cooperated": cooperated,
        "choice": _choice(cooperated, action, of_game),
        "payoff": payoff,
        "normalised": payoff / of_game["_largest"].to_numpy(dtype=float),
        "status": rows["status"].to_numpy(dtype=object),
    }
    data |= {c: seats[c].to_numpy()[seat] for c in seats.columns if c not in data}
    data |= {c: of_game[c].to_numpy() for c in of_game.columns if c not in data and not c.startswith("_")}
    table = pd.DataFrame(data)
    order = np.lexsort((table["seat"], table["round"], game))
    return table.iloc[order].reset_index(drop=True)


def conditions(table: pd.DataFrame) -> list[str]:
    """Columns of `played` that vary and say how a game was set up, not what happened in it."""
    made = {"round", "seat", "action", "cooperated", "choice", "payoff", "normalised", "status", "focal"}
    derived = {"composition", "pairing", "source_game_id", "strategy"}
    names = [c for c in table.columns if c not in made | derived | _NO_CONDITIONS and not c.endswith("_id")]
    return [c for c in names if table[c].nunique(dropna=False) > 1]


def determined(table: pd.DataFrame, column: str, by: Sequence[str]) -> bool:
    """Whether the values of `by` tell that of a column, so that it says nothing beside them."""
    kinds = table[[*by, column]].drop_duplicates()
    return not kinds.duplicated(list(by)).any() if by else len(kinds) <= 1


def _games(log: GameLog) -> pd.DataFrame:
    """Games by game_id with the columns that describe them."""
    table = log.games.set_index("game_id")
    stages = {text: stage(text) for text in table["payoffs"].dropna().unique()}
    largest = {text: largest_payoff(game) if game else np.nan for text, game in stages.items()}
    factor = {text: multiplication_factor(game) for text, game in stages.items()}
    first = {text: game.actions[0] if game else None for text, game in stages.items()}
    games = table[[c for c in _GAME_COLUMNS if c in table.columns]].copy()
    text = table["payoffs"]
    goods = text.map({cell: isinstance(game, PublicGoods) for cell, game in stages.items()}).eq(True)
    family = games["game"].str.replace(r"\s*\(.*\)$", "", regex=True)
    games["game"] = games["game"].where(~goods, family).fillna(NONE)
    size = text.map(largest).astype(float)
    games["_largest"] = size.where(size > 0)
    games["_first"] = text.map(first).astype(object)
    games["factor"] = text.map(factor).astype(float)
    for name in log.conditions:
        if name not in games:
            games[name] = table[name].astype(float).fillna(1.0) if _is_scale(name, table) else table[name]
    return games


def _is_scale(name: str, games: pd.DataFrame) -> bool:
    """Whether a column holds lambda; null there means that payoffs are as they are."""
    return name in SCALE_COLUMNS and pd.api.types.is_numeric_dtype(games[name].dtype)


def _seats(log: GameLog, kinds: Mapping[str, str] | None) -> pd.DataFrame:
    """Seats in the order of the log, without their keys."""
    seats = log.seats
    rows = seats[[*_SEAT_COLUMNS, *log.seat_conditions]].copy()
    rows["focal"] = subjects(seats)
    models = rows["model"].notna()
    rows["model"] = rows["model"].astype(object).where(models, rows["strategy"].astype(object)).fillna(NONE)
    for name, column in seat_personas(seats, kinds).items():
        rows[name] = column.fillna(NONE)
    return rows[[c for c in rows.columns if c not in {column.name for column in codebook.GAMES}]]


def _one_step(moves: pd.DataFrame) -> pd.DataFrame:
    """The moves with one row per game, round and seat."""
    if not len(moves) or moves["step"].max() == 1:
        return moves
    keys = ["game_id", "round", "seat"]
    ordered = moves.assign(_unknown=moves["action"].isna()).sort_values([*keys, "_unknown", "step"])
    paid = ordered.groupby(keys, observed=True)["payoff"].sum(min_count=1)
    first = ordered.drop_duplicates(keys).set_index(keys)
    return first.assign(payoff=paid).reset_index()


def _choice(cooperated: Any, action: pd.Series[Any], games: pd.DataFrame) -> np.ndarray[Any, Any]:
    """+1 for defection, -1 for cooperation; by the order of the options where neither is known."""
    first = np.asarray(action.to_numpy(dtype=object) == games["_first"].to_numpy(dtype=object))
    by_order = np.where(action.isna() | games["_first"].isna(), np.nan, np.where(first, 1.0, -1.0))
    return np.where(np.isnan(cooperated), by_order, 1.0 - 2.0 * cooperated)
