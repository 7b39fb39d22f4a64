"""The play in a sample of an Inspect log: a table of moves in its store, its metadata, or a score's.

Inspect has no form for games. What is read is the long table of `tidy`, as a list of objects:

1. under the key ``intent``, an object with ``moves`` and, where known, ``players``, ``game``, …;
2. else the first list of objects with an action, under any key.

An object may hold one move (``seat`` or ``player`` and ``action``), or a round's moves, each field a list by
seat or an object by player (``actions``, ``payoffs``, …).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from intent.logs.readers.mapping import KEYS

__all__ = ["KEY", "Play", "find_play", "plain"]

KEY = "intent"
"""The key under which a sample holds its play by our convention."""

_PLURALS = {f"{name}s": name for names in KEYS.items() for name in (names[0], *names[1])} | {
    "statuses": "status",
    "replies": "reply",
    "strategies": "strategy",
}
_OURS = {synonym: ours for ours, synonyms in KEYS.items() for synonym in (ours, *synonyms)}
_TABLES = ("moves", "rounds", "history")
_WIDEST = 1_000


@dataclass(frozen=True)
class Play:
    """The moves of one sample.

    Parameters
    ----------
    where : str
        Where they stand, such as ``store.intent``.
    rows : list of dict
        One per move, keys as in the log, plurals made singular.
    players : list of dict
        What is known of the seats, in order.
    facts : dict
        What is known of the game.
    """

    where: str
    rows: list[dict[str, Any]]
    players: list[dict[str, Any]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def plain(value: object) -> str | None:
    """A JSON value as the text of a cell, empty for null, NaN and infinity; None of an object or a list."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value) if math.isfinite(value) else ""
    return None


def find_play(sample: Mapping[str, Any], mapping: Mapping[str, str]) -> Play | None:
    """The play of a sample, None where it has none.

    Parameters
    ----------
    sample : mapping
        As in the log.
    mapping : mapping of ours -> theirs
        ``--map`` of the user.
    """
    places = list(_places(sample))
    for where, held in places:
        record = held.get(KEY)
        if isinstance(record, Mapping):
            table = next((record[key] for key in _TABLES if isinstance(record.get(key), list)), None)
            if table is not None and _is_table(table, mapping):
                facts = {k: v for k, v in record.items() if k not in (*_TABLES, "players")}
                players = _players(record.get("players"))
                return Play(f"{where}.{KEY}", _rows(table, players, mapping), players, facts)
        if isinstance(record, list) and _is_table(record, mapping):
            return Play(f"{where}.{KEY}", _rows(record, [], mapping))
    for where, held in places:
        for key, value in held.items():
            if isinstance(value, list) and _is_table(value, mapping):
                return Play(f"{where}.{key}", _rows(value, [], mapping))
    return None


def _places(sample: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name in ("store", "metadata"):
        if isinstance(sample.get(name), Mapping):
            yield name, sample[name]
    scores = sample.get("scores")
    if isinstance(scores, Mapping):
        for name, score in scores.items():
            if isinstance(score, Mapping) and isinstance(score.get("metadata"), Mapping):
                yield f"scores.{name}.metadata", score["metadata"]


def _is_table(table: Sequence[object], mapping: Mapping[str, str]) -> bool:
    """Whether a list holds objects, the first of them with an action or a number chosen."""
    if not table or not all(isinstance(row, Mapping) for row in table):
        return False
    first = _renamed(cast(Mapping[str, Any], table[0]), mapping)
    return "action" in first or "value" in first


def _renamed(entry: Mapping[str, Any], mapping: Mapping[str, str]) -> dict[str, Any]:
    """The fields of an object under our names: those of the mapping, else by the names that `tidy` takes."""
    back = {theirs: ours for ours, theirs in mapping.items()}
    found: dict[str, Any] = {}
    for name, value in entry.items():
        folded = name.casefold()
        several = isinstance(value, list | Mapping)
        ours = back.get(name) or _OURS.get(_PLURALS.get(folded, folded) if several else folded)
        if ours is not None and ours in mapping and name != mapping[ours]:
            ours = None
        if ours is None or (ours in found and folded != ours):
            found.setdefault(name, value)
        else:
            found[ours] = value
    return found


def _players(given: object) -> list[dict[str, Any]]:
    if isinstance(given, Mapping):
        return [{"player": str(k), **(v if isinstance(v, Mapping) else {})} for k, v in given.items()]
    if isinstance(given, list):
        return [dict(one) if isinstance(one, Mapping) else {"player": one} for one in given]
    return []


def _rows(
    table: Sequence[Mapping[str, Any]], players: Sequence[Mapping[str, Any]], mapping: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One dict per move; rounds are counted where no object says its own."""
    rows: list[dict[str, Any]] = []
    for number, entry in enumerate(table, start=1):
        base = {"round": number, **_renamed(entry, mapping)}
        held = base.get("action") if "action" in base else base.get("value")
        if isinstance(held, Mapping):
            rows += [{**_of(base, name, at), "player": name} for at, name in enumerate(list(held)[:_WIDEST])]
        elif isinstance(held, list):
            for at in range(min(len(held), _WIDEST)):
                name = players[at].get("player") if at < len(players) else None
                named = {"player": name} if isinstance(name, str) else {}
                name = name if named else None
                rows.append({**_of(base, name, at), "seat": at + 1, **named})
        else:
            rows.append(base)
    return rows


def _of(entry: Mapping[str, Any], player: object, at: int) -> dict[str, Any]:
    """One player's part of a round: of lists by seat and objects by player its own; the rest is all's."""
    found = {}
    for name, value in entry.items():
        if isinstance(value, Mapping):
            found[name] = value.get(player)
        elif isinstance(value, list):
            found[name] = value[at] if at < len(value) else None
        else:
            found[name] = value
    return found
