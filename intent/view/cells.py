"""Cells of tables as plain Python values, for a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from intent.files.json_text import encodable

__all__ = ["cells", "plain", "short_text"]

_LIMIT = 200


def cells(row: Any, without: Sequence[str]) -> dict[str, Any]:
    """Values of a row that are not null."""
    found = {str(name): plain(value) for name, value in dict(row).items() if name not in without}
    return {name: value for name, value in found.items() if value is not None}


def plain(value: Any) -> Any:
    """A cell as Python has it; None for null."""
    if value is None or value is pd.NA or value != value:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    return short_text(value) if isinstance(value, str) else value


def short_text(value: Any, limit: int = _LIMIT) -> str | None:
    """A short text; None for null."""
    if not isinstance(value, str):
        return None
    text = encodable(value[: limit + 1])
    return text if len(text) <= limit else text[: limit - 1] + "…"
