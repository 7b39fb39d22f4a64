"""The rows of a long table under our names, each cell read as what its column is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from intent import schema
from intent.logs.limits import LIMIT_ROUND, LIMIT_SEAT
from intent.logs.readers.cells import texts, truths, typed, whole_numbers
from intent.logs.readers.tidy_table import TidyTable
from intent.logs.rejects import Rejects
from intent.logs.tables import TEXT

__all__ = ["typed_rows"]

_KINDS = {c.name: c.kind for c in (*schema.GAMES, *schema.SEATS, *schema.MOVES)}
_REQUIRED = ("round", "seat", "step")


class _Wrong(dict[int, str]):
    """Row -> the first thing that is wrong with it."""

    def mark(self, table: TidyTable, column: str, bad: Any, wanted: str) -> None:
        for row in np.flatnonzero(np.asarray(bad, dtype=bool)).tolist():
            self.setdefault(row, f"{column} is {table.columns[column][row].as_py()!r}, expected {wanted}")


def typed_rows(table: TidyTable, columns: dict[str, str], rejects: Rejects, notes: list[str]) -> pd.DataFrame:
    """Mapped columns by our names, others with a leading ``+``; rows with unreadable cells are rejected.

    Parameters
    ----------
    table : TidyTable
    columns : dict of ours -> theirs
    rejects : Rejects
    notes : list of str
        Gets what a reader of the log should know.
    """
    wrong = _Wrong()
    data = {ours: _column(table, ours, theirs, wrong) for ours, theirs in columns.items()}
    rows = pd.DataFrame(data, index=range(len(table)))
    if 0 < rows["round"].eq(1).sum() <= 2 * rows["round"].eq(0).sum() or _only_zero(rows["round"]):
        rows["round"] += 1
        notes.append("rounds are numbered from 0 in the file and from 1 here")
    wrong.mark(table, columns["round"], _outside(rows["round"], LIMIT_ROUND), f"1 to {LIMIT_ROUND}")
    if "seat" in rows:
        wrong.mark(table, columns["seat"], _outside(rows["seat"], LIMIT_SEAT), f"1 to {LIMIT_SEAT}")
    for ours, allowed in (("status", schema.MOVE_STATUSES), ("payoff_kind", ("reward", "penalty"))):
        if ours in rows:
            stray = rows[ours].notna() & ~rows[ours].isin(allowed)
            wrong.mark(table, columns[ours], stray, " or ".join(allowed))
    for row, reason in wrong.items():
        rejects.add(table.line(row), reason, table.text(row))
    mapped = set(columns.values())
    for name in table.columns:
        if name not in mapped:
            rows[f"+{name}"] = typed(table.columns[name])
    if "player" not in rows:
        rows["_anonymous"] = True
        rows["player"] = rows["seat"].astype(TEXT) if "seat" in rows else pd.Series(dtype=TEXT)
    return rows.drop(index=list(wrong))


def _only_zero(numbers: pd.Series[int]) -> bool:
    known = numbers.dropna()
    return len(known) > 0 and bool((known == 0).all())


def _outside(numbers: pd.Series[int], highest: int) -> Any:
    return ~numbers.between(1, highest).fillna(True)


def _column(table: TidyTable, ours: str, theirs: str, wrong: _Wrong) -> pd.Series[Any]:
    column = table.columns[theirs]
    kind = _KINDS.get(ours, "float" if ours == "other_payoff" else "string")
    if kind == "bool":
        values, bad = truths(column)
        wrong.mark(table, theirs, bad, "true or false")
        return values
    given = texts(column)
    if ours == "repetition" or kind not in ("int", "float"):
        return given
    if kind == "int":
        number, missing = whole_numbers(column)
        bad = missing if ours in _REQUIRED else missing & given.notna().to_numpy()
        wrong.mark(table, theirs, bad, "a whole number")
        return pd.Series(pd.arrays.IntegerArray(number, missing))
    amount = pd.to_numeric(given, errors="coerce").astype("float64")
    wrong.mark(table, theirs, given.notna() & ~np.isfinite(amount), "a number")
    return amount
