"""Honest labels: a posterior, the strategies that explain the play as well, a test of fit, a status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent import schema
from intent.errors import IntentError, RecogniserError, UsageError
from intent.logs.trajectories import Trajectories
from intent.recognise.base import Recogniser, most_probable
from intent.recognise.bayes import BayesRecogniser, log_evidence
from intent.recognise.fit import fit_probability
from intent.recognise.rules import RULE_CLASSES, satisfied_rules
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import strategy
from intent.strategies.likelihood import deviations

__all__ = ["TIE", "LabelSettings", "label_table"]

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
    eps : float, "integrate" or None
        Noise that ties and fit assume; None: that of the recogniser, or .05 where it has none.
    samples : int
        Monte Carlo plays of the test of fit of stochastic strategies.

    Raises
    ------
    UsageError
        A number out of range.
    """

    threshold: float = 0.9
    alpha: float = 0.01
    eps: float | str | None = None
    samples: int = 2000

    def __post_init__(self) -> None:
        for name in ("threshold", "alpha"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise UsageError(f"{name} is {value}, expected a probability")


def label_table(
    X: Trajectories, recogniser: Recogniser, settings: LabelSettings, rng: np.random.Generator
) -> pd.DataFrame:
    """Labels of trajectories, one row each, as `schema.LABELS`.

    The status is the first that applies: ``no_fit`` (fit_p < alpha), ``ambiguous`` (another strategy's
    log-likelihood within 1e-9 of the best one's), ``low_confidence`` (posterior below the threshold),
    ``confident``.

    Parameters
    ----------
    X : Trajectories with keys
    recogniser : fitted Recogniser whose classes are catalogue strategies
    settings : LabelSettings
    rng : numpy Generator, for the test of fit of stochastic strategies

    Raises
    ------
    RecogniserError
        A class that is no strategy, so that fit and ties cannot be computed.
    """
    classes = [str(c) for c in recogniser.classes_]
    strategies = _strategies(recogniser, classes)
    eps, eps_prior = _noise(recogniser, settings)
    proba = recogniser.predict_proba(X)
    best = most_probable(proba)
    evidence = log_evidence(X, strategies, eps, eps_prior)  # type: ignore[arg-type]
    own_evidence = np.take_along_axis(evidence, best[:, None], axis=1)
    with np.errstate(invalid="ignore"):
        near = np.abs(evidence - own_evidence) <= TIE
    near |= ~np.isfinite(evidence) & ~np.isfinite(own_evidence)
    ties = near & (np.arange(len(classes)) != best[:, None])
    missed = deviations(X.own, X.other, X.evidence_mask, strategies)
    explains = (missed == 0) & ~np.array([s.is_background for s in strategies])
    fit_p = fit_probability(X, strategies, best, eps, rng, eps_prior=eps_prior, samples=settings.samples)
    confidence = np.take_along_axis(proba, best[:, None], axis=1)[:, 0]
    tied = ties.any(axis=1)
    status = np.select(
        [fit_p < settings.alpha, tied, confidence < settings.threshold],
        list(schema.STATUSES[:3]),
        default=schema.STATUSES[3],
    )
    names = np.array(classes, dtype=object)
    rows = len(X)
    keys = X.keys if X.keys is not None else _numbered(rows)
    computed = {
        "n_rounds": X.n_rounds,
        "label": pd.Series(names[best], dtype=object).where(status == "confident"),
        "best": names[best],
        "tied": tied,
        "tied_with": _lists(ties, classes),
        "confidence": confidence,
        **{schema.PROBABILITY_PREFIX + name: proba[:, k] for k, name in enumerate(classes)},
        "consistent": _lists(explains, classes),
        "n_deviations": np.take_along_axis(missed, best[:, None], axis=1)[:, 0],
        "fit_p": fit_p,
        "rule_labels": _lists(satisfied_rules(X), RULE_CLASSES),
        "status": status,
    }
    return pd.DataFrame({**{c: keys[c].array for c in keys.columns}, **computed})


def _numbered(rows: int) -> pd.DataFrame:
    return pd.DataFrame({"game_id": np.arange(1, rows + 1).astype(str), "seat": np.ones(rows, dtype=int)})


def _strategies(recogniser: Recogniser, classes: list[str]) -> tuple[Strategy, ...]:
    if isinstance(recogniser, BayesRecogniser):
        return recogniser.strategies_
    try:
        return tuple(strategy(name) for name in classes)
    except IntentError as error:
        raise RecogniserError(f"labels need classes that are strategies: {error}") from None


def _noise(recogniser: Recogniser, settings: LabelSettings) -> tuple[float | str, tuple[float, ...]]:
    own = getattr(recogniser, "eps_", 0.05)
    prior = tuple(getattr(recogniser, "eps_prior", (0.0, 0.2)))
    return (own if settings.eps is None else settings.eps), prior


def _lists(flags: NDArray[np.bool_], names: Sequence[str]) -> list[list[str]]:
    """Names of the true columns of each row; equal rows share no list."""
    codes = flags @ (1 << np.arange(flags.shape[1], dtype=np.int64))
    patterns = {int(c): [n for k, n in enumerate(names) if int(c) >> k & 1] for c in np.unique(codes)}
    return [list(patterns[c]) for c in codes.tolist()]
