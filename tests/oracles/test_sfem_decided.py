"""Shares and tremble where the game flips one decision in eight: what is recorded decides what comes out."""

from __future__ import annotations

import numpy as np
import pytest

from intent.estimate.shares import estimate
from intent.logs.gamelog import Trajectories
from intent.strategies.catalogue import Stepper
from intent.strategies.sets import strategy_set

NAMES, SHARES, TREMBLE, ERROR = ("ALLD", "TFT", "GRIM2", "TF2T"), (0.2, 0.3, 0.2, 0.3), 0.06, 0.125
SUBJECTS, GAMES, ROUNDS = 160, 6, 12


@pytest.fixture(scope="module")
def play():
    """Decided and played moves of subjects who meet a coin that shifts from game to game."""
    rng = np.random.default_rng(7)
    strategies = strategy_set(",".join(NAMES))
    kinds = np.repeat(np.arange(4), np.multiply(SHARES, SUBJECTS).astype(int))
    subject = np.repeat(np.arange(SUBJECTS), GAMES)
    n = len(subject)
    other = (rng.random((n, ROUNDS)) < rng.choice([0.3, 0.9], n)[:, None]).astype(np.uint8)
    decided, own = np.empty((2, n, ROUNDS), dtype=np.uint8)
    for k, s in enumerate(strategies):
        rows = np.flatnonzero(kinds[subject] == k)
        players = Stepper(s, len(rows))
        for t in range(ROUNDS):
            meant = players.intended(rng)
            decided[rows, t] = meant ^ (rng.random(len(rows)) < TREMBLE)
            own[rows, t] = decided[rows, t] ^ (rng.random(len(rows)) < ERROR)
            players.advance(own[rows, t], other[rows, t], meant)
    return own.astype(np.int8), other.astype(np.int8), decided.astype(np.int8), subject


def fitted(play, **recorded):
    own, other, _, subject = play
    fit = estimate(Trajectories(own, other, **recorded), subject, strategy_set(",".join(NAMES))).groups[0][1]
    return np.array([share.estimate for share in fit.shares]), fit.tremble[0].estimate


def test_decisions_give_shares_and_the_tremble_of_decisions(play):
    shares, tremble = fitted(play, decided=play[2])
    assert np.abs(shares - SHARES).max() < 0.02
    assert tremble == pytest.approx(TREMBLE, abs=0.006)


def test_played_moves_alone_double_the_tremble(play):
    _, tremble = fitted(play)
    assert tremble > 2 * TREMBLE
    assert tremble == pytest.approx(TREMBLE * (1 - ERROR) + (1 - TREMBLE) * ERROR, abs=0.015)


def test_a_known_error_is_not_estimated(play):
    shares, tremble = fitted(play, implementation_error=ERROR)
    assert np.abs(shares - SHARES).max() < 0.05
    assert tremble == pytest.approx(TREMBLE, abs=0.015)
