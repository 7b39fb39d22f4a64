"""An oTree export as a long table per app: a row per participant and round, columns as in an app's export.

References
----------
Chen, Schonger & Wickens 2016, oTree: An open-source platform for laboratory, online, and field experiments,
Journal of Behavioral and Experimental Finance 9, 88-97.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from intent.errors import DataError, located
from intent.files.bounds import beyond, bounds
from intent.logs.readers.cells import texts
from intent.logs.readers.reader import Source
from intent.logs.readers.tidy_table import TidyTable

__all__ = ["LINE", "ROUND", "app_tables", "is_export"]

ROUND = "subsession.round_number"
LINE = "line"
"""Column of the row of the export that a row comes from."""

_PERSON = "participant.code"
_WIDE = re.compile(r"(?P<app>[^.]+)\.(?P<round>[1-9]\d{0,5})\.(?P<field>(?:player|group|subsession)\..+)")
_STAMP = re.compile(r"[_ -]\d{4}-\d\d-\d\d.*|[_ ]?\(\d+\)\Z")


def is_export(columns: Iterable[str]) -> bool:
    """Whether columns are those of an oTree export, of all apps or of one."""
    names = set(columns)
    return _PERSON in names and any(name.endswith("player.id_in_group") for name in names)


_SEATED = "player.id_in_group"


def app_tables(source: Source, table: TidyTable) -> dict[str, pd.DataFrame]:
    """App -> its long table, texts all, null where empty.

    Of an export of all apps, columns ``<app>.<round>.player.<field>`` become rows; a round that a
    session does not have gives none. An export of one app is long already, its name that of the file.

    Parameters
    ----------
    source : Source
    table : TidyTable

    Returns
    -------
    dict of app -> DataFrame
        Columns ``participant.…``, ``session.…``, ``player.…``, ``group.…``, ``subsession.…`` and `LINE`.

    Raises
    ------
    DataError
        The columns are not those of an export.
    LimitError
        More cells than memory should hold.
    """
    if not is_export(table.columns):
        wanted = f"{_PERSON} and player.id_in_group, or <app>.<round>.player.id_in_group"
        raise DataError(located(source.path, f"no export of oTree, expected columns {wanted}"))
    if "player.id_in_group" in table.columns:
        return {_STAMP.sub("", source.stem) or source.stem: _frame(table.columns, range(len(table)))}
    wide: dict[str, dict[int, dict[str, str]]] = {}
    shared = {}
    for name, column in table.columns.items():
        found = _WIDE.fullmatch(name)
        if found:
            rounds = wide.setdefault(found["app"], {})
            rounds.setdefault(int(found["round"]), {})[found["field"]] = name
        elif name.startswith(("participant.", "session.")):
            shared[name] = column
    cells = sum(len(rounds) for rounds in wide.values()) * len(table) * (len(shared) + 8)
    if cells > bounds().cells:
        raise beyond(source.path, f"{cells:,} cells", "cells")
    return {app: _long(table, shared, rounds) for app, rounds in wide.items()}


def _long(
    table: TidyTable, shared: Mapping[str, pa.Array], rounds: Mapping[int, Mapping[str, str]]
) -> pd.DataFrame:
    """The rounds of an app below each other, of people who were in them."""
    names = [f for _, fields in sorted(rounds.items()) if _SEATED in fields for f in fields]
    parts: dict[str, list[pa.Array]] = {name: [] for name in (*shared, *names)}
    numbers: list[pa.Array] = []
    lines: list[pa.Array] = []
    for number, fields in sorted(rounds.items()):
        if _SEATED not in fields:
            continue
        there = pc.indices_nonzero(pc.not_equal(pc.utf8_trim_whitespace(table.columns[fields[_SEATED]]), ""))
        for name, pieces in parts.items():
            column = shared[name] if name in shared else table.columns.get(fields.get(name, ""))
            pieces.append(pa.nulls(len(there), pa.string()) if column is None else column.take(there))
        numbers.append(pa.repeat(str(number), len(there)))
        lines.append(there)
    if not numbers:
        return pd.DataFrame()
    frame = _frame({name: pa.concat_arrays(pieces) for name, pieces in parts.items()},
                   pa.concat_arrays(lines).to_pylist())  # fmt: skip
    return frame.assign(**{ROUND: texts(pa.concat_arrays(numbers))})


def _frame(columns: Mapping[str, pa.Array], lines: Iterable[int]) -> pd.DataFrame:
    return pd.DataFrame({name: texts(column) for name, column in columns.items()}).assign(
        **{LINE: list(lines)}
    )
