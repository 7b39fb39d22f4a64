"""The design of a regression: main effects and interactions of categorical factors, aliased columns named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.groups import grouping
from intent.errors import UsageError

__all__ = ["INTERCEPT", "Design", "DesignColumn", "design"]

INTERCEPT = "(intercept)"

_ALIASED = 1e-8
"""A column is determined by earlier ones if its part outside them is shorter than this, of its own length."""

Floats = NDArray[np.float64]
Cell = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class DesignColumn:
    """One column: 1 where each factor named has the level named.

    Attributes
    ----------
    term : str
        The factor, or factors joined by a cross; `INTERCEPT` for the constant.
    name : str
        ``model = B × language = fr``.
    cell : tuple of (factor, level)
        Places of both.
    """

    term: str
    name: str
    cell: Cell


@dataclass(frozen=True, eq=False)
class Design:
    """A design of full rank, with what had to be left out of it.

    Attributes
    ----------
    factors : tuple of str
    levels : tuple of tuples
        Values of each factor; the first is the reference.
    codes : (n, f) int
        Level of each factor in each row.
    columns : tuple of p DesignColumn
    aliased : mapping of column name -> columns that determine it
    terms : tuple of str
        All that were asked for, also those without a column left.
    """

    factors: tuple[str, ...]
    levels: tuple[tuple[Any, ...], ...]
    codes: NDArray[np.intp]
    columns: tuple[DesignColumn, ...]
    aliased: dict[str, tuple[str, ...]]
    terms: tuple[str, ...]

    def matrix(self, codes: NDArray[np.intp] | None = None) -> Floats:
        """(n, p) float, of the rows' own codes or of others."""
        return _matrix(self.codes if codes is None else codes, self.columns)

    def places(self, term: str) -> NDArray[np.intp]:
        """Columns of a term."""
        return np.array([i for i, c in enumerate(self.columns) if c.term == term], dtype=np.intp)


def design(table: pd.DataFrame, factors: Sequence[str], interactions: Sequence[Sequence[str]] = ()) -> Design:
    """Treatment coding: a column per level but the first, and products of them for interactions.

    A column that earlier ones determine (persona, where seat decides it; a combination that was never
    played) is left out and named with them.

    Parameters
    ----------
    table : DataFrame
    factors : sequence of str
    interactions : sequence of sequences of factors

    Raises
    ------
    UnknownNameError, UsageError
        As `grouping`; no factors, or an interaction of something else than two or more factors.
    """
    if not factors:
        raise UsageError("a regression without factors, expected columns to group by")
    for chosen in interactions:
        if len(set(chosen)) < 2 or not set(chosen) <= set(factors):
            raise UsageError(
                f"interaction {' × '.join(chosen)!r}, expected two or more of {', '.join(factors)}"
            )
    parts = [grouping(table, [factor]) for factor in factors]
    levels = tuple(tuple(value[0] for value in part.values) for part in parts)
    codes = np.stack([part.codes for part in parts], axis=1)
    wanted = [DesignColumn(INTERCEPT, INTERCEPT, ())]
    chosen_terms = [*((factor,) for factor in factors), *map(tuple, interactions)]
    for term in chosen_terms:
        places = [list(factors).index(factor) for factor in term]
        for combination in product(*(range(1, len(levels[place])) for place in places)):
            cell = tuple(zip(places, combination, strict=True))
            name = " × ".join(f"{factors[place]} = {levels[place][level]}" for place, level in cell)
            wanted.append(DesignColumn(" × ".join(term), name, cell))
    cells, counts = np.unique(codes, axis=0, return_counts=True)
    kept, aliased = _independent(_matrix(cells, wanted) * np.sqrt(counts)[:, None], wanted)
    terms = tuple(" × ".join(term) for term in chosen_terms)
    return Design(tuple(factors), levels, codes, kept, aliased, terms)


def _matrix(codes: NDArray[np.intp], columns: Sequence[DesignColumn]) -> Floats:
    found = np.ones((len(codes), len(columns)))
    for i, column in enumerate(columns):
        for place, level in column.cell:
            found[:, i] *= codes[:, place] == level
    return found


def _independent(
    matrix: Floats, columns: Sequence[DesignColumn]
) -> tuple[tuple[DesignColumn, ...], dict[str, tuple[str, ...]]]:
    """Columns in order, without those that lie in the span of earlier ones (modified Gram-Schmidt)."""
    basis: list[Floats] = []
    kept: list[int] = []
    aliased: dict[str, tuple[str, ...]] = {}
    for i, column in enumerate(columns):
        own = matrix[:, i]
        rest = own.copy()
        for _ in range(2):
            for direction in basis:
                rest -= direction * (direction @ rest)
        length = float(np.linalg.norm(rest))
        if length > _ALIASED * max(float(np.linalg.norm(own)), 1e-300):
            basis.append(rest / length)
            kept.append(i)
            continue
        weights = np.linalg.lstsq(matrix[:, kept], own, rcond=None)[0]
        why = [columns[j].name for j, w in zip(kept, weights, strict=True) if abs(w) > 1e-6]
        aliased[column.name] = tuple(name for name in why if name != INTERCEPT)
    return tuple(columns[i] for i in kept), aliased
