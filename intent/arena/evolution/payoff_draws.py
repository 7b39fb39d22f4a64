"""How sure a payoff matrix is: other strategies of the same names might have been written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.arena.evolution.pool import Pool, strategy_payoffs
from intent.arena.pair_draws import pair_draws
from intent.errors import UsageError

__all__ = ["payoff_draws"]


def payoff_draws(pool: Pool, samples: int, rng: np.random.Generator) -> NDArray[np.float64] | None:
    """Payoff matrices over strategies drawn anew, with replacement, within each name.

    One draw of strategies stands for a whole matrix, so that differences of its cells have the right
    spread. A strategy drawn twice stands for two strategies (`pair_draws`).

    Parameters
    ----------
    pool : Pool
    samples : int
    rng : Generator

    Returns
    -------
    (samples, m, m) float, or None where no name has more than one strategy

    Raises
    ------
    UsageError

    References
    ----------
    Davison & Hinkley 1997, Bootstrap Methods and their Application, 3.8; Owen 2007, Annals of Applied
    Statistics 1:386 (two factors that cross).
    """
    if samples < 1:
        raise UsageError(f"{samples} samples, expected at least 1")
    if pool.sizes.max() < 2:
        return None
    means = strategy_payoffs(pool)
    drawn = [rng.multinomial(n, np.full(n, 1 / n), size=samples).astype(float) for n in pool.sizes]
    spans = [slice(start, start + n) for start, n in zip(pool.starts, pool.sizes, strict=True)]
    return np.stack(
        [
            [
                pair_draws(means[row, column], drawn[i], None if i == j else drawn[j])
                for j, column in enumerate(spans)
            ]
            for i, row in enumerate(spans)
        ]
    ).transpose(2, 0, 1)
