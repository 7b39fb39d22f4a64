"""What is odd about covariates, and what separates: a line in the row of every model that uses them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.features import Coding, covariate_notes, groups_apart
from intent.estimate.choice.membership import Membership, _newton
from intent.estimate.choice.model import make_model


def of_kinds(n: int = 40, rounds: int = 8, *, apart: bool) -> Choices:
    """Subjects who nearly always cooperate or hardly ever; the persona tells which, or nothing."""
    rng = np.random.default_rng(3)
    kind = np.arange(n) % 2
    own = (rng.random((n, rounds)) < np.where(kind, 0.95, 0.05)[:, None]).astype(np.int8)
    other = rng.integers(0, 2, (n, rounds)).astype(np.int8)
    persona = kind if apart else np.arange(n) // 2 % 2
    frame = pd.DataFrame({"persona": np.array(["kind", "hard"])[persona]})
    return Choices(own, other, own, COOPERATION, np.arange(n), frame)


MIXTURES = [
    "memory-one:2",
    "memory-two:2",
    "response:canonical4",
    "automata:canonical4@membership",
    "drifting:canonical4@both",
]


@pytest.mark.parametrize("name", MIXTURES)
def test_a_covariate_that_separates_the_types_is_a_line_of_every_mixture(name: str) -> None:
    line = "covariate 'persona' separates the types perfectly: only the ridge keeps its coefficients finite"
    assert line in make_model(name).fit(of_kinds(apart=True)).notes_
    notes = make_model(name).fit(of_kinds(apart=False)).notes_
    assert not [note for note in notes if "covariate" in note]


@pytest.mark.parametrize("name", ["setting-rate", "memory-one:2@response", "logit", "trees", *MIXTURES])
def test_a_covariate_that_is_the_outcome_is_a_line_of_every_model_that_uses_it(name: str) -> None:
    X = of_kinds(apart=True)
    own = np.repeat((X.covariates["persona"] == "kind").to_numpy()[:, None], 8, axis=1).astype(np.int8)
    X = Choices(own, X.other, own, X.actions, X.subject, X.covariates)
    assert "covariate 'persona' tells every move; is it the outcome itself?" in make_model(name).fit(X).notes_


def test_groups_are_joined_by_the_values_that_they_share() -> None:
    frame = pd.DataFrame({"level": [*"aabbcc"], "number": [1.0, 2, 3, 4, 5, 6]})
    coding = Coding(("level", "number"), {"level": ("a", "b", "c")}, {"number": (0.0, 1.0)})
    of = {
        "chain": [0, 0, 0, 1, 1, 1],
        "apart": [0, 0, 1, 1, 2, 2],
        "half": [0, 0, 1, 2, 1, 2],
        "one": [1] * 6,
    }
    groups = {name: groups_apart(coding, frame, np.eye(3)[kinds]) for name, kinds in of.items()}
    assert groups == {
        "chain": {"level": 1, "number": 2},
        "apart": {"level": 3, "number": 3},
        "half": {"level": 2, "number": 2},
        "one": {"level": 1, "number": 1},
    }


def test_newton_steps_of_combinations_are_those_of_the_whole_information() -> None:
    rng = np.random.default_rng(1)
    own = rng.integers(-1, 40, 70)
    levels = (rng.integers(0, 3, 70)[:, None] == np.arange(3)).astype(float)
    design = np.hstack([np.ones((70, 1)), levels, (own[:, None] == np.arange(40)).astype(float)])
    r = rng.dirichlet(np.ones(4), 70) * rng.integers(1, 9, (70, 1))
    ridge = np.r_[0.0, np.ones(43)]
    at = Membership(np.hstack([np.zeros((44, 1)), rng.normal(size=(44, 3))]))
    gradient = at.gradient(design, r, ridge)
    pi = np.exp(at.log_shares(design))
    step = _newton(design, pi, r.sum(1), ridge, gradient)
    np.testing.assert_allclose(
        at.information(design, r.sum(1), ridge) @ step.reshape(-1), gradient, atol=1e-6
    )


def test_odd_covariates_are_a_line_each() -> None:
    own = np.repeat(np.arange(60)[:, None] % 2, 6, axis=1).astype(np.int8)
    frame = pd.DataFrame(
        {
            "always": "x",
            "one": 1.0,
            "outcome": own[:, 0] + 0.5,
            "level": np.select([np.arange(60) < 10, np.arange(60) % 2 == 0], ["any", "low"], "all"),
            "fine": np.arange(60) % 7,
            "word": np.where(own[:, 0] == 1, "yes", "no"),
        }
    )
    X = Choices(own, own, own, COOPERATION, np.arange(60), frame)
    notes = covariate_notes(X)
    assert [line.split(";")[0] for line in notes] == [
        "covariate 'always' is the same in all rows and tells nothing",
        "covariate 'one' is the same in all rows and tells nothing",
        "covariate 'outcome' tells every move",
        "level=all: all 150 moves are one action (cooperate), as in 1 more",
        "covariate 'word' tells every move",
    ]
