"""What one threshold keeps, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from intent.comparison.sweep import Evidence, diversity, sweep_sums
from intent.recognise.rules import reaches

EVIDENCE = Evidence(
    confidence=np.array([0.95, 0.5, 0.9, 0.4]),
    kinds=np.arange(4),
    best=np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]], dtype=float),
    rules=np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 0, 0], [0, 0, 0]], dtype=float),
    tied=np.array([False, True, False, False]),
    games=np.array([0, 0, 1, 1]),
)
ONE = np.zeros(4, dtype=int)


def point(tau, gate="trajectory", groups=ONE):
    return sweep_sums(EVIDENCE, [tau], gate, groups, 1).points(0, gate)[0]


def simulated(rng, n=60):
    return Evidence(
        confidence=rng.random(n),
        kinds=rng.integers(5, size=n),
        best=rng.dirichlet(np.ones(3), size=5),
        rules=np.array([[0, 0, 0], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [0, 0, 0], [0.5, 0, 0.5]]),
        tied=rng.random(n) < 0.5,
        games=np.arange(n) // 2,
    )


def part(evidence, rows):
    """Some rows, whose games are numbered anew."""
    games = np.unique(evidence.games[rows], return_inverse=True)[1]
    found = {name: getattr(evidence, name)[rows] for name in ("confidence", "kinds", "tied")}
    return Evidence(best=evidence.best, rules=evidence.rules, games=games, **found)


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
    assert point(0.9, "game", first_seats)[0].retention == 0
    model, _ = point(0.5, "game", first_seats)
    assert (model.kept, model.retention) == (1, 0.5)


def test_diversity_is_normalised_entropy():
    assert diversity(np.full(4, 0.25)) == pytest.approx(1)
    assert diversity(np.array([1.0, 0, 0])) == 0
    assert diversity(np.array([0.5, 0.25, 0.25, 0])) == pytest.approx(1.5 / 2)
    assert math.isnan(diversity(np.zeros(3)))
    assert math.isnan(diversity(np.ones(1)))


@pytest.mark.parametrize("gate", ["game", "trajectory"])
def test_every_threshold_is_as_worked_out_row_by_row(gate, rng):
    evidence, taus = simulated(rng), (0.2, 0.5, 0.7)
    groups = rng.integers(-1, 2, size=60)
    sums = sweep_sums(evidence, taus, gate, groups, 2)
    for t, tau in enumerate(taus):
        sure = reaches(evidence.confidence, tau)
        rules, best = evidence.rules[evidence.kinds], evidence.best[evidence.kinds]
        for way, (label, weights) in enumerate(
            [(sure, best), (sure | rules.any(axis=1), np.where(sure[:, None], best, rules))]
        ):
            if gate == "game":
                label = np.repeat(label.reshape(-1, 2).all(axis=1), 2)
            for g in (0, 1):
                rows, found = label & (groups == g), sums.points(g, gate)[t][way]
                counts = weights[rows].sum(axis=0)
                assert found.kept == rows.sum()
                assert found.shares == pytest.approx(tuple(counts / counts.sum()))
                assert found.mean_confidence == pytest.approx(evidence.confidence[rows].mean())
                assert found.tied == pytest.approx(evidence.tied[rows].mean())
                units = evidence.games if gate == "game" else np.arange(60)
                assert found.retention == len(set(units[rows])) / len(set(units[groups == g]))


@pytest.mark.parametrize("gate", ["game", "trajectory"])
def test_sums_of_pieces_are_those_of_the_whole_to_the_last_digit(gate, rng):
    evidence, taus = simulated(rng), tuple(np.linspace(0, 1, 21))
    groups = rng.integers(-1, 3, size=60)
    whole = sweep_sums(evidence, taus, gate, groups, 3)
    cuts = [slice(0, 2), slice(2, 38), slice(38, 60)]
    parts = [sweep_sums(part(evidence, cut), taus, gate, groups[cut], 3) for cut in cuts]
    for sums in (parts[0] + parts[1] + parts[2], parts[2] + parts[0] + parts[1]):
        # as texts: from Python 3.13 on, dataclasses that hold NaN are not equal
        assert [repr(sums.points(g, gate)) for g in range(3)] == [
            repr(whole.points(g, gate)) for g in range(3)
        ]
        assert (sums.n_games == whole.n_games).all()


def test_sums_beyond_64_bits():
    sums = sweep_sums(EVIDENCE, [0.5], "trajectory", ONE, 1)
    for _ in range(40):
        sums = sums + sums
    assert sums.points(0, "trajectory")[0][0].shares == point(0.5)[0].shares
