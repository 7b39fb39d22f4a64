"""Of an app's table: the decision, what says that time ran out, and the names of all else as conditions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pandas as pd

from intent import schema
from intent.errors import DataError, UnknownNameError
from intent.logs.readers.otree_tables import LINE, ROUND

__all__ = ["TIMEOUT", "condition_names", "decision", "find_field", "require_mapped"]

_TWO_VALUED = ("cooperate", "cooperates", "cooperation", "decision", "choice", "action", "move", "defect")
_AMOUNTS = ("contribution", "contribute", "contributed", "investment")
_BUILT_IN = {"player.id_in_group", "player.role", "player.payoff"}
_AMOUNT = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")

TIMEOUT = re.compile(r"(?:player\.)(?:\w*_)?(?:timed?_?out)(?:_\w+)?", re.IGNORECASE)
"""Fields in which an experiment notes that it moved in the player's place, by convention of its authors."""

_PLATFORM = re.compile(
    r"participant\.(?:id_in_session|code|label|payoff|visited|time_started\w*|mturk_\w+|_.+)"
    r"|session\.(?:code|label|comment|is_demo|mturk_\w+|config\.(?:participation_fee|real_world_currency_per_point))"
    r"|participant\.(?:external_id|is_on_wait_page|prolific\w*|ip_address)"
    r"|player\.(?:id_in_group|payoff)|group\.id_in_subsession",
    re.IGNORECASE,
)
"""Bookkeeping of the platform, and identifiers of people beyond the code: no conditions."""


def find_field(table: pd.DataFrame, app: str, name: str) -> str | None:
    """The column that a user calls ``cooperate``, ``player.cooperate`` or ``pd.player.cooperate``."""
    bare = re.sub(rf"\A{re.escape(app)}\.(?:\d+\.)?", "", name)
    for level in ("", "player.", "group.", "subsession.", "participant.", "session.config.", "session."):
        candidate = f"{level}{bare}"
        if candidate in table and candidate != LINE:
            return candidate
    return None


def decision(table: pd.DataFrame, app: str, mapping: Mapping[str, str]) -> tuple[str, str] | None:
    """What the players chose, as ``("action", column)`` or ``("value", column)``; None without a decision.

    1. What the mapping says of ``action`` or ``value``.
    2. A field of the player with at most two values by one of the usual names.
    3. The only field of the player with two values.
    4. A field of numbers by one of the usual names of contributions.

    Raises
    ------
    DataError
        Several fields have two values, and no name tells which one it is.
    """
    for kind in ("action", "value"):
        if kind in mapping:
            found = find_field(table, app, mapping[kind])
            return (kind, found) if found else None
    fields = [
        c
        for c in map(str, table.columns)
        if c.startswith("player.") and c not in _BUILT_IN and not TIMEOUT.fullmatch(c)
    ]
    distinct = {c: table[c].dropna().unique() for c in fields}
    for name in _TWO_VALUED:
        for column in fields:
            if column.casefold() == f"player.{name}" and 1 <= len(distinct[column]) <= 2:
                return "action", column
    two = [column for column in fields if len(distinct[column]) == 2]
    if len(two) == 1:
        return "action", two[0]
    for name in _AMOUNTS:
        for column in fields:
            values = distinct[column]
            if column.casefold() == f"player.{name}" and len(values) and all(map(_AMOUNT.fullmatch, values)):
                return "value", column
    if two:
        listed = ", ".join(name.removeprefix("player.") for name in two[:6])
        raise DataError(f"app {app}: fields {listed} have two values each; give --map action=FIELD")
    return None


def condition_names(table: pd.DataFrame, taken: Sequence[str]) -> dict[str, str]:
    """Column -> its name as a condition, of all that are neither taken nor bookkeeping nor empty.

    ``session.config.treatment`` is ``treatment``, ``participant.arm`` ``arm``, ``player.note`` ``note``;
    those of groups and subsessions keep their names, as does the second of two alike.
    """
    reserved = {c.name for c in (*schema.GAMES, *schema.SEATS, *schema.MOVES)} | {"app", "session", "person"}
    names: dict[str, str] = {}
    for column in map(str, table.columns):
        bookkeeping = "." not in column or column == ROUND or _PLATFORM.fullmatch(column)
        if bookkeeping or column in taken or table[column].isna().all():
            continue
        short = re.sub(r"\A(?:session\.config|participant|player)\.", "", column)
        names[column] = column if short in reserved or short in names.values() else short
    return names


def require_mapped(tables: Mapping[str, pd.DataFrame], mapping: Mapping[str, str]) -> None:
    """Refuse a mapping to a field that no app has.

    Raises
    ------
    UnknownNameError
    """
    for ours, theirs in mapping.items():
        for name in theirs.split("+") if ours == "by" else [theirs]:
            if not any(find_field(table, app, name.strip()) for app, table in tables.items()):
                known = dict.fromkeys(str(c) for table in tables.values() for c in table.columns if c != LINE)
                raise UnknownNameError(f"field (--map {ours}=…)", name.strip(), known)
