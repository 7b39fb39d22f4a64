"""Moves that a strategy never intends."""

from __future__ import annotations

import numpy as np
import pytest
from rules_in_words import RULES, histories

from intent.base.errors import StrategyError
from intent.logs.gamelog import Trajectories
from intent.strategies.catalogue import CATALOGUE, strategy
from intent.strategies.likelihood import deviations, log_likelihood
from intent.strategies.sets import strategy_set


def count(own: str, other: str, names: str) -> list[int]:
    played = Trajectories.from_strings([own.upper()], [other])
    mask = np.array([[symbol in "CD" for symbol in own]])
    return deviations(played.own, played.other, mask, strategy_set(names))[0].tolist()


@pytest.mark.parametrize("name", CATALOGUE)
def test_impossible_moves_of_every_history(name):
    pairs = histories(4)
    played = Trajectories.from_strings(*zip(*pairs, strict=True))
    impossible = {"C": 0.0, "D": 1.0}
    expected = [
        sum(RULES[name](own[:t], other[:t]) == impossible[own[t]] for t in range(4)) for own, other in pairs
    ]
    assert deviations(played.own, played.other, None, [CATALOGUE[name]])[:, 0].tolist() == expected


def test_none_where_the_play_is_possible_without_noise(rng):
    own, other = rng.integers(0, 2, (2, 500, 5), dtype=np.int8)
    strategies = tuple(CATALOGUE.values())
    possible = np.isfinite(log_likelihood(own, other, None, strategies, 0.0))
    assert np.array_equal(deviations(own, other, None, strategies) == 0, possible)


@pytest.mark.parametrize(
    ("own", "other", "names", "expected"),
    [
        ("CDDC", "CCCC", "ALLC,ALLD,TFT,GRIM", [2, 2, 2, 2]),
        ("C?DD", "CDCC", "ALLC,TFT", [2, 1]),
        ("C?D", "C?C", "TFT", [0]),
        ("CcD", "CCC", "TFT,GRIM", [1, 1]),
        ("CdD", "CCC", "TFT,GRIM", [1, 0]),
        ("Cd", "CC", "ALLC", [0]),
        ("CDCD", "DDDD", "GTFT,RANDOM", [0, 0]),
        ("DCDC", "CCCC", "GTFT", [2]),
    ],
)
def test_literal_counts(own, other, names, expected):
    assert count(own, other, names) == expected


def test_intended_memory_forgets_its_own_slip():
    slip = Trajectories.from_strings(["CDCC"], ["CCCC"])
    chosen = [strategy("GRIM"), strategy("GRIM").with_memory("intended")]
    assert deviations(slip.own, slip.other, None, chosen).tolist() == [[3, 1]]


def test_hidden_random_intentions_have_no_deviations():
    own = np.ones((1, 2), dtype=np.int8)
    with pytest.raises(StrategyError, match="GTFT: deviations are not defined"):
        deviations(own, own, None, [strategy("GTFT").with_memory("intended")])


@pytest.mark.parametrize("name", ["TFT", "WSLS", "GRIM", "GRUDGER", "2TFT", "T2", "DTF2T"])
def test_with_gaps_zero_means_possible_without_noise(name, rng):
    own = rng.integers(-1, 2, (600, 7)).astype(np.int8)
    other = rng.integers(-1, 2, (600, 7)).astype(np.int8)
    counted = rng.random((600, 7)) < 0.8
    for mask in (None, counted):
        found = deviations(own, other, mask, [strategy(name)])[:, 0]
        possible = np.isfinite(log_likelihood(own, other, mask, [strategy(name)], 0.0)[:, 0])
        assert np.array_equal(found == 0, possible)


def test_an_unknown_move_cannot_excuse_what_follows():
    X = Trajectories.from_strings(["CCDCDCDCDC"], ["?CCCCCCCCC"])
    assert deviations(X.own, X.other, None, [strategy("GRUDGER")])[0, 0] > 0
