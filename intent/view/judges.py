"""The judge of a log: the recogniser that is asked for, or the one that a table of labels was made by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.errors import IntentError, UnknownNameError
from intent.recognise.base import Recogniser
from intent.recognise.verdict import LabelSettings
from intent.view.judging import Judge

__all__ = ["as_told", "judge_of"]


def judge_of(
    recogniser: str,
    provenance: Mapping[str, Any] | None = None,
    *,
    others: str | None = None,
    classes: tuple[str, ...] = (),
) -> tuple[Judge, list[str]]:
    """The judge of a log, or the one that a table of labels says it was made by, and what is odd about it.

    Parameters
    ----------
    recogniser : name of a shipped one, or folder of a saved one
    provenance : of a table of labels, optional
    others : as `Judge`
    classes : strategies of the table's columns

    Raises
    ------
    UnknownNameError, RecogniserError
        No such recogniser (of a log: a table's may be gone).
    """
    from intent.recognise.background import against_random, was_without_random
    from intent.recognise.storage import load_recogniser

    if provenance is None:
        return Judge(recogniser, against_random(load_recogniser(recogniser)), others=others), []
    said = str(provenance.get("recogniser"))
    notes: list[str] = []
    try:
        alone = load_recogniser(said)
        rivals = (alone, against_random(alone))
        model = next((m for m in rivals if tuple(map(str, m.classes_)) == classes), None)
        if model is None:
            raise UnknownNameError("recogniser", said, [])
    except (IntentError, OSError):
        model, notes = _stand_in(classes, recogniser)
    model, more = as_told(model, provenance)
    notes += filter(None, [was_without_random([f"p_{name}" for name in classes], provenance)])
    settings = LabelSettings(
        threshold=_probability(provenance.get("threshold"), 0.9),
        alpha=_probability(provenance.get("alpha"), 0.01),
    )
    said_others = provenance.get("others")
    how = others or (said_others if said_others in ("any", "majority", "all") else None)
    keep = provenance.get("keep_defaulted") is True
    return Judge(said, model, settings, how, keep), [*notes, *more]


def _stand_in(classes: tuple[str, ...], recogniser: str) -> tuple[Recogniser, list[str]]:
    """A recogniser in place of one that cannot be had."""
    from intent.recognise.background import against_random
    from intent.recognise.bayes import BayesRecogniser
    from intent.recognise.storage import load_recogniser

    gone = "the recogniser of the labels is not here: round by round,"
    try:
        return BayesRecogniser(",".join(classes)).fit(), [f"{gone} the exact posterior at eps .05 is shown"]
    except IntentError:
        return against_random(load_recogniser(recogniser)), [f"{gone} {recogniser} is shown"]


def as_told(model: Recogniser, provenance: Mapping[str, Any]) -> tuple[Recogniser, list[str]]:
    """A Bayes recogniser at the noise and prior that labels were made with; what it cannot be told.

    Parameters
    ----------
    model : fitted Recogniser
    provenance : of a table of labels, which nobody vouches for
    """
    from intent.recognise.bayes import BayesRecogniser

    if not isinstance(model, BayesRecogniser):
        return model, []
    eps, prior, parameters = (provenance.get(name) for name in ("eps", "prior", "parameters"))
    spread = parameters.get("eps_prior") if isinstance(parameters, Mapping) else None
    told: dict[str, Any] = {"eps": eps if eps == "integrate" or isinstance(eps, float | int) else model.eps_}
    told["prior"] = (
        prior[""] if isinstance(prior, Mapping) and isinstance(prior.get(""), Mapping) else model.prior_
    )
    if isinstance(spread, list | tuple) and all(isinstance(x, float | int) for x in spread):
        told["eps_prior"] = tuple(spread)
    grouped = any(isinstance(x, Mapping) and "" not in x for x in (eps, prior))
    notes = (
        ["labels were made group by group: round by round, one noise and prior are shown"] if grouped else []
    )
    try:
        return BayesRecogniser(model.strategies_, **told).fit(), notes
    except (IntentError, TypeError, ValueError):
        return model, ["the settings of the labels cannot be read: the recogniser's own are shown"]


def _probability(value: object, otherwise: float) -> float:
    return float(value) if isinstance(value, float | int) and 0 <= value <= 1 else otherwise
