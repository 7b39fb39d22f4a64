"""Simulated play that is followed, against models asked anew before every round, and against enumeration."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from intent.estimate.choice.ahead import Ahead
from intent.estimate.choice.checks import simulate
from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.model import ChoiceModel, make_model, moves_made

TABLES = np.array([[[1.0, 5.0], [0.0, 3.0]], [[1.0, 2.0], [0.0, 3.0]]])
RPS = np.array([[[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]])


def play(n: int = 40, rounds: int = 6, actions: int = 2, seed: int = 0) -> Choices:
    """Four games a subject, by two tables of payoffs; one move in ten is unknown or no evidence."""
    rng = np.random.default_rng(seed)
    own, other = rng.integers(0, actions, (2, n, rounds)).astype(np.int8)
    own[:, 1:] = np.where(rng.random((n, rounds - 1)) < 0.7, other[:, :-1], own[:, 1:])
    chosen = own.copy()
    for moves in (own, other, chosen):
        moves[rng.random((n, rounds)) < 0.1] = -1
    chosen[own < 0] = -1
    names, pays = (COOPERATION, TABLES) if actions == 2 else (("r", "p", "s"), RPS)
    covariates = pd.DataFrame({"model": rng.choice(["a", "b"], n)})
    of = (np.arange(n) % len(pays)).astype(np.intp)
    return Choices(own, other, chosen, names, np.arange(n) // 4, covariates, pays, of)


class Anew:
    """A model that is asked for whole games before every round."""

    def __init__(self, model: ChoiceModel) -> None:
        self.model = model

    def ahead(self, X: Choices) -> Ahead:
        return ChoiceModel.ahead(self.model, X)


CASES = {
    "response": ("response:canonical4", {"errors": "none"}, 2),
    "response that covariates shift": ("response:canonical4@response", {"errors": "none"}, 2),
    "responses shared": ("response:canonical4", {"errors": "none", "responses": "shared"}, 2),
    "reinforcement": ("reinforcement", {}, 2),
    "reinforcement, logit": ("reinforcement", {"rule": "logit"}, 3),
    "attraction": ("attraction", {"acts": "response"}, 2),
    "belief": ("belief", {}, 3),
    "belief, each game anew": ("belief", {"carry": False}, 2),
    "strategy-learning": ("strategy-learning:canonical4", {"n_starts": 1}, 2),
    "levels": ("level-k", {}, 2),
    "levels of three actions": ("level-k", {}, 3),
    "quantal": ("quantal", {}, 2),
    "rates": ("setting-rate", {}, 2),
}


@cache
def fitted(case: str) -> ChoiceModel:
    name, settings, actions = CASES[case]
    return make_model(name, **settings).fit(play(actions=actions))


@pytest.mark.parametrize("case", CASES)
def test_the_draws_of_a_seed_are_those_of_a_model_that_is_asked_anew(case: str) -> None:
    model, X = fitted(case), play(120, 9, CASES[case][2], seed=1)
    ways = (model, Anew(model))
    followed, asked = (simulate(way, X, rng=np.random.default_rng(2)) for way in ways)  # type: ignore[arg-type]
    for mine, theirs in zip(followed, asked, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("case", [case for case, (_, _, actions) in CASES.items() if actions == 2])
def test_simulated_play_has_the_distribution_of_the_model(case: str) -> None:
    """Two games of three rounds of one subject, the fifth move unknown: all 32 plays by enumeration."""
    model, n = fitted(case), 6000
    own = np.zeros((2, 3), dtype=np.int8)
    own[1, 1] = -1
    other = np.array([[1, 1, 0], [0, 1, 1]], dtype=np.int8)
    pair = play()[np.array([0, 2])]
    X = replace(pair, own=own, other=other, chosen=own, subject=np.zeros(2, dtype=np.intp))
    free = X.counted.reshape(-1)
    plays = np.zeros((32, 6), dtype=np.int8) - 1
    plays[:, free] = list(itertools.product((0, 1), repeat=5))
    chance = np.empty(32)
    for i, moves in enumerate(plays):
        whole = replace(X, own=moves.reshape(2, 3), chosen=moves.reshape(2, 3))
        chance[i] = moves_made(model.next_move(whole), whole).prod()
    assert chance.sum() == pytest.approx(1)
    many = X[np.tile([0, 1], n)]
    many = replace(many, subject=np.repeat(np.arange(n), 2))
    drawn = simulate(model, many, rng=np.random.default_rng(3))[0].reshape(n, 6)[:, free]
    counts = np.bincount(drawn @ (1 << np.arange(5)[::-1]), minlength=32)
    misfit = ((counts - n * chance) ** 2 / (n * chance)).sum()
    assert misfit < 61.1  # of 31 degrees of freedom one in a thousand is beyond
