"""Which columns of a table of results say how its games were set up."""

from __future__ import annotations

from typing import Any

import pandas as pd

from intent import schema
from intent.analysis.blocks import block_codes
from intent.analysis.groups import MAX_GROUPS

__all__ = ["design_columns", "determines"]

_SET_UP = {"game", "payoffs", "payoff_kind", "rounds_planned", "horizon_known", "language", "n_players"} | {
    "seat",
    "model",
    "persona",
    "architecture",
    "attitude",
}
"""Columns of the codebook that a designer of an experiment chooses."""

_NOT_CHOSEN = {"game_id", "source", "repetition", "run", "player", "focal", "rounds_played", "strategy"}
"""What tells games apart, and the truth behind scripted play, at equal values of which nothing is left."""

_RESULTS = {
    column.name
    for name in ("labels", "metrics")
    for column in schema.RESULT_TABLES[name]
    if column.name not in _SET_UP | _NOT_CHOSEN
}


def design_columns(table: pd.DataFrame) -> list[str]:
    """Columns that vary and were set before play: model, persona, language, seat, conditions.

    In tables of labels and metrics these are the columns before the first result; of any other table only
    those that the codebook knows, since the others may be results. Left out are names of games (columns
    that end with ``_id``), what tells repeats apart, numbers with a decimal part, and columns of more than
    50 values.

    Parameters
    ----------
    table : DataFrame
    """
    columns = [str(name) for name in table.columns]
    first = next((i for i, name in enumerate(columns) if name in _RESULTS), None)
    described = (
        columns if first is None else [*columns[:first], *(c for c in columns[first:] if c in _SET_UP)]
    )
    found = []
    for name in described:
        if name in _NOT_CHOSEN or name.endswith("_id") or (first is None and name not in _SET_UP):
            continue
        if _is_category(table[name]) and 1 < _levels(table, name) <= MAX_GROUPS:
            found.append(name)
    return found


def determines(table: pd.DataFrame, one: str, other: str) -> bool:
    """Whether the value of one column tells that of another in every row."""
    both = block_codes(table, [one, other])
    return _levels(table, one) == int(both.max(initial=-1)) + 1


def _levels(table: pd.DataFrame, name: str) -> int:
    return int(block_codes(table, [name]).max(initial=-1)) + 1


def _is_category(column: pd.Series[Any]) -> bool:
    """Whether the values are names, truth values or whole numbers."""
    if not pd.api.types.is_float_dtype(column.dtype):
        return True
    known = column.dropna()
    return bool((known == known.round()).all())
