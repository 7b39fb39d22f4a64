"""What chance draws in matches: one stream for each player and each player's noise, all from a secret salt.

Who knows a stream knows nothing of another one, of the match that it belongs to, or of the salt: each is
HMAC-SHA256 of the salt and of what it is for. The salt comes from a key of the user's, the seed and the field
(every name and source), and is told with the results. Who builds it into a strategy gains nothing: the field
of that strategy has another salt.

References
----------
Krawczyk, Bellare & Canetti 1997, RFC 2104 (HMAC); NIST 2015, FIPS 202 (SHAKE128).
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.user_key import user_key
from intent.errors import UsageError, shorten

__all__ = ["MatchStreams", "Salt"]

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
        entrants : sequence of Entrants
        seed : int
        use : str
            What is played: another use of the same field has another salt.

        Raises
        ------
        DataError
            As `intent.arena.user_key.user_key`.
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
