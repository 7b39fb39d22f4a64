"""Tables with a row per round and a column for each of two seats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from intent.logs.importer.columns import Column, with_role
from intent.logs.importer.mapping import LogMapping
from intent.logs.importer.proposals import LongTable, Proposal, Reason, Shape
from intent.logs.readers.arrays import TidyTable
from intent.logs.readers.reader import Settings

__all__ = ["SHAPES"]


def _propose_both(columns: Mapping[str, Column], settings: Settings) -> Iterator[Proposal]:
    """One row per round with the moves of both players: a column for each seat."""
    pairs: dict[str, dict[int, Column]] = {}
    for column in columns.values():
        sense = column.sense
        seat = sense.seat or (sense.numbers[0] if len(sense.numbers) == 1 else None)
        if sense.role and seat in (1, 2) and not sense.lag and not sense.total and sense.round is None:
            pairs.setdefault(sense.role, {})[seat] = column
    whole = {role: seats for role, seats in pairs.items() if {*seats} == {1, 2}}
    rounds = with_role(columns.values(), "round")
    if "action" not in whole or not rounds:
        return
    every = list(columns.values())
    names = {"round": rounds[0].name}
    for role, seats in whole.items():
        names[role] = f"{seats[1].name} | {seats[2].name}"
    match = [*with_role(every, "match"), *with_role(every, "game")]
    if match:
        names["game_id"] = match[0].name
    reasons = tuple(Reason(theirs, role, "a column for each of two seats") for role, theirs in names.items())
    by = tuple(c.name for c in match[1:])
    yield Proposal(LogMapping(shape="both", columns=names, by=by), reasons, 1.0 * len(names))


def _lay_out_both(table: TidyTable, mapping: LogMapping) -> LongTable:
    """Two rows per row of theirs: those of seat 1, then those of seat 2."""
    seated = {role: theirs.split(" | ") for role, theirs in mapping.columns.items() if " | " in theirs}
    n = len(table)
    of_seats = {name for names in seated.values() for name in names}
    columns = {
        name: pa.concat_arrays([cells, cells])
        for name, cells in table.columns.items()
        if name not in of_seats
    }
    ours = {role: theirs for role, theirs in mapping.columns.items() if role not in seated}
    for role, (one, two) in seated.items():
        columns[f"_{role}"] = pa.concat_arrays([table.columns[one], table.columns[two]])
        ours[role] = f"_{role}"
    columns["_seat"] = pa.array(np.repeat(["1", "2"], n), pa.string())
    ours["seat"] = "_seat"
    long = TidyTable(columns, lambda row: table.line(row % n), lambda row: table.text(row % n))
    return LongTable(long, ours, mapping.by)


SHAPES = (Shape("both", "a row per round with the moves of both players", _propose_both, _lay_out_both),)
