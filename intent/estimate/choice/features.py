"""What is known before a move as numbers, for regression, trees and networks alike: its past, and covariates.

Before the move of round t stand: the round; own and other's moves of the last three rounds, alone and
jointly; how often each action was played so far; runs; first moves; how the player answered so far to what
happened in the last round; and the same of the subject's earlier games. Nothing of round t or later enters.

Covariates are coded as numbers by what the rows of a fit have, and what is odd about them is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError
from intent.estimate.choice.choices import Choices

__all__ = [
    "Coding",
    "Past",
    "bounded_play",
    "check_columns",
    "check_two_actions",
    "codes_of",
    "contexts",
    "covariate_notes",
    "drawn_subjects",
    "groups_apart",
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


@dataclass(frozen=True, eq=False)
class Coding:
    """Covariates as numbers, learned from the rows that a model is fitted to.

    A category of L levels becomes L columns of 0 and 1 (estimates are kept in place by a ridge, or by leaving
    one out: `free`); a number becomes one column in standard deviations from its mean. A level that was not
    met is 0 in all columns of its covariate, a number that is missing is the mean.

    Attributes
    ----------
    columns : covariates
    levels : column -> levels of a category; absent for numbers
    scales : column -> (mean, standard deviation) of a number
    """

    columns: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]
    scales: Mapping[str, tuple[float, float]]

    @classmethod
    def learn(cls, X: Choices) -> Coding:
        """From the covariates of some choices; none make an empty coding."""
        frame = X.covariates
        if frame is None:
            return cls((), {}, {})
        levels: dict[str, tuple[str, ...]] = {}
        scales: dict[str, tuple[float, float]] = {}
        for column in frame.columns:
            values = frame[column]
            if _is_number(values):
                numbers = values.astype(float)
                spread = float(numbers.std(ddof=0))
                scales[column] = (float(numbers.mean()), spread if spread > 0 else 1.0)
            else:
                levels[column] = tuple(sorted({str(v) for v in values.dropna().unique()}))
        return cls(tuple(frame.columns), levels, scales)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns that `code` makes, such as ``model=GPT4o``."""
        return tuple(name for column in self.columns for name in self.of(column))

    def of(self, column: str) -> tuple[str, ...]:
        """Names of the columns that `code` makes of one covariate."""
        return (
            tuple(f"{column}={level}" for level in self.levels[column])
            if column in self.levels
            else (column,)
        )

    @property
    def free(self) -> NDArray[np.intp]:
        """Columns that are left when the first level of every category is taken as reference."""
        reference = {f"{column}={levels[0]}" for column, levels in self.levels.items() if levels}
        return np.array([i for i, name in enumerate(self.names) if name not in reference], dtype=np.intp)

    def code(self, X: Choices) -> Floats:
        """(n, p) numbers.

        Raises
        ------
        DataError
            A covariate that the choices do not have.
        """
        parts = []
        for column in self.columns:
            values = self._column(X, column)
            if column in self.levels:
                places = {level: place for place, level in enumerate(self.levels[column])}
                codes = values.map(str, na_action="ignore").map(places).fillna(-1).to_numpy(dtype=float)
                parts.append((codes[:, None] == np.arange(len(places))).astype(float))
            else:
                mean, spread = self.scales[column]
                parts.append(((values.astype(float).fillna(mean) - mean) / spread).to_numpy()[:, None])
        return np.hstack(parts) if parts else np.zeros((len(X), 0))

    def settings(self, X: Choices) -> list[tuple[str, ...]]:
        """The combination of covariates of each row, as texts."""
        texts = [self._column(X, column).map(str, na_action="ignore").fillna("") for column in self.columns]
        return list(zip(*texts, strict=True)) if texts else [()] * len(X)

    def _column(self, X: Choices, column: str) -> pd.Series[Any]:
        if X.covariates is None or column not in X.covariates:
            raise DataError(f"the model knows covariate {column!r}, which these choices do not have")
        return X.covariates[column]

    def to_state(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "columns": list(self.columns),
            "levels": {c: list(v) for c, v in self.levels.items()},
            "scales": {c: list(v) for c, v in self.scales.items()},
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Coding:
        """Restore what `to_state` gave."""
        return cls(
            tuple(state["columns"]),
            {c: tuple(v) for c, v in state["levels"].items()},
            {c: (float(v[0]), float(v[1])) for c, v in state["scales"].items()},
        )


def codes_of(settings: Sequence[tuple[str, ...]], known: Mapping[tuple[str, ...], int]) -> NDArray[np.intp]:
    """Place of each setting among known ones, -1 for others."""
    return np.array([known.get(setting, -1) for setting in settings], dtype=np.intp)


def _is_number(values: pd.Series[Any]) -> bool:
    kind = values.dtype
    return bool(pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind))


def covariate_notes(X: Choices) -> list[str]:
    """What is odd about covariates: one value in all rows, or values that tell every move."""
    if X.covariates is None or not X.n_moves:
        return []
    coding = Coding.learn(X)
    row = np.flatnonzero(X.counted.any(axis=1))
    frame = X.covariates.iloc[row]
    tallies = np.stack([(X.chosen[row] == a).sum(1) for a in range(X.n_actions)], axis=1).astype(float)
    groups, n_met = groups_apart(coding, frame, tallies, 0.0), int(tallies.any(axis=0).sum())
    notes = []
    for column in coding.columns:
        if frame[column].nunique(dropna=column not in coding.levels) < 2:
            notes.append(f"covariate {column!r} is the same in all rows and tells nothing")
        elif n_met > 1 and groups[column] == n_met:
            notes.append(f"covariate {column!r} tells every move; is it the outcome itself?")
        elif column in coding.levels:
            counts = _by_level(coding.levels[column], frame[column], tallies)[:-1]
            notes += _sure_levels(column, coding.levels[column], counts, X.actions)
    return notes


_SEPARATED = 20
"""Moves from which on a level with one action alone is worth a line."""


def _sure_levels(column: str, levels: Sequence[str], counts: Floats, actions: Sequence[str]) -> list[str]:
    """A line where levels have one action alone; counts (L, A)."""
    sure = ((counts > 0).sum(1) == 1) & (counts.sum(1) >= _SEPARATED)
    if not sure.any():
        return []
    level = int(np.argmax(sure))
    others = f", as in {int(sure.sum()) - 1:,} more" if sure.sum() > 1 else ""
    return [
        f"{column}={levels[level]}: all {int(counts[level].sum()):,} moves are one action "
        f"({actions[int(counts[level].argmax())]}){others}; only shrinkage keeps estimates finite"
    ]


_NONE = 0.01


def groups_apart(coding: Coding, values: pd.DataFrame, kinds: Floats, least: float = _NONE) -> dict[str, int]:
    """Into how many groups the kinds fall so that no value of a covariate is met in two of them.

    Two groups or more are what is called separation: the likelihood rises for ever with the coefficients.

    Parameters
    ----------
    coding : Coding
    values : m rows
    kinds : (m, K) float, probability that a row is of each kind, or how often it is
    least : share of a value's rows from which on a kind is met there, beside half a row

    Returns
    -------
    covariate -> groups, those of kinds that are met; the ranges of a number are its values
    """
    met = kinds.sum(0) >= np.maximum(0.5, least * len(kinds))
    groups = {}
    for column in coding.columns:
        if column in coding.levels:
            counts = _by_level(coding.levels[column], values[column], kinds)
            there = counts >= np.maximum(0.5, least * counts.sum(1, keepdims=True))
            groups[column] = _n_joined(there[:, met])
            continue
        numbers = values[column].to_numpy(dtype=float)
        inside = np.isfinite(numbers)
        of = [numbers[inside & (kinds[:, k] > 0.5)] for k in np.flatnonzero(met)]
        ranges = sorted((float(v.min()), float(v.max())) for v in of if len(v))
        reach, n = -np.inf, 0
        for low, high in ranges:
            n += low > reach
            reach = max(reach, high)
        groups[column] = n
    return groups


def _n_joined(there: NDArray[np.bool_]) -> int:
    """Groups of the columns of (L, K) that share a row, directly or by others."""
    group = np.arange(there.shape[1])
    for row in there:
        together = group[row]
        if len(together):
            group[np.isin(group, together)] = together.min()
    return len(np.unique(group))


def _by_level(levels: Sequence[str], values: pd.Series[Any], kinds: Floats) -> Floats:
    """Sums of kinds (m, K) at each level, and last where it is missing: (L + 1, K)."""
    places = {level: place for place, level in enumerate(levels)}
    codes = values.map(str, na_action="ignore").map(places).fillna(len(levels)).to_numpy(dtype=np.intp)
    sums = np.zeros((len(levels) + 1, kinds.shape[1]))
    np.add.at(sums, codes, kinds)
    return sums
