"""The items of a questionnaire, from a user's file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from intent.errors import DataError, LimitError

if TYPE_CHECKING:
    from intent.agents.questionnaire import Item

__all__ = ["LIMIT_BYTES", "read_items"]

LIMIT_BYTES = 1024**2


def read_items(path: str | Path) -> tuple[Item, ...]:
    """The items of a file: CSV with a header, or YAML or JSON with a list, under ``items`` or bare.

    Fields are those of `intent.agents.questionnaire.Item`; ``name`` and ``text`` are needed.

    Raises
    ------
    DataError
        It cannot be read, or holds no items; says where.
    """
    from intent.agents.questionnaire import items_of
    from intent.workflows.yaml_file import read_document

    source = Path(path)
    if source.suffix.casefold() != ".csv":
        rows = read_document(source, listed="items").values.get("items")
        if not isinstance(rows, list):
            raise DataError(f"{source.name}: no list of items, expected the key items")
        return items_of(rows, source.name)
    if source.exists() and not source.is_file():
        raise DataError(f"cannot read {source}: no file")
    try:
        with source.open("rb") as stream:
            data = stream.read(LIMIT_BYTES + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {source}: {error}") from None
    if len(data) > LIMIT_BYTES:
        raise LimitError(f"{source.name}: more than {LIMIT_BYTES:,} bytes, no questionnaire is that long")
    try:
        return items_of(list(csv.DictReader(io.StringIO(text, newline=""), restkey="more")), source.name)
    except csv.Error as error:
        raise DataError(f"{source.name}: not readable as CSV ({error})") from None
