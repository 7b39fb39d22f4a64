"""Measure a recogniser on labelled play, against the ceiling.

The reliability of probabilities as a table of bins, and where it is written: a diagram or a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.result import write_result

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories
    from intent.recognise.ceiling import Knowledge
    from intent.recognise.recogniser import Recogniser


__all__ = ["TOP", "contract", "evaluate", "posteriors", "reliability_table", "scores_of", "write_reliability"]


def evaluate(
    recogniser: Recogniser | str | Path,
    log: GameLog | str | Path,
    *,
    ceiling: Knowledge = "auto",
    output: str | Path | None = None,
    per_class: bool = False,
    overwrite: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
    **reading: Any,
) -> dict[str, Any]:
    """Accuracy, F1, calibration, and regret to a named ceiling.

    Where the ceiling is enumerated, the regret is to that expectation; else to the accuracy of the rule on
    this very play, so that only trajectories on which the two differ make it uncertain.

    Parameters
    ----------
    recogniser : fitted recogniser, name of a shipped one, or folder of a saved one
    log : labelled GameLog, or the path of one
    ceiling : "auto", "known" or "integrated"
        What the rule knows of the noise, as `ceiling_of_log`.
    output : path, optional
        Where to write the reliability of the probabilities: a diagram (.png, .svg, .pdf) or the table of
        its bins (.csv, .parquet, .jsonl, .json).
    per_class : bool
        Whether the diagram has a panel for each class, beside that of the most probable one.
    overwrite : bool
    where : mapping of column -> accepted values
    **reading
        Passed to `read_log` where `log` is a path.

    Returns
    -------
    dict as `json_objects.JSON_OBJECTS["evaluate"]`; for people ``n``, ``ceiling_rule``, ``paired`` (value,
    standard_error and bound of the regret on this play; None without a rule), ``reliability`` (the bins)

    Raises
    ------
    DataError
        The log is not labelled.
    OutputError
        The output cannot be written.
    """
    from dataclasses import asdict

    from intent.base.result import check_output
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.recognise.ceiling import ceiling_of_log
    from intent.recognise.material import labelled_play
    from intent.recognise.recogniser import most_probable
    from intent.recognise.scores import paired_regret
    from intent.recognise.storage import load_recogniser

    if output is not None:
        check_output(output, overwrite=overwrite, origin=log if isinstance(log, str | Path) else None)
    model = recogniser if not isinstance(recogniser, str | Path) else load_recogniser(recogniser)
    played = log if isinstance(log, GameLog) else read_log(log, **reading)
    if where:
        played = played.where(where)
    X, truth = labelled_play(played)
    proba, codes, classes = posteriors(model, X, truth)
    scores = _scores(proba, codes, classes, len(model.classes_))
    limit = ceiling_of_log(played, X, truth, knowledge=ceiling)
    hit = most_probable(proba) == codes
    bins = reliability_table(proba, codes, classes, per_class=per_class)
    result = {
        "n": len(X),
        **scores,
        "ceiling": limit.value,
        "ceiling_kind": limit.kind,
        "ceiling_rule": limit.rule,
        "ceiling_error": limit.standard_error,
        "trained_on_this": _trained_on(recogniser, played),
        "regret": None if limit.value is None else limit.value - scores["accuracy"],
        "paired": None if limit.hits is None else asdict(paired_regret(limit.hits, hit)),
        "reliability": bins.to_dict("records"),
    }
    if output is not None:
        write_reliability(bins, result, output, _facts(recogniser, model, played, where), overwrite=overwrite)
    return result


def contract(result: dict[str, Any]) -> dict[str, Any]:
    """The part of a result that scripts rely on, as `json_objects.JSON_OBJECTS["evaluate"]`."""
    from intent.base import codebook

    return {key: result[key] for key in codebook.JSON_OBJECTS["evaluate"]}


def posteriors(
    model: Recogniser, X: Trajectories, truth: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.intp], list[str]]:
    """Posteriors (n, K), the true classes (n,) as indices, and the K names.

    The classes that the recogniser does not know come last, with probability zero.
    """
    import numpy as np

    classes = [str(c) for c in model.classes_]
    classes += [name for name in dict.fromkeys(truth) if name not in classes]
    index = {name: k for k, name in enumerate(classes)}
    codes: NDArray[np.intp] = np.array([index[name] for name in truth], dtype=np.intp)
    proba = np.zeros((len(X), len(classes)))
    proba[:, : len(model.classes_)] = model.predict_proba(X)
    return proba, codes, classes


def scores_of(model: Recogniser, X: Trajectories, truth: Sequence[str]) -> dict[str, Any]:
    """Scores of a fitted recogniser, and the standard error of its accuracy.

    A class that the recogniser does not know is listed with recall 0 and counts in the macro F1.
    """
    proba, codes, classes = posteriors(model, X, truth)
    return _scores(proba, codes, classes, len(model.classes_))


def _scores(
    proba: NDArray[np.float64], codes: NDArray[np.intp], classes: Sequence[str], known: int
) -> dict[str, Any]:
    from intent.recognise.scores import score_table

    scores = score_table(proba, codes, classes)
    accuracy = scores["accuracy"]
    return {
        **scores,
        "unknown_classes": list(classes[known:]),
        "standard_error": (accuracy * (1 - accuracy) / max(len(codes), 1)) ** 0.5,
    }


def _facts(
    recogniser: Recogniser | str | Path, model: Recogniser, log: GameLog, where: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What a figure or table says of its origin."""
    from intent.version import __version__

    return {
        "kind": "reliability",
        "log": log.provenance,
        "recogniser": str(recogniser) if isinstance(recogniser, str | Path) else model.kind,
        "where": {k: list(v) for k, v in (where or {}).items()},
        "version": __version__,
    }


def _trained_on(recogniser: Recogniser | str | Path, log: GameLog) -> bool:
    """Whether a saved recogniser was trained on this very log."""
    from intent.recognise.storage import describe_recogniser

    if not isinstance(recogniser, str | Path) or "sha256" not in log.provenance:
        return False
    data = describe_recogniser(recogniser)["about"].get("data") or {}
    trained: bool = (data.get("log") or {}).get("sha256") == log.provenance["sha256"]
    return trained


TOP = "(most probable)"
"""Name of the bins of the most probable class, which the ECE is computed from."""


def reliability_table(
    proba: NDArray[np.float64],
    truth: NDArray[np.intp],
    classes: Sequence[str],
    *,
    per_class: bool = False,
) -> pd.DataFrame:
    """Bins of the most probable class, and of every class where asked.

    Parameters
    ----------
    proba : (n, K)
    truth : (n,), index of the true class
    classes : K names
    per_class : bool

    Returns
    -------
    DataFrame with columns class, bin, low, high, n, confidence, accuracy
    """
    from dataclasses import asdict

    import pandas as pd

    from intent.recognise.recogniser import most_probable
    from intent.recognise.scores import ECE_BINS, reliability_bins

    curves = {}
    if len(proba):
        curves[TOP] = (proba.max(axis=1), most_probable(proba) == truth)
    if per_class:
        curves |= {name: (proba[:, k], truth == k) for k, name in enumerate(classes)}
    rows = [
        {"class": name, "bin": i, **asdict(row)}
        for name, curve in curves.items()
        for i, row in enumerate(reliability_bins(*curve, ECE_BINS), 1)
    ]
    columns = ["class", "bin", "low", "high", "n", "confidence", "accuracy"]
    return pd.DataFrame(rows, columns=columns)


def write_reliability(
    bins: pd.DataFrame,
    scores: Mapping[str, Any],
    path: str | Path,
    facts: Mapping[str, Any],
    *,
    overwrite: bool = False,
) -> Path:
    """Draw the diagram, or write the table; the suffix says which.

    Parameters
    ----------
    bins : of `reliability_table`
    scores : mapping with n, accuracy, ece, brier
    path : path
    facts : mapping
        Origin of the figures: the log, the recogniser.
    overwrite : bool

    Raises
    ------
    OutputError
        An unknown suffix, or the path cannot be written.
    """
    from intent.recognise.figures import reliability_figure

    measured = {name: scores[name] for name in ("n", "accuracy", "ece", "brier")}
    origin = {**facts, **measured}
    title = f"Reliability of {Path(str(facts['recogniser'])).name}"
    return write_result(
        path,
        figure=lambda target: reliability_figure(bins, title).write(
            target,
            remarks=[
                f"{measured['n']:,} trajectories, accuracy {measured['accuracy']:.4f}, "
                f"ECE {measured['ece']:.4f} (most probable class), Brier score {measured['brier']:.4f}.",
                f"Play: {facts['log'].get('source', 'a log in memory')}",
            ],
            description=json.dumps(facts, ensure_ascii=False),
            overwrite=overwrite,
        ),
        table=lambda: bins,
        payload=lambda: {**origin, "bins": bins.to_dict("records")},
        facts=origin,
        overwrite=overwrite,
    )
