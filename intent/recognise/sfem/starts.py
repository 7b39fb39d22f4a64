"""Where the search begins, and which beginning wins.

At a given tremble the log-likelihood is concave in the shares, so with one tremble a grid over it reaches
every hill; with one per strategy, each strategy in turn is also tried as the precise and as the sloppy one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.counts import Counts
from intent.recognise.sfem.maximise import Optimum, maximise
from intent.recognise.sfem.mixture import Layout, Mixture, Parameters

__all__ = ["climb", "starts"]

Floats = NDArray[np.float64]
_GRID = (0.005, 0.03, 0.1, 0.2, 0.3, 0.42)
_SCREEN = 4000
"""Distinct subjects on which the starts compete; the winner goes on with all."""


def starts(layout: Layout) -> Parameters:
    """A batch of starting values: equal shares at several trembles."""
    n_strategies = layout.tremble.shape[1]
    trembles = [np.full(layout.n_trembles, b) for b in _GRID]
    if len(np.unique(layout.tremble[0])) > 1:
        for k in range(n_strategies):
            for own, others in ((0.02, 0.3), (0.3, 0.03)):
                row = np.full(layout.n_trembles, others)
                row[layout.tremble[:, k]] = own
                trembles.append(row)
    b = np.stack(trembles)
    shares = np.full((len(b), layout.n_blocks, n_strategies), 1 / n_strategies)
    return Parameters(shares, np.log(b) - np.log1p(-b))


def climb(
    groups: Sequence[Counts],
    weights: Sequence[Floats],
    layout: Layout,
    *,
    tol: float = 1e-9,
    most: int = 1000,
) -> Optimum:
    """The highest point found from all starts (a batch of one).

    Parameters
    ----------
    groups : G Counts of distinct subjects
    weights : G arrays (n_g,), their numbers
    layout : Layout
    tol, most
        As `maximise`.
    """
    begin = starts(layout)
    b = len(begin.shares)
    screened, screen_weights = list(groups), list(weights)
    if sum(map(len, groups)) > _SCREEN:
        stride = -(-sum(map(len, groups)) // _SCREEN)
        screened = [c.take(np.arange(0, len(c), stride)) for c in groups]
        screen_weights = [w[::stride] for w in weights]
    first = maximise(
        Mixture(screened, layout), [np.tile(w, (b, 1)) for w in screen_weights], begin, tol=1e-4, most=60
    )
    best = int(np.argmax(first.slopes.value > first.slopes.value.max() - 1e-7))
    lead = first.at.take(np.array([best]))
    shares = np.where(lead.shares > 0, lead.shares, 1e-6)
    lifted = Parameters(shares / shares.sum(axis=2, keepdims=True), lead.log_odds)
    if screened[0] is not groups[0]:
        lead = lifted
    found = maximise(Mixture(groups, layout), [w[None, :] for w in weights], lead, tol=tol, most=most)
    found.iterations[:] += first.iterations[best]
    return found
