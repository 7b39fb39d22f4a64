"""Who is one person: numbers of players that begin anew in each session, or perhaps in each treatment.

1. Laboratories count people from one in every session, so equal numbers of two sessions are two people.
2. Numbers or letters that are the same in every dyad or group number its members, who are other people
   in the next one.
3. Equal numbers of two treatments may be one person who played both, or two. Where matches and rounds go on,
   it is one; where they begin anew as well, nothing tells, and it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from intent.logs.importer.columns import Column, columns_of, tokens_of
from intent.logs.importer.words import SEAT_WORDS
from intent.logs.readers.arrays import TidyTable, first_rows, numbered, of_codes
from intent.logs.readers.stages import MISSING

__all__ = ["SESSION", "People", "are_numbers", "people_of", "told_apart"]

SESSION = "session"
"""Key of a mapping: the columns within which the numbers of players are their own."""

Codes = NDArray[np.intp]

_BAR = " | "
_ROLES = ("player", "other_player")
_KEYS = ("game_id", "game", "run", "repetition")

_USUAL = 0.5
"""Share of the numbers that come back elsewhere beyond which they begin anew."""

_PEOPLE = frozenset(
    ("dyad", "pair", "couple", "group", "team", "paar", "gruppe", "paire", "groupe", "pareja", "grupo")
)
"""Words for people who belong together, whatever they play."""

_FEW = 50
"""Most values of a column of treatments."""

_ID = re.compile(
    r"(?:(?:" + "|".join(sorted({*SEAT_WORDS, "s", "sub", "subj", "id", "u", "user"})) + r")[ _.-]?)?\d{1,9}"
    r"|(?:(?:" + "|".join(sorted(SEAT_WORDS - {"p"})) + r")[ _.-]?)?[a-z]",
    re.IGNORECASE,
)
"""Numbers and letters that are handed out anew: 7, S07, player 7, A. Names of people and models are not."""


@dataclass(frozen=True)
class People:
    """Within which columns the numbers of players are their own.

    Parameters
    ----------
    within : tuple of str
        Columns; empty where a number is one person throughout.
    by : tuple of str
        Columns that tell games apart, as rounds of one number come twice without them.
    question : (text, answers), optional
        Where it is not known whether numbers begin anew.
    """

    within: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    question: tuple[str, tuple[str, ...]] | None = None


def people_of(
    ours: Mapping[str, str], by: Sequence[str], columns: Mapping[str, Column], stated: Mapping[str, str]
) -> People:
    """Whether the numbers of players begin anew in some column of a table, and in which.

    Parameters
    ----------
    ours : mapping of our name -> theirs
        With a bar between the columns of two seats.
    by : sequence of str
        Columns that tell games apart.
    columns : mapping of name -> column
    stated : mapping of our name -> theirs
        What the user says of columns: ``session`` names one of other people, ``by`` one of other games.
    """
    players = _of_role(ours, "player", columns)
    if not players:
        return People()
    who = _together(players)
    within = [name for name in stated.get(SESSION, "").split(_BAR) if name in columns]
    of_roles = {part for role, name in ours.items() if role not in _KEYS for part in name.split(_BAR)}
    free = [column for name, column in columns.items() if name not in {*of_roles, *within}]
    if not within and not are_numbers(v for c in players for v in c.filled if v.casefold() not in MISSING):
        return People()
    rounds = _of_role(ours, "round", columns)
    most = len(who) / 2 if rounds else len(who)  # a date and time of each row is no session
    sessions = [c for c in free if c.sense.role == SESSION and 1 < len(c.filled) <= most]
    for column in sessions:
        if within or _is_anew(who, column):
            within.append(column.name)
    who = _below(who, [columns[name] for name in within])
    keys = [c for role in _KEYS for c in _of_role(ours, role, columns)]
    keys += [columns[name] for name in by if name in columns]
    settled = {*within, *(name.strip() for name in stated.get("by", "").split("+"))}
    for column in [] if SESSION in stated else free:
        spoken = column.sense.role == "treatment"
        others = [key for key in keys if key is not column]
        if (
            column.name in settled
            or not (spoken or (column.sense.role == "" and column not in keys))
            or not 1 < len(column.filled) <= _FEW
            or not _is_anew(who, column)
        ):
            continue
        crowd = len(np.unique(who)) > 2
        needed = _tells_apart(_below(who, [*others, *rounds]), column)
        if (needed and (spoken or crowd)) or (spoken and crowd and _is_of_pairs(who, others)):
            named = " and ".join(dict.fromkeys(c.name for c in players))
            text = (
                f"numbers of {named} come back in each {column.name}, as other people (the first answer) or "
                "as the same ones (the second)"
            )
            answers = (f"--map session={column.name}", f"--map by={column.name}")
            return People(tuple(within), (column.name,), (text, answers))
    if not within and SESSION not in stated:
        within = [key.name for key in _numbered_within(who, keys, settled)]
    return People(tuple(within))


def _numbered_within(who: Codes, keys: Sequence[Column], settled: Collection[str]) -> list[Column]:
    """The columns of groups of people, where each group has all the numbers that there are.

    Parameters
    ----------
    who : (n, c) int, of the players of each row
    keys : columns that tell games apart
    settled : names of columns in which numbers are the same people, as the user says
    """
    groups = [key for key in dict.fromkeys(keys) if _PEOPLE & {*tokens_of(key.name)} and len(key.filled) > 1]
    if not groups or any(key.name in settled for key in groups):
        return []
    group = _below(np.zeros_like(who), groups)
    n_groups, n_players = len(np.unique(group)), len(np.unique(who))
    each = len(np.unique(numbered([group.ravel(), who.ravel()])))
    return groups if n_players > 1 and each == n_groups * n_players else []


def _of_role(ours: Mapping[str, str], role: str, columns: Mapping[str, Column]) -> list[Column]:
    return [columns[name] for name in ours.get(role, "").split(_BAR) if name in columns]


def are_numbers(names: Iterable[str]) -> bool:
    """Whether players are called by numbers or letters that are handed out anew: 7, S07, player 7, A."""
    names = list(names)
    return bool(names) and all(_ID.fullmatch(name) for name in names)


def _together(columns: Sequence[Column]) -> Codes:
    """(n, c) codes of the rows of some columns into the texts of all of them."""
    pool = {value: i for i, value in enumerate(dict.fromkeys(v for c in columns for v in c.values))}
    return np.stack([np.array([pool[v] for v in c.values], dtype=np.intp)[c.codes] for c in columns], axis=1)


def _below(who: Codes, columns: Sequence[Column]) -> Codes:
    """(n, c) numbers of what stands in `who` and in each of the columns."""
    n, c = who.shape
    codes = [np.repeat(column.codes, c) for column in columns]
    return np.asarray(numbered([who.ravel(), *codes]), dtype=np.intp).reshape(n, c)


def _is_anew(who: Codes, column: Column) -> bool:
    """Whether most numbers come with several values of a column."""
    n = int(who.max(initial=-1)) + 1
    pairs = _below(who, [column]).ravel()
    heads = first_rows(pairs, int(pairs.max(initial=-1)) + 1)
    several = np.bincount(who.ravel()[heads], minlength=n) > 1
    return bool(n and several.mean() > _USUAL)


def _tells_apart(place: Codes, column: Column) -> bool:
    """Whether most places come twice, and hardly any does within a value of the column."""
    within = _below(place, [column]).ravel()
    n, n_within = (len(np.unique(one)) for one in (place, within))
    return n < (1 - _USUAL / 2) * place.size and n_within > 0.99 * place.size


def _is_of_pairs(who: Codes, keys: Sequence[Column]) -> bool:
    """Whether no game has more than two players, so that its number tells nothing of a player's course."""
    if not keys:
        return False
    game = _below(np.zeros_like(who), keys)
    pairs = numbered([game.ravel(), who.ravel()])
    heads = first_rows(pairs, int(pairs.max(initial=-1)) + 1)
    return bool(np.bincount(game.ravel()[heads]).max() <= 2)


def told_apart(
    table: TidyTable, ours: Mapping[str, str], within: Sequence[str]
) -> tuple[TidyTable, dict[str, str], list[str]]:
    """A long table whose players are named by what they are numbered within, too.

    Parameters
    ----------
    table : TidyTable
    ours : mapping of our name -> theirs
    within : sequence of str
        Columns of the table.

    Returns
    -------
    TidyTable, our name -> theirs, and notes
    """
    named, columns, notes = dict(ours), dict(table.columns), []
    keys = [name for name in within if name in columns]
    every = columns_of(table)
    for role in _ROLES if keys else ():
        if role in ours and ours[role] in every:
            columns[f"_{role}"] = _joined([every[name] for name in (*keys, ours[role])])
            if ours[role] not in keys:
                columns.pop(ours[role], None)
            named[role] = f"_{role}"
            whose = ours[role].removeprefix("_")
            notes.append(
                f"players are told apart by {' and '.join(keys)} and {whose}, "
                "whose numbers begin anew in each"
            )
    return replace(table, columns=columns), named, notes


def _joined(columns: Sequence[Column]) -> pa.Array:
    """The texts of some columns with dashes between; empty where the last one is."""
    code = np.asarray(numbered([c.codes for c in columns]))
    heads = first_rows(code, int(code.max(initial=-1)) + 1).tolist()
    cells = [[c.values[c.codes[row]] for c in columns] for row in heads]
    return of_codes(code, ["-".join(parts) if parts[-1] else "" for parts in cells])
