"""What fair coins would get, against loops over every toss."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from intent import Trajectories, generate, load_recogniser
from intent.recognise.bayes import BayesRecogniser, against_random
from intent.recognise.coin import (
    SAMPLED_ROWS,
    CoinShares,
    Situations,
    coin_column,
    coin_sentence,
    coin_shares,
    mean_coin,
)
from intent.recognise.verdict import LabelSettings, judge

STATUSES = ("confident", "low_confidence", "ambiguous", "no_fit")


def by_loop(X, model, settings):
    """The share of each status over all tosses, one trajectory and one sequence at a time."""
    shares = dict.fromkeys(STATUSES, 0.0)
    for own, other, evidence in zip(X.own, X.other, X.evidence, strict=True):
        known = np.flatnonzero(own >= 0)
        for tosses in product((0, 1), repeat=len(known)):
            played = own.copy()
            played[known] = tosses
            counts = None if X.evidence_mask is None else evidence[None]
            one = Trajectories(played[None], other[None], evidence=counts)
            status = judge(one, model, settings, np.random.default_rng(0)).status[0]
            shares[status] += 0.5 ** len(known) / len(X)
    return shares


def gaps(X, seed):
    """Some own moves unknown, some that are no evidence, some unknown moves of the other."""
    draw = np.random.default_rng(seed).random((2, *X.shape))
    own, other = np.where(draw[0] < 0.2, -1, X.own), np.where(draw[1] < 0.1, -1, X.other)
    return Trajectories(own, other, evidence=(draw[0] > 0.3) & (own >= 0))


@pytest.mark.parametrize(
    ("name", "background", "gappy"),
    [
        ("bayes-canonical4", True, False),
        ("bayes-canonical4", False, True),
        pytest.param("logistic-canonical4", True, False, marks=pytest.mark.exhaustive),
        pytest.param("logistic-canonical4", True, True, marks=pytest.mark.exhaustive),
    ],
)
def test_shares_are_those_of_a_loop_over_every_toss(name, background, gappy):
    X = generate(n=12, rounds=(3, 6), eps=0.1, seed=3).trajectories()
    X = gaps(X, 4) if gappy else Trajectories(X.own, X.other)
    model = against_random(load_recogniser(name), background)
    settings = LabelSettings(threshold=0.6, alpha=0.05)
    found = coin_shares(X, model, settings)
    assert found.exact
    assert found.se == 0
    assert found.shares == pytest.approx(by_loop(X, model, settings))
    assert sum(found.shares.values()) == pytest.approx(1)


@pytest.mark.parametrize("rounds", [10, 30])
def test_sampled_shares_are_near_those_of_many_coins(rounds):
    X = generate(n=400, rounds=rounds, eps=0.1, seed=3).trajectories()
    model, settings = against_random(load_recogniser("forest-canonical4")), LabelSettings()
    found = coin_shares(X, model, settings, seed=1)
    assert not found.exact
    assert found.se < 0.01
    rng = np.random.default_rng(9)
    rows = rng.integers(400, size=20_000)
    own = rng.integers(0, 2, (20_000, rounds), dtype=np.int8)
    status = judge(Trajectories(own, X.other[rows]), model, settings, rng).status
    for name in STATUSES:
        assert found.shares[name] == pytest.approx((status == name).mean(), abs=4 * found.se)
    assert coin_shares(X, model, settings, seed=1) == found


def test_coins_that_play_all_games_of_a_player():
    X = generate(n=40, rounds=2, eps=0.1, seed=3).trajectories()
    X = Trajectories(X.own, X.other)
    whose = np.repeat(np.arange(20), 2)
    model, settings = against_random(BayesRecogniser().fit()), LabelSettings(threshold=0.5)
    found = coin_shares(X, model, settings, subjects=whose)
    shares = dict.fromkeys(STATUSES, 0.0)
    for player in range(20):
        part = X[np.flatnonzero(whose == player)]
        for tosses in product((0, 1), repeat=4):
            one = Trajectories(np.reshape(tosses, (2, 2)), part.other)
            status = judge(one, model, settings, np.random.default_rng(0), np.zeros(2, dtype=np.intp)).status
            shares[status[0]] += 1 / 16 / 20
    for name in STATUSES:
        assert found.shares[name] == pytest.approx(shares[name], abs=4 * found.se)


@pytest.mark.parametrize("rounds", [9, 20])
def test_situations_of_pieces_are_those_of_the_whole(rounds):
    X = generate(n=300, rounds=rounds, eps=0.2, seed=5).trajectories()
    parts = [X[np.arange(a, b)] for a, b in ((0, 7), (7, 200), (200, 300))]
    whole, joined = Situations.of(X), sum(map(Situations.of, parts), Situations())
    assert np.array_equal(whole.counts, joined.counts)
    assert whole.counts.sum() == 300
    assert np.array_equal(whole.play.other, joined.play.other)
    assert np.array_equal(whole.play.own, joined.play.own)
    there = {tuple(row) for row in X.other.tolist()}
    assert {tuple(row) for row in whole.play.other.tolist()} == there


def test_of_a_long_log_a_sample_of_rows_stands_for_all():
    n = SAMPLED_ROWS + 500
    other = np.repeat(np.arange(n)[:, None] % 2, 17, axis=1).astype(np.int8)
    keys = pd.DataFrame({"game_id": [f"g{i}" for i in range(n)], "seat": 1})
    met = Situations.of(Trajectories(np.ones_like(other), other, keys=keys))
    assert met.counts.sum() == SAMPLED_ROWS
    assert met.play.other[:, 0].mean() == pytest.approx(0.5, abs=0.03)


def test_parts_are_weighted_by_their_rows_and_nothing_has_no_coin():
    a, b = (CoinShares(dict.fromkeys(STATUSES, x), x > 0.5, 0.1, 5) for x in (1.0, 0.0))
    both = mean_coin([(3.0, a), (1.0, b)])
    assert both.shares["confident"] == 0.75
    assert (both.exact, both.plays) == (False, 10)
    assert both.se == pytest.approx(np.hypot(0.3, 0.1) / 4)
    assert mean_coin([]) is None
    nothing = Trajectories(np.empty((0, 3), dtype=np.int8), np.empty((0, 3), dtype=np.int8))
    assert coin_shares(nothing, BayesRecogniser().fit(), LabelSettings()) is None


def test_words():
    coin = CoinShares(
        {"confident": 0.05, "low_confidence": 0.15, "ambiguous": 0.0, "no_fit": 0.8}, False, 0.004, 9
    )
    told = coin.to_dict()
    assert coin_column(told) == {
        "no_fit": "80.0%",
        "ambiguous": "0.0%",
        "low_confidence": "15.0%",
        "confident": "5.0%",
    }
    assert "from 9 sampled plays, standard error at most 0.4 points" in coin_sentence(told)
    assert "counted exactly" in coin_sentence(told | {"exact": True})
    assert coin_column({"confident": "x"}) == coin_column(None) == {}
