"""Reading the tables of a log out of a folder or zip, whatever the members are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from intent.errors import DataError, LimitError, located
from intent.logs.gamelog import GameLog
from intent.logs.stores.layout import FACTS, TABLE_NAMES, load_facts, rebuild
from intent.logs.stores.members import list_members, read_member

__all__ = ["read_tables"]

_LARGEST_FACTS = 64 * 1024**2


def read_tables(
    path: str | Path, suffix: str, load: Callable[[Path, str, dict[str, Any]], pd.DataFrame]
) -> GameLog:
    """A log from a folder or zip of one member per table.

    Parameters
    ----------
    path : folder or zip
    suffix : str, such as ``".csv"``
    load : called with path, name of the member and stored types of its columns

    Raises
    ------
    DataError
        A member is missing, damaged, or contradicts the others; the message names the path.
    LimitError
        A member is larger than the bound that protects memory.
    """
    source = Path(path)
    present = list_members(source)
    try:
        facts = load_facts(read_member(source, FACTS, limit=_LARGEST_FACTS))
        tables = {
            name: load(source, name + suffix, facts["columns"].get(name, {}))
            for name in TABLE_NAMES
            if name + suffix in present
        }
        return rebuild(tables, facts)
    except LimitError:
        raise
    except DataError as error:
        text = str(error)
        raise DataError(text if text.startswith(f"{source.name}:") else located(source, text)) from None
