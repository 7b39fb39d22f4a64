"""Personas across languages: what kind each one is, and who meets whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

__all__ = ["KINDS", "LETTERS", "MIXED", "composition", "pairing", "persona_kind", "seat_personas"]

LETTERS = {"cooperative": "C", "selfish": "S", "neutral": "N"}
"""Kind of persona -> its letter in a pairing."""

MIXED = "mixed"
"""Composition of a game whose players have different personas."""

KINDS: dict[str, str] = {
    **dict.fromkeys(("cooperative", "coopératif", "متعاون", "合作", "hợp tác"), "cooperative"),
    **dict.fromkeys(("selfish", "égoïste", "أناني", "自私", "ích kỷ"), "selfish"),
    **dict.fromkeys(("strategic", "stratégique", "chiến lược"), "strategic"),
    **dict.fromkeys(("neutral", "none"), "neutral"),
}
"""Persona as published configurations word it, in five languages -> its kind."""


def persona_kind(persona: str, kinds: Mapping[str, str] | None = None) -> str:
    """The kind of a persona, whatever its language; a persona that nobody listed is its own kind.

    Parameters
    ----------
    persona : str
    kinds : mapping of persona -> kind, optional
        Goes before `KINDS`.

    Examples
    --------
    >>> persona_kind("ích kỷ"), persona_kind("a pirate"), persona_kind("a pirate", {"a pirate": "selfish"})
    ('selfish', 'a pirate', 'selfish')
    """
    text = " ".join(persona.split())
    return (kinds or {}).get(text) or KINDS.get(text.casefold(), text)


def pairing(kinds: Sequence[str]) -> str:
    """Who meets whom, whatever the seats: letters in order (``CS`` is also SC), else kinds joined by ``+``.

    Examples
    --------
    >>> pairing(["selfish", "cooperative"]), pairing(["selfish"] * 3), pairing(["strategic", "selfish"])
    ('CS', 'SSS', 'selfish + strategic')
    """
    if all(kind in LETTERS for kind in kinds):
        return "".join(sorted(LETTERS[kind] for kind in kinds))
    return " + ".join(sorted(kinds))


def composition(kinds: Sequence[str]) -> str:
    """``all cooperative`` where every player has that persona, ``mixed`` where they differ."""
    return f"all {kinds[0]}" if len(set(kinds)) == 1 else MIXED


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
