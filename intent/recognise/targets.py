"""The classes that a recogniser learns from, checked and coded."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import RecogniserError
from intent.recognise.base import ordered_classes

__all__ = ["class_codes"]


def class_codes(y: ArrayLike | None, n: int, who: str) -> tuple[NDArray[np.str_], NDArray[np.intp]]:
    """The distinct classes (K,) in their order, and the class (n,) of each trajectory as an index.

    Parameters
    ----------
    y : (n,) names
    n : int, trajectories
    who : str, the recogniser that asks

    Raises
    ------
    RecogniserError
        No classes, fewer than two, or not one for each trajectory.
    """
    if y is None:
        raise RecogniserError(f"{who} needs classes to learn from; call fit(X, y)")
    given = np.asarray(y, dtype=object)
    if any(not isinstance(label, str | int | np.integer | np.str_) for label in given.ravel()):
        raise RecogniserError("a class is neither a name nor a number, expected one for each trajectory")
    labels = given.astype(str)
    if labels.shape != (n,):
        raise RecogniserError(f"got {labels.shape} classes for {n} trajectories")
    classes = ordered_classes(labels)
    if len(classes) < 2:
        raise RecogniserError(f"all trajectories are {classes.tolist()}, expected at least two classes")
    position = {name: k for k, name in enumerate(classes.tolist())}
    return classes, np.array([position[name] for name in labels.tolist()])
