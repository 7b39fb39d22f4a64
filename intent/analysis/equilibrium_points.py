"""The outcomes and equilibria of a 2x2 game as points in the plane of payoffs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from intent.errors import MissingExtraError
from intent.games.correlated import best_correlated
from intent.games.equilibria import pure_equilibria
from intent.games.focal import focal_point, pareto_efficient
from intent.games.matrix import MatrixGame
from intent.games.mixed_equilibria import nash_equilibria

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
    a, b = game.actions
    joint = [(a, a), (a, b), (b, a), (b, b)]
    pays = dict(zip(joint, (cell for row in game.payoffs for cell in row), strict=True))
    rows = [("outcome", f"{x}, {y}", *pays[x, y]) for x, y in joint]
    focal = focal_point(game)
    pure = {
        "nash": pure_equilibria(game),
        "pareto": pareto_efficient(game),
        "focal": () if focal is None else (focal,),
    }
    for kind, found in pure.items():
        for x, y in found:
            first, second = pays[x, y]
            rows.append((kind, f"{x}, {y}", first, second))
    table = np.array([pays[p] for p in joint], dtype=float)
    for p, q in _mixed(game):
        weights = np.outer([p, 1 - p], [q, 1 - q]).ravel()
        first, second = weights @ table
        rows.append(("mixed", f"{a}: {p:.3g} by seat 1, {q:.3g} by seat 2", float(first), float(second)))
    best = np.array(best_correlated(game))
    first, second = best @ table
    text = "; ".join(f"{', '.join(p)}: {w:.3g}" for p, w in zip(joint, best, strict=True) if w)
    rows.append(("correlated", text, float(first), float(second)))
    return pd.DataFrame(rows, columns=["kind", "what", "payoff_1", "payoff_2"])


def _mixed(game: MatrixGame) -> list[tuple[float, float]]:
    try:
        return [(e.first[0], e.second[0]) for e in nash_equilibria(game) if not e.is_pure]
    except MissingExtraError:
        return []
