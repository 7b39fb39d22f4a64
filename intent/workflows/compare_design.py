"""What the design of an experiment lets a comparison say: blocks to compare within, confounds to name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from intent.errors import UnknownNameError, UsageError
from intent.workflows.columns import column_names

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.analysis.comparison import Within

__all__ = ["blocks_of", "confounds_of"]


def blocks_of(
    table: pd.DataFrame,
    factors: Sequence[str],
    within: str | Sequence[str],
    clusters: NDArray[np.intp],
) -> tuple[dict[str, NDArray[np.intp]], tuple[Within, ...]]:
    """The blocks within which each factor, and all together, are compared.

    Parameters
    ----------
    table : DataFrame
    factors : columns that make the groups
    within : "auto", "none", or columns
        ``auto``: all columns of the design that vary, apart from the factor and from columns that follow
        from it or that it follows from, at equal values of which it could not be compared.
    clusters : (n,) int
        Rows of one block also lie in clusters that are alike: the other seat of the game has the same
        persona, model, ... too.

    Returns
    -------
    blocks : mapping of factor -> (n,) int; without factors that no block holds two values of
    within : what they are

    Raises
    ------
    UnknownNameError
        No such column.
    UsageError
        Columns beside ``auto`` or ``none``.
    """
    import numpy as np

    from intent.analysis.blocks import block_codes, block_sets, informative_rows
    from intent.analysis.comparison import Within
    from intent.analysis.design_columns import design_columns, determines

    names = column_names(within, table.columns)
    if names == ("none",) or not names or not factors:
        return {}, ()
    if {"auto", "none"} & set(names) and len(names) > 1:
        raise UsageError(f"--within {','.join(names)}, expected columns, or auto or none alone")
    for name in names:
        if name != "auto" and name not in table.columns:
            raise UnknownNameError("column", name, ["auto", "none", *map(str, table.columns)])
    columns = design_columns(table) if names == ("auto",) else list(names)
    blocks, told = {}, []
    for by in [*((f,) for f in factors), *([tuple(factors)] if len(factors) > 1 else [])]:
        own = [
            c
            for c in columns
            if not any(c == f or determines(table, c, f) or determines(table, f, c) for f in by)
        ]
        if not own:
            continue
        codes = block_codes(table, own)
        sets = block_sets(clusters, codes)
        codes = np.unique(codes * (int(sets.max()) + 1) + sets, return_inverse=True)[1]
        informative = int(informative_rows(block_codes(table, by), codes).sum())
        if informative:
            factor = ",".join(by)
            blocks[factor] = codes
            told.append(Within(factor, _needed(table, own), int(codes.max()) + 1, informative))
    return blocks, tuple(told)


def confounds_of(table: pd.DataFrame, factors: Sequence[str]) -> list[str]:
    """What a reader must know of the design, in sentences: factors that go together, cells without play."""
    from intent.analysis.confounds import confounds, missing_cells, one_sided
    from intent.analysis.design_columns import design_columns

    if not factors:
        return []
    columns = [c for c in design_columns(table) if c == "seat" or not _names_seats(table, c)]
    found = confounds(table, factors, [c for c in columns if c not in factors])
    lines = [str(one) for one in found]
    tied = {frozenset((one.factor, one.other)) for one in found if one.kind != "associated"}
    if len(factors) > 1 and not any(frozenset(p) <= set(factors) for p in tied):
        cells = missing_cells(table, factors)
        lines += [str(cells)] if cells.missing or cells.unbalanced else []
    for column in [c for c in dict.fromkeys([*factors, *columns]) if c != "seat"]:
        pairs = one_sided(table, column)
        if pairs and {"seat", column} & set(factors):
            a, b = pairs[0]
            more = f" (nor {len(pairs) - 1} more such pairs)" if len(pairs) > 1 else ""
            lines.append(
                f"no game has {column} {a} in seat 1 against {b} in seat 2{more}: "
                f"there seat and {column} cannot be told apart"
            )
    return lines


def _names_seats(table: pd.DataFrame, column: str) -> bool:
    """Whether a column is another name of the seat."""
    from intent.analysis.design_columns import determines

    both = {"seat", column} <= set(table.columns)
    return both and determines(table, "seat", column) and determines(table, column, "seat")


def _needed(table: pd.DataFrame, columns: Sequence[str]) -> tuple[str, ...]:
    """Columns that make the blocks, without those that follow from one of the others."""
    from intent.analysis.design_columns import determines

    kept: list[str] = []
    for i, name in enumerate(columns):
        earlier = any(determines(table, other, name) for other in kept)
        later = any(
            determines(table, other, name) and not determines(table, name, other)
            for other in columns[i + 1 :]
        )
        if not (earlier or later):
            kept.append(name)
    return tuple(kept)
