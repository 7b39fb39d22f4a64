"""Columns that name groups, subjects and clusters, and their values in a piece of a log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.errors import UnknownNameError
from intent.workflows.columns import column_names
from intent.workflows.sfem_unit import SEAT

__all__ = ["SEAT", "Columns", "Key", "alone", "first_rows", "frame", "names_of"]

Key = tuple[Any, ...]
"""Values of the columns that name something."""

Given = str | tuple[str, ...]


@dataclass(frozen=True)
class Columns:
    """Columns that make groups, subjects and clusters (none: each subject is its own)."""

    by: tuple[str, ...]
    subject: tuple[str, ...]
    cluster: tuple[str, ...]

    @classmethod
    def of(cls, by: Given, subject: Given, cluster: Given, known: list[str]) -> Columns:
        """Those of a log with the columns `known`, from what `intent.workflows.sfem.sfem` is given.

        Raises
        ------
        UnknownNameError
            A column that the log does not have.
        """
        groups, named = column_names(by, known), column_names(subject, known)
        unit = named or (("player",) if "player" in known else SEAT)
        within = column_names(cluster, known) or (("game_id",) if unit == SEAT else ())
        for column in (*groups, *unit, *within):
            if column not in known:
                raise UnknownNameError("column", column, known)
        return cls(groups, unit, within)

    @property
    def wanted(self) -> list[str]:
        """All of them, each once."""
        return list(dict.fromkeys([*self.by, *self.subject, *self.cluster]))


def frame(keys: pa.Table, columns: tuple[str, ...]) -> pd.DataFrame:
    """Some columns as pandas has them; the game is a number."""
    found = {}
    for column in columns:
        values = keys.column(column)
        if column == "game_id":
            found[column] = pd.Series(pc.dictionary_encode(values).combine_chunks().indices.to_numpy())
        else:
            found[column] = values.to_pandas()
    return pd.DataFrame(found, index=range(len(keys)))


def alone(keys: pa.Table, columns: tuple[str, ...]) -> NDArray[np.bool_]:
    """(n,) bool, rows that lack a value: each is a subject, or a cluster, of its own."""
    missing = np.zeros(len(keys), dtype=bool)
    for column in columns:
        missing |= keys.column(column).to_pandas().isna().to_numpy()
    return missing


def names_of(keys: pa.Table, columns: tuple[str, ...], rows: NDArray[np.intp]) -> list[Key]:
    """The values that name a subject or cluster; a row that lacks one has game and seat for a name."""
    taken = keys.select([*dict.fromkeys([*columns, *SEAT])]).take(pa.array(rows))
    named = _tuples(taken, columns)
    lacking = alone(taken, columns)
    if lacking.any():
        seats = _tuples(taken, SEAT)
        named = [(None, *seats[i]) if lacking[i] else name for i, name in enumerate(named)]
    return named


def first_rows(keys: pa.Table, columns: tuple[str, ...], codes: NDArray[np.intp], n: int) -> list[Key]:
    """Values of the columns in the first row of each group."""
    if not columns:
        return [()]
    first = np.unique(codes, return_index=True)[1]
    assert len(first) == n
    return _tuples(keys.take(pa.array(first)), columns)


def _tuples(table: pa.Table, columns: tuple[str, ...]) -> list[Key]:
    values = [[None if v != v else v for v in table.column(c).to_pylist()] for c in columns]
    return list(zip(*values, strict=True))
