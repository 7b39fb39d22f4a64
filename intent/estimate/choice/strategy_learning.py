"""Players who learn which strategy of a repeated game pays, from game to game.

A subject draws one strategy k at the start of each game, with probability s_k proportional to exp(l_k), and
plays it with a tremble until the game ends. After its g-th game of the same payoffs

    l_k(g + 1) = phi^g a_k + lambda B_k(g + 1),      B_k(g + 1) = phi B_k(g) + x_k(g),      B_k(1) = 0,
    x_k(g) = r_k W + (1 - r_k) delta V_k,

where a are the log odds before the first game, W is what the game paid per round, V_k what strategy k would
have paid against the strategy that the other seemed to play, r_k the probability that k is what was played,
and payoffs count from 0 in spans of the log (`Choices.stakes`). This is experience-weighted attraction over
strategies with kappa = 1, after Ioannou & Romero, who also let players infer what the other's strategy was.
Three things are simpler than theirs. What the other played is a posterior over the same set of strategies,
given its moves in this game and the tremble, every strategy being as probable before; what strategy k would
have paid against each of them is the exact mean over as many rounds without tremble; and what the subject
itself played, which nobody sees, enters as its probability r_k given its moves of the game alone. So the
likelihood is that of the sequence of games as it stands, prod_g sum_k s_k(g) P_k(moves of g), not a sum over
all K^G sequences of strategies, and deltas of 0 and 1 need no hidden history.

References
----------
Ioannou & Romero (2014), Games and Economic Behavior 87:178; Camerer & Ho (1999), Econometrica 67:827;
Berrut & Trefethen (2004), SIAM Review 46:501 (interpolation between trembles).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.ahead import Ahead, TypesAhead
from intent.estimate.choice.choices import Choices, as_choices
from intent.estimate.choice.learning import Law, climb, error_of, errors_of
from intent.estimate.choice.membership import States, beliefs, certain
from intent.estimate.choice.model import ChoiceModel, ChoiceType, Parameter
from intent.recognise.recogniser import Files, restored_strategies
from intent.strategies.catalogue import Strategy, with_background
from intent.strategies.likelihood import filtered_cooperation, log_likelihood
from intent.strategies.sets import strategy_set, strategy_table

__all__ = ["StrategyLearning", "outcome_rates"]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Moves = NDArray[np.int8]

_STEP = 1e-5
"""Of the tremble, in the derivative by it: all others are exact."""
_LEAST, _MOST = 1e-4, 0.45
"""Between which the tremble is sought."""
_LEARNED = ("phi", "delta", "lambda")
"""What only a second game tells."""
_NODES = 32
"""Trembles at which likelihoods are known; between them by a polynomial in their log odds, to 1e-9: log b and
log(1 - b) have no singularity nearer than i pi."""


class StrategyLearning(ChoiceModel):
    """Experience-weighted attraction over strategies: a mixture whose shares follow what games paid.

    Parameters
    ----------
    strategies : set, names, file, or sequence of names and Strategy
        RANDOM joins any set.
    n_starts : int, from how many points the likelihood is climbed
    random_state : int, of these points

    Attributes
    ----------
    strategies_ : tuple of K Strategy
    log_likelihood_ : float, nats
    span_ : float, payoff of the log that one unit of payoffs is
    shares_ : (K,), of the games that it was fitted to
    """

    needs_payoffs = True

    def __init__(
        self,
        strategies: str | Path | Sequence[str | Path | Strategy] = "df2011",
        *,
        n_starts: int = 3,
        random_state: int = 0,
    ) -> None:
        self.strategies = strategies
        self.n_starts = n_starts
        self.random_state = random_state

    def laws(self) -> tuple[Law, ...]:
        """Tremble, phi, delta, lambda, and the log odds before the first game."""
        first, *rest = self.strategies_
        return (
            Law("tremble", "probability", _LEAST, _MOST, (0.03, 0.2)),
            Law("phi", "per game", 0.0, 1.0, (0.5, 0.98)),
            Law("delta", "weight", 0.0, 1.0, (0.1, 0.9)),
            Law("lambda", "per span", float(np.log(0.01)), float(np.log(500.0)), (0.0, 2.0), log=True),
            *(Law("initial", f"log odds to {first.name}", -12.0, 12.0, (-0.5, 0.5), of=s.name) for s in rest),
        )

    def _estimate(self, X: Choices) -> None:
        self.strategies_ = with_background(tuple(strategy_set(self.strategies)), True)
        games = _Games.of(X, self.strategies_, span=None)
        self.span_ = games.span
        laws, f = self.laws(), _Likelihood.of_games(games)
        if not (games.place > 0).any():
            self.notes_.append("no subject plays a second game of the same payoffs: nothing can be learned")
            laws = tuple(replace(w, low=w.near[0], high=w.near[0]) if w.name in _LEARNED else w for w in laws)
        self.theta_, value, converged = climb(
            f, laws, self.n_starts, np.random.default_rng(self.random_state)
        )
        self.log_likelihood_ = -value
        if not converged:
            self.notes_.append("the search for the greatest likelihood did not converge")
        self.covariance_, notes = errors_of(f, self.theta_, laws, X.subject)
        self.notes_ += notes
        self.shares_ = self._followed(X)[2].mean(0)

    def _followed(self, X: Choices) -> tuple[Floats, Floats, Floats]:
        """P(cooperate) by strategy and beliefs before every move, two (n, T, K), and after games (n, K)."""
        games = _Games.of(X, self.strategies_, span=self.span_)
        eps = float(self.theta_[0])
        likelihoods = (values[..., 0] for values in games.likelihoods(self.theta_[:1]))
        log_shares = games.log_shares(self.theta_, *likelihoods)[0]
        n, rounds = X.shape
        q = np.empty((n, rounds, len(self.strategies_)))
        for k, s in enumerate(self.strategies_):
            q[..., k] = filtered_cooperation(X.own, X.other, games.evidence, s, eps, X.chosen)
        made = np.where((X.chosen == 1)[..., None], q, 1 - q)
        log_p = np.log(np.where(games.evidence[..., None], np.maximum(made, 1e-300), 1.0))
        return q, *beliefs(log_p, log_shares, replace(X, subject=np.arange(n, dtype=np.intp)))

    def _predicted(self, X: Choices) -> Floats:
        q, before, _ = self._followed(X)
        predicted: Floats = np.einsum("ntk,ntk->nt", before, q)
        return predicted

    def ahead(self, X: Choices) -> Ahead:
        """The strategies, each in its state, with shares that follow what the games before paid."""
        return _GamesAhead(self, X)

    def types(self) -> tuple[ChoiceType, ...]:
        """The strategies with the tremble in their probabilities; shares are of its games."""
        eps = float(self.theta_[0])
        return tuple(
            ChoiceType(s.name, float(share), None, s.with_tremble(eps))
            for s, share in zip(self.strategies_, self.shares_, strict=True)
        )

    def memberships(self, X: Any) -> Floats:
        """Posterior of the strategy of each game, given it and what earlier games of its subject paid."""
        after: Floats = self._followed(as_choices(X))[2]
        return after

    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the learning, then the log odds before the first game."""
        return tuple(
            Parameter(law.name, law.value(x), error_of(var, law.slope(x)), law.unit, law.of)
            for law, x, var in zip(self.laws(), self.theta_, np.diag(self.covariance_), strict=True)
        )

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Strategies as tables, and the numbers, as JSON; an error that is unknown is null."""
        return {
            "strategies": [strategy_table(s) for s in self.strategies_],
            "theta": self.theta_.tolist(),
            "shares": self.shares_.tolist(),
            "covariance": [[None if np.isnan(v) else float(v) for v in row] for row in self.covariance_],
            "span": self.span_,
            "log_likelihood": self.log_likelihood_,
        }, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the numbers."""
        self.strategies_ = restored_strategies(self.strategies, state["strategies"], background=True)[0]
        self.theta_ = np.asarray(state["theta"], dtype=float)
        self.shares_ = np.asarray(state["shares"], dtype=float)
        self.covariance_ = np.array(state["covariance"], dtype=float)
        self.span_, self.log_likelihood_ = float(state["span"]), float(state["log_likelihood"])
        return self


def outcome_rates(strategies: Sequence[Strategy], rounds: int) -> Floats:
    """Share of each joint outcome when strategies meet, without tremble.

    Parameters
    ----------
    strategies : K Strategy
    rounds : int

    Returns
    -------
    (rounds, K, K, 4): over the first 1, 2, ... rounds, of CC, CD, DC, DD, the row's own move first
    """
    k = len(strategies)
    total = np.zeros((rounds, k, k, 4))
    for i, mine in enumerate(strategies):
        p, after = mine.arrays()
        for j, theirs in enumerate(strategies):
            q, turned = theirs.arrays()
            at = np.zeros((len(p), len(q)))
            at[mine.start, theirs.start] = 1.0
            for t in range(rounds):
                nxt = np.zeros_like(at)
                for o, chance in enumerate(
                    (np.outer(p, q), np.outer(p, 1 - q), np.outer(1 - p, q), np.outer(1 - p, 1 - q))
                ):
                    weight = at * chance
                    total[t, i, j, o] = weight.sum()
                    place = (after[:, o][:, None], turned[:, (0, 2, 1, 3)[o]][None])
                    np.add.at(nxt, np.broadcast_arrays(*place), weight)
                at = nxt
    mean: Floats = np.cumsum(total, axis=0) / np.arange(1, rounds + 1)[:, None, None, None]
    return mean


@dataclass(frozen=True, eq=False)
class _Games:
    """Rows as games in the order in which their subjects played them.

    Attributes
    ----------
    choices : Choices of n rows
    evidence : (n, T) bool, decisions that count
    strategies : K Strategy
    would : (n, K, K), what own strategy k would have paid against j in as many rounds, in spans
    paid : (n,), what the game paid per round, in spans
    played : (n,) bool, whether the game taught anything
    place : (n,) how many games of its sequence came before
    sequence : (n,)
    span : float
    """

    choices: Choices
    evidence: NDArray[np.bool_]
    strategies: tuple[Strategy, ...]
    would: Floats
    paid: Floats
    played: NDArray[np.bool_]
    place: Codes
    sequence: Codes
    span: float

    @classmethod
    def of(cls, X: Choices, strategies: tuple[Strategy, ...], *, span: float | None) -> _Games:
        """Read payoffs and order off some choices."""
        stakes = X.stakes(span)
        known = (X.own >= 0) & (X.other >= 0)
        length = known.sum(1)
        mine, theirs = np.maximum(X.own, 0).astype(np.intp), np.maximum(X.other, 0).astype(np.intp)
        each = np.where(known, stakes.own[stakes.of[:, None], mine, theirs], 0.0)
        rates = outcome_rates(strategies, max(int(length.max(initial=0)), 1))
        pays = stakes.own[:, [1, 1, 0, 0], [1, 0, 1, 0]]
        would = np.empty((len(X), len(strategies), len(strategies)))
        kinds, of = np.unique(np.stack([np.maximum(length, 1), stakes.of], 1), axis=0, return_inverse=True)
        for i, (rounds, table) in enumerate(kinds):
            would[of.reshape(-1) == i] = rates[rounds - 1] @ pays[table]
        sequence = np.unique(np.stack([X.subject, stakes.of], 1), axis=0, return_inverse=True)[1].reshape(-1)
        place = replace(X, subject=sequence).before(np.ones(len(X))).astype(np.intp)
        evidence = X.counted & (X.own >= 0)
        paid = each.sum(1) / np.maximum(length, 1)
        return cls(X, evidence, strategies, would, paid, length > 0, place, sequence, stakes.span)

    def likelihoods(self, eps: Floats) -> tuple[Floats, Floats]:
        """Log-likelihoods of own and of the other's moves by strategy, each (n, K, E) at trembles (E,)."""
        X, known = self.choices, self.choices.other >= 0
        own = log_likelihood(X.own, X.other, self.evidence, self.strategies, eps, decided=X.chosen)
        return own, log_likelihood(X.other, X.own, known, self.strategies, eps)

    def signals(self, theta: Floats, log_p: Floats, log_other: Floats) -> tuple[Floats, Floats]:
        """What each game says of each strategy (n, K), x of the module's equation, and its slope by delta."""
        own = _softmax(log_p)
        other = (1 - own) * np.einsum("nj,nkj->nk", _softmax(log_other), self.would)
        return own * self.paid[:, None] + float(theta[2]) * other, other

    def log_shares(
        self, theta: Floats, log_p: Floats, log_other: Floats, *, slopes: bool = False
    ) -> tuple[Floats, list[Floats]]:
        """Log probability of each strategy before each game, and slopes of its log odds by theta[1:].

        Parameters
        ----------
        theta : (P,): tremble, phi, delta, log lambda, initial log odds
        log_p, log_other : (n, K), log-likelihood of own and of the other's moves
        slopes : bool, whether they are wanted
        """
        phi, weight, start = float(theta[1]), float(np.exp(theta[3])), np.r_[0.0, theta[4:]]
        signal, other = self.signals(theta, log_p, log_other)
        n, k = log_p.shape
        total = np.zeros((n, k))
        by_phi, by_delta = np.zeros((n, k)), np.zeros((n, k))
        count = np.zeros(n)
        state = np.zeros((4, int(self.sequence.max(initial=-1)) + 1, k))
        for turn in range(int(self.place.max(initial=-1)) + 1):
            rows = np.flatnonzero(self.place == turn)
            seq, taught = self.sequence[rows], self.played[rows, None]
            b, d_phi, d_delta, seen = state[:, seq]
            total[rows], count[rows] = b, seen[:, 0]
            state[0, seq] = np.where(taught, phi * b + signal[rows], b)
            state[3, seq] = seen + taught
            if slopes:
                by_phi[rows], by_delta[rows] = d_phi, d_delta
                state[1, seq] = np.where(taught, phi * d_phi + b, d_phi)
                state[2, seq] = np.where(taught, phi * d_delta + other[rows], d_delta)
        log_shares = _log_shares(theta, count, total)
        if not slopes:
            return log_shares, []
        power = np.power(phi, count)[:, None]
        slope = np.where(count > 0, count * np.power(phi, np.maximum(count - 1, 0)), 0.0)[:, None]
        by = [slope * start + weight * by_phi, weight * by_delta, weight * total]
        return log_shares, [*by, *(power * np.eye(k)[j] for j in range(1, k))]


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """Minus the log-likelihood of the games, with gradient, and gradients by game.

    Attributes
    ----------
    games : _Games
    nodes : (E,) log odds of the trembles at which likelihoods are known
    own, other : (d, K, E) log-likelihoods of the distinct games
    of : (n,), which of them each game is
    """

    games: _Games
    nodes: Floats
    own: Floats
    other: Floats
    of: Codes

    @classmethod
    def of_games(cls, games: _Games) -> _Likelihood:
        """Look at every distinct game once, at all nodes."""
        X = games.choices
        moves = np.concatenate([X.own, X.other, X.chosen], axis=1)
        _, first, of = np.unique(moves, axis=0, return_index=True, return_inverse=True)
        low, high = np.log(_LEAST / (1 - _LEAST)) - 0.1, np.log(_MOST / (1 - _MOST)) + 0.1
        angles = (2 * np.arange(_NODES) + 1) * np.pi / (2 * _NODES)
        nodes = (low + high) / 2 - (high - low) / 2 * np.cos(angles)
        few = replace(games, choices=X[first], evidence=games.evidence[first])
        own, other = few.likelihoods(1 / (1 + np.exp(-nodes)))
        return cls(games, nodes, own, other, of.reshape(-1))

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        value, scores = self._pieces(theta)
        return -float(value.sum()), -scores.sum(0)

    def scores(self, theta: Floats) -> Floats:
        """(n, P): gradient of each game's log probability."""
        return self._pieces(theta)[1]

    def _pieces(self, theta: Floats) -> tuple[Floats, Floats]:
        log_p, log_s, slopes = self._at(theta, float(theta[0]), slopes=True)
        rest = _softmax(log_s + log_p) - np.exp(log_s)
        up, down = (self._at(theta, float(theta[0]) + step) for step in (_STEP, -_STEP))
        by_eps = (_log_sum(up[0] + up[1]) - _log_sum(down[0] + down[1])) / (2 * _STEP)
        return _log_sum(log_s + log_p), np.stack([by_eps, *((rest * s).sum(1) for s in slopes)], axis=1)

    def _at(self, theta: Floats, eps: float, *, slopes: bool = False) -> tuple[Floats, Floats, list[Floats]]:
        x = np.log(eps / (1 - eps))
        weights = np.where(np.arange(_NODES) % 2, -1.0, 1.0) * np.sin(
            (2 * np.arange(_NODES) + 1) * np.pi / (2 * _NODES)
        )
        gap = x - self.nodes
        near = weights / np.where(np.abs(gap) < 1e-12, 1e-12, gap)
        near /= near.sum()  # barycentric weights of Chebyshev's points (Berrut & Trefethen 2004)
        log_p, log_other = (self.own @ near)[self.of], (self.other @ near)[self.of]
        return log_p, *self.games.log_shares(theta, log_p, log_other, slopes=slopes)


class _GamesAhead:
    """Subjects who learn over strategies in games that are played, each with the sums of its games so far."""

    def __init__(self, model: StrategyLearning, X: Choices) -> None:
        self._model = model
        self._X = replace(X, own=X.own.copy(), other=X.other.copy(), chosen=X.chosen.copy())
        stakes = X.stakes(model.span_)
        by = np.stack([X.subject, stakes.of], axis=1)
        self._sequence = np.unique(by, axis=0, return_inverse=True)[1].reshape(-1)
        n = int(self._sequence.max(initial=-1)) + 1
        self._count, self._total = np.zeros(n), np.zeros((n, len(model.strategies_)))
        self._rows = np.zeros(0, dtype=np.intp)

    def begin(self, rows: Codes) -> None:
        self._learn()
        self._rows, self._round = rows, 0
        theta, at = self._model.theta_, self._sequence[rows]
        m = np.arange(len(rows), dtype=np.intp)
        play = certain(replace(self._X[rows], subject=m, implementation_error=None))
        trembles = np.full((len(m), self._total.shape[1]), float(theta[0]))
        log_shares = _log_shares(theta, self._count[at], self._total[at])
        self._game = TypesAhead(
            play, log_shares, lambda some: States(play[some], self._model.strategies_, trembles[some])
        )
        self._game.begin(m)

    def next_move(self) -> Floats:
        return self._game.next_move()

    def moved(self, own: Moves, other: Moves, chosen: Moves) -> None:
        rows, t = self._rows, self._round
        self._X.own[rows, t], self._X.other[rows, t], self._X.chosen[rows, t] = own, other, chosen
        self._game.moved(own, other, np.where(own >= 0, chosen, np.int8(-1)))
        self._round += 1

    def _learn(self) -> None:
        """Take in the games that are over."""
        if not len(self._rows):
            return
        model, theta = self._model, self._model.theta_
        games = _Games.of(self._X[self._rows], model.strategies_, span=model.span_)
        likelihoods = (values[..., 0] for values in games.likelihoods(theta[:1]))
        signal, _ = games.signals(theta, *likelihoods)
        at = self._sequence[self._rows[games.played]]
        self._total[at] = float(theta[1]) * self._total[at] + signal[games.played]
        self._count[at] += 1


def _log_shares(theta: Floats, count: Floats, total: Floats) -> Floats:
    """(n, K) log probability of each strategy after some games (n,) and what they paid (n, K)."""
    power = np.power(float(theta[1]), count)[:, None]
    odds = power * np.r_[0.0, theta[4:]] + float(np.exp(theta[3])) * total
    high = odds.max(1, keepdims=True)
    log_shares: Floats = odds - high - np.log(np.exp(odds - high).sum(1, keepdims=True))
    return log_shares


def _log_sum(logs: Floats) -> Floats:
    high = logs.max(1)
    total: Floats = high + np.log(np.exp(logs - high[:, None]).sum(1))
    return total


def _softmax(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    total: Floats = weights / weights.sum(-1, keepdims=True)
    return total
