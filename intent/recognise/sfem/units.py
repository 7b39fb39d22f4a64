"""Subjects within groups: the units of the likelihood, their groups and clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intent.errors import DataError

__all__ = ["Units", "find_units"]


@dataclass(frozen=True, eq=False)
class Units:
    """A subject in one group; who plays in two groups is a unit in each.

    Attributes
    ----------
    of_row : (N,) unit of each trajectory, in 0 .. n - 1
    subject : (n,) codes as given
    group : (n,) in 0 .. G - 1
    cluster : (n,) in 0 .. C - 1, or None where subjects are drawn one by one
    group_codes : G codes as given, sorted
    """

    of_row: NDArray[np.intp]
    subject: NDArray[Any]
    group: NDArray[np.intp]
    cluster: NDArray[np.intp] | None
    group_codes: tuple[Any, ...]

    def rows(self, g: int) -> NDArray[np.intp]:
        """Units of group g."""
        return np.flatnonzero(self.group == g)


def find_units(n: int, subjects: ArrayLike, groups: ArrayLike | None, clusters: ArrayLike | None) -> Units:
    """Units of n trajectories.

    Raises
    ------
    DataError
        No trajectory, arrays of another length, or a subject in two clusters of one group.
    """
    if n == 0:
        raise DataError("no trajectory to estimate from, expected at least one")
    subject_codes, subject = _coded("subjects", subjects, n)
    group_codes, group = _coded("groups", np.zeros(n, dtype=np.intp) if groups is None else groups, n)
    _, first, of_row = np.unique(group * len(subject_codes) + subject, return_index=True, return_inverse=True)
    own = None
    if clusters is not None:
        _, cluster = _coded("clusters", clusters, n)
        own = cluster[first]
        if (own[of_row] != cluster).any():
            row = int(np.flatnonzero(own[of_row] != cluster)[0])
            raise DataError(
                f"subject {subject_codes[subject[row]]} is in two clusters, expected each subject in one"
            )
    codes = tuple(code.item() if hasattr(code, "item") else code for code in group_codes)
    return Units(of_row.reshape(-1), subject_codes[subject[first]], group[first], own, codes)


def _coded(name: str, values: ArrayLike, n: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    given = np.asarray(values)
    if given.shape != (n,):
        raise DataError(f"{name} have shape {given.shape}, expected ({n},)")
    codes, inverse = np.unique(given, return_inverse=True)
    return codes, inverse.reshape(-1)
