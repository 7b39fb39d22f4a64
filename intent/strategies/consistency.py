"""How far a history is from what a strategy plays without noise, against the moves that were made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import StrategyError
from intent.strategies.automaton import Strategy, outcome_code
from intent.strategies.likelihood import checked_decisions, checked_moves, complete_rows

__all__ = ["deviations", "replay"]


Moves = NDArray[np.int8]
Mask = NDArray[np.bool_]
_IMPOSSIBLE = 1 << 20


def deviations(
    own: Moves, other: Moves, mask: Mask | None, strategies: Sequence[Strategy], decided: Moves | None = None
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


def _on_path(own: Moves, other: Moves, mask: Mask | None, s: Strategy, chosen: Moves) -> NDArray[np.int64]:
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


def _fewest(own: Moves, other: Moves, mask: Mask | None, s: Strategy, chosen: Moves) -> NDArray[np.int64]:
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


def replay(
    s: Strategy,
    other: NDArray[np.int8],
    eps: ArrayLike,
    rng: np.random.Generator,
    flipped: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
    """Noisy moves of a strategy against given moves of the other.

    An unknown move of the other counts as a fair coin, as in the likelihood.

    Parameters
    ----------
    s : Strategy
    other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    eps : float or (n,) in [0, .5), probability per move that the intended move is flipped
    rng : numpy Generator
    flipped : (T,) or (n, T) bool, optional
        Rounds in which the game plays the opposite of what is decided.

    Returns
    -------
    own : (n, T) int8, decided moves: those played, but for the rounds that the game flips
    states : (n, T), the state in which each was made
    """
    n, horizon = other.shape
    p, nxt = s.arrays()
    flat, noise = nxt.reshape(-1), np.asarray(eps, dtype=float)
    own = np.empty((n, horizon), dtype=np.int8)
    states = np.empty((n, horizon), dtype=np.intp)
    state = np.full(n, s.start, dtype=np.intp)
    for t in range(horizon):
        states[:, t] = state
        chance = p.take(state)
        if s.observed_path:
            realised = rng.random(n) < chance + noise * (1 - 2 * chance)
            remembered = realised if flipped is None else realised ^ flipped[..., t]
        else:
            remembered = rng.random(n) < chance
            realised = remembered ^ (rng.random(n) < noise)
        own[:, t] = realised
        seen = other[:, t]
        if (seen < 0).any():
            seen = np.where(seen < 0, rng.integers(0, 2, n, dtype=np.int8), seen)
        state = flat.take(state * 4 + 3 - 2 * remembered.astype(np.intp) - seen)
    return own, states
