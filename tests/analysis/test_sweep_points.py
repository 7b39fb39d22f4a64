"""What one threshold keeps, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from intent.analysis.sweep import Evidence, diversity, passing, sweep_points

EVIDENCE = Evidence(
    confidence=np.array([0.95, 0.5, 0.9, 0.4]),
    best=np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]], dtype=float),
    rules=np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 0, 0], [0, 0, 0]], dtype=float),
    tied=np.array([False, True, False, False]),
    games=np.array([0, 0, 1, 1]),
)
ONE = np.zeros(4, dtype=int)


def point(tau, gate="trajectory"):
    return sweep_points(EVIDENCE, tau, gate, ONE, 1)[0]


def test_trajectories_at_nine_tenths():
    model, hybrid = point(0.9)
    assert (model.kept, model.retention, model.mean_confidence) == (2, 0.5, pytest.approx(0.925))
    assert model.shares == (0.5, 0.5, 0)
    assert model.diversity == pytest.approx(math.log(2) / math.log(3))
    assert (hybrid.kept, hybrid.shares) == (3, (0.5, 0.5, 0))
    assert hybrid.tied == pytest.approx(1 / 3)


def test_a_game_is_kept_where_both_are_labelled():
    model, hybrid = point(0.9, "game")
    assert (model.kept, model.retention, model.n_strategies) == (0, 0, 0)
    assert math.isnan(model.mean_confidence)
    assert (hybrid.kept, hybrid.retention, hybrid.shares) == (2, 0.5, (0.75, 0.25, 0))
    assert point(0.4, "game")[0].retention == 1


def test_rounding_does_not_move_a_threshold():
    assert point(0.5 + 1e-12)[0].kept == point(0.5)[0].kept == 3


def test_the_gate_looks_beyond_the_group():
    first_seats = np.array([0, -1, 0, -1])
    ((model, _),) = sweep_points(EVIDENCE, 0.9, "game", first_seats, 1)
    assert model.retention == 0
    ((model, _),) = sweep_points(EVIDENCE, 0.5, "game", first_seats, 1)
    assert (model.kept, model.retention) == (1, 0.5)


def test_diversity_is_normalised_entropy():
    assert diversity(np.full(4, 0.25)) == pytest.approx(1)
    assert diversity(np.array([1.0, 0, 0])) == 0
    assert diversity(np.array([0.5, 0.25, 0.25, 0])) == pytest.approx(1.5 / 2)
    assert math.isnan(diversity(np.zeros(3)))
    assert math.isnan(diversity(np.ones(1)))


def test_passing_by_game():
    labelled = np.array([True, False, True, True])
    assert passing(labelled, EVIDENCE.games, "game").tolist() == [False, False, True, True]
    assert passing(labelled, EVIDENCE.games, "trajectory").tolist() == labelled.tolist()
