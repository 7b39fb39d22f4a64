"""Strategies among several others."""

from __future__ import annotations

import pytest

from intent.base.errors import StrategyError, UnknownNameError
from intent.strategies.catalogue import CATALOGUE, strategy
from intent.strategies.sets import ThresholdStrategy, listens, threshold_strategies


def names(text, most):
    return [s.name for s in threshold_strategies(text, most)]


def test_every_threshold_of_those_who_listen():
    assert names("canonical4", 2) == ["ALLC", "ALLD", "TFT>=1", "TFT>=2", "WSLS>=1", "WSLS>=2"]
    assert names("grim>=2,ALLC", 3) == ["GRIM>=2", "ALLC"]


def test_who_does_not_listen():
    deaf = {name for name, s in CATALOGUE.items() if not listens(s)}
    assert {"ALLC", "ALLD", "RANDOM"} <= deaf
    assert not deaf & {"TFT", "GRIM", "WSLS", "GTFT"}


@pytest.mark.parametrize("text", ["TFT>=3", "TFT>=0", "TFT>=x", "TFT>=", "ALLC>=1", "TFT,TFT>=1", ""])
def test_what_cannot_be(text):
    with pytest.raises(StrategyError):
        threshold_strategies(text, 2)


def test_unknown_names_and_too_many_pairs():
    with pytest.raises(UnknownNameError, match="TFT"):
        threshold_strategies("TFTT>=1", 2)
    with pytest.raises(StrategyError, match=r"TFT>=1,TFT>=999"):
        threshold_strategies("TFT", 999)


def test_memory_is_the_strategys():
    s = ThresholdStrategy(strategy("TFT"), 2)
    assert s.with_memory("intended").memory == "intended"
    assert s.with_memory("intended").name == "TFT>=2"
