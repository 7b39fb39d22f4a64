"""The outcomes and equilibria of a 2x2 game as points in the plane of payoffs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from intent.games.matrix import MatrixGame
from intent.games.solutions import joint_actions, mixed_equilibria, solutions

__all__ = ["equilibrium_points"]


def equilibrium_points(game: MatrixGame) -> pd.DataFrame:
    """Payoffs of every outcome and equilibrium.

    Parameters
    ----------
    game : MatrixGame

    Returns
    -------
    DataFrame
        kind (outcome, nash, mixed, pareto, focal, correlated: the best for both together), what (joint
        action, or probabilities), payoff_1, payoff_2 (expected, in the units of the game). Mixed equilibria
        are left out without nashpy.
    """
    solved, joint = solutions(game), joint_actions(game)
    pays = dict(zip(joint, (cell for row in game.payoffs for cell in row), strict=True))
    rows = [("outcome", f"{x}, {y}", *pays[x, y]) for x, y in joint]
    pure = {"nash": solved.nash, "pareto": solved.pareto, "focal": solved.focal}
    for kind, found in pure.items():
        for x, y in found:
            first, second = pays[x, y]
            rows.append((kind, f"{x}, {y}", first, second))
    table = np.array([pays[p] for p in joint], dtype=float)
    for mixed in mixed_equilibria(game) or ():
        p, q = mixed.first[0], mixed.second[0]
        weights = np.outer([p, 1 - p], [q, 1 - q]).ravel()
        first, second = weights @ table
        rows.append(
            ("mixed", f"{game.actions[0]}: {p:.3g} by seat 1, {q:.3g} by seat 2", float(first), float(second))
        )
    lottery = dict(solved.correlated)
    first, second = np.array([lottery.get(p, 0.0) for p in joint]) @ table
    text = "; ".join(f"{', '.join(p)}: {w:.3g}" for p, w in lottery.items())
    rows.append(("correlated", text, float(first), float(second)))
    return pd.DataFrame(rows, columns=["kind", "what", "payoff_1", "payoff_2"])
