"""A folder of runs, or of logs of ours, as one log: in memory, or run after run and piece by piece.

1. Every run and log below the folder is read, or nothing is: a broken one is an error that names it. What is
   neither is named in a note. A log that holds the same tables as another is a copy of it and read once.
2. A game is called ``run/game``, by the path of its run below the folder, and so are references to its calls;
   column ``run`` holds that path (of a log that knows several runs, ``path/run``).
3. A player of one name is one subject in all runs; a name that is a number says nothing beyond its own log,
   and becomes ``run/number`` where it occurs in several.
4. Columns that some runs lack are null there. Where a column holds numbers in one and texts in another, it
   holds texts; where it describes games in one and seats in another, it describes seats.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pyarrow as pa

from intent.base.binary import open_parquet, read_member
from intent.base.codebook import GAMES, SEATS, TABLES
from intent.base.errors import DataError, IntentError, LimitError, UnknownNameError, UsageError, located
from intent.base.files import bounds, file_bytes
from intent.base.tables import TEXT
from intent.logs.chunks import CODED, FolderSource, RunsSource, open_folder
from intent.logs.gamelog import KEY_GAME_COLUMNS, KEY_SEAT_COLUMNS, GameLog, concat_logs
from intent.logs.readers.reader import Reader, Settings, Source, add_contents, read_log
from intent.logs.redaction import renamed_references
from intent.logs.run_folder import FACTS as RUN_FACTS
from intent.logs.run_folder import LOCK, is_locked, is_run, logs_below, played_run, stored_log
from intent.logs.stores import FACTS, describe, load_facts

__all__ = ["READER", "Change", "logs_of_files", "open_runs", "read_runs"]


@dataclass(frozen=True)
class _Part:
    """A run or log of the folder.

    Parameters
    ----------
    name : str, its path below the folder
    path : Path
    log : Path or None
        Its stored log; None of a run that is played on: its games are in the database.
    played : whether it is a run
    """

    name: str
    path: Path
    log: Path | None
    played: bool


@dataclass(frozen=True)
class Change:
    """Makes the games of one log those of the whole.

    Parameters
    ----------
    name : str
    played : bool
        Whether it is a run, which has one name; a log may know several.
    columns : table -> (column, kind), beyond those that every log has
    of_seats : columns that describe games here and seats elsewhere
    numbers : names of players that are numbers and occur in several logs
    """

    name: str
    played: bool
    columns: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    of_seats: tuple[str, ...] = ()
    numbers: frozenset[str] = frozenset()

    def __call__(self, log: GameLog) -> GameLog:
        """The log under the names of the whole, with all of its columns."""
        tables = log.tables()
        games, seats, moves = (tables[name] for name in ("games", "seats", "moves"))
        within = games["run"].astype(object)
        own = within.notna() & (not self.played)
        run = pd.Series(self.name, index=games.index, dtype=TEXT).mask(
            own, self.name + "/" + within.astype(TEXT)
        )
        place = pd.Index(games["game_id"]).get_indexer(pd.Index(seats["game_id"]))
        moved = [c for c in self.of_seats if c in games]
        seats = seats.assign(**{c: games[c].take(place).array for c in moved}, player=self._players(seats))
        for name in ("reply", "prompt"):
            if name in moves:
                moves = moves.assign(**{name: renamed_references(moves[name], moves["game_id"], self._named)})
        codes = moves["game_id"].cat
        tables |= {
            "games": games.drop(columns=moved).assign(run=run, game_id=self._ids(games)),
            "seats": seats.assign(game_id=self._ids(seats)),
            "moves": moves.assign(
                game_id=codes.rename_categories([self._named(i) for i in codes.categories])
            ),
        }
        if log.questions is not None:
            replies = log.questions.get("reply")
            named = (
                {}
                if replies is None
                else {"reply": renamed_references(replies, log.questions["game_id"], self._named)}
            )
            tables["questions"] = log.questions.assign(**named, game_id=self._ids(log.questions))
        kinds = dict(self.columns)
        full = {name: _filled(table, name, kinds.get(name, ())) for name, table in tables.items()}
        return GameLog(
            full["games"],
            full["seats"],
            full["moves"],
            full.get("questions"),
            provenance=log.provenance,
            rejects=log.rejects,
        )

    def _named(self, game_id: object) -> str:
        return f"{self.name}/{game_id}"

    def _ids(self, table: pd.DataFrame) -> pd.Series[Any]:
        return self.name + "/" + table["game_id"].astype(TEXT)

    def _players(self, seats: pd.DataFrame) -> pd.Series[Any]:
        players = seats["player"]
        if not self.numbers:
            return players
        return players.mask(players.isin(self.numbers), self.name + "/" + players.astype(TEXT))


_KINDS = {
    "Int64": "int",
    "int64": "int",
    "Float64": "float",
    "float64": "float",
    "boolean": "bool",
    "bool": "bool",
}
_TYPES = {"int": "Int64", "float": "float64", "bool": "boolean"}
_ARROW = {"int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(), "text": CODED}


def _filled(table: pd.DataFrame, name: str, kinds: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """The table with every column of the whole, in its type and order."""
    own = {c.name for c in TABLES[name]}
    new: dict[str, Any] = {c: table[c] for c in table.columns if c in own}
    for column, kind in kinds:
        if column in own:
            if column not in table:
                new[column] = pd.Series([None] * len(table), index=table.index, dtype=object)
        else:
            new[column] = _typed(table[column], kind) if column in table else _nulls(table, kind)
    return pd.DataFrame(new, index=table.index, copy=False)


def _nulls(table: pd.DataFrame, kind: str) -> pd.Series[Any]:
    return pd.Series([None] * len(table), index=table.index, dtype=_TYPES.get(kind, TEXT))


def _typed(values: pd.Series[Any], kind: str) -> pd.Series[Any]:
    if kind in _TYPES:
        return (
            values.astype(cast(Any, _TYPES[kind]))
            if values.notna().any()
            else _nulls(values.to_frame(), kind)
        )
    texts = [None if gone else str(v) for v, gone in zip(values.tolist(), values.isna(), strict=True)]
    return pd.Series(texts, index=values.index, dtype=TEXT)


def _joined(kinds: Iterable[str]) -> str:
    """The kind that holds values of all of these."""
    several = set(kinds)
    if len(several) == 1:
        return several.pop()
    return "float" if several == {"int", "float"} else "text"


def _changes(
    parts: Sequence[_Part],
    facts: Sequence[Mapping[str, Mapping[str, Any]]],
    empty: Sequence[Mapping[str, frozenset[str]]],
    players: Sequence[frozenset[str]],
) -> list[Change]:
    """What makes each log a part of the whole.

    Parameters
    ----------
    parts : the logs
    facts : of each, table -> column -> stored type
    empty : of each, table -> columns without a value, whose type says nothing
    players : of each, the names of its players
    """
    kinds: dict[str, dict[str, list[str]]] = {name: {} for name in TABLES}
    for of_log, without in zip(facts, empty, strict=True):
        for name in TABLES:
            for column, stored in of_log.get(name, {}).items():
                types = kinds[name].setdefault(column, [])
                if column not in without.get(name, ()):
                    types.append("text" if isinstance(stored, dict) else _KINDS.get(stored, "text"))
    fixed = {c.name for c in (*GAMES, *SEATS)}
    moved = tuple(c for c in kinds["games"] if c in kinds["seats"] and c not in fixed)
    for column in moved:
        kinds["seats"][column] += kinds["games"].pop(column)
    columns = tuple(
        (name, tuple((column, _joined(types or ["text"])) for column, types in of_table.items()))
        for name, of_table in kinds.items()
    )
    times = Counter(player for names in players for player in names)
    numbers = frozenset(name for name, n in times.items() if n > 1 and name.strip().isdecimal())
    return [Change(part.name, part.played, columns, moved, numbers) for part in parts]


def _parts(folder: Path) -> tuple[list[_Part], list[str]]:
    """The runs and logs of a folder, copies left out, and notes on them.

    Raises
    ------
    DataError
        None is there, or one cannot be read.
    """
    below = logs_below(folder)
    if not below.logs:
        raise DataError(located(folder, "no run and no log of ours below it"))
    parts, notes, waiting = [], [], []
    for name, path in below.logs:
        with _blamed(folder, name):
            if not is_run(path):
                parts.append(_Part(name, path, path, False))
                continue
            log, finished, planned = stored_log(path)
        playing = is_locked(path / LOCK)
        if finished < planned or playing:
            state = "is being played" if playing else "is not over"
            notes.append(
                f"run {name} {state}: {finished:,} of {planned:,} games are finished, and these are read"
            )
        if finished:
            parts.append(_Part(name, path, log, True))
        else:
            waiting.append(name)
    if not parts:
        raise DataError(located(folder, f"no game of {_listed(waiting)} is finished, expected at least one"))
    parts, copies = _without_copies(parts)
    names = [part.name for part in parts]
    if len(names) > 1:
        one = f"{len(names):,} runs are read as one log, column run tells them apart: {_listed(names)}"
        notes.insert(0, one)
    if below.rest:
        notes.append(f"neither run nor log of ours, and left aside: {_listed(below.rest)}")
    return parts, [*notes, *copies]


@contextmanager
def _blamed(folder: Path, name: str) -> Iterator[None]:
    """Say which run an error is of, and what to do."""
    try:
        yield
    except IntentError as error:
        what = f"{folder.name}/{name} cannot be read ({error}); mend it, or move it out of {folder.name} "
        raise (LimitError if isinstance(error, LimitError) else DataError)(
            f"{what}to do without its games"
        ) from None


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8:,} more"


def _without_copies(parts: Sequence[_Part]) -> tuple[list[_Part], list[str]]:
    """The logs without those whose tables are, byte for byte, those of one before; and what to say of it."""
    first: dict[bytes, str] = {}
    runs: dict[bytes, _Part] = {}
    distinct, notes = [], []
    sizes = Counter(_sizes(part) for part in parts if part.log is not None)
    for part in parts:
        again = None
        if part.log is not None and sizes[_sizes(part)] > 1:
            again = first.setdefault(_digest(part), part.name)
        if again not in (None, part.name):
            notes.append(f"{part.name} holds the same games as {again}, move for move: it is read once")
            continue
        if part.played:
            own = hashlib.sha256(file_bytes(part.path / RUN_FACTS, bounds().object_bytes)).digest()
            other = runs.setdefault(own, part)
            if other is not part and _same_play(part, other):
                raise DataError(
                    f"{part.name} and {other.name} are one run, and one of them is ahead of the other: "
                    "games would count twice; move one of them away"
                )
        distinct.append(part)
    return distinct, notes


def _same_play(one: _Part, two: _Part) -> bool:
    """Whether the games that two runs of one name have in common were played move for move alike."""
    plays = []
    for part in (one, two):
        log = played_run(part.path).log() if part.log is None else read_log(part.log)
        moves = log.moves[["game_id", "round", "step", "seat", "action"]].astype(
            {"game_id": TEXT, "action": TEXT}
        )
        plays.append(moves)
    common = set(plays[0]["game_id"]) & set(plays[1]["game_id"])
    first, second = (moves[moves["game_id"].isin(common)].reset_index(drop=True) for moves in plays)
    return bool(common) and first.equals(second)


def _tables(part: _Part) -> list[Path]:
    log = part.log
    if log is None or not log.is_dir():
        return [] if log is None else [log]
    return sorted(path for path in log.iterdir() if path.suffix in (".parquet", ".csv"))


def _sizes(part: _Part) -> tuple[tuple[str, int], ...]:
    return tuple((path.suffix, path.stat().st_size) for path in _tables(part))


def _digest(part: _Part) -> bytes:
    digest = hashlib.sha256()
    add_contents(digest, _tables(part), part.log if part.log is not None and part.log.is_dir() else None)
    return digest.digest()


def _provenance(
    parts: Sequence[_Part], stored: Sequence[Mapping[str, Any]], sizes: Sequence[int], notes: Sequence[str]
) -> dict[str, Any]:
    rows = [
        {"run": part.name, "n_games": n, "provenance": dict(facts)}
        for part, n, facts in zip(parts, sizes, stored, strict=True)
    ]
    return {"format": "runs", "runs": rows, "notes": list(notes)}


def _of_players(players: Sequence[frozenset[str]]) -> list[str]:
    """What is said of players whose names are in several logs."""
    times = Counter(player for names in players for player in names)
    several = sorted(name for name, n in times.items() if n > 1)
    numbers = [name for name in several if name.strip().isdecimal()]
    named = [name for name in several if not name.strip().isdecimal()]
    notes = []
    if named:
        notes.append(f"one subject in several runs, by the same name: {_listed(named)}")
    if numbers:
        notes.append(f"players that are but numbers are other people in every run: {_listed(numbers)}")
    return notes


def _under_one_name(parts: Sequence[_Part], logs: Sequence[GameLog]) -> tuple[list[GameLog], list[str]]:
    """Logs whose games, players and columns do not collide, for `concat_logs`; and notes on their players."""
    players = [frozenset(log.seats["player"].dropna().astype(str).unique().tolist()) for log in logs]
    empty = [
        {
            name: frozenset(str(c) for c in table if table[c].isna().all())
            for name, table in log.tables().items()
        }
        for log in logs
    ]
    facts = [describe(log)["columns"] for log in logs]
    changed = []
    for change, log in zip(_changes(parts, facts, empty, players), logs, strict=True):
        rejects = log.rejects.assign(file=change.name + ": " + log.rejects["file"].astype(TEXT))
        log.rejects = rejects if len(log.rejects) else log.rejects
        changed.append(change(log))
    return changed, _of_players(players)


def logs_of_files(files: Sequence[tuple[str, GameLog]]) -> tuple[list[GameLog], list[str]]:
    """The logs of files of one folder, games called ``file/game``, as those of runs are.

    Parameters
    ----------
    files : sequence of (name below the folder, without suffix; log)
    """
    parts = [_Part(name, Path(name), None, False) for name, _ in files]
    return _under_one_name(parts, [log for _, log in files])


def read_runs(folder: str | Path, *, strict: bool = False) -> GameLog:
    """All games below a folder of runs and logs, as one log.

    Parameters
    ----------
    folder : path
    strict : bool
        As `read_log`, for logs as JSON lines.

    Raises
    ------
    DataError
        A run or log that cannot be read, or none; the message says which.
    """
    root = Path(folder)
    parts, notes = _parts(root)
    logs = []
    for part in parts:
        with _blamed(root, part.name):
            log = played_run(part.path).log() if part.log is None else read_log(part.log, strict=strict)
            logs.append(log)
    changed, of_players = _under_one_name(parts, logs)
    stored = [log.provenance for log in logs]
    provenance = _provenance(parts, stored, [len(log) for log in logs], [*notes, *of_players])
    return concat_logs(changed, provenance=provenance)


def open_runs(
    path: Path,
    others: str | None = None,
    keep_defaulted: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
) -> RunsSource | None:
    """A folder of runs that can be read piece by piece; None where it is none, or cannot.

    It cannot where a run is being played, so that a second look would see other games than the first, nor
    where a log is no Parquet folder (`open_folder`).

    Parameters
    ----------
    path : Path
    others, keep_defaulted, where : as `open_folder`

    Raises
    ------
    DataError
        A run that cannot be read.
    UnknownNameError
        A condition on a column that no log has.
    """
    if is_run(path) or not logs_below(path).logs:
        return None
    parts, notes = _parts(path)
    logs = [part.log for part in parts]
    sources = [None if log is None else open_folder(log, others, keep_defaulted) for log in logs]
    folders = [source for source in sources if source is not None]
    if len(folders) < len(parts):
        return None
    facts = [load_facts(read_member(source.path, FACTS))["columns"] for source in folders]
    valued = [{name for name, _ in source.keys} for source in folders]
    empty = [
        {name: frozenset(of_log.get(name, {})) - valued_columns for name in ("games", "seats")}
        for of_log, valued_columns in zip(facts, valued, strict=True)
    ]
    players = [frozenset(_players(source)) for source in folders]
    changes = _changes(parts, facts, empty, players)
    of_tables = dict(changes[0].columns)
    keys = tuple(_keys(of_tables, folders))
    known = [*(c for c, _ in of_tables["games"]), *(c for c, _ in of_tables["seats"])]
    for column in where or {}:
        if column not in known:
            raise UnknownNameError("column", column, dict.fromkeys(known))
    rounds = max(source.rounds for source in folders)
    whole = tuple(
        replace(source, rounds=rounds, keys=keys, where=where or {}, change=change)
        for source, change in zip(folders, changes, strict=True)
    )
    stored = [source.provenance for source in folders]
    return RunsSource(
        path,
        whole,
        all(source.complete and source.rounds == rounds for source in folders),
        _provenance(parts, stored, [source.n for source in folders], [*notes, *_of_players(players)]),
        tuple(column for column, _ in of_tables["games"]),
    )


def _players(source: FolderSource) -> Iterator[str]:
    if "player" not in dict(source.keys):
        return
    with open_parquet(source.path / "seats.parquet") as file:
        for batch in file.iter_batches(columns=["player"]):
            yield from (
                str(name)
                for name in batch.column(0).cast(pa.string()).unique().to_pylist()
                if name is not None
            )


def _keys(
    tables: Mapping[str, Sequence[tuple[str, str]]], folders: Sequence[FolderSource]
) -> Iterator[tuple[str, pa.DataType]]:
    """Columns that describe a trajectory of the whole, in the order of `GameLog`, with their types."""
    types = {name: kind for source in folders for name, kind in source.keys} | {"run": CODED}
    kinds = dict(tables["games"]) | dict(tables["seats"])
    fixed = {c.name for c in (*GAMES, *SEATS)}
    further = [[c for c, _ in tables[name] if c not in fixed] for name in ("seats", "games")]
    for name in ("game_id", "seat", *KEY_SEAT_COLUMNS, *further[0], *KEY_GAME_COLUMNS, *further[1]):
        if (own := types.pop(name, None)) is not None:
            yield name, own if name in fixed else _ARROW[kinds[name]]


def _recognises(source: Source, settings: Settings) -> bool:
    """Whether runs or logs of ours lie below a folder that is none."""
    return bool(source.below.logs)


def _read(source: Source, settings: Settings) -> GameLog:
    unused = settings.to_json()
    strict = bool(unused.pop("strict", False))
    if unused:
        raise UsageError(
            f"{source.path} holds runs or logs of ours, which say what {', '.join(unused)} would say"
        )
    return read_runs(source.path, strict=strict)


READER = Reader("runs", "a folder whose subfolders are runs or logs of ours", _recognises, _read)
