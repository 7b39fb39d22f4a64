"""Players who learn from what actions paid, and from what they would have paid.

All read the play of a subject as one sequence of rounds s = 1, 2, ..., over its games of the same payoffs.
With pi_a(s) what action a pays against the other's move of round s, payoffs from 0 in spans of the log (see
`Choices.stakes`), I_a(s) = 1 where a was played, and for any decay d the discounted sum
D_d[x](t) = sum_{s < t} d^(t-1-s) x(s):

- Reinforcement (Roth & Erev 1995, with the experimentation of Erev & Roth 1998). With d = 1 - forgetting,
  propensities q_a(t) = S p0_a d^(t-1) + (1 - e) D_d[I_a pi_a](t) + e / (A - 1) sum_{b != a} D_d[I_b pi_b](t);
  P_a = q_a / sum_b q_b.
- Experience-weighted attraction (Camerer & Ho 1999). N(t) = rho N(t-1) + 1, rho = phi (1 - kappa);
  A_a(t) = (phi^(t-1) N(1) A_a(1) + delta D_phi[pi_a](t) + (1 - delta) D_phi[I_a pi_a](t)) / N(t);
  P_a proportional to exp(lambda A_a).
- Beliefs (Cheung & Friedman 1997). Weights w_b(t) = n0 p0_b gamma^(t-1) + D_gamma[other plays b](t), belief
  w / sum w, expected payoff u_a; P_a proportional to exp(lambda u_a + bias_a).

What is estimated is the maximum of the exact likelihood, whose gradient is the derivative of these sums. A
round whose moves are unknown teaches nothing and lets nothing be forgotten.

References
----------
Roth & Erev (1995), Games and Economic Behavior 8:164; Erev & Roth (1998), American Economic Review 88:848;
Camerer & Ho (1999), Econometrica 67:827, equations 2.1 to 2.5; Cheung & Friedman (1997), Games and Economic
Behavior 19:46.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.statistics import sandwich
from intent.estimate.choice.ahead import Ahead
from intent.estimate.choice.choices import Choices, Stakes
from intent.estimate.choice.features import Coding
from intent.estimate.choice.model import Acts, ChoiceModel, Parameter
from intent.recognise.recogniser import Files

__all__ = [
    "Attraction",
    "Belief",
    "Experience",
    "Law",
    "Learned",
    "Learner",
    "Reinforcement",
    "Rounds",
    "climb",
    "errors_of",
    "lowest",
]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Moves = NDArray[np.int8]

_TINY = 1e-100
"""Propensity that is left when all is forgotten: nothing beside any payoff, and no 0 / 0."""
_RIDGE, _RIDGE_OF_FACTORS = 0.01, 1.0
"""Precisions of the normal priors on effects of covariates, so that one that separates perfectly stays
finite: on log odds, and on the logarithm of the factor of what was learned."""
_SCREEN = 4000
"""States on which starts are compared: the best of many are then climbed from on all."""


@dataclass(frozen=True)
class Law:
    """A parameter, and where it is sought.

    Attributes
    ----------
    name, unit, of : str
        As in `Parameter`.
    low, high : float
        Bounds, of the logarithm where `log`.
    near : (float, float)
        Between which it starts.
    log : bool
        Sought by its logarithm.
    """

    name: str
    unit: str
    low: float
    high: float
    near: tuple[float, float]
    log: bool = False
    of: str = ""

    def value(self, x: float) -> float:
        """What is reported of the number that is sought."""
        return float(np.exp(x)) if self.log else float(x)

    def slope(self, x: float) -> float:
        """Derivative of what is reported."""
        return float(np.exp(x)) if self.log else 1.0


class Rounds(NamedTuple):
    """Rounds of M sequences: own and the other's move (M,), -1 where unknown, and `paid` of `Experience`."""

    own: Codes
    other: Codes
    paid: Floats

    @classmethod
    def played(cls, own: Codes, other: Codes, table: Codes, tables: Floats) -> Rounds:
        """With what each action paid, by the table of each round."""
        return cls(own, other, np.where((other >= 0)[:, None], tables[table, :, other], 0.0))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether both moves are known."""
        return (self.own >= 0) & (self.other >= 0)

    @property
    def realised(self) -> Floats:
        """(M, A): what the action that was played paid, 0 for all others."""
        played = self.own[:, None] == np.arange(self.paid.shape[1])
        return np.where(played, self.paid, 0.0)


@dataclass(frozen=True, eq=False)
class Learned:
    """What earlier rounds taught, in M states.

    Attributes
    ----------
    count : (M,), rounds that taught anything
    totals, slopes : J arrays (M, A), discounted sums of the signals, and their derivatives by the decay
    table : (M,), payoff table of each state
    tables : (G, A, A)
    """

    count: Codes
    totals: Sequence[Floats]
    slopes: Sequence[Floats]
    table: Codes
    tables: Floats


@dataclass(frozen=True, eq=False)
class Experience:
    """The rounds of all subjects as states before them, in order of time.

    Sequence r's state before its l-th round stands at ``first[l] + r``; sequences stand by falling length, so
    that those that last stand together, and each has one state more than rounds: what it ends with.

    Attributes
    ----------
    first : (L + 2,), place of the first state of each step
    cell : (n, T), state of each cell of the choices: what its player knows before it
    row : (M,), row of the choices that each state belongs to, -1 where no round is left
    own, other, chosen : (M,) codes of the round that follows each state, -1 where unknown
    paid : (M, A), what each action pays against the other's move, 0 where that is unknown
    table : (M,), payoff table of each state
    tables : (G, A, A)
    """

    first: Codes
    cell: Codes
    row: Codes
    own: Codes
    other: Codes
    chosen: Codes
    paid: Floats
    table: Codes
    tables: Floats

    @classmethod
    def of(cls, X: Choices, *, carry: bool, span: float | None) -> tuple[Experience, float]:
        """Lay out some choices; the second value is the payoff that one unit is.

        Parameters
        ----------
        X : Choices
        carry : bool
            Whether games of a subject with the same payoffs are one sequence.
        span : float, optional
            Unit of payoffs, else the widest range of a game.

        Raises
        ------
        DataError
            Rows whose payoffs are unknown.
        """
        stakes = X.stakes(span)
        n, rounds = X.shape
        sequence = _sequences(X, stakes, carry=carry)
        known = (X.own >= 0) | (X.other >= 0) | X.counted
        lengths = np.bincount(sequence, known.sum(1), minlength=int(sequence.max(initial=-1)) + 1).astype(
            np.intp
        )
        rank = np.empty(len(lengths), dtype=np.intp)
        rank[np.argsort(-lengths, kind="stable")] = np.arange(len(lengths))
        # sequences that have a state at step l: those of at least l rounds
        alive = np.searchsorted(np.sort(-lengths), -np.arange(int(lengths.max(initial=-1)) + 1), side="right")
        first = np.r_[0, np.cumsum(alive)].astype(np.intp)
        order = np.argsort(sequence, kind="stable")
        inside = known[order].reshape(-1)
        before: Codes = np.cumsum(inside) - inside
        starts = np.r_[0, np.cumsum(lengths)[:-1]].astype(np.intp)
        step = np.empty((n, rounds), dtype=np.intp)
        step[order] = before.reshape(n, rounds) - starts[sequence[order]][:, None]
        cell = first[step] + rank[sequence][:, None]
        size = int(first[-1])

        def spread(values: NDArray[Any]) -> Codes:
            states = np.full(size, -1, dtype=np.intp)
            states[cell[known]] = values[known]
            return states

        own, other, chosen = spread(X.own), spread(X.other), spread(X.chosen)
        row = spread(np.broadcast_to(np.arange(n)[:, None], (n, rounds)))
        of_sequence = np.zeros(len(lengths), dtype=np.intp)
        of_sequence[rank[sequence]] = stakes.of
        table = np.concatenate([of_sequence[:m] for m in alive])
        paid = Rounds.played(own, other, table, stakes.own).paid
        return cls(first, cell, row, own, other, chosen, paid, table, stakes.own), stakes.span

    @property
    def rounds(self) -> Rounds:
        """The round that follows each state."""
        return Rounds(self.own, self.other, self.paid)

    def steps(self, taught: NDArray[np.bool_]) -> Codes:
        """(M,): rounds that taught anything before each state."""
        count = np.zeros(len(taught), dtype=np.intp)
        for start, end, stop in self._pairs():
            width = stop - end
            count[end:stop] = count[start : start + width] + taught[start : start + width]
        return count

    def discounted(self, x: Floats, taught: NDArray[np.bool_], decay: float) -> tuple[Floats, Floats]:
        """D_decay[x] before every state, and its derivative by the decay, each (M, A).

        Parameters
        ----------
        x : (M, A), of the round after each state
        taught : (M,) bool, rounds that count; in others nothing is added or forgotten
        decay : float in [0, 1]
        """
        total, slope = np.zeros_like(x), np.zeros_like(x)
        factor = np.where(taught, decay, 1.0)[:, None]
        moved = taught[:, None].astype(float)
        added = x * moved
        for start, end, stop in self._pairs():
            now = slice(start, start + stop - end)
            total[end:stop] = factor[now] * total[now] + added[now]
            slope[end:stop] = factor[now] * slope[now] + moved[now] * total[now]
        return total, slope

    def _pairs(self) -> list[tuple[int, int, int]]:
        """Of each step but the last: its first state, the next step's first and last."""
        edges = self.first
        return [(int(edges[i]), int(edges[i + 1]), int(edges[i + 2])) for i in range(len(edges) - 2)]


Core = tuple[Floats, list[Floats]]
"""Log odds of actions (M, A), and their derivatives by each parameter (M, A)."""


class Learner(ChoiceModel):
    """Base of the models of learning over actions.

    Parameters
    ----------
    carry : bool
        Whether what was learned is taken to a subject's next game of the same payoffs.
    acts : {"response"}, optional
        Covariates change the log odds of each action, and how strongly what was learned counts (by a factor);
        without it they are not used.
    errors : {"subject", "information"}
        Standard errors that hold where moves of a subject are alike for other reasons than the model's
        (sandwich), or of the model alone.
    n_starts : int, from how many points the likelihood is climbed
    random_state : int, of these points

    Attributes
    ----------
    log_likelihood_ : float, nats, of the moves that it was fitted to
    span_ : float, payoff of the log that one unit of payoffs is
    covariance_ : (P, P), of the numbers that were sought
    """

    any_actions = True
    needs_payoffs = True
    law_names: tuple[str, ...] = ()

    def __init__(
        self,
        *,
        carry: bool = True,
        acts: Acts | None = None,
        errors: str = "subject",
        n_starts: int = 3,
        random_state: int = 0,
    ) -> None:
        self.carry = carry
        self.acts = acts
        self.errors = errors
        self.n_starts = n_starts
        self.random_state = random_state

    @property
    def uses_covariates(self) -> bool:  # type: ignore[override]
        """Whether covariates act on the response."""
        return self.acts is not None

    def laws(self) -> tuple[Law, ...]:
        """Parameters of the learning, in the order of `core`."""
        raise NotImplementedError

    def decay(self, theta: Floats) -> float:
        """By what a round discounts those before it."""
        raise NotImplementedError

    def signals(self, rounds: Rounds) -> tuple[NDArray[np.bool_], tuple[Floats, ...]]:
        """Which rounds teach anything (M,), and what is added up, J arrays (M, A)."""
        raise NotImplementedError

    def core(self, theta: Floats, learned: Learned) -> Core:
        """Log odds of all actions in every state, with derivatives."""
        raise NotImplementedError

    def learned(self, theta: Floats, E: Experience) -> Learned:
        """What every state of some play stands on."""
        taught, signals = self.signals(E.rounds)
        sums = [E.discounted(x, taught, self.decay(theta)) for x in signals]
        return Learned(E.steps(taught), [s[0] for s in sums], [s[1] for s in sums], E.table, E.tables)

    def _all_laws(self) -> tuple[Law, ...]:
        effects = []
        for name in np.array(self.coding_.names, dtype=object)[self.coding_.free]:
            effects.append(Law("sensitivity", "log factor", -20, 20, (0, 0), of=name))
            effects += [Law(f"bias_{a}", "log odds", -20, 20, (0, 0), of=name) for a in self.actions_[1:]]
        return (*self.laws(), *effects)

    def _estimate(self, X: Choices) -> None:
        if self.acts not in (None, "response"):
            raise UsageError(f"acts {self.acts!r}: covariates of models of learning act on the response")
        if self.errors not in ("subject", "information"):
            raise UsageError(f"errors {self.errors!r}, expected subject or information")
        self.coding_ = Coding.learn(X) if self.acts else Coding((), {}, {})
        E, self.span_ = Experience.of(X, carry=self.carry, span=None)
        laws = self._all_laws()
        z = self.coding_.code(X)[:, self.coding_.free]
        every = _Likelihood(self, E, z)
        some = every
        rng = np.random.default_rng(self.random_state)
        if len(E.row) > 2 * _SCREEN:
            few = _few_sequences(X, self.carry, rng)
            some = _Likelihood(self, Experience.of(X[few], carry=self.carry, span=self.span_)[0], z[few])
        plain = len(self.laws())
        theta, _, _ = climb(_Plain(some, plain), laws[:plain], self.n_starts, rng)
        start = np.r_[theta, np.zeros(len(laws) - plain)]
        if len(start) > plain:  # biases first: from there the factors climb the hill that play is on
            steady = tuple(
                replace(law, low=0.0, high=0.0) if law.name == "sensitivity" else law for law in laws
            )
            start, _, _ = lowest(every, start, steady)
        self.theta_, value, converged = lowest(every, start, laws)
        self.log_likelihood_ = -value
        if not converged:
            self.notes_.append("the search for the greatest likelihood did not converge")
        clusters = X.subject[every.row] if self.errors == "subject" else None
        self.covariance_, note = errors_of(every, self.theta_, laws, clusters)
        self.notes_ += note

    def _predicted(self, X: Choices) -> Floats:
        if not len(X):
            return np.zeros((*X.shape, X.n_actions))
        E, _ = Experience.of(X, carry=self.carry, span=self.span_)
        theta = self.theta_[: len(self.laws())]
        core = self.core(theta, self.learned(theta, E))[0][E.cell]
        z = self.coding_.code(X)[:, None, self.coding_.free]
        logits = _shifted(core, self.theta_[len(self.laws()) :], z, X.n_actions)
        return _softmax(logits)

    def ahead(self, X: Choices) -> Ahead:
        """The learners, each with the sums of what it learned so far."""
        return _LearnersAhead(self, X)

    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the learning, then effects of covariates."""
        return tuple(
            Parameter(law.name, law.value(x), error_of(var, law.slope(x)), law.unit, law.of)
            for law, x, var in zip(self._all_laws(), self.theta_, np.diag(self.covariance_), strict=True)
        )

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Numbers as JSON; an error that is unknown is null."""
        covariance = [[None if np.isnan(v) else float(v) for v in row] for row in self.covariance_]
        return {
            "theta": self.theta_.tolist(),
            "covariance": covariance,
            "span": self.span_,
            "log_likelihood": self.log_likelihood_,
            "coding": self.coding_.to_state(),
        }, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the numbers."""
        self.theta_ = np.asarray(state["theta"], dtype=float)
        self.covariance_ = np.array(state["covariance"], dtype=float)
        self.span_, self.log_likelihood_ = float(state["span"]), float(state["log_likelihood"])
        self.coding_ = Coding.from_state(state["coding"])
        return self


class _LearnersAhead:
    """Learners in games that are played, each with the sums of its sequence of rounds so far."""

    def __init__(self, model: Learner, X: Choices) -> None:
        stakes = X.stakes(model.span_)
        self._model, self._core = model, model.theta_[: len(model.laws())]
        self._effects = model.theta_[len(self._core) :]
        self._decay = model.decay(self._core)
        self._table, self._tables = stakes.of, stakes.own
        self._sequence = _sequences(X, stakes, carry=model.carry)
        self._z = model.coding_.code(X)[:, model.coding_.free]
        n, none = int(self._sequence.max(initial=-1)) + 1, np.zeros(0, dtype=np.intp)
        nothing = Rounds.played(none, none, none, self._tables)
        self._count = np.zeros(n, dtype=np.intp)
        self._totals = [np.zeros((n, X.n_actions)) for _ in model.signals(nothing)[1]]

    def begin(self, rows: Codes) -> None:
        self._rows, self._at = rows, self._sequence[rows]

    def next_move(self) -> Floats:
        totals = [total[self._at] for total in self._totals]
        still = [np.zeros_like(total) for total in totals]
        table = self._table[self._rows]
        learned = Learned(self._count[self._at], totals, still, table, self._tables)
        core = self._model.core(self._core, learned)[0]
        return _softmax(_shifted(core, self._effects, self._z[self._rows], core.shape[1]))

    def moved(self, own: Moves, other: Moves, chosen: Moves) -> None:
        table = self._table[self._rows]
        codes = own.astype(np.intp), other.astype(np.intp)
        taught, signals = self._model.signals(Rounds.played(*codes, table, self._tables))
        at = self._at[taught]
        for total, signal in zip(self._totals, signals, strict=True):
            total[at] = self._decay * total[at] + signal[taught]
        self._count[at] += 1


class Reinforcement(Learner):
    """What paid is done again; what an action would have paid is not thought of.

    Parameters
    ----------
    rule : {"ratio", "logit"}
        Whether probabilities are proportional to propensities, as Roth & Erev's, or to the exponential of
        lambda times them, as Camerer & Ho's.
    carry, acts, errors, n_starts, random_state : as `Learner`

    References
    ----------
    Roth & Erev (1995), Games and Economic Behavior 8:164; Erev & Roth (1998), American Economic Review
    88:848.
    """

    def __init__(
        self,
        *,
        rule: str = "ratio",
        carry: bool = True,
        acts: Acts | None = None,
        errors: str = "subject",
        n_starts: int = 3,
        random_state: int = 0,
    ) -> None:
        super().__init__(carry=carry, acts=acts, errors=errors, n_starts=n_starts, random_state=random_state)
        self.rule = rule

    def laws(self) -> tuple[Law, ...]:
        """Forgetting, experimentation, then strength or lambda, and where play begins."""
        if self.rule not in ("ratio", "logit"):
            raise UsageError(f"rule {self.rule!r}, expected ratio or logit")
        a = len(self.actions_)
        ratio = self.rule == "ratio"
        return (
            Law("forgetting", "per round", 0.0, 0.99, (0.02, 0.4)),
            Law("experimentation", "share of a payoff", 1e-4 if ratio else 0.0, (a - 1) / a, (0.02, 0.3)),
            Law("strength", "spans", np.log(0.01), np.log(1e3), (0.0, 2.0), log=True) if ratio else _LAMBDA,
            *(
                Law("initial", "log odds" if ratio else "spans", -12.0, 12.0, (-0.5, 0.5), of=name)
                for name in self.actions_[1:]
            ),
        )

    def decay(self, theta: Floats) -> float:
        """1 - forgetting."""
        return 1.0 - float(theta[0])

    def signals(self, rounds: Rounds) -> tuple[NDArray[np.bool_], tuple[Floats, ...]]:
        """What the action that was played paid."""
        return rounds.known, (rounds.realised,)

    def core(self, theta: Floats, learned: Learned) -> Core:
        """Logarithms of propensities, or lambda times them."""
        (paid,), (by_decay,) = learned.totals, learned.slopes
        a, trial = paid.shape[1], theta[1]
        power, power_slope = _powers(self.decay(theta), learned.count)

        def mixed(x: Floats) -> Floats:
            total: Floats = (1 - trial) * x + trial / (a - 1) * (x.sum(1, keepdims=True) - x)
            return total

        by_trial = -paid + (paid.sum(1, keepdims=True) - paid) / (a - 1)
        if self.rule == "logit":
            start, weight = np.r_[0.0, theta[3:]], np.exp(theta[2])
            core = weight * (power[:, None] * start + mixed(paid))
            slopes = [-weight * (power_slope[:, None] * start + mixed(by_decay)), weight * by_trial, core]
            slopes += [weight * power[:, None] * np.eye(a)[j] for j in range(1, a)]
            return core, slopes
        p0, strength = _softmax(np.r_[0.0, theta[3:]]), np.exp(theta[2])
        begun = strength * power[:, None] * p0
        q = begun + mixed(paid) + _TINY * p0
        slopes = [-(strength * power_slope[:, None] * p0 + mixed(by_decay)) / q, by_trial / q, begun / q]
        slopes += [(begun + _TINY * p0) * (np.eye(a)[j] - p0[j]) / q for j in range(1, a)]
        return np.log(q), slopes


class Attraction(Learner):
    """What paid and what would have paid, each with its weight: experience-weighted attraction.

    delta = 0 is reinforcement (kappa = 1 of sums, kappa = 0 of averages), delta = 1 with kappa = 0 beliefs.

    References
    ----------
    Camerer & Ho (1999), Econometrica 67:827.
    """

    def laws(self) -> tuple[Law, ...]:
        """phi, delta, kappa, lambda, N(1), and the initial attractions."""
        return (
            Law("phi", "per round", 0.0, 1.0, (0.6, 0.98)),
            Law("delta", "weight", 0.0, 1.0, (0.1, 0.9)),
            Law("kappa", "weight", 0.0, 1.0, (0.05, 0.95)),
            _LAMBDA,
            Law("N", "rounds", np.log(0.01), np.log(1e3), (-1.0, 2.0), log=True),
            *(Law("initial", "spans", -20.0, 20.0, (-0.3, 0.3), of=name) for name in self.actions_[1:]),
        )

    def decay(self, theta: Floats) -> float:
        """phi."""
        return float(theta[0])

    def signals(self, rounds: Rounds) -> tuple[NDArray[np.bool_], tuple[Floats, ...]]:
        """What each action paid or would have paid, and what the one that was played paid."""
        return rounds.known, (rounds.paid, rounds.realised)

    def core(self, theta: Floats, learned: Learned) -> Core:
        """lambda times attractions."""
        phi, delta, kappa, weight, begun = *theta[:3], *np.exp(theta[3:5])
        start, rho = np.r_[0.0, theta[5:]], phi * (1 - kappa)
        (all_paid, own_paid), (all_slope, own_slope) = learned.totals, learned.slopes
        count = learned.count
        power, power_slope = _powers(phi, count)
        n, by_rho, by_begun = (v[count][:, None] for v in _experience(rho, begun, int(count.max(initial=0))))
        mass = begun * power[:, None] * start + delta * all_paid + (1 - delta) * own_paid
        by_phi = begun * power_slope[:, None] * start + delta * all_slope + (1 - delta) * own_slope
        pull = weight / n
        core = pull * mass
        slopes = [
            pull * by_phi - core / n * by_rho * (1 - kappa),
            pull * (all_paid - own_paid),
            core / n * by_rho * phi,
            core,
            begun * (pull * power[:, None] * start - core / n * by_begun),
        ]
        slopes += [pull * begun * power[:, None] * np.eye(len(start))[j] for j in range(1, len(start))]
        return core, slopes


class Belief(Learner):
    """The best reply, with noise, to what the other did before: weighted fictitious play.

    gamma = 1 counts all rounds alike (fictitious play), gamma = 0 the last alone (Cournot).

    References
    ----------
    Cheung & Friedman (1997), Games and Economic Behavior 19:46.
    """

    def laws(self) -> tuple[Law, ...]:
        """gamma, lambda, the strength of the first belief, the bias of each action, the first belief."""
        names = self.actions_[1:]
        return (
            Law("gamma", "per round", 0.0, 1.0, (0.3, 0.98)),
            _LAMBDA,
            Law("prior", "rounds", np.log(0.01), np.log(1e3), (-1.0, 2.0), log=True),
            *(Law("bias", "log odds", -20.0, 20.0, (-0.5, 0.5), of=name) for name in names),
            *(Law("belief", "log odds", -8.0, 8.0, (-1.0, 1.0), of=name) for name in names),
        )

    def decay(self, theta: Floats) -> float:
        """gamma."""
        return float(theta[0])

    def signals(self, rounds: Rounds) -> tuple[NDArray[np.bool_], tuple[Floats, ...]]:
        """What the other played."""
        actions = np.arange(rounds.paid.shape[1])
        return rounds.other >= 0, ((rounds.other[:, None] == actions).astype(float),)

    def core(self, theta: Floats, learned: Learned) -> Core:
        """lambda times expected payoffs, and the bias."""
        (seen,), (by_gamma,) = learned.totals, learned.slopes
        a = seen.shape[1]
        gamma, weight, prior = theta[0], *np.exp(theta[1:3])
        bias, p0 = np.r_[0.0, theta[3 : 2 + a]], _softmax(np.r_[0.0, theta[2 + a :]])
        power, power_slope = _powers(gamma, learned.count)
        begun = prior * power[:, None] * p0
        w = begun + seen
        total = w.sum(1, keepdims=True)
        belief = w / total
        several = len(learned.tables) > 1
        payoffs = learned.tables[learned.table] if several else learned.tables[0]

        def expected(b: Floats) -> Floats:
            pays: Floats = np.einsum("mab,mb->ma", payoffs, b) if several else b @ payoffs.T
            return pays

        def moved(dw: Floats) -> Floats:
            """Of the log odds, where the weights move by dw."""
            change: Floats = weight * expected((dw - belief * dw.sum(1, keepdims=True)) / total)
            return change

        value = weight * expected(belief)
        slopes = [moved(prior * power_slope[:, None] * p0 + by_gamma), value, moved(begun)]
        slopes += [np.broadcast_to(np.eye(a)[j], value.shape) for j in range(1, a)]
        slopes += [moved(begun * (np.eye(a)[j] - p0[j])) for j in range(1, a)]
        return value + bias, slopes


_LAMBDA = Law("lambda", "per span", float(np.log(0.01)), float(np.log(500.0)), (0.0, 2.5), log=True)


class _Likelihood:
    """Minus the log-likelihood of a learner's parameters, with gradient, and gradients by move."""

    def __init__(self, model: Learner, E: Experience, z: Floats) -> None:
        self.model, self.experience, self.n_core = model, E, len(model.laws())
        self.places = np.flatnonzero(E.chosen >= 0)
        self.row = E.row[self.places]
        self.z = z[self.row]
        a = E.paid.shape[1]
        self.chosen = np.eye(a)[E.chosen[self.places]]
        self.ridge = np.tile(np.r_[_RIDGE_OF_FACTORS, np.full(a - 1, _RIDGE)], self.z.shape[1])

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        value, slopes = self._pieces(theta)
        effects = theta[self.n_core :]
        gradient = np.array([float(s.sum()) for s in slopes])
        gradient[self.n_core :] -= self.ridge * effects
        return -float(value.sum()) + 0.5 * float(self.ridge @ effects**2), -gradient

    def scores(self, theta: Floats) -> Floats:
        """(moves, P): gradient of each move's log probability."""
        return np.stack(self._pieces(theta)[1], axis=1)

    def _pieces(self, theta: Floats) -> tuple[Floats, list[Floats]]:
        learned = self.model.learned(theta[: self.n_core], self.experience)
        core, slopes = self.model.core(theta[: self.n_core], learned)
        core, a = core[self.places], core.shape[1]
        effects = theta[self.n_core :]
        factor = _factor(effects, self.z, a)
        logits = _shifted(core, effects, self.z, a)
        high = logits.max(1, keepdims=True)
        log_p = logits - high - np.log(np.exp(logits - high).sum(1, keepdims=True))
        rest = self.chosen - np.exp(log_p)
        pieces = [((rest * s[self.places]).sum(1)) * factor for s in slopes]
        pulled = (rest * core).sum(1) * factor
        for j in range(self.z.shape[1]):
            pieces.append(pulled * self.z[:, j])
            pieces += [rest[:, b] * self.z[:, j] for b in range(1, a)]
        return (log_p * self.chosen).sum(1), pieces


Value = Callable[[Floats], tuple[float, Floats]]


@dataclass(frozen=True, eq=False)
class _Plain:
    """A likelihood without effects of covariates: of its first parameters alone."""

    full: _Likelihood
    n: int

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        rest = np.zeros(self.full.z.shape[1] * self.full.chosen.shape[1])
        value, gradient = self.full(np.r_[theta, rest])
        return value, gradient[: self.n]


def climb(
    f: Value, laws: tuple[Law, ...], n_starts: int, rng: np.random.Generator
) -> tuple[Floats, float, bool]:
    """The least value within the bounds of the laws, from the best of many starts.

    Parameters
    ----------
    f : from parameters to value and gradient
    laws : P laws
    n_starts : int
    rng : np.random.Generator

    Returns
    -------
    theta : (P,), value : float, converged : bool
    """
    low, high = np.array([law.near for law in laws], dtype=float).T
    draws = [low + (high - low) * rng.random(len(laws)) for _ in range(12 * n_starts)]
    draws = sorted([(low + high) / 2, *draws], key=lambda x: f(x)[0])[:n_starts]
    return min((lowest(f, x, laws) for x in draws), key=lambda top: top[1])


def lowest(f: Value, start: Floats, laws: tuple[Law, ...]) -> tuple[Floats, float, bool]:
    """The least value within the bounds of the laws that descends from one start, as `climb`."""
    from scipy.optimize import minimize

    bounds = [(law.low, law.high) for law in laws]
    options = {"maxiter": 500, "maxfun": 2000, "maxcor": 20, "ftol": 1e-11, "gtol": 1e-6}
    top = minimize(f, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(top.x), float(top.fun), bool(top.status == 0)


def errors_of(
    every: Any, theta: Floats, laws: tuple[Law, ...], clusters: Codes | None
) -> tuple[Floats, list[str]]:
    """Covariance of the numbers that were sought, NaN where they lie on a bound or nothing tells them.

    Parameters
    ----------
    every : with ``__call__``, value and gradient, and ``scores``, (moves, P) gradients by move
    theta : (P,)
    laws : P laws
    clusters : (moves,) int, optional
        Subjects, for the sandwich; else the inverse of the observed information.

    Returns
    -------
    (P, P), and notes
    """
    low, high = np.array([(law.low, law.high) for law in laws], dtype=float).T
    free = np.flatnonzero((theta > low + 1e-6) & (theta < high - 1e-6))
    covariance = np.full((len(theta), len(theta)), np.nan)
    if not len(free):
        return covariance, []
    step = 1e-5 * np.maximum(1.0, np.abs(theta))
    step = np.minimum(
        step, np.where(np.isin(np.arange(len(theta)), free), np.minimum(theta - low, high - theta), 1)
    )
    columns = []
    for j in free:
        up, down = theta.copy(), theta.copy()
        up[j] += step[j]
        down[j] -= step[j]
        columns.append((every(up)[1] - every(down)[1])[free] / (2 * step[j]))
    information = np.array(columns)
    information = (information + information.T) / 2
    values, vectors = np.linalg.eigh(information)
    clear = values > 1e-7 * max(float(values.max()), 1e-12)
    loose = (np.abs(vectors[:, ~clear]) > 0.05).any(1) if not clear.all() else np.zeros(len(free), bool)
    inverse = (vectors[:, clear] / values[clear]) @ vectors[:, clear].T
    notes = []
    if loose.any():
        names = ", ".join(f"{laws[j].name} {laws[j].of}".strip() for j in free[loose])
        notes.append(f"the play does not tell {names} apart: no standard errors")
    if clusters is not None:
        if len(np.unique(clusters)) > 2 * len(free):
            inverse = sandwich(inverse, every.scores(theta)[:, free], clusters)
        else:
            notes.append("too few subjects for errors by subject: those of the model")
    inverse[loose] = inverse[:, loose] = np.nan
    covariance[np.ix_(free, free)] = inverse
    return covariance, notes


def error_of(variance: float, slope: float) -> float | None:
    """Standard error of what is reported, from the variance of what was sought; None where it is unknown."""
    return float(slope * np.sqrt(variance)) if variance >= 0 else None


def _powers(decay: float, count: Codes) -> tuple[Floats, Floats]:
    """decay^count, and its derivative by the decay."""
    k = np.arange(int(count.max(initial=0)) + 1)
    power = np.power(float(decay), k)
    slope = np.r_[0.0, k[1:] * power[:-1]]
    return power[count], slope[count]


def _experience(rho: float, begun: float, most: int) -> tuple[Floats, Floats, Floats]:
    """N after 0 .. most rounds, its derivatives by rho and by N(1)."""
    n, by_rho, by_begun = np.empty(most + 1), np.zeros(most + 1), np.ones(most + 1)
    n[0] = begun
    for k in range(most):
        n[k + 1] = rho * n[k] + 1
        by_rho[k + 1] = n[k] + rho * by_rho[k]
        by_begun[k + 1] = rho * by_begun[k]
    return n, by_rho, by_begun


def _sequences(X: Choices, stakes: Stakes, *, carry: bool) -> Codes:
    """Sequence of rounds of each row (n,): games of a subject with the same payoffs, or each game."""
    if not carry:
        return np.arange(len(X))
    by = np.stack([X.subject, stakes.of], axis=1)
    return np.unique(by, axis=0, return_inverse=True)[1].reshape(-1).astype(np.intp)


def _factor(effects: Floats, z: Floats, a: int) -> Floats:
    """What covariates multiply the log odds by: (..., p) -> (...)."""
    factor: Floats = (
        np.exp(np.clip(z @ effects.reshape(-1, a)[:, 0], -20, 20)) if len(effects) else np.ones(())
    )
    return factor


def _shifted(core: Floats, effects: Floats, z: Floats, a: int) -> Floats:
    """Log odds with the effects of covariates: (..., A), (P,), (..., p) -> (..., A)."""
    if not len(effects):
        return core
    by = effects.reshape(-1, a)
    bias = np.concatenate([np.zeros((*z.shape[:-1], 1)), z @ by[:, 1:]], axis=-1)
    shifted: Floats = core * _factor(effects, z, a)[..., None] + bias
    return shifted


def _few_sequences(X: Choices, carry: bool, rng: np.random.Generator) -> Codes:
    """Rows of subjects drawn until they hold enough moves to compare starts by."""
    codes = np.unique(X.subject, return_inverse=True)[1] if carry else np.arange(len(X))
    moves = np.bincount(codes, X.counted.sum(1))
    order = rng.permutation(len(moves))
    taken = order[: int(np.searchsorted(np.cumsum(moves[order]), _SCREEN)) + 1]
    return np.flatnonzero(np.isin(codes, taken))


def _softmax(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    total: Floats = weights / weights.sum(-1, keepdims=True)
    return total
