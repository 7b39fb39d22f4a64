"""An MLflow store in an SQLite file: checked before MLflow opens it, at home wherever its folder is moved.

MLflow keeps the place of artifacts as an absolute address, once for the experiment and once for every run.
A file from elsewhere could so have runs written to any folder or server, and a project that is moved would
go on writing where it was. Here a store may keep artifacts below its own folder only. Experiments of ours say
in a tag (`TAG`) that theirs are in ``mlartifacts`` beside the store; whenever such a store is opened and has
moved, the addresses follow it, so that MLflow and its page find the artifacts, too.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from intent.errors import UsageError, one_line
from intent.files.database import open_database, transaction

__all__ = ["ARTIFACTS", "TAG", "check_artifacts", "check_store", "store_path"]

TAG = "intent.artifacts"
"""Tag of an experiment whose artifacts are in a folder beside the store; its value is the folder's name."""

ARTIFACTS = "mlartifacts"
"""Folder beside the store."""

_MARK = "INSERT OR REPLACE INTO experiment_tags (key, value, experiment_id) VALUES (?, ?, ?)"
_LONGEST_TEXT = 2**20
_HEAD = b"SQLite format 3\0"
_WAY_OUT = "name a store of your own with --tracking, or move this one away, or --no-track"
_ITS_TRIGGERS = "secrets"
"""The one table that MLflow itself gives a trigger."""


def store_path(uri: str) -> Path | None:
    """The file that a tracking URI means: a path, or ``sqlite:///PATH``; None for a server.

    Raises
    ------
    UsageError
        An SQLite or file address with other parts than a path.
    """
    if "://" not in uri and not uri.lower().startswith(("sqlite:", "file:")):
        return None if uri in ("databricks", "databricks-uc") else Path(uri)
    scheme = uri.partition(":")[0].lower()
    if scheme.partition("+")[0] == "sqlite":
        place = uri.partition("///")[2]
        if not place or uri.partition("///")[0] != f"{uri.partition(':')[0]}:" or "?" in place:
            raise UsageError(f"--tracking {one_line(uri, 80)}, expected a path or sqlite:///PATH")
        return Path(place)
    if scheme == "file":
        raise UsageError(
            f"--tracking {one_line(uri, 80)}: stores that are folders of files are not written, expected the "
            "path of an SQLite file or the address of a server"
        )
    return None


def check_store(path: Path, experiment: str) -> None:
    """Refuse a store that is not what it should be; let one of ours that was moved follow its folder.

    Parameters
    ----------
    path : Path
        An absolute path. A file that is absent or empty is a new store.
    experiment : str
        The experiment that will be written to.

    Raises
    ------
    UsageError
        It is a link, no SQLite database, damaged, would run statements of its own (views, triggers), or the
        experiment keeps its artifacts elsewhere.
    """
    if "?" in str(path):
        raise _refused(path, "has a question mark in its path, which ends an SQLite address")
    if path.is_symlink():
        raise _refused(path, "is a link, expected the store itself")
    try:
        facts = path.stat()
    except FileNotFoundError:
        _check_folder(path, path.parent / ARTIFACTS, "")
        return
    except OSError as error:
        raise _refused(path, f"cannot be read ({error.strerror or error})") from None
    if not stat.S_ISREG(facts.st_mode):
        raise _refused(path, "is no file, expected an SQLite database of MLflow")
    for beside in ("-journal", "-wal", "-shm"):
        if Path(f"{path}{beside}").is_symlink():
            raise _refused(path, f"has a link {path.name}{beside} beside it")
    if not facts.st_size:
        _check_folder(path, path.parent / ARTIFACTS, "")
        return
    with path.open("rb") as stream:
        if stream.read(len(_HEAD)) != _HEAD:
            raise UsageError(
                f"MLflow cannot open sqlite:///{one_line(path)}: it is no SQLite database; {_WAY_OUT}"
            )
    try:
        database = open_database(f"{path.as_uri()}?mode=rw", uri=True, timeout=30, cell=_LONGEST_TEXT)
        with closing(database) as db:
            _check_schema(db, path)
            _settle(db, path, experiment)
    except sqlite3.Error as error:
        raise _refused(path, f"is damaged, or none of MLflow ({one_line(error, 80)})") from None


def check_artifacts(path: Path, location: str) -> None:
    """Refuse a place of artifacts that is not below the folder of the store.

    Parameters
    ----------
    path : Path, of the store
    location : str, path or address

    Raises
    ------
    UsageError
    """
    place = _local(location)
    if place is None:
        raise _refused(path, f"sends artifacts to {_shown(location)}, expected a folder beside it")
    _check_folder(path, place, location)


def _check_schema(db: sqlite3.Connection, path: Path) -> None:
    """Refuse what computes when the store is read or written."""
    sql = "SELECT type, name FROM sqlite_master WHERE type = 'view' OR (type = 'trigger' AND tbl_name <> ?)"
    odd = db.execute(sql, (_ITS_TRIGGERS,)).fetchone()
    if odd is not None:
        raise _refused(path, f"holds the {odd[0]} {one_line(odd[1], 40)!r}, which no store of MLflow has")


def _settle(db: sqlite3.Connection, path: Path, experiment: str) -> None:
    """Let addresses follow the store, mark what is ours, refuse what leads elsewhere."""
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"experiments", "experiment_tags", "runs"} <= tables:
        return  # MLflow will make its tables, or say why it does not
    home = (path.parent / ARTIFACTS).as_uri()
    sql = (
        "SELECT e.experiment_id, e.name, e.artifact_location, t.value "
        "FROM experiments e LEFT JOIN experiment_tags t ON t.experiment_id = e.experiment_id AND t.key = ? "
        "WHERE e.name = ? OR t.value IS NOT NULL LIMIT 1000"
    )
    for number, name, location, folder in db.execute(sql, (TAG, experiment)).fetchall():
        if not isinstance(location, str):
            raise _refused(path, f"says no place for the artifacts of experiment {one_line(name, 40)!r}")
        if location != home and folder == ARTIFACTS and _local(location) is not None and _named(location):
            _check_folder(path, path.parent / ARTIFACTS, home)
            _move(db, number, location, home)
            location = home
        if name == experiment:
            check_artifacts(path, location)
        if location == home and folder != ARTIFACTS:
            db.execute(_MARK, (TAG, ARTIFACTS, number))


def _move(db: sqlite3.Connection, number: int, old: str, new: str) -> None:
    """The addresses of an experiment and of its runs, in one transaction."""
    with transaction(db):
        db.execute("UPDATE experiments SET artifact_location = ? WHERE experiment_id = ?", (new, number))
        db.execute(
            "UPDATE runs SET artifact_uri = ? || substr(artifact_uri, ?) "
            "WHERE experiment_id = ? AND substr(artifact_uri, 1, ?) = ?",
            (new, len(old) + 1, number, len(old) + 1, f"{old}/"),
        )


def _named(location: str) -> bool:
    """Whether a place is called as ours are, and so may be where the store was."""
    return location.rsplit("/", 1)[-1] == ARTIFACTS


def _local(location: str) -> Path | None:
    """The folder that a location means; None where it is on no disk of this machine."""
    if "://" not in location and not location.lower().startswith("file:"):
        return Path(location)
    parts = urlsplit(location)
    if (
        parts.scheme.lower() != "file"
        or parts.netloc not in ("", "localhost")
        or parts.query
        or parts.fragment
    ):
        return None
    return Path(url2pathname(parts.path))


def _check_folder(path: Path, place: Path, location: str) -> None:
    """Refuse a folder that is, once links are followed, not below that of the store."""
    home = path.parent.resolve()
    real = Path(os.path.realpath(place)) if place.is_absolute() else None
    if real is None or home not in real.parents:
        way = "is a link to" if place.is_symlink() else "sends artifacts to"
        what = f"{place.name} beside it {way} {one_line(real, 120)}" if place.is_symlink() else ""
        raise _refused(
            path,
            what or f"sends artifacts to {_shown(location)}, expected a folder below {one_line(home, 120)}",
        )


def _shown(location: str) -> str:
    """A location for a message, without user and password."""
    before, at, rest = location.partition("://")
    if not at:
        return one_line(location, 120)
    host, slash, tail = rest.partition("/")
    return one_line(f"{before}://{host.rpartition('@')[2]}{slash}{tail}", 120)


def _refused(path: Path, why: str) -> UsageError:
    return UsageError(f"MLflow store {one_line(path, 120)} {why}; {_WAY_OUT}")
