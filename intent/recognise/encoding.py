"""State-action encoding: each own move with the situation in which it was made.

The situation of a move is the outcome of the round before, from the agent's side (R = CC, S = CD,
T = DC, P = DD; the paper's encoding), whether the other had ever defected before that round, or "first
round". A memory-one strategy, and a trigger on the other's defection, is linear in these symbols.

The input of hidden Markov models: each own move as a symbol, with or without memory of a defection.

Feature matrices for classifiers that want a fixed number of columns.

Ragged sequences without holes: what is known of each row, moved to its left.

The events of a game as arrays of rounds by seats.

References
----------
The strategy-recognition paper of the FAIRGAME group, section 3.2.2 (R, S, T, P of round t-1; move of t).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import LimitError, RecogniserError, UnknownNameError, shorten
from intent.base.files import bounds
from intent.logs.gamelog import GameLog, Trajectories

__all__ = [
    "CONTEXTS",
    "ENCODINGS",
    "N_SYMBOLS",
    "N_SYMBOLS_CHOICES",
    "SYMBOLS",
    "UNDEFINED",
    "Encoding",
    "Features",
    "RoundArrays",
    "encode",
    "feature_names",
    "move_symbols",
    "pack_rows",
    "round_arrays",
    "situations",
    "symbols",
]


CONTEXTS = ("first", "R", "S", "T", "P", "R after other's defection", "T after other's defection")
"""Situations. After S and P the other has just defected, so an earlier defection adds nothing."""

SYMBOLS = tuple(f"{move} | {context}" for context in CONTEXTS for move in ("C", "D"))
"""Symbol ``2 * context + (own move is D)``."""

N_SYMBOLS = len(SYMBOLS)


def symbols(X: Trajectories) -> NDArray[np.int8]:
    """Symbol of every own move.

    Parameters
    ----------
    X : Trajectories of shape (n, T)

    Returns
    -------
    (n, T) int8, index into `SYMBOLS`, -1 where the move is no evidence or the situation unknown.
    """
    own, other, chosen = X.own, X.other, X.decisions
    n, horizon = X.shape
    out = np.full((n, horizon), -1, dtype=np.int8)
    triggered = np.zeros(n, dtype=bool)
    for t in range(horizon):
        if t == 0:
            context = np.zeros(n, dtype=np.int8)
        else:
            before_own, before_other = own[:, t - 1], other[:, t - 1]
            context = 4 - 2 * before_own - before_other
            context += np.where(triggered & (context == 1), np.int8(4), np.int8(0))
            context += np.where(triggered & (context == 3), np.int8(3), np.int8(0))
            context[(before_own < 0) | (before_other < 0)] = -1
            triggered |= before_other == 0
        known = X.evidence[:, t] & (context >= 0)
        out[:, t] = np.where(known, 2 * context + 1 - chosen[:, t], -1)
    return out


N_SYMBOLS_CHOICES = (10, 14)
"""10: own move after {nothing, R, S, T, P}; 14: R and T after an earlier defection of the other apart."""

_FOLDED = np.array([*range(10), 2, 3, 6, 7, -1], dtype=np.int8)
"""Symbol of 14 -> symbol of 10; the last entry answers -1."""


def move_symbols(X: Trajectories, n_symbols: int) -> NDArray[np.int8]:
    """Symbol ``2 * situation + (own move is D)`` of every own move.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    n_symbols : 10 or 14

    Returns
    -------
    (n, T) int8, -1 where the move is no evidence or its situation unknown.

    Raises
    ------
    RecogniserError
        Another number of symbols.
    """
    situations(n_symbols)
    moves = symbols(X)
    return moves if n_symbols == N_SYMBOLS else _FOLDED[moves]


def situations(n_symbols: int) -> tuple[str, ...]:
    """Names of the situations: "first", then the last outcome from the agent's side.

    Raises
    ------
    RecogniserError
        A number of symbols other than 10 and 14.
    """
    if type(n_symbols) is not int or n_symbols not in N_SYMBOLS_CHOICES:
        raise RecogniserError(f"symbols is {shorten(repr(n_symbols))}, expected 10 or 14")
    return CONTEXTS[: n_symbols // 2]


Features = NDArray[np.floating[Any]]


def _moves(X: Trajectories) -> Features:
    """One-hot of own and other moves per round: own C, own D, other C, other D (n, 4T)."""
    planes = [X.evidence & (X.decisions == 1), X.evidence & (X.decisions == 0), X.other == 1, X.other == 0]
    n, horizon = X.shape
    out = np.zeros((n, 4 * horizon), dtype=np.float32)
    for i, plane in enumerate(planes):
        out[:, i::4] = plane
    return out


def _outcomes(X: Trajectories) -> Features:
    """One-hot of the state-action symbol per round (n, 14T)."""
    n, horizon = X.shape
    moves = symbols(X)
    out = np.zeros((n, N_SYMBOLS * horizon), dtype=np.float32)
    for s in range(N_SYMBOLS):
        out[:, s::N_SYMBOLS] = moves == s
    return out


def _counts(X: Trajectories) -> Features:
    """How often each state-action symbol occurs (n, 14), whatever the length."""
    moves = symbols(X)
    return np.stack([(moves == s).sum(axis=1) for s in range(N_SYMBOLS)], axis=1).astype(np.float32)


def _first(X: Trajectories) -> Features:
    """One-hot of the first own move: C, D (n, 2)."""
    return _counts(X)[:, :2]


_OUTCOMES = {"CC": ("R", "R after other's defection"), "CD": ("S",), "DC": ("T", "T after other's defection")}
_OUTCOMES["DD"] = ("P",)
"""Joint outcome, own move first -> situations after it."""


def _rates(X: Trajectories) -> Features:
    """How often C was chosen: over all, and after each joint outcome; the other's share of C (n, 6)."""
    counts = _counts(X).astype(float).reshape(len(X), len(CONTEXTS), 2)
    chosen = X.evidence & (X.decisions == 1)
    pairs = [np.stack([chosen.sum(axis=1), X.n_rounds - chosen.sum(axis=1)], axis=1)]
    pairs += [counts[:, [CONTEXTS.index(c) for c in after]].sum(axis=1) for after in _OUTCOMES.values()]
    pairs += [np.stack([(X.other == 1).sum(axis=1), (X.other == 0).sum(axis=1)], axis=1)]
    cooperated, defected = np.stack(pairs, axis=2).transpose(1, 0, 2)
    total = cooperated + defected
    rates: Features = np.divide(cooperated, total, out=np.full(total.shape, np.nan), where=total > 0)
    return rates


def _runs(X: Trajectories) -> Features:
    """Longest run of C and of D, number of runs and their mean length; a gap ends a run (n, 4)."""
    n, horizon = X.shape
    longest, length = np.zeros((n, 2)), np.zeros(n)
    runs, before = np.zeros(n), np.full(n, -1, dtype=np.int8)
    for t in range(horizon):
        now = np.where(X.evidence[:, t], X.decisions[:, t], np.int8(-1))
        known, same = now >= 0, (now >= 0) & (now == before)
        length = np.where(same, length + 1, known.astype(float))
        runs += known & ~same
        for column, move in enumerate((1, 0)):
            longest[:, column] = np.maximum(longest[:, column], np.where(now == move, length, 0))
        before = now
    mean = np.divide(X.n_rounds, runs, out=np.zeros(n), where=runs > 0)
    return np.column_stack([longest, runs, mean])


@dataclass(frozen=True)
class Encoding:
    """A family of features of a trajectory.

    Attributes
    ----------
    columns : function of trajectories (n, T), gives (n, F), or (n, T F) where it goes by rounds
    names : F names of columns; of one round, where it goes by rounds
    by_round : bool
    """

    columns: Callable[[Trajectories], Features]
    names: tuple[str, ...]
    by_round: bool = False


ENCODINGS: dict[str, Encoding] = {
    "moves": Encoding(_moves, ("own C", "own D", "other C", "other D"), by_round=True),
    "outcomes": Encoding(_outcomes, SYMBOLS, by_round=True),
    "counts": Encoding(_counts, tuple(f"count of {s}" for s in SYMBOLS)),
    "first": Encoding(_first, ("first move C", "first move D")),
    "rates": Encoding(
        _rates, ("rate of C", *(f"rate of C after {o}" for o in _OUTCOMES), "rate of C of the other")
    ),
    "runs": Encoding(_runs, ("longest run of C", "longest run of D", "runs", "mean run")),
}
"""Name -> family. ``moves`` and ``outcomes`` have columns per round, the others fit any length."""

UNDEFINED = 0.5
"""A rate of something that never happened: as likely as not."""


def encode(
    X: Trajectories, encoding: str, rounds: int | None = None, *, undefined: float = UNDEFINED
) -> Features:
    """Feature matrix of an encoding.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    encoding : key of `ENCODINGS`
    rounds : int, optional
        Number of rounds of the columns of an encoding that has columns per round; further rounds are
        cut off, missing ones are zero. Default: T.
    undefined : float
        Stands for a rate of something that never happened.

    Raises
    ------
    UnknownNameError
        No such encoding.
    """
    if encoding not in ENCODINGS:
        raise UnknownNameError("encoding", encoding, ENCODINGS)
    family = ENCODINGS[encoding]
    if not family.by_round:
        features = family.columns(X)
        return np.where(np.isnan(features), undefined, features) if np.isnan(features).any() else features
    if rounds is None or rounds == X.shape[1]:
        return family.columns(X)
    if rounds < X.shape[1]:
        return family.columns(X.truncated(rounds))
    return np.pad(family.columns(X), ((0, 0), (0, (rounds - X.shape[1]) * len(family.names))))


def feature_names(encoding: str, rounds: int) -> list[str]:
    """Names of the columns that `encode` makes."""
    family = ENCODINGS[encoding]
    if not family.by_round:
        return list(family.names)
    return [f"round {t + 1}: {name}" for t in range(rounds) for name in family.names]


def pack_rows(codes: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
    """Known codes of each row in order, then -1.

    Parameters
    ----------
    codes : (n, T) int8, -1 where unknown

    Returns
    -------
    codes : (n, T) int8
    lengths : (n,), known codes of each row
    """
    known = codes >= 0
    lengths = known.sum(axis=1).astype(np.intp)
    if (known == (np.arange(codes.shape[1]) < lengths[:, None])).all():
        return codes, lengths
    order = np.argsort(~known, axis=1, kind="stable")
    return np.take_along_axis(codes, order, axis=1), lengths


@dataclass(frozen=True, eq=False)
class RoundArrays:
    """One game; row r - 1 is round r, column s - 1 is seat s.

    A log holds moves as events with round, step and seat, so that games in which some move, or one after
    another, fit it. Here every event stands at its place; who had no part in a round has step 0 in it.

    Attributes
    ----------
    step : (T, N) int, 1 = first of the round, 0 = the seat did not move
    action : (T, N) object, as the log has it; None where there is none
    value, payoff : (T, N) float, NaN where there is none
    """

    step: NDArray[np.intp]
    action: NDArray[np.object_]
    value: NDArray[np.float64]
    payoff: NDArray[np.float64]

    @property
    def moved(self) -> NDArray[np.bool_]:
        """(T, N) whether the seat was to move; its move may be missing."""
        moves: NDArray[np.bool_] = self.step > 0
        return moves


def round_arrays(log: GameLog) -> dict[str, RoundArrays]:
    """Every game of a log by its id.

    Parameters
    ----------
    log : GameLog
        Where a seat moves in several steps of a round, the first one counts.

    Raises
    ------
    LimitError
        Rounds times seats of a game go beyond the bound that protects memory.

    Examples
    --------
    >>> import numpy as np
    >>> from intent.agents.plan import parse_player
    >>> from intent.agents.table import scripted_table_player
    >>> from intent.gamma.catalogue import gamma_game
    >>> from intent.play.referee import play
    >>> from intent.play.match import Horizon
    >>> from intent.play.match import to_log
    >>> game = gamma_game("pirate", n_players=4)
    >>> seats = [scripted_table_player(parse_player("scripted/equilibrium"), game, s + 1) for s in range(4)]
    >>> (found,) = round_arrays(to_log([play(game, seats, Horizon(3), np.random.default_rng(0))])).values()
    >>> found.step.tolist(), found.action.tolist()
    ([[1, 2, 2, 2]], [['99,0,1,0', 'reject', 'accept', 'reject']])
    """
    moves = log.moves.sort_values("step", ascending=False, kind="stable")
    by_game = dict(iter(moves.groupby("game_id", sort=False, observed=True)))
    ids, seats = log.games["game_id"], log.games["n_players"]
    return {
        str(name): _arrays(str(name), by_game.get(name, moves.iloc[:0]), int(n))
        for name, n in zip(ids, seats, strict=True)
    }


def _arrays(name: str, moves: pd.DataFrame, n_players: int) -> RoundArrays:
    """The moves of one game, later steps first."""
    row, column = (moves[key].to_numpy(dtype=np.intp) - 1 for key in ("round", "seat"))
    shape = (int(row.max(initial=-1)) + 1, max(n_players, int(column.max(initial=-1)) + 1))
    if shape[0] * shape[1] > bounds().moves:
        raise LimitError(
            f"game {shorten(name)!r}: {shape[0]:,} rounds of {shape[1]:,} seats are more than "
            f"{bounds().moves:,} cells"
        )

    def laid(values: Any, empty: NDArray[Any]) -> NDArray[Any]:
        empty[row, column] = values
        return empty

    actions = np.array([x if isinstance(x, str) else None for x in moves["action"]], dtype=object)
    numbers = [moves[key].to_numpy(dtype=float, na_value=np.nan) for key in ("value", "payoff")]
    value, payoff = (laid(each, np.full(shape, np.nan)) for each in numbers)
    step = laid(moves["step"].to_numpy(dtype=np.intp), np.zeros(shape, dtype=np.intp))
    return RoundArrays(step, laid(actions, np.full(shape, None, dtype=object)), value, payoff)
