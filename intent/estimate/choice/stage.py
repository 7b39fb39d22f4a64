"""Players who look at the payoffs of a round alone: logit quantal response, and levels of reasoning.

Quantal response. Both players answer each other's mixed play with noise of one precision lambda,

    p_a proportional to exp(lambda u_a(q)),      q_b proportional to exp(lambda v_b(p)),

with u, v the expected payoffs, from 0 in spans of the log (`Choices.stakes`): lambda = 0 plays all actions
alike, and as lambda grows play goes to a Nash equilibrium. Where several p solve this, it is the one that
the branch from lambda = 0 meets first (McKelvey & Palfrey's selection), followed by its arc length in the log
odds y of both players: F(y, lambda) = y - lambda Delta U(y) = 0.

Levels of reasoning. Level 0 plays all actions alike; level k takes the other to play, without noise, what
level k - 1 does best (ties are split), and answers with precision lambda. A subject keeps its level, so its
moves tell which it is.

References
----------
McKelvey & Palfrey (1995), Games and Economic Behavior 10:6; Turocy (2005), Games and Economic Behavior 51:243
(tracing the branch); Stahl & Wilson (1995), Games and Economic Behavior 10:218; Nagel (1995), American
Economic Review 85:1313.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.estimate.choice.ahead import Ahead, Foretold, Steady, TypesAhead
from intent.estimate.choice.choices import COOPERATION, Choices, Stakes, as_choices
from intent.estimate.choice.learning import Law, climb, error_of, errors_of
from intent.estimate.choice.membership import beliefs
from intent.estimate.choice.model import ChoiceModel, ChoiceType, Parameter
from intent.recognise.recogniser import Files
from intent.strategies.catalogue import Strategy

__all__ = ["Branch", "LevelK", "Quantal", "level_payoffs"]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

_MOST = 200.0
"""Greatest lambda, per span: an action that pays 1/20 of the span less is chosen once in 20,000 times."""
_LAMBDA = Law("lambda", "per span", float(np.log(1e-3)), float(np.log(_MOST)), (-1.0, 3.0), log=True)
_TOLERANCE = 1e-12
_MOST_POINTS = 5000
_LONGEST = 2.0
"""Arc length of a step along a branch, in log odds."""
_MOST_LEVELS = 10


@dataclass(frozen=True, eq=False)
class Branch:
    """The quantal responses of a game that are reached from lambda = 0.

    Attributes
    ----------
    own, other : (A, A) own and the other's payoff by own and other's action
    points : (B, 2 (A - 1) + 1), log odds of own and of the other's actions to the first, and lambda
    """

    own: Floats
    other: Floats
    points: Floats

    @classmethod
    def trace(cls, own: Floats, other: Floats, most: float = _MOST) -> Branch:
        """Follow the branch by predictor and corrector until lambda is `most`.

        Parameters
        ----------
        own, other : (A, A) own and the other's payoff by own and other's action
        most : float
        """
        size = 2 * (len(own) - 1)
        at = np.zeros(size + 1)
        ahead = np.zeros(size + 1)
        ahead[-1] = 1.0
        points, step = [at], 0.05
        while at[-1] < most and len(points) < _MOST_POINTS:
            _, slope = _residual(own, other, at)
            ahead = _tangent(slope, ahead)
            following = _corrected(own, other, at + step * ahead, ahead)
            if following is None or (following - at) @ ahead < 0.2 * step:
                step /= 2
                if step < 1e-9:
                    break
                continue
            at = following
            points.append(at)
            step = min(1.5 * step, _LONGEST)
        return cls(own, other, np.array(points))

    def at(self, precision: float) -> tuple[Floats, Floats]:
        """Log odds of both players' actions where lambda is first met, and their slopes by lambda.

        Returns
        -------
        y, slope : (2 (A - 1),) each; beyond the end of what could be followed the last point, with slope 0
        """
        reached = self.points[:, -1]
        over = np.flatnonzero(reached >= precision)
        if not len(over):
            return self.points[-1, :-1], np.zeros(self.points.shape[1] - 1)
        i = int(over[0])
        if i == 0:
            point = self.points[0].copy()
        else:
            low, high = self.points[i - 1], self.points[i]
            share = (precision - low[-1]) / (high[-1] - low[-1])
            point = low + share * (high - low)
        point[-1] = precision
        for _ in range(50):
            value, slope = _residual(self.own, self.other, point)
            change = _solved(slope[:, :-1], -value)
            point[:-1] += change
            if np.abs(change).max(initial=0.0) < _TOLERANCE * max(1.0, np.abs(point).max()):
                break
        _, slope = _residual(self.own, self.other, point)
        return np.asarray(point[:-1]), _solved(slope[:, :-1], -slope[:, -1])

    def play(self, precision: float) -> tuple[Floats, Floats]:
        """Probabilities of own and of the other's actions, (A,) each."""
        y, _ = self.at(precision)
        half = len(y) // 2
        return _softmax(np.r_[0.0, y[:half]]), _softmax(np.r_[0.0, y[half:]])


def _residual(own: Floats, other: Floats, point: Floats) -> tuple[Floats, Floats]:
    """F (m,) and its derivative by log odds and lambda (m, m + 1)."""
    half, precision = len(own) - 1, point[-1]
    p, q = _softmax(np.r_[0.0, point[:half]]), _softmax(np.r_[0.0, point[half:-1]])
    mine, theirs = own[1:] - own[0], (other[:, 1:] - other[:, :1]).T
    gains = np.r_[mine @ q, theirs @ p]
    by_q = mine @ (np.diag(q) - np.outer(q, q))[:, 1:]
    by_p = theirs @ (np.diag(p) - np.outer(p, p))[:, 1:]
    slope = np.zeros((2 * half, 2 * half + 1))
    slope[:, :-1] = np.eye(2 * half)
    slope[:half, half:-1] -= precision * by_q
    slope[half:, :half] -= precision * by_p
    slope[:, -1] = -gains
    return point[:-1] - precision * gains, slope


def _solved(slope: Floats, value: Floats) -> Floats:
    """slope^-1 value; at a turn of the branch, where there is no inverse, the least change that fits best."""
    try:
        return np.asarray(np.linalg.solve(slope, value))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(slope, value, rcond=None)[0])


def _tangent(slope: Floats, before: Floats) -> Floats:
    """Unit direction of the branch, (m + 1,), going on as before."""
    ahead: Floats = np.linalg.svd(slope)[2][-1]
    return ahead if ahead @ before >= 0 else -ahead


def _corrected(own: Floats, other: Floats, guess: Floats, ahead: Floats) -> Floats | None:
    """The point of the branch that lies square to the step from a guess, None where Newton's steps fail."""
    point = guess.copy()
    for _ in range(12):
        value, slope = _residual(own, other, point)
        full = np.vstack([slope, ahead])
        try:
            change = np.linalg.solve(full, -np.r_[value, (point - guess) @ ahead])
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(change).all() or np.abs(change).max() > 5 * _LONGEST:
            return None
        point = point + change
        if np.abs(change).max() < 1e-10 * max(1.0, np.abs(point).max()):
            return point
    return None


class Quantal(ChoiceModel):
    """Logit quantal response equilibrium of the stage game, with one precision for all games of the log.

    Attributes
    ----------
    precision_ : float, lambda per span of payoffs
    span_ : float, payoff of the log that one span is
    log_likelihood_ : float, nats
    """

    any_actions = True
    needs_payoffs = True
    carries = False

    def _estimate(self, X: Choices) -> None:
        stakes = X.stakes()
        self.span_ = stakes.span
        f = _QuantalLikelihood(X, stakes)
        grid = np.linspace(_LAMBDA.low, _LAMBDA.high, 80)
        best = int(np.argmin([f(np.array([x]))[0] for x in grid]))
        from scipy.optimize import minimize_scalar

        around = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
        top = minimize_scalar(
            lambda x: f(np.array([x]))[0], bounds=around, method="bounded", options={"xatol": 1e-9}
        )
        theta = np.array([min(float(top.x), grid[best], key=lambda x: f(np.array([x]))[0])])
        self.precision_, self.log_likelihood_ = float(np.exp(theta[0])), -f(theta)[0]
        variance, notes = errors_of(f, theta, (_LAMBDA,), X.subject)
        self.se_ = error_of(float(variance[0, 0]), self.precision_)
        self.notes_ += notes
        if best == len(grid) - 1:
            self.notes_.append("lambda is at its bound: play as in equilibrium")
        if best == 0:
            self.notes_.append("lambda is at its bound: play as by chance")

    def _predicted(self, X: Choices) -> Floats:
        stakes = X.stakes(self.span_)
        p = np.stack(
            [
                Branch.trace(own, other, self.precision_ + 1).play(self.precision_)[0]
                for own, other in zip(stakes.own, stakes.other, strict=True)
            ]
            or [np.full(X.n_actions, 1 / X.n_actions)]
        )
        return np.repeat(p[stakes.of][:, None], X.shape[1], axis=1)

    def ahead(self, X: Choices) -> Ahead:
        """The equilibrium of each row's game."""
        return Foretold(self._predicted, X)

    def parameters(self) -> tuple[Parameter, ...]:
        """Lambda."""
        return (Parameter("lambda", self.precision_, self.se_, _LAMBDA.unit),)

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Numbers as JSON."""
        names = ("precision_", "span_", "se_", "log_likelihood_")
        return {name: getattr(self, name) for name in names}, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the numbers."""
        for name in ("precision_", "span_", "log_likelihood_"):
            setattr(self, name, float(state[name]))
        self.se_ = None if state["se_"] is None else float(state["se_"])
        return self


class _QuantalLikelihood:
    """Minus the log-likelihood of log lambda, with gradient, and gradients by row of the choices."""

    def __init__(self, X: Choices, stakes: Stakes) -> None:
        self.of = stakes.of
        self.counts = _counts(X)
        self.branches = [Branch.trace(o, t) for o, t in zip(stakes.own, stakes.other, strict=True)]

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        log_p, slope = self._log_play(float(np.exp(theta[0])))
        total = np.zeros_like(log_p)
        np.add.at(total, self.of, self.counts)
        return -float((total * log_p).sum()), np.array([-float((total * slope).sum())])

    def scores(self, theta: Floats) -> Floats:
        """(n, 1)."""
        _, slope = self._log_play(float(np.exp(theta[0])))
        rows: Floats = (self.counts * slope[self.of]).sum(1, keepdims=True)
        return rows

    def _log_play(self, precision: float) -> tuple[Floats, Floats]:
        """(G, A) log probabilities, and slopes by log lambda."""
        logs, slopes = [], []
        for branch in self.branches:
            y, by = branch.at(precision)
            half = len(y) // 2
            odds, change = np.r_[0.0, y[:half]], np.r_[0.0, by[:half]]
            log_p = odds - odds.max() - np.log(np.exp(odds - odds.max()).sum())
            logs.append(log_p)
            slopes.append(precision * (change - np.exp(log_p) @ change))
        return np.array(logs), np.array(slopes)


class LevelK(ChoiceModel):
    """A mixture of levels of reasoning about the stage game, each subject of one level.

    Parameters
    ----------
    levels : int in 1 .. 10, the highest level
    n_starts : int, from how many points the likelihood is climbed
    random_state : int, of these points

    Attributes
    ----------
    precision_ : float, lambda per span of payoffs
    shares_ : (levels + 1,), of subjects, from level 0; levels that answer alike have the same
    play_ : (levels + 1, A), P(action) of each level, the mean over the moves that it was fitted to
    alike_ : list of lists of levels that answer alike in the games that it was fitted to
    span_ : float, payoff of the log that one span is
    log_likelihood_ : float, nats
    """

    any_actions = True
    needs_payoffs = True

    def __init__(self, levels: int = 3, *, n_starts: int = 3, random_state: int = 0) -> None:
        self.levels = levels
        self.n_starts = n_starts
        self.random_state = random_state

    def _estimate(self, X: Choices) -> None:
        if not isinstance(self.levels, int) or not 1 <= self.levels <= _MOST_LEVELS:
            raise UsageError(f"levels {self.levels!r}, expected 1 to {_MOST_LEVELS}")
        stakes = X.stakes()
        self.span_ = stakes.span
        pays = np.stack(
            [level_payoffs(o, t, self.levels) for o, t in zip(stakes.own, stakes.other, strict=True)]
        )
        of = np.unique(pays.transpose(1, 0, 2).round(12), axis=0, return_inverse=True)[1].reshape(-1)
        first = list(dict.fromkeys(of.tolist()))
        self.alike_ = [np.flatnonzero(of == group).tolist() for group in first]
        laws = (
            _LAMBDA,
            *(
                Law("share", "log odds", -15.0, 15.0, (-0.5, 0.5), of=_named(group))
                for group in self.alike_[1:]
            ),
        )
        f = _LevelLikelihood(X, stakes, pays[:, [group[0] for group in self.alike_]])
        moves = np.bincount(stakes.of, weights=X.counted.sum(1), minlength=len(pays))
        rng = np.random.default_rng(self.random_state)
        theta, value, converged = climb(f, laws, self.n_starts, rng)
        if not converged:
            self.notes_.append("the search for the greatest likelihood did not converge")
        self.precision_, self.log_likelihood_ = float(np.exp(theta[0])), -value
        self.play_ = np.einsum("g,gka->ka", moves / moves.sum(), _softmax(self.precision_ * pays))
        shares = _softmax(np.r_[0.0, theta[1:]])
        self.shares_ = np.empty(self.levels + 1)
        for share, group in zip(shares, self.alike_, strict=True):
            self.shares_[group] = share / len(group)
        covariance, notes = errors_of(f, theta, laws, np.arange(f.n_subjects, dtype=np.intp))
        self.notes_ += notes
        self.notes_ += [
            f"{_named(group)} answer alike in these games: their share is known as one"
            for group in self.alike_
            if len(group) > 1
        ]
        turn = (np.diag(shares) - np.outer(shares, shares))[:, 1:]
        of_shares = np.diag(turn @ covariance[1:, 1:] @ turn.T)
        self.se_ = [
            error_of(float(covariance[0, 0]), self.precision_),
            *(error_of(v, 1.0) for v in of_shares),
        ]

    def _log_play(self, X: Choices) -> tuple[Stakes, Floats]:
        """Log probability of each action by level in each game, (G, levels + 1, A)."""
        stakes = X.stakes(self.span_)
        pays = np.stack(
            [level_payoffs(o, t, self.levels) for o, t in zip(stakes.own, stakes.other, strict=True)]
        )
        return stakes, _log_softmax(self.precision_ * pays)

    def _beliefs(self, X: Choices) -> tuple[Floats, Floats, Floats]:
        """Beliefs before every move and after the last, and probabilities of actions by row and level."""
        stakes, log_play = self._log_play(X)
        by_row = log_play[stakes.of]
        made = np.take_along_axis(by_row, np.maximum(X.chosen, 0).astype(np.intp)[:, None], axis=2)
        log_p = np.where(X.counted[..., None], made.transpose(0, 2, 1), 0.0)
        return *beliefs(log_p, self._log_shares(X), X), np.exp(by_row)

    def _log_shares(self, X: Choices) -> Floats:
        """(n, levels + 1), before any move."""
        shares = np.log(np.maximum(self.shares_, 1e-12))
        return np.broadcast_to(shares, (len(X), len(shares)))

    def ahead(self, X: Choices) -> Ahead:
        """The levels, and what is believed of them."""
        stakes, log_play = self._log_play(X)
        play = np.exp(log_play)
        return TypesAhead(X, self._log_shares(X), lambda rows: Steady(play[stakes.of[rows]]))

    def _predicted(self, X: Choices) -> Floats:
        if not len(X):
            return np.zeros((*X.shape, X.n_actions))
        before, _, play = self._beliefs(X)
        predicted: Floats = np.einsum("ntk,nka->nta", before, play)
        return predicted

    def memberships(self, X: Any) -> Floats:
        """Posterior of each level, or of levels that answer alike, given its subject's play: (n, types)."""
        after = self._beliefs(as_choices(X))[1]
        return np.stack([after[:, group].sum(1) for group in self.alike_], axis=1)

    def types(self) -> tuple[ChoiceType, ...]:
        """Levels as coins, with their rates over the games it was fitted to; of games with cooperation.

        A level answers the payoffs of a game, not its history.
        """
        if self.actions_ != COOPERATION:
            return ()
        return tuple(
            ChoiceType(
                _named(group),
                float(self.shares_[group].sum()),
                e,
                Strategy(_named(group), (float(self.play_[group[0], 1]),), ((0, 0, 0, 0),)),
            )
            for group, e in zip(self.alike_, self.se_[1:], strict=True)
        )

    def parameters(self) -> tuple[Parameter, ...]:
        """Lambda, and the share of each level, or of levels that answer alike."""
        rows = [Parameter("lambda", self.precision_, self.se_[0], _LAMBDA.unit)]
        rows += [
            Parameter("share", float(self.shares_[group].sum()), e, "probability", _named(group))
            for group, e in zip(self.alike_, self.se_[1:], strict=True)
        ]
        return tuple(rows)

    @property
    def n_parameters(self) -> int:
        """Lambda, and all shares but one."""
        return len(self.alike_)

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Numbers as JSON."""
        names = ("precision_", "span_", "se_", "log_likelihood_", "alike_")
        tables = {name: getattr(self, name).tolist() for name in ("shares_", "play_")}
        return {**{name: getattr(self, name) for name in names}, **tables}, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the numbers."""
        for name in ("precision_", "span_", "log_likelihood_"):
            setattr(self, name, float(state[name]))
        self.shares_ = np.asarray(state["shares_"], dtype=float)
        self.play_ = np.asarray(state["play_"], dtype=float)
        self.se_ = [None if e is None else float(e) for e in state["se_"]]
        self.alike_ = [[int(k) for k in group] for group in state["alike_"]]
        return self


def level_payoffs(own: Floats, other: Floats, levels: int) -> Floats:
    """What each action pays in the eyes of each level.

    Parameters
    ----------
    own, other : (A, A) own and the other's payoff by own and other's action
    levels : int, the highest

    Returns
    -------
    (levels + 1, A): 0 for level 0; for level k against the other's level k - 1
    """
    a = len(own)
    pays = np.zeros((levels + 1, a))
    mine, theirs = np.full(a, 1 / a), np.full(a, 1 / a)
    for k in range(1, levels + 1):
        pays[k] = own @ theirs
        mine, theirs = _best(pays[k]), _best(mine @ other)
    return pays


def _named(levels: list[int]) -> str:
    return f"level {levels[0]}" if len(levels) == 1 else "levels " + ", ".join(map(str, levels))


def _best(pays: Floats) -> Floats:
    """The best actions, alike."""
    top = (pays >= pays.max() - 1e-12).astype(float)
    return np.asarray(top / top.sum())


class _LevelLikelihood:
    """Minus the log-likelihood of log lambda and log odds of levels, with gradient, and those of subjects."""

    def __init__(self, X: Choices, stakes: Stakes, pays: Floats) -> None:
        self.pays = pays
        games, actions = len(self.pays), X.n_actions
        _, codes = np.unique(X.subject, return_inverse=True)
        codes = codes.reshape(-1)
        pairs, of = np.unique(codes * games + stakes.of, return_inverse=True)
        self.subject, self.table = pairs // games, pairs % games
        self.n_subjects = int(codes.max()) + 1
        self.moves = np.zeros((len(pairs), actions))
        np.add.at(self.moves, of.reshape(-1), _counts(X))

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        value, scores = self._pieces(theta)
        return -float(value.sum()), -scores.sum(0)

    def scores(self, theta: Floats) -> Floats:
        """(subjects, P)."""
        return self._pieces(theta)[1]

    def _pieces(self, theta: Floats) -> tuple[Floats, Floats]:
        precision, log_s = np.exp(theta[0]), _log_softmax(np.r_[0.0, theta[1:]])
        log_p = _log_softmax(precision * self.pays)
        slope = precision * (self.pays - (np.exp(log_p) * self.pays).sum(2, keepdims=True))
        by_level, by_slope = np.zeros((2, self.n_subjects, len(log_s)))
        np.add.at(by_level, self.subject, np.einsum("ma,mka->mk", self.moves, log_p[self.table]))
        np.add.at(by_slope, self.subject, np.einsum("ma,mka->mk", self.moves, slope[self.table]))
        joint = log_s + by_level
        high = joint.max(1)
        value = high + np.log(np.exp(joint - high[:, None]).sum(1))
        posterior = np.exp(joint - value[:, None])
        by_lambda = (posterior * by_slope).sum(1, keepdims=True)
        return value, np.hstack([by_lambda, (posterior - np.exp(log_s))[:, 1:]])


def _counts(X: Choices) -> Floats:
    """(n, A): how often each action was chosen in each row."""
    return np.stack([(X.chosen == a).sum(1) for a in range(X.n_actions)], axis=1).astype(float)


def _log_softmax(logits: Floats) -> Floats:
    high = logits.max(-1, keepdims=True)
    logs: Floats = logits - high - np.log(np.exp(logits - high).sum(-1, keepdims=True))
    return logs


def _softmax(logits: Floats) -> Floats:
    weights: Floats = np.exp(_log_softmax(logits))
    return weights
