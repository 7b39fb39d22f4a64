"""The exact posterior over strategies: no training, and the ceiling for every other recogniser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import RecogniserError, shorten
from intent.logs.trajectories import Trajectories
from intent.recognise.base import Files, Recogniser, as_trajectories
from intent.recognise.evidence import estimate_eps, log_evidence, normalise
from intent.recognise.quadrature import eps_nodes
from intent.recognise.saved import check_eps, read_classes, read_probabilities
from intent.recognise.saved_strategies import restored_strategies, strategy_table, with_background
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import strategy_set

__all__ = ["BayesRecogniser"]

Floats = NDArray[np.float64]
Eps = float | Literal["integrate", "estimate"]


class BayesRecogniser(Recogniser):
    """P(strategy | play) by the exact likelihood.

    P(k | play) is proportional to prior_k prod_t q_t(k), with q = (1 - eps) p + eps (1 - p) along the state
    path.

    Parameters
    ----------
    strategies : set name, comma-separated names, or sequence of names and Strategy
    eps : float in [0, .5), "integrate" or "estimate"
        Execution noise: known; integrated out over `eps_prior`; or one maximum-likelihood value for
        the trajectories given to `fit`.
    eps_prior : (low, high) of a uniform, or (a, b, scale) of a Beta(a, b) on [0, scale]
    prior : "uniform", "sfem", or K probabilities, or mapping of name -> probability
        "sfem": empirical Bayes, the shares that maximise the likelihood of the trajectories given to `fit`
        (each its own subject), at the noise of `eps`, or together with it where that is estimated.
    background : bool
        Whether RANDOM competes as a class for play that no strategy explains.

    Attributes
    ----------
    classes_ : (K,) names
    strategies_ : tuple of K Strategy
    prior_ : (K,)
    eps_ : float or "integrate"

    References
    ----------
    Dal Bó & Fréchette 2011, AER 101:411, for the likelihood.
    """

    kind: ClassVar[str] = "bayes"

    def __init__(
        self,
        strategies: Any = "canonical4",
        *,
        eps: Eps = 0.05,
        eps_prior: tuple[float, ...] = (0.0, 0.2),
        prior: Any = "uniform",
        background: bool = False,
    ) -> None:
        self.strategies = strategies
        self.eps = eps
        self.eps_prior = eps_prior
        self.prior = prior
        self.background = background

    def fit(self, X: Any = None, y: ArrayLike | None = None) -> Self:
        """Resolve strategies and prior, and estimate eps where asked.

        Raises
        ------
        RecogniserError
            A prior that is none, eps out of range, or nothing to estimate eps or the prior from.
        """
        chosen = with_background(strategy_set(self.strategies), self.background)
        self.strategies_ = chosen
        self.classes_ = np.array([s.name for s in chosen])
        self.prior_ = self._resolve_prior()
        if isinstance(self.prior, str) and self.prior == "sfem" and X is None:
            raise RecogniserError("prior='sfem' needs trajectories to estimate from; call fit(X)")
        self._resolve_noise(X)
        if isinstance(self.prior, str) and self.prior == "sfem" and self.eps != "estimate":
            from intent.recognise.sfem.known import shares_of

            self.prior_ = shares_of(self.log_evidence(X))
        return self

    def _resolve_noise(self, X: Any) -> None:
        """Set `eps_`, and the prior where both are estimated together."""
        chosen = self.strategies_
        if self.eps == "estimate":
            if X is None:
                raise RecogniserError("eps='estimate' needs trajectories to estimate from; call fit(X)")
            X = as_trajectories(X)
            self.eps_: float | Literal["integrate"]
            if isinstance(self.prior, str) and self.prior == "sfem":
                self.eps_, self.prior_ = _estimate_both(X, chosen)
            else:
                self.eps_ = estimate_eps(X, chosen, self.prior_)
        elif self.eps == "integrate":
            eps_nodes(self.eps_prior, 1)
            self.eps_ = "integrate"
        elif isinstance(self.eps, int | float) and 0 <= self.eps < 0.5:
            self.eps_ = float(self.eps)
        else:
            raise RecogniserError(
                f"eps is {self.eps!r}, expected a number in [0, .5), 'integrate' or 'estimate'"
            )

    def log_evidence(self, X: Any) -> Floats:
        """Log-probability of each history under each class, (n, K)."""
        self._fitted()
        return log_evidence(as_trajectories(X), self.strategies_, self.eps_, tuple(self.eps_prior))

    def predict_proba(self, X: Any) -> Floats:
        """Posterior (n, K). A history that no class allows (possible at eps 0) gets the prior."""
        self._fitted()
        X = as_trajectories(X)
        out = np.empty((len(X), len(self.classes_)))
        step = 1 << 15
        for a in range(0, len(X), step):
            out[a : a + step] = normalise(self.log_evidence(X[a : a + step]), self.prior_)
        return out

    def predict_proba_pooled(self, X: Any, subjects: NDArray[np.intp]) -> Floats:
        """Posterior (S, K) given all play of each subject: one strategy, and one eps, for all its games."""
        self._fitted()
        evidence = log_evidence(
            as_trajectories(X), self.strategies_, self.eps_, tuple(self.eps_prior), subjects=subjects
        )
        return normalise(evidence, self.prior_)

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Strategies as tables, prior and eps."""
        self._fitted()
        return {
            "strategies": [strategy_table(s) for s in self.strategies_],
            "prior": self.prior_.tolist(),
            "eps": self.eps_,
        }, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore from tables; where the parameter `strategies` no longer means them, they take its place.

        Raises
        ------
        RecogniserError
            The state or a parameter is not one that `fit` makes.
        """
        if type(self.background) is not bool:
            raise RecogniserError(f"background is {shorten(self.background)}, expected true or false")
        self.strategies_, self.strategies = restored_strategies(
            self.strategies, state["strategies"], background=self.background
        )
        self.classes_ = read_classes([s.name for s in self.strategies_])
        self._resolve_prior()
        self.prior_ = read_probabilities(state["prior"], len(self.classes_))
        check_eps(self.eps, "integrate", "estimate")
        check_eps(state["eps"], "integrate")
        if not np.isfinite(eps_nodes(self.eps_prior, 10)).all():
            raise RecogniserError(f"eps prior is {self.eps_prior}, expected finite numbers")
        self.eps_ = state["eps"]
        return self

    def _resolve_prior(self) -> Floats:
        k = len(self.strategies_)
        if isinstance(self.prior, str):
            if self.prior not in ("uniform", "sfem"):
                raise RecogniserError(
                    f"prior is {shorten(repr(self.prior))}, expected 'uniform', 'sfem' or {k} probabilities"
                )
            return np.full(k, 1 / k)
        if isinstance(self.prior, Mapping):
            unknown = set(self.prior) - set(self.classes_.tolist())
            if unknown:
                raise RecogniserError(
                    f"prior names {sorted(unknown)}, expected some of {self.classes_.tolist()}"
                )
            return read_probabilities([self.prior.get(name, 0.0) for name in self.classes_.tolist()], k)
        return read_probabilities(self.prior, k)


def _estimate_both(X: Trajectories, strategies: Sequence[Strategy]) -> tuple[float, Floats]:
    from intent.recognise.sfem.estimate import estimate

    fit = estimate(X, np.arange(len(X)), strategies, test=False).groups[0][1]
    eps = fit.tremble[0].estimate
    return 0.0 if np.isnan(eps) else eps, np.array([share.estimate for share in fit.shares])
