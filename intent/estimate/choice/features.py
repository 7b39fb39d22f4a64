"""The past of a move as numbers, for regression, trees and networks alike.

Before the move of round t stand: the round; own and other's moves of the last three rounds, alone and
jointly; how often each action was played so far; runs; first moves; how the player answered so far to what
happened in the last round; and the same of the subject's earlier games. Nothing of round t or later enters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import DataError
from intent.estimate.choice.choices import Choices

__all__ = [
    "Past",
    "bounded_play",
    "check_columns",
    "check_two_actions",
    "contexts",
    "drawn_subjects",
]

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Codes = NDArray[np.intp]
Moves = NDArray[np.int8]

LAGS = 3
_MOST_JOINT = 4
"""With more actions than these the last outcome is the other's move alone, since pairs would be too many."""

_CELLS_AT_ONCE = 1 << 24


def contexts(X: Choices) -> tuple[NDArray[np.int16], tuple[str, ...]]:
    """What happened in the round before each move.

    Returns
    -------
    codes : (n, T) int16 in 0 .. C - 1
        Joint outcomes, own move first, then ``first`` (no round before) and ``unknown``.
    names : C names
    """
    a = X.n_actions
    short = _shortened(X.actions)
    joint = a <= _MOST_JOINT
    names = _pairs(short) if joint else list(short)
    n, rounds = X.shape
    codes = np.full((n, rounds), len(names), dtype=np.int16)
    if rounds > 1:
        own, other = X.own[:, :-1].astype(np.int16), X.other[:, :-1].astype(np.int16)
        known = (other >= 0) & (own >= 0) if joint else other >= 0
        codes[:, 1:] = np.where(known, own * a + other if joint else other, len(names) + 1)
    return codes, (*names, "first", "unknown")


@dataclass(frozen=True, eq=False)
class Past:
    """Features of the past of every move of some choices, made a few rows at a time.

    Attributes
    ----------
    choices : Choices
    earlier : (n, e) float32
        What the earlier games of each row's subject say.
    by_context : (n, C, A) float32
        How often each action was chosen in each context, in the earlier games of the subject.
    names : p names of the columns
    free : (f,) int
        Columns of which none follows from others: those of the first action are left out, and the round.
    """

    choices: Choices
    earlier: Floats32
    by_context: Floats32
    names: tuple[str, ...]
    free: NDArray[np.intp]

    @classmethod
    def of(cls, X: Choices) -> Past:
        """The past of every move; rows of a subject stand in the order of play."""
        n, rounds = X.shape
        a = X.n_actions
        short = _shortened(X.actions)
        codes, names = contexts(X)
        single = len(np.unique(X.subject)) == n
        by_context = np.broadcast_to(np.zeros((1, len(names), a), dtype=np.float32), (n, len(names), a))
        if not single:
            in_context = np.zeros(by_context.shape)
            for t in range(rounds):
                row = np.flatnonzero(X.own[:, t] >= 0)
                in_context[row, codes[row, t], X.own[row, t]] += 1
            by_context = X.before(in_context).astype(np.float32)
        earlier_names, earlier = _earlier_games(X, short, single=single)
        within = _names_within(short, names)
        free = [i for i, (_, alone) in enumerate(within) if alone]
        free += [len(within) + i for i, name in enumerate(earlier_names) if _alone(name, short)]
        all_names = (*(name for name, _ in within), *earlier_names)
        return cls(X, earlier, by_context, all_names, np.array(free, dtype=np.intp))

    @classmethod
    def empty(cls, actions: tuple[str, ...]) -> Past:
        """Of no play: the names of the columns."""
        moves = np.zeros((0, 0), dtype=np.int8)
        return cls.of(Choices(moves, moves, moves, actions, np.zeros(0, dtype=np.intp)))

    def game(self, rows: Codes, own: Moves, other: Moves) -> Past:
        """The same, of games of some rows as far as they are known: (m, t) moves."""
        X = replace(self.choices[rows], own=own, other=other, chosen=own)
        return replace(self, choices=X, earlier=self.earlier[rows], by_context=self.by_context[rows])

    def rows(self, index: slice | NDArray[np.intp], *, last: bool = False) -> Floats32:
        """Features of some rows, (m, T, p) float32; with `last` of the last round alone, (m, 1, p)."""
        X = self.choices[index]
        within = _within(X, self.by_context[index], slice(-1, None) if last else slice(None))
        earlier = self.earlier[index]
        across = np.broadcast_to(earlier[:, None], (*within.shape[:2], earlier.shape[1]))
        return np.concatenate([within, across], axis=2)

    def chunks(self) -> Iterator[slice]:
        """Slices of rows whose features fit in memory together."""
        step = max(1, _CELLS_AT_ONCE // max(1, self.choices.shape[1] * len(self.names)))
        for start in range(0, len(self.choices), step):
            yield slice(start, min(start + step, len(self.choices)))


def _shortened(actions: tuple[str, ...]) -> tuple[str, ...]:
    """First letters in capitals where they differ, else the names."""
    letters = tuple(name[:1].upper() for name in actions)
    return letters if len(set(letters)) == len(actions) and all(letters) else actions


def _pairs(short: tuple[str, ...]) -> list[str]:
    """Names of joint outcomes, own move first."""
    between = "" if all(len(s) == 1 for s in short) else "-"
    return [own + between + other for own in short for other in short]


def _names_within(short: tuple[str, ...], context: tuple[str, ...]) -> list[tuple[str, bool]]:
    """Names of the columns of `_within`, each with whether it is one of `Past.free`."""
    a = len(short)
    alone = [True] * (a - 1)
    names = [("round", False), ("first round", True)]
    for lag in range(1, LAGS + 1):
        names += [(f"{who} {s} {lag} ago", s != short[0]) for who in ("own", "other") for s in short]
    if a <= _MOST_JOINT:
        free_pair = (short[0] not in (own, other) for own in short for other in short)
        pairs = list(zip(_pairs(short), free_pair, strict=True))
        for lag in (1, 2, 3) if a == 2 else (1,):
            names += [(f"{pair} {lag} ago", free) for pair, free in pairs]
    for who in ("own", "other"):
        names += zip((f"{who} rate of {s}" for s in short[1:]), alone, strict=True)
        names += [(f"{who} ever {s}", True) for s in short]
        names += [(f"{who} first {s}", s != short[0]) for s in short]
        names += [(f"{who} run of {s}", True) for s in short]
    names += [(f"own rate of {s} in this context", True) for s in short[1:]]
    names += [(f"own rate of {s} in this context, earlier games too", True) for s in short[1:]]
    return [*names, ("times in this context", True)]


def _alone(name: str, short: tuple[str, ...]) -> bool:
    """Whether a column of earlier games is one of `Past.free`."""
    return not any(name == f"{who} first move {short[0]}, last game" for who in ("own", "other"))


def _rates(counts: NDArray[np.floating]) -> Floats32:
    """Rates of all actions but the first, (..., A) -> (..., A - 1), one imagined move spread evenly."""
    a = counts.shape[-1]
    rates: Floats32 = ((counts[..., 1:] + 1 / a) / (counts.sum(-1, keepdims=True) + 1)).astype(np.float32)
    return rates


def _within(X: Choices, by_context: Floats32, of: slice) -> Floats32:
    """Features of the same game in some of its rounds, (n, rounds of them, p)."""
    n, rounds = X.shape
    a = X.n_actions
    context, names = contexts(X)
    at = np.broadcast_to(np.arange(1, rounds + 1, dtype=np.float32), (n, rounds))
    parts: list[NDArray[np.float32]] = []
    parts += [at[:, of, None], (at[:, of] == 1)[..., None].astype(np.float32)]
    moves = (X.own, X.other)
    shown = [(m[..., None] == np.arange(a)).astype(np.float32) for m in moves]
    for lag in range(1, LAGS + 1):
        parts += [_shifted(plane, lag)[:, of] for plane in shown]
    if a <= _MOST_JOINT:
        outcome = (context[..., None] == np.arange(a * a)).astype(np.float32)
        parts.append(outcome[:, of])
        parts += [_shifted(outcome, lag - 1)[:, of] for lag in (2, 3)] if a == 2 else []
    for move, plane in zip(moves, shown, strict=True):
        counts = _counts_before(plane, of)
        first = np.zeros((n, rounds, a), dtype=np.float32)
        first[:, 1:] = plane[:, :1]
        runs = np.log1p(_runs(move, a)[:, of])
        parts += [_rates(counts), (counts > 0).astype(np.float32), first[:, of], runs]
    here, both, visits = (np.empty((*at[:, of].shape, k), dtype=np.float32) for k in (a - 1, a - 1, 1))
    for c in range(len(names)):
        counts = _counts_before((context == c)[..., None] * shown[0], of)
        now = context[:, of] == c
        here[now] = _rates(counts[now])
        total = counts + by_context[:, None, c]
        both[now] = _rates(total[now])
        visits[now] = np.log1p(total[now].sum(-1, keepdims=True))
    return np.concatenate([*parts, here, both, visits], axis=2)


def _counts_before(plane: Floats32, of: slice) -> Floats32:
    """How often each action was met before some of the rounds."""
    counts: Floats32 = (np.cumsum(plane, axis=1) - plane)[:, of]
    return counts


def _shifted(plane: Floats32, lag: int) -> Floats32:
    """Values of some rounds ago, 0 before the first."""
    out = np.zeros_like(plane)
    if lag < plane.shape[1]:
        out[:, lag:] = plane[:, : plane.shape[1] - lag]
    return out


def _runs(moves: NDArray[np.int8], a: int) -> Floats32:
    """How long the same action has been played until the round before, by action: (n, T, A)."""
    n, rounds = moves.shape
    out = np.zeros((n, rounds, a), dtype=np.float32)
    for t in range(1, rounds):
        same = moves[:, t - 1, None] == np.arange(a)
        out[:, t] = np.where(same, out[:, t - 1] + 1, 0)
    return out


def _earlier_games(X: Choices, short: tuple[str, ...], *, single: bool) -> tuple[list[str], Floats32]:
    """What the earlier games of each row's subject say."""
    n, a = len(X), X.n_actions
    names = ["earlier games"]
    for who in ("own", "other"):
        for what in ("rate of {}, earlier games", "first move {}, earlier games", "rate of {}, last game"):
            names += [f"{who} " + what.format(s) for s in short[1:]]
        names += [f"{who} first move {s}, last game" for s in short]
    names.append("rounds of the last game")
    if single and n > 1:  # alike for all: what is said of the first game of a subject who returns
        return names, np.broadcast_to(_earlier_games(X[:1], short, single=True)[1], (n, len(names)))
    order = np.argsort(X.subject, kind="stable")
    last = np.full(n, -1, dtype=np.intp)
    follows = X.subject[order][1:] == X.subject[order][:-1]
    last[order[1:][follows]] = order[:-1][follows]
    met = (last >= 0)[:, None]
    columns: list[NDArray[np.floating]] = [np.log1p(X.before(np.ones(n)))[:, None]]
    for moves in (X.own, X.other):
        counts = np.stack([(moves == code).sum(1) for code in range(a)], axis=1).astype(float)
        first = (moves[:, :1] == np.arange(a)).astype(float) if moves.shape[1] else np.zeros((n, a))
        columns += [_rates(X.before(counts)), _rates(X.before(first))]
        columns += [_rates(counts[last] * met), first[last] * met]
    played = ((X.own >= 0) | (X.other >= 0)).sum(1)
    columns.append(np.log1p(played[last, None] * met))
    return names, np.concatenate(columns, axis=1).astype(np.float32)


def drawn_subjects(
    X: Choices, share: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows in two parts, the second of about a share of the subjects, all rows of a subject on one side."""
    names, codes = np.unique(X.subject, return_inverse=True)
    chosen = np.zeros(len(names), dtype=bool)
    size = min(max(1, round(share * len(names))), len(names) - 1)
    chosen[rng.permutation(len(names))[:size]] = True
    return np.flatnonzero(~chosen[codes]), np.flatnonzero(chosen[codes])


def bounded_play(X: Choices, most_moves: int, rng: np.random.Generator, notes: list[str]) -> Choices:
    """The play of subjects drawn at random, with about so many moves; a note says so."""
    if X.n_moves <= most_moves:
        return X
    _, rows = drawn_subjects(X, most_moves / X.n_moves, rng)
    part = X[rows]
    notes.append(f"learned from {part.n_moves:,} of {X.n_moves:,} moves, of subjects drawn at random")
    return part


def check_columns(used: Codes, size: int) -> None:
    """Refuse columns that a stored model cannot have.

    Raises
    ------
    DataError
    """
    if used.ndim != 1 or (len(used) and not 0 <= used.min() <= used.max() < size):
        raise DataError(f"the stored model uses columns that there are not, expected numbers below {size:,}")


def check_two_actions(X: Choices) -> None:
    """Refuse play that shows one action alone.

    Raises
    ------
    DataError
    """
    used = np.unique(X.chosen[X.counted])
    if len(used) < 2:
        only = X.actions[int(used[0])]
        raise DataError(f"all {X.n_moves:,} moves are {only!r}, expected two actions or more to tell apart")
