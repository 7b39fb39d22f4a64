"""How tables and lines stand in so many columns of a terminal: no number and no word is ever broken.

A table whose columns do not fit beside each other wraps its prose and its headings at spaces, then stands in
several tables that repeat what names a row, then in blocks of ``name: value``, row by row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["WIDTH", "Line", "filled", "table_lines"]

WIDTH = 120
"""Of output that goes to no terminal, where something has to be wrapped."""

_GAP = 2
_PROSE = 24
"""Characters beyond which a cell of several words is prose, and below which prose is not squeezed."""

_TALL = 6
"""Lines of a cell beyond which a row is easier to read as a block."""

_WORDS = re.compile(r"[^\W\d_]{2,}")


class Line(NamedTuple):
    """A line of a table; headings stand out."""

    text: str
    heading: bool = False


@dataclass(frozen=True)
class _Column:
    name: str
    cells: tuple[str, ...]

    @property
    def numeric(self) -> bool:
        """Whether all cells are numbers, so that they stand to the right."""
        return bool(self.cells) and all(map(_is_number, self.cells))

    @property
    def prose(self) -> bool:
        """Whether cells may be wrapped at spaces."""
        return any(_cells(cell) > _PROSE and len(_WORDS.findall(cell)) >= 3 for cell in self.cells)

    @property
    def longest(self) -> int:
        """Width of the longest cell."""
        return max(map(_cells, self.cells), default=0)

    @property
    def natural(self) -> int:
        """Width that wraps nothing."""
        return max(self.longest, _cells(self.name))

    @property
    def headed(self) -> int:
        """Width whose heading is wrapped, and no cell."""
        return max(self.longest, _longest_word(self.name))

    @property
    def least(self) -> int:
        """Width below which a word would be broken, or prose would be squeezed."""
        if not self.prose:
            return self.headed
        words = max(_longest_word(cell) for cell in (self.name, *self.cells))
        return max(words, min(self.longest, _PROSE))


def table_lines(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int | None,
    fixed: int | None = None,
    apart: bool = True,
) -> list[Line]:
    """The lines of a table.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of rows of texts
    width : int or None
        Cells of a terminal; None for as many as it takes, and nothing is wrapped.
    fixed : int, optional
        Columns that name a row, and stand in every table where there are several; default: as many as it
        takes to tell rows apart.
    apart : bool
        Whether columns that say the same in all rows leave the table for a line above it.

    Examples
    --------
    >>> rows = [["A", "40", "0.25"], ["B", "40", "0.5"]]
    >>> [line.text for line in table_lines(["model", "n", "share"], rows, width=80)]
    ['the same in all rows: n 40', 'model  share', 'A       0.25', 'B        0.5']
    """
    columns = [_Column(name, tuple(row[i] for row in rows)) for i, name in enumerate(header)]
    lines: list[Line] = []
    keys = min(_keys(columns) if fixed is None else fixed, len(columns))
    if apart and len(rows) > 1 and not _is_matrix(columns):
        same = [k for k, column in enumerate(columns) if len(set(column.cells)) == 1]
        if same and len(same) < len(columns):
            items = [f"{columns[k].name} {columns[k].cells[0] or '–'}" for k in same]
            lines += [Line(text) for text in _listed("the same in all rows:", items, width)]
            keys = max(1, keys - sum(k < keys for k in same))
            columns = [column for k, column in enumerate(columns) if k not in same]
    if width is None:
        return lines + _side_by_side(columns, [column.natural for column in columns])
    widths = _widths(columns, width)
    if widths is not None and not _tall(columns, widths):
        return lines + _side_by_side(columns, widths)
    if len(rows) == 1:
        keys = 0
    parts = _parts(columns, keys, width)
    if parts is None:
        return lines + list(_stacked(columns, keys, width))
    for part in parts:
        if part is not parts[0]:
            lines.append(Line(""))
        lines += _side_by_side(part, _widths(part, width) or [column.least for column in part])
    return lines


def filled(text: str, width: int | None, *, hang: int | None = None) -> list[str]:
    """A line as lines of at most so many cells, broken at spaces only.

    Parameters
    ----------
    text : str
    width : int or None
        None breaks nothing.
    hang : int, optional
        Cells before the second and later lines; default: below the first word of a list's item, or of what
        stands behind a name and two spaces.
    """
    if width is None or _cells(text) <= width:
        return [text]
    start = text[: len(text) - len(text.lstrip())]
    if hang is None:
        item = re.match(r"\s*(?:[-•] |\S(?:\S| (?! ))*\s{2,})?", text)
        hang = _cells(item[0]) if item else 0
        hang = hang if 2 * hang <= width else len(start)
    lines, line = [], start
    for piece in re.findall(r"\S+\s*", text[len(start) :]):
        if line.strip() and _cells(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = " " * hang
        line += piece
    return [*lines, line.rstrip()]


def _listed(start: str, items: Sequence[str], width: int | None) -> Iterator[str]:
    """Items after a beginning, each on one line where it fits on one."""
    line = start
    for k, item in enumerate(items):
        piece = item if k == len(items) - 1 else f"{item};"
        if width is not None and _cells(f"{line} {piece}") > width:
            yield from filled(line, width, hang=2)
            line = " "
        line = f"{line} {piece}"
    yield from filled(line, width, hang=2)


def _cells(text: str) -> int:
    """Columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _longest_word(text: str) -> int:
    return max(map(_cells, text.split()), default=0)


def _is_number(text: str) -> bool:
    if text in ("", "–"):
        return True
    try:
        float(text.replace(",", "").rstrip("%"))
    except ValueError:
        return False
    return True


def _is_matrix(columns: Sequence[_Column]) -> bool:
    """Whether the columns are the rows again: everyone against everyone."""
    return len(columns) > 2 and [column.name for column in columns[1:]] == list(columns[0].cells)


def _keys(columns: Sequence[_Column]) -> int:
    """How many first columns name a row: texts that tell rows apart, or a rank and a text."""
    if not columns:
        return 0
    if columns[0].numeric and len(columns) > 2 and not columns[1].numeric:
        return 2
    most = next((k for k, column in enumerate(columns) if column.numeric), len(columns))
    for n in range(1, most + 1):
        if len(set(zip(*(column.cells for column in columns[:n]), strict=True))) == len(columns[0].cells):
            return n
    return max(1, min(most, len(columns) - 1))


def _needed(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _widths(columns: Sequence[_Column], width: int) -> list[int] | None:
    """Widths in which columns fit beside each other, prose wrapped first, then headings; None for none."""
    natural = [column.natural for column in columns]
    if _needed(natural) <= width:
        return natural
    for least in (
        [column.least if column.prose else column.natural for column in columns],
        [column.least for column in columns],
    ):
        room = width - _needed(least)
        if room >= 0:
            return _shared(natural, least, room)
    return None


def _shared(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The least widths, and what is left shared among those that want more."""
    widths = list(least)
    while room:
        narrow = [k for k, w in enumerate(widths) if w < natural[k]]
        if not narrow:
            break
        each = max(1, room // len(narrow))
        for k in narrow[:room]:
            more = min(each, natural[k] - widths[k], room)
            widths[k] += more
            room -= more
    return widths


def _tall(columns: Sequence[_Column], widths: Sequence[int]) -> bool:
    """Whether the prose of a row takes too many lines."""
    return any(
        len(filled(cell, width, hang=0)) > _TALL
        for column, width in zip(columns, widths, strict=True)
        for cell in column.cells
        if _cells(cell) > width
    )


def _parts(columns: Sequence[_Column], keys: int, width: int) -> list[list[_Column]] | None:
    """Several tables that fit, evenly where that fits too, each with what names a row; None where none do."""
    first, others = list(columns[:keys]), list(columns[keys:])
    if any((own := _widths([*first, one], width)) is None or _tall([*first, one], own) for one in others):
        return None

    def fits(part: Sequence[_Column]) -> bool:
        return len(part) == 1 or _needed([column.natural for column in (*first, *part)]) <= width

    parts: list[list[_Column]] = [[]]
    for column in others:
        if parts[-1] and not fits([*parts[-1], column]):
            parts.append([])
        parts[-1].append(column)
    most = -(-len(others) // len(parts))
    even = [others[k : k + most] for k in range(0, len(others), most)]
    return [[*first, *part] for part in (even if all(map(fits, even)) else parts)]


def _side_by_side(columns: Sequence[_Column], widths: Sequence[int]) -> list[Line]:
    """A heading and rows, cells wrapped in their width, numbers to the right."""
    lines = [Line(text, True) for text in _row([c.name for c in columns], columns, widths, below=True)]
    n = len(columns[0].cells) if columns else 0
    for k in range(n):
        lines += map(Line, _row([c.cells[k] for c in columns], columns, widths))
    return lines


def _row(
    cells: Sequence[str], columns: Sequence[_Column], widths: Sequence[int], *, below: bool = False
) -> Iterator[str]:
    wrapped = [filled(cell, width, hang=0) for cell, width in zip(cells, widths, strict=True)]
    height = max(map(len, wrapped), default=0)
    for k in range(height):
        texts = []
        for column, lines, width in zip(columns, wrapped, widths, strict=True):
            place = k - (height - len(lines)) if below else k
            text = lines[place] if 0 <= place < len(lines) else ""
            space = " " * max(0, width - _cells(text))
            texts.append(space + text if column.numeric else text + space)
        yield (" " * _GAP).join(texts).rstrip()


def _stacked(columns: Sequence[_Column], keys: int, width: int) -> Iterator[Line]:
    """Each row as a block: what names it, and below it the other cells with their names."""
    others = columns[keys:]
    room = max((_cells(column.name) for column in others), default=0) + 1
    for k in range(len(columns[0].cells)):
        if k:
            yield Line("")
        for column in columns[:keys]:
            for text in filled(f"{column.name}: {column.cells[k]}", width, hang=2):
                yield Line(text, True)
        indent = 2 if keys else 0
        for column in others:
            if not column.cells[k]:
                continue
            name = " " * indent + f"{column.name}:"
            behind = indent + room + 1
            if behind + _longest_word(column.cells[k]) > width:
                behind = indent + 2
            yield from map(Line, _named(name, column.cells[k], behind, width))


def _named(name: str, cell: str, behind: int, width: int) -> Iterable[str]:
    """A name and its cell, which begins on a line of its own where it does not fit behind it."""
    if _cells(name) < behind:
        return filled(f"{name:<{behind}}{cell}", width, hang=behind)
    return [*filled(name, width), *filled(" " * behind + cell, width, hang=behind)]
