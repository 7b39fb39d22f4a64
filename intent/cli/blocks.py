"""Wide tables for people: the columns in blocks that fit the terminal, below each other."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["blocks", "print_blocks"]

WIDTH = 120
"""Of output that goes to no terminal."""

_GAP = 2


def blocks(header: Sequence[str], rows: Sequence[Sequence[str]], width: int, fixed: int = 1) -> list[range]:
    """Columns after the first ones that fit beside these, block by block, evenly where that fits too.

    Where the first columns are long, the others have half of the width all the same.

    Examples
    --------
    >>> blocks(["m", "aa", "bb", "cc"], [["x", "1", "2", "3"]], width=9)
    [range(1, 3), range(3, 4)]
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    room = max(width - sum(widths[:fixed]) - _GAP * (fixed - 1), width // 2)
    found: list[range] = []
    start = fixed
    for i in range(fixed + 1, len(widths)):
        if _needed(widths, range(start, i + 1)) > room:
            found.append(range(start, i))
            start = i
    found.append(range(start, len(widths)))
    most = -(-(len(widths) - fixed) // len(found))
    even = [range(k, min(k + most, len(widths))) for k in range(fixed, len(widths), most)]
    return even if all(_needed(widths, columns) <= room for columns in even) else found


def _needed(widths: Sequence[int], columns: range) -> int:
    return sum(widths[i] + _GAP for i in columns)


def print_blocks(
    header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "", fixed: int = 1
) -> None:
    """Print a table, with its first columns again in every block where not all fit beside each other.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of rows of texts
    title : str, above the first block
    fixed : int, columns that stand in every block
    """
    from shutil import get_terminal_size

    from intent.cli.console import print_table, say

    for k, columns in enumerate(blocks(header, rows, get_terminal_size((WIDTH, 24)).columns, fixed)):
        if k:
            say()
        chosen = [*range(fixed), *columns]
        body = [[row[i] for i in chosen] for row in rows]
        print_table([header[i] for i in chosen], body, title="" if k else title)
