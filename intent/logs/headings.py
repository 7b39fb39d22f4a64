"""Names of columns: tables whose first line holds values instead, and lines that repeat the names."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from itertools import islice, pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["first_rows_of", "guessed_names", "is_headless", "repeated_names"]

Rows = Sequence[Sequence[str]]

_SAMPLE = 200
"""Rows by which a table is judged."""

_MOSTLY = 0.9
"""Share of cells that are numbers in a column of numbers."""

_FEW = 6
"""Most labels of a column of labels."""

_MOVES = 3
"""Most different moves, a stray one among them."""

_RUN = 3
"""Numbers that run on in the first line, as those of rounds do where columns are called by them."""

_WHOLE = re.compile(r"[-+]?\d{1,9}")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def first_rows_of(text: str, delimiter: str, *, whole: bool) -> list[list[str]]:
    """The first rows of a text, stripped; of a part of one without the last row, which may be cut off."""
    lines = text.splitlines() if whole else text.splitlines()[:-1]
    try:
        rows = list(islice(csv.reader(lines, delimiter=delimiter), _SAMPLE + 1))
    except csv.Error:
        return []
    return [[cell.strip() for cell in row] for row in rows if row]


def is_headless(first: Sequence[str], rows: Rows) -> bool:
    """Whether the first line of a table holds values as the rows below it do, and no names.

    A text above numbers is a name, and so is one above a few labels that are all others. A text that stands
    below itself, too, or is made of the letters of whole games below it, is a value, as is a number above
    numbers, unless such numbers run on, as names of columns of rounds do.

    Parameters
    ----------
    first : sequence of str, cells of the first line
    rows : the rows below
    """
    columns = _columns(first, rows)
    values = False
    numbers: list[int] = []
    for head, cells in zip(first, columns, strict=True):
        filled = [cell for cell in cells if cell]
        if not head or len(filled) < 2:
            continue
        below = _are_numbers(filled)
        if below and _WHOLE.fullmatch(head):
            numbers.append(int(head))
        elif _NUMBER.fullmatch(head):
            values |= below
        elif below:
            return False
        else:
            labels = {cell.casefold() for cell in filled}
            if head.casefold() in labels or _is_game(head, filled):
                values = True
            elif len(labels) <= _FEW and len(filled) >= 3 * len(labels):
                return False
    run_on = len(numbers) >= _RUN and all(b == a + 1 for a, b in pairwise(numbers))
    return values or (bool(numbers) and not run_on)


def _columns(first: Sequence[str], rows: Rows) -> list[list[str]]:
    return [list(cells) for cells in zip(*[row for row in rows if len(row) == len(first)], strict=True)] or [
        [] for _ in first
    ]


def _are_numbers(cells: Sequence[str]) -> bool:
    return sum(bool(_NUMBER.fullmatch(cell)) for cell in cells) >= _MOSTLY * len(cells)


def _is_game(head: str, cells: Sequence[str]) -> bool:
    """Whether a text is a sequence of the few letters that all texts below it are sequences of."""
    letters = {letter for cell in cells for letter in cell if letter.isalnum()}
    own = {letter for letter in head if letter.isalnum()}
    return 1 <= len(letters) <= _MOVES and bool(own) and own <= letters and len(head) >= _RUN


def guessed_names(rows: Rows) -> list[str]:
    """Names that the columns of a table may have, by what they hold; whoever knows them mends them.

    Parameters
    ----------
    rows : the first rows, none of them names
    """
    columns = _columns(rows[0], rows)
    names = [""] * len(columns)
    filled = [[cell for cell in cells if cell] for cells in columns]
    numbers = [bool(cells) and _are_numbers(cells) for cells in filled]
    rounds = [i for i, cells in enumerate(filled) if numbers[i] and _are_rounds(cells)]
    rounds = rounds or [i for i, cells in enumerate(filled) if i and numbers[i] and _run_on(cells)]
    if rounds:
        names[rounds[-1]] = "round"
    free = [i for i in range(len(columns)) if not names[i] and filled[i]]
    games = [
        i
        for i in free
        if not numbers[i] and _is_game(filled[i][0], filled[i]) and max(map(len, filled[i])) >= _RUN
    ]
    moves = games or [i for i in free if not numbers[i] and len({c.casefold() for c in filled[i]}) <= _MOVES]
    moves = moves if len(moves) <= 2 or not rounds else moves[-2:]
    _name(names, moves, "moves" if games else "action" if rounds else "r", always=not rounds and not games)
    free = [i for i in free if not names[i]]
    people = [i for i in free if not numbers[i]]
    _name(names, people[:2], "player", also="opponent" if len(moves) < 2 else "")
    amounts = [i for i in free if numbers[i]]
    last = max(moves, default=-1)
    _name(
        names,
        [i for i in amounts if i > last][:2] if moves else [],
        "payoff",
        also="other_payoff" * (len(moves) < 2),
    )
    ahead = [i for i in amounts if not names[i]]
    for i, name in zip(ahead, ("game",) if people else ("game", "player"), strict=False):
        names[i] = name
    return [name or f"column_{i}" for i, name in enumerate(names, start=1)]


def _name(names: list[str], at: Sequence[int], word: str, *, also: str = "", always: bool = False) -> None:
    """Name columns by a word, with numbers where there are several; the second of two perhaps otherwise."""
    for number, i in enumerate(at, start=1):
        names[i] = (
            f"{word}{number}" if (len(at) > 1 and not also) or always else word if number == 1 else also
        )


def _run_on(cells: Sequence[str]) -> bool:
    """Whether numbers are 1, 2, 3 and so on, as the rounds of a single game."""
    ways = [[str(i + first) for i in range(len(cells))] for first in (0, 1)]
    return len(cells) >= _RUN and [*cells] in ways


def _are_rounds(cells: Sequence[str]) -> bool:
    """Whether numbers run on from 0 or 1, again and again."""
    if not all(_WHOLE.fullmatch(cell) for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    steps = [b - a for a, b in pairwise(numbers)]
    restarts = all(step in (0, 1) or b in (0, 1) for step, b in zip(steps, numbers[1:], strict=True))
    return numbers[0] in (0, 1) and restarts and max(numbers) >= 2 and any(step < 0 for step in steps)


def repeated_names(columns: Mapping[str, pa.Array]) -> NDArray[np.intp]:
    """The rows that hold the names of their columns again, as where files were put one below the other."""
    rows: NDArray[np.intp] | None = None
    for name, cells in columns.items():
        if isinstance(cells, pa.DictionaryArray):
            places = [
                i for i, text in enumerate(cells.dictionary.to_pylist()) if (text or "").strip() == name
            ]
            same = np.isin(cells.indices.to_numpy(zero_copy_only=False), places) if places else None
        else:
            same = np.array([(text or "").strip() == name for text in cells.to_pylist()])
        if same is None or not same.any():
            return np.zeros(0, dtype=np.intp)
        here = np.flatnonzero(same)
        rows = here if rows is None else np.intersect1d(rows, here)
        if not len(rows):
            break
    return np.zeros(0, dtype=np.intp) if rows is None else rows
