"""Noisy matches of one strategy against one opponent, many at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.play.opponents import Automaton, Recorded, SelfPlay
from intent.strategies.automaton import Strategy
from intent.strategies.noise import Noise, coin_flips
from intent.strategies.step import Stepper

__all__ = ["play_matches"]

Rounds = NDArray[np.uint8]


def play_matches(
    own: Rounds,
    other: Rounds,
    strategy: Strategy,
    against: Automaton | SelfPlay | Recorded,
    noise: Noise | NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    """Play `n` matches of `T` rounds, writing the realised moves into `own` and `other`.

    Each intended move is flipped with probability eps, independently. A loop over rounds only.

    Parameters
    ----------
    own, other : (T, n) uint8, written; 1 = cooperate (255 where a recorded opponent has no move)
    strategy : Strategy
    against : opponent
    noise : Noise, or (n, 2) float64 with eps of own and other per match
    rng : numpy Generator
    """
    horizon, n = own.shape
    own_flips = _flips(noise, 0, horizon, n, rng)
    me = Stepper(strategy, n)
    if isinstance(against, Recorded):
        _recorded(other, against, rng)
        rival = None
    else:
        rival_strategy = strategy if isinstance(against, SelfPlay) else against.strategy
        other_flips = _flips(noise, 1, horizon, n, rng)
        rival = Stepper(rival_strategy, n)
        if rival_strategy.n_states == 1:
            _memoryless(other, rival_strategy, other_flips, rng)
            rival = None
    if strategy.n_states == 1:
        _memoryless(own, strategy, own_flips, rng)
        if rival is None:
            return
    for t in range(horizon):
        if strategy.n_states > 1:
            intended = me.intended(rng)
            np.bitwise_xor(intended, own_flips[t], out=own[t]) if own_flips is not None else np.copyto(
                own[t], intended
            )
        if rival is not None:
            rival_intended = rival.intended(rng)
            np.bitwise_xor(
                rival_intended, other_flips[t], out=other[t]
            ) if other_flips is not None else np.copyto(other[t], rival_intended)
        if t + 1 == horizon:
            return
        if strategy.n_states > 1:
            seen = other[t]
            if isinstance(against, Recorded) and (seen > 1).any():
                seen = np.where(seen > 1, coin_flips(n, 0.5, rng), seen)
            me.advance(own[t], seen, intended)
        if rival is not None:
            rival.advance(other[t], own[t], rival_intended)


def _flips(
    noise: Noise | NDArray[np.float64], who: int, horizon: int, n: int, rng: np.random.Generator
) -> Rounds | None:
    """(T, n) flips of one player, None where there is no noise."""
    if isinstance(noise, Noise):
        eps = (noise.own, noise.other)[who]
        return coin_flips(horizon * n, eps, rng).reshape(horizon, n) if eps else None
    if not noise[:, who].any():
        return None
    return (rng.random((horizon, n)) < noise[:, who]).view(np.uint8)


def _memoryless(out: Rounds, s: Strategy, flips: Rounds | None, rng: np.random.Generator) -> None:
    p = s.p_cooperate[0]
    if p in (0.0, 1.0):
        if flips is None:
            out[:] = int(p)
        else:
            np.bitwise_xor(flips, np.uint8(p), out=out)
        return
    out[:] = coin_flips(out.size, p, rng).reshape(out.shape)
    if flips is not None:
        np.bitwise_xor(out, flips, out=out)


def _recorded(out: Rounds, against: Recorded, rng: np.random.Generator) -> None:
    horizon, n = out.shape
    rows = rng.integers(len(against.moves), size=n)
    width = min(horizon, against.moves.shape[1])
    out[:width] = against.moves[rows, :width].T.view(np.uint8)
    out[width:] = 255
