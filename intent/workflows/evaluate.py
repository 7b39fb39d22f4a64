"""Measure a recogniser on labelled play, against the ceiling."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories
    from intent.recognise.base import Recogniser

__all__ = ["contract", "evaluate", "labelled_play"]


def labelled_play(log: GameLog) -> tuple[Trajectories, list[str]]:
    """Trajectories whose seat carries a strategy, and that strategy.

    Raises
    ------
    DataError
        No focal seat has one.
    """
    import numpy as np

    X = log.trajectories()
    if X.keys is None or "strategy" not in X.keys or X.keys["strategy"].notna().sum() == 0:
        raise DataError(
            "the log has no focal seat with a strategy in column 'strategy', expected labelled play"
        )
    rows = np.flatnonzero(X.keys["strategy"].notna().to_numpy())
    return X[rows], X.keys["strategy"].iloc[rows].astype(str).tolist()


def evaluate(
    recogniser: Recogniser | str | Path, log: GameLog | str | Path, **reading: Any
) -> dict[str, Any]:
    """Accuracy, F1, calibration, and regret to a named ceiling.

    Parameters
    ----------
    recogniser : fitted recogniser, name of a shipped one, or folder of a saved one
    log : labelled GameLog, or the path of one
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

    model = recogniser if not isinstance(recogniser, str | Path) else load_recogniser(recogniser)
    played = log if isinstance(log, GameLog) else read_log(log, **reading)
    X, truth = labelled_play(played)
    scores = scores_of(model, X, truth)
    ceiling = ceiling_of_log(played, X, truth)
    return {
        "n": len(X),
        **scores,
        "ceiling": ceiling.value,
        "ceiling_kind": ceiling.kind,
        "ceiling_rule": ceiling.rule,
        "regret": None if ceiling.value is None else ceiling.value - scores["accuracy"],
    }


def contract(result: dict[str, Any]) -> dict[str, Any]:
    """The part of a result that scripts rely on, as `schema.JSON_OBJECTS["evaluate"]`."""
    from intent import schema

    return {key: result[key] for key in schema.JSON_OBJECTS["evaluate"]}


def scores_of(model: Recogniser, X: Trajectories, truth: list[str]) -> dict[str, Any]:
    """Scores of a fitted recogniser; play of a class that it does not know counts as missed."""
    import numpy as np

    from intent.recognise.scores import score_table

    classes = [str(c) for c in model.classes_]
    index = {name: k for k, name in enumerate(classes)}
    codes: NDArray[np.intp] = np.array([index.get(name, -1) for name in truth], dtype=np.intp)
    return score_table(model.predict_proba(X), codes, classes)
