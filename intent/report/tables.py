"""The numbers of a report as CSV files beside its page: ``NAME_tables/`` for ``NAME.html``.

A page shows the first rows of a long table and says where all of them are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from intent.base.outputs import claim, make_folder
from intent.base.tables import claim_table, empty_table, write_table
from intent.comparison.sentences import finding_sentence
from intent.report.page import Block, Claims, Columns, Grid, Picture, Section, phrase

if TYPE_CHECKING:
    import pandas as pd

    from intent.base.statistics import Interval
    from intent.comparison.findings import Finding, Findings
    from intent.estimate.design_units import Unit
    from intent.report.material import Compared, Material, Played

__all__ = [
    "COUNTS",
    "counted_intervals",
    "counted_shares",
    "findings_tables",
    "shortened",
    "tables_folder",
    "write_tables",
]

_SUFFIX = "_tables"
_ROWS = 40
"""Rows of a table that a page shows."""

COUNTS: tuple[Literal["status", "posterior", "split", "best"], ...] = ("status", "posterior", "split", "best")
"""How labels are counted."""


def tables_folder(page: Path, *, overwrite: bool) -> Path:
    """The folder of the tables of a page, once it is sure that it may be written into.

    Raises
    ------
    OutputError
        It exists and `overwrite` is false, or cannot be written into.
    """
    return claim(page.with_name(f"{page.stem}{_SUFFIX}"), overwrite=overwrite, into=True)


def findings_tables(findings: Findings, *, several: bool) -> dict[str, pd.DataFrame]:
    """Every question of a report with its answer, and the groups behind it."""
    states = {"shown": findings.shown, "open": findings.open, "silent": findings.silent}
    rows: list[dict[str, Any]] = []
    groups: list[dict[str, Any]] = []
    for state, own in states.items():
        for place, one in enumerate(own, 1):
            rank = place if state == "shown" else None
            sentence = finding_sentence(one, game=several) if state == "shown" else None
            values = {**one.to_dict(), "game": one.game or None}
            rows.append({"rank": rank, "state": state, "sentence": sentence, **values})
            groups += _groups(one, rank)
    return {"findings": _table(rows, "report_findings"), "groups": _table(groups, "report_groups")}


def _groups(one: Finding, rank: int | None) -> Iterator[dict[str, Any]]:
    for cell in one.cells:
        yield {
            "rank": rank,
            "game": one.game or None,
            "kind": one.kind,
            "factors": list(one.factors),
            "values": [str(value) for value in cell.values],
            "outcome": list(one.outcome),
            "estimate": cell.estimate,
            "low": cell.low,
            "high": cell.high,
            "n": cell.n,
        }


def counted_shares(
    games: Sequence[tuple[Material, Played]], comparisons: Sequence[Compared], *, level: float
) -> pd.DataFrame:
    """Estimated shares of each game and of the groups that are compared, and labels counted in four ways."""
    rows: list[dict[str, Any]] = []
    for part, what in games:
        about = {"game": part.game or None, "n": len(part.labels)}
        for names, share, low, high in what.shares:
            ends = {"estimate": share, "low": low, "high": high}
            rows.append({**about, "outcome": " or ".join(names), "count": "estimate", **ends})
        _, counted = counted_intervals(part, level=level)
        for count, intervals in counted.items():
            for name, own in intervals.items():
                ends = {"estimate": own.estimate, "low": own.low, "high": own.high}
                rows.append({**about, "outcome": name, "count": count, **ends})
    parts = {f"game-{k}": part for k, (part, _) in enumerate(games, 1)}
    for one in comparisons:
        table = one.result.table().rename(columns={one.factor: "value"})
        game = parts[one.key].game if one.key in parts else None
        for row in table.astype(object).to_dict("records"):
            wanted = ("outcome", "estimate", "low", "high", "se", "n", "n_effective")
            cells = {name: row.get(name) for name in wanted}
            rows.append(
                {"game": game, "factor": one.factor, "value": str(row["value"]), "count": "estimate", **cells}
            )
    return _table(rows, "report_shares")


def counted_intervals(part: Material, *, level: float) -> tuple[Unit, dict[str, dict[str, Interval]]]:
    """Labels counted in each way, by outcome, and the unit that their intervals take as independent."""
    from intent.base.statistics import share_intervals
    from intent.comparison.groups import outcomes
    from intent.estimate.design_units import design_units

    unit = design_units(part.labels, (), classes=part.classes).unit
    shares: dict[str, dict[str, Interval]] = {}
    for count in COUNTS:
        counted = outcomes(part.labels, count, classes=part.classes)
        intervals = share_intervals(counted.weights, unit.codes, level=level)
        shares[count] = dict(zip(counted.names, intervals, strict=True))
    return unit, shares


def _table(rows: Sequence[Mapping[str, Any]], name: str) -> pd.DataFrame:
    """Rows in the columns of the codebook."""
    import pandas as pd

    from intent.base.codebook import RESULT_TABLES

    columns = RESULT_TABLES[name]
    if not rows:
        return empty_table(columns)
    names = [column.name for column in columns]
    table = pd.DataFrame([{name: row.get(name) for name in names} for row in rows], columns=names)
    return table.astype({column.name: "Int64" for column in columns if column.kind == "int"})


def shortened(sections: Sequence[Section], folder: str) -> tuple[list[Section], list[dict[str, Any]]]:
    """The sections with long tables cut to their first rows, and every cell of all of them.

    Parameters
    ----------
    sections : sequence of Section
    folder : str
        Name of the folder that holds all rows.
    """
    cells: list[dict[str, Any]] = []
    return [_section(one, folder, cells) for one in sections], cells


def _section(one: Section, folder: str, cells: list[dict[str, Any]]) -> Section:
    return replace(one, blocks=tuple(_block(block, one.key, folder, cells) for block in one.blocks))


def _block(block: Block, key: str, folder: str, cells: list[dict[str, Any]]) -> Block:
    match block:
        case Section():
            return _section(block, folder, cells)
        case Grid():
            return _cut(block, key, folder, cells)
        case Picture():
            return _picture(block, key, folder, cells)
        case Claims():
            items = (
                replace(item, picture=item.picture and _picture(item.picture, key, folder, cells))
                for item in block.items
            )
            return replace(block, items=tuple(items))
        case Columns():
            left, right = (
                tuple(_block(part, key, folder, cells) for part in side) for side in (block.left, block.right)
            )
            return Columns(left, right)
    return block


def _picture(one: Picture, key: str, folder: str, cells: list[dict[str, Any]]) -> Picture:
    return replace(one, table=one.table and _cut(one.table, key, folder, cells))


def _cut(one: Grid, key: str, folder: str, cells: list[dict[str, Any]]) -> Grid:
    for k, row in enumerate(one.rows, 1):
        name = " · ".join(row[: one.heads])
        for heading, cell in zip(one.header[one.heads :], row[one.heads :], strict=True):
            about = {"section": key, "table": one.caption, "row": k, "name": name}
            cells.append({**about, "column": heading, "cell": cell})
    if len(one.rows) <= _ROWS:
        return one
    rest = phrase("tables.rest", shown=_ROWS, n=len(one.rows), folder=folder)
    return replace(one, rows=one.rows[:_ROWS], rest=rest)


def write_tables(
    folder: Path,
    tables: Mapping[str, pd.DataFrame],
    cells: Iterable[Mapping[str, Any]],
    facts: Mapping[str, Any],
    *,
    overwrite: bool,
) -> list[Path]:
    """Write each table into the folder as CSV with its companion.

    Raises
    ------
    OutputError
        A file cannot be written.
    """
    make_folder(folder)
    named = {re.sub(r"[^\w.-]+", "-", name): table for name, table in tables.items()}
    named["cells"] = _table(list(cells), "report_cells")
    written = []
    for name, table in named.items():
        target = claim_table(folder / f"{name}.csv", overwrite=overwrite)
        written.append(write_table(table, target, {**facts, "table": name}, overwrite=overwrite))
    return written
