"""The folder of a run: its facts, its prompts, its database; nothing in it is believed unread.

One process at a time plays a run.

The folder of a result: made where absent, gone on with where it is one, left alone where it is not.

A folder of runs: which runs and logs lie below it.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from intent.base.binary import list_members, open_database, parquet_footer
from intent.base.errors import DataError, OutputError, RunError, UsageError, one_line, shorten
from intent.base.files import beyond, bounds, file_text, json_value, text_head
from intent.base.outputs import private
from intent.base.registry import load, points

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = [
    "DATABASE",
    "FACTS",
    "LOCK",
    "OURS",
    "LogsBelow",
    "PlayedRun",
    "check_prompt_names",
    "is_locked",
    "is_run",
    "locked",
    "logs_below",
    "natural_order",
    "own_folder",
    "played_run",
    "read_facts",
    "read_prompts",
    "stored_log",
    "write_facts",
]


FACTS = "run.json"
DATABASE = "run.sqlite"
LOCK = "run.lock"
PROMPTS = "prompts"

OURS = b'"intent_log"'
"""A key in the first line of JSON lines of a log of our own."""

VERSION = 1
"""Version of the folder's layout."""

_MOST_PROMPTS = 1_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


def is_run(path: str | Path) -> bool:
    """Whether a path looks like the folder of a run, and not like a log."""
    return (Path(path) / FACTS).is_file()


@dataclass(frozen=True)
class LogsBelow:
    """What lies below a folder that is neither a run nor a log itself.

    Parameters
    ----------
    logs : tuple of (name, path)
        Runs and logs of ours, by their path below the folder, numbers in names in their order.
    rest : tuple of str
        What lies beside them and is neither.
    """

    logs: tuple[tuple[str, Path], ...] = ()
    rest: tuple[str, ...] = ()


_DEEPEST = 6
"""Folders within folders in which runs are looked for."""

_TABLES = ("games.parquet", "games.csv")


def logs_below(folder: str | Path) -> LogsBelow:
    """The runs and logs below a folder; none where it is a run or a log itself.

    Links, which may lead out of the folder, are not followed; they are listed as the rest.

    Raises
    ------
    DataError
        The folder cannot be looked through.
    LimitError
        It holds more files than `Bounds` allows.
    """
    root = Path(folder)
    if is_run(root) or _is_log(root):
        return LogsBelow()
    logs: list[tuple[str, Path]] = []
    rest: list[str] = []
    entries = 0

    def look(place: Path, name: str, depth: int) -> None:
        nonlocal entries
        for inside in sorted(place.iterdir(), key=lambda path: natural_order(path.name)):
            entries += 1
            if entries > bounds().members:
                raise beyond(root, "more files", "members")
            own = f"{name}{inside.name}"
            if inside.name.startswith("."):
                continue
            if inside.is_symlink():
                rest.append(f"{own} (a link)")
            elif is_run(inside) or _is_log(inside):
                logs.append((own, inside))
            elif inside.is_dir() and depth < _DEEPEST:
                before = len(logs), len(rest)
                look(inside, f"{own}/", depth + 1)
                if len(logs) == before[0]:
                    rest[before[1] :] = [f"{own}/"]
            else:
                rest.append(f"{own}/" if inside.is_dir() else own)

    try:
        look(root, "", 1)
    except OSError as error:
        raise DataError(f"{root}: cannot be looked through: {error.strerror or error}") from None
    return LogsBelow(tuple(logs), tuple(rest)) if logs else LogsBelow()


def natural_order(name: str) -> list[tuple[int, str]]:
    """Key that sorts names by the numbers in them: run 2 before run 10."""
    return [
        (int(part), "") if part.isdecimal() and len(part) < 18 else (-1, part)
        for part in re.split(r"(\d+)", name)
    ]


def _is_log(path: Path) -> bool:
    """Whether a path is a log of ours, by its tables or its first bytes."""
    from intent.logs.compact import is_compact

    if path.is_dir():
        return any((path / name).is_file() for name in _TABLES) or is_compact(path)
    try:
        if path.name.endswith((".jsonl", ".jsonl.gz")):
            return OURS in text_head(path, 4096).split(b"\n", 1)[0]
        if path.suffix == ".zip":
            return not list_members(path).isdisjoint(_TABLES)
    except (DataError, OSError):
        return False
    return path.suffix == ".parquet" and path.is_file() and is_compact(path)


def stored_log(folder: Path) -> tuple[Path | None, int, int]:
    """The stored log of a run that holds all games finished so far, with how many are finished and planned.

    While a run is played on, its stored log lags behind the database, or is not there yet: then None. A run
    that came without its database has its log alone.

    Raises
    ------
    RunError, DataError
        The run, or its log, cannot be read.
    """
    log = folder / "log"
    n = parquet_footer(log / _TABLES[0]).num_rows if (log / _TABLES[0]).is_file() else -1
    if not (folder / DATABASE).is_file():
        read_facts(folder)
        if n < 0:
            raise RunError(f"{folder.name}: a run without {DATABASE} and without a log, expected one of them")
        return log, n, n
    facts = played_run(folder).account()
    return (log if n == facts["n_finished"] else None), facts["n_finished"], facts["n_games"]


class PlayedRun(Protocol):
    """What the folder of a run tells those who look at the play alone."""

    def log(self, *, unfinished: bool = False) -> GameLog:
        """The finished games; with `unfinished` also the completed rounds of the others."""
        ...

    def account(self) -> dict[str, Any]:
        """The facts on the run, with use, n_games, n_finished, n_interrupted, errors and prompts."""
        ...


def played_run(folder: str | Path) -> PlayedRun:
    """The run of a folder, as the room that plays runs reads it (group ``intent.run_folders``).

    Raises
    ------
    RunError
        The folder is none of a run, or of another version.
    """
    run: PlayedRun = load(points("intent.run_folders")["sqlite"])(folder)
    return run


def write_facts(folder: Path, facts: Mapping[str, Any], prompts: Mapping[str, str]) -> None:
    """Write ``run.json`` and ``prompts/NAME.json``."""
    text = json.dumps({"intent_run": VERSION, **facts}, ensure_ascii=False, indent=1, default=str)
    (folder / FACTS).write_text(text + "\n", encoding="utf-8")
    (folder / PROMPTS).mkdir()
    for name, content in prompts.items():
        (folder / PROMPTS / f"{name}.json").write_text(content, encoding="utf-8")


def check_prompt_names(names: Mapping[str, str]) -> None:
    """Refuse names that make no file name.

    Raises
    ------
    UsageError
    """
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"prompt set {shorten(name)!r}, expected a name of letters, digits, dots, dashes, underscores"
            )


def read_facts(folder: Path) -> dict[str, Any]:
    """The facts on a run.

    Raises
    ------
    RunError
        The folder is none of a run, or of another version.
    """
    if not folder.is_dir():
        raise RunError(f"{folder}: no such folder, expected that of a run")
    try:
        facts = json_value(_read(folder, FACTS), halves=True)
        json.dumps(facts, ensure_ascii=False).encode()  # no lone surrogates, which no log can hold
    except (ValueError, RecursionError) as error:
        raise RunError(f"{folder.name}/{FACTS}: no JSON: {one_line(error, 80)}") from None
    if not isinstance(facts, dict) or "intent_run" not in facts:
        raise RunError(f"{folder.name}/{FACTS}: does not say intent_run, the version of the layout")
    if facts["intent_run"] != VERSION:
        raise RunError(
            f"{folder.name}/{FACTS}: version {shorten(facts['intent_run'])} of the layout, this version of "
            f"intent reads {VERSION}"
        )
    if not isinstance(facts.get("run"), str):
        raise RunError(f"{folder.name}/{FACTS}: does not say run, the name of the run")
    return facts


def read_prompts(folder: Path) -> dict[str, str]:
    """Name -> JSON of each prompt set.

    Raises
    ------
    RunError
        A file that is none of ours, or too large.
    """
    within = folder / PROMPTS
    if within.is_symlink() or not within.is_dir():
        raise RunError(f"{folder.name}: no folder {PROMPTS}")
    names = sorted(path.name for path in within.iterdir())[: _MOST_PROMPTS + 1]
    if len(names) > _MOST_PROMPTS:
        raise RunError(f"{folder.name}/{PROMPTS}: more than {_MOST_PROMPTS} files")
    prompts = {}
    for name in names:
        stem = name.removesuffix(".json")
        if stem == name or not _NAME.fullmatch(stem):
            raise RunError(f"{folder.name}/{PROMPTS}: file {shorten(name)!r}, expected NAME.json only")
        prompts[stem] = _read(folder, f"{PROMPTS}/{name}")
    return prompts


def _read(folder: Path, name: str) -> str:
    """The text of a file of the folder; links, which may lead out of it, are not followed."""
    path = folder / name
    where = f"{folder.name}/{name}"
    if path.is_symlink() or not path.is_file():
        raise RunError(f"{where}: no such file, expected the folder of a run")
    try:
        return file_text(path, bounds().object_bytes, "a file of a run")
    except (OSError, DataError) as error:
        raise RunError(f"{where}: cannot be read: {one_line(error)}") from None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock for the time of the block.

    It is the exclusive lock of an empty SQLite file: the system gives it up when its process ends, however
    it ends, and it works wherever SQLite does.

    Raises
    ------
    RunError
        Another process holds it, or the file cannot be made.
    """
    with closing(_held(path)):
        yield


def _held(path: Path) -> sqlite3.Connection:
    name = path.parent.name
    held = None
    try:
        with private():
            held = open_database(path, timeout=1.0)
            held.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if held is not None:
            held.close()
        if "locked" in str(error):
            raise RunError(f"{name}: another process is playing this run, expected none") from None
        raise RunError(f"{name}: cannot lock {path.name}: {error}") from None
    return held


def is_locked(path: Path) -> bool:
    """Whether some process holds the lock now."""
    if not path.is_file():
        return False
    try:
        with closing(open_database(path, timeout=0)) as probe:
            probe.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.Error as error:
        return "locked" in str(error)
    return False


def own_folder(
    path: str | Path, *, kind: str, marks: Collection[str], lock: str = "", make: bool = True
) -> Path:
    """The folder, for a result of this kind.

    Parameters
    ----------
    path : path
    kind : str
        For messages: ``tournament``.
    marks : names of files by which such a folder is known
    lock : str
        Name of the file that a process holds; a folder with nothing else in it is as good as empty.
    make : bool
        Whether a folder that is absent is made, which commands that may yet fail leave for later.

    Raises
    ------
    OutputError
        It holds something else, or cannot be made.
    """
    from intent.base.outputs import claim

    folder = claim(path, overwrite=True, into=True)
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        elif not folder.is_dir():
            return folder
        ours = any((folder / mark).is_file() for mark in marks)
        ours = ours or {inside.name for inside in folder.iterdir()} <= {lock}
    except OSError as error:
        raise OutputError(f"cannot write into {folder}: {error.strerror or error}") from None
    if not ours:
        listed = " or ".join(marks)
        raise OutputError(f"{folder} is not empty and holds no {kind} ({listed}); choose another folder")
    return folder
