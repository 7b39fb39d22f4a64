"""A model of choice beside a game that is being played: who the other probably is, and what it does next.

A mixture keeps, for each type, the weight of every state that its automaton may be in:

1. a move m has probability sum_s w(k, s) P(m | k, s), and multiplies w(k, s) by P(m | k, s);
2. the outcome moves the weights to the next states; an unknown move of the other counts as a fair coin, an
   unknown own one is summed out.

A round takes time in proportion to types and states, however long the game is. Models without types are asked
anew after every move, which takes time in proportion to the rounds so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.model import LEAST, ChoiceModel
from intent.estimate.choice.recogniser import ChoiceRecogniser
from intent.play.match import View
from intent.play.players import action_labels
from intent.recognise.bayes import assumed_noise, class_strategies, eps_nodes
from intent.recognise.recogniser import Recogniser
from intent.recognise.storage import load_recogniser
from intent.strategies.automaton import Strategy, outcome_code

__all__ = ["Belief", "FittedPlayer", "Tracker"]

Floats = NDArray[np.float64]
Move = int | None

_NODES = 40
"""Rounds for which a noise that is not known is integrated exactly."""


class Belief(NamedTuple):
    """What a tracker believes before a move.

    Attributes
    ----------
    posterior : mapping of type -> probability; empty for models without types
    next_move : float, probability that the next move cooperates
    """

    posterior: Mapping[str, float]
    next_move: float


class Tracker:
    """Follows one player of a game with a cooperative action, move by move.

    Parameters
    ----------
    model : Recogniser, ChoiceModel, name of a shipped recogniser, or folder of a saved one
    covariates : mapping of column -> value, optional
        What is known of the player before the first move, where the model was fitted with covariates.

    Raises
    ------
    UnknownNameError, RecogniserError
        No such recogniser, or one that neither has strategies as classes nor predicts moves.
    UsageError
        A covariate of the model that nobody said.

    Examples
    --------
    >>> tracker = Tracker("bayes-canonical4")
    >>> posterior, next_move = tracker.update(1, 0)
    >>> max(posterior, key=posterior.get)
    'ALLC'
    """

    def __init__(
        self,
        model: Recogniser | ChoiceModel | str | Path,
        *,
        covariates: Mapping[str, Any] | None = None,
    ) -> None:
        recogniser = load_recogniser(model) if isinstance(model, str | Path) else model
        self._covariates = dict(covariates or {})
        self._follows: _Mixture | _Asked
        if isinstance(recogniser, Recogniser) and not isinstance(recogniser, ChoiceRecogniser):
            self._follows = _of_recogniser(recogniser)
        else:
            self._follows = self._of_choice(recogniser)

    @property
    def belief(self) -> Belief:
        """What is believed now."""
        return self._follows.belief()

    def update(self, own: Move, other: Move) -> Belief:
        """Take in a round, and say what is believed before the next one.

        Parameters
        ----------
        own : move of the player that is followed: 1 = cooperate, 0 = defect, None where unknown
        other : move of the one that it plays with

        Raises
        ------
        UsageError
            A move that is none of these.
        """
        for move in (own, other):
            if move not in (0, 1, None):
                raise UsageError(f"move {move!r}, expected 1 (cooperate), 0 (defect) or None")
        self._follows.update(own, other)
        return self.belief

    def restart(self) -> None:
        """Forget everything: a game with somebody else."""
        self._follows.restart()

    def _of_choice(self, model: ChoiceRecogniser | ChoiceModel) -> _Mixture | _Asked:
        fitted = model.model_ if isinstance(model, ChoiceRecogniser) else model
        if fitted.actions_ != COOPERATION:
            raise UsageError(f"the model knows actions {fitted.actions_}, expected cooperate and defect")
        known = getattr(getattr(fitted, "coding_", None), "columns", ())
        missing = [column for column in known if column not in self._covariates]
        if missing:
            raise UsageError(f"the model knows covariate {missing[0]!r}; say it with covariates=")
        types, constant = fitted.types(), not known and getattr(fitted, "constant_time", True)
        if not types or not constant:
            return _Asked(fitted, self._covariates)
        weights = np.array([t.share for t in types])
        return _Mixture(tuple(t.strategy for t in types), weights, np.zeros(len(types)))


def _of_recogniser(model: Recogniser) -> _Mixture:
    """A recogniser whose classes are strategies, with its prior and the noise that it assumes."""
    strategies = class_strategies(model)
    k = len(strategies)
    prior = np.asarray(getattr(model, "prior_", getattr(model, "shares_", np.full(k, 1 / k))))
    eps, spread = assumed_noise(model, "integrate")
    if eps == "integrate":
        nodes, weights = eps_nodes(spread, _NODES)
    else:
        nodes, weights = np.array([float(eps)]), np.ones(1)
    several = tuple(s for s in strategies for _ in nodes)
    return _Mixture(several, np.outer(prior, weights).ravel(), np.tile(nodes, k))


class _Mixture:
    """Weights of the states of K automata, each with a noise: (K, S)."""

    def __init__(self, strategies: Sequence[Strategy], weights: Floats, eps: Floats) -> None:
        self._names = [s.name for s in strategies]
        most = max(s.n_states for s in strategies)
        p = np.full((len(strategies), most), 0.5)
        following = np.zeros((len(strategies), most, 4), dtype=np.intp)
        for k, s in enumerate(strategies):
            p[k, : s.n_states] = s.p_cooperate
            following[k, : s.n_states] = s.next_state
        self._intends, self._eps = p, eps[:, None]
        self._next = following
        self._hidden = np.array([s.memory == "intended" for s in strategies])
        self._start = np.zeros((len(strategies), most))
        self._start[np.arange(len(strategies)), [s.start for s in strategies]] = weights / weights.sum()
        self.restart()

    def restart(self) -> None:
        self._weights = self._start.copy()

    def belief(self) -> Belief:
        by_type = self._weights.sum(1)
        posterior: dict[str, float] = {}
        for name, weight in zip(self._names, by_type.tolist(), strict=True):
            posterior[name] = posterior.get(name, 0.0) + weight
        plays = (1 - self._eps) * self._intends + self._eps * (1 - self._intends)
        chance = float((self._weights * plays).sum())
        return Belief(posterior, min(max(chance, LEAST), 1 - LEAST))

    def update(self, own: Move, other: Move) -> None:
        k, s = self._weights.shape
        after = np.zeros((k, s))
        owns = (0, 1) if own is None else (own,)
        others = ((0, 0.5), (1, 0.5)) if other is None else ((other, 1.0),)
        for intended in (0, 1):
            intends = self._intends if intended else 1 - self._intends
            for played in owns:
                weight = self._weights * intends * np.where(intended == played, 1 - self._eps, self._eps)
                for theirs, chance in others:
                    moved = np.where(self._hidden, intended, played)
                    outcome = outcome_code(1, theirs) + 2 * (1 - moved)
                    to = self._next[np.arange(k), :, outcome]
                    np.add.at(after, (np.arange(k)[:, None], to), weight * chance)
        total = after.sum()
        if total > 0:  # a move that no type allows says nothing of the types, and the states stay
            self._weights = after / total


class _Asked:
    """A model that is asked anew after every move."""

    def __init__(self, model: ChoiceModel, covariates: Mapping[str, Any]) -> None:
        self._model, self._covariates = model, covariates
        self.restart()

    def restart(self) -> None:
        self._own: list[int] = []
        self._other: list[int] = []

    def belief(self) -> Belief:
        own, other = (np.array([[*moves, -1]], dtype=np.int8) for moves in (self._own, self._other))
        frame = pd.DataFrame({name: [value] for name, value in self._covariates.items()})
        play = Choices(own, other, own, COOPERATION, np.zeros(1, np.intp), frame if len(frame) else None)
        chance = float(self._model.next_move(play)[0, -1, 1])
        types = self._model.types()
        shares = self._model.memberships(play)[0].tolist() if types else []
        return Belief({t.name: share for t, share in zip(types, shares, strict=True)}, chance)

    def update(self, own: Move, other: Move) -> None:
        self._own.append(-1 if own is None else own)
        self._other.append(-1 if other is None else other)


class FittedPlayer:
    """Plays as a fitted model of choice, or a recogniser's population, would.

    Each move is drawn from the model's probability given the game so far; of a mixture this is the same as
    drawing a type before the first move and playing it.

    Parameters
    ----------
    model : as `Tracker`
    eps : float in [0, .5), probability per move that the drawn move is flipped
    stand_in : the action that counts as C for seats whose cooperative action the payoffs leave open

    Raises
    ------
    UnknownNameError, RecogniserError, UsageError
        As `Tracker`.
    """

    def __init__(self, model: Any, eps: float = 0.0, stand_in: str | None = None) -> None:
        self.eps, self.stand_in = eps, stand_in
        self._tracker = Tracker(model)
        self._seen = 0

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The realised move.

        Raises
        ------
        GameError
            The game has no cooperative action for a seat and there is no stand-in.
        """
        cooperate, defect = action_labels(view.game, view.seat, self.stand_in)
        (other_seat,) = view.other_seats
        theirs, _ = action_labels(view.game, other_seat, self.stand_in)
        if view.round - 1 < self._seen:
            self._tracker.restart()
            self._seen = 0
        mine, others = view.own, view.actions_by_seat[other_seat - 1]
        for number in range(self._seen, view.round - 1):
            own, other = mine[number], others[number]
            self._tracker.update(
                None if own is None else int(own == cooperate),
                None if other is None else int(other == theirs),
            )
        self._seen = view.round - 1
        p = self._tracker.belief.next_move
        p = (1 - self.eps) * p + self.eps * (1 - p)
        return cooperate if rng.random() < p else defect
