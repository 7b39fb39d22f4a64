"""What a saved recogniser says of itself, checked value by value: the file may come from anyone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.encode.features import ENCODINGS, feature_names
from intent.errors import RecogniserError, shorten
from intent.files.bounds import bounds

__all__ = [
    "check_eps",
    "encoding_width",
    "plain_parameters",
    "read_classes",
    "read_probabilities",
    "read_rounds",
]

_MOST_CLASSES = 1000
_LONGEST_NAME = 200


def plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON holds them: strategies by name, anything else that is no plain value as text."""
    return {str(name): _plain(value) for name, value in parameters.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return plain_parameters(value)
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if hasattr(value, "name"):
        return value.name
    return value.tolist() if hasattr(value, "tolist") else str(value)


def read_classes(names: Any) -> NDArray[np.str_]:
    """The classes (K,) of a list of names.

    Raises
    ------
    RecogniserError
        Not a list of 1 to 1,000 different, printable names.
    """
    if not isinstance(names, Sequence) or isinstance(names, str) or not 1 <= len(names) <= _MOST_CLASSES:
        raise RecogniserError(f"classes are {shorten(names)}, expected 1 to {_MOST_CLASSES} names")
    for name in names:
        if not isinstance(name, str) or not name.isprintable() or not 1 <= len(name) <= _LONGEST_NAME:
            raise RecogniserError(f"class {shorten(repr(name))}, expected a printable name")
    if len(set(names)) < len(names):
        raise RecogniserError(f"classes {shorten(names)}, expected different names")
    return np.array(names)


def read_rounds(state: Mapping[str, Any]) -> int:
    """Rounds of the training data.

    Raises
    ------
    RecogniserError
        Not a whole number from 1 to `Bounds.rounds`.
    """
    rounds = state["rounds"]
    if type(rounds) is not int or not 1 <= rounds <= bounds().rounds:
        raise RecogniserError(
            f"rounds is {shorten(rounds)}, expected a whole number of 1 to {bounds().rounds:,}"
        )
    return rounds


def encoding_width(encoding: str, rounds: int) -> int:
    """Number of columns of an encoding of so many rounds.

    Raises
    ------
    RecogniserError
        No such encoding.
    """
    if not isinstance(encoding, str) or encoding not in ENCODINGS:
        raise RecogniserError(f"encoding is {shorten(encoding)!r}, expected one of {', '.join(ENCODINGS)}")
    one, two = (len(feature_names(encoding, n)) for n in (1, 2))
    return one + (two - one) * (rounds - 1)


def read_probabilities(values: Any, k: int) -> NDArray[np.float64]:
    """A prior as (k,) probabilities.

    Raises
    ------
    RecogniserError
        Not k finite numbers of at least zero that sum to one.
    """
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        found = np.full(1, np.nan)
    if found.shape == (k,) and (found >= 0).all() and abs(found.sum() - 1) <= 1e-6:
        return found
    got = shorten(found.tolist() if np.isfinite(found).all() else values, 200)
    raise RecogniserError(f"prior is {got}, expected {k} probabilities that sum to one")


def check_eps(eps: Any, *words: str) -> None:
    """Refuse an eps that is neither one of the words nor a number in [0, .5).

    Raises
    ------
    RecogniserError
        It is not.
    """
    is_number = isinstance(eps, int | float) and not isinstance(eps, bool)
    if eps not in words and not (is_number and 0 <= eps < 0.5):
        expected = " or ".join(("a number in [0, .5)", *map(repr, words)))
        raise RecogniserError(f"eps is {shorten(repr(eps))}, expected {expected}")
