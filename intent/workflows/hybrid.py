"""Hybrid labels beside those of the recogniser alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from intent.errors import UnknownNameError

if TYPE_CHECKING:
    from intent.workflows.label_result import Labels

__all__ = ["HybridCounts", "with_hybrid"]


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


def with_hybrid(labels: Labels, threshold: float = 0.9, rules: str = "expand") -> tuple[Labels, HybridCounts]:
    """Labels with the columns hybrid_labels and hybrid_source, and how often each strategy is named.

    Parameters
    ----------
    labels : Labels
    threshold : float in [0, 1]
        Probability from which the recogniser's label stands.
    rules : str
        ``expand``: below it, all rules that apply; ``priority``: the first of ALLD, ALLC, TFT, WSLS.

    Raises
    ------
    UnknownNameError
        No such mode of rules.
    """
    import numpy as np
    import pandas as pd

    from intent.recognise.hybrid_labels import HYBRID_SOURCES, hybrid_columns
    from intent.recognise.rules import RULE_CLASSES, RuleMode, label_weights

    if rules not in get_args(RuleMode):
        raise UnknownNameError("mode of rules", rules, get_args(RuleMode))
    columns = hybrid_columns(labels.table, threshold, rules)  # type: ignore[arg-type]
    source = columns["hybrid_source"]
    known = [str(c) for c in labels.provenance["classes"]]
    classes = [*known, *(name for name in RULE_CLASSES if name not in known)]
    place = {name: k for k, name in enumerate(classes)}
    named = np.zeros((len(columns), len(classes)), dtype=bool)
    for i, names in enumerate(columns["hybrid_labels"]):
        named[i, [place[name] for name in names]] = True
    alone = named[(source == "model").to_numpy(dtype=bool)].sum(axis=0)
    split, full = (label_weights(named, split=way).sum(axis=0) for way in (True, False))
    counts = HybridCounts(
        len(columns),
        {name: int((source == name).sum()) for name in HYBRID_SOURCES},
        {c: (float(alone[k]), float(split[k]), float(full[k])) for k, c in enumerate(classes)},
    )
    table = pd.concat([labels.table, columns], axis=1)
    told = {**labels.provenance, "hybrid": {"threshold": threshold, "rules": rules}}
    return replace(labels, table=table, provenance=told), counts
