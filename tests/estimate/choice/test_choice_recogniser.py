"""A fitted model of choice labels, is saved without pickle, and plays."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import intent
from intent.base.errors import DataError, OutputError, RecogniserError, UnknownNameError, UsageError
from intent.base.job import Table
from intent.estimate.choice.fit import fit_model
from intent.estimate.choice.model import make_model, moves_made
from intent.estimate.choice.recogniser import ChoiceRecogniser
from intent.estimate.choice.tracker import Tracker
from intent.recognise.recogniser import load_recogniser, save_recogniser

MODELS = ("automata:canonical4", "memory-one:2", "memory-two:2")


@pytest.fixture(scope="module")
def log() -> intent.GameLog:
    """Half ALLD, half TFT, who slip in eight moves of a hundred."""
    rng = np.random.default_rng(3)
    rows = []
    for game in range(120):
        last = {0: 1, 1: 1}
        for t in range(8):
            moves = {}
            for seat in (0, 1):
                plan = last[1 - seat] if (game + seat) % 2 else 0
                moves[seat] = plan ^ int(rng.random() < 0.08)
            for seat in (0, 1):
                rows.append((f"g{game}", t + 1, f"p{game}_{seat}", "CD"[1 - moves[seat]], "ab"[seat]))
            last = moves
    table = pd.DataFrame(rows, columns=["game_id", "round", "player", "action", "model"])
    return intent.read_log(table, cooperate="C")


@pytest.fixture(scope="module", params=MODELS)
def saved(
    request: pytest.FixtureRequest, log: intent.GameLog, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("fitted") / "model"
    fit_model(log, request.param, output=folder)
    return folder


def test_a_restored_one_gives_the_same_posterior_and_moves(saved: Path, log: intent.GameLog) -> None:
    X = log.trajectories()
    model = load_recogniser(saved)
    assert isinstance(model, ChoiceRecogniser)
    again = save_recogniser(model, saved.parent / "again", overwrite=True)
    other = load_recogniser(again)
    np.testing.assert_allclose(other.predict_proba(X), model.predict_proba(X))
    np.testing.assert_allclose(other.chances(X), model.chances(X))


def test_files_hold_no_pickle(saved: Path) -> None:
    names = {f.name for f in saved.iterdir()}
    assert "recogniser.json" in names
    assert not any(name.endswith((".pkl", ".pickle", ".joblib")) for name in names)
    json.loads((saved / "recogniser.json").read_text())


def test_labels_have_a_posterior_for_each_type(saved: Path, log: intent.GameLog) -> None:
    model = load_recogniser(saved)
    table = intent.label(log, saved, background=False, coin=False)
    columns = [f"p_{name}" for name in model.classes_]
    np.testing.assert_allclose(table[columns].sum(axis=1), 1)
    np.testing.assert_allclose(table[columns], model.predict_proba(log.trajectories()), atol=1e-6)


def test_chances_are_the_models_own(saved: Path, log: intent.GameLog) -> None:
    model = load_recogniser(saved)
    choices = model.choices(log.trajectories())
    made = moves_made(model.model_.next_move(choices), choices)
    np.testing.assert_allclose(model.chances(log.trajectories()), made)


def test_a_tracker_of_it_says_what_the_model_predicts(saved: Path, log: intent.GameLog) -> None:
    model, X = load_recogniser(saved), log.trajectories()
    p = model.model_.next_move(model.choices(X[:5]))[:, :, 1]
    for row in range(5):
        tracker = Tracker(saved)
        for t in range(X.shape[1]):
            assert tracker.belief.next_move == pytest.approx(p[row, t], abs=1e-6)
            tracker.update(int(X.own[row, t]), int(X.other[row, t]))
        expected = model.predict_proba(X[row : row + 1])[0]
        np.testing.assert_allclose(list(tracker.belief.posterior.values()), expected, atol=1e-6)


def test_types_that_allow_every_play_are_not_said_to_fit_exactly(saved: Path, log: intent.GameLog) -> None:
    table = intent.label(log, saved, coin=False)
    free = [s.name for s in load_recogniser(saved).strategies_ if all(0 < p < 1 for p in s.p_cooperate)]
    assert free
    assert not any(name in listed for listed in table["consistent"] for name in free)


def test_games_of_a_subject_are_pooled(saved: Path, log: intent.GameLog) -> None:
    model, X = load_recogniser(saved), log.trajectories()[:6]
    subjects = np.array([0, 0, 1, 1, 1, 2])
    pooled = model.predict_proba_pooled(X, subjects)
    single = model.predict_proba(X)
    played = model.shares_ > 0
    prior = model.shares_[played]
    expected = prior * np.prod(single[2:5, played] / prior, axis=0)
    np.testing.assert_allclose(pooled[1, played], expected / expected.sum(), atol=1e-6)
    np.testing.assert_allclose(pooled[2], single[5], atol=1e-9)


def test_a_model_without_types_predicts_but_does_not_label(log: intent.GameLog, tmp_path: Path) -> None:
    fit_model(log, "round-rate", output=tmp_path / "rates")
    model = load_recogniser(tmp_path / "rates")
    assert model.chances(log.trajectories()).shape == (240, 8)
    with pytest.raises(RecogniserError, match="no types to label with"):
        intent.label(log, tmp_path / "rates")


def test_covariates_are_asked_for_where_they_are_missing(log: intent.GameLog, tmp_path: Path) -> None:
    fit_model(log, "setting-rate", covariates=["model"], output=tmp_path / "by_model")
    model = load_recogniser(tmp_path / "by_model")
    X = log.trajectories()
    assert model.chances(X).shape == X.shape
    bare = X[:2]
    bare.keys = bare.keys[["game_id", "seat"]]
    with pytest.raises(DataError, match="covariate 'model'"):
        model.chances(bare)
    with pytest.raises(UsageError, match="covariate 'model'"):
        Tracker(model)
    assert 0 < Tracker(model, covariates={"model": "a"}).belief.next_move < 1


def test_covariates_of_the_other_player_are_those_of_its_row(log: intent.GameLog, tmp_path: Path) -> None:
    fit_model(log, "memory-one:2@both", covariates=["model", "other_model"], output=tmp_path / "both")
    model, X = load_recogniser(tmp_path / "both"), log.trajectories()
    assert isinstance(model, ChoiceRecogniser)
    known = model.choices(X).covariates
    assert known is not None
    expected = {"a": "b", "b": "a"}
    assert known["other_model"].tolist() == [expected[m] for m in X.keys["model"]]
    table = intent.label(log, tmp_path / "both", background=False)
    columns = [f"p_{name}" for name in model.classes_]
    np.testing.assert_allclose(table[columns], model.predict_proba(X), atol=1e-6)
    with pytest.raises(DataError, match=r"'other_model', which .* for both players of each game"):
        model.predict_proba(X[np.flatnonzero(X.keys["seat"] == 1)])


def test_a_fit_says_what_covariates_do_to_the_responses(log: intent.GameLog) -> None:
    parts = fit_model(log, "memory-one:2@response", covariates=["model"]).parts()
    (effects,) = (p for p in parts if isinstance(p, Table) and str(p.title).startswith("What covariates do"))
    assert [row[:2] for row in effects.rows] == [["model=a", "cooperating"], ["model=b", "cooperating"]]
    rows = fit_model(log, "automata:canonical4@response", covariates=["model"]).recogniser.model_.effects()
    assert {(p.name, p.of) for p in rows} == {("model=a", "tremble"), ("model=b", "tremble")}
    assert not fit_model(log, "memory-one:2", covariates=["model"]).recogniser.model_.effects()


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"model": "memory-too"}, UnknownNameError, "memory-two"),
        ({"model": "base-rate:3"}, UsageError, "nothing after a colon"),
        ({"model": "base-rate", "covariates": ["model"]}, UsageError, "does not use any"),
        ({"model": "setting-rate", "covariates": ["modle"]}, UnknownNameError, "model"),
    ],
)
def test_what_cannot_be_fitted_is_one_line(
    settings: dict, error: type, words: str, log: intent.GameLog
) -> None:
    with pytest.raises(error, match=words):
        fit_model(log, **settings)


def test_a_folder_that_is_there_is_kept(saved: Path, log: intent.GameLog) -> None:
    with pytest.raises(OutputError, match="exists"):
        fit_model(log, "base-rate", output=saved)


@pytest.mark.parametrize(
    "change",
    [
        {"actions": ["cooperate"]},
        {"actions": [1, 2]},
        {"parameters": []},
        {"model": {}},
    ],
)
def test_a_crafted_folder_is_refused(change: dict, saved: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(saved, tmp_path / "crafted"))
    manifest = json.loads((copy / "recogniser.json").read_text())
    manifest["state"] |= change
    (copy / "recogniser.json").write_text(json.dumps(manifest))
    with pytest.raises(RecogniserError, match="not a readable recogniser"):
        load_recogniser(copy)


def test_a_model_fitted_in_python_is_saved_too(log: intent.GameLog, tmp_path: Path) -> None:
    model = make_model("memory-one:2").fit(log)
    save_recogniser(ChoiceRecogniser.of_fitted(model, "memory-one:2"), tmp_path / "mine")
    np.testing.assert_allclose(
        load_recogniser(tmp_path / "mine").model_.next_move(log), model.next_move(log), atol=1e-9
    )
