"""Exact likelihood of a history under each strategy, from the same table that plays it.

With execution noise eps, state ``s`` cooperates with ``q = (1 - eps) p_s + eps (1 - p_s)``; the
log-likelihood of a history is the sum of ``log q`` or ``log (1 - q)`` along its state path (Dal Bó &
Fréchette 2011; Fudenberg, Rand & Dreber 2012).

Two routes give the same numbers. Where the history is complete the state path is known, and blocks
of rounds are looked up at once. Where moves are missing, or intentions are hidden, a forward pass carries the
distribution over states.

Where the game may flip a move between decision and play, what a strategy emits is the decision, and what the
state moves on is what was played (Fudenberg, Rand & Dreber 2012). An error of known rate e that no recorded
decision shows is one flip more: q' = (1 - e) q + e (1 - q), which is q at noise eps (1 - e) + (1 - eps) e.

How far a history is from what a strategy plays without noise is `deviations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import StrategyError
from intent.strategies.catalogue import Strategy, outcome_code

__all__ = [
    "CASES",
    "Case",
    "along_path",
    "case_codes",
    "checked_decisions",
    "checked_moves",
    "complete_rows",
    "composed",
    "cooperation_probability",
    "deviations",
    "filtered_cooperation",
    "forward_path",
    "log_likelihood",
    "log_likelihood_paths",
]


CASES = 24
"""Cases of a round: own move D, C (counted), -, D, C (not counted), unknown, D decided as C, C decided as D
(counted); by other's D, C, unknown."""


@dataclass(frozen=True)
class Case:
    """What is known of a round.

    Attributes
    ----------
    own : int, the realised own move, 1 = cooperate; 2: unknown
    decided : int, what the player decided; 2: unknown
    other : int, the other's realised move; 2: unknown
    counts : bool, whether the decision is evidence
    """

    own: int
    decided: int
    other: int
    counts: bool

    @classmethod
    def of(cls, code: int) -> Case:
        """The case of a code that `case_codes` makes."""
        mine, other = divmod(code, 3)
        own = mine % 3
        return cls(own, 1 - own if mine > 5 else own, other, mine < 2 or mine > 5)


def case_codes(own: Moves, other: Moves, mask: Mask | None, decided: Moves | None = None) -> Moves:
    """Case of every round, (n, T): (own, and 3 more where it does not count) * 3 + other; unknown is 2.

    A counted move that was decided otherwise than it was played has 6 more instead.

    Parameters
    ----------
    own, other, mask, decided
        As `intent.strategies.likelihood.log_likelihood`.
    """
    known = own >= 0
    mine = np.where(known, own, np.int8(2))
    mine = np.where(known if mask is None else mask & known, mine, mine + np.int8(3))
    if decided is not None:
        mine = np.where((mine < 2) & (decided >= 0) & (decided != own), mine + np.int8(6), mine)
    codes: Moves = mine * np.int8(3) + np.where(other < 0, np.int8(2), other)
    return codes


def forward_path(
    own: Moves,
    other: Moves,
    mask: Mask | None,
    s: Strategy,
    grid: Floats,
    last_only: bool = False,
    decided: Moves | None = None,
) -> Floats:
    """Log-likelihood after every round (n, T, E), or after the last only (n, 1, E).

    alpha_{t+1}(s') = sum_s alpha_t(s) P(decided_t | s) P(s' | s, own_t, other_t), where an unknown move is
    summed out: the own one with its probability, the other's with one half each.

    Parameters
    ----------
    own, other, mask, decided
        As `intent.strategies.likelihood.log_likelihood`.
    s : Strategy
    grid : (E,) in [0, .5), noises
    last_only : bool
    """
    n, horizon = own.shape
    case = case_codes(own, other, mask, decided)
    out = np.empty((n, 1 if last_only else horizon, len(grid)))
    if horizon == 0:
        return np.zeros((n, 1 if last_only else 0, len(grid)))
    for e, eps in enumerate(grid):
        weights = _case_weights(s, float(eps))
        alpha = np.zeros((n, s.n_states))
        alpha[:, s.start] = 1.0
        total = np.zeros(n)
        for t in range(horizon):
            for c in np.unique(case[:, t]):
                rows = case[:, t] == c
                alpha[rows] = alpha[rows] @ weights[c]
            norm = alpha.sum(axis=1)
            with np.errstate(divide="ignore"):
                total += np.log(norm)
            alpha /= np.where(norm > 0, norm, 1.0)[:, None]
            if not last_only:
                out[:, t, e] = total
        if last_only:
            out[:, 0, e] = total
    return out


def filtered_cooperation(
    own: Moves, other: Moves, mask: Mask | None, s: Strategy, eps: ArrayLike, decided: Moves | None = None
) -> Floats:
    """Probability that a strategy decides to cooperate, before every round, from the rounds before it.

    Its product over the decisions that count is the likelihood of `forward_path`.

    Parameters
    ----------
    own, other, mask, decided
        As `intent.strategies.likelihood.log_likelihood`.
    s : Strategy
    eps : float or (n,) in [0, .5), probability per move that the intended move is flipped

    Returns
    -------
    (n, T)
    """
    n, horizon = own.shape
    case = case_codes(own, other, mask, decided)
    noise = np.broadcast_to(np.asarray(eps, dtype=float), n)
    exact, flipped = np.zeros((2, CASES, s.n_states, s.n_states))
    for tables, extreme in ((exact, 0.0), (flipped, 1.0)):  # weights are linear in the noise between these
        for c, weights in _case_weights(s, extreme).items():
            tables[c] = weights
    p = s.arrays()[0]
    out = np.empty((n, horizon))
    step = max(1, _CHUNK // s.n_states**2)
    for first in range(0, n, step):
        rows = slice(first, first + step)
        own_noise = noise[rows, None]
        alpha = np.zeros((len(own_noise), s.n_states))
        alpha[:, s.start] = 1.0
        for t in range(horizon):
            q = alpha @ p
            out[rows, t] = q + own_noise[:, 0] * (1 - 2 * q)
            now = case[rows, t]
            ahead = (1 - own_noise) * (alpha[:, None] @ exact[now])[:, 0]
            ahead += own_noise * (alpha[:, None] @ flipped[now])[:, 0]
            norm = ahead.sum(axis=1, keepdims=True)
            alpha = ahead / np.where(norm > 0, norm, 1.0)
    return out


def _case_weights(s: Strategy, eps: float) -> dict[int, Floats]:
    """Transition weights (S, S) for each case of `forward_path`."""
    p, nxt = s.arrays()
    n = len(p)
    hidden = not s.observed_path

    def step(own: int, other: int, decided: int) -> Floats:
        """Weights for a counted own move and a known other move."""
        w = np.zeros((n, n))
        for state in range(n):
            for intent in (0, 1):
                chance = p[state] if intent else 1 - p[state]
                flip = (1 - eps) if decided == intent else eps
                remembered = intent if hidden else own
                w[state, nxt[state, outcome_code(remembered, other)]] += chance * flip
        return w

    def move(own: int, other: int) -> Floats:
        """Weights for an own move that is known but no evidence."""
        if hidden:
            return step(0, other, 0) + step(1, other, 1)
        w = np.zeros((n, n))
        w[np.arange(n), nxt[:, outcome_code(own, other)]] = 1.0
        return w

    cases: dict[int, Floats] = {}
    for own in (0, 1):
        for other in (0, 1):
            cases[own * 3 + other] = step(own, other, own)
            cases[(own + 3) * 3 + other] = move(own, other)
            cases[(own + 6) * 3 + other] = step(own, other, 1 - own)
    for other in (0, 1):
        cases[5 * 3 + other] = step(0, other, 0) + step(1, other, 1)
    for own in (0, 1, 3, 4, 5, 6, 7):
        cases[own * 3 + 2] = (cases[own * 3] + cases[own * 3 + 1]) / 2
    return cases


Moves = NDArray[np.int8]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

_CHUNK = 1 << 15
_TABLE_LIMIT = 1 << 14

_FEW = 256
"""Rows up to which all rounds of a block are coded at once."""


def cooperation_probability(p: Floats, eps: Floats) -> Floats:
    """Probability of a realised C per state and noise: (S,), (E,) -> (S, E)."""
    return (1 - eps) * p[:, None] + eps * (1 - p[:, None])


def log_likelihood(
    own: Moves,
    other: Moves,
    mask: Mask | None,
    strategies: Sequence[Strategy],
    eps: ArrayLike,
    *,
    decided: Moves | None = None,
    implementation_error: ArrayLike | None = None,
) -> Floats:
    """Log-likelihood of each history under each strategy.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    mask : (n, T) bool or None, True where the own move counts as evidence
        A move that does not count contributes no factor, but where its value is known the state still
        moves on it. None: every known own move counts.
    strategies : sequence of K `Strategy`
    eps : float or (E,) in [0, .5), probability per move that the intended move is flipped
    decided : (n, T) int8 or None
        What the player chose, where the game may have played something else; -1: what was played. It is
        the evidence; states move on `own`, or, with ``memory="intended"``, on the automaton's own intention.
    implementation_error : float or (n,) in [0, .5), or None
        Known probability that the game flips a decision, of histories whose decisions are not recorded.

    Returns
    -------
    (n, K) float64 for one eps, (n, K, E) for several; -inf where the history is impossible.

    Raises
    ------
    StrategyError
        A probability outside [0, .5), or arrays of different shape.

    References
    ----------
    Fudenberg, Rand & Dreber 2012, AER 102:720 (implementation errors, decisions recorded).
    """
    own, other, mask = checked_moves(own, other, mask)
    grid = np.atleast_1d(np.asarray(eps, dtype=float))
    if grid.ndim != 1 or not len(grid) or not ((grid >= 0) & (grid < 0.5)).all():
        raise StrategyError(f"eps is {grid.tolist()}, expected a probability in [0, .5)")
    decided = checked_decisions(own, mask, decided)
    if decided is not None or implementation_error is not None:
        result = _with_errors(own, other, mask, strategies, grid, decided, implementation_error)
        return result[:, :, 0] if np.ndim(eps) == 0 else result
    n = own.shape[0]
    out = np.empty((len(strategies), n, len(grid)))
    simple, padded = complete_rows(own, other, mask)
    direct = [s.observed_path for s in strategies]
    for k, s in enumerate(strategies):
        if not direct[k]:
            out[k] = forward_path(own, other, mask, s, grid, last_only=True)[:, -1]
        elif not simple.all():
            rows = np.flatnonzero(~simple)
            part_mask = None if mask is None else mask[rows]
            out[k, rows] = forward_path(own[rows], other[rows], part_mask, s, grid, last_only=True)[:, -1]
    chosen = [k for k in range(len(strategies)) if direct[k]]
    if mask is not None:
        # On the direct route no evidence follows a round without any, so such a round ends the history.
        own = np.where(mask, own, np.int8(-1))
    if chosen and simple.all():
        _blocks(own, other, padded, [strategies[k] for k in chosen], grid, [out[k] for k in chosen])
    elif chosen and simple.any():
        rows = np.flatnonzero(simple)
        part = np.empty((len(chosen), len(rows), len(grid)))
        _blocks(own[rows], other[rows], padded, [strategies[k] for k in chosen], grid, list(part))
        for k, values in zip(chosen, part, strict=True):
            out[k, rows] = values
    result = out.transpose(1, 0, 2)
    return result[:, :, 0] if np.ndim(eps) == 0 else result


def _with_errors(
    own: Moves,
    other: Moves,
    mask: Mask | None,
    strategies: Sequence[Strategy],
    grid: Floats,
    decided: Moves | None,
    implementation_error: ArrayLike | None,
) -> Floats:
    """`log_likelihood` (n, K, E) of games that may play other moves than were decided."""
    n = len(own)
    rate = 0.0 if implementation_error is None else implementation_error
    errors = np.broadcast_to(np.asarray(rate, dtype=float), n)
    if not ((errors >= 0) & (errors < 0.5)).all():
        raise StrategyError(f"implementation error is {errors.max()}, expected a probability in [0, .5)")
    plain = np.ones(n, dtype=bool) if decided is None else (decided == own).all(axis=1)
    out = np.empty((n, len(strategies), len(grid)))

    def some(rows: NDArray[np.intp]) -> tuple[Moves, Moves, Mask | None]:
        return own[rows], other[rows], None if mask is None else mask[rows]

    for error in np.unique(errors):
        noise = composed(grid, float(error))
        rows = np.flatnonzero((errors == error) & plain)
        if len(rows):
            out[rows] = log_likelihood(*some(rows), strategies, noise)
        rows = np.flatnonzero((errors == error) & ~plain)
        if not len(rows) or decided is None:
            continue
        simple = complete_rows(*some(rows))[0]
        for k, s in enumerate(strategies):
            known = simple & s.observed_path
            for part, score in ((rows[known], along_path), (rows[~known], _by_forward_pass)):
                if len(part):
                    out[part, k] = score(*some(part), s, noise, decided[part])
    return out


def _by_forward_pass(
    own: Moves, other: Moves, mask: Mask | None, s: Strategy, grid: Floats, decided: Moves
) -> Floats:
    return forward_path(own, other, mask, s, grid, last_only=True, decided=decided)[:, -1]


def along_path(
    own: Moves, other: Moves, mask: Mask | None, s: Strategy, grid: Floats, decided: Moves
) -> Floats:
    """Log-likelihood (n, E) of decisions whose states are known: those of `complete_rows`.

    Parameters
    ----------
    own, other, mask, decided
        As `log_likelihood`.
    s : Strategy
    grid : (E,) in [0, .5), noises
    """
    p, nxt = s.arrays()
    q = cooperation_probability(p, grid)
    with np.errstate(divide="ignore"):
        log_q = np.concatenate([np.log1p(-q), np.log(q), np.zeros((1, len(grid)))])
    counts = own >= 0 if mask is None else mask & (own >= 0)
    nothing, flat = len(log_q) - 1, nxt.reshape(-1)
    state = np.full(len(own), s.start, dtype=np.intp)
    total = np.zeros((len(own), len(grid)))
    for t in range(own.shape[1]):
        total += log_q.take(np.where(counts[:, t], decided[:, t] * np.intp(len(p)) + state, nothing), axis=0)
        outcome = 3 - 2 * np.maximum(own[:, t], 0).astype(np.intp) - np.maximum(other[:, t], 0)
        state = flat.take(state * 4 + outcome)
    return total


def composed(eps: Floats, error: float | Floats) -> Floats:
    """Probability that exactly one of two independent flips occurs: eps (1 - e) + (1 - eps) e."""
    return eps * (1 - error) + (1 - eps) * error if np.any(error) else eps


def checked_decisions(own: Moves, mask: Mask | None, decided: Moves | None) -> Moves | None:
    """Decisions (n, T), own moves where they are unknown or no evidence; None where all are the own moves.

    Raises
    ------
    StrategyError
        An array of another shape than `own`.
    """
    if decided is None:
        return None
    decided = np.asarray(decided, dtype=np.int8)
    if decided.shape != own.shape:
        raise StrategyError(f"decided has shape {decided.shape}, expected that of own, {own.shape}")
    known = (own >= 0) & (decided >= 0) if mask is None else (own >= 0) & (decided >= 0) & mask
    decided = np.where(known, decided, own)
    return None if (decided == own).all() else decided


def checked_moves(own: Moves, other: Moves, mask: Mask | None) -> tuple[Moves, Moves, Mask | None]:
    """Moves as int8 arrays of one shape (n, T), as the mask has it.

    Raises
    ------
    StrategyError
        Arrays of different shape.
    """
    own, other = np.asarray(own, dtype=np.int8), np.asarray(other, dtype=np.int8)
    if own.ndim != 2 or own.shape != other.shape or (mask is not None and mask.shape != own.shape):
        shapes = [own.shape, other.shape, None if mask is None else mask.shape]
        raise StrategyError(f"own, other and mask have shapes {shapes}, expected one (n, T)")
    return own, other, mask


def complete_rows(own: Moves, other: Moves, mask: Mask | None) -> tuple[Mask, bool]:
    """Rows whose known rounds form a prefix of full evidence, and whether any of them ends early."""
    n = own.shape[0]
    if mask is None and (own.size == 0 or min(own.min(), other.min()) >= 0):
        return np.ones(n, dtype=bool), False
    known = (own >= 0) & (other >= 0)
    if mask is not None:
        known &= mask
    counts = own >= 0 if mask is None else mask & (own >= 0)
    prefix = np.logical_and.accumulate(known, axis=1)
    simple: Mask = np.logical_not((counts & ~prefix).any(axis=1))
    return simple, True


@lru_cache(maxsize=512)
def _tables(s: Strategy, grid: tuple[float, ...], rounds: int, base: int) -> tuple[NDArray[np.intp], Floats]:
    """Next state (S * base**rounds,) and log-likelihood (S * base**rounds, E) of a block of rounds.

    A block is a number in base 4 (or 5, the fifth symbol being "not played"), first round first.
    """
    p, nxt = s.arrays()
    n = len(p)
    q = cooperation_probability(p, np.array(grid))
    with np.errstate(divide="ignore"):
        log_c, log_d = np.log(q), np.log1p(-q)
    one_next = np.concatenate([nxt, np.arange(n)[:, None]], axis=1)[:, :base]
    one_ll = np.stack([log_c, log_c, log_d, log_d, np.zeros_like(log_c)], axis=1)[:, :base]
    next_state, ll = np.arange(n)[:, None], np.zeros((n, 1, len(grid)))
    for _ in range(rounds):
        ll = (ll[:, :, None] + one_ll[next_state]).reshape(n, -1, len(grid))
        next_state = one_next[next_state].reshape(n, -1)
    return next_state.reshape(-1), ll.reshape(-1, len(grid))


def _blocks(
    own: Moves,
    other: Moves,
    padded: bool,
    strategies: Sequence[Strategy],
    grid: Floats,
    out: Sequence[Floats],
) -> None:
    """Write log-likelihoods of complete histories into `out` (K arrays (n, E)), block by block."""
    n, horizon = own.shape
    base = 5 if padded else 4
    width = max(s.n_states for s in strategies)
    rounds = max(1, int(np.log(_TABLE_LIMIT / width) / np.log(base)))
    rounds = min(rounds, 5)
    edges = [(t, min(t + rounds, horizon)) for t in range(0, horizon, rounds)]
    eps = tuple(float(e) for e in grid)
    chunk = max(1, _CHUNK // len(grid))
    for first in range(0, n, chunk):
        part = slice(first, min(first + chunk, n))
        symbols = [_symbols(own[part, a:b], other[part, a:b], base) for a, b in edges]
        for s, target in zip(strategies, out, strict=True):
            total = target[part]
            state: NDArray[np.intp] | None = None
            for i, ((a, b), symbol) in enumerate(zip(edges, symbols, strict=True)):
                next_state, ll = _tables(s, eps, b - a, base)
                size = base ** (b - a)
                came_from = s.start if state is None else state
                key = symbol if s.n_states == 1 else symbol + came_from * size
                if len(grid) == 1:
                    if i == 0:
                        np.take(ll[:, 0], key, out=total[:, 0], mode="clip")
                    else:
                        total[:, 0] += ll[:, 0].take(key)
                elif i == 0:
                    total[:] = ll.take(key, axis=0)
                else:
                    total += ll.take(key, axis=0)
                if s.n_states > 1 and i + 1 < len(edges):
                    state = next_state.take(key)
            if not edges:
                total[:] = 0.0


def _symbols(own: Moves, other: Moves, base: int) -> NDArray[np.intp]:
    """One number per row for a block of rounds."""
    if len(own) <= _FEW:
        return _symbols_of_few(own, other, base)
    code = np.zeros(own.shape[0], dtype=np.int16)
    ended = np.zeros(own.shape[0], dtype=bool)
    for t in range(own.shape[1]):
        a, b = own[:, t], other[:, t]
        one = np.int8(3) - a - a - b
        if base == 5:
            ended |= (a < 0) | (b < 0)
            one = np.where(ended, np.int8(4), one)
        code *= base
        code += one
    return code.astype(np.intp)


def _symbols_of_few(own: Moves, other: Moves, base: int) -> NDArray[np.intp]:
    """The same of few rows, where it is the number of steps that costs: all rounds of the block at once."""
    codes = np.int8(3) - own - own - other
    if base == 5:
        codes[np.logical_or.accumulate((own < 0) | (other < 0), axis=1)] = 4
    return codes @ base ** np.arange(own.shape[1], dtype=np.intp)[::-1]


def log_likelihood_paths(
    own: Moves, other: Moves, mask: Mask | None, strategies: Sequence[Strategy], eps: ArrayLike
) -> Floats:
    """Log-likelihood of the first t moves, for every t.

    Parameters
    ----------
    own, other, mask, strategies, eps
        As `intent.strategies.likelihood.log_likelihood`.

    Returns
    -------
    (n, T, K) float64 for one eps, (n, T, K, E) for several

    Raises
    ------
    StrategyError
        Arrays of different shape.

    Notes
    -----
    Where all moves are known the state path is followed and logs are added up along it; else, and where
    intentions are hidden, the forward pass carries the distribution over states.
    """
    own, other, mask = checked_moves(own, other, mask)
    grid = np.atleast_1d(np.asarray(eps, dtype=float))
    complete = mask is None and (own.size == 0 or min(own.min(), other.min()) >= 0)
    outcome = (3 - 2 * own - other).astype(np.intp) if complete else None
    out = np.empty((*own.shape, len(strategies), len(grid)))
    for k, s in enumerate(strategies):
        if outcome is not None and s.observed_path:
            np.cumsum(_along_the_path(own, outcome, s, grid), axis=1, out=out[:, :, k])
        else:
            out[:, :, k] = forward_path(own, other, mask, s, grid)
    return out[:, :, :, 0] if np.ndim(eps) == 0 else out


def _along_the_path(own: Moves, outcome: NDArray[np.intp], s: Strategy, grid: Floats) -> Floats:
    """Log-probability of each move (n, T, E) of complete histories."""
    p, nxt = s.arrays()
    q = cooperation_probability(p, grid)
    with np.errstate(divide="ignore"):
        log_q = np.concatenate([np.log1p(-q), np.log(q)])
    n, horizon = own.shape
    code = np.empty((n, horizon), dtype=np.intp)
    state = np.full(n, s.start, dtype=np.intp)
    flat = nxt.reshape(-1)
    for t in range(horizon):
        code[:, t] = own[:, t].astype(np.intp) * len(p) + state
        if s.n_states > 1:
            state = flat.take(state * 4 + outcome[:, t])
    return log_q.take(code, axis=0)


_IMPOSSIBLE = 1 << 20


def deviations(
    own: Moves,
    other: Moves,
    mask: Mask | None,
    strategies: Sequence[Strategy],
    decided: Moves | None = None,
) -> NDArray[np.int64]:
    """Fewest deviations from a strategy that explain each history.

    A deviation is a decision that the strategy never intends in its state. On a complete history the
    state path is known and they are counted along it. Where moves are unknown, the values that need the
    fewest deviations are assumed: zero means that the history is possible at eps 0.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    mask : (n, T) bool or None, True where the own move counts as evidence
        A move that does not count is no deviation, though the state moves on it.
    strategies : sequence of K `Strategy`
    decided : (n, T) int8 or None
        What the player chose, where the game may have played something else; -1: what was played.

    Returns
    -------
    (n, K) int64

    Raises
    ------
    StrategyError
        A stochastic strategy that remembers its hidden intentions has no known state path.
    """
    own, other, mask = checked_moves(own, other, mask)
    hidden = [s.name for s in strategies if not s.observed_path]
    if hidden:
        raise StrategyError(f"{hidden[0]}: deviations are not defined for hidden intentions")
    counts = np.zeros((own.shape[0], len(strategies)), dtype=np.int64)
    simple, _ = complete_rows(own, other, mask)
    chosen = checked_decisions(own, mask, decided)
    chosen = own if chosen is None else chosen
    full, gaps = np.flatnonzero(simple), np.flatnonzero(~simple)
    for k, s in enumerate(strategies):
        if len(full) == len(own):
            counts[:, k] = _on_path(own, other, mask, s, chosen)
            continue
        counts[full, k] = _on_path(
            own[full], other[full], None if mask is None else mask[full], s, chosen[full]
        )
        counts[gaps, k] = _fewest(
            own[gaps], other[gaps], None if mask is None else mask[gaps], s, chosen[gaps]
        )
    return counts


def _on_path(
    own: Moves,
    other: Moves,
    mask: Mask | None,
    s: Strategy,
    chosen: Moves,
) -> NDArray[np.int64]:
    """Deviations along the known path; nothing counts after the last known round."""
    p, nxt = s.arrays()
    never = np.concatenate([p == 1, p == 0])
    flat = nxt.reshape(-1)
    state = np.full(len(own), s.start, dtype=np.intp)
    count = np.zeros(len(own), dtype=np.int64)
    for t in range(own.shape[1]):
        a, b = own[:, t], other[:, t]
        counted = a >= 0 if mask is None else mask[:, t] & (a >= 0)
        mine, theirs = np.maximum(a, 0).astype(np.intp), np.maximum(b, 0).astype(np.intp)
        count += counted & never.take(np.maximum(chosen[:, t], 0).astype(np.intp) * len(p) + state)
        state = flat.take(state * 4 + 3 - 2 * mine - theirs)
    return count


def _fewest(
    own: Moves,
    other: Moves,
    mask: Mask | None,
    s: Strategy,
    chosen: Moves,
) -> NDArray[np.int64]:
    """Fewest deviations over all values of unknown moves: a shortest path through the states."""
    p, nxt = s.arrays()
    never = np.stack([p == 1, p == 0]).astype(np.int64)
    n = len(own)
    cost = np.full((n, len(p)), _IMPOSSIBLE, dtype=np.int64)
    cost[:, s.start] = 0
    for t in range(own.shape[1]):
        a, b = own[:, t], other[:, t]
        free = np.zeros(n, dtype=bool) if mask is None else ~mask[:, t] & (a >= 0)
        reached = np.full_like(cost, _IMPOSSIBLE)
        for mine in (0, 1):
            decision = np.where(a < 0, mine, chosen[:, t])
            step = np.where(free[:, None], cost, cost + never[decision])
            for theirs in (0, 1):
                rows = ((a == mine) | (a < 0)) & ((b == theirs) | (b < 0))
                target = nxt[:, outcome_code(mine, theirs)]
                for state in range(len(p)):
                    better = np.where(rows, step[:, state], _IMPOSSIBLE)
                    np.minimum(reached[:, target[state]], better, out=reached[:, target[state]])
        cost = reached
    fewest: NDArray[np.int64] = cost.min(axis=1)
    return fewest
