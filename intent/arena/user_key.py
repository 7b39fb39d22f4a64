"""The key of this user, from which salts of tournaments come: 32 random bytes in a private file."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from intent.errors import DataError

__all__ = ["UserKey", "key_file", "user_key"]

_BYTES = 32
_POSIX = os.name == "posix"


@dataclass(frozen=True)
class UserKey:
    """A secret that stays on this machine.

    Parameters
    ----------
    secret : bytes, 32
    unkept : str
        Why it ends with this process; empty where it is kept in a file.
    """

    secret: bytes = field(repr=False)
    unkept: str = ""


def key_file() -> Path | None:
    """Where the key is kept: ``intent/arena.key`` below ``XDG_STATE_HOME`` or ``~/.local/state``.

    None where the user has no home. The file need not be there.

    References
    ----------
    XDG Base Directory Specification 0.8; a relative ``XDG_STATE_HOME`` counts as none.
    """
    base = Path(os.environ.get("XDG_STATE_HOME") or "")
    if not base.is_absolute():
        try:
            home = Path.home()
        except RuntimeError:
            return None
        if not home.is_dir():
            return None
        base = home / ".local" / "state"
    return base / "intent" / "arena.key"


def user_key() -> UserKey:
    """The key that is kept, drawn once where there is none; where none can be kept, that of this process.

    Any number of processes that begin together get the same key.

    Raises
    ------
    DataError
        The file holds no key, or others can read or replace it: what is secret no more is not used.
    """
    path = key_file()
    if path is None:
        return UserKey(_of_process(), "this user has no home folder to keep a key in")
    try:
        _make_folder(path.parent)
        for _ in range(2):
            with suppress(FileNotFoundError):
                return UserKey(_read(path))
            _write(path)
        return UserKey(_read(path))
    except OSError as error:
        return UserKey(_of_process(), f"{path} cannot be kept: {error.strerror or error}")


@cache
def _of_process() -> bytes:
    return secrets.token_bytes(_BYTES)


def _make_folder(folder: Path) -> None:
    """The folder, for its owner alone."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if _POSIX and folder.stat().st_uid == os.getuid() and stat.S_IMODE(folder.stat().st_mode) != 0o700:
        folder.chmod(0o700)


def _read(path: Path) -> bytes:
    """The key in a file.

    Raises
    ------
    DataError
    OSError
    """
    # a link could lead to a file that somebody else chose, and a pipe would be waited for
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    if path.is_symlink():
        raise DataError(f"{path}: a link, expected a file with the key; delete it")
    handle = os.open(path, flags)
    with open(handle, "rb") as stream:
        facts = os.fstat(handle)
        if _POSIX:
            _check_private(path, facts)
        text = stream.read(_BYTES * 2 + 2) if stat.S_ISREG(facts.st_mode) else b""
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise DataError(f"{path}: no key of {_BYTES} bytes in hexadecimal; delete it, and a new one is drawn")
    return key


def _check_private(path: Path, facts: os.stat_result) -> None:
    """Refuse a key that others may know or have put there."""
    if facts.st_uid != os.getuid():
        raise DataError(f"{path}: belongs to user {facts.st_uid}, expected {os.getuid()}; delete it")
    if facts.st_mode & 0o077:
        mode = stat.S_IMODE(facts.st_mode)
        raise DataError(
            f"{path}: others may read this key (mode {mode:04o}, expected 0600); delete it, and a new one is "
            "drawn, or chmod 600 it where nobody else could reach it"
        )


def _write(path: Path) -> None:
    """A new key, whole or not at all; that of another process, which was faster, stays."""
    handle, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as stream:
            stream.write(secrets.token_hex(_BYTES).encode() + b"\n")
            stream.flush()
            os.fsync(handle)
        try:
            os.link(draft, path)
        except FileExistsError:
            return
        except OSError:
            # a file system without hard links; who reads half a key is told so in one line, and can try again
            with suppress(FileExistsError):
                handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
                with open(handle, "wb") as stream:
                    stream.write(Path(draft).read_bytes())
    finally:
        Path(draft).unlink(missing_ok=True)
