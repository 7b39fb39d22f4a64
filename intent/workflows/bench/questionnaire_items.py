"""The items of a questionnaire, from a user's file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from intent.errors import DataError

if TYPE_CHECKING:
    from intent.agents.questionnaire import Item

__all__ = ["read_items"]


def read_items(path: str | Path) -> tuple[Item, ...]:
    """The items of a file: CSV with a header, or YAML or JSON with a list, under ``items`` or bare.

    Fields are those of `intent.agents.questionnaire.Item`; ``name`` and ``text`` are needed.

    Raises
    ------
    DataError
        It cannot be read, or holds no items; says where.
    """
    from intent.agents.questionnaire import items_of
    from intent.files.bounds import bounds
    from intent.files.settings import read_document
    from intent.files.text import file_text

    source = Path(path)
    if source.suffix.casefold() != ".csv":
        rows = read_document(source, listed="items").values.get("items")
        if not isinstance(rows, list):
            raise DataError(f"{source.name}: no list of items, expected the key items")
        return items_of(rows, source.name)
    text = file_text(source, bounds().settings_bytes, "a questionnaire, which is never that long")
    try:
        return items_of(list(csv.DictReader(io.StringIO(text, newline=""), restkey="more")), source.name)
    except csv.Error as error:
        raise DataError(f"{source.name}: not readable as CSV ({error})") from None
