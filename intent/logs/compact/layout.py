"""What a compact log is: its columns, and the files that hold it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from intent.files.parquet import parquet_footer, parquet_schema
from intent.logs.gamelog import KEY_GAME_COLUMNS, KEY_SEAT_COLUMNS

__all__ = [
    "KIND",
    "MOVES",
    "VERSION",
    "CompactLog",
    "descriptions",
]

KIND = "compact_log"
VERSION = 2
"""Version 1 had no list of decisions."""

MOVES = ("own", "other")
_BESIDE = ("payoffs", "rounds_planned")
"""Columns of games that describe a game but no trajectory."""

_DEFAULTS: dict[str, Any] = {"cooperative_action": "C", "repetition": 1}


@dataclass(frozen=True)
class CompactLog:
    """A compact log on disk, nothing of its rows read yet.

    Attributes
    ----------
    path : Path
        The file, or the folder of its parts.
    parts : tuple of Path, in the order of their names
    rounds : int
        Length T of the longest list of moves.
    complete : bool
        Whether every row has T known moves of both players, all of which count.
    constants : column of games -> the value that it has in every row
    seat_columns : tuple of str
        Further columns that describe a seat; the others describe its game.
    provenance : dict
    """

    path: Path
    parts: tuple[Path, ...]
    rounds: int
    complete: bool
    constants: dict[str, Any] = field(default_factory=dict)
    seat_columns: tuple[str, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def files(self) -> tuple[pq.FileMetaData, ...]:
        """Footer of each part."""
        return tuple(parquet_footer(part) for part in self.parts)

    @cached_property
    def types(self) -> dict[str, pa.DataType]:
        """Column -> type, of the first part."""
        schema = parquet_schema(self.parts[0])
        return dict(zip(schema.names, schema.types, strict=True))

    @property
    def n(self) -> int:
        """Rows of all parts."""
        return sum(int(facts.num_rows) for facts in self.files)

    @property
    def descriptions(self) -> list[str]:
        """Columns beyond the moves, game and seat."""
        return descriptions(self.types)

    @cached_property
    def keys(self) -> list[str]:
        """Columns that describe a trajectory, in the order in which a label names them."""
        filled = {**_DEFAULTS, **self.constants}
        known = {*filled, *(c for c in self.descriptions if not self._all_null(c))} - set(_BESIDE)
        seats = [*KEY_SEAT_COLUMNS, *(c for c in self.seat_columns if c not in KEY_SEAT_COLUMNS)]
        games = [c for c in [*self.descriptions, *self.constants] if c not in {*seats, *KEY_GAME_COLUMNS}]
        order = [*seats, *KEY_GAME_COLUMNS, *games]
        return ["game_id", "seat", *dict.fromkeys(c for c in order if c in known)]

    @property
    def filled(self) -> dict[str, Any]:
        """Column -> value of columns that the rows do not spell out."""
        return {c: v for c, v in {**_DEFAULTS, **self.constants}.items() if c not in self.types}

    def _all_null(self, column: str) -> bool:
        """Whether a column has no value, by the statistics of the parts; False where they do not say."""
        for facts in self.files:
            schema = facts.schema.to_arrow_schema()
            names = [facts.schema.column(j).path for j in range(facts.num_columns)]
            if column not in names or column not in schema.names:
                return False
            if pa.types.is_null(schema.field(column).type):
                continue
            for i in range(facts.num_row_groups):
                chunk = facts.row_group(i).column(names.index(column))
                stats = chunk.statistics
                if stats is None or not stats.has_null_count or stats.null_count < chunk.num_values:
                    return False
        return True


def descriptions(columns: Iterable[str]) -> list[str]:
    """Those of the columns that describe a game or a seat: beyond the moves, game and seat."""
    return [c for c in columns if c not in ("game_id", "seat", "evidence", "decided", *MOVES)]
