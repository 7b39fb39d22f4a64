"""Which trajectories are the same play: numbers that tell plays apart, and one row of each.

Labels of many trajectories, each distinct play judged once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories

__all__ = ["LIMIT_PLAYS", "PER_KEY", "CodedTable", "KnownPlays", "distinct", "play_keys", "with_gap"]


PER_KEY = 16
"""Rounds that one number holds, four bits each."""

_BITS = 64


def play_keys(X: Trajectories) -> NDArray[np.uint64]:
    """Numbers that are equal exactly where own moves, other's moves, evidence and decisions are.

    A round is one of 15 symbols: own move unknown, D or C as evidence, D or C that is none; times the other's
    move unknown, D or C. Where decisions were not always played, further columns say in which rounds; where
    an implementation error is reckoned with, a last one says how large it is.

    Parameters
    ----------
    X : Trajectories of shape (n, T)

    Returns
    -------
    (n, ceil(T / 16)) uint64, at least one column; more where there are implementation errors
    """
    n, rounds = X.shape
    own = (X.own + np.int8(1)).view(np.uint8)
    if X.evidence_mask is not None:
        own = np.where((X.own >= 0) & ~X.evidence_mask, own + np.uint8(2), own)
    symbols = own * np.uint8(3) + (X.other + np.int8(1)).view(np.uint8)
    keys = np.zeros((n, max(1, -(-rounds // PER_KEY))), dtype=np.uint64)
    for t in range(rounds):
        column = keys[:, t // PER_KEY]
        column <<= np.uint64(4)
        column |= symbols[:, t]
    more = []
    if X.decided is not None:
        flips = np.zeros((n, -(-rounds // _BITS)), dtype=np.uint64)
        for t in range(rounds):
            column = flips[:, t // _BITS]
            column <<= np.uint64(1)
            column |= (X.decided[:, t] != X.own[:, t]).astype(np.uint64)
        more.append(flips)
    if X.implementation_error is not None:
        errors = np.ascontiguousarray(X.implementation_error + 0.0)
        more.append(errors.view(np.uint64)[:, None])
    return np.concatenate([keys, *more], axis=1) if more else keys


def distinct(keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First row of each distinct one, and which of these each row is.

    Parameters
    ----------
    keys : (n, W) uint64

    Returns
    -------
    first : (d,) intp, ascending
    codes : (n,) intp
    """
    codes = pd.factorize(keys[:, 0])[0]
    for j in range(1, keys.shape[1]):
        more, values = pd.factorize(keys[:, j])
        codes = pd.factorize(codes * max(len(values), 1) + more)[0]
    first = np.flatnonzero(~pd.Series(codes).duplicated().to_numpy())
    return first, codes


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
        self.kinds: dict[str, Any] = {}

    def append(self, table: pd.DataFrame) -> None:
        """Add rows of the same columns."""
        rows = slice(self.size, self.size + len(table))
        for name in table.columns:
            values = table[name]
            self.kinds[name] = values.dtype
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

    def frame(self, rows: NDArray[np.intp]) -> pd.DataFrame:
        """Rows by number: lists that no two rows share, texts with NaN where there is none, numbers."""
        columns: dict[str, Any] = {}
        for name, values in self.columns.items():
            columns[name] = values[rows]
            if name in self.words:
                words = [np.nan if word is None else word for word in self.words[name]]
                listed = [words[code] for code in columns[name].tolist()]
                cells = [list(cell) if isinstance(cell, tuple) else cell for cell in listed]
                columns[name] = pd.Series(cells, dtype=self.kinds[name])
        return pd.DataFrame(columns)

    def take(self, rows: NDArray[np.intp]) -> dict[str, pa.Array]:
        """Rows by number, as Arrow arrays: lists of texts, texts coded by a dictionary, numbers."""
        columns = {}
        for name, values in self.columns.items():
            codes = pa.array(values[rows])
            columns[name] = codes if name not in self.words else _spelled(self.words[name], codes)
        return columns


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
        rows = self._look_up(keys[:, 0])
        missing = np.flatnonzero(rows < 0)
        if not len(missing) and self.table.columns:
            return rows
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
        rows[missing] = start + codes
        return rows

    def _look_up(self, keys: NDArray[np.uint64]) -> NDArray[np.intp]:
        rows = np.full(len(keys), -1, dtype=np.intp)
        open_rows = np.arange(len(keys))
        for start, index in self._levels:
            at = index.get_indexer(pd.Index(keys[open_rows]))
            rows[open_rows] = np.where(at < 0, -1, at + start)
            open_rows = open_rows[at < 0]
            if not len(open_rows):
                break
        return rows

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
