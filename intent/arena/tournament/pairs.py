"""The table of ordered pairs of strategies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.round_robin import RoundRobin
from intent.arena.tournament.counts import MIRROR
from intent.arena.tournament.self_play import mean_cooperation, mean_payoffs

__all__ = ["pair_columns"]


def pair_columns(table: RoundRobin) -> dict[str, list[Any] | NDArray[Any]]:
    """What each strategy did against each other: payoff and cooperation per turn, shares of outcomes.

    Returns
    -------
    dict of column -> values
        name, group, opponent, opponent_group, matches, payoff, opponent_payoff, cooperation,
        opponent_cooperation, cc_rate, cd_rate, dc_rate, dd_rate (own move first; in self-play over both
        seats). Pairs that were not played are left out.
    """
    payoff, cooperation = mean_payoffs(table), mean_cooperation(table)
    own, other = np.nonzero(table.matches)
    counts = table.outcomes.sum(axis=2)[own, other].astype(float)
    counts = np.where((own == other)[:, None], (counts + counts[:, MIRROR]) / 2, counts)
    shares = counts / counts.sum(axis=1, keepdims=True)
    names, groups = [e.name for e in table.field], [e.group for e in table.field]
    return {
        "name": [names[i] for i in own],
        "group": [groups[i] for i in own],
        "opponent": [names[j] for j in other],
        "opponent_group": [groups[j] for j in other],
        "matches": table.matches[own, other],
        "payoff": payoff[own, other],
        "opponent_payoff": payoff[other, own],
        "cooperation": cooperation[own, other],
        "opponent_cooperation": cooperation[other, own],
        **{f"{name}_rate": shares[:, k] for k, name in enumerate(("cc", "cd", "dc", "dd"))},
    }
