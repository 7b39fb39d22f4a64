"""Labels by rule: what the play must look like to deserve a name.

ALLC: all C. ALLD: all D. TFT: first move C and at most f (N - 1) mismatches to the other's last move. WSLS:
any first move, stay after CC and DC, shift after CD and DD (own move first), at most f (N - 1) mismatches. A
history may satisfy several: all are its labels (expand), or the first of ALLD, ALLC, TFT, WSLS (priority).

References
----------
The strategy-recognition paper of the FAIRGAME group, appendix (rule labels;
f = 0.1, so no mismatch at N = 10).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import RecogniserError, shorten
from intent.logs.trajectories import Trajectories
from intent.recognise.recogniser import Files, Recogniser, as_trajectories

__all__ = [
    "RULE_CLASSES",
    "RULE_PRIORITY",
    "RuleMode",
    "RulesRecogniser",
    "check_rules",
    "chosen_rules",
    "label_weights",
    "satisfied_rules",
]

RULE_CLASSES = ("ALLC", "ALLD", "TFT", "WSLS")
RULE_PRIORITY = ("ALLD", "ALLC", "TFT", "WSLS")

RuleMode = Literal["expand", "priority"]


def satisfied_rules(X: Trajectories, tolerance: float = 0.1) -> NDArray[np.bool_]:
    """Which rules each history satisfies, by what the player decided after what was played.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    tolerance : float in [0, 1)
        f. N is the number of known own moves.

    Returns
    -------
    (n, 4) bool, columns as `RULE_CLASSES`. A move whose situation is unknown is no mismatch; a history of
    no known move satisfies nothing.
    """
    own, other, counts, chosen = X.own, X.other, X.evidence, X.decisions
    played = counts.sum(axis=1)
    all_c = ~(counts & (chosen == 0)).any(axis=1)
    all_d = ~(counts & (chosen == 1)).any(axis=1)
    now, before, theirs = chosen[:, 1:], own[:, :-1], other[:, :-1]
    bound = tolerance * (played - 1) + 1e-12
    tft = (counts[:, 1:] & (theirs >= 0) & (now != theirs)).sum(axis=1) <= bound
    first_c = (counts[:, 0] & (chosen[:, 0] == 1)) if own.shape[1] else np.zeros(len(X), dtype=bool)
    known = counts[:, 1:] & (before >= 0) & (theirs >= 0)
    expected = np.where(theirs == 1, before, 1 - before)
    wsls = (known & (now != expected)).sum(axis=1) <= bound
    hits: NDArray[np.bool_] = np.stack([all_c, all_d, first_c & tft, wsls], axis=1) & (played > 0)[:, None]
    return hits


def chosen_rules(hits: NDArray[np.bool_], mode: RuleMode = "expand") -> NDArray[np.bool_]:
    """The labels that satisfied rules give: all of them, or the first of ALLD, ALLC, TFT, WSLS.

    Parameters
    ----------
    hits : (n, 4) bool, columns as `RULE_CLASSES`
    mode : "expand" or "priority"

    Returns
    -------
    (n, 4) bool
    """
    if mode == "expand":
        return hits
    order = [RULE_CLASSES.index(name) for name in RULE_PRIORITY]
    first = np.array(order)[hits[:, order].argmax(axis=1)]
    chosen: NDArray[np.bool_] = hits & (np.arange(len(RULE_CLASSES)) == first[:, None])
    return chosen


def label_weights(labels: NDArray[np.bool_], *, split: bool = True) -> NDArray[np.float64]:
    """What each row counts for when its labels are counted.

    Split, a row with m labels counts 1/m for each, so that a history is one history; otherwise it counts
    fully for each, as where composite labels are expanded into pure ones. A row without labels counts
    nothing.

    Parameters
    ----------
    labels : (n, K) bool
    split : bool

    Returns
    -------
    (n, K) float64
    """
    weights: NDArray[np.float64] = labels.astype(float)
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1) if split else weights


def check_rules(tolerance: object, mode: object) -> None:
    """Refuse parameters that rules cannot have.

    Raises
    ------
    RecogniserError
        A tolerance outside [0, 1) or an unknown mode.
    """
    number = isinstance(tolerance, int | float) and not isinstance(tolerance, bool)
    if not (number and 0 <= tolerance < 1):  # type: ignore[operator]
        raise RecogniserError(f"tolerance is {shorten(repr(tolerance))}, expected a share in [0, 1)")
    if mode not in get_args(RuleMode):
        raise RecogniserError(f"mode is {shorten(repr(mode))}, expected 'expand' or 'priority'")


class RulesRecogniser(Recogniser):
    """The rule labels as a recogniser.

    Parameters
    ----------
    tolerance : float in [0, 1)
        Share f of mismatches that is allowed.
    mode : "expand" or "priority"
        Share the probability among all satisfied rules, or give it to the first of ALLD, ALLC, TFT, WSLS.
        A history that satisfies none gets equal probabilities. To count several labels fully instead of
        in shares, see `label_weights`.
    """

    kind: ClassVar[str] = "rules"

    def __init__(self, *, tolerance: float = 0.1, mode: RuleMode = "expand") -> None:
        self.tolerance = tolerance
        self.mode = mode

    def fit(self, X: Any = None, y: ArrayLike | None = None) -> Self:
        """Check the parameters; there is nothing to learn.

        Raises
        ------
        RecogniserError
            A tolerance outside [0, 1) or an unknown mode.
        """
        check_rules(self.tolerance, self.mode)
        self.classes_ = np.array(RULE_CLASSES)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Equal shares of the satisfied rules, or all to the first by priority; (n, 4)."""
        self._fitted()
        hits = satisfied_rules(as_trajectories(X), self.tolerance)
        chosen = chosen_rules(hits, self.mode)
        return label_weights(np.where(chosen.any(axis=1, keepdims=True), chosen, True))

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Nothing beyond the parameters."""
        return {}, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Nothing beyond the parameters."""
        return self.fit()
