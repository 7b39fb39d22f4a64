"""Corrections of p-values for several tests made together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["benjamini_hochberg", "holm"]


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down correction of m p-values.

    Sorted upwards, p_(i) becomes the largest of (m - j + 1) p_(j) over j <= i, at most 1.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6:65.
    """
    values = np.asarray(p, dtype=float)
    order = np.argsort(values, kind="stable")
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)))
    return [float(value) for value in adjusted]


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's step-up correction of m p-values, of the false discovery rate.

    Sorted upwards, p_(i) becomes the smallest of m p_(j) / j over j >= i, at most 1.

    References
    ----------
    Benjamini & Hochberg (1995), Journal of the Royal Statistical Society B 57:289.
    """
    values = np.asarray(p, dtype=float)
    order = np.argsort(values, kind="stable")
    scaled = values[order] * len(values) / np.arange(1, len(values) + 1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return [float(value) for value in adjusted]
