"""Table 6 of the paper from its Tables 4 and 5: the exact chain on printed payoffs, beside printed runs."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from experiments.llm_strategies.sets import EQUILIBRIA, PAYOFFS
from intent.arena.evolution.exact import moran_chain

STARTS = {"1:1:1": (4, 4, 4), "4:1:1": (8, 2, 2)}


def distances() -> dict[tuple[str, str, float, str], float]:
    """Pearson's statistic of each printed row, two degrees of freedom."""
    found = {}
    for row, printed in EQUILIBRIA.items():
        chain = moran_chain(np.array(PAYOFFS[row[:3]]), 12)
        expected = chain.fixation()[chain.place(STARTS[row[3]])] * sum(printed)
        found[row] = float((((np.array(printed) - expected) ** 2) / expected).sum())
    return found


def test_the_exact_chain_gives_the_printed_equilibria():
    found = distances()
    assert len(found) == 24
    assert chi2.sf(sum(found.values()), 48) > 0.001
    assert chi2.sf(max(found.values()), 2) > 0.01 / 24
