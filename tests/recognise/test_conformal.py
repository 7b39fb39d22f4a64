from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import UsageError
from intent.recognise.labels.conformal import conformal_quantiles, label_sets


def two_classes(p):
    """Posteriors of trajectories of class 0, and their classes."""
    p = np.asarray(p, dtype=float)
    return np.stack([p, 1 - p], axis=1), np.zeros(len(p), dtype=int)


def test_the_quantile_by_hand():
    proba, truth = two_classes([0.9, 0.8, 0.7, 0.6])
    assert conformal_quantiles(proba, truth, 0.8)[0] == pytest.approx(0.4)
    assert conformal_quantiles(proba, truth, 0.6)[0] == pytest.approx(0.3)
    assert conformal_quantiles(proba, truth, 0.81)[0] == math.inf
    assert conformal_quantiles(proba, truth, 0.5)[1] == math.inf


@given(
    st.lists(st.integers(0, 6), min_size=2, max_size=6),
    st.sampled_from([0.2, 0.5, 0.75, 0.8]),
)
def test_any_exchangeable_trajectory_is_covered_as_promised(ranks, level):
    """Enumeration: each of n + 1 scores is as likely to be the new one; ties and all."""
    p = np.array(ranks) / 20
    covered = 0
    for new in range(len(p)):
        proba, truth = two_classes(np.delete(p, new))
        quantile = conformal_quantiles(proba, truth, level)
        covered += bool(1 - p[new] <= quantile[0] + 1e-12)
    assert covered / len(p) >= level - 1e-12


def test_without_ties_the_coverage_is_no_more_than_one_rank_above():
    scores = np.arange(1, 6) / 10
    for level in (0.3, 0.5, 0.8):
        hits = [
            1 - order[-1] <= conformal_quantiles(*two_classes(order[:-1]), level)[0] + 1e-12
            for order in permutations(scores)
        ]
        assert level <= np.mean(hits) <= level + 1 / 5 + 1e-12


@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_no_set_is_empty_and_the_most_probable_belong(k, seed):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.ones(k), 20)
    proba[0] = 1 / k
    sets = label_sets(proba, np.full(k, -1.0))
    assert sets[np.arange(20), proba.argmax(axis=1)].all()
    assert sets[0].all()
    assert (sets[1:].sum(axis=1) == 1).all()


def test_an_unknown_quantile_excludes_nothing():
    assert label_sets(np.array([[1.0, 0.0]]), np.array([0.1, math.inf])).tolist() == [[True, True]]


@pytest.mark.parametrize("level", [0, 1, 1.5, float("nan")])
def test_a_coverage_that_is_none(level):
    with pytest.raises(UsageError, match="coverage is"):
        conformal_quantiles(*two_classes([0.5]), level)
