"""Tables 3 to 6 as a terminal shows them: our numbers, and the paper's in brackets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.chain.paper_numbers import table_note

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PrintedTable", "printed_tables"]


@dataclass(frozen=True)
class PrintedTable:
    """A table of a finished chain.

    Attributes
    ----------
    title : str
    header : tuple of str
    rows : tuple of tuples of str
    remark : str, what a reader must know of the paper's numbers, or empty
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remark: str


def printed_tables(result: Mapping[str, Any]) -> Iterator[PrintedTable]:
    """The tables that stand for one of the paper's, read from the folder of a chain.

    Parameters
    ----------
    result : as `run_chain` gives it
    """
    from intent.logs.tablefile import read_table

    for one in result["tables"]:
        number = (one["published"] or "").rpartition(" ")[2]
        if not str(one["published"]).startswith("Table"):
            continue
        table, _ = read_table(Path(result["path"]) / one["file"])
        header, rows = _equilibria(table) if "attitude" in table else _matrices(table)
        known = table[table["paper"].notna()]
        title = f"{one['published']}: {one['title'][0].lower()}{one['title'][1:]}"
        brackets = " (the paper's in brackets)" if len(known) else ""
        yield PrintedTable(title + brackets, header, tuple(rows), table_note(number, known["model"]))


def _matrices(table: pd.DataFrame) -> tuple[tuple[str, ...], Iterator[tuple[str, ...]]]:
    value = "payoff" if "payoff" in table else "cooperation"
    columns = tuple(dict.fromkeys(table["column"]))
    return ("set", "", *columns), _rows(table, "row", "column", columns, value, "{:.2f}")


def _equilibria(table: pd.DataFrame) -> tuple[tuple[str, ...], Iterator[tuple[str, ...]]]:
    names = tuple(dict.fromkeys(table["attitude"]))
    return ("set", "start", *names), _rows(table, "initial", "attitude", names, "share", "{:.0%}")


def _rows(
    table: pd.DataFrame, row: str, column: str, columns: tuple[str, ...], value: str, form: str
) -> Iterator[tuple[str, ...]]:
    """A row for each set and value of `row`, a cell for each of `columns`.

    Starts in the same proportions are apart by their numbers of individuals, where the table tells them.
    """
    keys = ["set", row, *(name for name in ("individuals",) if name in table)]
    for (name, kind, *_), part in table.groupby(keys, sort=False):
        cells = part.set_index(column).to_dict("index")
        yield str(name), str(kind), *(_cell(cells.get(one), value, form) for one in columns)


def _cell(one: Any, value: str, form: str) -> str:
    if one is None or one[value] != one[value]:
        return "–"
    paper = f" ({form.format(one['paper'])})" if one["paper"] == one["paper"] else ""
    return form.format(one[value]) + paper
