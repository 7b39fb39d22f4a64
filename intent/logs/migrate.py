"""Old layouts of the game log, brought up to date when they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import pandas as pd

from intent import schema
from intent.errors import DataError, shorten

__all__ = ["MIGRATIONS", "Tables", "migrate"]

Tables: TypeAlias = dict[str, pd.DataFrame]

MIGRATIONS: dict[int, Callable[[Tables], Tables]] = {}
"""Version -> function from the tables of that version to those of the next. A change of
`schema.SCHEMA_VERSION` adds the row for the version that it leaves behind."""


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
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise DataError(
            f"schema version {shorten(repr(version))}, expected a whole number from 1 to {current}"
        )
    if version > current:
        raise DataError(
            f"schema version {version}, but this release reads up to {current}: update strategy-intent"
        )
    for step in range(version, current):
        if step not in migrations:
            raise DataError(f"schema version {version} can no longer be read: no migration from {step}")
        tables = migrations[step](tables)
    return tables
