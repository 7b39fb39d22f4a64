"""One row for each ordered pair of strategies."""

from __future__ import annotations

from typing import Any

import numpy as np

from intent.arena.round_robin import RoundRobin
from intent.arena.tournament.counts import MIRROR
from intent.arena.tournament.self_play import mean_cooperation, mean_payoffs

__all__ = ["pair_rows"]


def pair_rows(table: RoundRobin) -> list[dict[str, Any]]:
    """What each strategy did against each other: payoff and cooperation per turn, shares of outcomes.

    Returns
    -------
    list of dict
        name, group, opponent, opponent_group, matches, payoff, opponent_payoff, cooperation,
        opponent_cooperation, cc_rate, cd_rate, dc_rate, dd_rate (own move first; in self-play over both
        seats). Pairs that were not played are left out.
    """
    payoff, cooperation = mean_payoffs(table), mean_cooperation(table)
    matches = table.played.sum(axis=2)
    rows = []
    for i, j in zip(*np.nonzero(matches), strict=True):
        counts = table.outcomes[i, j].sum(axis=0).astype(float)
        if i == j:
            counts = (counts + counts[MIRROR]) / 2
        shares = counts / counts.sum()
        own, other = table.field[i], table.field[j]
        rows.append(
            {
                "name": own.name,
                "group": own.group,
                "opponent": other.name,
                "opponent_group": other.group,
                "matches": int(matches[i, j]),
                "payoff": float(payoff[i, j]),
                "opponent_payoff": float(payoff[j, i]),
                "cooperation": float(cooperation[i, j]),
                "opponent_cooperation": float(cooperation[j, i]),
                **{
                    f"{name}_rate": float(x) for name, x in zip(("cc", "cd", "dc", "dd"), shares, strict=True)
                },
            }
        )
    return rows
