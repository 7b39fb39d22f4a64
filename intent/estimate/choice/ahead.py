"""The next moves of games while they are played: what a model says as its rows fill with moves.

A model that is asked for whole games reads every past anew. Where many games are played on (simulated play),
this takes time in proportion to the rounds so far; types that keep their own account take the same time for
every round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.choices import Choices
from intent.estimate.choice.membership import softmax

__all__ = ["Ahead", "Anew", "Answers", "Foretold", "Steady", "TypesAhead"]

Floats = NDArray[np.float64]
Moves = NDArray[np.int8]
Codes = NDArray[np.intp]


class Ahead(Protocol):
    """Says the next moves of rows of some choices, game after game of their subjects."""

    def begin(self, rows: Codes) -> None:
        """A game of these rows begins, at most one row of a subject, whose earlier ones were followed."""

    def next_move(self) -> Floats:
        """Probability of every action in the round that is next, (m, A); of rows whose move counts there."""

    def moved(self, own: Moves, other: Moves, chosen: Moves) -> None:
        """What was played in it, (m,) each, -1 where unknown or no evidence."""


class Anew:
    """Asks a model for whole games before every round.

    Parameters
    ----------
    predicted : (n, T) choices -> (n, T, A)
    X : Choices, the moves of which stand until they are played
    games : bool
        Whether the earlier games of a subject matter.
    """

    def __init__(self, predicted: Callable[[Choices], Floats], X: Choices, *, games: bool = True) -> None:
        self._predicted, self._games = predicted, games
        self._X = replace(X, own=X.own.copy(), other=X.other.copy(), chosen=X.chosen.copy())
        self._begun = np.zeros(len(X), dtype=bool)

    def begin(self, rows: Codes) -> None:
        X = self._X
        self._now, self._round = rows, 0
        self._begun[rows] = True
        near = np.flatnonzero(self._begun & np.isin(X.subject, X.subject[rows])) if self._games else rows
        self._near, self._play = near, X[near]
        self._at = np.searchsorted(near, rows) if self._games else np.arange(len(rows))

    def next_move(self) -> Floats:
        X, near, t = self._X, self._near, self._round
        until = slice(0, t + 1) if len(near) == len(self._now) else slice(None)
        moves = {name: getattr(X, name)[near, until] for name in ("own", "other", "chosen")}
        p: Floats = self._predicted(replace(self._play, **moves))[self._at, t]
        return p

    def moved(self, own: Moves, other: Moves, chosen: Moves) -> None:
        rows, t = self._now, self._round
        self._X.own[rows, t], self._X.other[rows, t], self._X.chosen[rows, t] = own, other, chosen
        self._round += 1


class Foretold:
    """Says what a model without a history says before the first move, whatever is played.

    Parameters
    ----------
    predicted : (n, T) choices -> (n, T, A)
    X : Choices
    """

    def __init__(self, predicted: Callable[[Choices], Floats], X: Choices) -> None:
        self._predicted, self._X = predicted, X

    def begin(self, rows: Codes) -> None:
        self._p, self._round = self._predicted(self._X[rows]), 0

    def next_move(self) -> Floats:
        p: Floats = self._p[:, self._round]
        return p

    def moved(self, own: Moves, other: Moves, chosen: Moves) -> None:
        self._round += 1


class Answers(Protocol):
    """How each of K types answers in the games of m rows, round after round."""

    def now(self) -> Floats:
        """P(action | type) in the round that is next, (m, K, A)."""

    def moved(self, own: Moves, other: Moves, chosen: Moves) -> None:
        """What was played in it."""


class Steady:
    """Types that answer alike in every round: p is (m, K, A)."""

    def __init__(self, p: Floats) -> None:
        self._p = p

    def now(self) -> Floats:
        return self._p

    def moved(self, own: Moves, other: Moves, chosen: Moves) -> None:
        pass


class TypesAhead:
    """Types that answer each in its way, and what `latent.beliefs` says of them, one round at a time.

    Parameters
    ----------
    X : Choices
    log_shares : (n, K), log probability of each type before any move
    answers : rows -> Answers in their games
    hazard : float in [0, 1), probability that a type is drawn anew before a move
    """

    def __init__(
        self, X: Choices, log_shares: Floats, answers: Callable[[Codes], Answers], *, hazard: float = 0.0
    ) -> None:
        self._log_shares, self._answers, self._hazard = log_shares, answers, hazard
        subjects, self._subject = np.unique(X.subject, return_inverse=True)
        shape = (len(subjects), log_shares.shape[1])
        self._met = np.zeros(len(subjects), dtype=bool)
        self._known = np.zeros(shape)  # log odds gained so far; with a hazard the belief itself

    def begin(self, rows: Codes) -> None:
        self._rows, self._of = rows, self._subject[rows]
        self._game = self._answers(rows)
        if self._hazard:
            self._shares = softmax(self._log_shares[rows])
            first = ~self._met[self._of]
            self._known[self._of[first]] = self._shares[first]
            self._drawn = ~first  # whose type may be drawn anew before the round that is next
        self._met[self._of] = True
        self._p: Floats | None = None

    def next_move(self) -> Floats:
        p: Floats = np.einsum("mk,mka->ma", self._believed(), self._answers_now())
        return p

    def moved(self, own: Moves, other: Moves, chosen: Moves) -> None:
        counted = np.flatnonzero(chosen >= 0)
        if len(counted):
            made = self._answers_now()[counted, :, chosen[counted].astype(np.intp)]
            if self._hazard:
                weight = self._believed()[counted] * made
                total = weight.sum(1, keepdims=True)
                self._known[self._of[counted]] = weight / np.maximum(total, 1e-300)
            else:
                self._known[self._of[counted]] += np.log(np.maximum(made, 1e-300))
        if self._hazard:
            self._drawn = np.ones(len(self._rows), dtype=bool)
        self._game.moved(own, other, chosen)
        self._p = None

    def _answers_now(self) -> Floats:
        if self._p is None:
            self._p = self._game.now()
        return self._p

    def _believed(self) -> Floats:
        """Posterior of the types before the round that is next, (m, K)."""
        known = self._known[self._of]
        if not self._hazard:
            return softmax(self._log_shares[self._rows] + known)
        h = self._hazard * self._drawn[:, None]
        believed: Floats = (1 - h) * known + h * self._shares
        return believed
