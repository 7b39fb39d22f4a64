"""What chance draws in matches: one stream for each player and each player's noise, all from a secret salt.

Who knows a stream knows nothing of another one, of the match that it belongs to, or of the salt: each is
HMAC-SHA256 of the salt and of what it is for. The salt comes from a key of the user's (32 random bytes in a
private file), the seed and the field (every name and source), and is told with the results. Who builds it
into a strategy gains nothing: the field of that strategy has another salt.

References
----------
Krawczyk, Bellare & Canetti 1997, RFC 2104 (HMAC); NIST 2015, FIPS 202 (SHAKE128).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import stat
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.base.errors import DataError, UsageError, shorten

__all__ = ["MatchStreams", "Salt", "UserKey", "key_file", "user_key"]


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
        return UserKey(_of_process(), f"this user has no home folder to keep a key in; {_REMEDY}")
    try:
        _make_folder(path.parent)
        for _ in range(2):
            with suppress(FileNotFoundError):
                return UserKey(_read(path))
            _write(path)
        return UserKey(_read(path))
    except OSError as error:
        return UserKey(_of_process(), f"{path} cannot be kept: {error.strerror or error}; {_REMEDY}")


_REMEDY = "XDG_STATE_HOME=FOLDER names one that stays"


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


_BYTES = 32
_SEED_BITS = 128
_LEADING = 1 << (_SEED_BITS - 1)
"""Set in every seed, so that it has four words whatever they are, and is no seed of 32 bits."""

_encoded = json.JSONEncoder().encode


def _derived(secret: bytes, *words: str | int) -> bytes:
    """32 bytes that belong to the words and to no others."""
    return hmac.digest(secret, _encoded(words).encode("ascii"), "sha256")


@dataclass(frozen=True)
class MatchStreams:
    """The random numbers of one match, in place of one seed from which all of them could be known.

    Parameters
    ----------
    key : bytes, 32
    """

    key: bytes = field(repr=False)

    def player(self, seat: int) -> int:
        """Seed of the generator of a seat's player: an integer of 128 bits, the first of which is set."""
        return int.from_bytes(_derived(self.key, "player", seat)[:16], "big") | _LEADING

    def flips(self, seat: int, turns: int, noise: float) -> NDArray[np.bool_]:
        """(turns,) which moves of a seat noise flips, each with probability `noise` to the nearest 2**-32."""
        words = hashlib.shake_128(_derived(self.key, "noise", seat)).digest(4 * turns)
        return np.asarray(np.frombuffer(words, dtype="<u4") < np.uint32(round(noise * 2**32)))


@dataclass(frozen=True)
class Salt:
    """What decides all that chance does in the matches of a tournament.

    Parameters
    ----------
    secret : bytes, 32
        Secret until the matches have been played, then told (`hex`).
    unkept : str
        Why the same command would draw another one; empty where it draws this one.
    chosen : bool
        Whether somebody gave it.

    Raises
    ------
    UsageError
        Another number of bytes.
    """

    secret: bytes = field(repr=False)
    unkept: str = ""
    chosen: bool = False

    def __post_init__(self) -> None:
        if len(self.secret) != _BYTES:
            raise UsageError(f"a salt of {len(self.secret)} bytes, expected {_BYTES}")

    @classmethod
    def of_field(cls, entrants: Sequence[Entrant], seed: int, use: str = "matches") -> Salt:
        """The salt of a field: of the user's key, the seed, and every name and source.

        It does not depend on the rules, so that tournaments of one field at several rates of noise have
        common random numbers.

        Parameters
        ----------
        use : str
            What is played: another use of the same field has another salt.

        Raises
        ------
        DataError
            As `intent.arena.streams.user_key`.
        """
        key = user_key()
        names = [word for entrant in entrants for word in (entrant.name, entrant.digest)]
        return cls(_derived(key.secret, "salt", use, seed, *names), key.unkept)

    @classmethod
    def from_hex(cls, text: str) -> Salt:
        """A salt as results tell it, and as ``--salt`` takes it.

        Raises
        ------
        UsageError
        """
        try:
            secret = bytes.fromhex(text)
        except ValueError:
            secret = b""
        if len(secret) != _BYTES:
            raise UsageError(f"salt {shorten(text)!r}, expected {2 * _BYTES} hexadecimal digits")
        return cls(secret, chosen=True)

    @property
    def hex(self) -> str:
        """As `from_hex` reads it."""
        return self.secret.hex()

    @property
    def replay(self) -> str:
        """How the same matches are played again, in words."""
        if self.chosen:
            return f"the salt was given: with --salt {self.hex} the same matches are played anywhere"
        if self.unkept:
            return f"only --salt {self.hex} plays the same matches again: {self.unkept}"
        return f"the same command plays the same matches again; on another machine, with --salt {self.hex}"

    def part(self, *words: str | int) -> Salt:
        """The salt of one of several things that are played under this one, such as a set of strategies.

        Players of the same names draw apart in different parts.
        """
        return replace(self, secret=_derived(self.secret, "part", *words))

    def number(self, *words: str | int) -> int:
        """A seed of 48 bits for what belongs to the words; for generators that no player draws from."""
        return int.from_bytes(_derived(self.secret, "number", *words)[:6], "big")

    def match(self, first: str, second: str, repetition: int) -> MatchStreams:
        """The streams of one match.

        Parameters
        ----------
        first, second : str, names of the players, different for different players
        repetition : int from 0
        """
        return MatchStreams(_derived(self.secret, "match", first, second, repetition))

    def rank(self, *words: str | int) -> bytes:
        """Bytes to order by, where one of several is drawn: the lowest."""
        return _derived(self.secret, "rank", *words)

    def live(self, *words: str | int) -> int:
        """Seed of a player at somebody else's table, as `MatchStreams.player`."""
        return MatchStreams(_derived(self.secret, "live", *words)).player(0)
