"""Pieces of a log on disk, small enough for memory, and what one of them holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from intent.logs.trajectories import Trajectories

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = [
    "CODED",
    "MOST_MOVES",
    "Piece",
    "Play",
    "Runs",
    "Source",
    "constant",
    "grouped",
    "key_column",
    "named",
    "said_text",
]

MOST_MOVES = 1 << 24
"""Moves of one player in a piece, at least a row group."""

CODED = pa.dictionary(pa.int32(), pa.string())
"""Texts that describe trajectories: few of them are distinct."""


@dataclass(frozen=True)
class Runs:
    """Number of games in rows where those of one game follow each other.

    Parameters
    ----------
    n : int
    first, last : str or None, games at either end
    """

    n: int = 0
    first: str | None = None
    last: str | None = None

    @classmethod
    def of(cls, game_ids: pa.Array) -> Runs:
        """Of a column of game_id."""
        if not len(game_ids):
            return cls()
        n = 1 + (pc.sum(pc.not_equal(game_ids[1:], game_ids[:-1])).as_py() or 0)
        return cls(n, game_ids[0].as_py(), game_ids[-1].as_py())

    def __add__(self, after: Runs) -> Runs:
        if not self.n or not after.n:
            return self if self.n else after
        return Runs(self.n + after.n - (self.last == after.first), self.first, after.last)


@dataclass(frozen=True, eq=False)
class Play:
    """What was read of a piece.

    Attributes
    ----------
    X : Trajectories of shape (n, T), T that of the whole log
    keys : Table of n rows that describes them
    games : Runs, games that meet the conditions
    skipped : reason -> Runs, games without labels
    """

    X: Trajectories
    keys: pa.Table
    games: Runs
    skipped: dict[str, Runs] = field(default_factory=dict)


class Piece(Protocol):
    """Where a piece stands; it travels to whoever reads it."""

    @property
    def n(self) -> int:
        """Its rows, or games."""
        ...

    def read(self) -> Play:
        """The play of the rows that meet the conditions."""
        ...

    def games(self) -> GameLog:
        """All tables of the games that meet the conditions; none may be left."""
        ...


class Source(Protocol):
    """A log that can be read in pieces."""

    @property
    def path(self) -> Path:
        """Where it is."""
        ...

    @property
    def format(self) -> str:
        """Name of its reader."""
        ...

    @property
    def n(self) -> int:
        """Its rows, or games, as the pieces count them."""
        ...

    @property
    def rounds(self) -> int:
        """T of the whole log."""
        ...

    @property
    def complete(self) -> bool:
        """Whether all rows have T known moves of both players, all of them evidence."""
        ...

    @property
    def provenance(self) -> Mapping[str, Any]:
        """As stored with the log."""
        ...

    def pieces(self, size: int) -> Iterator[Piece]:
        """Pieces of about `size`, in order; no game is in two of them."""
        ...


def grouped(sizes: Sequence[int], size: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Row groups that follow each other, joined up to `size` rows, and the rows that they have."""
    found: list[int] = []
    rows = 0
    for i, n in enumerate(sizes):
        if found and rows + n > size:
            yield tuple(found), rows
            found, rows = [], 0
        found.append(i)
        rows += n
    if found:
        yield tuple(found), rows


def key_column(values: pa.ChunkedArray | pa.Array) -> pa.Array:
    """A column that describes trajectories in one of four types: coded text, int64, float64, bool."""
    column = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks)
    kind = column.type
    if kind == CODED:
        return column
    if said_text(kind):
        return column.cast(pa.string()).dictionary_encode().cast(CODED)
    if pa.types.is_integer(kind):
        return column.cast(pa.int64())
    return column.cast(pa.float64()) if pa.types.is_floating(kind) else column


def said_text(kind: pa.DataType) -> bool:
    """Whether a type holds texts, coded or not, or nothing."""
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    return any(is_one(inner) for is_one in texts)


def constant(value: Any, n: int) -> pa.Array:
    """A column of one value."""
    if isinstance(value, str):
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype=np.int32)), pa.array([value]))
    return pa.array(np.full(n, value))


def named(columns: Iterable[tuple[str, pa.Array]]) -> pa.Table:
    """A table of named columns."""
    pairs = list(columns)
    return pa.table([values for _, values in pairs], names=[name for name, _ in pairs])
