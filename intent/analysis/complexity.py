"""How complex the play of a game looks: states of the simplest strategy that explains it best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories
from intent.recognise.sfem.counts import count_moves
from intent.strategies.automaton import Strategy

__all__ = ["matches", "states_needed"]


def matches(X: Trajectories, strategies: Sequence[Strategy]) -> NDArray[np.float64]:
    """Share of own moves that each strategy would have made, (n, K); NaN without moves.

    A strategy runs on the other's actual moves; whether its own past is its output or what was really played,
    its `memory` says (intended: its output). A move that it leaves open counts a half.

    Parameters
    ----------
    X : n trajectories
    strategies : K Strategy

    References
    ----------
    Romero & Rosokha 2018, European Economic Review 104:185 (its own output as its past).
    """
    counts = count_moves(X, np.arange(len(X)), strategies)
    agree = np.select([counts.p > 0.5, counts.p == 0.5], [1.0, 0.5], 0.0) * counts.moves
    shares = np.full((len(X), len(strategies)), np.nan)
    for k in range(len(strategies)):
        total = counts.moves[:, counts.columns(k)].sum(axis=1)
        np.divide(agree[:, counts.columns(k)].sum(axis=1), total, out=shares[:, k], where=total > 0)
    return shares


def states_needed(X: Trajectories, strategies: Sequence[Strategy]) -> NDArray[np.float64]:
    """(n,) states of the simplest among the strategies that match a trajectory best; NaN without moves.

    Play that always cooperates or always defects needs one state, Tit for Tat two, Grim after two defections
    three. Ties go to the smaller automaton, as what a simple one explains is no evidence of a complex one.

    Parameters
    ----------
    X : n trajectories
    strategies : K Strategy
    """
    shares = matches(X, strategies)
    sizes = np.array([len(s.p_cooperate) for s in strategies], dtype=float)
    known: NDArray[np.bool_] = np.asarray(np.isfinite(shares).any(axis=1))
    best = np.nanmax(np.where(known[:, None], shares, 0.0), axis=1)
    tied = np.where(shares >= best[:, None] - 1e-9, sizes, np.inf).min(axis=1)
    return np.where(known, tied, np.nan)
