from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sfem_populations import population

from intent import Trajectories, load_recogniser
from intent.base.errors import RecogniserError
from intent.estimate.mixture import shares_of
from intent.estimate.recogniser import SfemRecogniser
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.recogniser import save_recogniser


@pytest.fixture
def play(rng):
    X, subjects, _ = population("canonical4", (60, 40, 20, 10), 1, rng, rounds=20)
    return Trajectories(X.own, X.other, keys=pd.DataFrame({"player": [f"p{i // 2}" for i in subjects]}))


def test_the_posterior_is_bayes_rule_at_the_estimates(play):
    model = SfemRecogniser().fit(play)
    assert model.shares_ == pytest.approx([6 / 13, 4 / 13, 2 / 13, 1 / 13], abs=0.03)
    bayes = BayesRecogniser(eps=model.eps_, prior=model.shares_).fit()
    assert np.allclose(model.predict_proba(play), bayes.predict_proba(play))
    assert np.allclose(model.predict_proba(play), model.fit_.posterior, atol=1e-9)


def test_all_games_of_a_player_may_be_one_subject(play):
    assert SfemRecogniser(subjects="player").fit(play).fit_.n_subjects == 65
    assert SfemRecogniser().fit(play).fit_.n_subjects == 130
    with pytest.raises(RecogniserError, match="needs a column 'player'"):
        SfemRecogniser(subjects="player").fit(Trajectories(play.own, play.other))


@pytest.mark.parametrize("eps", ["estimate", "integrate", 0.06])
def test_bayes_takes_its_prior_from_the_log(play, eps):
    model = BayesRecogniser(prior="sfem", eps=eps).fit(play)
    assert model.prior_ == pytest.approx([6 / 13, 4 / 13, 2 / 13, 1 / 13], abs=0.04)
    posterior = model.predict_proba(play).mean(axis=0)
    assert posterior == pytest.approx(model.prior_, abs=1e-6)


def test_an_empirical_prior_is_saved_as_numbers(play, tmp_path):
    model = BayesRecogniser(prior="sfem").fit(play)
    loaded = load_recogniser(save_recogniser(model, tmp_path / "saved"))
    assert loaded.prior == "sfem"
    assert np.array_equal(loaded.predict_proba(play), model.predict_proba(play))
    with pytest.raises(RecogniserError, match="prior='sfem' needs trajectories"):
        BayesRecogniser(prior="sfem").fit()


def test_shares_of_known_components_solve_their_equation(rng):
    ll = rng.normal(size=(200, 3))
    shares = shares_of(ll)
    mix = np.exp(ll) @ shares
    assert (np.exp(ll) / mix[:, None]).mean(axis=0).max() <= 1 + 1e-9
    impossible = np.array([[0.0, -np.inf], [0.0, -np.inf], [-np.inf, 0.0], [-np.inf, -np.inf]])
    assert shares_of(impossible) == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shares": [2, 0, 0, 0]}, "expected 4 probabilities"),
        ({"tremble": [0.1]}, "expected 4 numbers"),
        ({"tremble": [0.1, 0.1, 0.1, 0.6]}, "eps is 0.6"),
        ({"tremble": "often"}, "tremble is often"),
    ],
)
def test_a_forged_state_is_refused(play, tmp_path, change, message):
    path = save_recogniser(SfemRecogniser().fit(play), tmp_path / "saved")
    manifest = json.loads((path / "recogniser.json").read_text())
    manifest["state"] |= change
    (path / "recogniser.json").write_text(json.dumps(manifest))
    with pytest.raises(RecogniserError, match=message):
        load_recogniser(path)


@pytest.mark.parametrize("parameters", [{"tremble": "pooled"}, {"subjects": "group"}, {"bootstrap": -1}])
def test_parameters_that_do_not_exist(play, parameters):
    with pytest.raises(RecogniserError, match=next(iter(parameters))):
        SfemRecogniser(**parameters).fit(play)
