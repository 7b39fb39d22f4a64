"""The studentised statistic against sums written out, and its p against all exchanges."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from intent.comparison.data import chi_square
from intent.comparison.permutation import MOST, named_stream, p_interval, robust_statistic, sequential_p
from intent.comparison.tests import share_tests, two_way_test

PLAY = np.array([0, 0, 1, 1, 0, 1, 0, 0, 2, 1, 2, 2, 0, 1, 1, 2])
GAMES = np.arange(8).repeat(2)


def by_hand(values, codes, clusters, blocks) -> float:
    """W, row by row, for groups that are equally often in each cluster or whole clusters of equal size."""
    z = values - np.array([values[blocks == b].mean(axis=0) for b in blocks])
    spread, axes = np.linalg.eigh(z.T @ z / len(z))
    z = z @ axes[:, spread > 1e-9] / np.sqrt(spread[spread > 1e-9])
    raw, r, groups = spread[spread > 1e-9], z.shape[1], codes.max() + 1
    share = np.array([[(codes[blocks == b] == g).mean() for g in range(groups)] for b in blocks])
    every = np.unique(clusters)
    u = np.array(
        [
            [
                sum(z[i] * ((codes[i] == g) - share[i, g]) for i in np.flatnonzero(clusters == c))
                for g in range(groups)
            ]
            for c in every
        ]
    )
    squares = (z**2 * raw).sum(axis=1)
    whole = sum((z[clusters == c].sum(axis=0) ** 2 * raw).sum() for c in every) / len(every)
    weight, effect = np.zeros(groups), np.zeros(groups)
    for g in range(groups):
        own = codes == g
        between = sum((z[own & (clusters == c)].sum(axis=0) ** 2 * raw).sum() for c in every)
        effect[g] = (between + 0.5 * whole) / (squares[own].sum() + 0.5 * squares.sum() / len(every))
        count = len(np.unique(clusters[own]))
        weight[g] = count / (count + 10 * r)
    target = np.zeros((groups, r, groups, r))
    for b in np.unique(blocks):
        rows, part = blocks == b, z[blocks == b]
        pi = np.array([(codes[rows] == g).mean() for g in range(groups)])
        for g in range(groups):
            apart = np.eye(groups)[g] - pi
            inner = part.T @ part / rows.sum() * (codes[rows] == g).sum()
            target += (1 - weight[g]) * effect[g] * np.einsum("h,i,rs->hris", apart, apart, inner)
    root = np.sqrt(weight)
    own = np.einsum("cgr,chs,g,h->grhs", u, u, root, root)
    size = (groups - 1) * r
    covariance = (own + target)[:-1, :, :-1].reshape(size, size)
    d = np.array([z[codes == g].sum(axis=0) for g in range(groups - 1)]).ravel()
    return float(d @ np.linalg.solve(covariance, d))


@pytest.mark.parametrize(
    ("codes", "blocks"),
    [
        (np.array([0, 0, 1, 1, 1, 0, 1, 0]).repeat(2), None),
        (np.tile([0, 1], 8), None),
        (np.array([0, 1, 0, 1, 1, 0, 1, 0]).repeat(2), np.array([0] * 4 + [1] * 4).repeat(2)),
        (np.tile([0, 1, 1, 0, 0, 0, 1, 1], 2), np.array([0] * 4 + [1] * 4).repeat(2)),
    ],
)
def test_the_statistic_is_the_sum_written_out(codes, blocks):
    values = np.eye(3)[PLAY]
    found = robust_statistic(values, codes, GAMES, blocks)
    expected = by_hand(values, codes, GAMES, np.zeros(16, int) if blocks is None else blocks)
    assert found.statistic() == pytest.approx(expected, rel=1e-6)


def test_independent_rows_of_two_outcomes_give_chi_square_nearly(rng):
    codes, play = np.arange(400) % 2, rng.integers(0, 2, 400)
    table = np.stack([np.eye(2)[play][codes == g].sum(axis=0) for g in (0, 1)])
    found = robust_statistic(np.eye(2)[play], codes, np.arange(400))
    assert found.statistic() == pytest.approx(float(chi_square(table)), rel=0.02)


def test_permuted_statistics_are_those_of_permuted_data(rng):
    values, blocks = np.eye(3)[PLAY], np.array([0] * 4 + [1] * 4).repeat(2)
    for model, own in (
        (np.array([0, 0, 1, 1, 1, 1, 0, 1]), None),
        (np.array([0, 0, 1, 1, 0, 1, 0, 1]), blocks),
    ):
        orders = (
            permutations(model)
            if own is None
            else ((*a, *b) for a in permutations(model[:4]) for b in permutations(model[4:]))
        )
        each = {tuple(o) for o in orders}
        every = [robust_statistic(values, np.array(o).repeat(2), GAMES, own).statistic() for o in each]
        found = np.concatenate(
            list(robust_statistic(values, model.repeat(2), GAMES, own).permuted(4000, rng))
        )
        assert set(np.round(found, 5)) == set(np.round(every, 5))
        assert found.mean() == pytest.approx(np.mean(every), rel=0.06)


def test_exchanges_within_games_give_what_they_give_one_by_one(rng):
    persona = np.array([0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0])
    form = robust_statistic(np.eye(3)[PLAY], persona, GAMES)
    codes = np.concatenate(list(form._drawn(50, np.random.default_rng(1))))
    one_by_one = [robust_statistic(np.eye(3)[PLAY], own, GAMES).statistic() for own in codes]
    np.testing.assert_allclose(
        np.concatenate(list(form.permuted(50, np.random.default_rng(1)))), one_by_one, atol=1e-9
    )


def test_a_group_without_variation_has_a_statistic_all_the_same():
    play = np.array([0] * 8 + [0, 1, 0, 1, 1, 1, 0, 0])
    found = robust_statistic(np.eye(2)[play], np.repeat([0, 1], 8), np.arange(16))
    assert 0 < found.statistic() < 16
    assert robust_statistic(np.eye(2)[play * 0], np.repeat([0, 1], 8), np.arange(16)) is None


def test_two_ways_of_clusters_that_are_one_give_hotellings_test(rng):
    from scipy.stats import ttest_1samp

    pairs = rng.normal(size=(12, 2))
    persona, games = np.tile([0, 1], 12), np.arange(12).repeat(2)
    found = two_way_test("x", pairs.reshape(-1, 1), persona, games, games)
    oracle = ttest_1samp(pairs[:, 1] - pairs[:, 0], 0)
    assert found.df == (1, 11)
    assert found.p == pytest.approx(oracle.pvalue)


def test_permutations_stop_where_p_is_clear():
    def draws(share):
        return lambda size: iter([np.random.default_rng(size).random(size) < share])

    assert sequential_p(1.0, draws(0.5))[1] == 999
    assert sequential_p(1.0, draws(0.0)) == (1 / 1000, 999)
    assert 999 < sequential_p(1.0, draws(0.06))[1] < MOST
    assert sequential_p(1.0, draws(0.05))[1] == MOST
    assert sequential_p(1.0, draws(0.05), permutations=77)[1] == 77


def test_the_interval_of_p_is_scipys():
    from scipy.stats import binomtest

    for reached in (0, 7, 50):
        oracle = binomtest(reached, 50).proportion_ci(0.99, "exact")
        assert p_interval(reached, 50) == pytest.approx((oracle.low, oracle.high))


def test_the_same_test_has_the_same_p_whatever_was_drawn_before(rng):
    weights, codes = np.eye(3)[PLAY], np.array([0, 0, 1, 1, 0, 1, 0, 1]).repeat(2)
    options = {"permutations": None, "seed": 3}
    first = share_tests("a", weights, codes, GAMES, rng=rng, **options)[-1]
    rng.random(5)
    again = share_tests("a", weights, codes, GAMES, rng=rng, **options)[-1]
    assert first == again
    assert named_stream(3, "a").random() != named_stream(3, "b").random()


@pytest.mark.slow
def test_groups_whose_seats_agree_differently_are_not_called_different():
    p = []
    for rng in np.random.default_rng(6).spawn(500):
        alike, apart = (
            rng.choice(4, (20, 1), p=[0.4, 0.3, 0.2, 0.1]),
            rng.choice(4, (200, 2), p=[0.4, 0.3, 0.2, 0.1]),
        )
        play = np.concatenate([alike.repeat(2, axis=1), apart]).ravel()
        groups, games = np.repeat([0, 1], [40, 400]), np.arange(220).repeat(2)
        p.append(share_tests("x", np.eye(4)[play], groups, games, permutations=199, rng=rng)[-1].p)
    assert np.mean(np.array(p) <= 0.05) < 0.09
