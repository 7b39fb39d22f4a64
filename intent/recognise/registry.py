"""Names of recognisers: the kinds that can be trained, and the shipped ones that are ready."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from intent.errors import UnknownNameError
from intent.recognise.base import Recogniser

__all__ = ["KINDS", "make_recogniser", "recogniser_class"]

KINDS = {
    "bayes": "intent.recognise.bayes:BayesRecogniser",
    "logistic": "intent.recognise.logistic:LogisticRecogniser",
    "forest": "intent.recognise.forest:ForestRecogniser",
    "mlp": "intent.recognise.mlp:MlpRecogniser",
    "hmm": "intent.recognise.hmm:HmmRecogniser",
    "lstm": "intent.recognise.lstm:LstmRecogniser",
    "sfem": "intent.recognise.sfem_recogniser:SfemRecogniser",
    "rules": "intent.recognise.rules:RulesRecogniser",
    "hybrid": "intent.recognise.hybrid:HybridRecogniser",
    "calibrated": "intent.recognise.calibrated:CalibratedRecogniser",
}
"""Kind -> module:class. Outsiders join through the entry-point group ``intent.recognisers``."""


def recogniser_class(kind: str) -> type[Recogniser]:
    """The class of a kind.

    Raises
    ------
    UnknownNameError
        No such kind; the nearest are suggested.
    """
    if kind in KINDS:
        module, _, name = KINDS[kind].partition(":")
        found: type[Recogniser] = getattr(import_module(module), name)
        return found
    for entry in entry_points(group="intent.recognisers"):
        if entry.name == kind:
            loaded: type[Recogniser] = entry.load()
            return loaded
    raise UnknownNameError("recogniser", kind, KINDS)


def make_recogniser(kind: str, **parameters: Any) -> Recogniser:
    """An unfitted recogniser, for `fit`, `Pipeline` and `GridSearchCV`.

    Parameters
    ----------
    kind : key of `KINDS`, such as ``"logistic"``
    **parameters
        Those of its class.

    Raises
    ------
    UnknownNameError
        No such kind.
    """
    return recogniser_class(kind)(**parameters)
