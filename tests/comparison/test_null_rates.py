"""Tests of comparisons on null data: correlated seats, repeats, blocks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from intent.comparison.differences import seat_effects
from intent.comparison.tests import mean_tests, share_tests

pytestmark = pytest.mark.exhaustive

SETS = 400
ACCEPTED = (0.025, 0.078)
"""Central 99 % of the share of 400 that Binomial(400, .05) gives."""


def clustered(
    rng: np.random.Generator, clusters: int, size: int, shares: object = (0.5, 0.3, 0.2)
) -> np.ndarray:
    common = rng.choice(3, (clusters, 1), p=shares)
    return np.where(rng.random((clusters, size)) < 0.7, common, rng.choice(3, (clusters, size), p=shares))


def between(rng: np.random.Generator) -> list[float]:
    play, codes = clustered(rng, 60, 2), rng.permutation(np.arange(60) % 3).repeat(2)
    return both(play, codes, np.arange(60).repeat(2), rng, None)


def within(rng: np.random.Generator) -> list[float]:
    play, games = clustered(rng, 60, 2), np.arange(60).repeat(2)
    found = both(play, rng.integers(0, 2, 120), games, rng, None)
    table = pd.DataFrame({"game_id": games, "seat": np.tile([1, 2], 60)})
    return [*found, seat_effects(table, np.eye(3)[play.ravel()], "ABC", samples=199, rng=rng).p]


def repeats(rng: np.random.Generator) -> list[float]:
    play, cells = clustered(rng, 40, 6), np.arange(40).repeat(6)
    return both(play, rng.permutation(np.arange(40) % 2).repeat(6), cells, rng, None)


def blocked(rng: np.random.Generator) -> list[float]:
    language = np.arange(60) % 2
    shares = ((0.6, 0.3, 0.1), (0.2, 0.3, 0.5))
    play = np.concatenate([clustered(rng, 1, 2, shares[block]) for block in language])
    model = (rng.random(60) < 0.3 + 0.4 * language).astype(int)
    return both(play, model.repeat(2), np.arange(60).repeat(2), rng, language.repeat(2))


def both(
    play: np.ndarray,
    codes: np.ndarray,
    clusters: np.ndarray,
    rng: np.random.Generator,
    blocks: np.ndarray | None,
) -> list[float]:
    options = {"permutations": 199, "rng": rng, "blocks": blocks}
    shares = share_tests("f", np.eye(3)[play.ravel()], codes, clusters, **options)
    means = mean_tests("f", play.ravel().astype(float), codes, clusters, **options)
    return [shares[-1].p, means[-1].p]


@pytest.mark.parametrize("sample", [between, within, repeats, blocked])
def test_as_many_false_positives_as_allowed(sample: Callable[[np.random.Generator], list[float]]):
    p = np.array([sample(rng) for rng in np.random.default_rng(8).spawn(SETS)])
    rates = (p <= 0.05 + 1e-12).mean(axis=0)
    assert ((rates >= ACCEPTED[0]) & (rates <= ACCEPTED[1])).all(), rates
