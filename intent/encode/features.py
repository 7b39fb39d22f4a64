"""Feature matrices for classifiers that want a fixed number of columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from intent.encode.contexts import N_SYMBOLS, SYMBOLS, symbols
from intent.errors import UnknownNameError
from intent.logs.trajectories import Trajectories

__all__ = ["ENCODINGS", "encode", "feature_names"]

Features = NDArray[np.float32]


def _moves(X: Trajectories) -> Features:
    """One-hot of own and other moves per round: own C, own D, other C, other D (n, 4T)."""
    planes = [X.evidence & (X.decisions == 1), X.evidence & (X.decisions == 0), X.other == 1, X.other == 0]
    n, horizon = X.shape
    out = np.zeros((n, 4 * horizon), dtype=np.float32)
    for i, plane in enumerate(planes):
        out[:, i::4] = plane
    return out


def _outcomes(X: Trajectories) -> Features:
    """One-hot of the state-action symbol per round (n, 14T)."""
    n, horizon = X.shape
    found = symbols(X)
    out = np.zeros((n, N_SYMBOLS * horizon), dtype=np.float32)
    for s in range(N_SYMBOLS):
        out[:, s::N_SYMBOLS] = found == s
    return out


def _counts(X: Trajectories) -> Features:
    """How often each state-action symbol occurs (n, 14), whatever the length."""
    found = symbols(X)
    return np.stack([(found == s).sum(axis=1) for s in range(N_SYMBOLS)], axis=1).astype(np.float32)


ENCODINGS: dict[str, Callable[[Trajectories], Features]] = {
    "moves": _moves,
    "outcomes": _outcomes,
    "counts": _counts,
}
"""Name -> encoder. ``moves`` and ``outcomes`` have columns per round, ``counts`` fits any length."""


def encode(X: Trajectories, encoding: str, rounds: int | None = None) -> Features:
    """Feature matrix of an encoding.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    encoding : key of `ENCODINGS`
    rounds : int, optional
        Number of rounds of the columns of an encoding that has columns per round; further rounds are
        cut off, missing ones are zero. Default: T.

    Raises
    ------
    UnknownNameError
        No such encoding.
    """
    if encoding not in ENCODINGS:
        raise UnknownNameError("encoding", encoding, ENCODINGS)
    if rounds is None or encoding == "counts" or rounds == X.shape[1]:
        return ENCODINGS[encoding](X)
    if rounds < X.shape[1]:
        return ENCODINGS[encoding](X.truncated(rounds))
    features = ENCODINGS[encoding](X)
    per_round = 4 if encoding == "moves" else N_SYMBOLS
    return np.pad(features, ((0, 0), (0, (rounds - X.shape[1]) * per_round)))


def feature_names(encoding: str, rounds: int) -> list[str]:
    """Names of the columns that `encode` makes."""
    if encoding == "counts":
        return [f"count of {s}" for s in SYMBOLS]
    parts = ("own C", "own D", "other C", "other D") if encoding == "moves" else SYMBOLS
    return [f"round {t + 1}: {part}" for t in range(rounds) for part in parts]
