"""The simulator of ``benchmarks/choice_learners.py`` plays what the models say; its verdicts are right."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from intent.estimate.choice import learning
from intent.estimate.choice.learning import Learner
from intent.estimate.choice.model import MODELS, make_model

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "choice_learners.py"


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("choice_learners_benchmark", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.parametrize("actions", [2, 3])
@pytest.mark.parametrize("kind", ["reinforcement", "attraction", "belief"])
def test_simulated_subjects_state_the_probabilities_of_the_model(bench, kind: str, actions: int) -> None:
    numbers = bench.TRUTH[kind, actions]
    X = bench.against_drift(kind, 5, 12, actions, np.random.default_rng(0))
    pays = bench.PD if actions == 2 else bench.RPS
    who = bench.Population(kind, 5, pays, numbers)
    model = make_model(kind)
    assert isinstance(model, Learner)
    model.actions_, model.notes_ = X.actions, []
    model.coding_, model.span_ = learning.Coding((), {}, {}), X.stakes().span
    model.theta_ = np.array(
        [np.log(v) if law.log else v for law, v in zip(model.laws(), numbers, strict=True)]
    )
    p = model.next_move(X)
    for t in range(12):
        np.testing.assert_allclose(p[:, t], who.probabilities(), rtol=1e-10)
        who.watch(X.own[:, t], X.other[:, t])


def test_automata_of_the_simulator_are_those_of_the_catalogue(bench) -> None:
    from intent.strategies.catalogue import strategy

    for name, (cooperates, after) in bench.AUTOMATA.items():
        s = strategy(name)
        assert s.p_cooperate == tuple(map(float, cooperates))
        assert s.next_state == after


@pytest.mark.slow
def test_intervals_cover_the_planted_parameters(bench) -> None:
    lines = [row for kind in bench.LEARNERS for row in bench.recovery(kind, 2, 30, seed=3)]
    covered = np.array([row["coverage"] for row in lines])
    assert covered.mean() == pytest.approx(0.95, abs=0.05)
    assert covered.min() > 0.7  # of 30, of parameters of attraction that play hardly tells apart
    assert np.abs([row["bias"] for row in lines]).max() < 1


@pytest.mark.slow
@pytest.mark.skipif("automata" not in MODELS, reason="needs the mixture of automata")
def test_learners_and_automata_are_told_apart(bench) -> None:
    for kind in ("attraction", "automata"):
        row = bench.rates(kind, "dilemma", 40, 4, seed=1)
        assert row["wrong"] == 0
        assert row["right"] >= 0.75
