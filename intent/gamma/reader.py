"""The reader of games that GAMA-Bench's own code saved: a game log like every other, and what was saved.

Such a file may hold figures of rounds without the choices behind them, choices whose players are not known,
and numbers that no rules allow. So the moves are those whose seats are known, and the condition column
`SAVED` keeps what scores are computed from.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from intent.base.errors import DataError, located, one_line, shorten
from intent.base.files import file_head
from intent.base.json_text import json_value, read_object
from intent.gamma.saved import is_saved, saved_plays
from intent.logs.gamelog import GameLog
from intent.logs.readers.reader import Reader, Settings, Source

__all__ = ["READER", "SAVED", "begins_as_saved", "saved_part"]

SAVED = "saved"
"""Condition column: what the file holds, as JSON: ``meta``, ``round_records``, ``player_data``, ``run``."""

_HEAD = 4096
"""Bytes in which an object has begun, if a file holds one."""


def saved_part(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the column `SAVED` of a game holds; None where it holds no object.

    Raises
    ------
    DataError
        It begins as an object and is none of a saved game.
    """
    text = row.get(SAVED)
    if not isinstance(text, str) or not text.lstrip().startswith("{"):
        return None
    try:
        values = json_value(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"column {SAVED!r}: no JSON ({shorten(error)}), expected a saved game") from None
    if not is_saved(values):
        raise DataError(f"column {SAVED!r}: {shorten(text)}, expected meta and round_records of a saved game")
    part: dict[str, Any] = values
    return part


def _recognises(source: Source, settings: Settings) -> bool:
    return source.kind == "text" and _saved_object(source.path) is not None


def _read(source: Source, settings: Settings) -> GameLog:
    """One game; its seats have their models, its moves what is known of seats.

    Raises
    ------
    DataError
        Something in it cannot be; the message names the file, the round, and what was got.
    """
    import pandas as pd

    values = read_object(source.path, "a game saved by GAMA-Bench")
    try:
        if not is_saved(values):
            raise DataError("no game saved by GAMA-Bench, expected meta and round_records")
        plays = saved_plays(values)
    except DataError as error:
        raise DataError(located(source.path, str(error))) from None
    run = _run_number(source.path)
    game_id = source.stem.encode(errors="backslashreplace").decode()  # names of files need be no text
    version = values["meta"].get("version")
    row = {
        "game_id": game_id,
        "source": "GAMA-Bench",
        "game": plays.game,
        "payoff_kind": "reward",
        "n_players": plays.n_players,
        "rounds_played": plays.rounds,
        "repetition": max(run or 1, 1),
        **({"version": one_line(version)} if isinstance(version, str) else {}),
        SAVED: json.dumps({**_scored_part(values), "run": run}),
    }
    names = [None if model is None else shorten(model, 200) for model in plays.models]
    seats = [
        {"game_id": game_id, "seat": i, "model": model, "focal": True}
        for i, model in enumerate(names, start=1)
    ]
    columns = ("round", "step", "seat", "action", "value")
    moves = pd.DataFrame([{"game_id": game_id, **dict(zip(columns, m, strict=True))} for m in plays.moves()])
    if moves.empty:
        moves = pd.DataFrame(columns=["game_id", *columns])
    return GameLog(pd.DataFrame([row]), pd.DataFrame(seats), moves.assign(status="parsed"))


def _scored_part(values: Mapping[str, Any]) -> dict[str, Any]:
    """The object without the players' prompts, which no score needs."""
    players = values.get("player_data")
    needed = ("model", "models", "records")
    slim = {} if players is None else {"player_data": [{k: p[k] for k in needed if k in p} for p in players]}
    return {"meta": values["meta"], "round_records": values["round_records"], **slim}


def _run_number(path: Path) -> int | None:
    """The run that a file's name ends in, as ``…_v1_3.json``."""
    last = path.stem.rpartition("_")[2]
    return int(last) if last.isascii() and last.isdigit() and len(last) < 7 else None


def begins_as_saved(path: Path) -> bool:
    """Whether a file begins as those that GAMA-Bench saved."""
    return path.is_file() and b'"meta"' in file_head(path, _HEAD)


def _saved_object(path: Path) -> dict[str, Any] | None:
    """The object of a file that GAMA-Bench saved; None of anything else.

    Raises
    ------
    DataError
        It begins like such a file and is no JSON object.
    """
    if path.suffix.lower() not in (".json", ""):
        return None
    head = file_head(path, _HEAD).removeprefix(BOM_UTF8).lstrip()
    if not head.startswith(b"{"):
        return None
    try:
        values = read_object(path, "a game saved by GAMA-Bench")
    except DataError:
        if path.suffix.lower() == ".json" and begins_as_saved(path):
            raise
        return None
    return values if is_saved(values) else None


READER = Reader("gamabench", "an object with meta and round_records", _recognises, _read)
