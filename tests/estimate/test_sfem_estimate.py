from __future__ import annotations

import numpy as np
import pytest
from sfem_populations import population

from intent import Trajectories
from intent.base.errors import DataError, StrategyError, UsageError
from intent.estimate.counts import count_moves
from intent.estimate.mixture import Layout, Mixture, Parameters, Slopes, maximise, newton_step
from intent.estimate.shares import estimate
from intent.strategies.catalogue import Strategy, strategy
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import strategy_set


def shares_of(fit):
    return [s.estimate for s in fit.shares]


def one_fit(X, subjects, strategies, **options):
    return estimate(X, subjects, strategies, **options).groups[0][1]


@pytest.fixture
def mixed(rng):
    return population("canonical4", (20, 15, 10, 5), 3, rng)


def test_shares_and_tremble_are_recovered(mixed):
    fit = one_fit(*mixed)
    assert shares_of(fit) == pytest.approx([0.4, 0.3, 0.2, 0.1], abs=0.01)
    assert fit.tremble[0].estimate == pytest.approx(0.06, abs=0.02)
    assert fit.converged
    assert fit.gradient <= 1e-9
    assert (fit.n_subjects, fit.n_choices, fit.n_parameters) == (50, 1200, 4)
    assert fit.posterior.argmax(axis=1).tolist() == [0] * 20 + [1] * 15 + [2] * 10 + [3] * 5


def test_criteria_are_their_formulas(mixed):
    fit = one_fit(*mixed)
    assert fit.aic == pytest.approx(8 - 2 * fit.log_likelihood)
    assert fit.bic == pytest.approx(4 * np.log(50) - 2 * fit.log_likelihood)
    assert fit.icl == pytest.approx(fit.bic + 2 * fit.entropy)
    assert fit.tremble[0].estimate == pytest.approx(1 / (1 + np.exp(1 / fit.gamma)))


@pytest.mark.parametrize("newton", [True, False])
@pytest.mark.parametrize("names", ["df2011", "canonical6", "ALLC,EXTORT2,ZDGTFT2,FBF,RANDOM"])
def test_the_likelihood_never_falls(names, newton, rng):
    strategies = strategy_set(names)
    own, other = rng.integers(0, 2, (2, 40, 6))
    own[rng.random((40, 6)) < 0.1] = -1
    counts = count_moves(Trajectories(own, other), np.repeat(np.arange(20), 2), strategies)
    k = len(strategies)
    mixture = Mixture([counts], Layout(np.zeros(1, dtype=int), np.arange(k)[None]))
    start = Parameters(rng.dirichlet(np.ones(k), (5, 1)), rng.uniform(-5, -0.5, (5, k)))
    path = np.array(maximise(mixture, [np.ones((5, 20))], start, newton=newton, most=80).path)
    assert (np.diff(path, axis=0) >= -1e-10).all()


def test_a_flat_ridge_is_named_and_bounded():
    X = Trajectories(np.ones((12, 5), dtype=int), np.ones((12, 5), dtype=int))
    fit = one_fit(X, np.arange(12), strategy_set("ALLC,ALLD,TFT,GRIM"))
    assert fit.ridge == (("ALLC", "TFT", "GRIM"),)
    assert fit.converged
    tft = fit.shares[2]
    assert (tft.se, tft.low, tft.high, tft.source) == (None, 0.0, 1.0, "none")
    assert shares_of(fit)[1] == 0


def test_a_ridge_beside_what_is_known(rng):
    own = np.repeat([1, 0], [30, 10])[:, None] * np.ones((1, 6), dtype=int)
    fit = one_fit(Trajectories(own, own), np.arange(40), strategy_set("ALLC,TFT,ALLD"))
    assert fit.ridge == (("ALLC", "TFT"),)
    assert fit.shares[2].estimate == pytest.approx(0.25)
    assert fit.shares[2].se == pytest.approx(np.sqrt(0.25 * 0.75 / 40), rel=1e-4)
    assert 0.75 < fit.shares[0].high < 0.9


def test_a_share_of_zero_has_no_error_without_bootstrap(mixed, rng):
    X, subjects, strategies = mixed
    kept = np.flatnonzero(subjects < 45)
    fit = one_fit(X[kept], subjects[kept], strategies)
    assert fit.shares[3].estimate == 0
    assert fit.shares[3].se is None
    assert fit.shares[3].source == "none"
    again = one_fit(X[kept], subjects[kept], strategies, bootstrap=50, rng=rng)
    assert again.shares[3].source == "bootstrap"
    assert again.shares[3].low == 0
    assert again.shares[3].high == pytest.approx(1 - 0.025 ** (1 / 45))


def test_play_worse_than_chance_keeps_its_tremble_below_a_half():
    X = Trajectories(np.zeros((5, 6), dtype=int), np.ones((5, 6), dtype=int))
    fit = one_fit(X, np.arange(5), [strategy("ALLC")])
    assert fit.tremble[0].estimate < 0.5
    assert fit.tremble[0].estimate == pytest.approx(0.5, abs=1e-6)
    assert fit.tremble[0].se is None


def test_a_strategy_listed_twice_is_refused(mixed):
    X, subjects, _ = mixed
    with pytest.raises(StrategyError, match="strategy listed twice: TFT"):
        estimate(X, subjects, [strategy("TFT"), strategy("ALLC"), strategy("TFT")])


def test_a_curvature_as_large_as_its_damping_is_no_obstacle():
    one = Parameters(np.array([[[0.0, 0.3, 0.7]]]), np.array([[-4.0]]))
    information = np.diag([1.0, 2.0, 2.0, -0.25])[None]
    slopes = Slopes(np.zeros(1), np.array([[[0.5, 2.0, 2.0]]]), np.ones((1, 1)), information, np.ones((1, 1)))
    step = newton_step(one, slopes, np.full((1, 1), 2.0), np.ones(1))
    assert np.isfinite(step.log_odds).all()
    assert step.shares.sum() == pytest.approx(1)


def test_the_same_table_under_two_names_is_a_ridge(mixed):
    X, subjects, strategies = mixed
    tft = strategy("TFT")
    twin = Strategy("TWIN", tft.p_cooperate, tft.next_state, tft.start)
    fit = one_fit(X, subjects, (*strategies, twin))
    assert fit.ridge == (("TFT", "TWIN"),)
    assert shares_of(fit)[2] + shares_of(fit)[4] == pytest.approx(0.2, abs=0.01)


def test_a_subject_with_one_move_counts_as_one(mixed):
    X, subjects, strategies = mixed
    own = np.full((1, 8), -1)
    own[0, 0] = 0
    both = Trajectories(np.r_[X.own, own], np.r_[X.other, own])
    fit = one_fit(both, np.r_[subjects, 50], strategies)
    assert fit.n_subjects == 51
    assert fit.n_choices == 1201
    assert fit.posterior[50, 1] > 0.85
    alone = one_fit(both[[150]], [7], strategies)
    assert shares_of(alone) == pytest.approx([0, 1, 0, 0])
    assert alone.subjects.tolist() == [7]


def test_stochastic_strategies_are_told_apart(rng):
    X, subjects, strategies = population("TFT,GTFT,RANDOM", (30, 20, 10), 6, rng, rounds=15)
    fit = one_fit(X, subjects, strategies)
    assert shares_of(fit) == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=0.03)
    assert fit.n_parameters == 3


def test_only_coin_flips_have_no_tremble(rng):
    X = Trajectories(*rng.integers(0, 2, (2, 10, 5)))
    fit = one_fit(X, np.arange(10), [strategy("RANDOM")])
    assert np.isnan(fit.tremble[0].estimate)
    assert fit.log_likelihood == pytest.approx(50 * np.log(0.5))


def test_missing_rounds_cost_precision_only(mixed, rng):
    X, subjects, strategies = mixed
    mask = rng.random(X.shape) > 0.15
    fit = one_fit(Trajectories(X.own, X.other, mask), subjects, strategies)
    assert shares_of(fit) == pytest.approx([0.4, 0.3, 0.2, 0.1], abs=0.05)
    assert fit.converged
    assert fit.n_choices == mask.sum()


def test_defaulted_moves_move_the_state_but_do_not_count(mixed):
    X, subjects, strategies = mixed
    evidence = np.ones(X.shape, dtype=bool)
    evidence[:, 3] = False
    fit = one_fit(Trajectories(X.own, X.other, evidence=evidence), subjects, strategies)
    assert fit.n_choices == 1050
    counts = count_moves(Trajectories(X.own, X.other, evidence=evidence), subjects, strategies)
    assert len(counts.gaps) == 0


def test_intended_memory_is_the_other_model(rng):
    X, subjects, strategies = population("TFT,GRIM", (20, 20), 4, rng, eps=0.15)
    intended = [s.with_memory("intended") for s in strategies]
    assert one_fit(X, subjects, strategies).log_likelihood > one_fit(X, subjects, intended).log_likelihood


def test_the_order_of_subjects_and_games_changes_nothing(mixed, rng):
    X, subjects, strategies = mixed
    order = rng.permutation(len(X))
    one, other = one_fit(X, subjects, strategies), one_fit(X[order], subjects[order], strategies)
    assert np.allclose(shares_of(one), shares_of(other), atol=1e-12)
    assert np.allclose(one.posterior, other.posterior, atol=1e-9)
    assert one.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-9)


def test_a_subject_twice_is_a_weight_of_two(mixed):
    X, subjects, strategies = mixed
    counts = count_moves(X, subjects, strategies)
    mixture = Mixture([counts], Layout(np.zeros(1, dtype=int), np.zeros((1, 4), dtype=int)))
    weights = np.ones((1, 50))
    weights[0, :10] = 2
    start = Parameters(np.full((1, 1, 4), 0.25), np.full((1, 1), -2.0))
    weighted = maximise(mixture, [weights], start).at.shares[0, 0]
    rows = np.r_[np.arange(150), np.arange(30)]
    repeated = one_fit(X[rows], np.r_[subjects, 50 + subjects[:30]], strategies)
    assert np.allclose(weighted, shares_of(repeated), atol=1e-7)


def test_each_strategy_may_tremble_on_its_own(rng):
    X, subjects, strategies = population("ALLC,ALLD", (20, 20), 4, rng)
    noisy = X.own.copy()
    noisy[:80] ^= (rng.random((80, 8)) < 0.2).astype(np.int8)
    fit = one_fit(Trajectories(noisy, X.other), subjects, strategies, tremble="strategy")
    assert len(fit.tremble) == len(fit.gammas) == 2
    assert fit.tremble[0].estimate > 0.15 > 0.1 > fit.tremble[1].estimate
    assert np.isnan(fit.gamma)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"tremble": "none"}, UsageError, "tremble is 'none'"),
        ({"level": 1.5}, UsageError, "level is 1.5"),
        ({"bootstrap": 10}, UsageError, "got no rng"),
        ({"groups": [1]}, DataError, r"groups have shape \(1,\), expected \(150,\)"),
        ({"clusters": np.arange(150)}, DataError, "subject 0 is in two clusters"),
    ],
)
def test_requests_that_make_no_sense(mixed, options, error, message):
    with pytest.raises(error, match=message):
        estimate(*mixed, **options)


def test_nothing_to_estimate_from():
    unknown = Trajectories(np.full((2, 3), -1), np.full((2, 3), -1))
    with pytest.raises(DataError, match="no own move"):
        estimate(unknown, [0, 1], strategy_set("ALLC,ALLD"))
    with pytest.raises(DataError, match="no trajectory"):
        estimate(unknown[:0], [], strategy_set("ALLC,ALLD"))


def test_subjects_in_any_order_over_many_chunks(rng):
    strategies = strategy_set("TFT,GTFT,GRIM")
    X = Trajectories(*rng.integers(0, 2, (2, 70_000, 8)))
    subjects = rng.permutation(np.arange(70_000) % 5000)
    counts = count_moves(X, subjects, strategies)
    mixture = Mixture([counts], Layout(np.zeros(1, dtype=int), np.zeros((1, 3), dtype=int)))
    found = mixture.likelihoods(0, slice(None), np.full((1, 1), np.log(0.1 / 0.9)))[0][0].T
    expected = np.zeros((5000, 3))
    np.add.at(expected, subjects, log_likelihood(X.own, X.other, None, strategies, 0.1))
    assert np.allclose(found, expected)


def test_very_long_play_is_counted_whole():
    X = Trajectories(np.ones((1, 70_000), dtype=int), np.zeros((1, 70_000), dtype=int))
    counts = count_moves(X, np.zeros(1, dtype=int), strategy_set("ALLC,GTFT"))
    assert counts.moves.max() == 70_000
    assert counts.moves.sum() == 140_000
