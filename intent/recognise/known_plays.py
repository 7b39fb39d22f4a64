"""Labels of many trajectories, each distinct play judged once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories
from intent.recognise.distinct import distinct, play_keys

__all__ = ["LIMIT_PLAYS", "CodedTable", "KnownPlays", "with_gap"]

LIMIT_PLAYS = 1 << 20
"""Distinct plays that are kept; ten rounds of two players have no more where every move is known."""


class CodedTable:
    """A growing table in which texts and lists are numbers of words, so that rows are copied fast.

    Parameters
    ----------
    capacity : int
        Rows that it can hold.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity, self.size = capacity, 0
        self.columns: dict[str, NDArray[Any]] = {}
        self.words: dict[str, dict[Any, int]] = {}

    def append(self, table: pd.DataFrame) -> None:
        """Add rows of the same columns."""
        rows = slice(self.size, self.size + len(table))
        for name in table.columns:
            values = table[name]
            if values.dtype.kind in "fib":
                added = values.to_numpy()
            else:
                known = self.words.setdefault(name, {})
                cells = [tuple(c) if isinstance(c, list) else None if c != c else c for c in values.tolist()]
                added = np.array([known.setdefault(c, len(known)) for c in cells], dtype=np.int32)
            if name not in self.columns:
                self.columns[name] = np.empty(self.capacity, dtype=added.dtype)
            self.columns[name][rows] = added
        self.size = rows.stop

    def take(self, rows: NDArray[np.intp]) -> dict[str, pa.Array]:
        """Rows by number, as Arrow arrays: lists of texts, texts coded by a dictionary, numbers."""
        found = {}
        for name, values in self.columns.items():
            taken = pa.array(values[rows])
            found[name] = taken if name not in self.words else _spelled(self.words[name], taken)
        return found


class KnownPlays:
    """Looks up the labels of plays that it has seen, and has the others judged.

    Parameters
    ----------
    judge : callable of Trajectories -> DataFrame
        One row per trajectory, of which every value depends on that trajectory alone.
    limit : int
        Plays kept at a time. Plays of more than sixteen rounds are judged once per call and not kept.
    """

    def __init__(self, judge: Callable[[Trajectories], pd.DataFrame], limit: int = LIMIT_PLAYS) -> None:
        self._judge, self._limit = judge, limit
        self._forget(limit)

    def _forget(self, capacity: int) -> None:
        self.table = CodedTable(capacity)
        self._keys = np.empty(capacity, dtype=np.uint64)
        self._levels: list[tuple[int, pd.Index]] = []

    def look_up(self, X: Trajectories) -> tuple[CodedTable, NDArray[np.intp]]:
        """A table of plays, and its row for each trajectory; valid until the next call."""
        rows = self._rows(X)
        return self.table, rows

    def _rows(self, X: Trajectories) -> NDArray[np.intp]:
        keys = play_keys(X)
        if keys.shape[1] > 1:
            first, codes = distinct(keys)
            self._forget(len(first))
            self.table.append(self._judge(X[first]))
            return codes
        found = self._look_up(keys[:, 0])
        missing = np.flatnonzero(found < 0)
        if not len(missing):
            return found
        first, codes = distinct(keys[missing])
        if self.table.size + len(first) > self.table.capacity:
            missing = np.arange(len(X))
            first, codes = distinct(keys)
            self._forget(max(self._limit, len(first)))
        new = missing[first]
        start = self.table.size
        self.table.append(self._judge(X[new]))
        self._keys[start : self.table.size] = keys[new, 0]
        self._add_level(start)
        found[missing] = start + codes
        return found

    def _look_up(self, keys: NDArray[np.uint64]) -> NDArray[np.intp]:
        found = np.full(len(keys), -1, dtype=np.intp)
        open_rows = np.arange(len(keys))
        for start, index in self._levels:
            at = index.get_indexer(pd.Index(keys[open_rows]))
            found[open_rows] = np.where(at < 0, -1, at + start)
            open_rows = open_rows[at < 0]
            if not len(open_rows):
                break
        return found

    def _add_level(self, start: int) -> None:
        """Index the rows from `start`, joined with the last levels that are not larger."""
        while self._levels and len(self._levels[-1][1]) <= self.table.size - start:
            start = self._levels.pop()[0]
        self._levels.append((start, pd.Index(self._keys[start : self.table.size].copy())))


def with_gap(X: Trajectories) -> Trajectories:
    """The trajectories and one that ends early.

    Play with unknown moves is scored by another route than complete play; with it every part of a log takes
    the same, so that a label does not depend on what it is judged together with.
    """
    rounds = X.shape[1]
    gap = np.full((1, rounds), -1, dtype=np.int8)
    gap[:, : rounds - 1][:, :1] = 1
    return Trajectories.concatenated([X, Trajectories.trusted(gap, gap)])


def _spelled(words: Mapping[Any, int], codes: pa.Array) -> pa.Array:
    """The words of codes: lists as lists, texts coded by a dictionary."""
    if any(isinstance(word, tuple) for word in words):
        return pa.array([list(word) for word in words], pa.list_(pa.string())).take(codes)
    texts = pa.array(list(words), pa.string())
    return (
        pa.DictionaryArray.from_arrays(codes, texts)
        if not texts.null_count
        else texts.take(codes).dictionary_encode()
    )
