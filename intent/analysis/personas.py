"""The personas of a log's seats by kind, and who meets whom in each game."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from intent.agents.personas import composition, pairing, persona_kind

__all__ = ["seat_personas"]


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
