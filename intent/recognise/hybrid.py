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

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import RecogniserError, shorten
from intent.recognise.base import Files, as_trajectories, ordered_classes
from intent.recognise.rules import (
    RULE_CLASSES,
    RuleMode,
    check_rules,
    chosen_rules,
    label_weights,
    satisfied_rules,
)
from intent.recognise.wrapper import WrappingRecogniser

__all__ = ["HybridRecogniser", "reaches"]


def reaches(confidence: NDArray[np.float64], threshold: float) -> NDArray[np.bool_]:
    """(n,), whether probabilities are at least the threshold, up to rounding (1e-9)."""
    sure: NDArray[np.bool_] = confidence >= threshold - 1e-9
    return sure


class HybridRecogniser(WrappingRecogniser):
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
        inner, ready = self._chosen(y)
        self.recogniser_ = inner if ready else inner.fit(X, y)
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
        inner, files = self._inner_state()
        return {"recogniser": inner}, files

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the classifier; one that was given as a Recogniser takes its place as a parameter again.

        Raises
        ------
        RecogniserError
            The classifier is no recogniser, or itself a hybrid.
        """
        self._check()
        self.recogniser_ = self._restore_inner(state["recogniser"], files)
        return self._united()

    def _check(self) -> None:
        check_rules(self.tolerance, self.mode)
        number = isinstance(self.threshold, int | float) and not isinstance(self.threshold, bool)
        if not (number and 0 <= self.threshold <= 1):
            got = shorten(repr(self.threshold))
            raise RecogniserError(f"threshold is {got}, expected a probability")

    def _united(self) -> Self:
        self.classes_ = ordered_classes([*map(str, self.recogniser_.classes_), *RULE_CLASSES])
        return self
