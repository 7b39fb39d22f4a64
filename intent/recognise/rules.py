"""Labels by rule, alone or where a classifier is not sure.

A history may satisfy several rules (`intent.recognise.verdict.satisfied_rules`): all are its labels (expand),
or the first of ALLD, ALLC, TFT, WSLS (priority). Hybrid labels, with the most probable class k* of a
classifier, its probability p* and the rules that the history satisfies:

1. p* >= threshold: the label is k*.
2. Else, where rules are satisfied: the labels are theirs.
3. Else: no label.

References
----------
The strategy-recognition paper of the FAIRGAME group, appendix (rule labels; hybrid labels; threshold .9).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import DataError, RecogniserError, shorten
from intent.base.job import Table
from intent.recognise.labels.request import LabelRequest
from intent.recognise.recogniser import Files, Recogniser, as_trajectories, ordered_classes
from intent.recognise.verdict import RULE_CLASSES, satisfied_rules
from intent.recognise.wrapper import WrappingRecogniser

__all__ = [
    "HYBRID_SOURCES",
    "RULE_PRIORITY",
    "HybridCounts",
    "HybridRecogniser",
    "RuleMode",
    "RulesRecogniser",
    "check_rules",
    "chosen_rules",
    "hybrid_columns",
    "hybrid_counts",
    "label_weights",
    "listed_rules",
    "reaches",
]

RULE_PRIORITY = ("ALLD", "ALLC", "TFT", "WSLS")

RuleMode = Literal["expand", "priority"]


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
        threshold: float = LabelRequest.threshold,
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


HYBRID_SOURCES = ("model", "rules", "none")
"""Where a hybrid label comes from, in the order in which the conditions are tested."""

_NEEDED = ("best", "confidence", "rule_labels")


def hybrid_columns(
    table: pd.DataFrame, threshold: float = LabelRequest.threshold, mode: RuleMode = "expand"
) -> pd.DataFrame:
    """Hybrid labels of every row of a table of labels.

    ``model`` where confidence >= threshold: the label is `best`, unless that is RANDOM. Else ``rules`` where
    rules are satisfied: theirs. Else ``none``. Ties, fit and status play no part: these are the labels of the
    literature, to be shown beside ours.

    Parameters
    ----------
    table : DataFrame as `codebook.LABELS`
    threshold : float in [0, 1]
    mode : "expand" or "priority"
        All rules that apply, or the first of ALLD, ALLC, TFT, WSLS.

    Returns
    -------
    DataFrame with the table's index: hybrid_labels (lists of names), hybrid_source

    Raises
    ------
    DataError
        A column that labels have is missing, or a rule that does not exist.
    """
    check_rules(0.0, mode)
    for column in _NEEDED:
        if column not in table.columns:
            raise DataError(f"no column {column!r}, expected a table of labels to make hybrid labels from")
    sure = reaches(table["confidence"].to_numpy(dtype=float), threshold)
    sure &= table["best"].astype(str).to_numpy() != "RANDOM"
    chosen = chosen_rules(listed_rules(table["rule_labels"].tolist()), mode)
    source = np.select([sure, chosen.any(axis=1)], HYBRID_SOURCES[:2], default=HYBRID_SOURCES[2])
    best = table["best"].astype(str).tolist()
    labels = [
        [best[i]] if sure[i] else [name for name, hit in zip(RULE_CLASSES, row, strict=True) if hit]
        for i, row in enumerate(chosen.tolist())
    ]
    columns = {"hybrid_labels": pd.Series(labels, dtype=object, index=table.index)}
    return pd.DataFrame({**columns, "hybrid_source": source.astype(object)}, index=table.index)


def listed_rules(cells: Sequence[object]) -> NDArray[np.bool_]:
    """(n, 4) bool, columns as `RULE_CLASSES`, of lists of rules or (as CSV holds them) texts joined by ``|``.

    Raises
    ------
    DataError
        A rule that does not exist.
    """
    place = {name: k for k, name in enumerate(RULE_CLASSES)}
    hits = np.zeros((len(cells), len(RULE_CLASSES)), dtype=bool)
    for i, cell in enumerate(cells):
        names = cell.split("|") if isinstance(cell, str) else cell
        for name in names if isinstance(names, list | tuple | np.ndarray) else ():
            if name and name not in place:
                known = ", ".join(RULE_CLASSES)
                raise DataError(f"row {i + 1}: rule_labels names {shorten(name)!r}, expected some of {known}")
            if name:
                hits[i, place[name]] = True
    return hits


@dataclass(frozen=True)
class HybridCounts:
    """How often each strategy is named.

    Parameters
    ----------
    n : int, trajectories
    sources : mapping of model, rules, none -> trajectories whose hybrid label comes from there
    strategies : mapping of strategy -> (by the recogniser alone, hybrid with several labels in equal
        shares, hybrid with each counted fully)
    """

    n: int
    sources: dict[str, int]
    strategies: dict[str, tuple[float, float, float]]

    def parts(self, threshold: float, rules: str) -> Iterator[Table | str]:
        """How often each strategy is named, and where the labels come from."""

        def share(count: float) -> str:
            return f"{count:,.0f} ({count / self.n:.1%})" if self.n else "–"

        header = ["strategy", f"recogniser, p >= {threshold:g}", "hybrid, shares split"]
        several = rules == "expand"
        rows = [
            [name, share(alone), share(split), *([share(full)] if several else [])]
            for name, (alone, split, full) in self.strategies.items()
        ]
        yield ""
        yield Table(header + (["hybrid, each counted fully"] if several else []), rows)
        sources = ", ".join(f"{name} {share(count)}" for name, count in self.sources.items())
        yield f"hybrid labels come from: {sources}"


def hybrid_counts(columns: pd.DataFrame, known: Sequence[str]) -> HybridCounts:
    """How often each strategy is named by hybrid labels.

    Parameters
    ----------
    columns : of `hybrid_columns`
    known : classes of the recogniser
    """
    source = columns["hybrid_source"]
    classes = [*known, *(name for name in RULE_CLASSES if name not in known)]
    place = {name: k for k, name in enumerate(classes)}
    named = np.zeros((len(columns), len(classes)), dtype=bool)
    for i, names in enumerate(columns["hybrid_labels"]):
        named[i, [place[name] for name in names]] = True
    alone = named[(source == "model").to_numpy(dtype=bool)].sum(axis=0)
    split, full = (label_weights(named, split=way).sum(axis=0) for way in (True, False))
    return HybridCounts(
        len(columns),
        {name: int((source == name).sum()) for name in HYBRID_SOURCES},
        {c: (float(alone[k]), float(split[k]), float(full[k])) for k, c in enumerate(classes)},
    )
