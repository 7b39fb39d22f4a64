"""What a label is made of: posterior, ties, consistency, goodness of fit, status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent import schema
from intent.errors import IntentError, RecogniserError, UsageError
from intent.logs.trajectories import Trajectories
from intent.recognise.base import Recogniser, most_probable, summed_by
from intent.recognise.evidence import log_evidence
from intent.recognise.fit import fit_probability
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import strategy
from intent.strategies.consistency import deviations

__all__ = ["TIE", "LabelSettings", "Verdict", "assumed_noise", "class_strategies", "judge"]

TIE = 1e-9
"""Log-likelihoods nearer than this tie."""


@dataclass(frozen=True)
class LabelSettings:
    """When a label is given.

    Parameters
    ----------
    threshold : float in [0, 1]
        Posterior probability that ``confident`` needs.
    alpha : float in [0, 1]
        Level of the test of fit.
    samples : int
        Monte Carlo plays of the test of fit of stochastic strategies.

    Raises
    ------
    UsageError
        A number out of range.
    """

    threshold: float = 0.9
    alpha: float = 0.01
    samples: int = 2000

    def __post_init__(self) -> None:
        for name in ("threshold", "alpha"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise UsageError(f"{name} is {value}, expected a probability")


@dataclass(frozen=True, eq=False)
class Verdict:
    """What labels are made of, as arrays over n trajectories and K classes.

    Attributes
    ----------
    proba : (n, K) posterior
    best : (n,) index of the most probable class
    ties : (n, K) bool, other classes whose log-likelihood is that of the best
    explains : (n, K) bool, strategies that play exactly so without noise
    n_deviations : (n,) of the best
    fit_p, confidence : (n,)
    status : (n,) names
    """

    proba: NDArray[np.float64]
    best: NDArray[np.intp]
    ties: NDArray[np.bool_]
    explains: NDArray[np.bool_]
    n_deviations: NDArray[np.int64]
    fit_p: NDArray[np.float64]
    confidence: NDArray[np.float64]
    status: NDArray[np.object_]


def judge(
    X: Trajectories,
    recogniser: Recogniser,
    settings: LabelSettings,
    rng: np.random.Generator,
    subjects: NDArray[np.intp] | None = None,
) -> Verdict:
    """Posterior, ties, consistency, fit and status of trajectories; parameters as `label_table`.

    Play that RANDOM explains best is ``no_fit``, and RANDOM ties with nothing. With `subjects` ((n,) int,
    0 .. S - 1) the arrays have a row for each subject, whose trajectories are games that each start anew.

    Raises
    ------
    RecogniserError
        A class that is no strategy.
    """
    strategies = class_strategies(recogniser)
    eps, eps_prior = assumed_noise(recogniser)
    proba = recogniser.predict_proba(X) if subjects is None else recogniser.predict_proba_pooled(X, subjects)
    best = most_probable(proba)
    evidence = log_evidence(X, strategies, eps, eps_prior, subjects=subjects)
    own_evidence = np.take_along_axis(evidence, best[:, None], axis=1)
    with np.errstate(invalid="ignore"):
        near = np.abs(evidence - own_evidence) <= TIE
    coin = np.array([s.is_background for s in strategies])
    ties = near & (np.arange(len(strategies)) != best[:, None]) & ~coin & ~coin[best][:, None]
    missed = deviations(X.own, X.other, X.evidence_mask, strategies, X.decided)
    if subjects is not None:
        missed = summed_by(missed, subjects)
    random = np.array([s.n_states == 1 and not s.is_deterministic for s in strategies])
    fit_p = fit_probability(
        X, strategies, best, eps, rng, eps_prior=eps_prior, samples=settings.samples, subjects=subjects
    )
    confidence = np.take_along_axis(proba, best[:, None], axis=1)[:, 0]
    status = np.select(
        [(fit_p < settings.alpha) | coin[best], ties.any(axis=1), confidence < settings.threshold],
        list(schema.STATUSES[:3]),
        default=schema.STATUSES[3],
    ).astype(object)
    return Verdict(
        proba,
        best,
        ties,
        (missed == 0) & ~random,
        np.take_along_axis(missed, best[:, None], axis=1)[:, 0],
        fit_p,
        confidence,
        status,
    )


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
