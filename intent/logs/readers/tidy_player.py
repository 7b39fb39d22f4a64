"""Which column of a long table names the players, where none bears a name that says so."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from intent.logs.readers.cells import by_value
from intent.logs.readers.tidy_table import TidyTable

__all__ = ["PLAYERS", "guess_player"]

PLAYERS = ("id", "subject_id", "pid", "participant")
"""Names that may be the player's, or a row's, or something else's."""

_PLACE = ("game_id", "game", "run", "repetition", "seat", "round", "step")


def guess_player(table: TidyTable, columns: Mapping[str, str]) -> str | None:
    """The column that names the players.

    A column of one of the names `PLAYERS` does, unless it differs in every row of a game of several
    rounds, if

    1. the table has the opponent's move or further columns on the other (``other.…``), or
    2. game and round fit several rows, which the column tells apart.

    Parameters
    ----------
    table : TidyTable
    columns : mapping of ours -> theirs
    """
    if "player" in columns or "seat" in columns:
        return None
    taken = set(columns.values())
    names = {name.casefold(): name for name in reversed(list(table.columns))}
    found = [names[name] for name in PLAYERS if name in names and names[name] not in taken]
    place = [columns[key] for key in _PLACE if key in columns]
    about_other = "other" in columns or any(name.startswith(("other.", "other_")) for name in names)
    for name in found:
        several_rounds = _distinct(table, [columns["round"]]) > 1
        if several_rounds and _distinct(table, [name]) == len(table):
            continue
        tells_apart = _distinct(table, place) < _distinct(table, [*place, name]) == len(table)
        if about_other or tells_apart:
            return name
    return None


def _distinct(table: TidyTable, names: list[str]) -> int:
    """Number of different combinations of some columns."""
    coded = {}
    for name in names:
        codes, values = by_value(table.columns[name])
        coded[name] = pa.array(codes).cast(pa.int64()) if values else pa.array([], pa.int64())
    return int(pa.table(coded).group_by(names).aggregate([]).num_rows)
