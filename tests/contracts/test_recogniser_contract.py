"""What every recogniser must do. A new row of the registry brings these tests."""

from __future__ import annotations

import hashlib
import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.ensemble import VotingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from intent import Trajectories, load_recogniser
from intent.base.errors import RecogniserError
from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.recogniser import KINDS, make_recogniser, save_recogniser
from intent.strategies.sets import strategy_set

SMALL = {
    "forest": {"n_estimators": 5, "random_state": 0},
    "mlp": {"encoding": "counts", "hidden": (8,), "epochs": 20, "random_state": 0},
    "hmm": {"random_state": 0},
    "lstm": {"hidden": 16, "steps": 30, "learning_rate": 0.03, "check_every": 15, "random_state": 0},
    "calibrated": {"random_state": 0},
}
SEARCHED = {
    "bayes": {"eps": [0.01, 0.1]},
    "logistic": {"C": [0.1, 1.0]},
    "forest": {"min_samples_leaf": [1, 5]},
    "mlp": {"alpha": [0.001, 0.01]},
    "hmm": {"symbols": [10, 14]},
    "lstm": {"hidden": [12, 16]},
    "sfem": {"tremble": ["common", "strategy"]},
    "rules": {"mode": ["expand", "priority"]},
    "hybrid": {"mode": ["expand", "priority"]},
    "calibrated": {"method": ["temperature", "isotonic"]},
}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def recogniser(kind):
    return make_recogniser(kind, **SMALL.get(kind, {}))


@pytest.fixture(scope="module")
def play():
    corpus = Corpus(strategy_set("canonical4"), 400, eps=(0.02, 0.02))
    X, y = generate_arrays(corpus, np.random.default_rng(5))
    names = np.array([s.name for s in corpus.strategies])
    shuffled = np.random.default_rng(6).permutation(400)
    return X[shuffled], names[y[shuffled]]


@pytest.fixture(scope="module")
def learned(play):
    """Kind -> one that learned from all of the play, for tests that leave it as it is."""

    @cache
    def of(kind):
        return make_recogniser(kind, **SMALL.get(kind, {})).fit(*play)

    return of


@pytest.fixture
def fitted(kind, learned):
    return learned(kind)


@pytest.fixture(scope="module")
def stored(learned, tmp_path_factory):
    """Kind -> the folder of that one."""

    @cache
    def of(kind):
        return save_recogniser(learned(kind), tmp_path_factory.mktemp(kind) / "saved")

    return of


@pytest.fixture
def saved(kind, stored, tmp_path):
    """A copy of its folder, to be changed."""
    return Path(shutil.copytree(stored(kind), tmp_path / "saved"))


def test_rows_sum_to_one_and_follow_classes(fitted, play):
    X, _ = play
    proba = fitted.predict_proba(X)
    assert proba.shape == (400, 4)
    assert np.allclose(proba.sum(axis=1), 1)
    assert (proba >= 0).all()
    assert fitted.classes_.tolist() == ["ALLC", "ALLD", "TFT", "WSLS"]


def test_is_better_than_chance_by_far(recogniser, play):
    X, y = play
    assert recogniser.fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.75


def test_clone_keeps_parameters_and_forgets_learning(fitted, play):
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params()
    with pytest.raises(RecogniserError, match="not fitted"):
        fresh.predict_proba(play[0])


def test_pipeline_search_and_cross_validation(kind, recogniser, play):
    X, y = play
    piped = Pipeline([("recognise", recogniser)])
    grid = {f"recognise__{name}": values for name, values in SEARCHED[kind].items()}
    search = GridSearchCV(piped, grid, cv=2).fit(X, y)
    assert search.best_score_ > 0.75
    assert cross_val_score(recogniser, X, y, cv=2).shape == (2,)


def test_scikit_learn_takes_it_for_a_classifier(recogniser):
    assert is_classifier(recogniser)
    assert get_tags(recogniser).estimator_type == "classifier"
    with pytest.raises(RecogniserError, match="unknown parameter 'depth'"):
        recogniser.set_params(depth=1)


@pytest.mark.slow
def test_searches_run_in_parallel_processes(play):
    """All kinds one after the other in the same two processes, which take seconds to load what they need."""
    X, y = play
    for kind in sorted(KINDS, key="lstm".__eq__):  # torch swells a process so much that joblib replaces it
        recogniser = make_recogniser(kind, **SMALL.get(kind, {}))
        found = cross_val_score(recogniser, X, y, cv=2, n_jobs=2)
        assert np.array_equal(found, cross_val_score(recogniser, X, y, cv=2)), kind


def test_it_calibrates_and_votes_as_any_classifier(recogniser, play):
    X, y = play
    cube = np.stack([X.own, X.other], axis=2)
    voting = VotingClassifier([("a", recogniser), ("b", clone(recogniser))], voting="soft").fit(cube, y)
    assert voting.predict_proba(cube).shape == (400, 4)


def test_the_repr_says_what_was_changed(kind):
    (name, values), *_ = SEARCHED[kind].items()
    usual = make_recogniser(kind).get_params()[name]
    other = next(value for value in values if value != usual)
    changed = make_recogniser(kind, **{name: other})
    assert repr(changed) == f"{type(changed).__name__}({name}={other!r})"


def test_saving_keeps_every_probability(fitted, saved, play):
    X, _ = play
    loaded = load_recogniser(saved)
    assert type(loaded) is type(fitted)
    assert loaded.get_params() == fitted.get_params()
    assert np.array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    assert not [f.name for f in saved.iterdir() if f.suffix in (".pkl", ".pickle", ".joblib")]


def test_a_loaded_one_is_cloned_fitted_and_saved_again(fitted, saved, play, tmp_path):
    X, y = play
    loaded = load_recogniser(saved)
    expected = fitted.predict_proba(X)
    assert np.array_equal(clone(loaded).fit(X, y).predict_proba(X), expected)
    again = load_recogniser(save_recogniser(loaded, tmp_path / "again"))
    assert np.array_equal(again.predict_proba(X), expected)


def test_a_broken_file_with_a_matching_digest_is_refused(saved):
    manifest = json.loads((saved / "recogniser.json").read_text())
    if not manifest["files"]:
        pytest.skip("has no files beside its manifest")
    for name in manifest["files"]:
        content = (saved / name).read_bytes()[:-20]
        (saved / name).write_bytes(content)
        manifest["files"][name] = hashlib.sha256(content).hexdigest()
    (saved / "recogniser.json").write_text(json.dumps(manifest))
    with pytest.raises(RecogniserError, match="not a readable recogniser") as caught:
        load_recogniser(saved)
    assert "\n" not in str(caught.value)


def test_same_seed_same_model_same_bytes(fitted, recogniser, saved, play, tmp_path):
    X, y = play
    assert np.array_equal(recogniser.fit(X, y).predict_proba(X), fitted.predict_proba(X))
    again = save_recogniser(recogniser, tmp_path / "again")
    files = {f.name: f.read_bytes() for f in saved.iterdir()}
    assert files == {f.name: f.read_bytes() for f in again.iterdir()}


def test_a_changed_file_is_refused(saved):
    victims = [f for f in saved.iterdir() if f.name != "recogniser.json"]
    target = victims[0] if victims else saved / "recogniser.json"
    target.write_bytes(target.read_bytes()[:-20])
    with pytest.raises(RecogniserError):
        load_recogniser(saved)


def test_missing_rounds_and_other_lengths(fitted, play):
    X, _ = play
    mask = np.ones(X.shape, dtype=bool)
    mask[:, 4] = False
    mask[:, 8:] = False
    proba = fitted.predict_proba(Trajectories(X.own, X.other, mask))
    assert np.isfinite(proba).all()
    assert fitted.predict_proba(X.truncated(3)).shape == (400, 4)


def test_lengths_may_differ_within_a_search(kind, recogniser, play):
    X, y = play
    lengths = np.random.default_rng(7).integers(6, 11, size=len(X))
    ragged = Trajectories(X.own, X.other, np.arange(10) < lengths[:, None])
    search = GridSearchCV(recogniser, SEARCHED[kind], cv=2).fit(ragged, y)
    assert search.best_score_ > 0.6
    assert np.isfinite(search.predict_proba(ragged)).all()


def test_an_array_of_moves_will_do(recogniser, play):
    X, y = play
    cube = np.stack([X.own, X.other], axis=2)
    recogniser.fit(cube, y)
    assert np.array_equal(recogniser.predict_proba(cube), recogniser.predict_proba(X))


def test_no_trajectories(fitted, play):
    assert fitted.predict_proba(play[0][:0]).shape == (0, 4)
