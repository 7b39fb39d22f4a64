"""Ragged sequences without holes: what is known of each row, moved to its left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["packed"]


def packed(codes: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
    """Known codes of each row in order, then -1.

    Parameters
    ----------
    codes : (n, T) int8, -1 where unknown

    Returns
    -------
    codes : (n, T) int8
    lengths : (n,), known codes of each row
    """
    known = codes >= 0
    lengths = known.sum(axis=1).astype(np.intp)
    if (known == (np.arange(codes.shape[1]) < lengths[:, None])).all():
        return codes, lengths
    order = np.argsort(~known, axis=1, kind="stable")
    return np.take_along_axis(codes, order, axis=1), lengths
