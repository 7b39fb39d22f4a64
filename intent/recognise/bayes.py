"""The exact posterior over strategies: no training, and the ceiling for every other recogniser.

Before it: what histories tell, their probability under each strategy and the noise of their players.

RANDOM as a rival of the strategies: play that a fair coin explains best is nobody's strategy.

With equal prior weight w = 1 / (K + 1) for RANDOM and each of K strategies, and L the probability of play,

    P(RANDOM | play) = w L_RANDOM / (w L_RANDOM + sum_k w L_k),    L_RANDOM = 2^-(number of moves).

The exact recogniser has it as one class more. Any other keeps its own posterior, scaled by 1 - P(RANDOM).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.defaults import BACKGROUND, DEFAULT_STRATEGIES
from intent.base.errors import IntentError, RecogniserError, UsageError, shorten
from intent.base.registry import load, point, points
from intent.logs.gamelog import Trajectories
from intent.recognise.recogniser import (
    Files,
    Recogniser,
    as_trajectories,
    check_eps,
    read_classes,
    read_probabilities,
    restored_strategies,
    summed_by,
)
from intent.strategies.catalogue import Strategy, strategy, with_background
from intent.strategies.likelihood import composed, forward_path, log_likelihood, log_likelihood_paths
from intent.strategies.sets import strategy_set, strategy_table

__all__ = [
    "SMALLEST_EPS",
    "BackgroundRecogniser",
    "BayesRecogniser",
    "EmpiricalPrior",
    "adapter",
    "against_random",
    "assumed_noise",
    "class_strategies",
    "default_strategies",
    "eps_nodes",
    "estimate_eps",
    "log_evidence",
    "lowest_point",
    "normalise",
    "posterior_paths",
    "prior_with_random",
    "trajectory_likelihood",
    "was_without_random",
]


_FEWEST_NODES = 64


def eps_nodes(prior: tuple[float, ...], rounds: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss nodes and weights of a prior over eps.

    The likelihood of T moves is a polynomial of degree T in eps, so T // 2 + 1 Gauss nodes integrate it
    exactly. For T > 126 the number grows with the square root of T, as the peak gets narrower.

    Parameters
    ----------
    prior : (low, high) of a uniform on [low, high], or (a, b, scale) of a Beta(a, b) on [0, scale]
        All within [0, .5].
    rounds : int
        T, at least 1.

    Returns
    -------
    nodes, weights : (m,) float64; weights sum to one

    Raises
    ------
    RecogniserError
        The prior is neither.
    """
    m = min(max(rounds, 1) // 2 + 1, max(_FEWEST_NODES, int(4 * rounds**0.5)))
    if len(prior) == 2:
        low, high = prior
        if not 0 <= low < high <= 0.5:
            raise RecogniserError(
                f"eps prior {tuple(prior)}, expected (low, high) with 0 <= low < high <= .5"
            )
        x, w = np.polynomial.legendre.leggauss(m)
        return low + (x + 1) * (high - low) / 2, w / w.sum()
    if len(prior) == 3 and prior[0] > 0 and prior[1] > 0 and 0 < prior[2] <= 0.5:
        from scipy.special import roots_jacobi

        a, b, scale = prior
        x, w = roots_jacobi(m, b - 1, a - 1)
        return (x + 1) / 2 * scale, w / w.sum()
    raise RecogniserError(
        f"eps prior {tuple(prior)}, expected (low, high) or Beta (a > 0, b > 0, scale <= .5)"
    )


def lowest_point(loss: Callable[[float], float], grid: NDArray[np.float64], tol: float) -> float:
    """Where a function is least: the best point of a grid, refined between its neighbours.

    Parameters
    ----------
    loss : float -> float
    grid : (m,) rising
        Fine enough that the lowest valley holds a point of it.
    tol : float
        Distance from the minimum at which the refinement (Brent's, bounded) stops.

    Returns
    -------
    float, the point of the grid itself where the refinement finds nothing lower

    References
    ----------
    Brent 1973, Algorithms for Minimization without Derivatives, chapter 5.
    """
    from scipy.optimize import minimize_scalar

    losses = [loss(float(x)) for x in grid]
    at = int(np.argmin(losses))
    bounds = (grid[max(0, at - 1)], grid[min(len(grid) - 1, at + 1)])
    minimum = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": tol})
    return float(minimum.x if minimum.fun < losses[at] else grid[at])


Floats = NDArray[np.float64]


def trajectory_likelihood(X: Trajectories, strategies: Sequence[Strategy], eps: ArrayLike) -> Floats:
    """`log_likelihood` of trajectories: of decisions, or of moves given the known error of the game.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    strategies : sequence of K Strategy
    eps : float or (E,) in [0, .5), probability per decision that the intended one is flipped

    Returns
    -------
    (n, K) float64 for one eps, (n, K, E) for several
    """
    return log_likelihood(
        X.own,
        X.other,
        X.evidence_mask,
        strategies,
        eps,
        decided=X.decided,
        implementation_error=X.implementation_error,
    )


def log_evidence(
    X: Trajectories,
    strategies: Sequence[Strategy],
    eps: float | Literal["integrate"],
    eps_prior: tuple[float, ...] = (0.0, 0.2),
    *,
    subjects: NDArray[np.intp] | None = None,
) -> Floats:
    """Log-probability of each history under each strategy, eps given or integrated out.

    With `subjects`, of all histories of each subject: one strategy and one eps for all of them.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    strategies : sequence of K Strategy
    eps : float in [0, .5), or "integrate"
    eps_prior : (low, high) of a uniform, or (a, b, scale) of a Beta(a, b) on [0, scale]
    subjects : (n,) int, 0 .. S - 1, optional

    Returns
    -------
    (n, K) float64, or (S, K)
    """
    if subjects is not None:
        return _pooled(X, strategies, eps, eps_prior, subjects)
    if eps != "integrate":
        return trajectory_likelihood(X, strategies, float(eps))
    nodes, weights = eps_nodes(eps_prior, X.shape[1])
    out = np.empty((len(X), len(strategies)))
    step = max(1, (1 << 21) // (len(nodes) * len(strategies)))
    for a in range(0, len(X), step):
        rows = X[a : a + step]
        out[a : a + step] = _averaged(trajectory_likelihood(rows, strategies, nodes), weights)
    return out


def _averaged(grid: Floats, weights: Floats) -> Floats:
    """Log of the weighted mean (n, K) of probabilities whose logarithms are (n, K, E)."""
    top = grid.max(axis=2, keepdims=True)
    top[~np.isfinite(top)] = 0.0
    with np.errstate(divide="ignore"):
        mean: Floats = np.log(np.exp(grid - top) @ weights) + top[:, :, 0]
    return mean


def _pooled(
    X: Trajectories,
    strategies: Sequence[Strategy],
    eps: float | Literal["integrate"],
    eps_prior: tuple[float, ...],
    subjects: NDArray[np.intp],
) -> Floats:
    """Log-probability (S, K) of all play of each subject."""
    if eps != "integrate":
        return summed_by(trajectory_likelihood(X, strategies, float(eps)), subjects)
    moves = np.bincount(subjects, weights=X.n_rounds)
    nodes, weights = eps_nodes(eps_prior, int(moves.max(initial=1)))
    out = np.empty((len(moves), len(strategies)))
    together = max(1, (1 << 21) // (len(nodes) * len(strategies)))
    order = np.argsort(subjects, kind="stable")
    ends = np.searchsorted(subjects[order], np.arange(len(moves)), side="right")
    first = 0
    while first < len(moves):
        start = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, start + together, side="right")))
        rows = order[start : ends[last - 1]]
        part = X[rows]
        grid = trajectory_likelihood(part, strategies, nodes)
        out[first:last] = _averaged(summed_by(grid, subjects[rows] - first), weights)
        first = last
    return out


def normalise(log_weights: Floats, prior: Floats) -> Floats:
    """Posterior (n, K) of log-likelihoods and a prior (K,); a history that no class allows gets the prior."""
    with np.errstate(divide="ignore"):
        proba = log_weights + np.log(prior)
    top = proba.max(axis=1, keepdims=True)
    impossible = ~np.isfinite(top)
    np.copyto(top, 0.0, where=impossible)
    proba -= top
    np.exp(proba, out=proba)
    total = proba.sum(axis=1, keepdims=True)
    if impossible.any():
        rows = impossible[:, 0]
        proba[rows] = prior
        total[rows] = prior.sum()
    proba /= total
    return proba


def estimate_eps(X: Trajectories, strategies: Sequence[Strategy], prior: Floats) -> float:
    """The eps in [0, .49] that maximises the likelihood of all trajectories together.

    sum_i log sum_k prior_k P(play_i | k, eps), searched on a grid and refined by bounded minimisation.
    """

    def loss(eps: float) -> float:
        ll = trajectory_likelihood(X, strategies, eps)[:, prior > 0]
        top = ll.max(axis=1, keepdims=True)
        if not np.isfinite(top).all():
            return np.inf
        return -float((np.log(np.exp(ll - top) @ prior[prior > 0]) + top[:, 0]).sum())

    return lowest_point(loss, np.concatenate([[0.0], np.geomspace(1e-4, 0.49, 25)]), 1e-7)


SMALLEST_EPS = 0.002
"""Noise below this is learned as this: at eps 0 a single slip would make a class impossible."""

_NODE_ROUNDS = 40


def posterior_paths(
    own: NDArray[np.int8],
    other: NDArray[np.int8],
    strategies: Sequence[Strategy],
    *,
    eps: NDArray[np.float64] | None = None,
    eps_prior: tuple[float, ...] = (0.0, 0.2),
) -> NDArray[np.float32]:
    """P(strategy | first t rounds) for every t, equally probable strategies.

    Parameters
    ----------
    own, other : (n, T) int8, complete
    strategies : sequence of K Strategy
    eps : (n,) float, optional
        Noise that the rule knows of each trajectory; default: integrated over the prior.
    eps_prior : (low, high) of a uniform, or (a, b, scale) of a Beta(a, b) on [0, scale]

    Returns
    -------
    (n, T, K) float32
    """
    if eps is None:
        nodes, weights = eps_nodes(eps_prior, min(own.shape[1], _NODE_ROUNDS))
        grid = log_likelihood_paths(own, other, None, strategies, nodes).astype(np.float32)
        grid -= grid.max(axis=(2, 3), keepdims=True)
        likelihood = np.exp(grid) @ weights.astype(np.float32)
    else:
        likelihood = np.empty((*own.shape, len(strategies)), dtype=np.float32)
        for value in np.unique(eps):
            rows = eps == value
            ll = log_likelihood_paths(own[rows], other[rows], None, strategies, max(value, SMALLEST_EPS))
            likelihood[rows] = np.exp(ll - ll.max(axis=2, keepdims=True))
    posterior: NDArray[np.float32] = likelihood / likelihood.sum(axis=2, keepdims=True)
    return posterior


Eps = float | Literal["integrate", "estimate"]

PRIORS = "intent.priors"
"""Group of entry points of priors that are estimated from the play: an `EmpiricalPrior` each."""


@dataclass(frozen=True)
class EmpiricalPrior:
    """A prior that is estimated from the trajectories, each its own subject.

    Parameters
    ----------
    shares : callable
        From (n, K) log P(play | strategy) to (K,) shares that sum to one.
    noise_and_shares : callable
        From n trajectories and K strategies to the noise and the shares, estimated together.
    """

    shares: Callable[[Floats], Floats]
    noise_and_shares: Callable[[Trajectories, Sequence[Strategy]], tuple[float, Floats]]


def class_strategies(recogniser: Recogniser) -> tuple[Strategy, ...]:
    """The strategies that the classes of a recogniser are: its own tables, or the catalogue's.

    Raises
    ------
    RecogniserError
        A class that is no strategy.
    """
    own: tuple[Strategy, ...] | None = getattr(recogniser, "strategies_", None)
    classes = [str(c) for c in recogniser.classes_]
    if own is not None and [s.name for s in own] == classes:
        return own
    try:
        return tuple(strategy(name) for name in classes)
    except IntentError as error:
        raise RecogniserError(f"labels need classes that are strategies: {error}") from None


def assumed_noise(
    recogniser: Recogniser, otherwise: float | Literal["integrate"] = 0.05
) -> tuple[float | Literal["integrate"], tuple[float, ...]]:
    """The noise that a recogniser assumes, and its prior where it integrates.

    Parameters
    ----------
    recogniser : fitted Recogniser
    otherwise : float or "integrate"
        For a recogniser that says nothing of noise. Ties and fit take .05, the literature's.
    """
    eps = getattr(recogniser, "eps_", otherwise)
    return eps, tuple(getattr(recogniser, "eps_prior", (0.0, 0.2)))


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
        strategies: Any = DEFAULT_STRATEGIES,
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
        empirical = self._empirical_prior()
        if empirical is not None and X is None:
            raise RecogniserError(f"prior={self.prior!r} needs trajectories to estimate from; call fit(X)")
        self._resolve_noise(X, empirical)
        if empirical is not None and self.eps != "estimate":
            self.prior_ = empirical.shares(self.log_evidence(X))
        return self

    def _empirical_prior(self) -> EmpiricalPrior | None:
        """What estimates the prior, where it is a word that says so."""
        word = self.prior if isinstance(self.prior, str) and self.prior != "uniform" else None
        there = None if word is None else point(PRIORS, word)
        return None if there is None else load(there)

    def _resolve_noise(self, X: Any, empirical: EmpiricalPrior | None) -> None:
        """Set `eps_`, and the prior where both are estimated together."""
        chosen = self.strategies_
        if self.eps == "estimate":
            if X is None:
                raise RecogniserError("eps='estimate' needs trajectories to estimate from; call fit(X)")
            X = as_trajectories(X)
            self.eps_: float | Literal["integrate"]
            if empirical is not None:
                self.eps_, self.prior_ = empirical.noise_and_shares(X, chosen)
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

    def chances(self, X: Any) -> Floats:
        """Probability of each move that was made, by the mixture of the classes: (n, T).

        The ratio of the likelihoods of play with and without the move, each averaged over the prior of
        classes and noise.
        """
        self._fitted()
        X = as_trajectories(X)
        if self.eps_ == "integrate":
            nodes, weights = eps_nodes(tuple(self.eps_prior), max(X.shape[1], 1))
        else:
            nodes, weights = np.array([float(self.eps_)]), np.ones(1)
        errors = np.zeros(len(X)) if X.implementation_error is None else X.implementation_error
        upto = np.full(X.shape, -np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            for error, (s, prior) in product(
                np.unique(errors), zip(self.strategies_, self.prior_, strict=True)
            ):
                rows = np.flatnonzero(errors == error)
                part, noise = X[rows], composed(nodes, float(error))
                path = forward_path(part.own, part.other, part.evidence_mask, s, noise, decided=part.decided)
                upto[rows] = np.logaddexp(upto[rows], np.log(prior) + _averaged(path, weights))
            ratio = np.exp(np.diff(upto, axis=1, prepend=0.0))
        return np.where(X.evidence, np.nan_to_num(ratio), np.nan)

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
            if self.prior != "uniform" and self.prior not in (others := points(PRIORS)):
                words = ", ".join(map(repr, ("uniform", *others)))
                raise RecogniserError(
                    f"prior is {shorten(repr(self.prior))}, expected {words} or {k} probabilities"
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


class BackgroundRecogniser(Recogniser):
    """A fitted recogniser of any kind, and RANDOM as one class more.

    P(RANDOM | play) is exact, against the strategies that the classes are, at the noise that the recogniser
    assumes; where it assumes none, the noise is integrated out over U[0, .2].

    Parameters
    ----------
    recogniser : fitted Recogniser whose classes are strategies, none of them RANDOM

    Attributes
    ----------
    classes_ : (K + 1,) names, RANDOM last
    strategies_ : tuple of K + 1 Strategy
    eps_, eps_prior : as the recogniser has them; absent where it has none

    Raises
    ------
    RecogniserError
        A class that is no strategy.
    """

    kind: ClassVar[str] = "background"

    def __init__(self, recogniser: Recogniser) -> None:
        self.recogniser = recogniser
        self.strategies_ = with_background(class_strategies(recogniser), True)
        self.classes_ = np.array([s.name for s in self.strategies_])
        self.reads_keys = recogniser.reads_keys
        for name in ("eps_", "eps_prior"):
            if hasattr(recogniser, name):
                setattr(self, name, getattr(recogniser, name))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the recogniser, and ``background``."""
        return {**self.recogniser.get_params(deep), "background": True}

    def fit(self, X: Any = None, y: ArrayLike | None = None) -> BackgroundRecogniser:
        """Nothing is left to be learned."""
        return self

    def log_evidence(self, X: Any) -> Floats:
        """Log-probability of each history under each strategy and RANDOM, (n, K + 1)."""
        eps, spread = assumed_noise(self.recogniser, "integrate")
        return log_evidence(as_trajectories(X), self.strategies_, eps, spread)

    def chances(self, X: Any) -> Floats | None:
        """Those of the recogniser without RANDOM."""
        return self.recogniser.chances(X)

    def predict_proba(self, X: Any) -> Floats:
        """Posterior (n, K + 1), RANDOM last."""
        X = as_trajectories(X)
        return self.joined(self.recogniser.predict_proba(X), self.log_evidence(X))

    def predict_proba_pooled(self, X: Any, subjects: NDArray[np.intp]) -> Floats:
        """Posterior (S, K + 1) given all play of each subject."""
        X = as_trajectories(X)
        eps, spread = assumed_noise(self.recogniser, "integrate")
        evidence = log_evidence(X, self.strategies_, eps, spread, subjects=subjects)
        return self.joined(self.recogniser.predict_proba_pooled(X, subjects), evidence)

    def joined(self, proba: Floats, evidence: Floats) -> Floats:
        """The recogniser's posterior (n, K), made room for RANDOM by evidence (n, K + 1)."""
        k = len(self.classes_)
        by_random = normalise(evidence, np.full(k, 1 / k))[:, -1:]
        return np.concatenate([proba * (1 - by_random), by_random], axis=1)


def against_random(recogniser: Recogniser, background: bool = BACKGROUND) -> Recogniser:
    """The recogniser with RANDOM among its classes; as it is, without a background or where it has one.

    Parameters
    ----------
    recogniser : fitted Recogniser whose classes are strategies
    background : bool

    Raises
    ------
    RecogniserError
        A class that is no strategy.
    """
    if not background or any(s.is_background for s in class_strategies(recogniser)):
        return recogniser
    if not isinstance(recogniser, BayesRecogniser):
        return BackgroundRecogniser(recogniser)
    parameters = recogniser.get_params() | {"background": True, "eps": recogniser.eps_}
    if recogniser.prior != "uniform":
        parameters["prior"] = prior_with_random(recogniser.prior_, recogniser.strategies_)
    return BayesRecogniser(**parameters).fit()


def adapter(
    model: Recogniser, options: Mapping[str, Any], background: bool
) -> Callable[[Trajectories], Recogniser]:
    """A function of trajectories: the recogniser with the options of labels for them.

    Parameters
    ----------
    model : fitted Recogniser
    options : those of eps, eps_prior and prior that are set
    background : bool
        Whether RANDOM competes.

    Raises
    ------
    UsageError
        An option that the recogniser does not have.
    """
    if isinstance(model, BayesRecogniser):
        parameters = {"eps": model.eps, "eps_prior": model.eps_prior, "prior": model.prior_, **options}
        strategies = model.strategies_
        if background and not any(s.is_background for s in strategies):
            parameters |= {"background": True, "prior": prior_with_random(parameters["prior"], strategies)}
        return lambda X: BayesRecogniser(strategies, **parameters).fit(X)
    with_eps: Callable[[float | None], Recogniser] | None = getattr(model, "with_eps", None)
    foreign = [name for name in options if name != "eps" or with_eps is None]
    if foreign or with_eps is None:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in foreign)
        raise UsageError(f"{names} belongs to a bayes recogniser, but this one is {model.kind}")
    return lambda X: against_random(with_eps(_number(model, options["eps"], X, background)), background)


def _number(model: Recogniser, eps: Any, X: Trajectories, background: bool) -> float | None:
    """The noise for a recogniser that takes a number, or None."""
    if eps == "integrate":
        return None
    if eps != "estimate":
        return float(eps)
    strategies = with_background(class_strategies(model), background)
    return estimate_eps(X, strategies, np.full(len(strategies), 1 / len(strategies)))


def prior_with_random(prior: Any, strategies: tuple[Strategy, ...]) -> Any:
    """A prior over K strategies and RANDOM, of one over the strategies.

    RANDOM gets 1 / (K + 1), what each would have if all were equally probable, and the rest is shared out as
    the prior says. A mapping that names RANDOM is complete; a word, such as ``sfem``, means what it means.

    Parameters
    ----------
    prior : mapping of name -> probability, K probabilities, or a word
    strategies : K Strategy, none of them RANDOM
    """
    (random,) = with_background(strategies, True)[len(strategies) :]
    weight = 1 / (len(strategies) + 1)
    if isinstance(prior, Mapping):
        if random.name in prior:
            return dict(prior)
        return {**{name: p * (1 - weight) for name, p in prior.items()}, random.name: weight}
    if isinstance(prior, str) or len(prior) != len(strategies):
        return prior
    return (*(float(p) * (1 - weight) for p in prior), weight)


def default_strategies() -> tuple[Strategy, ...]:
    """The strategies whose shares are estimated where none are named: the default set, and RANDOM."""
    return with_background(strategy_set(DEFAULT_STRATEGIES), BACKGROUND)


def was_without_random(columns: Any, provenance: Mapping[str, Any] | None) -> str:
    """A note where a table of labels was made without RANDOM; empty where it competed.

    Parameters
    ----------
    columns : names of the columns of the table
    provenance : what its file says of how it was made; nothing, where nobody knows
    """
    facts = provenance if isinstance(provenance, Mapping) else {}
    if facts.get("kind") != "labels" or "p_RANDOM" in set(columns) or facts.get("background") is True:
        return ""
    return (
        "these labels were made without RANDOM, so that fair coins can be confident; "
        "make them anew with intent label to let it compete"
    )
