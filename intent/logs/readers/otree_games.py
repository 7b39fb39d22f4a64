"""Which rounds of a group are one game: those in a row with the same participants in it."""

from __future__ import annotations

import re

import pandas as pd

from intent.logs.readers.otree_tables import LINE, ROUND

__all__ = ["assign_supergames", "drop_unplayed"]

_MATCH = re.compile(
    r"(?:player|group|subsession)\.(?:match|match_number|match_id|supergame|super_game|sg|interaction|cycle)",
    re.IGNORECASE,
)
"""Fields in which an experiment numbers its matches."""


def drop_unplayed(table: pd.DataFrame, decision: str) -> tuple[pd.DataFrame, int]:
    """The games without their rounds after the last in which anybody decided, and how many rounds these are.

    oTree makes all rounds of a session before it begins: those after a game's end, or of people who never
    came, stand empty in the export.

    Parameters
    ----------
    table : DataFrame
        As `assign_supergames`.
    decision : str
        Column of what was chosen.
    """
    decided = table["round"].where(table[decision].notna(), 0)
    last = decided.groupby(table["game_id"]).transform("max")
    after = table["round"] > last
    return table[~after], int((~table[after].duplicated(["game_id", "round"])).sum())


def assign_supergames(table: pd.DataFrame) -> tuple[pd.DataFrame, str | None]:
    """The table with columns ``game_id``, ``round`` (within the game, from 1) and ``seat``.

    1. A game is a longest row of rounds in which a group has the same participants. Where the experiment
       numbers its matches (`match`, `supergame`, …), another number is another game.
    2. A participant's seat is by id_in_group in the first round of the game.

    Parameters
    ----------
    table : DataFrame
        One app; round number and id_in_group as whole numbers.

    Returns
    -------
    DataFrame, and the field that numbers the matches
    """
    session = (
        table["session.code"].fillna("") if "session.code" in table else pd.Series("", index=table.index)
    )
    group = table.get("group.id_in_subsession", "")
    match = next((c for c in map(str, table.columns) if _MATCH.fullmatch(c) and table[c].notna().all()), None)
    frame = pd.DataFrame(
        {
            "session": session,
            "round": table[ROUND].astype("int64"),
            "group": group,
            "person": table["participant.code"],
            "match": table[match] if match else "",
            "id": table["player.id_in_group"].astype("int64"),
        },
        index=table.index,
    )
    one_group = frame.sort_values("person").groupby(["session", "round", "group"], dropna=False, sort=False)
    members = one_group["person"].agg("\n".join).rename("members").reset_index()
    match_of = one_group["match"].first().reset_index(drop=True)
    members = members.assign(match=match_of)
    members = members.sort_values(["session", "members", "round"], kind="stable")
    same = members[["session", "members", "match"]].eq(members[["session", "members", "match"]].shift()).all(
        axis=1
    ) & members["round"].diff().eq(1)
    members["game"] = (~same).cumsum()
    first = members.groupby("game").transform("first")
    members["first"], members["first_group"] = first["round"], first["group"]
    placed = frame.reset_index(names="at").merge(
        members[["session", "round", "group", "game", "first", "first_group"]],
        on=["session", "round", "group"],
        how="left",
    ).set_index("at")  # fmt: skip
    opening = placed[placed["round"] == placed["first"]].set_index(["game", "person"])["id"]
    opening = opening[~opening.index.duplicated()].groupby("game").rank(method="first").astype("int64")
    seats = opening.reindex(pd.MultiIndex.from_frame(placed[["game", "person"]])).to_numpy()
    name = placed["session"] + "-r" + placed["first"].astype(str) + "-g" + placed["first_group"].astype(str)
    result = table.assign(
        game_id=name.str.removeprefix("-"), round=placed["round"] - placed["first"] + 1, seat=seats
    )
    return result.sort_values([LINE, "round"], kind="stable"), match
