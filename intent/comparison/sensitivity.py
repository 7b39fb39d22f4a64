"""How shares and tests hang on choices of the analyst: threshold, noise, prior, the counting of ties.

How a comparison hangs on the choices of labelling: its labels, made anew under other choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.statistics import grouping
from intent.comparison.groups import ABSTENTIONS, Outcomes, deciding
from intent.comparison.tests import Sample, share_tests
from intent.logs.chunks import places_of, play_of_labels
from intent.logs.gamelog import Trajectories
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.labels.request import LabelRequest
from intent.recognise.verdict import LabelSettings, Verdict, distinct, judge, play_keys
from intent.strategies.catalogue import Strategy, named_set
from intent.strategies.sets import strategies_in

if TYPE_CHECKING:
    from intent.comparison.data import Compared
    from intent.comparison.groups import Comparison
    from intent.comparison.requests import CompareRequest


__all__ = ["Choice", "SensitivityRow", "sensitivity", "sensitivity_of", "weights_under"]


THRESHOLDS = (0.8, 0.9, 0.95)
NOISES: tuple[float | str, ...] = (0.01, 0.05, 0.1, 0.2, "integrate")
PRIORS = ("uniform", "sfem")
COUNTS = ("status", "posterior", "split", "best", "best, ties to the last")


@dataclass(frozen=True)
class Choice:
    """One way to label and to count.

    Parameters
    ----------
    count : one of `COUNTS`
    threshold, alpha : float
        As `LabelSettings`.
    eps : float or "integrate"
    prior : "uniform", "sfem", or tuple of K probabilities
    """

    count: str = "status"
    threshold: float = LabelRequest.threshold
    alpha: float = LabelRequest.alpha
    eps: float | str = 0.05
    prior: str | tuple[float, ...] = "uniform"


@dataclass(frozen=True)
class SensitivityRow:
    """What one choice gives.

    Parameters
    ----------
    setting, value : str
        What differs from the choice that was made; both empty for that choice itself.
    shares : mapping of outcome -> share of all rows
    max_change : float
        Largest change of the share of a strategy in a group.
    change_of : str
        The strategy and group that it is of.
    p : mapping of factor -> p of its deciding test; None where none can be made
    changed : tuple of str
        Factors of which the verdict differs at this level.
    """

    setting: str
    value: str
    shares: Mapping[str, float]
    max_change: float
    change_of: str
    p: Mapping[str, float | None]
    changed: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {**asdict(self), "setting": self.setting or "as chosen", "changed": list(self.changed)}


def sensitivity(
    X: Trajectories,
    strategies: Sequence[Strategy],
    sample: Sample,
    *,
    choice: Choice,
    permutations: int | None,
    level: float,
) -> list[SensitivityRow]:
    """Label the same play anew under each choice, count, and test each factor.

    One setting is varied at a time, the others being as chosen. Equal play gets equal labels, so that only
    distinct play is labelled.

    Parameters
    ----------
    X : Trajectories, n
    strategies : sequence of Strategy
    sample : Sample of n rows
        Every choice meets the permutations of its seed.
    choice : Choice that was made
    permutations : int or None
        As `share_tests`.
    level : float, tests speak at 1 - level

    Returns
    -------
    list of SensitivityRow
        The choice that was made first.
    """
    first, inverse = distinct(play_keys(X))
    play = X[first]
    verdicts: dict[tuple[Any, ...], Verdict] = {}
    joint = grouping(sample.table, sample.by)
    names = [s.name for s in strategies]
    single = [(name, grouping(sample.table, [name]).codes) for name in sample.by]
    rows: list[SensitivityRow] = []
    base: NDArray[np.float64] = np.zeros((len(joint), len(names)))
    for setting, value, other in _choices(choice):
        key = (other.threshold, other.alpha, other.eps, other.prior)
        if key not in verdicts:
            prior: Any = other.prior if isinstance(other.prior, str) else np.array(other.prior)
            model = BayesRecogniser(strategies, eps=other.eps, prior=prior).fit(X)  # type: ignore[arg-type]
            settings = LabelSettings(other.threshold, other.alpha)
            verdicts[key] = judge(play, model, settings, np.random.default_rng(sample.seed))
        counted = weights_under(verdicts[key], names, other.count)
        weights = counted.weights[inverse]
        sums = joint.sums(weights[:, : len(names)]) / np.bincount(joint.codes)[:, None]
        if not rows:
            base = sums
        change = np.abs(sums - base)
        where, which = np.unravel_index(int(change.argmax()), change.shape)
        group = " · ".join(map(str, joint.values[where])) or "all"
        p: dict[str, float | None] = {}
        for name, codes in single:
            tests = share_tests(
                name,
                weights,
                codes,
                sample.clusters,
                permutations=permutations,
                rng=np.random.default_rng(sample.seed),
                blocks=sample.blocks.get(name),
                seed=sample.seed,
                alpha=1 - level,
            )
            p[name] = deciding(tests).p if tests else None
        first_p = rows[0].p if rows else p
        changed = tuple(f for f in p if _differs(p[f], level) != _differs(first_p[f], level))
        shares = dict(zip(counted.names, weights.mean(axis=0).tolist(), strict=True))
        change_of = f"{names[which]} in {group}" if change.max() > 0 else ""
        rows.append(SensitivityRow(setting, value, shares, float(change.max()), change_of, p, changed))
    return rows


def weights_under(verdict: Verdict, names: Sequence[str], count: str) -> Outcomes:
    """What each trajectory counts for under a way of counting (`COUNTS`).

    Parameters
    ----------
    verdict : Verdict of n trajectories
    names : K strategies
    """
    n, k = verdict.proba.shape
    best = np.eye(k)[verdict.best]
    if count == "posterior":
        return Outcomes(tuple(names), verdict.proba / verdict.proba.sum(axis=1, keepdims=True))
    if count == "split":
        shared = np.maximum(best, verdict.ties)
        return Outcomes(tuple(names), shared / shared.sum(axis=1, keepdims=True))
    if count == "best":
        return Outcomes(tuple(names), best)
    if count == COUNTS[-1]:
        candidates = np.maximum(best, verdict.ties)
        return Outcomes(tuple(names), np.eye(k)[k - 1 - candidates[:, ::-1].argmax(axis=1)])
    weights = np.zeros((n, k + len(ABSTENTIONS)))
    weights[:, :k] = best * (verdict.status == "confident")[:, None]
    for i, status in enumerate(ABSTENTIONS):
        weights[:, k + i] = verdict.status == status
    return Outcomes((*names, *ABSTENTIONS), weights)


def _choices(chosen: Choice) -> Iterator[tuple[str, str, Choice]]:
    """Setting, value, and the choice with that one changed; first the choice that was made."""
    yield "", "", chosen
    for threshold in THRESHOLDS:
        yield "threshold", f"{threshold:g}", replace(chosen, threshold=threshold)
    for eps in NOISES:
        yield "eps", eps if isinstance(eps, str) else f"{eps:g}", replace(chosen, eps=eps)
    for prior in PRIORS:
        yield "prior", prior, replace(chosen, prior=prior)
    for count in COUNTS:
        yield "count", count, replace(chosen, count=count)


def _differs(p: float | None, level: float) -> bool:
    return p is not None and p <= 1 - level + 1e-12


_MOST_PERMUTATIONS = 499
"""Permutations of each test of the table, which has dozens."""


def sensitivity_of(
    request: CompareRequest,
    source: Compared,
    comparison: Comparison,
    sample: Sample,
) -> tuple[list[SensitivityRow], list[str]]:
    """The rows of the table for the sample that is compared, and notes.

    Raises
    ------
    UsageError
        The log behind the labels is missing, or is not theirs.
    """
    facts: Mapping[str, Any] = source.provenance if isinstance(source.provenance, Mapping) else {}
    X = play_of_labels(source.behind.needed("--sensitivity"), facts)
    places = places_of(sample.table, X)
    if (places < 0).any():
        lost = int((places < 0).sum())
        raise UsageError(f"--sensitivity: {lost:,} of {len(places):,} labels are of no game of the log")
    strategies = named_set([str(c) for c in facts.get("classes") or ()] or "canonical4", strategies_in(facts))
    notes = []
    eps = facts.get("eps")
    if not isinstance(eps, int | float | str):
        eps = 0.05
        notes.append("sensitivity: labels assumed no single noise; it starts from eps = 0.05")
    if not str(facts.get("recogniser", "bayes")).startswith("bayes"):
        notes.append("sensitivity: labels are made anew by the exact posterior, not by their recogniser")
    if comparison.count == "estimate":
        notes.append(
            "sensitivity: of labels counted by status; the estimate depends on no threshold, noise or prior"
        )
    if request.gate is not None:
        notes.append("sensitivity: the rows are those that passed the gate with the labels as given")
    choice = Choice(
        count="status" if comparison.count == "estimate" else str(comparison.count),
        threshold=_number(facts.get("threshold"), LabelRequest.threshold),
        alpha=_number(facts.get("alpha"), LabelRequest.alpha),
        eps=eps if isinstance(eps, str) else float(eps),
        prior="sfem" if facts.get("prior") else _prior(facts, [s.name for s in strategies]),
    )
    permutations = request.permutations
    if permutations is not None:
        permutations = min(permutations, _MOST_PERMUTATIONS)
    rows = sensitivity(
        X[places], strategies, sample, choice=choice, permutations=permutations, level=request.level
    )
    return rows, notes


def _number(value: object, default: float) -> float:
    """A number of a table's metadata, which may hold anything."""
    return float(value) if isinstance(value, int | float) else default


def _prior(facts: Mapping[str, Any], names: Sequence[str]) -> str | tuple[float, ...]:
    """The prior that the recogniser was given, where its parameters name one for every class."""
    parameters = facts.get("parameters")
    prior = parameters.get("prior") if isinstance(parameters, Mapping) else None
    if isinstance(prior, Mapping) and set(prior) == set(names):
        prior = [prior[name] for name in names]
    if isinstance(prior, list | tuple) and len(prior) == len(names):
        return tuple(_number(p, 0.0) for p in prior)
    return "uniform"
