"""The rows of a long table under our names, each cell read as what its column is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from intent import schema
from intent.errors import DataError
from intent.files.bounds import bounds
from intent.logs.readers.actions import NULLS, absent, settle
from intent.logs.readers.cells import texts, truths, typed, whole_numbers
from intent.logs.readers.reader import Settings
from intent.logs.readers.tidy_table import TidyTable
from intent.logs.rejects import Rejects
from intent.logs.tables import TEXT

__all__ = ["typed_rows"]

_KINDS = {c.name: c.kind for c in (*schema.GAMES, *schema.SEATS, *schema.MOVES)} | {"decided": "string"}
_REQUIRED = ("round", "seat", "step")


class _Wrong(dict[int, str]):
    """Row -> the first thing that is wrong with it."""

    def __init__(self, rejects: Rejects) -> None:
        super().__init__()
        self.rejects = rejects

    def mark(self, table: TidyTable, column: str, bad: Any, wanted: str) -> None:
        found = np.flatnonzero(np.asarray(bad, dtype=bool))
        self.rejects.expect(len(found))
        for row in found.tolist():
            self.setdefault(row, f"{column} is {table.columns[column][row].as_py()!r}, expected {wanted}")


def typed_rows(
    table: TidyTable, columns: dict[str, str], settings: Settings, rejects: Rejects, notes: list[str]
) -> tuple[pd.DataFrame, Settings]:
    """Mapped columns by our names, others with a leading ``+``; rows with unreadable cells are rejected.

    Parameters
    ----------
    table : TidyTable
    columns : dict of ours -> theirs
    settings : Settings
    rejects : Rejects
    notes : list of str
        Gets what a reader of the log should know.

    Returns
    -------
    DataFrame, and the settings with both actions where the user names both

    Raises
    ------
    DataError
        No row has a move.
    UsageError
        As `actions.settle`.
    """
    wrong = _Wrong(rejects)
    data: dict[str, Any] = {
        ours: _column(table, ours, theirs, wrong, named="player" in columns)
        for ours, theirs in columns.items()
    }
    rows = pd.DataFrame(data, index=range(len(table)))
    if "action" not in rows:
        rows["action"] = pd.Series(None, index=rows.index, dtype=TEXT)
    for ours, highest in (("round", bounds().rounds), ("step", bounds().rounds), ("seat", bounds().seats)):
        if ours in rows:
            if _from_zero(rows[ours]):
                rows[ours] += 1
                notes.append(f"{ours}s are numbered from 0 in the file and from 1 here")
            wrong.mark(table, columns[ours], _outside(rows[ours], highest), f"1 to {highest}")
    settings = _read_actions(rows, table, columns, settings, notes, wrong)
    if "implementation_error" in rows:
        error = rows["implementation_error"]
        stray = error.notna() & ~error.between(0, 0.5, inclusive="left")
        wrong.mark(table, columns["implementation_error"], stray, "a probability below .5")
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
    return rows.drop(index=list(wrong)), settings


def _read_actions(
    rows: pd.DataFrame,
    table: TidyTable,
    columns: dict[str, str],
    settings: Settings,
    notes: list[str],
    wrong: _Wrong,
) -> Settings:
    """Empty the cells that stand for no move, and mark rows with a third action where the user names two."""
    actions = [name for name in ("action", "other", "decided") if name in rows]
    told = []
    if "cooperative_action" in rows:
        given = rows["cooperative_action"]
        rows["cooperative_action"] = given.mask(given.str.casefold().isin(NULLS))
        told = rows["cooperative_action"].dropna().unique().tolist()
    words = pd.concat([rows[name] for name in actions]).value_counts()
    gone = absent(words.index.tolist(), settings.cooperate, told)
    labels = [word for word in words.index if word not in gone]
    silent = rows["action"].isin(gone).eq(rows["action"].notna()).all()
    if (not labels or silent) and ("value" not in rows or rows["value"].isna().all()):
        raise DataError(f"no move in column {columns.get('action', 'value')}")
    settings = settle(settings, labels)
    if gone:
        listed = ", ".join(f"{word} ({words[word]:,})" for word in gone)
        notes.append(f"read as missing moves: {listed}")
    for name in actions:
        rows[name] = rows[name].mask(rows[name].isin(gone))
        if settings.defect is not None:
            pair = [settings.cooperate, settings.defect]
            stray = rows[name].notna() & ~rows[name].isin(pair)
            wrong.mark(table, columns[name], stray, f"{pair[0]} or {pair[1]}")
    return settings


def _from_zero(numbers: pd.Series[int]) -> bool:
    """Whether zeros are no slips: they come about as often as ones, or alone."""
    zeros, ones = int(numbers.eq(0).sum()), int(numbers.eq(1).sum())
    return 0 < ones <= 2 * zeros or 0 < zeros == int(numbers.notna().sum())


def _outside(numbers: pd.Series[int], highest: int) -> Any:
    return ~numbers.between(1, highest).fillna(True)


def _column(table: TidyTable, ours: str, theirs: str, wrong: _Wrong, *, named: bool) -> pd.Series[Any]:
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
        strange = given[bad].dropna() if ours == "seat" and not named else given[:0]
        names = len(strange) and pd.to_numeric(strange, errors="coerce").isna().all()
        hint = f" (names of players: --map player={theirs})" if names else ""
        wrong.mark(table, theirs, bad, f"a whole number{hint}")
        return pd.Series(pd.arrays.IntegerArray(number, missing))
    amount = pd.to_numeric(given, errors="coerce").astype("float64")
    wrong.mark(table, theirs, given.notna() & ~np.isfinite(amount), "a number")
    return amount
