"""Level-k in the guessing game: points, nearest levels, and recovery of known types."""

import numpy as np
import pytest

from intent.base.errors import DataError, GameError
from intent.gamma.levels import (
    depths,
    equilibrium_point,
    fit_hierarchy,
    fit_levels,
    guess_probabilities,
    hierarchy_mean,
    hierarchy_points,
    level_points,
    nearest_levels,
)

TYPES = ("0", "1", "2", "3", "4", "equilibrium")


def test_levels_of_the_first_round_are_the_ones_of_nagel():
    assert level_points([50], 2 / 3, 0, 100, 4)[0] == pytest.approx([50, 33.33, 22.22, 14.81, 9.88], abs=0.01)
    assert level_points([50], 4 / 3, 0, 100, 3)[0] == pytest.approx([50, 66.67, 88.89, 100], abs=0.01)
    assert level_points([50], 2 / 3, 20, 80, 3)[0] == pytest.approx([50, 33.33, 22.22, 20], abs=0.01)


def test_a_guess_is_of_the_nearest_level():
    points = level_points([50, 50, 50, 30], 0.5, 0, 100, 3)
    assert nearest_levels([91, 26, 0, 15], points).tolist() == [0, 1, 3, 1]


def test_depth_is_a_real_number_of_steps():
    assert depths([50, 25, 12.5, 100], 50, 0.5) == pytest.approx([0, 1, 2, -1])
    assert np.isinf(depths([0], 50, 2 / 3)[0])
    assert np.isnan(depths([10], 50, 1)[0])


@pytest.mark.parametrize(
    ("ratio", "low", "high", "end"),
    [(2 / 3, 0, 100, 0), (4 / 3, 0, 100, 100), (0.5, 10, 90, 10), (0, 0, 9, 0)],
)
def test_best_replies_end_at_the_equilibrium(ratio, low, high, end):
    assert equilibrium_point(ratio, low, high) == end
    assert level_points([(low + high) / 2], ratio, low, high, 200)[0, -1] == pytest.approx(end)


def test_what_is_no_guessing_game_is_refused():
    with pytest.raises(GameError, match="ratio -1"):
        level_points([50], -1, 0, 100)


@pytest.mark.parametrize("sd", [0.5, 5, 400])
def test_probabilities_of_guesses_sum_to_one(sd):
    points = np.array([[0.0, 33.3, 100.0]])
    found = guess_probabilities(np.arange(101.0), points.repeat(101, axis=0), sd, 0, 100)
    assert found.sum(axis=0) == pytest.approx(1)


def _drawn(shares, error, sd, rng, subjects=60, rounds=6, ratio=2 / 3):
    """Guesses of known types around given references, by rejection."""
    types = rng.choice(6, size=subjects, p=shares)
    rows = []
    for subject, kind in enumerate(types):
        for r in range(rounds):
            reference = 50 if r == 0 else rng.uniform(15, 60)
            points = [*level_points([reference], ratio, 0, 100, 4)[0], 0.0]
            guess = np.floor(points[kind] + 0.5)
            if kind == 0:
                guess = rng.integers(101)
            elif rng.random() < error:
                guess = np.inf
                while not -0.5 <= guess <= 100.5:
                    guess = points[kind] + sd * rng.standard_normal()
                guess = np.rint(guess)
            rows.append((guess, reference, f"s{subject:02}"))
    return types, *map(np.array, zip(*rows, strict=True))


def test_the_mixture_recovers_types_and_errors(rng):
    types, guesses, references, subjects = _drawn([0.2, 0.3, 0.2, 0.1, 0, 0.2], 0.5, 3.0, rng)
    fit = fit_levels(guesses, references, subjects, ratio=2 / 3)
    assert fit.types == TYPES
    assert fit.shares == pytest.approx(np.bincount(types, minlength=6) / len(types), abs=0.05)
    assert (fit.error, fit.sd) == (pytest.approx(0.5, abs=0.1), pytest.approx(3, abs=0.6))
    assert np.mean([TYPES[t] == b for t, b in zip(types, fit.best, strict=True)]) > 0.95


def test_the_mixture_is_more_likely_than_the_truth(rng):
    """Maximum likelihood: no other parameters, the true ones included, do better."""
    _, guesses, references, subjects = _drawn([0, 1, 0, 0, 0, 0], 1.0, 4.0, rng, subjects=20)
    fit = fit_levels(guesses, references, subjects, ratio=2 / 3)
    points = level_points(references, 2 / 3, 0, 100, 1)[:, 1:]
    truth = float(np.log(guess_probabilities(guesses.astype(float), points, 4.0, 0, 100)).sum())
    assert fit.log_likelihood >= truth - 1e-6
    assert fit.best == ("1",) * 20


def test_levels_that_guess_alike_are_not_estimated():
    for ratio in (0, 1):
        with pytest.raises(DataError, match="alike"):
            fit_levels([50], [50], ["a"], ratio=ratio)
        with pytest.raises(DataError, match="alike"):
            fit_hierarchy([50, 30], ratio=ratio)
    with pytest.raises(DataError, match="0 to 100"):
        fit_levels([101], [50], ["a"], ratio=0.5)


def test_steps_reply_to_all_lower_ones():
    """Step 2 replies to the mean of steps 0 and 1 in their Poisson proportions, 1 : tau."""
    points = hierarchy_points(1.5, 2 / 3, 0, 100)
    assert points[2] == pytest.approx(2 / 3 * (50 + 1.5 * 100 / 3) / 2.5)
    assert hierarchy_mean(0, 2 / 3) == 50


def test_the_hierarchy_recovers_tau(rng):
    ratio, tau = 2 / 3, 1.6
    steps = np.minimum(rng.poisson(tau, 600), 40)
    points = hierarchy_points(tau, ratio, 0, 100)
    guesses = np.where(steps == 0, rng.integers(0, 101, 600), points[steps] + 3 * rng.standard_normal(600))
    fit = fit_hierarchy(np.clip(np.rint(guesses), 0, 100), ratio=ratio)
    assert abs(fit.tau - tau) < 3 * fit.se < 1
    assert fit.tau_of_mean == pytest.approx(tau, abs=0.4)


def test_players_without_steps_have_none(rng):
    fit = fit_hierarchy(rng.integers(0, 101, 300), ratio=0.5)
    assert fit.tau < 0.2
