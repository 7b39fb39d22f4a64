"""The reader of games that GAMA-Bench's own code saved: one file or a folder of them, a log like every other.

Each file is a game with its rules, moves, payoffs and conditions (`intent.gamma.saved`). It may
hold figures of rounds without the choices behind them, choices whose players are not known, and numbers that
no rules allow; so moves are those whose seats are known, and where moves and rules do not come to what was
saved, the condition column `SAVED` keeps what scores are computed from.
"""

from __future__ import annotations

import json
import os
import re
from codecs import BOM_UTF8
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from intent.base import codebook
from intent.base.errors import DataError, GameError, located, one_line, shorten
from intent.base.files import beyond, bounds, decoded, file_bytes, file_head, json_value, read_object
from intent.gamma.catalogue import gamma_game, setting_name
from intent.gamma.game import GammaGame
from intent.gamma.plays import Scoring, Table
from intent.gamma.saved import Conditions, is_saved, read_conditions, saved_plays, temperature_scale
from intent.logs.gamelog import GameLog
from intent.logs.readers.reader import Reader, Settings, Source

if TYPE_CHECKING:
    import pandas as pd

    from intent.games.game import CourseGame
    from intent.gamma.plays import Plays

__all__ = [
    "FILE",
    "GAMA_BENCH",
    "READER",
    "REPEATS",
    "SAVED",
    "begins_as_saved",
    "holds_saved",
    "saved_part",
]

SAVED = "saved"
"""Condition column: what the file holds, as JSON: ``meta``, ``round_records``, ``player_data``, ``run``."""

FILE = "file"
"""Condition column: the file of the game, from the folder that was read."""

REPEATS = "repeats"
"""Condition column: the game whose rounds, or first rounds, this one has move for move."""

GAMA_BENCH = "GAMA-Bench"
"""What the column ``source`` has."""

_EXPECTED = "a game saved by GAMA-Bench"
_HEAD = 4096
"""Bytes in which an object has begun, if a file holds one."""

_TRIED = 200
"""JSON files of a folder that are looked at before it is none of saved games."""

_OURS = ("run.json", "run.sqlite", "log", "games.parquet", "games.csv", "leaderboard.json", "scores.csv")
"""One of these is in every run folder, log, and folder of a leaderboard."""

_TABLES = (".csv", ".tsv", ".jsonl", ".gz", ".zip", ".parquet", ".eval", ".yaml", ".yml", ".pkl", ".txt")
"""Suffixes of files that could hold games, and are listed where they lie among saved ones."""


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


def begins_as_saved(path: Path) -> bool:
    """Whether a file begins as those that GAMA-Bench saved."""
    return path.is_file() and b'"meta"' in file_head(path, _HEAD)


def holds_saved(folder: Path) -> bool:
    """Whether a folder is none of ours, and one of the first JSON files in it, or below, is a saved game."""
    if any((folder / name).exists() for name in _OURS):
        return False
    begun = False
    for i, file in enumerate(file for file in _files(folder) if file.lower().endswith(".json")):
        if i >= _TRIED:
            break
        path = Path(folder, file)
        if not begins_as_saved(path):
            continue
        begun = True
        try:
            if is_saved(_object(path)):
                return True
        except DataError:
            continue
    return begun


def _recognises(source: Source, settings: Settings) -> bool:
    if source.kind == "folder":
        return holds_saved(source.path)
    return source.kind == "text" and _saved_object(source.path) is not None


@dataclass
class _Table:
    """Games, seats and moves as they are read: columns of plain values, a file at a time."""

    games: list[dict[str, Any]] = field(default_factory=list)
    seats: dict[str, list[Any]] = field(
        default_factory=lambda: {name: [] for name in ("game_id", "seat", "model", "persona")}
    )
    moves: dict[str, list[Any]] = field(
        default_factory=lambda: {
            name: [] for name in ("round", "step", "seat", "action", "value", "cooperated", "payoff")
        }
    )
    lengths: list[int] = field(default_factory=list)
    models: list[tuple[str | None, ...]] = field(default_factory=list)
    remarks: dict[str, list[str]] = field(default_factory=dict)

    def add(
        self, game_id: str, file: str, values: Mapping[str, Any], plays: Plays, known: Conditions
    ) -> None:
        """One game."""
        stage = _stage(plays)
        rounds, steps, seats, actions, numbers = plays.columns()
        n = len(actions)
        paid = [nan] * n if stage is None else [nan if x is None else x for x in plays.payoffs(stage)]
        payoffs, cooperative, _ = _described(cast(Hashable, stage))
        if len(self.moves["round"]) + n > bounds().moves:
            raise beyond(file, f"more than {bounds().moves:,} moves", "moves")
        chose = [None] * n if cooperative is None else [action == cooperative for action in actions]
        text = (
            None
            if _says_all(plays, stage, (rounds, seats, actions, numbers))
            else _saved_text(values, known.run)
        )
        columns = (rounds, steps, seats, actions, numbers, chose, paid)
        for into, column in zip(self.moves.values(), columns, strict=True):
            into.extend(column)
        self.lengths.append(n)
        self.models.append(known.models)
        personas = known.personas or (None,) * plays.n_players
        models = [None if model is None else _short(model) for model in known.models]
        self.seats["game_id"] += [game_id] * plays.n_players
        self.seats["seat"] += range(1, plays.n_players + 1)
        self.seats["model"] += models or [None] * plays.n_players
        self.seats["persona"] += personas
        for remark in dict.fromkeys(known.remarks):
            self.remarks.setdefault(remark, []).append(file)
        if stage is None:
            self._remark("parameters that make no game: no payoffs, no regret", file)
        elif not n and plays.rounds:
            self._remark("nobody knows who chose what: scores alone", file)
        self.games.append(
            {
                "game_id": game_id,
                "source": GAMA_BENCH,
                "game": plays.game,
                "payoffs": payoffs,
                "payoff_kind": "reward",
                "cooperative_action": cooperative,
                "n_players": plays.n_players,
                "rounds_planned": known.rounds_planned,
                "rounds_played": plays.rounds,
                "horizon_known": None if known.rounds_planned is None else True,
                "language": known.language,
                "repetition": max(known.run or 1, 1),
                "run": None if known.run is None else str(known.run),
                FILE: file,
                "setting": plays.setting,
                **known.columns,
                SAVED: text,
            }
        )

    def _remark(self, remark: str, file: str) -> None:
        self.remarks.setdefault(remark, []).append(file)

    def log(self, rejects: pd.DataFrame | None, notes: Sequence[str]) -> GameLog:
        """All games; columns of which no game has a value are left out."""
        import numpy as np
        import pandas as pd

        table = pd.DataFrame(self.games)
        first = [name for name in table.columns if name not in (*_LAST, SAVED)]
        repeats = _repeats(self)
        if any(repeats):
            table[REPEATS] = repeats
        last = [name for name in (*_LAST, REPEATS, SAVED) if name in table.columns]
        table = table[[*first, *last]]
        fixed = ("payoffs", "cooperative_action", "rounds_planned", "horizon_known", "language", "run")
        empty = [name for name in table.columns if name not in fixed and table[name].isna().all()]
        codes = np.repeat(np.arange(len(self.games)), self.lengths)
        whole = {name: np.array(self.moves[name], dtype=np.int64) for name in ("round", "step", "seat")}
        moves = pd.DataFrame(
            {
                "game_id": pd.Categorical.from_codes(codes, categories=pd.Index(table["game_id"])),
                **whole,
                "action": pd.Categorical(self.moves["action"]),
                **{name: np.array(self.moves[name], dtype=float) for name in ("value", "payoff")},
                "status": pd.Categorical.from_codes(
                    np.zeros(len(codes), dtype=np.int8), categories=pd.Index(["parsed"])
                ),
            }
        )
        if table["cooperative_action"].notna().any():
            moves["cooperated"] = pd.array(self.moves["cooperated"], dtype="boolean")
        seats = pd.DataFrame(self.seats).assign(focal=True)
        return GameLog(
            table.drop(columns=empty),
            seats,
            moves,
            provenance={"notes": [*self.notes(), *notes]},
            rejects=rejects,
        )

    def notes(self) -> list[str]:
        """What was decided, each once with the files that it is about."""
        notes = [f"{_of_files(files)}: {remark}" for remark, files in self.remarks.items()]
        if partial := [row[FILE] for row in self.games if row.get("partial")]:
            notes.append(f"{_of_files(partial)}: saved before the end (column partial)")
        return notes


_LAST = ("partial",)


def _of_files(files: Sequence[str]) -> str:
    shown = shorten(files[0], 100)
    return shown if len(files) == 1 else f"{len(files):,} files, the first {shown}"


def _read(source: Source, settings: Settings) -> GameLog:
    """The saved games; seats have their models, moves are those whose seats are known.

    Raises
    ------
    DataError
        Something in a file cannot be; the message names the file, the round, and what was got. Of a folder
        such files are rejects, unless reading is strict or there are no others.
    """
    rename = _renamed(settings.mapping)
    if source.kind == "folder":
        return _read_folder(source.path, settings.strict, rename)
    table = _Table()
    game_id = source.stem.encode(errors="backslashreplace").decode()  # names of files need be no text
    try:
        values = read_object(source.path, _EXPECTED)
        scale = _scale(source.path, {})
        _add(table, values, game_id, source.path, source.path.name, (), scale, rename)
    except DataError as error:
        text = str(error)
        raise DataError(text if source.path.name in text else located(source.path, text)) from None
    return table.log(None, ())


def _add(
    table: _Table,
    values: object,
    game_id: str,
    path: Path,
    file: str,
    folders: Sequence[str],
    scale: str,
    rename: Mapping[str, str],
) -> None:
    if not is_saved(values):
        raise DataError("no game saved by GAMA-Bench, expected meta and round_records")
    assert isinstance(values, dict)
    try:
        plays = saved_plays(values)
        stem = path.stem.encode(errors="backslashreplace").decode()
        known = read_conditions(values, plays, stem, folders, scale=scale, rename=rename)
    except RecursionError:
        raise DataError("values nested too deep, expected a saved game") from None
    table.add(game_id, file.encode(errors="backslashreplace").decode(), values, plays, known)


def _read_folder(folder: Path, strict: bool, rename: Mapping[str, str]) -> GameLog:
    """The saved games of a folder and those below, in the order in which people count."""
    import pandas as pd

    table = _Table()
    scales: dict[Path, str] = {}
    rejects: list[tuple[str, str]] = []
    others: dict[str, int] = {}
    root = folder.resolve()
    for file in sorted(_files(folder), key=_counted):
        path = Path(folder, file)
        suffix = path.suffix.lower()
        if suffix != ".json" and suffix not in _TABLES:
            others[suffix or path.name] = others.get(suffix or path.name, 0) + 1
            continue
        try:
            if suffix != ".json":
                raise DataError(f"a file {suffix}, expected {_EXPECTED}, .json")
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                raise DataError("a link that leaves the folder is not followed, expected a file in it")
            game_id = file.removesuffix(path.suffix).encode(errors="backslashreplace").decode()
            scale = _scale(path, scales)
            _add(
                table, _object(path), game_id, path, file, path.relative_to(folder).parts[:-1], scale, rename
            )
        except (DataError, RecursionError) as error:
            reason = str(error).removeprefix(f"{path.name}: ")
            rejects.append((file, f"{one_line(file)}: {reason}"))
            if strict:
                raise DataError(rejects[0][1]) from None
            if len(rejects) > bounds().rejects:
                raise beyond(folder, f"{len(rejects):,} files and more cannot be read", "rejects") from None
    if not table.games:
        first = f"; the first: {rejects[0][1]}" if rejects else ""
        raise DataError(
            located(folder, f"not one of {len(rejects):,} files is a game saved by GAMA-Bench{first}")
        )
    notes = []
    if others:
        kinds = ", ".join(list(others)[:5])
        notes.append(f"{sum(others.values()):,} other files are passed over ({one_line(kinds)})")
    listed = pd.DataFrame(
        {
            "file": pd.Series([file for file, _ in rejects], dtype=object),
            "line": pd.Series([None] * len(rejects), dtype="Int64"),
            "reason": pd.Series([reason for _, reason in rejects], dtype=object),
            "text": pd.Series([""] * len(rejects), dtype=object),
        }
    )
    return table.log(_typed(listed), notes)


def _typed(rejects: pd.DataFrame) -> pd.DataFrame:
    from intent.base.tables import TEXT

    return rejects.astype(dict.fromkeys(("file", "reason", "text"), TEXT))


def _files(folder: Path) -> Iterator[str]:
    """The files of a folder and of those below, but for hidden ones; links to folders are not followed."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        within = "" if Path(place) == folder else Path(place).relative_to(folder).as_posix() + "/"
        yield from (within + name for name in sorted(names) if not name.startswith("."))


def _counted(file: str) -> list[tuple[int, str]]:
    """Parts of a path, numbers by their size: run 2 before run 10."""
    parts = re.split(r"([0-9]{1,9})", file)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _object(path: Path) -> object:
    """The value in a file; of a key that stands twice the last counts, as in all logs.

    Raises
    ------
    DataError
    """
    try:
        return json_value(
            decoded(file_bytes(path, bounds().object_bytes, _EXPECTED), path.name), halves=True, nested=True
        )
    except (ValueError, RecursionError) as error:
        raise DataError(f"no JSON ({shorten(error)}), expected {_EXPECTED}") from None


def _scale(path: Path, scales: dict[Path, str]) -> str:
    """What whole numbers of temperature are in the names of a folder's files."""
    folder = path.parent
    if folder not in scales:
        try:
            with os.scandir(folder) as entries:
                stems = [entry.name[:-5] for entry in entries if entry.name.endswith(".json")]
        except OSError:
            stems = [path.stem]
        scales[folder] = temperature_scale(stems)
    return scales[folder]


_FIXED = frozenset(column.name for column in (*codebook.GAMES, *codebook.SEATS)) | {FILE, SAVED, REPEATS}

_NEW_NAME = re.compile(r"([a-z][a-z0-9_]{0,39}):([a-z][a-z0-9_]{0,79})")


def _renamed(mapping: Mapping[str, str]) -> dict[str, str]:
    """Column -> new name, from ``by=NEW:OLD+NEW:OLD``.

    Raises
    ------
    DataError
        Another mapping: these files have no columns.
    """
    if set(mapping) - {"by"}:
        stray = sorted(set(mapping) - {"by"})[0]
        raise DataError(f"--map {stray}=…: saved games have no columns; by=NEW:COLUMN calls a condition NEW")
    rename = {}
    for item in filter(None, mapping.get("by", "").split("+")):
        match = _NEW_NAME.fullmatch(item.strip())
        if match is None:
            raise DataError(f"--map by={shorten(item, 40)}, expected NEW:COLUMN in small letters")
        if match[1] in _FIXED:
            raise DataError(
                f"--map by={shorten(item, 40)}: {match[1]} is a column of every log, expected another"
            )
        rename[match[2]] = match[1]
    return rename


@lru_cache(maxsize=1024)
def _game(name: str, n_players: int, parameters: tuple[tuple[str, Any], ...]) -> CourseGame | None:
    try:
        return gamma_game(name, n_players=n_players, **dict(parameters))
    except GameError:
        return None


@lru_cache(maxsize=1024)
def _described(stage: Hashable) -> tuple[str | None, str | None, str | None]:
    """Rules as JSON, the cooperative action, and the name of the setting; none of no game."""
    if stage is None:
        return None, None, None
    assert isinstance(stage, GammaGame)
    game: Any = stage
    return stage.to_json(), stage.cooperative_label, setting_name(game)


def _stage(plays: Plays) -> CourseGame | None:
    """The game that was played; None of parameters that make none."""
    try:
        parameters = plays.rules()
    except GameError:
        return None
    return _game(plays.game, plays.n_players, tuple(parameters.items()))


@lru_cache(maxsize=1024)
def _short(name: str) -> str:
    return shorten(name, 200)


def _says_all(plays: Plays, stage: CourseGame | None, moves: tuple[Sequence[Any], ...]) -> bool:
    """Whether rules and moves come to the record that was saved, its setting and scores included."""
    if stage is None or not plays.rounds or _described(cast(Hashable, stage))[2] != plays.setting:
        return False
    if len({*moves[0]}) < plays.rounds:
        return False
    if getattr(plays, "by_seat", None) is not None:
        return plays.allowed(stage)
    rounds: list[dict[int, str | None]] = [{} for _ in range(plays.rounds)]
    hits: list[dict[int, float]] = [{} for _ in range(plays.rounds)]
    for number, seat, action, value in zip(*moves, strict=True):
        rounds[number - 1][seat] = action
        if value == value:
            hits[number - 1][seat] = value
    table = Table(tuple(rounds), tuple(hits), plays.n_players)
    try:
        again = plays.of_table(stage, table, plays.models, plays.setting)
        return all(again.score(scoring) == plays.score(scoring) for scoring in get_args(Scoring))
    except DataError:
        return False


def _saved_text(values: Mapping[str, Any], run: int | None) -> str:
    """The object without the players' prompts, which no score needs, as JSON."""
    players = values.get("player_data")
    needed = ("model", "models", "records")
    slim = {} if players is None else {"player_data": [{k: p[k] for k in needed if k in p} for p in players]}
    part = {"meta": values["meta"], "round_records": values["round_records"], **slim, "run": run}
    return json.dumps(part)


def _repeats(table: _Table) -> list[str | None]:
    """By game: the one whose rounds, all or the first ones, it has move for move; the longer is the original.

    Of games alike in rules and models; a longer game is one with more moves, of equal ones the first.
    """
    starts = [0]
    groups: dict[tuple[Any, ...], list[int]] = {}
    for i, row in enumerate(table.games):
        starts.append(starts[-1] + table.lengths[i])
        if table.lengths[i]:
            groups.setdefault((row["game"], row["payoffs"], table.models[i]), []).append(i)
    repeats: list[str | None] = [None] * len(table.games)
    actions = table.moves["action"]
    for members in groups.values():
        lengths = sorted({table.lengths[i] for i in members})
        firsts: dict[tuple[int, int], int] = {}
        for i in sorted(members, key=lambda i: (-table.lengths[i], i)):
            begin, end = starts[i], starts[i + 1]
            own = (table.lengths[i], hash(tuple(actions[begin:end])))
            if own in firsts:
                repeats[i] = table.games[firsts[own]]["game_id"]
                continue
            for length in lengths:
                if length > table.lengths[i]:
                    break
                firsts.setdefault((length, hash(tuple(actions[begin : begin + length]))), i)
    return repeats


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
        values = read_object(path, _EXPECTED)
    except DataError:
        if path.suffix.lower() == ".json" and begins_as_saved(path):
            raise
        return None
    return values if is_saved(values) else None


READER = Reader("gamabench", "an object with meta and round_records, or a folder of such", _recognises, _read)
