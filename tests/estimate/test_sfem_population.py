"""Equal subjects and clusters counted: nothing depends on their order, and draws are those one by one."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from intent import Trajectories
from intent.estimate import counts as rows_module
from intent.estimate.counts import count_moves, distinct_rows, patterns
from intent.estimate.population import join_populations, kinds_of, population_of, split
from intent.estimate.resampling import (
    Exchange,
    drawn_weights,
    observed_weights,
    permuted_groups,
    resampled_weights,
)
from intent.strategies.sets import strategy_set


@pytest.fixture
def play(rng):
    """Short games with gaps, so that many are the same."""
    own, other = rng.integers(0, 2, (2, 200, 4))
    own[rng.random((200, 4)) < 0.1] = -1
    other[rng.random((200, 4)) < 0.1] = -1
    return Trajectories(own, other, evidence=(rng.random((200, 4)) < 0.9) & (own >= 0))


def counted(X, subjects):
    return count_moves(X, np.asarray(subjects), strategy_set("ALLC,TFT,GRIM,GTFT"))


def same(a, b):
    gaps = ("row", "strategy", "degree", "fewest", "coefficients", "log_scale")
    return (
        np.array_equal(a.moves, b.moves)
        and np.array_equal(a.choices, b.choices)
        and all(np.array_equal(getattr(a.gaps, name), getattr(b.gaps, name)) for name in gaps)
    )


@pytest.mark.parametrize("shape", [(1, 3), (300, 2), (300, 5), (4, 40)])
def test_distinct_rows_are_those_of_numpy(shape, rng):
    rows = rng.integers(-1, 2, shape)
    place, codes = distinct_rows(rows[:, :1], rows[:, 1:])
    expected, back = np.unique(rows, axis=0, return_inverse=True)
    assert np.array_equal(rows[place], expected)
    assert np.array_equal(codes, back.reshape(-1))


def test_hashes_that_collide_do_no_harm(monkeypatch, rng):
    rows = rng.integers(0, 2, (100, 3))
    expected = distinct_rows(rows)
    monkeypatch.setattr(rows_module, "_hashes", lambda blocks: np.zeros(100, dtype=np.uint64))
    found = distinct_rows(rows)
    assert np.array_equal(found[1], expected[1])


def test_patterns_do_not_depend_on_the_order_of_subjects(play, rng):
    subjects = np.repeat(np.arange(100), 2)
    order = rng.permutation(100)
    one, which = patterns(counted(play, subjects))
    other, there = patterns(counted(play, np.argsort(order)[subjects]))
    assert same(one, other)
    assert np.array_equal(which[order], there)
    assert len(one.gaps) > 0


def test_patterns_do_not_depend_on_rounds_that_nobody_played(play):
    longer = Trajectories(
        np.pad(play.own, ((0, 0), (0, 3)), constant_values=-1),
        np.pad(play.other, ((0, 0), (0, 3)), constant_values=-1),
        evidence=np.pad(play.evidence, ((0, 0), (0, 3))),
    )
    subjects = np.arange(200)
    assert same(patterns(counted(play, subjects))[0], patterns(counted(longer, subjects))[0])


def test_subjects_that_play_alike_are_one_pattern_even_with_gaps():
    X = Trajectories.from_strings(["C?D", "C?D", "CCD"], ["CD?", "CD?", "CDC"])
    distinct, pattern = patterns(counted(X, [0, 1, 2]))
    assert len(distinct) == 2
    assert pattern[0] == pattern[1] != pattern[2]


@pytest.mark.parametrize("cuts", [(50,), (3, 4, 120), ()])
def test_populations_of_parts_join_to_that_of_the_whole(play, rng, cuts):
    group, cluster = rng.integers(0, 3, 200), np.repeat(np.arange(100), 2)

    def population(rows):
        counts = counted(play[rows], np.arange(len(rows)))
        return population_of(counts, group[rows], cluster[rows], 3, clustered=True)[0]

    whole = population(np.arange(200))
    edges = [0, *(2 * (cut // 2) for cut in cuts), 200]
    parts = [population(np.arange(a, b)) for a, b in itertools.pairwise(edges) if b > a]
    found = join_populations(parts[::-1])
    assert same(found.counts, whole.counts)
    for name in ("start", "pattern", "group", "times", "number"):
        assert np.array_equal(getattr(found.kinds, name), getattr(whole.kinds, name))
    assert found.kinds.n_clusters == 100
    assert sum(sample.n_subjects for sample in split(found)) == 200
    assert sum(sample.n_units for sample in split(found)) == len(np.unique(cluster * 3 + group))


def shares(draws):
    found = Counter(tuple(np.ravel(draw).astype(int).tolist()) for draw in draws)
    return {key: n / found.total() for key, n in found.items()}


def test_resamples_of_kinds_are_resamples_of_clusters(rng):
    pattern, cluster = np.array([0, 1, 0, 1, 2, 2, 0]), np.array([0, 0, 1, 1, 2, 2, 3])
    kinds = kinds_of(cluster, pattern, np.zeros(7, dtype=int))
    assert kinds.number.tolist() == [1, 1, 2]
    each = np.array([np.bincount(pattern[cluster == c], minlength=3) for c in range(4)])
    exact = shares(each[list(drawn)].sum(axis=0) for drawn in itertools.product(range(4), repeat=4))
    for found in (drawn_weights(kinds, 3, 20_000, rng), resampled_weights(pattern, cluster, 20_000, rng)):
        seen = shares(found)
        assert seen.keys() <= exact.keys()
        assert max(abs(seen.get(key, 0) - p) for key, p in exact.items()) < 0.015


def weights(label, pattern):
    found = np.zeros((2, 3))
    np.add.at(found, (label, pattern), 1)
    return found


def test_labels_of_kinds_are_exchanged_as_those_of_clusters(rng):
    """Four clusters in one group each, two alike; a game between groups; a cluster of three in both."""
    pattern = np.array([0, 1, 0, 1, 2, 2, 0, 1, 0, 2, 2])
    group = np.array([0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1])
    cluster = np.array([0, 0, 1, 1, 2, 3, 4, 4, 5, 5, 5])
    kinds = kinds_of(cluster, pattern, group)
    assert np.array_equal(observed_weights(kinds, 2, 3), weights(group, pattern))
    exact = []
    for pure, pair, three in itertools.product(
        itertools.permutations([0, 1, 1, 1]), ((0, 1), (1, 0)), itertools.permutations([0, 1, 1])
    ):
        label = np.concatenate([np.array(pure)[cluster[:6]], pair, three])
        exact.append(weights(label, pattern))
    exact = shares(exact)
    exchange = Exchange(kinds, 2, 3)
    seen = shares(exchange.draw(rng) for _ in range(6000))
    one_by_one = shares(weights(permuted_groups(group, cluster, rng), pattern) for _ in range(6000))
    for found in (seen, one_by_one):
        assert found.keys() <= exact.keys()
        assert max(abs(found.get(key, 0) - p) for key, p in exact.items()) < 0.025


def test_many_large_clusters_are_exchanged_some_at_a_time(rng, monkeypatch):
    cluster = np.repeat(np.arange(40), 3)
    group, pattern = np.tile([0, 1, 1], 40), rng.integers(0, 4, 120)
    monkeypatch.setattr("intent.estimate.resampling._CHUNK", 10)
    drawn = Exchange(kinds_of(cluster, pattern, group), 2, 4).draw(rng)
    assert drawn.sum(axis=0).tolist() == np.bincount(pattern, minlength=4).tolist()
    assert drawn.sum(axis=1).tolist() == [40, 80]
