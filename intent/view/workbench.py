"""Several runs and logs in one page: which there are, what is known of each, the games of one that is opened.

Nothing is opened before somebody asks for it. What a run did is counted behind the scenes; a folder that
cannot be read is a line of its own.
"""

from __future__ import annotations

import re
import threading
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from intent.base.binary import parquet_footer, parquet_table
from intent.base.errors import IntentError, UnknownNameError, one_line
from intent.base.files import encodable
from intent.logs.run_folder import DATABASE, LOCK, is_run, logs_below
from intent.view.jobs import Jobs
from intent.view.library import Library
from intent.view.source import DAMAGE

__all__ = ["Account", "Entry", "Workbench", "account_of", "distinct", "several"]

_MOST_ENTRIES = 2_000
"""Runs and logs that are listed."""

_MOST_MODELS = 50
_MOST_OPEN = 6
"""Sources whose games are held at a time; the one that was left longest is closed for another."""

_LOOK_AGAIN = 5.0
"""Seconds after which folders are looked through again."""


@dataclass(frozen=True)
class Account:
    """What a run or log is, in the words of a list of them; None where it does not say.

    Parameters
    ----------
    kind : {"run", "log"}
    experiment : str
    models : tuple of str
    finished, planned : int or None, games
    calls, tokens : int or None
    cost : float or None
    errors : int or None
        Requests that failed.
    set_aside : int or None
        Games that an error ended.
    state : str
        ``playing``, ``finished``, ``stopped``; of a log empty.
    problem : str
        Why it cannot be read; empty where it can.
    """

    kind: str
    experiment: str = ""
    models: tuple[str, ...] = ()
    finished: int | None = None
    planned: int | None = None
    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None
    errors: int | None = None
    set_aside: int | None = None
    state: str = ""
    problem: str = ""


def account_of(path: Path) -> Account:
    """What a run or log says of itself, without its games; a damaged one says its damage."""
    kind = "run" if is_run(path) else "log"
    try:
        return _of_run(path) if kind == "run" else _of_log(path)
    except DAMAGE as error:
        return Account(kind, problem=one_line(error))


def _of_run(path: Path) -> Account:
    from intent.runner.run import run_status

    status = run_status(path)
    models = [dict(row) for row in status["models"]]
    tokens = sum(int(row.get(name) or 0) for row in models for name in ("prompt_tokens", "completion_tokens"))
    return Account(
        kind="run",
        experiment=encodable(str(status["name"])),
        models=tuple(dict.fromkeys(encodable(str(row["player"])) for row in models))[:_MOST_MODELS],
        finished=status["finished"],
        planned=status["games"],
        calls=status["calls"],
        tokens=tokens,
        cost=status["cost"],
        errors=sum(status["failures"].values()),
        set_aside=status["interrupted"],
        state=str(status["state"]),
    )


def _of_log(path: Path) -> Account:
    if not path.is_dir() or not (path / "games.parquet").is_file():
        return Account("log")
    n = parquet_footer(path / "games.parquet").num_rows
    models: tuple[str, ...] = ()
    seats = path / "seats.parquet"
    if seats.is_file() and "model" in parquet_footer(seats).schema.to_arrow_schema().names:
        column = parquet_table(seats, columns=["model"], coded=True)["model"]
        models = tuple(encodable(str(one)) for one in column.unique().to_pylist() if one is not None)
    return Account("log", models=models[:_MOST_MODELS], finished=n)


def distinct(paths: Sequence[Path]) -> list[Path]:
    """The paths without those of a file or folder that an earlier one names, whatever each is called."""
    first: dict[object, Path] = {}
    for path in paths:
        first.setdefault(_identity(path), path)
    return list(first.values())


def _identity(path: Path) -> object:
    """What two names of one file or folder share; the name where there is none."""
    try:
        stat = path.stat()
    except OSError:
        return path.absolute()
    return (stat.st_dev, stat.st_ino) if stat.st_ino else path.resolve()


def several(paths: Sequence[Path]) -> bool:
    """Whether these are more than one run or log: several paths, or a folder that holds some."""
    if len(distinct(paths)) != 1:
        return True
    place = paths[0]
    if not place.is_dir() or is_run(place):
        return False
    try:
        return bool(logs_below(place).logs)
    except IntentError:
        return False


@dataclass(frozen=True)
class Entry:
    """A run or log of the list.

    Parameters
    ----------
    key : str
        Its name in addresses: letters, digits, dashes.
    name : str
        Its path, as it was said or below the folder that was.
    path : Path or None
        None where there is nothing to open.
    problem : str
        Why not.
    """

    key: str
    name: str
    path: Path | None = None
    problem: str = ""


class Workbench:
    """Runs and logs by name, opened when asked for. Any thread may call any method; nothing is ever written.

    Parameters
    ----------
    paths : sequence of Path
        Runs, logs, folders of them.
    opening : callable
        Path -> Library.
    """

    def __init__(self, paths: Sequence[Path], opening: Callable[[Path], Library]) -> None:
        self._paths, self._opening = distinct(paths), opening
        self._lock = threading.RLock()
        self._entries: dict[str, Entry] = {}
        self._rest: list[str] = []
        self._looked = -_LOOK_AGAIN
        self._open: dict[str, Library] = {}
        self._failed: dict[str, str] = {}
        self._jobs = Jobs(4 * _MOST_ENTRIES)

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close whatever was opened."""
        with self._lock:
            libraries, self._open = list(self._open.values()), {}
        self._jobs.close()
        for library in libraries:
            library.close()

    @property
    def title(self) -> str:
        """The paths as they were said."""
        return ", ".join(map(str, self._paths[:5])) + (" …" if len(self._paths) > 5 else "")

    def entries(self) -> list[Entry]:
        """All runs and logs, in the order of the paths; those that have come since are among them."""
        with self._lock:
            if time.monotonic() - self._looked >= _LOOK_AGAIN:
                self._look()
                self._looked = time.monotonic()
            return list(self._entries.values())

    @property
    def rest(self) -> tuple[str, ...]:
        """What lies beside them and is neither."""
        return tuple(self._rest)

    def _look(self) -> None:
        listed: list[tuple[str, Path | None, str]] = []
        rest: list[str] = []
        for path in self._paths:
            try:
                below = logs_below(path) if path.is_dir() else None
            except (IntentError, OSError) as error:
                listed.append((str(path), None, one_line(error)))
                continue
            if below is None or not below.logs:
                problem = "" if path.exists() else "no such file or folder"
                listed.append((str(path), None if problem else path, problem))
                continue
            lead = "" if len(self._paths) == 1 else f"{path.name}/"
            listed += [(f"{lead}{name}", place, "") for name, place in below.logs]
            rest += [f"{lead}{name}" for name in below.rest]
        self._rest = rest
        listed = _once(listed)
        before = {(e.name, e.path): e.key for e in self._entries.values()}
        entries: dict[str, Entry] = {}
        for name, place, problem in listed[:_MOST_ENTRIES]:
            key = before.get((name, place)) or _key(name, {*entries, *self._entries})
            entries[key] = Entry(key, encodable(name), place, problem)
        self._entries = entries
        if len(listed) > _MOST_ENTRIES:
            self._rest = [f"{len(listed) - _MOST_ENTRIES:,} more runs and logs", *rest]

    def accounts(self, wait: float = 0.3) -> dict[str, Account | None]:
        """What is known of each entry so far; None where it is still being counted."""
        until = time.monotonic() + wait
        accounts: dict[str, Account | None] = {}
        for entry in self.entries():
            if entry.path is None:
                accounts[entry.key] = Account("log", problem=entry.problem)
                continue
            accounts[entry.key] = self._account(entry, max(0.0, until - time.monotonic()))
        return accounts

    def account(self, key: str, wait: float = 0.3) -> Account | None:
        """What is known of one entry."""
        return self._account(self.entry(key), wait)

    def _account(self, entry: Entry, wait: float) -> Account | None:
        path = entry.path
        if path is None:
            return Account("log", problem=entry.problem)
        state = _signature(path)
        account = self._jobs.value((entry.key, state), lambda: account_of(path), wait, kind=entry.key)
        if not isinstance(account, Account):
            return None
        library = self._open.get(entry.key)
        if library is not None and account.kind == "log" and not account.problem:
            return _with_library(account, library)
        if entry.key in self._failed and not account.problem:
            return Account(account.kind, problem=self._failed[entry.key])
        return account

    def entry(self, key: str) -> Entry:
        """The entry of a name.

        Raises
        ------
        UnknownNameError
        """
        with self._lock:
            if not self._entries:
                self.entries()
            if key not in self._entries:
                raise UnknownNameError("run or log", key, list(self._entries)[:1000])
            return self._entries[key]

    def library(self, key: str) -> Library:
        """The games of an entry, opened at the first call.

        Raises
        ------
        UnknownNameError
        DataError, RunError, UsageError
            It cannot be read.
        """
        entry = self.entry(key)
        with self._lock:
            library = self._open.pop(key, None)
            if library is None:
                if entry.path is None:
                    raise UnknownNameError("run or log", entry.name, [])
                try:
                    library = self._opening(entry.path)
                except IntentError as error:
                    self._failed[key] = one_line(error)
                    raise
                self._failed.pop(key, None)
            self._open[key] = library
            over = [self._open.pop(next(iter(self._open))) for _ in range(len(self._open) - _MOST_OPEN)]
        for one in over:
            one.close()
        return library


def _once(listed: Sequence[tuple[str, Path | None, str]]) -> list[tuple[str, Path | None, str]]:
    """The lines without those of a file or folder that an earlier line has: a log, and a folder with it."""
    places: set[object] = set()
    unique = []
    for line in listed:
        who = line if line[1] is None else _identity(line[1])
        if who not in places:
            unique.append(line)
        places.add(who)
    return unique


def _with_library(account: Account, library: Library) -> Account:
    """What an opened log says beside."""
    column = next((c for c in library.columns() if c.name == "model"), None)
    models = tuple(value for value, _ in column.values) if column is not None else ()
    return Account("log", account.experiment, models[:_MOST_MODELS], library.facts().n_games)


def _signature(path: Path) -> tuple[Any, ...]:
    """What changes when a run goes on or a log is written anew."""
    marks: list[Any] = []
    for name in ("", DATABASE, f"{DATABASE}-wal", LOCK, "games.parquet"):
        try:
            stat = (path / name if name else path).stat()
            marks.append((stat.st_mtime_ns, stat.st_size))
        except OSError:
            marks.append(None)
    return tuple(marks)


def _key(name: str, keys: set[str]) -> str:
    """A short name for addresses, made of letters and digits of a path."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-").lower()[-60:].strip("-") or "source"
    key, n = words, 1
    while key in keys:
        n += 1
        key = f"{words}-{n}"
    return key


def start_values(bench: Workbench, accounts: Mapping[str, Account | None]) -> dict[str, Any]:
    """Values of the template ``start.html``."""
    entries = bench.entries()
    rows = [(entry, accounts.get(entry.key)) for entry in entries]
    counted = [account for _, account in rows if account is not None]
    playing = sum(account.state == "playing" for account in counted)
    return {
        "title": bench.title,
        "rows": rows,
        "rest": bench.rest[:100],
        "n_rest": len(bench.rest),
        "playing": playing,
        "busy": len(counted) < len(rows),
        "n_games": sum(account.finished or 0 for account in counted),
        "calls": sum(account.calls or 0 for account in counted),
        "costs": [a.cost for a in counted if a.cost is not None],
        "problems": sum(bool(account.problem) for account in counted),
        "any_runs": any(account.kind == "run" for account in counted),
    }
