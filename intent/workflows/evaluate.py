"""Measure a recogniser on labelled play, against the ceiling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories
    from intent.recognise.base import Recogniser

__all__ = ["contract", "evaluate", "scores_of"]


def evaluate(
    recogniser: Recogniser | str | Path,
    log: GameLog | str | Path,
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    **reading: Any,
) -> dict[str, Any]:
    """Accuracy, F1, calibration, and regret to a named ceiling.

    Parameters
    ----------
    recogniser : fitted recogniser, name of a shipped one, or folder of a saved one
    log : labelled GameLog, or the path of one
    where : mapping of column -> accepted values
    **reading
        Passed to `read_log` where `log` is a path.

    Returns
    -------
    dict as `schema.JSON_OBJECTS["evaluate"]`, and ``n`` and ``ceiling_rule`` for people

    Raises
    ------
    DataError
        The log is not labelled.
    """
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.recognise.storage import load_recogniser
    from intent.workflows.ceilings import ceiling_of_log
    from intent.workflows.material import labelled_play

    model = recogniser if not isinstance(recogniser, str | Path) else load_recogniser(recogniser)
    played = log if isinstance(log, GameLog) else read_log(log, **reading)
    if where:
        played = played.where(where)
    X, truth = labelled_play(played)
    scores = scores_of(model, X, truth)
    ceiling = ceiling_of_log(played, X, truth)
    return {
        "n": len(X),
        **scores,
        "ceiling": ceiling.value,
        "ceiling_kind": ceiling.kind,
        "ceiling_rule": ceiling.rule,
        "ceiling_error": ceiling.standard_error,
        "trained_on_this": _trained_on(recogniser, played),
        "regret": None if ceiling.value is None else ceiling.value - scores["accuracy"],
    }


def contract(result: dict[str, Any]) -> dict[str, Any]:
    """The part of a result that scripts rely on, as `schema.JSON_OBJECTS["evaluate"]`."""
    from intent import schema

    return {key: result[key] for key in schema.JSON_OBJECTS["evaluate"]}


def scores_of(model: Recogniser, X: Trajectories, truth: Sequence[str]) -> dict[str, Any]:
    """Scores of a fitted recogniser, and the standard error of its accuracy.

    A class that the recogniser does not know is listed with recall 0 and counts in the macro F1.
    """
    import numpy as np

    from intent.recognise.scores import score_table

    classes = [str(c) for c in model.classes_]
    classes += [name for name in dict.fromkeys(truth) if name not in classes]
    index = {name: k for k, name in enumerate(classes)}
    codes: NDArray[np.intp] = np.array([index[name] for name in truth], dtype=np.intp)
    proba = np.zeros((len(X), len(classes)))
    proba[:, : len(model.classes_)] = model.predict_proba(X)
    scores = score_table(proba, codes, classes)
    accuracy = scores["accuracy"]
    unknown = [name for name in classes[len(model.classes_) :] if name in truth]
    return {
        **scores,
        "unknown_classes": unknown,
        "standard_error": (accuracy * (1 - accuracy) / max(len(X), 1)) ** 0.5,
    }


def _trained_on(recogniser: Recogniser | str | Path, log: GameLog) -> bool:
    """Whether a saved recogniser was trained on this very log."""
    from intent.recognise.storage import describe_recogniser

    if not isinstance(recogniser, str | Path) or "sha256" not in log.provenance:
        return False
    data = describe_recogniser(recogniser)["about"].get("data") or {}
    trained: bool = (data.get("log") or {}).get("sha256") == log.provenance["sha256"]
    return trained
