"""Matches that were played, kept in an SQLite file: whatever ends a tournament, they are not played again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import MatchRules, MatchSeed
from intent.arena.streams import MatchStreams
from intent.errors import DataError, located
from intent.runner.database import SharedFile

__all__ = ["MOVES_VERSION", "MatchStore", "match_keys"]

MOVES_VERSION = 1
"""Raised where the same source, streams and rules would give other moves than before."""

_SCHEMA = "CREATE TABLE matches (key BLOB PRIMARY KEY, moves BLOB NOT NULL) WITHOUT ROWID"
_LONGEST_QUERY = 500


class MatchStore:
    """Key -> the moves of one match, a bit each; whole transactions only.

    Keys say what decides the moves, so that a store may serve any number of tournaments. Faults are not
    kept: they depend on the machine (time, memory) and on the engine, and are found again.

    Parameters
    ----------
    path : Path or None
        None keeps it in memory.

    Raises
    ------
    OutputError
        The file cannot be made.
    DataError
        It is damaged, of another version, or no such store.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.path = None if path is None else Path(path)
        self._file = SharedFile(self.path, _SCHEMA, version=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def put(self, matches: Iterable[tuple[bytes, NDArray[np.uint8]]]) -> None:
        """Keep matches in one transaction.

        Parameters
        ----------
        matches : iterable of (key, moves (2, T) uint8, 1 = cooperate)
        """
        rows = [(key, np.packbits(moves.reshape(-1)).tobytes()) for key, moves in matches]
        if rows:
            with self._file.transaction() as connection:
                connection.executemany("INSERT OR REPLACE INTO matches VALUES (?, ?)", rows)

    def get(self, keys: Sequence[bytes], turns: int) -> dict[bytes, NDArray[np.uint8]]:
        """Those of the keys that are there, with their moves (2, turns).

        Raises
        ------
        DataError
            The moves of a key are not so many.
        """
        found: dict[bytes, NDArray[np.uint8]] = {}
        for start in range(0, len(keys), _LONGEST_QUERY):
            part = list(keys[start : start + _LONGEST_QUERY])
            marks = ",".join("?" * len(part))
            query = f"SELECT key, moves FROM matches WHERE key IN ({marks})"
            with self._file.explained():
                rows = self._file.connection.execute(query, part).fetchall()
            found |= {key: self._unpacked(packed, turns) for key, packed in rows}
        return found

    def __len__(self) -> int:
        with self._file.explained():
            (n,) = self._file.connection.execute("SELECT count(*) FROM matches").fetchone()
        return int(n)

    def close(self) -> None:
        """Release the file."""
        self._file.close()

    def _unpacked(self, packed: bytes, turns: int) -> NDArray[np.uint8]:
        if not isinstance(packed, bytes) or len(packed) != (2 * turns + 7) // 8:
            raise DataError(
                located(self.path or "memory", f"a match that is not of {turns} turns; delete it")
            )
        bits = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=2 * turns)
        return np.asarray(bits.reshape(2, turns))


def match_keys(
    first: Entrant, second: Entrant, rules: MatchRules, seeds: Iterable[MatchSeed | None]
) -> Iterator[bytes]:
    """The key of each match of a pair: what it is that decides the moves, and nothing else.

    Parameters
    ----------
    first, second : Entrants, whose names play no part beyond the streams
    rules : MatchRules
    seeds : per match; None where nothing is drawn. Under ``reuse_instances`` a match depends on those
        before it, which must be given, too.
    """
    told = json.dumps([MOVES_VERSION, first.digest, second.digest, asdict(rules)], sort_keys=True)
    running = hashlib.sha256(told.encode())
    for seed in seeds:
        each = running.copy()
        each.update(f"\x1f{seed.key.hex() if isinstance(seed, MatchStreams) else seed}".encode())
        if rules.reuse_instances:
            running = each
        yield each.digest()[:16]
