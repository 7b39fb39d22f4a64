"""JSON of any tree, and JSON lines, to tables of cells.

A tree becomes a table in steps, each along one axis (`intent.logs.importer.steps`), which are found by the
content (`intent.logs.importer.axes`). The steps are a plan, which JSON can hold and which reads other files
alike. Streams of events become the table of those events that are moves, with what others say of them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from json import JSONDecodeError
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json
from numpy.typing import NDArray

from intent.base.errors import DataError, LimitError, located, of_file, one_line, shorten
from intent.base.files import TextFile, beyond, bounds, check_json, json_value
from intent.logs.gamelog import Rejects
from intent.logs.importer.axes import DISCRIMINATORS, FACTS, MOVES, ROLES, SEATS, names_rows, plans
from intent.logs.importer.people import are_numbers
from intent.logs.importer.steps import (
    STEPS,
    Path,
    Step,
    cell,
    columns_of,
    follow,
    path_of,
    place_of,
    singular,
)
from intent.logs.readers.arrays import TidyTable, by_value
from intent.logs.readers.reader import Source

__all__ = ["TreeTable", "table_of_plan", "tables_of_json"]

_SAMPLE = 1000
_BLOCK = 16 * 1024**2
_HEAD = 50
_SECTION = re.compile(r"start|begin|new|setup|config|init|meta|header", re.IGNORECASE)


class TreeTable:
    """A table that lies in a tree; it is made when it is looked at.

    Parameters
    ----------
    source : Source
    steps : sequence of Step
    lines : bool
        Whether each line of the file is a tree.
    reasons : sequence of str
    root : value of the file, where it is read already
    rejects : Rejects
        Gets what the table leaves out.

    Attributes
    ----------
    path : str
        Where it lies, as ``games[].rounds[]``.
    """

    def __init__(
        self,
        source: Source,
        steps: Sequence[Step],
        lines: bool,
        reasons: Sequence[str],
        root: Any,
        rejects: Rejects,
    ) -> None:
        self._source, self._steps, self._lines, self._reasons = source, steps, lines, tuple(reasons)
        self._root, self._rejects = root, rejects
        self.path = path_of(steps)

    @cached_property
    def _made(self) -> tuple[TidyTable, dict[str, Any], tuple[str, ...]]:
        plan: dict[str, Any] = {"lines": self._lines, "steps": [step.to_json() for step in self._steps]}
        cells = _cells(self._source, self._steps, plan, self._rejects, self._root)
        if len(self._steps) == 1 and (events := _events(cells.columns)):
            plan["events"] = events
        plan["names"] = cells.names
        table, notes = _finished(self._source, cells, plan)
        return table, plan, (*self._reasons, *cells.notes, *notes)

    @property
    def table(self) -> TidyTable:
        """The table."""
        return self._made[0]

    @property
    def plan(self) -> dict[str, Any]:
        """What JSON can hold, for `table_of_plan`."""
        return self._made[1]

    @property
    def how(self) -> tuple[str, ...]:
        """What was done to make it, in words."""
        return self._made[2]


def tables_of_json(source: Source, rejects: Rejects) -> tuple[TreeTable, ...]:
    """The tables that lie in a file of JSON or JSON lines; the likeliest to hold moves by round comes first.

    Parameters
    ----------
    source : Source of kind text
    rejects : Rejects
        Gets what the first table leaves out: lines that are no JSON, places that are unlike all others.
        Another table is read with rejects of its own by `table_of_plan`.

    Raises
    ------
    DataError
        The file is no JSON, names a key twice, holds a number that is none, or no list of records.
    LimitError
        More rows, columns or text than `Bounds` allows.
    """
    lines = _is_lines(source.legible)
    start = _some_lines(source.legible) if lines else _document(source.legible)
    with _of(source):
        ways = plans(start)
    root = None if lines else start
    tables = [
        TreeTable(source, steps, lines, how, root, Rejects(source.path) if i else rejects)
        for i, (steps, how) in enumerate(ways)
    ]
    if not tables:
        raise DataError(
            located(source.path, "JSON without a list of records, expected one with moves by round")
        )
    assert len(tables[0].table)
    return tuple(tables)


def table_of_plan(source: Source, plan: Mapping[str, Any], rejects: Rejects) -> TidyTable:
    """The table of a file that lies where a plan says; columns keep the names that they have in the plan.

    Raises
    ------
    DataError
        As `tables_of_json`, or the plan is none of its, or nothing in the file is as it says.
    """
    try:
        steps = tuple(Step.of_json(step, level) for level, step in enumerate(plan["steps"]))
        if not 0 < len(steps) <= STEPS:
            raise ValueError
        checked = {"lines": bool(plan["lines"]), "names": _texts(plan.get("names") or {})}
        if plan.get("events"):
            checked["events"] = _checked_events(plan["events"])
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise DataError(located(source.path, f"no plan for a tree: {shorten(plan)}")) from None
    return _finished(source, _cells(source, steps, checked, rejects, None), checked)[0]


def _texts(names: Mapping[Any, Any]) -> dict[str, str]:
    return {str(path): str(name) for path, name in names.items()}


def _checked_events(events: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "column": str(events["column"]),
        "of": str(events["of"]),
        "join": [{"of": str(j["of"]), "on": [str(on) for on in j["on"]]} for j in events["join"]],
        "constant": [str(one) for one in events["constant"]],
        "section": [str(one) for one in events["section"]],
    }


@contextmanager
def _of(source: Source) -> Iterator[None]:
    """The file's name in errors of bounds."""
    try:
        yield
    except LimitError as error:
        raise of_file(source.path, error) from None


_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\],:"]+')


def _document(text: TextFile) -> Any:
    """The value of a whole file.

    Raises
    ------
    DataError
        It is no JSON, or not whole, or goes beyond the bounds.
    """
    if text.gap is not None and text.gap.inside:
        raise DataError(located(text.path, text.gap.reason, text.gap.line))
    try:
        return json_value(text.data, unique=True, finite=True)
    except JSONDecodeError as error:
        what = f"no JSON ({error.msg} at column {error.colno:,})"
        raise DataError(located(text.path, what, error.lineno)) from None
    except (ValueError, RecursionError) as error:
        raise DataError(located(text.path, one_line(error), _line_of_fault(text.data))) from None


def _line_of_fault(data: bytes) -> int | None:
    """Line of the first key that stands twice in its object, or of the first number that is none."""
    keys: list[set[bytes] | None] = []
    for match in _TOKEN.finditer(data):
        token = match[0]
        if token in (b"{", b"["):
            keys.append(set() if token == b"{" else None)
            if len(keys) > bounds().depth:
                break
        elif token in (b"}", b"]"):
            if keys:
                keys.pop()
        elif token[:1] == b'"':
            names = keys[-1] if keys else None
            if names is not None and data[match.end() : match.end() + 100].lstrip()[:1] == b":":
                if token in names:
                    break
                names.add(token)
        elif token not in (b"true", b"false", b"null") and (
            len(token) > bounds().digits or not _is_finite(token)
        ):
            break
    else:
        return None
    return data.count(b"\n", 0, match.start()) + 1


def _is_finite(token: bytes) -> bool:
    try:
        return math.isfinite(float(token))
    except ValueError:
        return False


def _line_starts(text: TextFile) -> NDArray[np.int64]:
    return np.concatenate([[0], text.line_ends + 1])


def _is_lines(text: TextFile) -> bool:
    """Whether most of the first lines are JSON by themselves."""
    good = lines = 0
    for number, start in enumerate(_line_starts(text)[:_HEAD].tolist()):
        stop = int(text.line_ends[number]) if number < len(text.line_ends) else len(text.data)
        line = text.data[start:stop].strip()
        if line:
            lines += 1
            good += line[:1] in (b"{", b"[") and line[-1:] in (b"}", b"]") and _value(line) is not None
    others = text.gap is not None and text.gap.inside  # which are not there
    return lines + others > 1 and 2 * good > lines


def _value(line: bytes) -> Any:
    """The object or list of a line; None where it is none."""
    try:
        value = json_value(line, unique=True, finite=True)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _some_lines(text: TextFile) -> list[Any]:
    """Values of the first lines, and of some from all over the file.

    Raises
    ------
    DataError
        Not one of them is JSON.
    """
    starts = _line_starts(text)
    step = max(1, (len(starts) - _SAMPLE) // _SAMPLE)
    at = np.unique(np.concatenate([np.arange(min(len(starts), _SAMPLE)), np.arange(0, len(starts), step)]))
    size = 0
    values = []
    for i in at.tolist():
        stop = int(starts[i + 1]) if i + 1 < len(starts) else len(text.data)
        value = _value(text.data[int(starts[i]) : stop])
        size += stop - int(starts[i])
        if value is not None:
            values.append(value)
        if size > 4 * _BLOCK and len(values) > _HEAD:
            break
    return values


def _line_values(
    text: TextFile, start: int, stop: int, line: int, rejects: Rejects
) -> Iterator[tuple[int, Any]]:
    """Line and value of the lines between two places of a text, whose first one has the number `line`."""
    most = bounds().field
    for raw in text.data[start:stop].split(b"\n"):
        if raw.strip():
            reason = ""
            try:
                value = json_value(raw, unique=True, finite=True)
                if not isinstance(value, dict | list):
                    reason = f"{shorten(value, 40)}, expected an object of JSON"
                elif len(raw) > most and _longest(value) > most:
                    reason = f"a field of more than {most:,} characters"
            except JSONDecodeError as error:
                reason = f"no JSON ({error.msg} at column {error.colno:,})"
            except (ValueError, RecursionError) as error:
                reason = one_line(error)
            if reason:
                rejects.add(line, reason, text.line(line))
            else:
                yield line, value
        line += 1


def _blocks(text: TextFile) -> Iterator[tuple[int, int, int]]:
    """Start and end of pieces of whole lines, and the number of the first line of each."""
    start, line, size = 0, 1, len(text.data)
    while start < size:
        stop = size if start + _BLOCK >= size else text.data.rfind(b"\n", start, start + _BLOCK) + 1
        if stop <= start:
            stop = text.data.find(b"\n", start + _BLOCK) + 1 or size
        yield start, stop, line
        line += text.data.count(b"\n", start, stop)
        start = stop


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells of a table before its last touches.

    Parameters
    ----------
    columns : dict of name -> string array
    names : dict of dotted path -> name
    notes : tuple of str
    lines : (n,) int, lines of JSON lines; None for a document
    place : callable of row -> where it is in the document
    by_key : bool
        Whether agents are the keys or fields of an object.
    """

    columns: dict[str, pa.Array]
    names: dict[str, str]
    notes: tuple[str, ...]
    lines: NDArray[np.int64] | None
    place: Callable[[int], str]
    by_key: bool


def _cells(
    source: Source, steps: Sequence[Step], plan: Mapping[str, Any], rejects: Rejects, root: Any
) -> _Cells:
    """Go through a file as a plan says."""
    lines: NDArray[np.int64] | None = None

    def place(row: int) -> str:
        return place_of(levels, row)

    def refuse(at: str, reason: str, first: int) -> None:
        rejects.add(None, f"{at}: {reason}", at)

    with _of(source):
        if plan["lines"]:
            pieces, lines, left = _pieces_of_lines(source.legible, steps, rejects)
        else:
            levels = follow(steps, _document(source.legible) if root is None else root, refuse)
            cells, _, left = columns_of(steps, levels)
            pieces = [cells] if cells and len(levels[-1]) else []
        rejects.add_gap(source.legible)
    n = sum(len(next(iter(piece.values()))) for piece in pieces)
    paths = list(dict.fromkeys(path for piece in pieces for path in piece))
    if not n:
        rejects.table(0)
        raise DataError(located(source.path, f"nothing lies at {path_of(steps)}"))
    if n * len(paths) > bounds().cells:
        raise beyond(source.path, f"{n:,} rows of {len(paths):,} columns", "cells")
    names = _names(paths, plan.get("names") or {})
    columns = {names[path]: _joined([piece.get(path) for piece in pieces], pieces) for path in paths}
    notes = [f"left out: {at} ({count:,} times), which is a list of its own" for at, count in left.items()]
    by_key = any(step.axis in ("keys", "fields") and singular(step.name or "") in SEATS for step in steps)
    return _Cells(columns, {".".join(p): names[p] for p in paths}, tuple(notes), lines, place, by_key)


def _joined(parts: Sequence[pa.Array | None], pieces: Sequence[Mapping[Path, pa.Array]]) -> pa.Array:
    lengths = [len(next(iter(piece.values()))) if piece else 0 for piece in pieces]
    empty = pa.scalar("", pa.string())
    arrays = [pa.repeat(empty, n) if p is None else p for p, n in zip(parts, lengths, strict=True)]
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def _names(paths: Sequence[Path], known: Mapping[str, str]) -> dict[Path, str]:
    """Names of columns: the last part of the path where no other ends so, else all of it."""
    plain = {path: [part for part in path if part] or ["value"] for path in paths}
    ends = Counter(parts[-1].casefold() for parts in plain.values())
    names: dict[Path, str] = {}
    used_names: set[str] = set(known.values())
    for path, parts in plain.items():
        name = known.get(".".join(path))
        if name is None:
            name = (
                parts[-1]
                if ends[parts[-1].casefold()] == 1 and parts[-1] not in used_names
                else ".".join(parts)
            )
            while name in used_names:
                name += "_"
        names[path] = name
        used_names.add(name)
    return names


def _pieces_of_lines(
    text: TextFile, steps: Sequence[Step], rejects: Rejects
) -> tuple[list[dict[Path, pa.Array]], NDArray[np.int64], Counter[str]]:
    """Tables of the blocks of JSON lines, by Arrow where all lines are flat and alike, else one by one."""
    first = steps[0]
    flat = len(steps) == 1 and first.axis == "list" and first.items == "object"
    schema = _flat_schema(_some_lines(text)) if flat else None
    number = None if first.name is None else ("", first.name) if first.items == "object" else (first.name,)
    pieces, numbers = [], []
    left: Counter[str] = Counter()
    before = 0
    for start, stop, line in _blocks(text):
        block = None if schema is None else _flat_block(text.data[start:stop], schema, line)
        if block is None:
            block = _nested_block(text, (start, stop, line), steps, rejects, left)
        columns, lines, of_line = block
        if len(lines):
            if number is not None:
                at = pa.array(before + 1 + np.arange(len(lines))).cast(pa.string())
                columns = {
                    number: at.take(pa.array(of_line)),
                    **{k: v for k, v in columns.items() if k != number},
                }
            pieces.append(columns)
            numbers.append(lines[of_line])
        before += len(lines)
    every = np.concatenate(numbers) if numbers else np.zeros(0, dtype=np.int64)
    return [piece for piece in pieces if piece], every, left


Block = tuple[dict[Path, pa.Array], NDArray[np.int64], NDArray[np.int64]]
"""Columns of n rows, the lines of the block that hold a value, and for each row which of them it is of."""


def _nested_block(
    text: TextFile, at: tuple[int, int, int], steps: Sequence[Step], rejects: Rejects, left: Counter[str]
) -> Block:
    numbers: list[int] = []
    values: list[Any] = []
    for line, value in _line_values(text, *at, rejects):
        if steps[0].items != "nested" and isinstance(value, dict) != (steps[0].items == "object"):
            rejects.add(line, "another kind of value than in the other lines", text.line(line))
        else:
            numbers.append(line)
            values.append(value)
    lines = np.asarray(numbers, dtype=np.int64)
    if not values:
        return {}, lines, lines

    def refuse(place: str, reason: str, first: int) -> None:
        line = numbers[first] if first >= 0 else None
        rejects.add(line, reason, place if line is None else text.line(line))

    levels = follow(steps, values, refuse)
    columns, first, more = columns_of(steps, levels)
    left.update(more)
    return columns, lines, first


def _longest(value: Any) -> int:
    """Characters of the longest text in a value."""
    longest, stack = 0, [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            longest = max(longest, len(one))
        elif isinstance(one, dict):
            longest = max(longest, max(map(len, one), default=0))
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)
    return longest


def _flat_schema(values: Sequence[Any]) -> pa.Schema | None:
    """The form of records without lists, in which each field holds values of one kind; None for others."""
    try:
        fields = _fields_of(values)
    except ValueError:
        return None
    return pa.schema(fields) if fields else None


_ARROW: dict[type, pa.DataType] = {str: pa.string(), bool: pa.bool_(), float: pa.float64()}
"""Kinds of cells that Arrow's parser may read; numbers are checked to keep their digits."""


def _fields_of(values: Sequence[Any]) -> list[pa.Field]:
    by_name: dict[str, list[Any]] = {}
    for value in values:
        if not isinstance(value, dict):
            raise ValueError("no record")
        for key, one in value.items():
            if one is not None:
                by_name.setdefault(key, []).append(one)
    kinds = []
    for name, cells in by_name.items():
        if isinstance(cells[0], dict):
            kinds.append(pa.field(name, pa.struct(_fields_of(cells))))
            continue
        kinds_of_cells = {float if type(one) is int else type(one) for one in cells}
        if len(kinds_of_cells) > 1 or not kinds_of_cells <= _ARROW.keys():
            raise ValueError("values of several kinds")
        kinds.append(pa.field(name, _ARROW[kinds_of_cells.pop()]))
    return kinds


def _flat_block(block: bytes, schema: pa.Schema, line: int) -> Block | None:
    """The cells of flat lines by Arrow's parser; None where it would refuse one or change a cell."""
    try:
        if check_json(block):
            return None
        table = pa.json.read_json(
            pa.BufferReader(block),
            parse_options=pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
        )
    except (ValueError, pa.ArrowException):
        return None
    if b"\n\n" in block or block[:1] == b"\n" or b"\r" in block:
        feeds = [i for i, raw in enumerate(block.split(b"\n")) if raw.strip()]
    else:
        feeds = list(range(block.count(b"\n") + (not block.endswith(b"\n"))))
    if len(feeds) != table.num_rows:
        return None
    columns: dict[Path, pa.Array] = {}
    for name in table.column_names:
        if not _flatten(columns, ("", name), table.column(name).combine_chunks()):
            return None
    rows = np.arange(len(feeds), dtype=np.int64)
    return columns, np.asarray(feeds, dtype=np.int64) + line, rows


def _flatten(columns: dict[Path, pa.Array], path: Path, column: pa.Array) -> bool:
    """Put the texts of a column; false where its numbers lose digits or its texts are too long."""
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks)
    if pa.types.is_struct(column.type):
        names = [column.type.field(i).name for i in range(column.type.num_fields)]
        parts = zip(names, column.flatten(), strict=True)
        return all(_flatten(columns, (*path, name), part) for name, part in parts)
    if pa.types.is_floating(column.type):
        coded = column.dictionary_encode()
        values = coded.dictionary.to_numpy(zero_copy_only=False)
        if not (np.isfinite(values).all() and (np.abs(values) < 2**53).all()):
            return False
        texts = pa.array([cell(value) for value in values.tolist()] or [""], pa.string())
        columns[path] = texts.take(coded.indices).fill_null("")
    elif pa.types.is_boolean(column.type):
        columns[path] = column.cast(pa.string()).fill_null("")
    else:
        if (pc.max(pc.binary_length(column)).as_py() or 0) > bounds().field:
            return False
        columns[path] = column.fill_null("")
    return True


def _events(columns: Mapping[str, pa.Array]) -> dict[str, Any] | None:
    """How a stream of events of several kinds becomes a table of moves; None where it is no such stream."""
    by_fold = {name.casefold(): name for name in columns}
    for word in DISCRIMINATORS:
        if word in by_fold:
            events = _events_by(columns, by_fold[word])
            if events is not None:
                return events
    return None


def _events_by(columns: Mapping[str, pa.Array], column: str) -> dict[str, Any] | None:
    codes, kinds = by_value(columns[column])
    if not 2 <= len(kinds) <= 20:
        return None
    filled = {name: np.asarray(pc.not_equal(cells, "")) for name, cells in columns.items() if name != column}
    has = {
        kind: [name for name, full in filled.items() if full[codes == i].any()]
        for i, kind in enumerate(kinds)
    }
    if all(set(names) == set(has[kinds[0]]) for names in has.values()):
        return None

    def moves(kind: str) -> tuple[bool, bool, int]:
        words = {singular(word) for word in re.split(r"[^A-Za-z]+", kind)}
        own = any(singular(name) in MOVES for name in has[kind])
        return own, bool(words & MOVES), int((codes == kinds.index(kind)).sum())

    of = max(kinds, key=moves)
    if not any(moves(of)[:2]):
        return None
    events: dict[str, Any] = {
        "column": column,
        "of": of,
        "join": [],
        "constant": [],
        "section": [],
        "left": [],
    }
    shared = {kind: [n for n in has[of] if n in has[kind] and names_rows(n)] for kind in kinds}
    counts = np.bincount(codes, minlength=len(kinds))
    for i, kind in enumerate(kinds):
        if kind == of or not kind:
            continue
        if not shared[kind] and counts[i] > 1 and _SECTION.search(kind):
            events["section"].append(kind)
    sections = _sections(codes, kinds, events["section"])
    for i, kind in enumerate(kinds):
        if kind == of or kind in events["section"]:
            continue
        keys = _keys(columns, shared[kind], sections)[codes == i]
        if not set(has[kind]) - set(shared[kind]):
            events["left"].append(kind)
        elif shared[kind] and len(np.unique(keys)) == len(keys):
            events["join"].append({"of": kind, "on": shared[kind]})
        elif not shared[kind] and counts[i] == 1:
            events["constant"].append(kind)
        else:
            events["left"].append(kind)
    return events


def _sections(codes: NDArray[np.intp], kinds: Sequence[str], starts: Sequence[str]) -> NDArray[np.int64]:
    """(n,), how many sections had begun at each row."""
    if not starts:
        return np.zeros(len(codes), dtype=np.int64)
    return (
        np.cumsum(codes == kinds.index(starts[0])) if starts[0] in kinds else np.zeros(len(codes), np.int64)
    )


def _keys(columns: Mapping[str, pa.Array], on: Sequence[str], sections: NDArray[np.int64]) -> NDArray[Any]:
    """(n,), the values of some columns as one text."""
    parts = [pa.array(sections).cast(pa.string()), *(columns[name] for name in on)]
    return np.asarray(pc.binary_join_element_wise(*parts, "\x1f").to_numpy(zero_copy_only=False))


def _moves_of(
    columns: Mapping[str, pa.Array], events: Mapping[str, Any], paths: Mapping[str, str]
) -> tuple[dict[str, pa.Array], NDArray[np.intp], list[str]]:
    """The rows of moves with what other events say of them, their rows among all events, and notes."""
    codes, kinds = by_value(columns[events["column"]])
    at = np.flatnonzero(codes == kinds.index(events["of"]))
    sections = _sections(codes, kinds, events["section"])
    result: dict[str, pa.Array] = {}
    notes = [f"events {events['of']} are the moves"]

    def cells(kind: str) -> list[str]:
        mask = pa.array(codes == kinds.index(kind))
        return [
            name
            for name, column in columns.items()
            if name != events["column"] and pc.any(pc.not_equal(column.filter(mask), "")).as_py()
        ]

    def put(kind: str, names: Iterable[str], rows: NDArray[np.intp]) -> None:
        single = dict.fromkeys(names)
        for parent, agents, seat in _by_agent(single, paths, result) if kind else []:
            own = result[seat].to_numpy(zero_copy_only=False)
            picked = np.full(len(at), "", dtype=object)
            for agent, name in agents.items():
                mine = (own == agent) & (rows >= 0)
                picked[mine] = columns[name].take(pa.array(rows[mine])).to_numpy(zero_copy_only=False)
                del single[name]
            called = parent if parent not in result else f"{kind}_{parent}"
            result[called] = pa.array(picked, pa.string())
        for name in single:
            called = name if name not in result else f"{kind}_{name}"
            picked = columns[name].take(pa.array(rows, mask=rows < 0))
            result[called] = picked.fill_null("")

    put("", cells(events["of"]), at)
    if events["section"] and events["section"][0] in kinds:
        result.setdefault("section", pa.array(sections[at]).cast(pa.string()))
    for join in events["join"]:
        if join["of"] not in kinds:
            continue
        rows = np.flatnonzero(codes == kinds.index(join["of"]))
        keys = _keys(columns, join["on"], sections)
        index = pd.Index(keys[rows])
        unique = ~index.duplicated()
        place = index[unique].get_indexer(pd.Index(keys[at]))
        put(
            join["of"],
            (n for n in cells(join["of"]) if n not in join["on"]),
            np.where(place < 0, -1, rows[unique][place]),
        )
        notes.append(f"events {join['of']} stand beside the move of the same {', '.join(join['on'])}")
    for kind in (*events["constant"], *events["section"]):
        if kind not in kinds:
            continue
        rows = np.flatnonzero(codes == kinds.index(kind))
        if kind in events["constant"]:
            last = np.full(len(at), rows[0])
        else:
            place = np.searchsorted(rows, at, side="right") - 1
            last = np.where(place < 0, -1, rows[place])
        put(kind, cells(kind), last)
        notes.append(
            f"event {kind} holds for all moves" + ("" if kind in events["constant"] else " below it")
        )
    gone = [
        k for k in kinds if k and k != events["of"] and k not in (*events["constant"], *events["section"])
    ]
    for kind in gone:
        if kind not in [join["of"] for join in events["join"]]:
            n = int((codes == kinds.index(kind)).sum())
            notes.append(f"left out: {n:,} events {one_line(kind, 40)}, which belong to no move")
    return result, at, notes


def _by_agent(
    names: Iterable[str], paths: Mapping[str, str], moves: Mapping[str, pa.Array]
) -> list[tuple[str, dict[str, str], str]]:
    """Fields of an event with a value for each agent: their word, agent -> column, the column of agents."""
    groups: dict[str, dict[str, str]] = {}
    for name in names:
        parent, _, agent = paths.get(name, name).rpartition(".")
        if parent.strip("."):
            groups.setdefault(parent, {})[agent] = name
    sides = []
    for parent, agents in groups.items():
        for seat, column in moves.items():
            if singular(seat) in SEATS and set(by_value(column)[1]) <= agents.keys():
                word = parent.rpartition(".")[2]
                sides.append((singular(word) if singular(word) in ROLES else word, agents, seat))
                break
    return sides


_NAMES = frozenset(["", "name", "id", "label", *SEATS])
"""What is left of the names of fields that name the agents, once the agent's key is taken off."""

_AGENTS = 20


def _named_agents(columns: dict[str, pa.Array], cells: _Cells) -> tuple[dict[str, pa.Array], list[str]]:
    """The table with what stands above the rows for each agent by its key: names, models, personas.

    Where rows are by the keys of agents (``player1``) and fields above are called after these keys
    (``player1``, ``player_1_name``, ``players`` of as many), the names are the players, the keys the seats.
    """
    seat = next((name for name in columns if singular(name) in SEATS), None)
    if seat is None:
        return columns, []
    codes, keys = by_value(columns[seat])
    if not 2 <= len(keys) <= _AGENTS or "" in keys:
        return columns, []
    forms: dict[str, dict[str, str]] = {}
    for path, name in cells.names.items():
        for key in keys if name in columns and name != seat else ():
            form = _without_key(path, key, keys.index(key) + 1)
            if form is not None:
                forms.setdefault(form, {})[key] = name
    own: dict[str, pa.Array] = {}
    notes: list[str] = []
    for form, agents in forms.items():
        if len(agents) == len(keys) and form in _NAMES | FACTS:
            parts = [columns[agents[key]].to_numpy(zero_copy_only=False) for key in keys]
            texts = pa.array(np.select([codes == i for i in range(len(keys))], parts, ""), pa.string())
            alike = any((one == two).any() for i, one in enumerate(parts) for two in parts[:i])
            word = form if form in FACTS else "model" if alike else seat
            if word not in own and (word == seat or word not in columns):
                own[word] = texts
                columns = {name: column for name, column in columns.items() if name not in agents.values()}
                notes.append(f"{', '.join(agents.values())} are the {word} of {', '.join(keys)}")
    beside = [name for name in columns if name != seat and singular(name.rstrip("_")) in _NAMES - {"id"}]
    if cells.by_key and seat not in own and len(beside) == 1:
        names = np.array(columns[beside[0]].to_pylist())
        alike = (names[1:] == names[:-1]) & (codes[1:] == codes[:-1] + 1)
        word = "model" if alike.any() and "model" not in columns else seat
        own[word] = columns[beside[0]]
        notes.append(f"{beside[0]} beside the keys {', '.join(keys)} is the {word}")
        columns = {name: column for name, column in columns.items() if name != beside[0]}
    if "model" in own and seat not in own and "seat" not in columns and are_numbers(keys):
        whose = {(i, model) for i, model in zip(codes.tolist(), own["model"].to_pylist(), strict=True)}
        if len(whose) > len(keys):  # the keys are seats, which models change
            columns = {name: column for name, column in columns.items() if name != seat}
            own["seat"] = pa.array((codes + 1).astype(str), pa.string())
    if seat in own and {*by_value(own[seat])[1]} <= {*keys, ""}:
        del own[seat]
    elif seat in own and "seat" not in columns:
        own["seat"] = pa.array((codes + 1).astype(str), pa.string())
    return {**columns, **own}, notes


def _without_key(path: str, key: str, number: int) -> str | None:
    """The word that is left of a path without an agent's key or number; None where it has none."""
    parts = [part for part in path.split(".") if part]
    listed = re.fullmatch(r"(.+)_(\d+)", parts[-1]) if parts else None
    for at, part in enumerate(parts):
        match = re.fullmatch(rf"(?:(.*?)[_ .-])?{re.escape(key)}(?:[_ .-](.*))?", part, re.IGNORECASE)
        if match and at >= len(parts) - 2:
            words = [w for w in (match[1], match[2], *parts[at + 1 :]) if w]
            return singular("_".join(words))
    if listed and int(listed[2]) == number and singular(listed[1]) in _NAMES:
        return "name"
    return None


def _finished(source: Source, cells: _Cells, plan: Mapping[str, Any]) -> tuple[TidyTable, list[str]]:
    """The table, and what was done to a stream of events."""
    columns, at = cells.columns, None
    notes: list[str] = []
    events = plan.get("events")
    if events:
        needed = {events["column"], *(name for join in events["join"] for name in join["on"])}
        missing = sorted(needed - columns.keys())
        if missing:
            raise DataError(located(source.path, f"no field {missing[0]!r}, by which events are told apart"))
        if events["of"] not in by_value(columns[events["column"]])[1]:
            raise DataError(located(source.path, f"no event {events['of']!r} in field {events['column']!r}"))
        columns, at, notes = _moves_of(columns, events, {name: path for path, name in cells.names.items()})

    columns, named = ({**columns}, []) if events else _named_agents(columns, cells)
    notes += named

    def own(row: int) -> int:
        return row if at is None else int(at[row])

    def line(row: int) -> int | None:
        return None if cells.lines is None else int(cells.lines[own(row)])

    def text(row: int) -> str:
        number = line(row)
        if number is not None:
            return source.legible.line(number)
        values = ", ".join(f"{name}={column[row].as_py()}" for name, column in columns.items())
        return f"{cells.place(own(row))}: {values}"

    return TidyTable(columns, line, text), notes
