"""Reader of Inspect's evaluation logs in which samples are games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from intent.errors import DataError, located, one_line, shorten
from intent.files.bounds import beyond, bounds
from intent.logs.gamelog import GameLog
from intent.logs.readers.inspect_members import is_eval, read_eval
from intent.logs.readers.inspect_play import KEY, Play, find_play, plain
from intent.logs.readers.inspect_texts import add_texts
from intent.logs.readers.mapping import KEYS
from intent.logs.readers.reader import Reader, Settings, Source
from intent.logs.readers.tidy import log_of_table
from intent.logs.readers.tidy_table import TidyTable
from intent.logs.rejects import Rejects

__all__ = ["READER"]


def recognises(source: Source, settings: Settings) -> bool:
    """Whether the source is an Inspect log."""
    return is_eval(source)


def read(source: Source, settings: Settings) -> GameLog:
    """A game per sample and epoch; samples without play go to the rejects."""
    rejects = Rejects(source.path, strict=settings.strict)
    header, samples = read_eval(source)
    notes: list[str] = []
    if header.get("status") != "success":
        notes.append(f"the evaluation has status {one_line(header.get('status'), 40)}: its samples so far")
    rows: list[dict[str, Any]] = []
    places: Counter[str] = Counter()
    quoted, most = 0, bounds().json_values
    mapping = {ours: theirs for ours, theirs in settings.mapping.items() if ours != "by"}
    for where, sample in samples:
        if isinstance(sample, DataError):
            rejects.add(None, str(sample).removeprefix(f"{source.path.name}: "), shorten(where))
            continue
        play = find_play(sample, mapping)
        if play is None:
            rejects.add(None, f"{where} {_without(sample)}", shorten(where))
            continue
        places[play.where] += 1
        game, told = _game(header["eval"], sample, play)
        quoted += told
        rows += game
        if len(rows) > most:
            raise beyond(source.path, "more moves and their fields", "json_values")
    if not rows:
        rejects.table(0)
        raise DataError(located(source.path, "no sample, so no game"))
    notes += [f"{n:,} games from {where}" for where, n in places.items()]
    if quoted:
        notes.append(f"{quoted:,} games have their replies from the messages")
    found = dict.fromkeys(name for row in rows for name in row)
    columns = {name: name for name in found if name in KEYS}
    longest = bounds().field
    table = TidyTable(
        {name: pa.array([_cell(row.get(name), longest) for row in rows], pa.string()) for name in found},
        lambda row: None,
        lambda row: f"game {rows[row].get('game_id')}, round {rows[row].get('round')}",
    )
    plain_settings = replace(settings, mapping={k: v for k, v in settings.mapping.items() if k == "by"})
    return _by_role(log_of_table(source, table, columns, plain_settings, rejects, notes))


def _by_role(log: GameLog) -> GameLog:
    """The log with names of players as roles: one sample knows nothing of another, so nobody is in two."""
    names = log.seats["player"]
    if names.isna().all():
        return log
    taken = {*log.games.columns, *log.seats.columns}
    seats = log.seats.assign(**{"sample_role" if "role" in taken else "role": names, "player": None})
    return GameLog(log.games, seats, log.moves, provenance=log.provenance, rejects=log.rejects)


def _cell(value: object, longest: int) -> str:
    return (plain(value) or "")[:longest]


def _without(sample: Mapping[str, Any]) -> str:
    """Why a sample is no game."""
    error = sample.get("error")
    if isinstance(error, Mapping):
        return f"ended with {one_line(error.get('message'), 120)}, expected moves"
    return f"has no table of moves, expected one in its store, metadata or a score's metadata, under {KEY!r}"


def _game(
    spec: Mapping[str, Any], sample: Mapping[str, Any], play: Play
) -> tuple[list[dict[str, Any]], bool]:
    """The rows of one game, and whether their texts come from the messages.

    What a move says of itself counts before what ``players`` says, and that before what is said of the
    game. A seat of which nobody says who plays it is played by the model of its role, else by that of the
    evaluation.
    """
    task, name, epoch = (
        plain(value) or "" for value in (spec.get("task"), sample.get("id"), sample.get("epoch"))
    )
    facts: dict[str, Any] = {
        "game_id": f"{task}-{name}-{epoch or 1}",
        "repetition": epoch or "1",
        "run": spec.get("run_id"),
    }
    facts |= _plain_facts(play.facts)
    shared: dict[str, Any] = {"task": task, "sample": name}
    for prefix, held in (("sample", sample.get("metadata")), ("task", spec.get("task_args"))):
        for key, value in _plain_facts(held).items():
            shared[f"{prefix}_{key}" if key in KEYS or key in shared or key in facts else key] = value
    shared |= facts
    by_name = {str(player["player"]): player for player in play.players if player.get("player") is not None}
    rows: list[dict[str, Any]] = []
    seats = []
    for row in play.rows:
        known = by_name.get(str(row.get("player"))) or _seated(play.players, row.get("seat")) or {}
        own = {**_plain_facts(known), **{k: v for k, v in row.items() if v is not None}}
        role = own.pop("role", None) or own.get("player")
        if not any(own.get(key) for key in ("model", "strategy", "architecture")):
            own["model"] = _of_role(spec, role) or spec.get("model")
        rows.append({**shared, **own})
        seats.append((own.get("player") or own.get("seat") or "one") if own.get("model") else None)
    return rows, add_texts(rows, sample, seats)


def _plain_facts(held: object) -> dict[str, Any]:
    """The entries of an object that are texts, numbers or truth values, our own record aside."""
    if not isinstance(held, Mapping):
        return {}
    return {str(k): v for k, v in held.items() if k != KEY and v is not None and plain(v) is not None}


def _seated(players: list[dict[str, Any]], seat: object) -> dict[str, Any] | None:
    """The player of a seat, by the order in which players are listed."""
    return players[seat - 1] if isinstance(seat, int) and 0 < seat <= len(players) else None


def _of_role(spec: Mapping[str, Any], role: object) -> object:
    """The model of a role of the evaluation."""
    roles = spec.get("model_roles")
    found = roles.get(role) if isinstance(roles, Mapping) and isinstance(role, str) else None
    return found.get("model") if isinstance(found, Mapping) else found


READER = Reader(
    "inspect",
    "an Inspect log, .eval or .json, whose samples hold moves (key intent)",
    recognises,
    read,
)
