from __future__ import annotations

import numpy as np
import pytest

from intent import generate, label
from intent.base.errors import UsageError
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.classifiers import LogisticRecogniser
from intent.recognise.labels.label import label_log, recognisers_of_parts


class Told(LogisticRecogniser):
    """A trained recogniser that can be told the noise; it remembers what."""

    def with_eps(self, eps):
        new = Told(C=self.C)
        vars(new).update(vars(self))
        new.eps_, new.eps_prior = "integrate" if eps is None else eps, (0.0, 0.2)
        return new


@pytest.fixture(scope="module")
def play():
    return generate(n=800, rounds=30, eps=0.12, seed=5)


@pytest.fixture(scope="module")
def aware(play):
    return Told().fit(play.trajectories(), play.trajectories().keys["strategy"])


def eps_of(model, X, **options):
    return [part.eps_ for _, _, part in recognisers_of_parts(model, X, options)]


def test_another_recogniser_is_told_the_noise_where_it_listens(play, aware):
    X = play.trajectories()
    assert eps_of(aware, X, eps=0.03) == [0.03]
    assert eps_of(aware, X, eps="integrate") == ["integrate"]
    assert eps_of(aware, X, eps="estimate") == pytest.approx([0.12], abs=0.01)
    labels = label_log(play, aware, eps="estimate")
    assert labels.provenance["eps"] == pytest.approx(0.12, abs=0.01)


def test_groups_are_told_apart(play, aware):
    X = play.trajectories()
    parts = recognisers_of_parts(aware, X, {"eps": "estimate"}, ["strategy"])
    assert [name for name, _, _ in parts] == list(dict.fromkeys(X.keys["strategy"]))
    assert sorted(np.concatenate([rows for _, rows, _ in parts])) == list(range(800))


def test_what_belongs_to_bayes_alone(play, aware):
    with pytest.raises(UsageError, match="--prior belongs to a bayes recogniser, but this one is logistic"):
        label(play, aware, eps=0.1, prior={"TFT": 1.0})


def test_bayes_keeps_what_it_was_saved_with(play):
    X = play.trajectories()
    model = BayesRecogniser("canonical4", eps=0.2, prior=[0.4, 0.2, 0.2, 0.2]).fit()
    (_, _, part), *_ = recognisers_of_parts(model, X, {"eps_prior": (0.0, 0.1)}, background=False)
    assert (part.eps_, part.prior_.tolist()) == (0.2, [0.4, 0.2, 0.2, 0.2])
    for options in ({}, {"eps_prior": (0.0, 0.1)}):
        (_, _, part), *_ = recognisers_of_parts(model, X, options)
        assert part.eps_ == 0.2
        assert part.prior_.tolist() == pytest.approx([0.32, 0.16, 0.16, 0.16, 0.2])
