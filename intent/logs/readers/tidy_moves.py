"""The moves of a long table: those of its rows, and of opponents known only from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from intent import schema
from intent.logs.readers.stages import Stage
from intent.logs.tables import TEXT

__all__ = ["labels_of", "moves_table", "spread_moves"]

_TEXTS = [c.name for c in schema.MOVES if c.optional and c.kind == "string"]


def labels_of(rows: pd.DataFrame) -> tuple[str, ...]:
    """All actions, by name."""
    seen = [rows[c] for c in ("action", "other", "decided") if c in rows]
    return tuple(sorted(pd.concat(seen).dropna().unique().tolist()))


def spread_moves(rows: pd.DataFrame) -> pd.DataFrame:
    """One line per game, round, step and seat, with ``row`` (its origin) and ``own`` (whether the row's own).

    The opponent's move in a row becomes a line of its own where no row has that seat.
    """
    own = _lines(rows, rows["_seat"], "action", "payoff").assign(own=True)
    for name in ("value", "status", "decided", *_TEXTS):
        if name in rows:
            own[name] = rows[name]
    if "other" in rows:
        alone = rows[rows.groupby("_game")["_seat"].transform("nunique") == 1]
        theirs = _lines(alone, 3 - alone["_seat"].clip(1, 2), "other", "other_payoff").assign(own=False)
        own = pd.concat([own, theirs])
    told = own["status"] if "status" in own else pd.Series(None, index=own.index, dtype=TEXT)
    silent = own["action"].isna() & (own["value"].isna() if "value" in own else True)
    told = told.mask(silent & (told == "parsed"))
    own["status"] = told.where(told.notna(), np.where(silent, "missing", "parsed"))
    return own.sort_values(["game", "round", "step", "seat"], kind="stable").reset_index(drop=True)


def _cooperation(action: pd.Series[str], target: pd.Series[str]) -> pd.arrays.BooleanArray:
    """Whether each action is the cooperative one of its game and seat; null where either is unknown."""
    known = (action.notna() & target.notna()).to_numpy(dtype=bool)
    same = (action == target).fillna(False).to_numpy(dtype=bool)
    return pd.arrays.BooleanArray(same & known, ~known)


def _lines(rows: pd.DataFrame, seat: pd.Series[int], action: str, payoff: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "row": rows.index,
            "game": rows["_game"],
            "round": rows["round"],
            "step": rows.get("step", 1),
            "seat": seat,
            "action": rows[action],
            "payoff": rows.get(payoff, np.nan),
        }
    )


def moves_table(
    moves: pd.DataFrame,
    rows: pd.DataFrame,
    ids: pd.Series[str],
    stages: Mapping[int, Stage],
    labels: Sequence[str],
    conditions: Sequence[str],
) -> pd.DataFrame:
    """Table ``moves``.

    Parameters
    ----------
    moves : DataFrame
        As `spread_moves`.
    rows : DataFrame
        The rows they come from.
    ids, stages : by game
    labels : sequence of str
        All actions.
    conditions : sequence of str
        Columns of rows (which bear a leading ``+``) that vary from move to move.
    """
    by_seat = {
        (game, seat): action
        for game, stage in stages.items()
        for seat, action in enumerate(stage.cooperative, start=1)
    }
    places = pd.MultiIndex.from_arrays([moves["game"], moves["seat"]])
    target = pd.Series(by_seat, dtype=TEXT).reindex(places).reset_index(drop=True)
    decided = {"decided": _cooperation(moves["decided"], target)} if "decided" in moves else {}
    origin = moves["row"].where(moves["own"])
    further = {c: origin.map(rows[f"+{c}"]).astype(rows[f"+{c}"].dtype) for c in conditions}
    data: dict[str, Any] = {
        "game_id": ids.reindex(moves["game"]).to_numpy(),
        **{c: moves[c] for c in ("round", "step", "seat")},
        "action": pd.Categorical(moves["action"], categories=pd.Index(list(labels), dtype=TEXT)),
        "value": moves.get("value", np.nan),
        "cooperated": _cooperation(moves["action"], target),
        **decided,
        "payoff": moves["payoff"],
        "status": moves["status"].astype("category"),
        **{c: moves[c] for c in _TEXTS if c in moves},
        **further,
    }
    return pd.DataFrame(data)
