"""Hybrid labels of a label table: those of the recogniser where it is sure, else those of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.errors import DataError, shorten
from intent.recognise.hybrid import reaches
from intent.recognise.rules import RULE_CLASSES, RuleMode, check_rules, chosen_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["HYBRID_SOURCES", "hybrid_columns", "listed_rules"]

HYBRID_SOURCES = ("model", "rules", "none")
"""Where a hybrid label comes from, in the order in which the conditions are tested."""

_NEEDED = ("best", "confidence", "rule_labels")


def hybrid_columns(table: pd.DataFrame, threshold: float = 0.9, mode: RuleMode = "expand") -> pd.DataFrame:
    """Hybrid labels of every row of a table of labels.

    ``model`` where confidence >= threshold: the label is `best`, unless that is RANDOM. Else ``rules`` where
    rules are satisfied: theirs. Else ``none``. Ties, fit and status play no part: these are the labels of the
    literature, to be shown beside ours.

    Parameters
    ----------
    table : DataFrame as `schema.LABELS`
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
