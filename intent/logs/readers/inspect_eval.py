"""Reader of Inspect's evaluation logs in which samples are games.

The JSON texts of an Inspect log: an ``.eval`` archive, packed by zstd or deflate, or one ``.json``.

The play in a sample of an Inspect log: a table of moves in its store, its metadata, or a score's.

Inspect has no form for games. What is read is the long table of `tidy`, as a list of objects:

1. under the key ``intent``, an object with ``moves`` and, where known, ``players``, ``game``, …;
2. else the first list of objects with an action, under any key.

Games that our own tasks played (`intent.inspect`) stand under the key ``intent`` in all tables, with the
types of their columns, and are read as they were; one that was stopped before its end is no game, but a
reject.

An object may hold one move (``seat`` or ``player`` and ``action``), or a round's moves, each field a list by
seat or an object by player (``actions``, ``payoffs``, …).

Prompts, replies and reasoning of a sample's messages, beside the moves where that is certain.

References
----------
UK AI Security Institute, Inspect: A framework for large language model evaluations, pages "Log Files" and
"EvalLog". Archives hold ``header.json`` once an evaluation is over, ``_journal/start.json`` from its start,
and ``samples/<id>_epoch_<n>.json``.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from intent.base.binary import Archive, list_members
from intent.base.errors import DataError, LimitError, UsageError, located, of_file, one_line, shorten
from intent.base.files import beyond, bounds, json_value
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.readers.arrays import TidyTable
from intent.logs.readers.reader import KEYS, Reader, Settings, Source
from intent.logs.readers.tidy import log_of_table
from intent.logs.run_folder import natural_order
from intent.logs.stores import GameRows, game_records, load_facts, plain_facts

__all__ = [
    "KEY",
    "PLAYED",
    "READER",
    "Play",
    "add_texts",
    "find_play",
    "game_of_record",
    "is_eval",
    "plain",
    "read_eval",
    "written_record",
]


_HEADER, _START = "header.json", "_journal/start.json"
_JSON = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:\s*\{')


def is_eval(source: Source) -> bool:
    """Whether a source is an Inspect log, by its members or its first keys."""
    if source.kind == "zip":
        return bool({_HEADER, _START} & list_members(source.path, partial=True))
    return source.is_json and _JSON.match(source.legible.data[:4096]) is not None


Samples = Iterator[tuple[str, "dict[str, Any] | DataError"]]
"""Where each stands, and what it holds or why it holds nothing."""


def read_eval(source: Source) -> tuple[dict[str, Any], Samples]:
    """What a log says of its evaluation, and its samples one by one.

    Parameters
    ----------
    source : Source

    Returns
    -------
    header : dict
        ``eval``, ``status`` (``started`` where the evaluation is not over) and others.
    samples : iterator of (where, sample), or (where, error) of one that cannot be read

    Raises
    ------
    DataError
        No Inspect log, or a damaged one.
    LimitError
        A member, or all of them, unpack to more than may be read.
    """
    if source.kind != "zip":
        if not source.is_json:
            raise DataError(located(source.path, f"a {source.kind}, expected an Inspect log, .eval or .json"))
        if len(source.text.data) > bounds().json_bytes:
            what = "more bytes of JSON (inspect log convert --to eval cuts it)"
            raise beyond(source.path, what, "json_bytes")
        log = _parsed(source.text.data, source.path, source.path.name)
        samples = log.pop("samples", None) or []
        if not isinstance(samples, list):
            raise DataError(located(source.path, f"samples is {shorten(samples)}, expected a list"))
        _spec(log, source.path)
        return log, ((f"sample {i}", s) for i, s in enumerate(samples, start=1) if isinstance(s, dict))
    archive = Archive(
        source.path, last=True, partial=True
    )  # a sample that is retried stands after its first try
    try:
        first = next((name for name in (_HEADER, _START) if name in archive.names), None)
        if first is None:
            what = f"an archive without {_HEADER}, so no Inspect log"
            raise DataError(located(source.path, f"{what}; {archive.gap}" if archive.gap else what))
        header = _parsed(archive.read(first, bound="json_bytes"), source.path, first)
        _spec(header, source.path)
    except DataError:
        archive.close()
        raise
    return {"status": "started", **header}, _samples(archive, source.path)


def _samples(archive: Archive, path: Path) -> Samples:
    with archive:
        for name in sorted(archive.names, key=natural_order):
            if name.startswith("samples/") and name.endswith(".json"):
                try:
                    yield name, _parsed(archive.read(name, bound="json_bytes"), path, name)
                except LimitError:
                    raise
                except DataError as error:
                    yield name, error
        if archive.gap:
            yield path.name, DataError(archive.gap)


def _spec(log: dict[str, Any], path: Path) -> None:
    if not isinstance(log.get("eval"), dict):
        raise DataError(located(path, f"eval is {shorten(log.get('eval'))}, expected an object"))


def _parsed(data: bytes, path: Path, name: str) -> dict[str, Any]:
    try:
        value = json_value(data)
    except (ValueError, RecursionError) as error:
        raise DataError(located(path, f"{one_line(name)} is no JSON ({one_line(error)})")) from None
    if not isinstance(value, dict):
        raise DataError(located(path, f"{one_line(name)} is no JSON object"))
    return value


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
    renamed: dict[str, Any] = {}
    for name, value in entry.items():
        folded = name.casefold()
        several = isinstance(value, list | Mapping)
        ours = back.get(name) or _OURS.get(_PLURALS.get(folded, folded) if several else folded)
        if ours is not None and ours in mapping and name != mapping[ours]:
            ours = None
        if ours is None or (ours in renamed and folded != ours):
            renamed.setdefault(name, value)
        else:
            renamed[ours] = value
    return renamed


def _players(players: object) -> list[dict[str, Any]]:
    if isinstance(players, Mapping):
        return [{"player": str(k), **(v if isinstance(v, Mapping) else {})} for k, v in players.items()]
    if isinstance(players, list):
        return [dict(one) if isinstance(one, Mapping) else {"player": one} for one in players]
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
    own = {}
    for name, value in entry.items():
        if isinstance(value, Mapping):
            own[name] = value.get(player)
        elif isinstance(value, list):
            own[name] = value[at] if at < len(value) else None
        else:
            own[name] = value
    return own


_ATTACHED = "attachment://"


def add_texts(rows: Sequence[dict[str, Any]], sample: Mapping[str, Any], seats: Sequence[object]) -> bool:
    """Give the moves of the only seat that a model plays its replies, and whether that could be done.

    It is certain where the rows have no reply of their own, one seat alone is a model's, and the messages
    hold as many replies as it has moves.

    Parameters
    ----------
    rows : sequence of dict
        In the order of play; changed in place.
    sample : mapping
    seats : sequence
        Per row, the seat or player where a model plays it, None elsewhere.
    """
    mine = [row for row, seat in zip(rows, seats, strict=True) if seat is not None]
    if len({str(seat) for seat in seats if seat is not None}) != 1:
        return False
    if any(row.get(name) for row in mine for name in ("reply", "prompt", "reasoning")):
        return False
    turns = list(_turns(sample))
    if len(turns) != len(mine):
        return False
    for row, turn in zip(mine, turns, strict=True):
        row.update({name: text for name, text in turn.items() if text})
    return True


def _turns(sample: Mapping[str, Any]) -> list[dict[str, str]]:
    """What was asked, thought and replied, per message of the assistant."""
    attachments = sample.get("attachments")
    held = attachments if isinstance(attachments, Mapping) else {}
    messages = sample.get("messages")
    turns, prompt = [], ""
    for message in messages if isinstance(messages, list) else []:
        if not isinstance(message, Mapping):
            continue
        text, reasoning = _content(message.get("content"), held)
        if message.get("role") == "user":
            prompt = text
        elif message.get("role") == "assistant":
            turns.append({"prompt": prompt, "reply": text, "reasoning": reasoning})
    return turns


def _content(content: object, attachments: Mapping[str, Any]) -> tuple[str, str]:
    """Text and reasoning of a message, which is a text or a list of parts."""
    if isinstance(content, str):
        return _resolved(content, attachments), ""
    texts: dict[str, list[str]] = {"text": [], "reasoning": []}
    for part in content if isinstance(content, list) else []:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind in texts and isinstance(part.get(kind), str):
            texts[kind].append(_resolved(part[kind], attachments))
    return "\n".join(texts["text"]), "\n".join(texts["reasoning"])


def _resolved(text: str, attachments: Mapping[str, Any]) -> str:
    """The text, or the one that it stands for: Inspect keeps long ones apart."""
    if text.startswith(_ATTACHED):
        attached = attachments.get(text.removeprefix(_ATTACHED))
        text = attached if isinstance(attached, str) else text
    return text[: bounds().field]


def recognises(source: Source, settings: Settings) -> bool:
    """Whether the source is an Inspect log."""
    return is_eval(source)


def read(source: Source, settings: Settings) -> GameLog:
    """A game per sample and epoch; samples without play go to the rejects."""
    rejects = Rejects(source.path, strict=settings.strict)
    header, samples = read_eval(source)
    metadata = header["eval"].get("metadata")
    if isinstance(metadata, Mapping) and "intent_log" in metadata:
        return _written_log(source, settings, metadata, samples, rejects)
    notes: list[str] = []
    if header.get("status") != "success":
        notes.append(f"the evaluation has status {one_line(header.get('status'), 40)}: its samples so far")
    if isinstance(metadata, Mapping) and metadata.get(PLAYED) == KEY:
        return _played_log(source, settings, header["eval"], samples, rejects, notes)
    rows: list[dict[str, Any]] = []
    places: Counter[str] = Counter()
    quoted, most = 0, bounds().json_values
    mapping = {ours: theirs for ours, theirs in settings.mapping.items() if ours != "by"}
    for where, sample in _readable(source, samples, rejects):
        play = find_play(sample, mapping)
        if play is None:
            rejects.add(None, f"{where} {_without(sample)}", shorten(where))
            continue
        places[play.where] += 1
        game, quotes = _game(header["eval"], sample, play)
        quoted += quotes
        rows += game
        if len(rows) > most:
            raise beyond(source.path, "more moves and their fields", "json_values")
    if not rows:
        rejects.table(0)
        raise DataError(located(source.path, "no sample, so no game"))
    notes += [f"{n:,} games from {where}" for where, n in places.items()]
    if quoted:
        notes.append(f"{quoted:,} games have their replies from the messages")
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: name for name in names if name in KEYS}
    longest = bounds().field
    table = TidyTable(
        {name: pa.array([_cell(row.get(name), longest) for row in rows], pa.string()) for name in names},
        lambda row: None,
        lambda row: f"game {rows[row].get('game_id')}, round {rows[row].get('round')}",
    )
    plain_settings = replace(settings, mapping={k: v for k, v in settings.mapping.items() if k == "by"})
    return _by_role(log_of_table(source, table, columns, plain_settings, rejects, notes))


def _readable(source: Source, samples: Samples, rejects: Rejects) -> Iterator[tuple[str, dict[str, Any]]]:
    """The samples that can be read; the others are rejects."""
    for where, sample in samples:
        if isinstance(sample, DataError):
            rejects.add(None, str(sample).removeprefix(f"{source.path.name}: "), shorten(where))
        else:
            yield where, sample


def _record(sample: Mapping[str, Any]) -> Any:
    """What we stored in a sample."""
    store = sample.get("store")
    return store.get(KEY) if isinstance(store, Mapping) else None


def _check_unused(source: Source, settings: Settings, what: str) -> None:
    """Refuse settings for what a log says itself."""
    unused = settings.to_json()
    unused.pop("strict", None)
    if unused:
        raise UsageError(f"{source.path} is {what} and says itself what {', '.join(unused)} would say")


def _written_log(
    source: Source,
    settings: Settings,
    metadata: Mapping[str, Any],
    samples: Samples,
    rejects: Rejects,
) -> GameLog:
    """A log that `intent export --format inspect` wrote: games as they were, with the types of all columns.

    Raises
    ------
    UsageError
        A setting for what the log says itself.
    DataError
        Facts that are none, or not one sample that is a game of such a log.
    """
    _check_unused(source, settings, "an exported log")
    facts = load_facts(json.dumps(metadata), "metadata of the evaluation")
    games = GameRows(facts)
    for where, sample in _readable(source, samples, rejects):
        record = _record(sample)
        if not isinstance(record, Mapping):
            rejects.add(None, f"{where} {_without(sample)}", shorten(where))
        elif problem := games.add(record):
            rejects.add(None, f"{where}: {problem}", shorten(where))
    table = rejects.table(len(games))
    try:
        log = games.log()
    except DataError as error:
        raise of_file(source.path, error) from None
    log.rejects = table
    return log


PLAYED = "played_by"
"""In the metadata of an evaluation: whose tasks played it."""

_FACTS, _OVER = "facts", "over"


def written_record(log: GameLog, *, over: bool) -> dict[str, Any]:
    """The one game of a log as the store of a sample keeps it: its rows in all tables, and the types of
    these.

    Parameters
    ----------
    over : bool
        Whether it came to its end; one that did not is not read as a game.
    """
    (game,) = game_records(log)
    facts = plain_facts(log)
    return {**game, _FACTS: {name: facts[name] for name in ("intent_log", "columns")}, _OVER: over}


def game_of_record(record: Mapping[str, Any]) -> GameLog:
    """The log of one game from what `written_record` made of it.

    Raises
    ------
    DataError
        It is no such record.
    """
    games = GameRows(load_facts(json.dumps(record.get(_FACTS)), _FACTS))
    if problem := games.add(_tables(record)):
        raise DataError(problem)
    return games.log()


def _tables(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in (_FACTS, _OVER)}


def _played_log(
    source: Source,
    settings: Settings,
    spec: Mapping[str, Any],
    samples: Samples,
    rejects: Rejects,
    notes: list[str],
) -> GameLog:
    """A log of our own tasks: games as they were, their run and task those of the evaluation.

    Raises
    ------
    UsageError
        A setting for what the log says itself.
    DataError
        Columns of two types, or no game.
    """
    _check_unused(source, settings, "a log of intent's tasks")
    whole: list[tuple[str, Mapping[str, Any]]] = []
    columns: dict[str, dict[str, Any]] = {}
    version, cells, most = None, 0, bounds().json_values
    own = {"run": plain(spec.get("run_id")), "task": plain(spec.get("task"))}
    for where, sample in _readable(source, samples, rejects):
        record = _record(sample)
        if not isinstance(record, Mapping) or not isinstance(record.get("games"), Mapping):
            rejects.add(None, f"{where} {_without(sample)}", shorten(where))
        elif record.get(_OVER) is not True:
            rejects.add(None, f"{where} {_stopped(sample, record)}", shorten(where))
        else:
            facts = load_facts(json.dumps(record.get(_FACTS)), f"{where}, facts")
            version = facts["intent_log"] if version is None else version
            if facts["intent_log"] != version:
                raise DataError(
                    located(source.path, f"{where} has another schema version than the samples before")
                )
            _join_columns(columns, facts["columns"], f"{source.path.name}, {where}")
            whole.append(
                (
                    where,
                    {**_tables(record), "games": {**record["games"], **{k: v for k, v in own.items() if v}}},
                )
            )
            moves = record.get("moves")
            cells += len(moves) if isinstance(moves, list) else 0
            if cells > most:
                raise beyond(source.path, "more moves and their fields", "json_values")
    for name, value in own.items():
        if value and columns:
            columns["games"][name] = "str"
    log_facts = {
        "intent_log": version,
        "columns": columns,
        "provenance": {"generator": "intent inspect", "notes": notes},
    }
    games = GameRows(log_facts)
    for where, record in whole:
        if problem := games.add(record):
            rejects.add(None, f"{where}: {problem}", shorten(where))
    table = rejects.table(len(games))
    if not len(games):
        raise DataError(located(source.path, "no sample holds a game that came to its end"))
    try:
        log = games.log()
    except DataError as error:
        raise of_file(source.path, error) from None
    log.rejects = table
    return log


def _join_columns(
    columns: dict[str, dict[str, Any]], more: Mapping[str, Mapping[str, Any]], where: str
) -> None:
    """Add the columns of a game to those before; whole numbers beside fractions are fractions."""
    for table, types in more.items():
        known = columns.setdefault(table, {})
        for name, kind in types.items():
            before = known.setdefault(name, kind)
            if before == kind:
                continue
            if isinstance(before, dict) and isinstance(kind, dict):
                both = [*(before["category"] or ()), *(kind["category"] or ())]
                known[name] = {"category": list(dict.fromkeys(both)) or None}
            elif {str(before).casefold(), str(kind).casefold()} <= {"int64", "float64"}:
                known[name] = "Float64"
            else:
                raise DataError(
                    f"{where}: column {shorten(name)} of {shorten(table)} is {kind}, before it was {before}"
                )


def _stopped(sample: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """How far a game came, and what stopped it."""
    games = record["games"]
    played, planned = games.get("rounds_played"), games.get("rounds_planned")
    limit, error = sample.get("limit"), sample.get("error")
    if isinstance(limit, Mapping):
        why = f"the limit {one_line(limit.get('type'), 40)}"
    elif isinstance(error, Mapping):
        message = one_line(error.get("message"), 120)
        why = "whoever cancelled the evaluation" if message.startswith("CancelledError(") else message
    else:
        why = "the end of the evaluation"
    return f"was stopped after {shorten(played)} of {shorten(planned)} rounds by {why}, expected a whole game"


def _by_role(log: GameLog) -> GameLog:
    """The log with names of players as roles: one sample knows nothing of another, so nobody is in two."""
    names = log.seats["player"]
    if names.isna().all():
        return log
    columns = {*log.games.columns, *log.seats.columns}
    seats = log.seats.assign(**{"sample_role" if "role" in columns else "role": names, "player": None})
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
    model = roles.get(role) if isinstance(roles, Mapping) and isinstance(role, str) else None
    return model.get("model") if isinstance(model, Mapping) else model


READER = Reader(
    "inspect",
    "an Inspect log, .eval or .json, whose samples hold moves (key intent)",
    recognises,
    read,
)
