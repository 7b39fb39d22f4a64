"""Honest labels as a table: the verdict on every trajectory under the codebook's names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent import schema
from intent.logs.trajectories import Trajectories
from intent.recognise.base import Recogniser, summed_by
from intent.recognise.rules import RULE_CLASSES, satisfied_rules
from intent.recognise.verdict import LabelSettings, judge

__all__ = ["label_table", "subject_keys"]


def label_table(
    X: Trajectories,
    recogniser: Recogniser,
    settings: LabelSettings,
    rng: np.random.Generator,
    *,
    sets: NDArray[np.bool_] | None = None,
    subjects: NDArray[np.intp] | None = None,
) -> pd.DataFrame:
    """Labels of trajectories, one row each, as `schema.LABELS`; with `subjects`, one row per subject.

    The status is the first that applies: ``no_fit`` (fit_p < alpha, or RANDOM is best), ``ambiguous``
    (another strategy's log-likelihood within 1e-9 of the best one's), ``low_confidence`` (posterior below the
    threshold), ``confident``.

    Of a subject all games are one piece of evidence: each starts anew, their likelihoods multiply, rounds and
    deviations add, and a strategy or rule is consistent with the play if it is with every game.

    A condition column of the log that has the name of a computed one is kept as ``<name>_in_log``.

    Parameters
    ----------
    X : Trajectories with keys
    recogniser : fitted Recogniser whose classes are catalogue strategies
    settings : LabelSettings
    rng : numpy Generator, for the test of fit of stochastic strategies
    sets : (n, K) bool, optional
        Conformal label sets, as `intent.recognise.conformal.label_sets`.
    subjects : (n,) int, 0 .. S - 1, optional
        Whose game each trajectory is. The keys are then `subject_keys`.

    Raises
    ------
    RecogniserError
        A class that is no strategy, so that fit and ties cannot be computed.
    """
    verdict = judge(X, recogniser, settings, rng, subjects)
    rules, rounds = satisfied_rules(X), X.n_rounds
    if subjects is not None:
        rules = summed_by((~rules).astype(np.int64), subjects) == 0
        rounds = summed_by(rounds.astype(np.int64), subjects)
    classes = [str(c) for c in recogniser.classes_]
    names = np.array(classes, dtype=object)
    best, status = verdict.best, verdict.status
    computed = {
        **({} if subjects is None else {"n_games": np.bincount(subjects)}),
        "n_rounds": rounds,
        "label": pd.Series(names[best], dtype=object).where(status == "confident"),
        "best": names[best],
        "tied": verdict.ties.any(axis=1),
        "tied_with": _lists(verdict.ties, classes),
        "confidence": verdict.confidence,
        **{schema.PROBABILITY_PREFIX + name: verdict.proba[:, k] for k, name in enumerate(classes)},
        "consistent": _lists(verdict.explains, classes),
        "n_deviations": verdict.n_deviations,
        "fit_p": verdict.fit_p,
        "rule_labels": _lists(rules, RULE_CLASSES),
        "status": status,
        **({} if sets is None else {"label_set": _lists(sets, classes)}),
    }
    keys = X.keys if X.keys is not None else _numbered(len(X))
    if subjects is not None:
        keys = subject_keys(keys, subjects)[0]
    renamed = {c: f"{c}_in_log" if c in computed else c for c in keys.columns}
    return pd.DataFrame({**{renamed[c]: keys[c].array for c in keys.columns}, **computed})


def subject_keys(keys: pd.DataFrame, subjects: NDArray[np.intp]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """What is known of each subject, and the columns that are left out because they vary within one.

    Parameters
    ----------
    keys : DataFrame of n rows with column player
    subjects : (n,) int, 0 .. S - 1

    Returns
    -------
    DataFrame of S rows : player first, then every column with one value (nulls are one, too) per subject
    tuple of str : columns that are left out, game_id and seat always among them
    """
    first = np.unique(subjects, return_index=True)[1]
    kept, dropped = ["player"], list[str]()
    for column in keys.columns:
        if column == "player":
            continue
        codes = pd.factorize(keys[column], use_na_sentinel=False)[0]
        is_constant = column not in ("game_id", "seat") and bool((codes == codes[first][subjects]).all())
        (kept if is_constant else dropped).append(str(column))
    return keys[kept].iloc[first].reset_index(drop=True), tuple(dropped)


def _numbered(rows: int) -> pd.DataFrame:
    return pd.DataFrame({"game_id": np.arange(1, rows + 1).astype(str), "seat": np.ones(rows, dtype=int)})


def _lists(flags: NDArray[np.bool_], names: Sequence[str]) -> list[list[str]]:
    """Names of the true columns of each row; equal rows share no list."""
    patterns, codes = np.unique(flags, axis=0, return_inverse=True)
    chosen = [[name for name, flag in zip(names, row, strict=True) if flag] for row in patterns.tolist()]
    return [list(chosen[c]) for c in codes.reshape(-1).tolist()]
