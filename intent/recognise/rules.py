"""Labels by rule: what the play must look like to deserve a name.

ALLC: all C. ALLD: all D. TFT: first move C and at most f (N - 1) mismatches to the other's last move. WSLS:
any first move, stay after CC and DC, shift after CD and DD (own move first), at most f (N - 1) mismatches. A
history may satisfy several.

References
----------
The strategy-recognition paper of the FAIRGAME group, appendix (rule labels;
f = 0.1, so no mismatch at N = 10).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import RecogniserError
from intent.logs.trajectories import Trajectories
from intent.recognise.base import Files, Recogniser, as_trajectories

__all__ = ["RULE_CLASSES", "RULE_PRIORITY", "RulesRecogniser", "satisfied_rules"]

RULE_CLASSES = ("ALLC", "ALLD", "TFT", "WSLS")
RULE_PRIORITY = ("ALLD", "ALLC", "TFT", "WSLS")


def satisfied_rules(X: Trajectories, tolerance: float = 0.1) -> NDArray[np.bool_]:
    """Which rules each history satisfies.

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
    own, other, counts = X.own, X.other, X.evidence
    played = counts.sum(axis=1)
    all_c = ~(counts & (own == 0)).any(axis=1)
    all_d = ~(counts & (own == 1)).any(axis=1)
    now, before, theirs = own[:, 1:], own[:, :-1], other[:, :-1]
    bound = tolerance * (played - 1) + 1e-12
    tft = (counts[:, 1:] & (theirs >= 0) & (now != theirs)).sum(axis=1) <= bound
    first_c = (counts[:, 0] & (own[:, 0] == 1)) if own.shape[1] else np.zeros(len(X), dtype=bool)
    known = counts[:, 1:] & (before >= 0) & (theirs >= 0)
    expected = np.where(theirs == 1, before, 1 - before)
    wsls = (known & (now != expected)).sum(axis=1) <= bound
    hits: NDArray[np.bool_] = np.stack([all_c, all_d, first_c & tft, wsls], axis=1) & (played > 0)[:, None]
    return hits


class RulesRecogniser(Recogniser):
    """The rule labels as a recogniser.

    Parameters
    ----------
    tolerance : float in [0, 1)
        Share f of mismatches that is allowed.
    mode : "expand" or "priority"
        Share the probability among all satisfied rules, or give it to the first of ALLD, ALLC, TFT, WSLS.
        A history that satisfies none gets equal probabilities.
    """

    kind: ClassVar[str] = "rules"

    def __init__(self, *, tolerance: float = 0.1, mode: Literal["expand", "priority"] = "expand") -> None:
        self.tolerance = tolerance
        self.mode = mode

    def fit(self, X: Any = None, y: ArrayLike | None = None) -> Self:
        """Check the parameters; there is nothing to learn.

        Raises
        ------
        RecogniserError
            A tolerance outside [0, 1) or an unknown mode.
        """
        if not 0 <= self.tolerance < 1:
            raise RecogniserError(f"tolerance is {self.tolerance!r}, expected a share in [0, 1)")
        if self.mode not in ("expand", "priority"):
            raise RecogniserError(f"mode is {self.mode!r}, expected 'expand' or 'priority'")
        self.classes_ = np.array(RULE_CLASSES)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Equal shares of the satisfied rules, or all to the first by priority; (n, 4)."""
        self._fitted()
        hits = satisfied_rules(as_trajectories(X), self.tolerance)
        if self.mode == "priority":
            order = [RULE_CLASSES.index(name) for name in RULE_PRIORITY]
            first = np.array(order)[hits[:, order].argmax(axis=1)]
            hits = hits & (np.arange(4) == first[:, None])
        weight = np.where(hits.any(axis=1, keepdims=True), hits, True).astype(float)
        proba: NDArray[np.float64] = weight / weight.sum(axis=1, keepdims=True)
        return proba

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Nothing beyond the parameters."""
        return {}, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Nothing beyond the parameters."""
        return self.fit()
