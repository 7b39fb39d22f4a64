"""The play in FAIRGAME's cells as arrays, by number of players, with every misfit named."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.errors import DataError, located
from intent.logs.delimited import Delimited
from intent.logs.readers.cells import truths, whole_numbers
from intent.logs.readers.fairgame_own import is_own
from intent.logs.readers.list_cells import ListCells, parse_numbers, parse_texts
from intent.logs.readers.play import Play
from intent.logs.rejects import Rejects

__all__ = ["Parsed", "parse_play", "reject_row"]

_STRATEGIES = re.compile(r"agent([1-9]\d{0,3})_strategies", re.ASCII)


@dataclass(frozen=True, eq=False)
class Parsed:
    """The games of one number of players.

    Parameters
    ----------
    rows : (n,) int, the row of each game in the file
    play : Play
    """

    rows: NDArray[np.intp]
    play: Play


def parse_play(table: Delimited, rejects: Rejects) -> list[Parsed]:
    """The play of all rows as arrays, by number of players; rows whose lists do not fit are rejected.

    In files that we wrote, a missing move is None, as are the scores of its round.
    """
    n_agents, nulls = _count_agents(table), is_own(table)
    agents = range(1, n_agents + 1)
    text = [parse_texts(table.columns[f"agent{i}_strategies"], nulls=nulls) for i in agents]
    scores = [parse_numbers(table.columns[f"agent{i}_scores"], nulls=nulls) for i in agents]
    labels = tuple(dict.fromkeys(label for cells in text for label in cells.labels))
    n = len(table)
    seats = np.zeros(n, dtype=np.intp)
    for i in range(n_agents):
        blank = _blank(table.columns[f"agent{i + 1}_strategies"]) & _blank(
            table.columns[f"agent{i + 1}_scores"]
        )
        seats[~blank] = i + 1
    wrong = _misfits(table, text, scores, seats)
    for row, reason in wrong.items():
        reject_row(table, rejects, row, reason)
    fine = np.ones(n, dtype=bool)
    fine[list(wrong)] = False
    parts = []
    for count in np.unique(seats[fine]):
        rows = np.flatnonzero(fine & (seats == count))
        codes = [_recoded(cells, labels).flat(rows) for cells in text[:count]]
        values = [cells.flat(rows) for cells in scores[:count]]
        play = Play(
            text[0].lengths[rows],
            np.column_stack(codes).astype(np.int32, copy=False),
            np.column_stack(values).astype(np.float64, copy=False),
            labels,
        )
        parts.append(Parsed(rows, play))
    return parts


def _count_agents(table: Delimited) -> int:
    numbers = sorted(int(m[1]) for m in map(_STRATEGIES.fullmatch, table.columns) if m)
    if len(numbers) < 2 or numbers != list(range(1, len(numbers) + 1)):
        found = ", ".join(f"agent{i}_strategies" for i in numbers)
        raise DataError(
            located(table.text.path, f"columns {found}, expected agent1_ to agentN_, N at least 2", 1)
        )
    missing = next((f"agent{i}_scores" for i in numbers if f"agent{i}_scores" not in table.columns), None)
    if missing:
        raise DataError(located(table.text.path, f"no column {missing!r} beside agent…_strategies", 1))
    return len(numbers)


def _blank(column: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(pc.equal(column, "").to_numpy(zero_copy_only=False), dtype=bool)


def _recoded(cells: ListCells, labels: tuple[str, ...]) -> ListCells:
    """The same lists with codes into labels that all agents share."""
    if cells.labels == labels[: len(cells.labels)]:
        return cells
    code = {label: i for i, label in enumerate(labels)}
    table = np.array([*(code[label] for label in cells.labels), -1], dtype=np.int32)
    return ListCells(cells.lengths, cells.starts, table[cells.values.astype(np.intp)], labels, cells.errors)


def _misfits(
    table: Delimited, text: list[ListCells], scores: list[ListCells], seats: NDArray[np.intp]
) -> dict[int, str]:
    """Row -> why its lists make no game; the first reason of each."""
    wrong: dict[int, str] = {}

    def mark(bad: NDArray[np.bool_], reason: Callable[[int], str]) -> None:
        for row in np.flatnonzero(bad).tolist():
            wrong.setdefault(row, reason(row))

    mark(seats < 2, lambda row: "fewer than two agents have strategies and scores")
    first = text[0].lengths
    for i, cells in enumerate(zip(text, scores, strict=True), start=1):
        playing = seats >= i
        for name, column in zip((f"agent{i}_strategies", f"agent{i}_scores"), cells, strict=True):
            for row, reason in column.errors.items():
                if playing[row]:
                    wrong.setdefault(row, f"{name}: {reason}")
            other = partial(_unequal, name, column.lengths, first)
            mark(playing & (column.lengths != first), other)
    for name in ("played_rounds", "max_rounds"):
        if name in table.columns:
            number, bad = whole_numbers(table.columns[name])
            told = ~_blank(table.columns[name])
            mark(bad & told, partial(_no_such, table, name, "a whole number"))
            if name == "played_rounds":
                mark(told & (number != first), partial(_unequal, name, number, first))
    if "n_rounds_is_known" in table.columns:
        bad = truths(table.columns["n_rounds_is_known"])[1]
        mark(bad, partial(_no_such, table, "n_rounds_is_known", "True or False"))
    return wrong


def _unequal(name: str, got: NDArray[np.int64], wanted: NDArray[np.int64], row: int) -> str:
    what = f"is {got[row]}" if name == "played_rounds" else f"has {got[row]} items"
    return f"{name} {what}, but agent1_strategies has {wanted[row]} items"


def _no_such(table: Delimited, name: str, wanted: str, row: int) -> str:
    return f"{name} is {table.columns[name][row].as_py()!r}, expected {wanted}"


def reject_row(table: Delimited, rejects: Rejects, row: int, reason: str) -> None:
    """Reject a row of the file by its number among the rows."""
    line = int(table.lines[row])
    rejects.add(line, reason, table.text.line(line))
