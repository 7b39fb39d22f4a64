"""Our Moran process beside that of the Axelrod library: the same shares and lengths, up to chance."""

from __future__ import annotations

import numpy as np
import pytest
from axelrod_players import quiet_axelrod
from scipy.stats import ks_2samp

from intent.arena.evolution.moran import moran
from intent.arena.evolution.population import pool_of_matrix

pytestmark = [pytest.mark.axelrod, pytest.mark.slow]

NAMES = ("Cooperator", "Defector", "TitForTat")
INITIAL = (2, 2, 2)
TURNS = 10


@pytest.fixture(scope="module")
def axl():
    try:
        return quiet_axelrod()
    except ImportError:
        pytest.skip("pip install 'strategy-intent[axelrod]'")


def test_the_same_process(axl):
    runs = 120
    winners, steps = [], []
    for seed in range(runs):
        players = [getattr(axl, n)() for n, k in zip(NAMES, INITIAL, strict=True) for _ in range(k)]
        process = axl.MoranProcess(players, turns=TURNS, seed=seed)
        process.play()
        winners.append([getattr(axl, n).name for n in NAMES].index(process.winning_strategy_name))
        steps.append(len(process) - 1)
    d = TURNS
    payoffs = np.array([[3.0, 0.0, 3.0], [5.0, 1.0, (5 + d - 1) / d], [3.0, (d - 1) / d, 3.0]])
    ours = moran(pool_of_matrix(NAMES, payoffs), INITIAL, runs=20_000, rng=np.random.default_rng(0))
    expected = np.bincount(ours.winner, minlength=3) / 20_000
    found = np.bincount(winners, minlength=3) / runs
    assert (np.abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / runs)).all()
    assert ks_2samp(steps, ours.steps).pvalue > 1e-4
