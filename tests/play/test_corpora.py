from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import StrategyError, UnknownNameError, UsageError
from intent.logs.gamelog import Trajectories
from intent.play.corpora import (
    CHUNK,
    Automaton,
    Corpus,
    Mixture,
    Recorded,
    SelfPlay,
    chunk_log,
    generate_arrays,
    opponent,
    stream,
)
from intent.strategies.catalogue import catalogue, strategy
from intent.strategies.likelihood import deviations, log_likelihood
from intent.strategies.sets import strategy_set


def arrays(seed=0, workers=1, **corpus):
    return generate_arrays(Corpus(**corpus), np.random.default_rng(seed), workers=workers)


@pytest.mark.parametrize("s", catalogue(), ids=lambda s: s.name)
def test_frequencies_match_the_stated_likelihood(s):
    """Chi-square of all 4**4 histories against probability of own moves times that of the opponent's."""
    n = 40_000
    X, _ = arrays(
        strategies=(s,), n=n, rounds=(4, 4), eps=(0.1, 0.1), eps_other=(0.1, 0.1), opponent=opponent("GTFT")
    )
    code = np.concatenate([X.own, X.other], axis=1) @ (1 << np.arange(8))
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
    own, other = bits[:, :4].astype(np.int8), bits[:, 4:].astype(np.int8)
    chance = np.exp(
        log_likelihood(own, other, None, [s], 0.1)[:, 0]
        + log_likelihood(other, own, None, [strategy("GTFT")], 0.1)[:, 0]
    )
    assert chance.sum() == pytest.approx(1)
    seen = np.bincount(code, minlength=256)
    chi2 = ((seen - n * chance) ** 2 / (n * chance)).sum()
    assert chi2 < 255 + 6 * np.sqrt(2 * 255)


@pytest.mark.parametrize("s", catalogue(), ids=lambda s: s.name)
def test_without_noise_nothing_deviates(s):
    X, _ = arrays(strategies=(s,), n=500, rounds=(12, 12))
    assert deviations(X.own, X.other, None, [s]).max() == 0


def test_noise_is_as_frequent_as_stated():
    X, _ = arrays(
        strategies=strategy_set("ALLC"),
        n=100_000,
        eps=(0.05, 0.05),
        eps_other=(0.2, 0.2),
        opponent=opponent("ALLD"),
    )
    assert X.own.mean() == pytest.approx(0.95, abs=0.001)
    assert X.other.mean() == pytest.approx(0.2, abs=0.002)


def test_noise_and_length_drawn_per_trajectory():
    corpus = Corpus(strategy_set("ALLC,ALLD"), 20_000, (5, 8), (0.0, 0.2), None)
    chunk = next(stream(corpus, np.random.default_rng(1)))
    assert sorted(np.unique(chunk.X.n_rounds)) == [5, 6, 7, 8]
    assert chunk.eps[:, 0].min() < 0.01
    assert chunk.eps[:, 0].max() > 0.19
    assert (chunk.eps[:, 0] == chunk.eps[:, 1]).all()
    kept = np.where(chunk.y == 0, 1, 0)[:, None] == chunk.X.own
    flipped = ~kept & (chunk.X.own >= 0)
    rate = flipped.sum(axis=1) / chunk.X.n_rounds
    assert np.corrcoef(rate, chunk.eps[:, 0])[0, 1] > 0.4


@pytest.mark.parametrize("workers", [2, 5])
def test_workers_do_not_change_a_byte(workers):
    settings = {
        "strategies": strategy_set("canonical6"),
        "n": 3 * CHUNK + 17,
        "rounds": (3, 9),
        "eps": (0.0, 0.2),
    }
    one, y = arrays(7, 1, **settings)
    many, z = arrays(7, workers, **settings)
    assert np.array_equal(one.own, many.own)
    assert np.array_equal(one.other, many.other)
    assert np.array_equal(y, z)


def test_classes_are_balanced():
    _, y = arrays(strategies=strategy_set("canonical6"), n=50_003)
    assert np.ptp(np.bincount(y)) <= 1


def test_classes_take_turns_in_every_chunk():
    corpus = Corpus(strategy_set("canonical5"), CHUNK + 23, (2, 2))
    rng = np.random.default_rng(0)
    logs = [chunk_log(chunk, corpus) for chunk in stream(corpus, rng)]
    names = np.array([s.name for s in corpus.strategies])
    played = pd.concat([log.trajectories().keys for log in logs], ignore_index=True)
    assert played["strategy"].tolist() == names[np.arange(corpus.n) % 5].tolist()
    assert not played.duplicated(["strategy", "repetition"]).any()


def test_self_play_without_noise_is_symmetric():
    X, _ = arrays(strategies=strategy_set("TFT,WSLS,GRIM"), n=300, opponent=opponent("self"))
    assert np.array_equal(X.own, X.other)


def test_mixture_is_drawn_independently_of_the_label():
    corpus = Corpus(strategy_set("canonical4"), 16_000, opponent=opponent("ALLC=3,ALLD=1"))
    chunk = next(stream(corpus, np.random.default_rng(0)))
    for k in range(4):
        assert (chunk.opponent[chunk.y == k] == 0).mean() == pytest.approx(0.75, abs=0.04)
    assert (chunk.X.other[chunk.opponent == 0] == 1).all()
    assert (chunk.X.other[chunk.opponent == 1] == 0).all()


def test_recorded_opponents_are_replayed():
    record = np.array([[1, 0, 1, -1], [0, 0, 1, 1]], dtype=np.int8)
    X, _ = arrays(strategies=strategy_set("TFT"), n=50, rounds=(4, 4), opponent=Recorded(record))
    met = {tuple(row) for row in X.other.tolist()}
    assert met == {(1, 0, 1, -1), (0, 0, 1, 1)}
    assert (X.own[X.other < 0] == -1).all()
    assert {tuple(r) for r in X.own[X.other[:, 0] == 0].tolist()} == {(1, 0, 0, 1)}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("random", Automaton),
        ("tft", Automaton),
        ("random(0.7)", Automaton),
        ("self", SelfPlay),
        ("canonical4", Mixture),
    ],
)
def test_opponent_texts(text, kind):
    assert isinstance(opponent(text), kind)


def test_bad_opponents_and_sizes():
    with pytest.raises(UnknownNameError, match="did you mean"):
        opponent("TFTT")
    with pytest.raises(UsageError, match="weight"):
        opponent("TFT=0,ALLC=1")
    with pytest.raises(UsageError, match="eps"):
        Corpus(strategy_set("TFT"), 10, eps=(0.1, 0.6))
    with pytest.raises(UsageError, match="rounds"):
        Corpus(strategy_set("TFT"), 10, rounds=(5, 4))
    with pytest.raises(StrategyError):
        Mixture((SelfPlay(),), (-1.0,))


def test_log_of_a_chunk_says_the_same_as_its_arrays():
    corpus = Corpus(strategy_set("canonical4"), 101, (4, 7), (0.1, 0.1), opponent=opponent("TFT=1,random=1"))
    chunk = next(stream(corpus, np.random.default_rng(4)))
    log = chunk_log(chunk, corpus)
    order = np.argsort(chunk.number)
    X = log.trajectories()
    assert np.array_equal(X.own, chunk.X.own[order])
    assert np.array_equal(X.other, chunk.X.other[order])
    names = np.array([s.name for s in corpus.strategies])
    assert X.keys["strategy"].tolist() == names[chunk.y[order]].tolist()
    assert X.keys["strategy"].tolist()[:5] == ["ALLC", "ALLD", "TFT", "WSLS", "ALLC"]
    moves = log.moves[log.moves["seat"] == 1]
    assert moves["payoff"].isin([0, 1, 3, 5]).all()
    assert isinstance(X, Trajectories)
