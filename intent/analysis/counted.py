"""Estimated shares beside counted ones: a mixture fitted to play, and the labels of the same play counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from intent.recognise.sfem.result import MixtureFit

__all__ = ["Counted", "GroupShares", "count_labels"]


@dataclass(frozen=True)
class Counted:
    """What counting labels gives, as shares of all labelled trajectories.

    Parameters
    ----------
    n : int, labelled trajectories
    best : mapping of strategy -> share of which it is the most probable one (ties go to the first)
    confident : mapping of strategy -> share that is labelled with it, the label being confident
    """

    n: int
    best: dict[str, float]
    confident: dict[str, float]


@dataclass(frozen=True, eq=False)
class GroupShares:
    """One group of a mixture estimate.

    Parameters
    ----------
    values : the group's value of each factor
    fit : MixtureFit
    counted : Counted, or None where nothing was counted
    """

    values: tuple[Any, ...]
    fit: MixtureFit
    counted: Counted | None = None


def count_labels(best: Sequence[str] | NDArray[Any], confident: NDArray[np.bool_]) -> Counted:
    """Count labels.

    Parameters
    ----------
    best : (n,) most probable strategy of each trajectory
    confident : (n,) whether its label is confident

    Examples
    --------
    >>> count_labels(["TFT", "TFT", "ALLD", "ALLC"], np.array([True, False, True, False])).confident
    {'ALLC': 0.0, 'ALLD': 0.25, 'TFT': 0.25}
    """
    names, codes = np.unique(np.asarray(best, dtype=str), return_inverse=True)
    n = max(len(codes), 1)
    shares = np.bincount(codes, minlength=len(names)) / n
    sure = np.bincount(codes, weights=confident, minlength=len(names)) / n
    known = [str(name) for name in names]
    return Counted(
        len(codes),
        dict(zip(known, shares.tolist(), strict=True)),
        dict(zip(known, sure.tolist(), strict=True)),
    )
