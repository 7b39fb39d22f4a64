"""Old layouts of the game log, brought up to date when they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import pandas as pd

from intent import schema
from intent.errors import DataError, shorten

__all__ = ["ALIKE", "MIGRATIONS", "Tables", "check_version", "migrate"]

Tables: TypeAlias = dict[str, pd.DataFrame]


def _as_it_is(tables: Tables) -> Tables:
    """Version 1 knew no decisions beside what was played: without the column they are what was played."""
    return tables


MIGRATIONS: dict[int, Callable[[Tables], Tables]] = {1: _as_it_is}
"""Version -> function from the tables of that version to those of the next. A change of
`schema.SCHEMA_VERSION` adds the row for the version that it leaves behind."""


ALIKE = (1, schema.SCHEMA_VERSION)
"""Versions whose tables are those of today, but for columns that may be absent: they can be read in parts."""


def check_version(version: object, current: int = schema.SCHEMA_VERSION) -> int:
    """The version of a stored layout, once it is sure that this release can read it.

    Raises
    ------
    DataError
        No version, or a newer one than ours.
    """
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise DataError(
            f"schema version {shorten(repr(version))}, expected a whole number from 1 to {current}"
        )
    if version > current:
        raise DataError(
            f"schema version {version}, but this release reads up to {current}: update strategy-intent"
        )
    return version


def migrate(
    tables: Tables,
    version: object,
    *,
    migrations: Mapping[int, Callable[[Tables], Tables]] = MIGRATIONS,
    current: int = schema.SCHEMA_VERSION,
) -> Tables:
    """The tables in today's layout.

    Raises
    ------
    DataError
        No version, a newer one than ours, or one that nothing leads on from.
    """
    for step in range(check_version(version, current), current):
        if step not in migrations:
            raise DataError(f"schema version {version} can no longer be read: no migration from {step}")
        tables = migrations[step](tables)
    return tables
