"""A permutation test by hand, for any statistic of sums by level."""

from __future__ import annotations

import numpy as np

from intent.comparison.permutation import permuted_codes
from intent.estimate.design_units import block_sets


def permutation_p(observed, values, codes, clusters, statistic, permutations, rng, blocks=None) -> float:
    """p = (1 + permutations with a statistic at least as large) / (1 + permutations).

    With blocks, clusters change places with those that lie in the same blocks.
    """
    sets = np.zeros(len(codes), dtype=int) if blocks is None else block_sets(clusters, blocks)
    drawn = np.empty((permutations, len(codes)), dtype=int)
    for one in np.unique(sets):
        own = np.flatnonzero(sets == one)
        inner = None if blocks is None else blocks[own]
        drawn[:, own] = np.concatenate(
            list(permuted_codes(codes[own], clusters[own], permutations, rng, inner))
        )
    levels = range(int(codes.max()) + 1)
    sums = np.stack([(drawn == level).astype(float) @ values for level in levels], axis=1)
    reached = int((statistic(sums) >= observed - 1e-9 * max(1.0, abs(observed))).sum())
    return (1 + reached) / (1 + permutations)
