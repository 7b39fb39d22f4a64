"""What every model of choice promises, whatever it stands on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import DataError, RecogniserError, UsageError
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.model import MODELS, ChoiceModel, make_model, moves_made
from intent.estimate.choice.tracker import Tracker

PAYOFFS = np.array([[[1.0, 5.0], [0.0, 3.0]]])
RPS = np.array([[[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]])


def play(n: int = 120, rounds: int = 8, actions: int = 2, seed: int = 0) -> Choices:
    """Players who mostly repeat the other's last move, two games each, some moves missing."""
    rng = np.random.default_rng(seed)
    other = rng.integers(0, actions, (n, rounds)).astype(np.int8)
    own = rng.integers(0, actions, (n, rounds)).astype(np.int8)
    follows = rng.random((n, rounds)) < 0.8
    follows[:, 0] = False
    own[:, 1:] = np.where(follows[:, 1:], other[:, :-1], own[:, 1:])
    gap = rng.random((n, rounds)) < 0.05
    chosen = np.where(gap, np.int8(-1), own).astype(np.int8)
    own = np.where(gap & (rng.random((n, rounds)) < 0.5), np.int8(-1), own).astype(np.int8)
    chosen[own < 0] = -1
    covariates = pd.DataFrame({"model": np.where(rng.random(n) < 0.5, "a", "b"), "size": rng.random(n)})
    names = ("defect", "cooperate") if actions == 2 else tuple("rps"[:actions])
    payoffs = PAYOFFS if actions == 2 else RPS
    return Choices(
        own, other, chosen, names, np.arange(n) // 2, covariates, payoffs, np.zeros(n, dtype=np.intp)
    )


CHEAP: dict[str, dict[str, object]] = {
    "trees": {"leaves": (4,), "trees": 20},
    "network": {"hidden": 8, "epochs": 20, "rows": 32},
}
"""Settings of rows whose fit takes long."""


@cache
def fitted(name: str, actions: int = 2) -> ChoiceModel:
    """A model with its default settings, or cheap ones, fitted once."""
    return make_model(name, **CHEAP.get(name, {})).fit(play(actions=actions))


def sizes(name: str) -> list[int]:
    """The numbers of actions that it takes."""
    return [2, 3] if make_model(name).any_actions else [2]


@cache
def fitted_to_moves(name: str) -> ChoiceModel:
    """The same without covariates: so mixtures are followed in constant time."""
    return make_model(name, **CHEAP.get(name, {})).fit(replace(play(), covariates=None))


CASES = [(name, actions) for name in sorted(MODELS) for actions in sizes(name)]
every = pytest.mark.parametrize(("name", "actions"), CASES, ids=[f"{name}-{a}" for name, a in CASES])


@every
def test_probabilities_lie_inside_and_sum_to_one(name: str, actions: int) -> None:
    X = play(actions=actions, seed=1)
    p = fitted(name, actions).next_move(X)
    assert p.shape == (*X.shape, actions)
    assert p.min() > 0
    np.testing.assert_allclose(p.sum(-1), 1)


@every
def test_later_moves_change_no_earlier_probability(name: str, actions: int) -> None:
    X, turn = play(30, actions=actions, seed=2), 4
    before = fitted(name, actions).next_move(X)
    other, own = X.other.copy(), X.own.copy()
    last = np.r_[X.subject[1:] != X.subject[:-1], True]  # of each subject's games
    rows = np.flatnonzero(last)
    other[rows, turn:] = (other[rows, turn:] + 1) % actions
    own[rows, turn:] = np.where(own[rows, turn:] < 0, -1, (own[rows, turn:] + 1) % actions)
    changed = Choices(
        own,
        other,
        np.where(X.chosen >= 0, own, np.int8(-1)).astype(np.int8),
        X.actions,
        X.subject,
        X.covariates,
        X.payoffs,
        X.payoff_of,
    )
    after = fitted(name, actions).next_move(changed)
    np.testing.assert_allclose(after[~last], before[~last])
    np.testing.assert_allclose(after[rows, : turn + 1], before[rows, : turn + 1])


@pytest.mark.parametrize(
    ("name", "actions", "covariates"),
    [
        pytest.param(name, actions, covariates, id=f"{name}-{actions}-{covariates}")
        for name, actions in CASES
        for covariates in ((True, False) if actions == 2 else (True,))
    ],
)
def test_play_that_is_followed_round_by_round_is_predicted_alike(name, actions, covariates) -> None:
    X = play(30, actions=actions, seed=6)
    X = replace(X, subject=np.where(X.subject < 4, 0, X.subject))  # who returns often, and who never does
    if covariates:
        model = fitted(name, actions)
    else:
        model, X = fitted_to_moves(name), replace(X, covariates=None)
    unplayed = {
        side: np.where(getattr(X, side) < 0, -1, 0).astype(np.int8) for side in ("own", "other", "chosen")
    }
    whole, ahead = model.next_move(X), model.ahead(replace(X, **unplayed))
    turns = X.before(np.ones(len(X)))
    for turn in range(int(turns.max()) + 1):
        rows = np.flatnonzero(turns == turn)
        ahead.begin(rows)
        for t in range(X.shape[1]):
            counts = X.counted[rows, t]
            np.testing.assert_allclose(ahead.next_move()[counts], whole[rows, t][counts], atol=2e-6)
            ahead.moved(X.own[rows, t], X.other[rows, t], X.chosen[rows, t])


@every
def test_own_decision_of_a_round_does_not_predict_itself(name: str, actions: int) -> None:
    X = play(30, actions=actions, seed=3)
    hidden = Choices(
        X.own,
        X.other,
        np.full_like(X.chosen, -1),
        X.actions,
        np.arange(len(X)),
        X.covariates,
        X.payoffs,
        X.payoff_of,
    )
    alone = X[:]
    alone = Choices(
        X.own, X.other, X.chosen, X.actions, np.arange(len(X)), X.covariates, X.payoffs, X.payoff_of
    )
    first = fitted(name, actions).next_move(alone)[:, 0]
    np.testing.assert_allclose(fitted(name, actions).next_move(hidden)[:, 0], first)


@every
def test_one_subject_equals_the_batch(name: str, actions: int) -> None:
    X = play(20, actions=actions, seed=4)
    model = fitted(name, actions)
    whole = model.next_move(X)
    for subject in np.unique(X.subject)[:4]:
        rows = np.flatnonzero(X.subject == subject)
        np.testing.assert_allclose(model.next_move(X[rows]), whole[rows], atol=1e-6)


@every
def test_shorter_and_longer_games_are_predicted(name: str, actions: int) -> None:
    for rounds in (3, 12):
        X = play(10, rounds, actions, seed=5)
        assert np.isfinite(fitted(name, actions).next_move(X)).all()


@every
def test_it_does_not_lose_to_the_base_rate_where_it_was_fitted(name: str, actions: int) -> None:
    X = play(actions=actions)
    base = make_model("base-rate").fit(X).score(X)
    assert fitted(name, actions).score(X) > base - 0.01


@every
def test_score_is_the_mean_log_probability_of_the_moves(name: str, actions: int) -> None:
    X = play(20, actions=actions, seed=6)
    model = fitted(name, actions)
    made = moves_made(model.next_move(X), X)
    assert model.score(X) == pytest.approx(np.log(made[X.chosen >= 0]).mean())


@every
def test_saved_and_restored_it_predicts_alike(name: str, actions: int) -> None:
    X, model = play(20, actions=actions, seed=7), fitted(name, actions)
    state, files = model.to_state()
    copy = make_model(name, **CHEAP.get(name, {}))
    copy.actions_, copy.notes_ = model.actions_, []
    copy.from_state(json.loads(json.dumps(state)), files)
    np.testing.assert_allclose(copy.next_move(X), model.next_move(X), atol=1e-7)
    for mine, theirs in zip(copy.parameters(), model.parameters(), strict=True):
        assert (mine.name, mine.of) == (theirs.name, theirs.of)
        assert mine.value == pytest.approx(theirs.value)


@every
def test_shares_of_types_sum_to_one(name: str, actions: int) -> None:
    model = fitted(name, actions)
    if types := model.types():
        assert sum(t.share for t in types) == pytest.approx(1)
        posterior = model.memberships(play(20, actions=actions, seed=8))
        assert posterior.shape == (20, len(types))
        np.testing.assert_allclose(posterior.sum(1), 1)


@every
def test_whether_a_move_counts_does_not_change_what_was_said_before_it(name: str, actions: int) -> None:
    X, turn = play(20, actions=actions, seed=9), 3
    chosen = X.chosen.copy()
    chosen[:, turn] = -1
    model = fitted(name, actions)
    alone = replace(X, subject=np.arange(len(X)))
    p, q = (model.next_move(x)[:, turn] for x in (alone, replace(alone, chosen=chosen)))
    np.testing.assert_allclose(p, q)


FOLLOWED = {"automata", "drifting", "memory-one", "memory-two", "response"}
"""Mixtures that a tracker follows in constant time, where they know no covariates."""


def tracked(name: str, fit: Callable[[str], ChoiceModel], gaps: bool) -> object:
    """All of those who are followed; the others are asked anew, once with covariates and unknown moves."""
    exhaustive = name not in FOLLOWED and (fit is fitted_to_moves or not gaps)
    words = ("covariates" if fit is fitted else "moves", "some unknown" if gaps else "all known")
    marks = pytest.mark.exhaustive if exhaustive else ()
    return pytest.param(name, fit, gaps, id="-".join((name, *words)), marks=marks)


@pytest.mark.parametrize(
    ("name", "fit", "gaps"),
    [
        tracked(name, fit, gaps)
        for name in sorted(MODELS)
        for fit in (fitted, fitted_to_moves)
        for gaps in (False, True)
    ],
)
def test_a_tracker_says_what_the_model_says_of_the_whole_game(
    name: str, fit: Callable[[str], ChoiceModel], gaps: bool
) -> None:
    """Before every round, whoever is followed in constant time and whoever is asked anew."""
    X, model = play(6, seed=10), fit(name)
    assert X.covariates is not None
    if not gaps:
        X = replace(X, own=np.maximum(X.own, 0))
    X = replace(X, chosen=X.own, subject=np.arange(len(X)))
    p = model.next_move(X)[..., 1]
    posterior = model.memberships(X) if model.types() else None
    rows = np.argsort(-(X.own < 0).sum(axis=1), kind="stable")  # who is asked anew answers slowly
    for row in rows[: 4 if name in FOLLOWED else 2]:
        tracker = Tracker(model, covariates=dict(X.covariates.iloc[row]), payoffs=PAYOFFS[0])
        for t in range(X.shape[1]):
            assert tracker.belief.next_move == pytest.approx(p[row, t], abs=1e-6)
            tracker.update(*(None if m[row, t] < 0 else int(m[row, t]) for m in (X.own, X.other)))
        if posterior is not None:
            assert list(tracker.belief.posterior.values()) == pytest.approx(posterior[row], abs=1e-6)


def test_mixtures_are_followed_in_constant_time() -> None:
    known = {name for name in MODELS if fitted_to_moves(name).followed() is not None}
    assert known == FOLLOWED


@pytest.mark.parametrize("name", ["automata", "drifting", "memory-one", "response"])
@pytest.mark.parametrize("acts", ["membership", "response"])
def test_a_tracker_asks_for_the_covariates_of_a_mixture(name: str, acts: str, monkeypatch) -> None:
    _stopped_early(monkeypatch)  # any fit will do
    model = make_model(f"{name}@{acts}").fit(play(40))
    with pytest.raises(UsageError, match="covariate 'model'"):
        Tracker(model)


@pytest.mark.parametrize("name", sorted(n for n in MODELS if make_model(n).needs_payoffs))
def test_a_tracker_of_a_model_that_looks_at_payoffs_asks_for_them(name: str) -> None:
    with pytest.raises(UsageError, match="payoffs= with four numbers"):
        Tracker(fitted(name))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_grammar_of_scikit_learn(name: str) -> None:
    from sklearn.base import clone

    model = make_model(name)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(RecogniserError, match="not fitted"):
        model.next_move(play(4))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_other_actions_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="actions"):
        fitted(name).next_move(play(4, actions=3))
    if not make_model(name).any_actions:
        with pytest.raises(DataError, match="two actions"):
            make_model(name).fit(play(20, actions=3))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_nothing_to_learn_from_is_one_line(name: str) -> None:
    X = play(4)
    empty = Choices(X.own, X.other, np.full_like(X.chosen, -1), X.actions, X.subject)
    with pytest.raises(DataError, match="no move"):
        make_model(name).fit(empty)


def _stopped_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """No search gets further than a step."""
    import scipy.optimize

    import intent.estimate.choice.automata as automata
    import intent.estimate.choice.regression as regression
    import intent.estimate.mixture as mixture

    minimise, minimised, maximise = scipy.optimize.minimize, regression.minimised, mixture.maximise

    def one_step(*args, options=None, **settings):
        return minimise(*args, options={**(options or {}), "maxiter": 1}, **settings)

    monkeypatch.setattr(scipy.optimize, "minimize", one_step)
    monkeypatch.setattr(regression, "minimised", lambda *a, **k: minimised(*a, **{**k, "steps": 1}))
    monkeypatch.setattr(mixture, "maximise", lambda *a, **k: maximise(*a, **{**k, "most": 1}))
    monkeypatch.setattr(automata, "_MOST_ITERATIONS", 1)


STOPPED = {
    "automata:canonical4": {},
    "automata:canonical4@membership": {},
    "drifting:canonical4": {},
    "response:canonical4": {"n_iter": 1, "tol": 1e-300},
    "memory-one:2": {"n_iter": 1},
    "memory-two:2": {"n_iter": 1},
    "logit": {},
    "logit-settings": {},
    "reinforcement": {},
    "attraction": {},
    "belief": {},
    "level-k": {},
    "strategy-learning:canonical4": {},
}


@pytest.mark.parametrize("name", STOPPED)
def test_a_search_that_was_stopped_is_a_note_and_predicts_all_the_same(name, monkeypatch):
    _stopped_early(monkeypatch)
    X = play()
    model = make_model(name, **STOPPED[name]).fit(X)
    words = ("did not converge", "had not come to rest")
    assert any(word in note for note in model.notes_ for word in words), model.notes_
    p = model.next_move(X)
    assert np.isfinite(p).all()
    assert np.allclose(p.sum(-1), 1)
