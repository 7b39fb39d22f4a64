import numpy as np
import pytest

from intent import Trajectories
from intent.base.errors import RecogniserError
from intent.play.corpora import Corpus, generate_arrays
from intent.play.dataset import DatasetSpec
from intent.recognise.bayes import log_evidence, normalise
from intent.recognise.lstm import LstmRecogniser, fit_endless, fresh_play
from intent.recognise.recogniser import load_recogniser, save_recogniser
from intent.strategies.sets import strategy_set

FOUR = strategy_set("canonical4")
SMALL = {"hidden": 16, "steps": 40, "learning_rate": 0.02, "check_every": 20, "random_state": 0}
SPEC = DatasetSpec(rounds=(5, 12), eps=(0.0, 0.2), opponent="random")


@pytest.fixture(scope="module")
def play():
    corpus = Corpus(FOUR, 400, rounds=(4, 9), eps=(0.02, 0.02))
    X, y = generate_arrays(corpus, np.random.default_rng(5))
    return X, np.array([s.name for s in FOUR])[y]


@pytest.fixture(scope="module")
def aware():
    return fit_endless(LstmRecogniser(moves=2000, **SMALL), SPEC, seed=1)


def test_the_posterior_after_each_round_is_that_of_the_play_so_far(play, aware):
    X = play[0][:40]
    path = aware.predict_proba_path(X)
    assert path.shape == (*X.shape, 4)
    for t in range(X.shape[1]):
        assert np.allclose(path[:, t], aware.predict_proba(X.truncated(t + 1)), atol=1e-5)


def test_unknown_rounds_at_the_end_change_nothing(play, aware):
    X = play[0]
    padded = Trajectories(
        np.pad(X.own, ((0, 0), (0, 6)), constant_values=-1),
        np.pad(X.other, ((0, 0), (0, 6)), constant_values=-1),
    )
    assert np.allclose(aware.predict_proba(padded), aware.predict_proba(X), atol=1e-6)


def test_no_known_move_gives_equal_probabilities(aware):
    none = np.full((3, 4), -1, dtype=np.int8)
    assert aware.predict_proba(Trajectories(none, none)).tolist() == [[0.25] * 4] * 3
    assert aware.predict_proba_path(Trajectories(none, none)).tolist() == [[[0.25] * 4] * 4] * 3


def test_a_row_does_not_depend_on_its_neighbours(play, aware):
    X = play[0]
    alone = np.concatenate([aware.predict_proba(X[i : i + 1]) for i in range(20)])
    assert np.allclose(alone, aware.predict_proba(X)[:20], atol=1e-5)


def test_it_can_be_told_the_noise_if_it_was_trained_so(play, aware):
    X = play[0]
    told = aware.with_eps(0.05)
    assert (told.eps_, aware.eps_) == (0.05, "integrate")
    assert not np.allclose(told.predict_proba(X), aware.predict_proba(X), atol=1e-3)
    assert np.array_equal(told.with_eps(None).predict_proba(X), aware.predict_proba(X))
    with pytest.raises(RecogniserError, match=r"eps is 0\.7, expected a number in \[0, \.5\)"):
        aware.with_eps(0.7)


def test_labels_do_not_tell_the_noise(play):
    learned = LstmRecogniser(**SMALL).fit(*play)
    with pytest.raises(RecogniserError, match="trained without known noise"):
        learned.with_eps(0.05)
    with pytest.raises(RecogniserError, match="cannot be told eps"):
        LstmRecogniser(eps=0.05, **SMALL).fit(*play)


def test_play_of_one_noise_teaches_the_posterior_at_that_noise(play):
    spec = SPEC.model_copy(update={"eps": (0.05, 0.05)})
    learned = fit_endless(LstmRecogniser(moves=500, **SMALL), spec, seed=1)
    assert learned.eps_ == 0.05


def test_a_told_one_is_saved_as_told(play, aware, tmp_path):
    told = aware.with_eps(0.1)
    loaded = load_recogniser(save_recogniser(told, tmp_path / "told"))
    assert np.array_equal(loaded.predict_proba(play[0]), told.predict_proba(play[0]))
    assert loaded.eps_ == 0.1
    assert loaded.with_eps(None).eps_ == "integrate"


def test_training_says_how_it_went(aware):
    assert aware.curves_["step"] == [20, 40]
    assert len(aware.curves_["loss"]) == len(aware.curves_["measured"]) == 2
    assert aware.curves_["loss"][1] < aware.curves_["loss"][0]


def test_a_resumed_training_ends_where_an_uninterrupted_one_does(play, tmp_path):
    class Crash(Exception):
        pass

    def crash(done, total):
        if done >= 40:
            raise Crash

    settings = {**SMALL, "steps": 60}
    whole = fit_endless(LstmRecogniser(moves=1000, **settings), SPEC, seed=2)
    file = tmp_path / "training.ckpt"
    with pytest.raises(Crash):
        fit_endless(LstmRecogniser(moves=1000, **settings), SPEC, seed=2, checkpoint=file, update=crash)
    assert file.is_file()
    resumed = fit_endless(LstmRecogniser(moves=1000, **settings), SPEC, seed=2, checkpoint=file)
    assert resumed.curves_ == whole.curves_
    assert np.array_equal(resumed.predict_proba(play[0]), whole.predict_proba(play[0]))


def test_another_training_is_not_gone_on_with(tmp_path):
    file = tmp_path / "training.ckpt"
    fit_endless(LstmRecogniser(moves=500, **SMALL), SPEC, seed=2, checkpoint=file)
    narrow = SPEC.model_copy(update={"eps": (0.0, 0.01)})
    for changed, spec, seed in (
        ({}, SPEC, 3),
        ({}, narrow, 2),
        ({"hidden": 8}, SPEC, 2),
        ({"steps": 60}, SPEC, 2),
    ):
        with pytest.raises(RecogniserError, match="checkpoint of another training"):
            fit_endless(LstmRecogniser(moves=500, **{**SMALL, **changed}), spec, seed=seed, checkpoint=file)
    file.write_bytes(b"not a checkpoint")
    with pytest.raises(RecogniserError, match="not a checkpoint that can be read"):
        fit_endless(LstmRecogniser(moves=500, **SMALL), SPEC, seed=2, checkpoint=file)


def test_noise_that_was_never_told_in_training_cannot_be_assumed():
    blind = LstmRecogniser(eps=0.05, aware=False, moves=500, **SMALL)
    with pytest.raises(RecogniserError, match="trained without known noise"):
        fit_endless(blind, SPEC, seed=1)


def test_trajectories_without_a_known_move_teach_nothing(play):
    X, y = play
    known = (np.arange(len(X)) < 2)[:, None]
    sparse = Trajectories(np.where(known, X.own, -1), X.other)
    assert np.isfinite(LstmRecogniser(**{**SMALL, "moves": 9}).fit(sparse, y).predict_proba(X)).all()
    with pytest.raises(RecogniserError, match="nothing to learn from"):
        LstmRecogniser(**SMALL).fit(Trajectories(np.full((2, 3), -1), np.full((2, 3), -1)), ["ALLC", "ALLD"])


@pytest.mark.parametrize("name", ["hidden", "steps", "moves", "check_every", "patience"])
def test_a_number_of_nothing_is_refused(play, name):
    with pytest.raises(RecogniserError, match=f"{name} is 0, expected a whole number above 0"):
        LstmRecogniser(**{**SMALL, name: 0}).fit(*play)


def test_it_stops_when_nothing_gets_better():
    settings = {**SMALL, "learning_rate": 0.0, "steps": 400, "patience": 2}
    stuck = fit_endless(LstmRecogniser(moves=500, **settings), SPEC, seed=1)
    assert stuck.curves_["step"] == [20, 40, 60]


def test_the_best_weights_are_kept():
    measured = iter([0.3, 0.1, 0.2])
    seen = []

    def regret(recogniser):
        seen.append({k: v.clone() for k, v in recogniser.network_.state_dict().items()})
        return next(measured)

    play = fresh_play(SPEC, 1, moves=500)
    play = type(play)(play.strategies, play.eps, play.draw, regret)
    kept = LstmRecogniser(moves=500, **{**SMALL, "steps": 60}).fit_stream(play)
    assert all((v == seen[1][k]).all() for k, v in kept.network_.state_dict().items())


def test_the_same_step_draws_the_same_play():
    play = fresh_play(SPEC, 3, moves=500, aware=True)
    (one, eps), (two, again) = play.draw(7), play.draw(7)
    assert np.array_equal(one.own, two.own)
    assert np.array_equal(eps, again, equal_nan=True)
    assert 0 < np.isfinite(eps).mean() < 1


def test_the_exact_rule_has_no_regret():
    class Exact:
        def predict_proba(self, X):
            return normalise(log_evidence(X, FOUR, "integrate"), np.full(4, 0.25))

    assert fresh_play(SPEC, 1).regret(Exact()) == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_five_minutes_are_not_needed_to_come_near_the_ceiling():
    spec = DatasetSpec(rounds=(5, 20), eps=(0.0, 0.2), opponent="random")
    learned = fit_endless(
        LstmRecogniser(hidden=32, steps=700, learning_rate=0.008, moves=5000, random_state=0), spec, seed=1
    )
    assert learned.curves_["measured"][-1] < 0.004
