"""Honest labels as a table: the verdict on every trajectory under the codebook's names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent import schema
from intent.logs.trajectories import Trajectories
from intent.recognise.base import Recogniser
from intent.recognise.rules import RULE_CLASSES, satisfied_rules
from intent.recognise.verdict import LabelSettings, judge

__all__ = ["label_table"]


def label_table(
    X: Trajectories,
    recogniser: Recogniser,
    settings: LabelSettings,
    rng: np.random.Generator,
    *,
    sets: NDArray[np.bool_] | None = None,
) -> pd.DataFrame:
    """Labels of trajectories, one row each, as `schema.LABELS`.

    The status is the first that applies: ``no_fit`` (fit_p < alpha), ``ambiguous`` (another strategy's
    log-likelihood within 1e-9 of the best one's), ``low_confidence`` (posterior below the threshold),
    ``confident``.

    A condition column of the log that has the name of a computed one is kept as ``<name>_in_log``.

    Parameters
    ----------
    X : Trajectories with keys
    recogniser : fitted Recogniser whose classes are catalogue strategies
    settings : LabelSettings
    rng : numpy Generator, for the test of fit of stochastic strategies
    sets : (n, K) bool, optional
        Conformal label sets, as `intent.recognise.conformal.label_sets`.

    Raises
    ------
    RecogniserError
        A class that is no strategy, so that fit and ties cannot be computed.
    """
    verdict = judge(X, recogniser, settings, rng)
    classes = [str(c) for c in recogniser.classes_]
    names = np.array(classes, dtype=object)
    best, status = verdict.best, verdict.status
    computed = {
        "n_rounds": X.n_rounds,
        "label": pd.Series(names[best], dtype=object).where(status == "confident"),
        "best": names[best],
        "tied": verdict.ties.any(axis=1),
        "tied_with": _lists(verdict.ties, classes),
        "confidence": verdict.confidence,
        **{schema.PROBABILITY_PREFIX + name: verdict.proba[:, k] for k, name in enumerate(classes)},
        "consistent": _lists(verdict.explains, classes),
        "n_deviations": verdict.n_deviations,
        "fit_p": verdict.fit_p,
        "rule_labels": _lists(satisfied_rules(X), RULE_CLASSES),
        "status": status,
        **({} if sets is None else {"label_set": _lists(sets, classes)}),
    }
    keys = X.keys if X.keys is not None else _numbered(len(X))
    renamed = {c: f"{c}_in_log" if c in computed else c for c in keys.columns}
    return pd.DataFrame({**{renamed[c]: keys[c].array for c in keys.columns}, **computed})


def _numbered(rows: int) -> pd.DataFrame:
    return pd.DataFrame({"game_id": np.arange(1, rows + 1).astype(str), "seat": np.ones(rows, dtype=int)})


def _lists(flags: NDArray[np.bool_], names: Sequence[str]) -> list[list[str]]:
    """Names of the true columns of each row; equal rows share no list."""
    patterns, codes = np.unique(flags, axis=0, return_inverse=True)
    chosen = [[name for name, flag in zip(names, row, strict=True) if flag] for row in patterns.tolist()]
    return [list(chosen[c]) for c in codes.reshape(-1).tolist()]
