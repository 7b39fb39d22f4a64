"""One column: name, type, meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Column", "Kind"]

Kind = Literal["string", "int", "float", "bool", "strings", "category", "bools"]


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
    kind : Kind
    meaning : str
    required : bool
        Whether every row has a value.
    optional : bool
        Whether the whole column may be absent.
    """

    name: str
    kind: Kind
    meaning: str
    required: bool = False
    optional: bool = False
