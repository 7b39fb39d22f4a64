"""A model of choice beside a game that is being played: who the other probably is, and what it does next.

A mixture of automata keeps, for each type k, the probability of each state s that its automaton may be in,
a_k(s), and the posterior of the type, w_k. Where a player draws its type anew before a move with probability
h from shares phi, w'_k = (1 - h) w_k + h phi_k stands for w_k in what follows. A move m then has probability
sum_k w'_k sum_s a_k(s) P(m | k, s), and

1. w_k becomes proportional to w'_k sum_s a_k(s) P(m | k, s), and a_k(s) to a_k(s) P(m | k, s);
2. the outcome moves a_k to the next states. An unknown move of the other counts as a fair coin; an unknown
   own one is summed out and leaves w_k as it was.

A round takes time in proportion to types and states, however long the game is. All other models are asked
anew after every move, which takes time in proportion to the rounds so far; so are types for which an unknown
move is a situation of its own, from the first such move on.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import GameError, UsageError
from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.model import LEAST, ChoiceModel, Followed
from intent.estimate.choice.recogniser import ChoiceRecogniser
from intent.play.match import View
from intent.play.players import FITTED, action_labels
from intent.recognise.bayes import assumed_noise, class_strategies, eps_nodes
from intent.recognise.recogniser import Recogniser, load_recogniser
from intent.strategies.catalogue import Noise, outcome_code

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
    payoffs : (2, 2) float, optional
        What the player is paid by its own move and the other's, defection first, the other being paid alike;
        models of learning and of the stage game need it.

    Raises
    ------
    UnknownNameError, RecogniserError
        No such recogniser, or one that neither has strategies as classes nor predicts moves.
    UsageError
        A covariate of the model that nobody said, or payoffs.

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
        payoffs: ArrayLike | None = None,
    ) -> None:
        recogniser = load_recogniser(model) if isinstance(model, str | Path) else model
        self._covariates = dict(covariates or {})
        self._payoffs = None if payoffs is None else np.asarray(payoffs, dtype=float)
        self._follows: _Mixture | _Asked | _UntilUnknown
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

    def _of_choice(self, model: ChoiceRecogniser | ChoiceModel) -> _Mixture | _Asked | _UntilUnknown:
        fitted = model.model_ if isinstance(model, ChoiceRecogniser) else model
        if fitted.actions_ != COOPERATION:
            raise UsageError(f"the model knows actions {fitted.actions_}, expected cooperate and defect")
        missing = [column for column in fitted.known_covariates if column not in self._covariates]
        if missing:
            raise UsageError(f"the model knows covariate {missing[0]!r}; say it with covariates=")
        if fitted.needs_payoffs and (self._payoffs is None or self._payoffs.shape != (2, 2)):
            raise UsageError("the model looks at payoffs, expected payoffs= with four numbers, two by two")
        followed, anew = fitted.followed(), _Asked(fitted, self._covariates, self._payoffs)
        if followed is None:
            return anew
        return _Mixture(followed) if followed.gaps else _UntilUnknown(_Mixture(followed), anew)


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
    shares = np.outer(prior, weights).ravel().tolist()
    names = tuple(s.name for s in several)
    return _Mixture(Followed(names, several, tuple(shares), tuple(np.tile(nodes, k).tolist())))


class _Mixture:
    """Posterior of K types (K,), and of the states of each, given the type: (K, S)."""

    def __init__(self, followed: Followed) -> None:
        self._names, strategies = followed.names, followed.strategies
        k, most = len(strategies), max(s.n_states for s in strategies)
        p = np.full((k, most), 0.5)
        following = np.zeros((k, most, 4), dtype=np.intp)
        for i, s in enumerate(strategies):
            p[i, : s.n_states] = s.p_cooperate
            following[i, : s.n_states] = s.next_state
        self._intends, self._next = p, following
        self._eps, self._hazard = np.array(followed.tremble)[:, None], followed.hazard
        self._hidden = np.array([s.memory == "intended" for s in strategies])
        self._shares = np.array(followed.shares) / np.sum(followed.shares)
        self._start = np.zeros((k, most))
        self._start[np.arange(k), [s.start for s in strategies]] = 1.0
        self.restart()

    def restart(self) -> None:
        self._states, self._types = self._start.copy(), self._shares.copy()

    def belief(self) -> Belief:
        posterior: dict[str, float] = {}
        for name, weight in zip(self._names, self._types.tolist(), strict=True):
            posterior[name] = posterior.get(name, 0.0) + weight
        plays = (1 - self._eps) * self._intends + self._eps * (1 - self._intends)
        chance = float(self._ahead() @ (self._states * plays).sum(1))
        return Belief(posterior, min(max(chance, LEAST), 1 - LEAST))

    def update(self, own: Move, other: Move) -> None:
        k, s = self._states.shape
        after = np.zeros((k, s))
        owns = (0, 1) if own is None else (own,)
        others = ((0, 0.5), (1, 0.5)) if other is None else ((other, 1.0),)
        for intended in (0, 1):
            intends = self._intends if intended else 1 - self._intends
            for played in owns:
                weight = self._states * intends * np.where(intended == played, 1 - self._eps, self._eps)
                for theirs, chance in others:
                    moved = np.where(self._hidden, intended, played)
                    outcome = outcome_code(1, theirs) + 2 * (1 - moved)
                    to = self._next[np.arange(k), :, outcome]
                    np.add.at(after, (np.arange(k)[:, None], to), weight * chance)
        made = after.sum(1)
        types = self._ahead() * made
        if types.sum() == 0:  # a move that no type allows says nothing of the types, and the states stay
            return
        if own is not None:
            self._types = types / types.sum()
        possible = made > 0
        self._states[possible] = after[possible] / made[possible, None]

    def _ahead(self) -> Floats:
        """Probability of each type before the next move; before the first nobody has drawn anew."""
        ahead: Floats = (1 - self._hazard) * self._types + self._hazard * self._shares
        return ahead


class _UntilUnknown:
    """A mixture for whose types an unknown move is a situation of its own: asked anew from then on."""

    def __init__(self, mixture: _Mixture, anew: _Asked) -> None:
        self._mixture, self._anew = mixture, anew
        self.restart()

    def restart(self) -> None:
        self._unknown = False
        self._mixture.restart()
        self._anew.restart()

    def belief(self) -> Belief:
        return self._anew.belief() if self._unknown else self._mixture.belief()

    def update(self, own: Move, other: Move) -> None:
        self._unknown |= own is None or other is None
        self._anew.update(own, other)
        if not self._unknown:
            self._mixture.update(own, other)


class _Asked:
    """A model that is asked anew after every move."""

    def __init__(self, model: ChoiceModel, covariates: Mapping[str, Any], payoffs: Floats | None) -> None:
        self._model, self._covariates = model, covariates
        self._payoffs = None if payoffs is None else payoffs[None]
        self.restart()

    def restart(self) -> None:
        self._own: list[int] = []
        self._other: list[int] = []

    def belief(self) -> Belief:
        own, other = (np.array([[*moves, -1]], dtype=np.int8) for moves in (self._own, self._other))
        frame = pd.DataFrame({name: [value] for name, value in self._covariates.items()})
        one, known = np.zeros(1, dtype=np.intp), frame if len(frame) else None
        play = Choices(own, other, own, COOPERATION, one, known, self._payoffs, one)
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
    model : as `Tracker`; a folder may have ``fitted:`` before it
    eps : float in [0, .5), probability per move that the drawn move is flipped
    stand_in : the action that counts as C for seats whose cooperative action the payoffs leave open

    Raises
    ------
    UnknownNameError, RecogniserError, UsageError
        As `Tracker`.
    StrategyError
        eps outside [0, .5).
    """

    def __init__(self, model: Any, eps: float = 0.0, stand_in: str | None = None) -> None:
        self.eps, self.stand_in = Noise(eps).own, stand_in
        source = str(model).removeprefix(FITTED) if isinstance(model, str | Path) else model
        self.name = FITTED + (Path(source).name if isinstance(source, str) else type(source).__name__)
        self._tracker = Tracker(source)
        self._seen = 0

    @property
    def columns(self) -> dict[str, object]:
        """The name of the folder, with ``fitted:``."""
        return {"strategy": self.name}

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The realised move.

        Raises
        ------
        GameError
            The game has no cooperative action for a seat and there is no stand-in, or more than two players.
        """
        if view.game.n_players != 2:
            raise GameError(f"{self.name} plays two-player games, {view.game.name} has {view.game.n_players}")
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
