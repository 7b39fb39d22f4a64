"""Which trajectories are the same play: numbers that tell plays apart, and one row of each."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories

__all__ = ["PER_KEY", "distinct", "play_keys"]

PER_KEY = 16
"""Rounds that one number holds, four bits each."""

_BITS = 64


def play_keys(X: Trajectories) -> NDArray[np.uint64]:
    """Numbers that are equal exactly where own moves, other's moves, evidence and decisions are.

    A round is one of 15 symbols: own move unknown, D or C as evidence, D or C that is none; times the other's
    move unknown, D or C. Where decisions were not always played, further columns say in which rounds; where
    an implementation error is reckoned with, a last one says how large it is.

    Parameters
    ----------
    X : Trajectories of shape (n, T)

    Returns
    -------
    (n, ceil(T / 16)) uint64, at least one column; more where there are implementation errors
    """
    n, rounds = X.shape
    own = (X.own + np.int8(1)).view(np.uint8)
    if X.evidence_mask is not None:
        own = np.where((X.own >= 0) & ~X.evidence_mask, own + np.uint8(2), own)
    symbols = own * np.uint8(3) + (X.other + np.int8(1)).view(np.uint8)
    keys = np.zeros((n, max(1, -(-rounds // PER_KEY))), dtype=np.uint64)
    for t in range(rounds):
        column = keys[:, t // PER_KEY]
        column <<= np.uint64(4)
        column |= symbols[:, t]
    more = []
    if X.decided is not None:
        flips = np.zeros((n, -(-rounds // _BITS)), dtype=np.uint64)
        for t in range(rounds):
            column = flips[:, t // _BITS]
            column <<= np.uint64(1)
            column |= (X.decided[:, t] != X.own[:, t]).astype(np.uint64)
        more.append(flips)
    if X.implementation_error is not None:
        errors = np.ascontiguousarray(X.implementation_error + 0.0)
        more.append(errors.view(np.uint64)[:, None])
    return np.concatenate([keys, *more], axis=1) if more else keys


def distinct(keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First row of each distinct one, and which of these each row is.

    Parameters
    ----------
    keys : (n, W) uint64

    Returns
    -------
    first : (d,) intp, ascending
    codes : (n,) intp
    """
    codes = pd.factorize(keys[:, 0])[0]
    for j in range(1, keys.shape[1]):
        more, found = pd.factorize(keys[:, j])
        codes = pd.factorize(codes * max(len(found), 1) + more)[0]
    first = np.flatnonzero(~pd.Series(codes).duplicated().to_numpy())
    return first, codes
