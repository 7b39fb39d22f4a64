"""Second rows for one player and round of a long table: rejected one by one, or a sign of a wrong reading."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from intent.errors import DataError
from intent.logs.readers.tidy_player import PLAYERS
from intent.logs.readers.tidy_table import TidyTable
from intent.logs.rejects import Rejects

__all__ = ["without_repeats"]

_MANY = 0.1
"""Share of second rows beyond which a column is looked for that tells them apart."""

_SEARCHED = 12
"""Most columns that are tried."""

_STRAY = 0.01
"""Share of second rows that a column may leave and still be said to tell the rows apart."""


def without_repeats(
    rows: pd.DataFrame, keys: Sequence[str], table: TidyTable, rejects: Rejects
) -> pd.DataFrame:
    """The rows without those that agree in all keys with an earlier one; these are rejected.

    Raises
    ------
    DataError
        So many that the table is not what it is taken for: half of the rows where no column names the
        players, or a tenth where another column tells them apart.
    """
    present = [c for c in keys if c in rows and not (c == "player" and "_anonymous" in rows)]
    repeated = rows.duplicated(present, keep="first")
    if not repeated.any():
        return rows
    if int(repeated.sum()) > _MANY * len(rows):
        _refuse(rows, present, int(repeated.sum()))
    rejects.expect(int(repeated.sum()))
    again = rows.loc[repeated, present]
    for row, which in zip(again.index.tolist(), _places(again), strict=True):
        rejects.add(table.line(row), f"a second row for {which}", table.text(row))
    return rows[~repeated]


def _places(rows: pd.DataFrame) -> list[str]:
    """The keys of each row, as ``game a, player x, round 1``."""
    parts = []
    for column in rows.columns:
        values = rows[column].astype(object)
        name = str(column).lstrip("+_")
        gone = values.isna().tolist()
        parts.append(
            ["" if no else f"{name} {value}" for no, value in zip(gone, values.tolist(), strict=True)]
        )
    return [", ".join(filter(None, row)) for row in zip(*parts, strict=True)]


def _refuse(rows: pd.DataFrame, present: list[str], n: int) -> None:
    anonymous = "_anonymous" in rows and "seat" not in present
    most = 2 * n >= len(rows)
    telling = _telling(rows, present)
    if not telling and not (anonymous and most):
        return
    named = ", ".join(c.lstrip("+_") for c in present if rows[c].notna().any())
    missing = "no column is known to be the player, and " if anonymous else ""
    what = f"{missing}{n:,} of {len(rows):,} rows are a second row for the same {named}"
    if not telling:
        raise DataError(f"{what}; no column tells them apart, expected one row per player and round")
    first = telling[0]
    keys = ("player", "by") if anonymous else ("by", "by")
    hint = f"{keys[0]}={first[0]}" if len(first) == 1 else _two(keys, first)
    others = ", ".join(name for (name,) in telling[1:4]) if len(first) == 1 else ""
    also = f" (so would {others})" if others else ""
    raise DataError(f"{what}; {' and '.join(first)} would tell them apart{also}: give --map {hint}")


def _two(keys: tuple[str, str], names: tuple[str, ...]) -> str:
    return f"{keys[0]}={names[0]},{keys[1]}={names[1]}" if keys[0] != keys[1] else f"by={'+'.join(names)}"


def _telling(rows: pd.DataFrame, present: list[str]) -> list[tuple[str, ...]]:
    """Columns, or else pairs of them, that recur and tell all but a few rows apart; likely ones first."""
    distinct = {c: rows[c].nunique() for c in rows.columns if str(c).startswith("+")}
    recurring = [c for c, count in distinct.items() if 1 < count <= len(rows) // 2][:_SEARCHED]
    for size in (1, 2):
        found = [
            tuple(sorted(columns, key=lambda c: (c[1:].casefold() not in PLAYERS, -distinct[c])))
            for columns in combinations(recurring, size)
            if rows.duplicated([*present, *columns]).sum() <= _STRAY * len(rows)
        ]
        if found:
            found.sort(key=lambda columns: columns[0][1:].casefold() not in PLAYERS)
            return [tuple(c[1:] for c in columns) for columns in found]
    return []
