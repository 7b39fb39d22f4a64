"""Automata as a model of choice: a mixture over strategies, whose subjects keep their strategy or drift.

A subject plays strategy k with probability phi_k and trembles with probability b per move, as `sfem` has it:
the same likelihood, maximised by the same search, so that shares and tremble are the same numbers. Before a
move the model says sum_k w_k q_k, with q_k the probability that strategy k cooperates after this history and
w_k the belief that the subject plays it.

A drifting subject draws its strategy anew before a move with probability h. Where it draws k, it plays what k
would play now, had it watched the whole game. With a_t the belief after move t and u_t = e_t beta_t / c_t,

    a_t = ((1 - h) a_{t-1} + h phi) e_t / c_t,        beta_{t-1} = (1 - h) u_t + h (phi . u_t),

d log L / d theta follows from the expected draws of every strategy (Fisher's identity), and the exact
log-likelihood sum_t log c_t is climbed with it.

Covariates z act on membership by a multinomial logit, log phi_k / phi_K = c_k + z' beta_k, on the response by
the log odds of the tremble, l_0 + z' delta, or on both. Coefficients other than the constants have a ridge. A
subject that keeps its strategy has the covariates of its first game in all of them.

References
----------
Dal Bó & Fréchette 2011, AER 101:411 (the mixture); Dvorak 2023, JESA 9:337 (covariates of membership);
Rabiner 1989, Proceedings of the IEEE 77:257 (scaling of the forward and the backward pass); Berndt, Hall,
Hall & Hausman 1974, Annals of Economic and Social Measurement 3:653 (errors by the product of scores).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.estimate.choice.ahead import Ahead, Answers, TypesAhead
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.membership import (
    Design,
    Point,
    States,
    beliefs,
    bounded_odds,
    certain,
    cooperation,
    first_rows,
    separated_types,
)
from intent.estimate.choice.model import (
    ACTS,
    Acts,
    ChoiceModel,
    ChoiceType,
    Followed,
    Parameter,
)
from intent.estimate.choice.subjects import Drifting, Kept
from intent.estimate.counts import count_play, patterns
from intent.estimate.mixture import LOWEST, climb, covariance, layout_of
from intent.logs.gamelog import Trajectories
from intent.recognise.recogniser import Files, restored_strategies
from intent.strategies.catalogue import Strategy, catalogue, with_background
from intent.strategies.sets import strategy_set, strategy_table

__all__ = ["Automata", "default_automata"]

Floats = NDArray[np.float64]
Moves = NDArray[np.int8]
Tremble = Literal["pooled", "strategy"]
_TREMBLES: tuple[Tremble, ...] = ("pooled", "strategy")
_FEWEST_SHARE = 0.05
"""Share from which a strategy that has less over all begins to climb: from near zero it stays there, though
some level of a covariate may play it."""
_HAZARDS = (0.003, 0.03, 0.15)
_MOST_ITERATIONS = 500
_TOLERANCE, _GAIN = 1e-5, 1e-9
"""Slope per subject, and gain by step relative to the log-likelihood, at which a search ends."""
_FLAT = 1e-5
"""A smaller share is taken as zero where errors are concerned."""


def default_automata() -> tuple[Strategy, ...]:
    """The deterministic strategies of the catalogue, and RANDOM.

    All rules that a reader may have heard of compete, so that what they leave unexplained is no choice of
    ours; their noise is the tremble. Rules that are random by themselves would compete with the tremble.
    """
    return with_background(tuple(s for s in catalogue() if s.is_deterministic), True)


class Automata(ChoiceModel):
    """A mixture of strategies that tremble, whose subjects keep theirs or draw it anew.

    Parameters
    ----------
    strategies : set, names, file, or sequence of names and Strategy; optional
        By default the deterministic strategies of the catalogue, and RANDOM.
    background : bool
        Whether RANDOM joins the strategies, where none of them is like it.
    drifting : bool
        Whether a subject draws its strategy anew, with an estimated probability before every move.
    tremble : {"pooled", "strategy"}
        One for all, or one for each strategy.
    acts : {"membership", "response", "both"}, optional
        What covariates act on; by default they are not used.
    crossed : bool
        Whether each combination of covariates has coefficients of its own, instead of each covariate.
    ridge : float >= 0
        Half of it times the sum of squared coefficients is taken from the log-likelihood.

    Attributes
    ----------
    strategies_ : tuple of K Strategy
    shares_ : (K,), of all subjects
    log_odds_ : (J,), of the trembles, where covariates are zero
    hazard_ : float, 0 where nothing drifts
    log_likelihood_ : float, without the ridge
    """

    def __init__(
        self,
        strategies: str | Path | Sequence[str | Path | Strategy] | None = None,
        *,
        background: bool = True,
        drifting: bool = False,
        tremble: Tremble = "pooled",
        acts: Acts | None = None,
        crossed: bool = False,
        ridge: float = 1.0,
    ) -> None:
        self.strategies = strategies
        self.background = background
        self.drifting = drifting
        self.tremble = tremble
        self.acts = acts
        self.crossed = crossed
        self.ridge = ridge

    @property
    def uses_covariates(self) -> bool:  # type: ignore[override]
        """Whether covariates act on anything."""
        return self.acts is not None

    def _estimate(self, X: Choices) -> None:
        self._check()
        named = default_automata() if self.strategies is None else strategy_set(self.strategies)
        self.strategies_ = with_background(tuple(named), self.background)
        self.design_ = Design.learn(X, crossed=self.crossed) if self.acts else Design.none()
        X = certain(X)
        k = len(self.strategies_)
        _, codes = np.unique(X.subject, return_inverse=True)
        counts = count_play(_trajectories(X), codes.reshape(-1), self.strategies_)
        distinct, of = patterns(counts)
        number = np.bincount(of, minlength=len(distinct)).astype(float)
        layout = layout_of(1, k, "strategy" if self.tremble == "strategy" else "common")
        optimum = climb([distinct], [number], layout)
        self.highest_ = optimum.highest
        self.log_odds_ = optimum.at.log_odds[0]
        self.shares_, self.hazard_ = optimum.at.shares[0, 0], 0.0
        self.log_likelihood_ = float(optimum.slopes.value[0])
        p = self.design_.width
        self.membership_, self.response_ = np.zeros((p, k)), np.zeros((p, len(self.log_odds_)))
        if not self.drifting and self.acts is None:
            with np.errstate(divide="ignore"):
                self.constants_ = np.log(self.shares_)
            if optimum.gradient[0] > 1e-6:
                self.notes_.append("the search had not come to rest")
            errors = covariance(optimum)
            se = np.sqrt(np.maximum(np.diag(errors.matrix), 0))
            self._tell(np.where(errors.known, se, np.nan))
            return
        started = np.maximum(self.shares_, _FEWEST_SHARE)
        self.constants_ = np.log(started / started.sum())
        self.constants_ -= self.constants_[-1]
        constant = None if self.drifting else Kept.of(X, counts, codes.reshape(-1), self.design_)
        self._climb(Drifting.of(X, self.strategies_, self.design_) if constant is None else constant, X)

    def _check(self) -> None:
        for name, value, known in (("tremble", self.tremble, _TREMBLES), ("acts", self.acts, (*ACTS, None))):
            if value not in known:
                raise UsageError(f"{name} is {value!r}, expected {', '.join(map(str, known))}")
        if not isinstance(self.ridge, int | float) or not 0 <= self.ridge < np.inf:
            raise UsageError(f"ridge is {self.ridge!r}, expected a number >= 0")

    def _climb(self, objective: Kept | Drifting, X: Choices) -> None:
        """Maximise the penalised likelihood, and take errors from the scores of subjects."""
        from scipy.optimize import minimize

        start, highest = self._theta(), self.highest_
        sizes = self._sizes()
        bounds: list[tuple[float | None, float | None]] = [(-25.0, 25.0)] * len(start)
        for i in range(sizes[2], sizes[3]):
            bounds[i] = (LOWEST, highest)  # response coefficients approach the upper one smoothly
        if self.drifting:
            bounds[-1] = (-16.0, 12.0)
        penalty = self._penalty()

        def loss(theta: Floats) -> tuple[float, Floats]:
            value, slope = objective.slopes(self._at(theta))
            value -= 0.5 * float(penalty @ theta**2)
            return -value / objective.size, -(slope - penalty * theta) / objective.size

        if self.drifting:
            start = min((np.r_[start[:-1], np.log(h / (1 - h))] for h in _HAZARDS), key=lambda t: loss(t)[0])
        held = self._held()
        free = np.flatnonzero(~held)

        def reduced(part: Floats) -> tuple[float, Floats]:
            theta = start.copy()
            theta[free] = part
            value, slope = loss(theta)
            return value, slope[free]

        end = minimize(
            reduced,
            np.clip(start[free], *np.array([bounds[i] for i in free], dtype=float).T),
            jac=True,
            method="L-BFGS-B",
            bounds=[bounds[i] for i in free],
            options={"maxiter": _MOST_ITERATIONS, "ftol": _GAIN, "gtol": _TOLERANCE, "maxcor": 20},
        )
        if end.status == 1:
            self.notes_.append(f"the search had not come to rest after {_MOST_ITERATIONS} steps")
        theta = start.copy()
        theta[free] = end.x
        at = self._at(theta)
        self.constants_, self.membership_ = at.constants, at.membership
        self.log_odds_, self.response_, self.hazard_ = at.log_odds, at.response, at.hazard
        self.log_likelihood_ = objective.slopes(at)[0]
        probabilities = objective.shares(at)
        self.shares_ = probabilities.mean(0)
        if self.acts in ("membership", "both"):
            posterior = self.memberships(X)
            self.notes_ += separated_types(self.design_.coding, X, posterior, ridge=self.ridge > 0)
        inside = ~held
        k = len(self.strategies_)
        inside[: k - 1] &= self.shares_[:-1] > _FLAT
        inside[sizes[2] : sizes[3]] &= (theta[sizes[2] : sizes[3]] > LOWEST + 1) & (
            theta[sizes[2] : sizes[3]] < highest - 1e-6
        )
        se = np.full(len(theta), np.nan)
        use = np.flatnonzero(inside)
        information = objective.outer(at)[np.ix_(use, use)] + np.diag(penalty[use])
        values, vectors = np.linalg.eigh(information)
        good = values > 1e-8 * max(values.max(initial=0), 1e-300)
        root = vectors[:, good] / np.sqrt(values[good])
        se[use] = np.sqrt((root**2).sum(1))
        jacobian = np.zeros((k, len(theta)))  # of the shares, where no covariate changes them
        jacobian[:, : k - 1] = (np.diag(self.shares_) - np.outer(self.shares_, self.shares_))[:, : k - 1]
        share_se = np.sqrt(((jacobian[:, use] @ root) ** 2).sum(1))
        share_se = np.where((self.shares_ > _FLAT) & (self.acts in (None, "response")), share_se, np.nan)
        self._tell(np.r_[share_se, se[sizes[2] : sizes[3]]], se)

    def _sizes(self) -> tuple[int, int, int, int, int]:
        """Where constants, membership, trembles, responses and the hazard begin: ends of each part."""
        k, j, p = len(self.strategies_), len(self.log_odds_), self.design_.width
        ends = np.cumsum([k - 1, p * (k - 1), 0, j, p * j])
        return tuple(int(e) for e in ends)  # type: ignore[return-value]

    def _theta(self) -> Floats:
        parts = (
            self.constants_[:-1],
            self.membership_[:, :-1].ravel(),
            self.log_odds_,
            self.response_.ravel(),
        )
        return np.concatenate([*parts, [-3.0]] if self.drifting else parts)

    def _at(self, theta: Floats) -> Point:
        k, j, p = len(self.strategies_), len(self.log_odds_), self.design_.width
        a, b, _, c, d = self._sizes()
        membership = np.zeros((p, k))
        membership[:, :-1] = theta[a:b].reshape(p, k - 1)
        hazard = float(1 / (1 + np.exp(-theta[d]))) if self.drifting else 0.0
        return Point(
            np.r_[theta[:a], 0.0], membership, theta[b:c], theta[c:d].reshape(p, j), hazard, self._cap
        )

    @property
    def _cap(self) -> float | None:
        """What trembles are held below where covariates act on them."""
        return self.highest_ if self.acts in ("response", "both") else None

    @property
    def tremble_(self) -> Floats:
        """Trembles (J,) where covariates are zero."""
        b: Floats = 1 / (1 + np.exp(-bounded_odds(self.log_odds_, self._cap)[0]))
        return b

    def _penalty(self) -> Floats:
        a, b, _, c, d = self._sizes()
        penalty = np.zeros(d + self.drifting)
        penalty[a:b] = penalty[c:d] = self.ridge
        return penalty

    def _held(self) -> NDArray[np.bool_]:
        """Coefficients that no covariate moves."""
        a, b, _, c, d = self._sizes()
        held = np.zeros(d + self.drifting, dtype=bool)
        held[a:b] = self.acts not in ("membership", "both")
        held[c:d] = self.acts not in ("response", "both")
        if not self.ridge:  # without a ridge the first level of each covariate is the reference
            unneeded = np.ones(self.design_.width, dtype=bool)
            unneeded[self.design_.free] = False
            held[a:b] |= np.repeat(unneeded, len(self.strategies_) - 1)
            held[c:d] |= np.repeat(unneeded, len(self.log_odds_))
        return held

    def _tell(self, se: Floats, coefficients: Floats | None = None) -> None:
        """Set the parameters; `se` of the shares, then of the log odds of the trembles."""
        names = [s.name for s in self.strategies_]
        k, of = len(names), names if self.tremble == "strategy" else [""]
        self.share_se_ = [None if np.isnan(e) else float(e) for e in se[:k]]
        rows = []
        if self.drifting:
            h = self.hazard_
            assert coefficients is not None
            rows.append(_row("hazard", h, coefficients[-1] * h * (1 - h), "probability per move", ""))
        slope = bounded_odds(self.log_odds_, self._cap)[1]
        silent = {s.name for s in self.strategies_ if s.is_background}  # of which no tremble shows
        for name, b, e in zip(of, self.tremble_, se[k:] * slope, strict=True):
            if name in silent:
                continue
            rows.append(_row("tremble", float(b), e * b * (1 - b), "probability", name))
        for name, share, e in zip(names, self.shares_, se[:k], strict=True):
            rows.append(_row("share", float(share), e, "probability", name))
        if coefficients is not None and self.acts is not None:
            a, b_, _, c, d = self._sizes()
            held = self._held()
            for i in range(a, b_):
                z, s = divmod(i - a, k - 1)
                if not held[i]:
                    what = f"{names[s]} against {names[-1]}"
                    value = float(self.membership_[z, s])
                    rows.append(_row(self.design_.names[z], value, coefficients[i], "log odds", what))
            for i in range(c, d):
                z, j = divmod(i - c, len(of))
                if not held[i] and of[j] not in silent:
                    what = f"tremble {of[j]}".strip()
                    value = float(self.response_[z, j])
                    rows.append(_row(self.design_.names[z], value, coefficients[i], "log odds", what))
        self.parameters_ = tuple(rows)

    def ahead(self, X: Choices) -> Ahead:
        """The strategies, each in its state, and what is believed of them."""
        X, trembles = certain(X), self._trembles(X)

        def answers(rows: NDArray[np.intp]) -> Answers:
            return States(X[rows], self.strategies_, trembles[rows])

        return TypesAhead(X, self.log_shares(X), answers, hazard=self.hazard_)

    def _trembles(self, X: Choices) -> Floats:
        """(n, K), of the rows."""
        log_odds = self.log_odds_
        if self._cap is not None:
            log_odds = log_odds + self._coded(X) @ self.response_
        b = 1 / (1 + np.exp(-bounded_odds(log_odds, self._cap)[0]))
        return np.broadcast_to(b, (len(X), len(self.strategies_)))

    def _predicted(self, X: Choices) -> Floats:
        X = certain(X)
        q = cooperation(X, self.strategies_, self._trembles(X))
        now, self._after = beliefs(_log_made(q, X), self.log_shares(X), X, hazard=self.hazard_)
        p: Floats = (now * q).sum(-1)
        return p

    def log_shares(self, X: Choices) -> Floats:
        """Log probability of each strategy where it is drawn, by row: (n, K)."""
        logits = self.constants_ + self._coded(X) @ self.membership_
        top = logits.max(1, keepdims=True)
        out: Floats = logits - top - np.log(np.exp(logits - top).sum(1, keepdims=True))
        return out

    def _coded(self, X: Choices) -> Floats:
        """Covariates (n, P) by row; a subject that keeps its strategy has those of its first game."""
        z = self.design_.code(X)
        return z if self.drifting or not len(X) else z[first_rows(X)]

    def parameters(self) -> tuple[Parameter, ...]:
        """Hazard, trembles, shares, then coefficients of covariates."""
        return self.parameters_

    def effects(self) -> tuple[Parameter, ...]:
        """What covariates add to the log odds of trembles; types are shown where covariates are zero."""
        return tuple(p for p in self.parameters_ if p.of.startswith("tremble"))

    @property
    def n_parameters(self) -> int:
        """Free parameters: shares that sum to one, trembles, hazard, coefficients."""
        return len(self.parameters_) - 1

    def types(self) -> tuple[ChoiceType, ...]:
        """The strategies, with the tremble (where covariates are zero) in their probabilities."""
        b = np.broadcast_to(self.tremble_, len(self.strategies_))
        return tuple(
            ChoiceType(s.name, float(share), e, s.with_tremble(float(own)))
            for s, share, e, own in zip(self.strategies_, self.shares_, self.share_se_, b, strict=True)
        )

    @property
    def known_covariates(self) -> tuple[str, ...]:
        """Those that act on anything."""
        return self.design_.coding.columns

    def followed(self) -> Followed | None:
        """Strategies, tremble and hazard; None where covariates are to be known."""
        if self.known_covariates:
            return None
        b = np.broadcast_to(self.tremble_, len(self.strategies_))
        names = tuple(s.name for s in self.strategies_)
        return Followed(names, self.strategies_, tuple(self.shares_), tuple(map(float, b)), self.hazard_)

    def memberships(self, X: Any) -> Floats:
        """Posterior of each strategy at the end of each row: (n, K)."""
        self.next_move(X)
        after: Floats = self._after
        return after

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Strategies as tables, and the estimates, as JSON."""
        lists = ("shares_", "log_odds_", "membership_", "response_")
        return {
            "strategies": [strategy_table(s) for s in self.strategies_],
            **{name: getattr(self, name).tolist() for name in lists},
            "constants_": [None if np.isinf(c) else float(c) for c in self.constants_],
            "hazard_": self.hazard_,
            "highest_": self.highest_,
            "log_likelihood_": self.log_likelihood_,
            "share_se_": self.share_se_,
            "design": self.design_.to_state(),
            "parameters": [[r.name, r.value, r.se, r.unit, r.of] for r in self.parameters_],
        }, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the estimates."""
        names = self.strategies if self.strategies is not None else "all"
        self.strategies_ = restored_strategies(names, state["strategies"], background=self.background)[0]
        self.design_ = Design.from_state(state["design"])
        k, p = len(self.strategies_), self.design_.width
        self.shares_ = np.asarray(state["shares_"], dtype=float)
        self.log_odds_ = np.asarray(state["log_odds_"], dtype=float)
        self.membership_ = np.asarray(state["membership_"], dtype=float).reshape(p, k)
        self.response_ = np.asarray(state["response_"], dtype=float).reshape(p, len(self.log_odds_))
        self.constants_ = np.array([-np.inf if c is None else float(c) for c in state["constants_"]])
        for name in ("hazard_", "highest_", "log_likelihood_"):
            setattr(self, name, float(state[name]))
        self.share_se_ = [None if e is None else float(e) for e in state["share_se_"]]
        self.parameters_ = tuple(
            Parameter(str(n), float(v), None if e is None else float(e), str(u), str(of))
            for n, v, e, u, of in state["parameters"]
        )
        return self


def _trajectories(X: Choices) -> Trajectories:
    """The same play as estimation reads it."""
    return Trajectories(
        X.own,
        X.other,
        decided=X.chosen,
        evidence=X.counted,
        implementation_error=X.implementation_error,
    )


def _log_made(q: Floats, X: Choices) -> Floats:
    """Log probability of the decisions (n, T, K), 0 where none counts."""
    likelihoods = np.where((X.chosen == 1)[..., None], q, 1 - q)
    log: Floats = np.log(np.where(X.counted[..., None], np.maximum(likelihoods, 1e-300), 1.0))
    return log


def _row(name: str, value: float, se: float, unit: str, of: str) -> Parameter:
    return Parameter(name, value, float(se) if np.isfinite(se) else None, unit, of)
