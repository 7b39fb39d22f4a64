"""RANDOM as a rival of the strategies: play that a fair coin explains best is nobody's strategy.

With equal prior weight w = 1 / (K + 1) for RANDOM and each of K strategies, and L the probability of play,

    P(RANDOM | play) = w L_RANDOM / (w L_RANDOM + sum_k w L_k),    L_RANDOM = 2^-(number of moves).

The exact recogniser has it as one class more. Any other keeps its own posterior, scaled by 1 - P(RANDOM).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.recognise.base import Recogniser, as_trajectories
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.evidence import log_evidence, normalise
from intent.recognise.saved_strategies import with_background
from intent.recognise.verdict import assumed_noise, class_strategies
from intent.schema.defaults import BACKGROUND, DEFAULT_STRATEGIES
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import strategy_set

__all__ = [
    "BackgroundRecogniser",
    "against_random",
    "default_strategies",
    "prior_with_random",
    "was_without_random",
]

Floats = NDArray[np.float64]


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
    told = recogniser.get_params() | {"background": True, "eps": recogniser.eps_}
    if recogniser.prior != "uniform":
        told["prior"] = prior_with_random(recogniser.prior_, recogniser.strategies_)
    return BayesRecogniser(**told).fit()


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
