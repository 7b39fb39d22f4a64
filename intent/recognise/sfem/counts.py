"""Sufficient counts: how often each subject made a move to which a strategy gives probability p.

With tremble b a move of probability p has q = p (1 - b) + (1 - p) b, so the log-likelihood of a subject under
a strategy is the sum of its counts times log q. A deterministic strategy has two columns: matches (p = 1)
and mismatches (p = 0). The unit is the subject: the counts of all its games are added, and each game
starts the automaton anew.

A move is what the player decided. Where decisions are not recorded, and the game is known to flip them with
probability e, p (1 - e) + (1 - p) e stands for p, in columns of its own for each e.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.errors import DataError
from intent.logs.trajectories import Trajectories
from intent.recognise.sfem.gaps import Gaps, polynomials
from intent.recognise.sfem.paths import PathTable, path_table
from intent.strategies.automaton import Strategy
from intent.strategies.forward import CASES, case_codes
from intent.strategies.likelihood import composed

__all__ = ["Counts", "count_moves"]

_CHUNK = 1 << 18
"""Rounds held at a time."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of n subjects under K strategies.

    Attributes
    ----------
    p : (M,) probability of the counted moves, strategy by strategy
    first : (K + 1,) columns of strategy k are first[k] .. first[k + 1] - 1
    moves : (n, M) int
    choices : (n,) own moves that are evidence
    gaps : histories whose state path is unknown
    """

    p: NDArray[np.float64]
    first: NDArray[np.intp]
    moves: NDArray[np.integer]
    choices: NDArray[np.int64]
    gaps: Gaps

    def __len__(self) -> int:
        return len(self.moves)

    @property
    def n_strategies(self) -> int:
        """K."""
        return len(self.first) - 1

    def columns(self, k: int) -> slice:
        """Columns of strategy k."""
        return slice(int(self.first[k]), int(self.first[k + 1]))

    def trembles(self) -> NDArray[np.float64]:
        """Moves of each subject where a tremble of each strategy would show (p != 1/2), (n, K)."""
        out = np.empty((len(self), self.n_strategies))
        for k in range(self.n_strategies):
            shows = np.flatnonzero(self.p[self.columns(k)] != 0.5) + self.first[k]
            out[:, k] = self.moves[:, shows].sum(axis=1)
        np.add.at(out, (self.gaps.row, self.gaps.strategy), self.gaps.degree)
        return out

    def take(self, rows: NDArray[np.intp]) -> Counts:
        """Those of some subjects (each at most once)."""
        if not len(self.gaps):
            return Counts(self.p, self.first, self.moves[rows], self.choices[rows], self.gaps)
        place = np.full(len(self), -1)
        place[rows] = np.arange(len(rows))
        keep = np.flatnonzero(place[self.gaps.row] >= 0)
        gaps = self.gaps.take(keep, place[self.gaps.row[keep]], self.gaps.strategy[keep])
        return Counts(self.p, self.first, self.moves[rows], self.choices[rows], gaps)

    def only(self, strategies: Sequence[int]) -> Counts:
        """Those of some strategies."""
        columns = np.concatenate([np.arange(self.first[k], self.first[k + 1]) for k in strategies])
        first = np.cumsum([0, *(self.first[k + 1] - self.first[k] for k in strategies)])
        place = np.full(self.n_strategies, -1)
        place[list(strategies)] = np.arange(len(strategies))
        keep = np.flatnonzero(place[self.gaps.strategy] >= 0)
        gaps = self.gaps.take(keep, self.gaps.row[keep], place[self.gaps.strategy[keep]])
        return Counts(self.p[columns], first, self.moves[:, columns], self.choices, gaps)


def count_moves(
    X: Trajectories,
    subjects: NDArray[np.intp],
    strategies: Sequence[Strategy],
    update: Callable[[int, int], None] = lambda done, total: None,
) -> Counts:
    """Counts of all subjects, with bounded memory beside the result.

    Parameters
    ----------
    X : Trajectories of shape (N, T)
    subjects : (N,) int in 0 .. n - 1, the subject of each trajectory
    strategies : K Strategy
    update : called with (trajectories done, in all)

    Raises
    ------
    DataError
        `subjects` is not one number per trajectory.
    """
    subjects = np.asarray(subjects)
    if subjects.shape != (len(X),):
        raise DataError(f"subjects have shape {subjects.shape}, expected ({len(X)},)")
    n = int(subjects.max(initial=-1)) + 1
    errors = np.zeros(1) if X.implementation_error is None else np.unique(X.implementation_error)
    tables = [path_table(s) for s in strategies]
    levels = [composed(t.p, float(error)) for t in tables for error in errors]
    first = np.cumsum([0, *(len(t.p) * len(errors) for t in tables)])
    choices = np.bincount(subjects, weights=X.n_rounds, minlength=n).astype(np.int64)
    dtype = np.int16 if choices.max(initial=0) < 1 << 15 else np.int32
    moves = np.zeros((n, int(first[-1])), dtype=dtype)
    in_order = (np.diff(subjects) >= 0).all()
    order = None if in_order else np.argsort(subjects, kind="stable")
    step = max(1, _CHUNK // max(1, X.shape[1]))
    gaps: list[Gaps] = []
    done = 0
    for rows, e in _chunks(X, order, step, errors):
        of, part = subjects[rows], X[rows]
        starts = np.flatnonzero(np.r_[True, np.diff(of) > 0])
        codes = case_codes(part.own, part.other, part.evidence_mask, part.decided)
        cases = np.ascontiguousarray(codes.T).astype(np.intp)
        for k, (s, table) in enumerate(zip(strategies, tables, strict=True)):
            counted, unknown = _along_paths(cases, table)
            if len(unknown):
                counted[unknown] = 0
                gaps.append(polynomials(cases[:, unknown], s, of[unknown], k, float(errors[e])))
            if len(starts) < len(of):
                counted = np.add.reduceat(counted, starts, axis=0)
            at = first[k] + e * len(table.p)
            moves[of[starts], at : at + len(table.p)] += counted.astype(dtype)
        done += len(part)
        update(done, len(X))
    return Counts(np.concatenate(levels), first, moves, choices, Gaps.join(gaps))


def _chunks(
    X: Trajectories, order: NDArray[np.intp] | None, step: int, errors: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.intp] | slice, int]]:
    """Rows of at most `step` trajectories of one implementation error, and the place of that error."""
    if X.implementation_error is None:
        for a in range(0, len(X), step):
            yield slice(a, a + step) if order is None else order[a : a + step], 0
        return
    every = np.arange(len(X)) if order is None else order
    for e, error in enumerate(errors):
        rows = every[X.implementation_error[every] == error]
        for a in range(0, len(rows), step):
            yield rows[a : a + step], e


def _along_paths(cases: NDArray[np.intp], table: PathTable) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Counts (n, m) of each history, and the histories with a move of unknown probability.

    Several counters share a 64-bit word, so that a round costs one addition per word.
    """
    horizon, n = cases.shape
    m = len(table.p)
    bits = 16 if horizon < 1 << 16 else 32
    per_word = 64 // bits
    column = table.column.reshape(-1)
    counted, slot = column != m, np.where(column == m + 1, m, column)
    one = np.uint64(1) << (bits * (slot % per_word)).astype(np.uint64)
    words = [
        np.where(counted & (slot // per_word == word), one, np.uint64(0)) for word in range(m // per_word + 1)
    ]
    follows = (table.next_set * CASES).reshape(-1)
    total = np.zeros((len(words), n), dtype=np.uint64)
    state: NDArray[np.intp] | None = None
    for t in range(horizon):
        key = cases[t] if state is None else state + cases[t]
        for word, increment in enumerate(words):
            total[word] += increment.take(key)
        if len(table.next_set) > 1:
            state = follows.take(key)
    mask = np.uint64((1 << bits) - 1)
    out = np.empty((n, m + 1), dtype=np.int64)
    for c in range(m + 1):
        out[:, c] = (total[c // per_word] >> np.uint64(bits * (c % per_word))) & mask
    return out[:, :m], np.flatnonzero(out[:, m])
