"""Reading the tables of a log out of a folder or zip, whatever the members are."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pandas as pd

from intent.errors import DataError, of_file
from intent.files.archive import Archive, list_members, read_member
from intent.logs.gamelog import GameLog
from intent.logs.stores.layout import FACTS, TABLE_NAMES, load_facts, rebuild

__all__ = ["read_tables"]


def read_tables(
    path: str | Path, suffix: str, load: Callable[[Path | Archive, str, dict[str, Any]], pd.DataFrame]
) -> GameLog:
    """A log from a folder or zip of one member per table.

    Parameters
    ----------
    path : folder or zip
    suffix : str, such as ``".csv"``
    load : called with folder or archive, name of the member and stored types of its columns

    Raises
    ------
    DataError
        A member is missing, damaged, or contradicts the others; the message names the path.
    LimitError
        A member is larger than the bound that protects memory.
    """
    source = Path(path)
    try:
        if source.is_dir():
            return _tables(source, list_members(source), suffix, load)
        with Archive(source) as archive:
            return _tables(archive, archive.names, suffix, load)
    except DataError as error:
        raise of_file(source, error) from None


def _tables(
    source: Path | Archive,
    present: Collection[str],
    suffix: str,
    load: Callable[[Path | Archive, str, dict[str, Any]], pd.DataFrame],
) -> GameLog:
    if isinstance(source, Archive):
        facts = load_facts(source.read(FACTS, bound="object_bytes"))
    else:
        facts = load_facts(read_member(source, FACTS, bound="object_bytes"))
    tables = {
        name: load(source, name + suffix, facts["columns"].get(name, {}))
        for name in TABLE_NAMES
        if name + suffix in present
    }
    return rebuild(tables, facts)
