"""Textbook games: what is stable, dominated, at rest."""

from __future__ import annotations

import numpy as np
import pytest

from intent.arena.evolution.population import Pool, mean_payoffs, payoff_draws, pool_of_matrix
from intent.arena.evolution.stability import best_replies, dominance, flow, replicator, rest_points, stability

DILEMMA = np.array([[3.0, 0.0], [5.0, 1.0]])
HAWK_DOVE = np.array([[-1.0, 4.0], [0.0, 2.0]])  # V = 4, C = 6: a third of the time hawk would be 2/3
RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def test_defection_is_evolutionarily_stable() -> None:
    cooperate, defect = stability("CD", DILEMMA)
    assert (cooperate.nash, cooperate.ess) == (False, False)
    assert (defect.strict_nash, defect.nash, defect.ess) == (True, True, True)
    assert defect.margin == 1.0
    assert best_replies("CD", DILEMMA) == {"C": ("D",), "D": ("D",)}


def test_neither_hawk_nor_dove_is_stable() -> None:
    assert not any(s.nash or s.ess for s in stability("HD", HAWK_DOVE))


def test_tit_for_tat_is_nash_and_not_stable_beside_cooperation() -> None:
    """TFT and ALLC earn alike against both: neither pushes the other out."""
    tft, _ = stability(["TFT", "ALLC"], np.full((2, 2), 3.0))
    assert (tft.nash, tft.strict_nash, tft.ess) == (True, False, False)
    assert best_replies(["TFT", "ALLC"], np.full((2, 2), 3.0))["TFT"] == ("TFT", "ALLC")


def test_stable_by_the_second_condition() -> None:
    """As good against it, worse against itself (Maynard Smith 1982)."""
    first, second = stability("ab", np.array([[1.0, 2.0], [1.0, 0.0]]))
    assert (first.strict_nash, first.ess) == (False, True)
    assert not second.nash


def test_dominance_of_pure_and_mixed() -> None:
    (found,) = dominance("CD", DILEMMA)
    assert (found.dominated, str(found), found.strictly) == ("C", "D", True)
    (weak,) = dominance("ab", np.array([[1.0, 1.0], [1.0, 0.0]]))
    assert (weak.dominated, weak.strictly) == ("b", False)
    (mixed,) = dominance("abc", np.array([[4.0, 0.0, 2.0], [0.0, 4.0, 2.0], [1.0, 1.0, 1.0]]))
    assert (mixed.dominated, str(mixed)) == ("c", "0.50 a + 0.50 b")
    assert dominance("rps", RPS) == ()


def test_cycles_keep_the_product_of_shares() -> None:
    course = replicator(RPS, [0.5, 0.3, 0.2], until=200.0)
    assert not course.settled
    assert np.allclose(course.shares.prod(axis=1), 0.03, rtol=1e-4)
    assert np.allclose(course.shares.sum(axis=1), 1)


def test_replicator_ends() -> None:
    assert replicator(DILEMMA, [0.99, 0.01]).end == pytest.approx([0, 1], abs=1e-6)
    assert replicator(HAWK_DOVE, [0.1, 0.9]).end == pytest.approx([2 / 3, 1 / 3], abs=1e-6)
    assert replicator(DILEMMA, [1, 0]).end.tolist() == [1, 0]
    assert replicator(np.ones((2, 2)), [0.3, 0.7]).end == pytest.approx([0.3, 0.7])


def test_a_cycle_that_passes_corners_never_settles() -> None:
    outward = np.array([[0.0, -2.0, 1.0], [1.0, 0.0, -2.0], [-2.0, 1.0, 0.0]])
    assert not replicator(outward, [0.4, 0.3, 0.3], until=1000.0).settled


def test_a_rare_name_leaves_a_corner() -> None:
    assert replicator(DILEMMA, [1, 1e-9]).end == pytest.approx([0, 1], abs=1e-6)


def test_rest_points() -> None:
    found = {tuple(np.round(p.shares, 6)): p.stable for p in rest_points(HAWK_DOVE)}
    assert found == {(1, 0): False, (0, 1): False, (0.666667, 0.333333): True}
    middle = rest_points(RPS)[-1]
    assert middle.shares == pytest.approx((1 / 3,) * 3)
    assert middle.stable is None
    for point in rest_points(np.random.default_rng(0).random((4, 4))):
        assert np.abs(flow(np.random.default_rng(0).random((4, 4)), np.array(point.shares))).max() < 1e-9


def test_interval_of_a_margin_over_strategies() -> None:
    rng = np.random.default_rng(0)
    payoffs = rng.random((20, 20, 1)) + np.kron(np.eye(2), np.ones((10, 10)))[..., None]
    pool = Pool(("a", "b"), (("a",) * 10, ("b",) * 10), payoffs, np.einsum("iir->ir", payoffs).copy())
    draws = payoff_draws(pool, 300, rng)
    assert draws is not None
    assert draws.mean(axis=0) == pytest.approx(mean_payoffs(pool), abs=0.05)
    first = stability("ab", mean_payoffs(pool), draws)[0]
    assert first.low is not None
    assert first.low < first.margin < first.high
    assert not first.open
    assert payoff_draws(pool_of_matrix("CD", DILEMMA), 10, rng) is None
