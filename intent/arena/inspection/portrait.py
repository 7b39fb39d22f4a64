"""A strategy drawn by five probabilities: what it does first, and after CC, CD, DC and DD."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.analysis.binomial import exact_share
from intent.analysis.bootstrap import Interval
from intent.analysis.metrics.memory_one import OUTCOMES, memory_one
from intent.arena.inspection.panel import PANEL, PanelPlay, stacked
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import CATALOGUE
from intent.strategies.consistency import deviations

__all__ = ["Portrait", "nearest_strategies", "portrait"]

Moves = NDArray[np.uint8]


@dataclass(frozen=True)
class Portrait:
    """P(cooperate) first and after each outcome, own move first, against RANDOM.

    Attributes
    ----------
    first : Interval, p0, over matches
    after : outcome (cc, cd, dc, dd) -> Interval; NaN where the outcome never came
    n : outcome -> moves that were counted
    spread : float in [0, 1]
        How much of the play the five numbers leave open: mean binomial variance of its moves over that of a
        fair coin. 0 for a strategy that looks only at the last round and draws nothing.
    """

    first: Interval
    after: Mapping[str, Interval]
    n: Mapping[str, int]
    spread: float


def portrait(moves: Moves, *, opens_alike: bool = False, level: float = 0.95) -> Portrait:
    """The memory-one portrait of matches against a player that visits all situations.

    Parameters
    ----------
    moves : (repetitions, 2, turns) uint8, the strategy in the first place
    opens_alike : bool
        Whether nothing is drawn before the first move, so that one match tells it for certain.
    level : float in (0, 1), of the exact binomial intervals; they take moves as independent given the last
        outcome, which a strategy with a longer memory breaks

    References
    ----------
    Nowak & Sigmund 1993, Nature 364:56.
    """
    own, other = (moves[:, seat].astype(np.int8) for seat in (0, 1))
    opened = own[:, 0]
    first = exact_share(int(opened.sum()), len(opened), level=level)
    if opens_alike:
        first = Interval(first.estimate, first.estimate, first.estimate)
    found = memory_one(own, other)
    after, counts, open_, total = {}, {}, 0.0, 0
    for name in OUTCOMES:
        counts[name] = int(found[name].n.sum())
        after[name] = exact_share(int(found[name].hits.sum()), counts[name], level=level)
        if counts[name]:
            open_ += counts[name] * 4 * after[name].estimate * (1 - after[name].estimate)
            total += counts[name]
    return Portrait(first, after, counts, open_ / total if total else float("nan"))


def nearest_strategies(
    played: Sequence[PanelPlay], strategies: Sequence[Strategy] | None = None
) -> list[list[tuple[str, float]]]:
    """Named strategies by the share of a player's moves that they would have made in its place, best first.

    Each is asked what it intends after every history that the player saw; of one that randomises, the
    likelier move counts, and either for a half where it tosses a fair coin. RANDOM is left out, as is what
    remembers hidden intentions. Opponents weigh alike, and so do their rounds.

    Parameters
    ----------
    played : sequence of n PanelPlay
    strategies : sequence of Strategy, optional; by default the catalogue

    Returns
    -------
    list of n lists of (name, share), ties: those that never randomise, then in the order of
        the catalogue; empty where a match is missing
    """
    known = [
        s
        for s in (CATALOGUE.values() if strategies is None else strategies)
        if s.observed_path and not s.is_background
    ]
    known.sort(key=lambda s: any(p not in (0.0, 1.0) for p in s.p_cooperate))
    coins = [k for k, s in enumerate(known) if 0.5 in s.p_cooperate]
    heads, tails = ([_likelier(s, coin) for s in known] for coin in (1.0, 0.0))
    shares = np.zeros((len(played), len(known)))
    for _, own, other, owner in stacked(played):
        missed = deviations(own, other, None, heads).astype(float)
        missed[:, coins] += deviations(own, other, None, [tails[k] for k in coins])
        missed[:, coins] /= 2
        agree = 1 - missed / own.shape[1]
        matches = np.bincount(owner, minlength=len(played))[:, None]
        sums = np.zeros_like(shares)
        np.add.at(sums, owner, agree)
        shares += sums / np.maximum(matches, 1) / (len(PANEL) + 1)
    found = []
    for play, row in zip(played, shares, strict=True):
        order = np.argsort(-row, kind="stable").tolist() if play.whole else []
        found.append([(known[k].name, float(row[k])) for k in order])
    return found


def _likelier(s: Strategy, coin: float) -> Strategy:
    """The strategy with each state playing its likelier action; `coin` where both are as likely."""
    p = tuple(1.0 if x > 0.5 else 0.0 if x < 0.5 else coin for x in s.p_cooperate)
    return Strategy(s.name, p, s.next_state, s.start, memory=s.memory)
