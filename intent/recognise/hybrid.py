"""The classifier's label where it is sure, else the labels of the rules.

For each history, with the most probable class k* of a classifier, its probability p* and the rules that the
history satisfies:

1. p* >= threshold: the label is k*.
2. Else, where rules are satisfied: the labels are theirs, all of them or the first by priority.
3. Else: no label.

References
----------
The strategy-recognition paper of the FAIRGAME group, appendix (hybrid labels; threshold .9).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import RecogniserError, UnknownNameError, shorten
from intent.recognise.base import Files, Recogniser, as_trajectories, ordered_classes
from intent.recognise.registry import recogniser_class
from intent.recognise.rules import (
    RULE_CLASSES,
    RuleMode,
    check_rules,
    chosen_rules,
    label_weights,
    satisfied_rules,
)
from intent.strategies.catalogue import CATALOGUE

__all__ = ["HybridRecogniser", "reaches"]

_INNER = "classifier."
"""What the names of the classifier's files begin with."""

_LONGEST_NAME = 1000


def reaches(confidence: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """(n,), whether probabilities are at least the threshold, up to rounding (1e-9)."""
    sure: NDArray[np.bool_] = confidence >= threshold - 1e-9
    return sure


class HybridRecogniser(Recogniser):
    """A classifier that gives way to the rules where it is not sure.

    The posterior of a history is the classifier's where its highest probability reaches the threshold or no
    rule is satisfied; else it is that of the rules: equal shares of the satisfied ones, or all to the first.
    Where a rule is no class of the classifier, the classifier gives it probability zero.

    Parameters
    ----------
    recogniser : kind, name of a shipped recogniser, folder of a saved one, or Recogniser
        A kind and a Recogniser are fitted by `fit` (the latter as a copy); a kind that has a parameter
        ``strategies`` gets the classes of `y` where these are strategies. Shipped and saved ones stay as
        they are.
    threshold : float in [0, 1]
    mode : "expand" or "priority"
        All rules that apply, or the first of ALLD, ALLC, TFT, WSLS.
    tolerance : float in [0, 1)
        Share of mismatches that TFT and WSLS may have.
    random_state : int, optional
        Given to a kind that takes one.

    Attributes
    ----------
    recogniser_ : fitted Recogniser
    classes_ : (K,) names, those of the classifier and of the rules
    """

    kind: ClassVar[str] = "hybrid"

    def __init__(
        self,
        recogniser: Any = "bayes",
        *,
        threshold: float = 0.9,
        mode: RuleMode = "expand",
        tolerance: float = 0.1,
        random_state: int | None = None,
    ) -> None:
        self.recogniser = recogniser
        self.threshold = threshold
        self.mode = mode
        self.tolerance = tolerance
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; deep, those of a given classifier too, as ``recogniser__<name>``."""
        own = super().get_params()
        inner = self.recogniser
        if deep and isinstance(inner, Recogniser):
            own |= {f"recogniser__{name}": value for name, value in inner.get_params().items()}
        return own

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, ``recogniser__<name>`` those of a given classifier.

        Raises
        ------
        RecogniserError
            No such parameter.
        """
        inner = {name: value for name, value in params.items() if name.startswith("recogniser__")}
        super().set_params(**{name: value for name, value in params.items() if name not in inner})
        if inner:
            if not isinstance(self.recogniser, Recogniser):
                got = shorten(repr(self.recogniser))
                raise RecogniserError(f"recogniser is {got}, expected a Recogniser to set {', '.join(inner)}")
            self.recogniser.set_params(**{k.removeprefix("recogniser__"): v for k, v in inner.items()})
        return self

    def fit(self, X: Any = None, y: ArrayLike | None = None) -> Self:
        """Fit the classifier where it is to be fitted.

        Raises
        ------
        RecogniserError
            A parameter that cannot be.
        UnknownNameError
            No such kind, shipped name or folder.
        """
        self._check()
        self.recogniser_ = _classifier(self.recogniser, X, y, self.random_state)
        return self._united()

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The classifier's posterior, or the shares of the rules; (n, K)."""
        self._fitted()
        X = as_trajectories(X)
        inner = self.recogniser_.predict_proba(X)
        rules = chosen_rules(satisfied_rules(X, self.tolerance), self.mode)
        instead = ~reaches(inner.max(axis=1), self.threshold) & rules.any(axis=1)
        proba = np.zeros((len(X), len(self.classes_)))
        place = {name: k for k, name in enumerate(self.classes_.tolist())}
        proba[:, [place[str(c)] for c in self.recogniser_.classes_]] = inner
        by_rule = np.zeros((int(instead.sum()), len(self.classes_)))
        by_rule[:, [place[name] for name in RULE_CLASSES]] = label_weights(rules[instead])
        proba[instead] = by_rule
        return proba

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """The classifier: its kind, parameters, state and files."""
        self._fitted()
        inner = self.recogniser_
        state, files = inner.to_state()
        parameters = json.loads(json.dumps(inner.get_params(deep=False), default=_plain))
        given = isinstance(self.recogniser, Recogniser)
        saved = {"kind": inner.kind, "parameters": parameters, "state": state, "given": given}
        return {"classifier": saved}, {_INNER + name: content for name, content in files.items()}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the classifier; one that was given as a Recogniser takes its place as a parameter again.

        Raises
        ------
        RecogniserError
            The classifier is no recogniser, or itself a hybrid.
        """
        saved = state["classifier"]
        kind, parameters, given = saved["kind"], saved["parameters"], saved["given"]
        if not isinstance(kind, str) or kind == self.kind:
            raise RecogniserError(f"classifier is {shorten(repr(kind))}, expected another kind than hybrid")
        if type(given) is not bool or not isinstance(parameters, dict):
            raise RecogniserError("the classifier's parameters are not readable, expected an object")
        own = {k: tuple(v) if isinstance(v, list) else v for k, v in parameters.items()}
        if given:
            self.recogniser = recogniser_class(kind)(**own)
        if not given and not (isinstance(self.recogniser, str) and len(self.recogniser) <= _LONGEST_NAME):
            raise RecogniserError(f"recogniser is {shorten(repr(self.recogniser))}, expected a name")
        self._check()
        inner = {name.removeprefix(_INNER): content for name, content in files.items()}
        self.recogniser_ = recogniser_class(kind)(**own).from_state(saved["state"], inner)
        return self._united()

    def _check(self) -> None:
        check_rules(self.tolerance, self.mode)
        number = isinstance(self.threshold, int | float) and not isinstance(self.threshold, bool)
        if not (number and 0 <= self.threshold <= 1):
            got = shorten(repr(self.threshold))
            raise RecogniserError(f"threshold is {got}, expected a probability")

    def _united(self) -> Self:
        if isinstance(self.recogniser_, HybridRecogniser):
            raise RecogniserError("the classifier of a hybrid is itself a hybrid, expected another kind")
        self.classes_ = ordered_classes([*map(str, self.recogniser_.classes_), *RULE_CLASSES])
        return self


def _classifier(given: Any, X: Any, y: ArrayLike | None, random_state: int | None) -> Recogniser:
    """The fitted classifier that the parameter `recogniser` of a hybrid means."""
    from intent.recognise.storage import load_recogniser

    if isinstance(given, Recogniser):
        return type(given)(**given.get_params(deep=False)).fit(X, y)
    if not isinstance(given, str):
        raise RecogniserError(f"recogniser is {shorten(repr(given))}, expected a kind, name or Recogniser")
    try:
        kind = recogniser_class(given)
    except UnknownNameError:
        return load_recogniser(given)
    parameters: dict[str, Any] = {}
    accepted = kind().get_params(deep=False)
    if "random_state" in accepted:
        parameters["random_state"] = random_state
    named = [] if y is None else ordered_classes(np.asarray(y).astype(str)).tolist()
    if "strategies" in accepted and named and set(named) <= set(CATALOGUE):
        parameters["strategies"] = tuple(named)
    return kind(**parameters).fit(X, y)


def _plain(value: Any) -> Any:
    """A parameter that JSON does not know, as it would be named again."""
    return value.tolist() if hasattr(value, "tolist") else getattr(value, "name", str(value))
