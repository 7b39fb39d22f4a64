"""A tracker believes, after every round, what the recogniser says of the rounds so far."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import UnknownNameError, UsageError
from intent.estimate.choice.tracker import FittedPlayer, Tracker
from intent.games.game import MatrixGame
from intent.logs.gamelog import Trajectories
from intent.play.match import Horizon
from intent.play.referee import play
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.recogniser import Recogniser

PD = MatrixGame.from_trps("pd", 5, 3, 1, 0)


def rounds(T: int, seed: int, gaps: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Moves of both, some unknown: (T,) each."""
    rng = np.random.default_rng(seed)
    own, other = (np.where(rng.random(T) < gaps, -1, rng.integers(0, 2, T)) for _ in range(2))
    return own.astype(np.int8), other.astype(np.int8)


MODELS = {
    "known noise": BayesRecogniser("canonical6", eps=0.1).fit(),
    "prior": BayesRecogniser("canonical4", eps=0.05, prior=(0.1, 0.2, 0.3, 0.4)).fit(),
    "integrated": BayesRecogniser("canonical4", eps="integrate").fit(),
    "intended": BayesRecogniser("rr20", eps=0.1).fit(),
}


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("seed", range(3))
def test_posterior_is_the_recognisers_after_every_round(name: str, seed: int) -> None:
    model: Recogniser = MODELS[name]
    own, other = rounds(12, seed)
    tracker = Tracker(model)
    for t in range(12):
        belief = tracker.update(*(None if m[t] < 0 else int(m[t]) for m in (own, other)))
        expected = model.predict_proba(Trajectories(own[None, : t + 1], other[None, : t + 1]))[0]
        np.testing.assert_allclose(list(belief.posterior.values()), expected, atol=1e-8)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_next_move_is_the_ratio_of_marginal_likelihoods(name: str) -> None:
    model = MODELS[name]
    own, other = rounds(6, 5, gaps=0.0)

    def evidence(length: int, last: int) -> float:
        mine = own[:length].copy()
        mine[-1] = last
        X = Trajectories(mine[None], other[None, :length])
        return float((np.exp(model.log_evidence(X)) @ model.prior_)[0])

    tracker = Tracker(model)
    for t in range(5):
        belief = tracker.update(int(own[t]), int(other[t]))
        c, d = evidence(t + 2, 1), evidence(t + 2, 0)
        assert belief.next_move == pytest.approx(c / (c + d), abs=1e-8)


def test_a_restart_forgets() -> None:
    tracker = Tracker("bayes-canonical4")
    first = tracker.belief
    tracker.update(0, 1)
    assert tracker.belief != first
    tracker.restart()
    assert tracker.belief == first


@pytest.mark.parametrize("move", [2, -1, "C"])
def test_a_move_that_is_none_is_refused(move: object) -> None:
    with pytest.raises(UsageError, match="expected 1"):
        Tracker("bayes-canonical4").update(move, 1)  # type: ignore[arg-type]


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="nobody"):
        Tracker("nobody")


def test_a_fitted_player_draws_a_type_and_sticks_to_it() -> None:
    model = BayesRecogniser("ALLC,ALLD", eps=0.0, prior=(0.7, 0.3)).fit()
    rng, firsts = np.random.default_rng(0), []
    players = [FittedPlayer(model), FittedPlayer(model)]
    for _ in range(400):
        mine = play(PD, players, Horizon(4), rng).actions(1)
        assert len(set(mine)) == 1
        firsts.append(mine[0] == "C")
    assert np.mean(firsts) == pytest.approx(0.7, abs=0.07)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_chances_of_a_log_are_those_of_the_tracker(name: str) -> None:
    model = MODELS[name]
    own, other = rounds(10, 7)
    chances = model.chances(Trajectories(own[None], other[None]))
    tracker = Tracker(model)
    for t in range(10):
        p = tracker.belief.next_move
        expected = np.nan if own[t] < 0 else p if own[t] else 1 - p
        assert chances[0, t] == pytest.approx(expected, abs=1e-8, nan_ok=True)
        tracker.update(*(None if m[t] < 0 else int(m[t]) for m in (own, other)))
