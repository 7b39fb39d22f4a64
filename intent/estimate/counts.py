"""Sufficient counts: how often each subject made a move to which a strategy gives probability p.

With tremble b a move of probability p has q = p (1 - b) + (1 - p) b, so the log-likelihood of a subject under
a strategy is the sum of its counts times log q. A deterministic strategy has two columns: matches (p = 1)
and mismatches (p = 0). The unit is the subject: the counts of all its games are added, and each game
starts the automaton anew.

A move is what the player decided. Where decisions are not recorded, and the game is known to flip them with
probability e, p (1 - e) + (1 - p) e stands for p, in columns of its own for each e.

Which moves of a history have a known probability: the automaton over sets of possible states.

An unknown move, or an intention that is hidden, leaves several states possible; a later outcome may lead all
of them to one state again (any automaton of memory one that listens to the other). The sets that can
arise are the states of another, deterministic automaton (the subset construction of Rabin & Scott 1959).
A move counts where all states of the set agree on its probability.

Histories whose state path is unknown: their likelihood as a polynomial in the tremble.

Every factor is p (1 - b) + (1 - p) b, so the likelihood of a history, summed over the paths that its gaps
leave open, is sum_x c_x b^x (1 - b)^(d - x) with coefficients c_x >= 0: x trembles among d moves. The
coefficients are found once, by the forward pass, and give likelihood and derivatives at any tremble. A known
implementation error between decision and play only changes the coefficients.

Among several others, who are known by how many of them cooperated, play is read once for every threshold.

Subjects with the same counts, and the same likelihoods where moves are unknown, are one pattern; patterns of
parts of a log become those of the whole in any order of the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError
from intent.logs.gamelog import Trajectories
from intent.strategies.catalogue import Strategy, outcome_code
from intent.strategies.likelihood import CASES, Case, case_codes, composed
from intent.strategies.sets import ThresholdStrategy

if TYPE_CHECKING:
    import pandas as pd


__all__ = [
    "CountedOthers",
    "Counts",
    "Gaps",
    "Play",
    "Player",
    "count_moves",
    "count_play",
    "distinct_rows",
    "merge_patterns",
    "patterns",
]


@dataclass(frozen=True, eq=False)
class PathTable:
    """The automaton over sets of states.

    Attributes
    ----------
    p : (m,) distinct probabilities that the strategy gives to a counted move
    next_set : (S, 18) next set
    column : (S, 18) index into p; m where no factor counts, m + 1 where its probability is unknown
    """

    p: NDArray[np.float64]
    next_set: NDArray[np.intp]
    column: NDArray[np.intp]


@lru_cache(maxsize=512)
def path_table(s: Strategy) -> PathTable:
    """Sets of states that can arise, in order of discovery, and what each round does to them."""
    sets = [frozenset([s.start])]
    follows: list[list[int]] = []
    factor: list[list[float | None]] = []
    for current in sets:
        row: list[int] = []
        known: list[float | None] = []
        for case in range(CASES):
            kind = Case.of(case)
            reached = _reached(s, current, kind.own, kind.other)
            if reached not in sets:
                sets.append(reached)
            row.append(sets.index(reached))
            chances = {s.p_cooperate[state] for state in current}
            if not kind.counts:
                known.append(None)
            elif len(chances) > 1:
                known.append(-1.0)
            else:
                p = chances.pop()
                known.append(p if kind.decided else 1 - p)
        follows.append(row)
        factor.append(known)
    levels = np.unique(np.array([f for row in factor for f in row if f is not None and f >= 0]))
    column = np.array(
        [
            [
                len(levels) if f is None else len(levels) + 1 if f < 0 else int(np.searchsorted(levels, f))
                for f in row
            ]
            for row in factor
        ]
    )
    return PathTable(levels, np.array(follows), column)


def _reached(s: Strategy, current: frozenset[int], mine: int, theirs: int) -> frozenset[int]:
    others = (0, 1) if theirs == 2 else (theirs,)
    states = set()
    for state in current:
        p = s.p_cooperate[state]
        if s.memory == "intended":
            remembered = [m for m in (0, 1) if (p if m else 1 - p) > 0]
        else:
            remembered = [mine] if mine < 2 else [0, 1]
        states |= {s.next_state[state][outcome_code(m, other)] for m in remembered for other in others}
    return frozenset(states)


Floats = NDArray[np.float64]
_NUMBERS = 1 << 21
"""Numbers held, or compared, at a time."""


@dataclass(frozen=True, eq=False)
class Gaps:
    """Likelihoods of U pairs of history and strategy.

    Attributes
    ----------
    row : (U,) subject
    strategy : (U,)
    degree : (U,) moves d
    fewest : (U,) least number of trembles x0
    coefficients : (U, D + 1) c_x0, c_x0+1, ... over their scale
    log_scale : (U,)
    """

    row: NDArray[np.intp]
    strategy: NDArray[np.intp]
    degree: NDArray[np.int64]
    fewest: NDArray[np.int64]
    coefficients: Floats
    log_scale: Floats

    def __len__(self) -> int:
        return len(self.row)

    def take(self, keep: NDArray[np.intp], row: NDArray[np.intp], strategy: NDArray[np.intp]) -> Gaps:
        """Those of the indices `keep`, with new subjects and strategies."""
        return Gaps(
            row, strategy, self.degree[keep], self.fewest[keep], self.coefficients[keep], self.log_scale[keep]
        )

    @classmethod
    def join(cls, parts: list[Gaps]) -> Gaps:
        """All of several."""
        width = max((p.coefficients.shape[1] for p in parts), default=1)
        wide = [np.pad(p.coefficients, ((0, 0), (0, width - p.coefficients.shape[1]))) for p in parts]

        def merged(name: str, dtype: type) -> NDArray[np.int64]:
            return np.concatenate([np.empty(0, dtype), *(getattr(p, name) for p in parts)])

        return cls(
            merged("row", np.intp),
            merged("strategy", np.intp),
            merged("degree", np.int64),
            merged("fewest", np.int64),
            np.concatenate([np.empty((0, width)), *wide]),
            np.concatenate([np.empty(0), *(p.log_scale for p in parts)]),
        )

    def moments(self, log_odds: Floats) -> tuple[Floats, Floats, Floats]:
        """Log-likelihood, its first and its second derivative by the log-odds of the tremble: three (B, U).

        With E over the trembles x given the history: E x - d b, and Var x - d b (1 - b).

        Parameters
        ----------
        log_odds : (B, U)
        """
        size = self.coefficients.shape[1] * len(log_odds)
        step = max(1, _NUMBERS // size)
        if len(self) > step:
            parts = [np.arange(a, min(a + step, len(self))) for a in range(0, len(self), step)]
            triples = [self.take(i, self.row[i], self.strategy[i]).moments(log_odds[:, i]) for i in parts]
            ll, slope, curve = (np.concatenate(values, axis=1) for values in zip(*triples, strict=True))
            return ll, slope, curve
        x = np.arange(self.coefficients.shape[1])
        terms = np.exp(x * log_odds[:, :, None]) * self.coefficients
        total = terms.sum(axis=2)
        mean = (terms @ x) / total
        spread = (terms @ (x * x)) / total - mean**2
        b = 1 / (1 + np.exp(-log_odds))
        ll = np.log(total) + self.log_scale + self.fewest * log_odds - self.degree * np.logaddexp(0, log_odds)
        return ll, mean + self.fewest - self.degree * b, spread - self.degree * b * (1 - b)


def polynomials(
    cases: NDArray[np.intp], s: Strategy, rows: NDArray[np.intp], strategy: int, error: float = 0.0
) -> Gaps:
    """Likelihood polynomials of histories under one strategy.

    Parameters
    ----------
    cases : (T, n), `case_codes` transposed
    rows : (n,) subject of each
    strategy : int, its index
    error : float in [0, .5), probability that the game flips a decision, where decisions are not recorded
    """
    horizon, n = cases.shape
    width = s.n_states * (horizon + 1)
    step = max(1, _NUMBERS // width)
    parts = [
        _polynomials(cases[:, a : a + step], s, rows[a : a + step], strategy, error)
        for a in range(0, n, step)
    ]
    return Gaps.join(parts)


def _polynomials(
    cases: NDArray[np.intp], s: Strategy, rows: NDArray[np.intp], strategy: int, error: float
) -> Gaps:
    horizon, n = cases.shape
    moves = {case: _moves(s, case, error) for case in range(CASES)}
    counts = np.array([Case.of(case).counts for case in range(CASES)])
    counted = np.logical_or.accumulate(counts[cases][::-1], axis=0)[::-1]
    alpha = np.zeros((n, s.n_states, horizon + 1))
    alpha[:, s.start, 0] = 1.0
    degree, log_scale = np.zeros(n, dtype=np.int64), np.zeros(n)
    for t in range(horizon):
        for case in np.unique(cases[t, counted[t]]):
            at = np.flatnonzero((cases[t] == case) & counted[t])
            before, after = alpha[at], np.zeros((len(at), s.n_states, horizon + 1))
            trembling, steps = moves[int(case)]
            for state, target, flip, weight in steps:
                after[:, target, flip:] += weight * before[:, state, : horizon + 1 - flip]
            scale = after.max(axis=(1, 2))
            alpha[at] = after / scale[:, None, None]
            log_scale[at] += np.log(scale)
            degree[at] += trembling
    coefficients = alpha.sum(axis=1)
    fewest = (coefficients > 0).argmax(axis=1)
    shift = np.minimum(np.arange(horizon + 1) + fewest[:, None], horizon)
    shifted = np.take_along_axis(coefficients, shift, axis=1)
    shifted[np.arange(horizon + 1) + fewest[:, None] > horizon] = 0.0
    return Gaps(rows, np.full(n, strategy), degree, fewest, shifted, log_scale)


def _moves(s: Strategy, case: int, error: float) -> tuple[int, list[tuple[int, int, int, float]]]:
    """Whether a tremble can show in this case, and its steps: state, next state, tremble, weight."""
    kind = Case.of(case)
    own, theirs = kind.own, kind.other
    hidden = s.memory == "intended"
    trembling = kind.counts or (own == 2 and not hidden)
    steps: dict[tuple[int, int, int], float] = {}
    for other in (0, 1) if theirs == 2 else (theirs,):
        half = 0.5 if theirs == 2 else 1.0
        for state, p in enumerate(s.p_cooperate):
            for intent, chance in ((0, 1 - p), (1, p)):
                for realised in (0, 1) if own == 2 else (own,):
                    if not trembling and own == 2 and realised != intent:
                        continue
                    remembered = intent if hidden else realised
                    target = s.next_state[state][outcome_code(remembered, other)]
                    emitted = realised if own == 2 else kind.decided
                    for flip in (0, 1) if trembling else (0,):
                        agrees = (emitted != intent) == bool(flip)
                        weight = 1.0 if not trembling else 1 - error if agrees else error
                        key = (state, target, flip)
                        steps[key] = steps.get(key, 0.0) + half * chance * weight
    return int(trembling), [(*key, weight) for key, weight in steps.items() if weight > 0]


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


@dataclass(frozen=True, eq=False)
class CountedOthers:
    """Own moves of n trajectories, and the number of others that cooperated.

    Attributes
    ----------
    own : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    giving : (n, T) int, others that are known to have cooperated
    silent : (n, T) int, others whose move is unknown
    evidence : (n, T) bool, own moves that count, or None: all that are known
    keys : one row per trajectory: game_id, seat and what describes them
    decided, implementation_error : as those of Trajectories
    """

    own: NDArray[np.int8]
    giving: NDArray[np.int32]
    silent: NDArray[np.int32]
    evidence: NDArray[np.bool_] | None = None
    keys: pd.DataFrame | None = None
    decided: NDArray[np.int8] | None = None
    implementation_error: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.own)

    @property
    def n_rounds(self) -> NDArray[np.int64]:
        """(n,), own moves that count as evidence."""
        counts: NDArray[np.int64] = (
            (self.own >= 0) & (True if self.evidence is None else self.evidence)
        ).sum(1)
        return counts

    def at_least(self, k: int) -> Trajectories:
        """The others as one player, who cooperated when at least `k` of them did.

        Others whose move is unknown leave that open only where they could make the difference.

        Parameters
        ----------
        k : int, at least 1
        """
        other = np.full(self.own.shape, -1, dtype=np.int8)
        other[self.giving >= k] = 1
        other[self.giving + self.silent < k] = 0
        return Trajectories(
            self.own,
            other,
            decided=self.decided,
            evidence=self.evidence,
            keys=self.keys,
            implementation_error=self.implementation_error,
        )

    def __getitem__(self, rows: Any) -> CountedOthers:
        return CountedOthers(
            self.own[rows],
            self.giving[rows],
            self.silent[rows],
            None if self.evidence is None else self.evidence[rows],
            None if self.keys is None else self.keys.iloc[rows].reset_index(drop=True),
            None if self.decided is None else self.decided[rows],
            None if self.implementation_error is None else self.implementation_error[rows],
        )


Play = Trajectories | CountedOthers
Player = Strategy | ThresholdStrategy


def count_play(X: Play, subjects: NDArray[np.intp], players: Sequence[Player]) -> Counts:
    """Counts of all subjects, as `count_moves`.

    Among several others each threshold reads them as one player of its own, and the counts of its strategies
    are those against that player.

    Parameters
    ----------
    X : Trajectories for strategies, CountedOthers for strategies with thresholds
    subjects : (N,) int in 0 .. n - 1, the subject of each trajectory
    players : K Strategy or ThresholdStrategy, in the order of the counts
    """
    if isinstance(X, Trajectories):
        return count_moves(X, subjects, [s for s in players if isinstance(s, Strategy)])
    thresholds = [s for s in players if isinstance(s, ThresholdStrategy)]
    ks = [1 if s.k is None else s.k for s in thresholds]
    order: list[int] = []
    parts: list[Counts] = []
    for k in sorted(set(ks)):
        own = [i for i, size in enumerate(ks) if size == k]
        parts.append(count_moves(X.at_least(k), subjects, [thresholds[i].strategy for i in own]))
        order += own
    return _side_by_side(parts).only(np.argsort(order).tolist())


def _side_by_side(parts: Sequence[Counts]) -> Counts:
    """Counts of the same subjects under the strategies of all parts."""
    columns = np.cumsum([0, *(len(c.p) for c in parts)])
    strategies = np.cumsum([0, *(c.n_strategies for c in parts)])
    first = np.concatenate([[0], *(c.first[1:] + start for c, start in zip(parts, columns, strict=False))])
    gaps = Gaps.join(
        [
            c.gaps.take(np.arange(len(c.gaps)), c.gaps.row, c.gaps.strategy + start)
            for c, start in zip(parts, strategies, strict=False)
        ]
    )
    moves = np.concatenate([c.moves for c in parts], axis=1)
    return Counts(np.concatenate([c.p for c in parts]), first, moves, parts[0].choices, gaps)


_FACTOR, _FINAL = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def distinct_rows(*blocks: NDArray[np.integer]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One place of each distinct row, and which of these each row is; distinct rows sorted by their columns.

    Rows are told apart by 64-bit hashes, which are then checked.

    Parameters
    ----------
    *blocks : (n, m) int each, columns that stand side by side

    Returns
    -------
    place : (d,) intp
    codes : (n,) intp; row i is the same as row ``place[codes[i]]``
    """
    n, width = len(blocks[0]), sum(block.shape[1] for block in blocks)
    if n < 2 or not width:
        return np.arange(min(n, 1)), np.zeros(n, dtype=np.intp)
    if n < width:
        return _by_bytes(blocks)
    codes = pd.factorize(_hashes(blocks))[0]
    place = np.flatnonzero(~pd.Series(codes).duplicated().to_numpy())
    step = max(1, _NUMBERS // max(width, 1))
    for a in range(0, n, step):
        same = place[codes[a : a + step]]
        if not all((block[same] == block[a : a + step]).all() for block in blocks):
            return _by_bytes(blocks)
    columns = [block[place, c] for block in blocks for c in range(block.shape[1])]
    order = np.lexsort(columns[::-1])
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return place[order], rank[codes]


def _hashes(blocks: Sequence[NDArray[np.integer]]) -> NDArray[np.uint64]:
    key = np.zeros(len(blocks[0]), dtype=np.uint64)
    for block in blocks:
        for c in range(block.shape[1]):
            key *= _FACTOR
            key ^= key >> np.uint64(29)
            key += block[:, c].astype(np.uint64) + np.uint64(1)
    key *= _FINAL
    return key


def _by_bytes(blocks: Sequence[NDArray[np.integer]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For few long rows: as bytes that sort like the numbers."""
    rows = np.concatenate([block.astype(np.int64) for block in blocks], axis=1)
    ordered = (rows.view(np.uint64) ^ np.uint64(1 << 63)).astype(">u8")
    written = [row.tobytes() for row in ordered]
    first: dict[bytes, int] = {}
    for i, row in enumerate(written):
        first.setdefault(row, i)
    rank = {row: i for i, row in enumerate(sorted(first))}
    place = np.array([first[row] for row in rank], dtype=np.intp)
    return place, np.array([rank[row] for row in written], dtype=np.intp)


_WIDEST = 1 << 15


def patterns(counts: Counts) -> tuple[Counts, NDArray[np.intp]]:
    """Counts of the distinct subjects, sorted, and which of them each subject is (n,)."""
    gaps, rank = _sorted(counts.gaps)
    place, pattern = distinct_rows(counts.moves, counts.choices[:, None], _listed(gaps, rank, len(counts)))
    moves = counts.moves[place]
    dtype = np.int16 if moves.max(initial=0) < _WIDEST else np.int32
    new = np.full(len(counts), -1)
    new[place] = np.arange(len(place))
    keep = np.flatnonzero(new[gaps.row] >= 0)
    keep = keep[np.argsort(new[gaps.row[keep]], kind="stable")]
    own = gaps.take(keep, new[gaps.row[keep]], gaps.strategy[keep])
    return Counts(counts.p, counts.first, moves.astype(dtype), counts.choices[place], own), pattern


def merge_patterns(parts: Sequence[Counts]) -> tuple[Counts, list[NDArray[np.intp]]]:
    """The patterns of several parts, and which of them each pattern of each part is."""
    whole, pattern = patterns(_stack_counts(parts))
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return whole, np.split(pattern, ends)


def _stack_counts(parts: Sequence[Counts]) -> Counts:
    """Counts of the subjects of several parts, one below the other."""
    starts = np.cumsum([0, *(len(part) for part in parts)])
    gaps = Gaps.join(
        [
            part.gaps.take(np.arange(len(part.gaps)), part.gaps.row + start, part.gaps.strategy)
            for part, start in zip(parts, starts, strict=False)
        ]
    )
    moves = np.concatenate([part.moves for part in parts])
    choices = np.concatenate([part.choices for part in parts])
    return Counts(parts[0].p, parts[0].first, moves, choices, gaps)


def _sorted(gaps: Gaps) -> tuple[Gaps, NDArray[np.intp]]:
    """Gaps by subject and content, without columns that hold nothing; the rank of each one's content."""
    width = max(1, int(np.flatnonzero(gaps.coefficients.any(axis=0)).max(initial=0)) + 1)
    coefficients = np.ascontiguousarray(gaps.coefficients[:, :width])
    facts = np.stack([gaps.strategy, gaps.degree, gaps.fewest, gaps.log_scale.view(np.int64)], axis=1)
    rank = distinct_rows(facts, coefficients.view(np.int64))[1]
    order = np.lexsort([rank, gaps.row])
    trimmed = Gaps(gaps.row, gaps.strategy, gaps.degree, gaps.fewest, coefficients, gaps.log_scale)
    return trimmed.take(order, gaps.row[order], gaps.strategy[order]), rank[order]


def _listed(gaps: Gaps, rank: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """Ranks (from 1) of the gaps of each subject, zeros after the last one."""
    number = np.bincount(gaps.row, minlength=n)
    start = np.cumsum(number) - number
    ranks = np.zeros((n, int(number.max(initial=0))), dtype=np.intp)
    ranks[gaps.row, np.arange(len(gaps)) - start[gaps.row]] = rank + 1
    return ranks
