"""Behaviour metrics of repeated games: niceness, retaliation, forgiveness, and the like.

Moves are m (own) and o (the other's), 1 = cooperation, 0 = defection, -1 = unknown, in rounds i = 1..n. Every
metric is a ratio and comes with numerator and denominator, since 0 stands for "never" as well as for "no
occasion", as in the literature. An unknown move gives no occasion: whatever a definition asks of a move holds
only of a known one. Rounds behind the end of a shorter game are unknown on both sides, so they give none.

References
----------
Fontana et al. 2024, Nicer Than Humans, arXiv:2406.13605; Cremonini 2025, The Agent's Dilemma, §2.4.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.errors import DataError

__all__ = [
    "METRICS",
    "Metric",
    "cooperation_rate",
    "emulation",
    "end_effect",
    "first_move",
    "forgiveness",
    "mutual_cooperation",
    "niceness",
    "retaliation",
    "troublemaking",
]

Moves = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Metric:
    """A ratio per trajectory.

    Parameters
    ----------
    value : (n,) float, hits / occasions; 0 without occasions, NaN where no own move is known
    hits, occasions : (n,) int64
    """

    value: NDArray[np.float64]
    hits: NDArray[np.int64]
    occasions: NDArray[np.int64]


def cooperation_rate(own: Moves, other: Moves) -> Metric:
    """Share of own moves that cooperate, #C / n.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, _ = _by_round(own, other)
    return _share(own, _count(m == 1), _count(m >= 0))


def niceness(own: Moves, other: Moves) -> Metric:
    """1 where the player did not defect before the other had, nor in the same round; else 0.

    Of the known moves, in rounds 1..n: m_i = D comes first -> 0; o_i = D comes first -> 1; neither -> 1.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, o = _by_round(own, other)
    played = _count(m >= 0) > 0
    nice, open_ = played.copy(), played.copy()
    for mine, theirs in zip(m, o, strict=True):
        nice &= ~(open_ & (mine == 0))
        open_ &= (mine != 0) & (theirs != 0)
    return _share(own, nice.astype(np.int64), played.astype(np.int64))


def troublemaking(own: Moves, other: Moves) -> Metric:
    """Uncalled-for defections over occasions to make trouble: round 1, and the round after each o_i = C.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, o = _by_round(own, other)
    first, then, offered = m[:1], m[1:], o[:-1] == 1
    hits = _count(first == 0) + _count(offered & (then == 0))
    return _share(own, hits, _count(first >= 0) + _count(offered & (then >= 0)))


def retaliation(own: Moves, other: Moves) -> Metric:
    """Provocations that the player answers with D over all: o_i = D, i < n, where i = 1 or m_{i-1} = C.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, o = _by_round(own, other)
    answer, provoked = m[1:], o[:-1] == 0
    provoked[1:] &= m[:-2] == 1
    return _share(own, _count(provoked & (answer == 0)), _count(provoked & (answer >= 0)))


def forgiveness(own: Moves, other: Moves) -> Metric:
    """Grudges given up over grudges and offers refused.

    A grudge begins with a defection of the other. In every round, in this order: (a) m_i = C ends a grudge:
    forgiven; (b) where a grudge lasts and i < n, o_i = C that is answered by m_{i+1} = D is a penalty; (c)
    where there is no grudge, o_i = D begins one. Forgiven / (grudges + penalties). Defections during a grudge
    begin no other one; a grudge that begins in the last round counts.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    forgiven, occasions = _zeros(own), _zeros(own)
    grudge = np.zeros(len(own), dtype=bool)
    m, o = _by_round(own, other)
    for i in range(len(m)):
        ends = grudge & (m[i] == 1)
        forgiven += ends
        grudge &= ~ends
        if i + 1 < len(m):
            occasions += grudge & (o[i] == 1) & (m[i + 1] == 0)
        begins = (o[i] == 0) & ~grudge
        occasions += begins
        grudge |= begins
    return _share(own, forgiven, occasions)


def emulation(own: Moves, other: Moves) -> Metric:
    """Share of own moves from round 2 that repeat the other's last, #{i >= 2: m_i = o_{i-1}} / (n - 1).

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, o = _by_round(own, other)
    both = (m[1:] >= 0) & (o[:-1] >= 0)
    return _share(own, _count(both & (m[1:] == o[:-1])), _count(both))


def mutual_cooperation(own: Moves, other: Moves) -> Metric:
    """Share of rounds in which both cooperate, of those in which both moves are known; NaN without any.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, o = _by_round(own, other)
    found = _share(own, _count((m == 1) & (o == 1)), _count((m >= 0) & (o >= 0)))
    return Metric(np.where(found.occasions > 0, found.value, np.nan), found.hits, found.occasions)


def first_move(own: Moves, other: Moves) -> Metric:
    """1 where the move of round 1 cooperates, 0 where it defects, NaN where it is unknown.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    first = _by_round(own, other)[0][:1]
    found = _share(own, _count(first == 1), _count(first >= 0))
    return Metric(np.where(found.occasions > 0, found.value, np.nan), found.hits, found.occasions)


def end_effect(own: Moves, other: Moves, lengths: NDArray[np.integer] | None = None) -> Metric:
    """Share of cooperation in the last two rounds minus that in all before.

    NaN for games of fewer than four rounds, and where no own move is known in one of the two parts.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    lengths : (n,) int, optional
        Rounds of each game; default: up to the last one of which anything is known.

    Returns
    -------
    Metric
        Occasions are the own moves in the last two rounds, hits those of them that cooperate.
    """
    m, o = _by_round(own, other)
    rounds = np.arange(1, len(m) + 1)[:, None]
    if lengths is None:
        lengths = np.max(np.where((m >= 0) | (o >= 0), rounds, 0), axis=0, initial=0)
    last = np.asarray(lengths)
    late, early = (rounds > last - 2) & (rounds <= last), rounds <= last - 2
    hits, occasions = _count(late & (m == 1)), _count(late & (m >= 0))
    before, n_before = _count(early & (m == 1)), _count(early & (m >= 0))
    known = (last >= 4) & (occasions > 0) & (n_before > 0)
    value = hits / np.maximum(occasions, 1) - before / np.maximum(n_before, 1)
    return Metric(np.where(known, value, np.nan), hits, occasions)


METRICS = {
    f.__name__: f for f in (cooperation_rate, niceness, forgiveness, retaliation, troublemaking, emulation)
}
"""The six metrics of the literature, in the order of the codebook."""


def _by_round(own: Moves, other: Moves) -> tuple[Moves, Moves]:
    """Both as (T, n), which is faster to count over rounds."""
    if own.ndim != 2 or own.shape != other.shape:
        raise DataError(f"own has shape {own.shape} and other {other.shape}, expected (n, T) of both")
    return np.ascontiguousarray(own.T), np.ascontiguousarray(other.T)


def _zeros(own: Moves) -> NDArray[np.int64]:
    return np.zeros(len(own), dtype=np.int64)


def _count(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(n,) from (T, n)."""
    counts: NDArray[np.int64] = cells.sum(axis=0, dtype=np.int64)
    return counts


def _share(own: Moves, hits: NDArray[np.int64], occasions: NDArray[np.int64]) -> Metric:
    """hits / occasions; 0 without occasions, NaN without any known own move."""
    value = np.where(occasions > 0, hits / np.maximum(occasions, 1), 0.0)
    return Metric(np.where((own >= 0).any(axis=1), value, np.nan), hits, occasions)
