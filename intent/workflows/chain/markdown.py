"""Cells, lines and matrices of Markdown, safe from what names and reasons say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from intent.errors import one_line

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cell", "line", "matrix", "number"]

_LONGEST = 600
_ESCAPES = (
    ("\\", "\\\\"),
    ("&", "&amp;"),
    ("<", "&lt;"),
    ("|", "\\|"),
    ("*", "\\*"),
    ("_", "\\_"),
    ("[", "\\["),
    ("`", "\\`"),
)


def cell(text: object) -> str:
    """Text on one line that ends no cell, opens no emphasis or link, and is no HTML.

    Examples
    --------
    >>> cell("a | <b>")
    'a \\\\| &lt;b>'
    """
    flat = one_line(text, _LONGEST)
    for letter, stand_in in _ESCAPES:
        flat = flat.replace(letter, stand_in)
    return flat


def line(cells: Iterable[object]) -> str:
    """A line of a table."""
    return "| " + " | ".join(cell(one) for one in cells) + " |"


def number(value: Any, digits: int = 2) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None or value != value else f"{value:.{digits}f}"


def matrix(table: pd.DataFrame, value: str) -> Iterator[str]:
    """Rows against columns, a block per set; intervals in square, the paper's numbers in round brackets."""
    for name, part in table.groupby("set", sort=False):
        columns = list(dict.fromkeys(part["column"]))
        yield f"**{cell(name)}**"
        yield ""
        yield line(["", *columns])
        yield line(["---"] * (len(columns) + 1))
        for row, cells in part.groupby("row", sort=False):
            yield line([str(row), *(_with_paper(one, value) for one in cells.to_dict("records"))])
        yield ""


def _with_paper(one: Any, value: str) -> str:
    if one[value] != one[value]:
        return "–"
    ends = f" [{one['low']:.2f}, {one['high']:.2f}]" if one["low"] == one["low"] else ""
    paper = f" ({one['paper']:.2f})" if one["paper"] == one["paper"] else ""
    return f"{one[value]:.2f}{ends}{paper}"
