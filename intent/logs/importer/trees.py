"""JSON of any tree, and JSON lines, to tables of cells.

A tree becomes a table in steps. Each step goes along one axis, as arrays have them: the items of a list, the
keys of an object whose values are alike (agents, rounds, games), fields of a record that hold the moves of
several agents, or the letters of a text. What runs beside the axis (payoffs beside moves, models beside
agents) is joined by position or by key; what stands above it is repeated in every row below. The steps are
a plan, which JSON can hold and which reads other files alike.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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

from intent.base.errors import DataError, LimitError, located, one_line, shorten
from intent.base.files import TextFile, beyond, bounds, raising
from intent.base.json_text import check_json, json_value
from intent.logs.gamelog import Rejects
from intent.logs.readers.arrays import TidyTable, by_value
from intent.logs.readers.reader import Source

__all__ = ["TreeTable", "holds_json", "table_of_plan", "tables_of_json"]

_SAMPLE = 1000
"""Values of one place by which a plan is made."""

_CANDIDATES = 8
_STEPS = 8
_FEW = 10
"""Agents of a game, at most, where a list or a record is taken to hold one value of each."""

_BLOCK = 16 * 1024**2
_HEAD = 50

_MOVES = {"action", "choice", "move", "decision", "answer", "own", "other"}
_AMOUNTS = {"payoff", "score", "point", "reward", "utility", "earning", "penalty", "profit"}
_TEXTS = {"message", "reason", "reasoning", "rationale", "thought", "reply", "response", "prompt", "advice"}
_FACTS = {"model", "persona", "language", "strategy", "temperature", "seed"}
_ROLES = _MOVES | _AMOUNTS | _TEXTS
_SEATS = {"agent", "player", "subject", "participant", "seat", "name", "bot", "person", "side"}
_ROUNDS = {"round", "period", "turn", "trial", "stage", "iteration", "history", "t", "round_number"}
_GAMES = {"game", "match", "session", "episode", "run", "pair", "group", "supergame", "experiment", "repetition"}
_GENERIC = {"data", "item", "record", "row", "result", "list", "log", "value", "entry", "info", "meta", "metadata"}
_INITIALS = {"g": "game", "m": "match", "r": "round", "t": "round", "p": "player"}
_CONTAINERS = _SEATS | _ROUNDS | _GAMES | {"model", "condition"}
_ID = re.compile(r"(?:.*[_ ])?(?:id|uuid|key|index|number|no)", re.IGNORECASE)
_NUMBERED = re.compile(r"([A-Za-z]*)[_ -]?(\d{1,9})")
_DISCRIMINATORS = ("event", "event_type", "type", "kind", "record", "record_type", "msg_type", "op")
_SECTION = re.compile(r"start|begin|new|setup|config|init|meta|header", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class TreeTable:
    """A table that lies in a tree.

    Parameters
    ----------
    table : TidyTable
    path : str
        Where it lies, as ``games[].rounds[]``.
    how : tuple of str
        What was done to make it, in words.
    plan : dict
        What JSON can hold, for `table_of_plan`.
    """

    table: TidyTable
    path: str
    how: tuple[str, ...]
    plan: dict[str, Any]


def holds_json(source: Source) -> bool:
    """Whether a text begins as JSON does, with a list or an object."""
    return source.kind == "text" and source.text.data[:4096].lstrip()[:1] in (b"{", b"[")


def tables_of_json(source: Source, rejects: Rejects) -> tuple[TreeTable, ...]:
    """The tables that lie in a file of JSON or JSON lines; the likeliest to hold moves by round comes first.

    Parameters
    ----------
    source : Source of kind text
    rejects : Rejects
        Gets what the first table leaves out: lines that are no JSON, places that are unlike all others.
        Another table is read with its own by `table_of_plan`.

    Raises
    ------
    DataError
        The file is no JSON, names a key twice, holds a number that is none, or no list of records.
    LimitError
        More rows, columns or text than `Bounds` allows.
    """
    lines = _is_lines(source.text)
    start = _some_lines(source.text) if lines else _document(source.text)
    tables: list[TreeTable] = []
    for steps, how in _plans(start):
        plan: dict[str, Any] = {"lines": lines, "steps": steps}
        spare = Rejects(source.path)
        try:
            cells = _cells(source, plan, spare if tables else rejects, None if lines else start)
        except LimitError:
            raise
        except DataError:
            if tables:
                continue
            raise
        events = _events(cells.columns) if len(steps) == 1 else None
        if events is not None:
            plan["events"] = events
        plan["names"] = cells.names
        table, notes = _finished(source, cells, plan)
        tables.append(TreeTable(table, _path_of(steps), (*how, *cells.notes, *notes), plan))
    if not tables:
        raise DataError(
            located(source.path, "JSON without a list of records, expected one with moves by round")
        )
    return tuple(tables)


def table_of_plan(source: Source, plan: Mapping[str, Any], rejects: Rejects) -> TidyTable:
    """The table of a file that lies where a plan says; columns keep the names that they have in the plan.

    Raises
    ------
    DataError
        As `tables_of_json`, or the plan is none of its, or nothing in the file is as it says.
    """
    try:
        plan = _checked(plan)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DataError(located(source.path, f"no plan for a tree: {shorten(plan)}")) from None
    cells = _cells(source, plan, rejects, None)
    return _finished(source, cells, plan)[0]


def _checked(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A plan as it was made, whoever kept it."""
    steps = []
    for step in plan["steps"]:
        if step["axis"] not in ("list", "keys", "fields", "letters") or step["items"] not in _ITEMS:
            raise ValueError
        beside = [
            {"ref": _ref(w["ref"], len(steps)), "by": str(w["by"]), "as": str(w["as"])} for w in step["with"]
        ]
        steps.append(
            {
                "axis": step["axis"],
                "lead": _ref(step["lead"], len(steps)),
                "items": step["items"],
                "name": None if step["name"] is None else str(step["name"]),
                "value": str(step["value"]),
                "keys": [str(key) for key in step["keys"]],
                "with": beside,
            }
        )
    if not 0 < len(steps) <= _STEPS:
        raise ValueError
    names = {str(path): str(name) for path, name in dict(plan.get("names") or {}).items()}
    checked: dict[str, Any] = {"lines": bool(plan["lines"]), "steps": steps, "names": names}
    if plan.get("events"):
        events = plan["events"]
        checked["events"] = {
            "column": str(events["column"]),
            "of": str(events["of"]),
            "join": [{"of": str(j["of"]), "on": [str(on) for on in j["on"]]} for j in events["join"]],
            "constant": [str(one) for one in events["constant"]],
            "section": [str(one) for one in events["section"]],
            "left": [str(one) for one in events["left"]],
        }
    return checked


_ITEMS = ("object", "value", "nested")
"""What stands along an axis: records, values or lists, or objects whose keys are an axis of their own."""


def _ref(ref: Sequence[Any], level: int) -> list[Any]:
    if not 0 <= int(ref[0]) <= level:
        raise ValueError
    return [int(ref[0]), *(str(key) for key in ref[1:])]




_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\],:"]+')


def _document(text: TextFile) -> Any:
    """The value of a whole file.

    Raises
    ------
    DataError
        It is no JSON, or goes beyond the bounds.
    """
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
            seen = keys[-1] if keys else None
            if seen is not None and data[match.end() : match.end() + 100].lstrip()[:1] == b":":
                if token in seen:
                    break
                seen.add(token)
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
    return lines > 1 and 2 * good > lines


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


def _line_values(text: TextFile, start: int, stop: int, line: int, rejects: Rejects) -> Iterator[tuple[int, Any]]:
    """Line and value of the lines between two places of a text, whose first one has the number `line`."""
    for raw in text.data[start:stop].split(b"\n"):
        if raw.strip():
            reason = ""
            try:
                value = json_value(raw, unique=True, finite=True)
                if not isinstance(value, dict | list):
                    reason = f"{shorten(value, 40)}, expected an object of JSON"
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


Path = tuple[str, ...]
Stack = tuple[dict[str, Any], ...]


class _Level:
    """What was met at one step of a plan: a row for each, its cells, and the row above it."""

    def __init__(self) -> None:
        self.columns: dict[Path, list[Any]] = {}
        self.above: list[int] = []
        self.labels: list[str] = []

    def put(self, path: Path, value: Any) -> None:
        column = self.columns.get(path)
        if column is None:
            column = self.columns[path] = []
            if len(self.columns) > bounds().columns:
                raise LimitError(f"more than {bounds().columns:,} columns; {raising('columns')}")
        row = len(self.above) - 1
        if len(column) < row:
            column.extend([None] * (row - len(column)))
        column.append(value)


class _Walk:
    """Goes through a tree as the steps of a plan say.

    Parameters
    ----------
    steps : list of steps of a plan
    refuse : callable of (place, reason)
    """

    def __init__(self, steps: Sequence[Mapping[str, Any]], refuse: Callable[[str, str], None]) -> None:
        self.steps, self.refuse = steps, refuse
        self.levels = [_Level() for _ in range(len(steps) + 1)]
        self.left: Counter[str] = Counter()
        used: list[set[Path]] = [set() for _ in range(len(steps) + 1)]
        self.prefixes: list[Path] = [()]
        for step in steps:
            for ref in (step["lead"], *(w["ref"] for w in step["with"])):
                used[ref[0]].add(tuple(ref[1:]))
            if step["axis"] == "fields":
                used[step["lead"][0]].update((*step["lead"][1:], key) for key in step["keys"])
            prefix = self.prefixes[step["lead"][0]]
            keys = step["lead"][1:] if step["items"] == "object" else step["lead"][1:-1]
            self.prefixes.append((*prefix, *keys))
        self.used = used

    def go(self, root: dict[str, Any], label: str = "$") -> None:
        self._visit(0, (root,), -1, label)

    def _visit(self, level: int, stack: Stack, above: int, label: str) -> None:
        here = self.levels[level]
        here.above.append(above)
        here.labels.append(label)
        row = len(here.above) - 1
        self._collect(here, stack[-1], self.prefixes[level], (), self.used[level])
        if level == len(self.steps):
            if row >= bounds().rows:
                raise LimitError(f"more than {bounds().rows:,} rows; {raising('rows')}")
            return
        step = self.steps[level]
        place = None
        for name, child in children(step, stack, self.refuse_at(level, row, step)):
            self._visit(level + 1, (*stack, child), row, name)
            place = name
        if place is None and not _get(stack[step["lead"][0]], step["lead"][1:]) and step["axis"] != "fields":
            self.refuse(self.place(level, row), f"no {_shown(step['lead'][1:])}, expected some")

    def refuse_at(self, level: int, row: int, step: Mapping[str, Any]) -> Callable[[str, str], None]:
        return lambda label, reason: self.refuse(f"{self.place(level, row)}{label}", reason)

    def place(self, level: int, row: int) -> str:
        """Where a row is, as ``$.games[3].rounds[1]``."""
        labels = []
        while level >= 0:
            labels.append(self.levels[level].labels[row])
            row = self.levels[level].above[row]
            level -= 1
        return "".join(reversed(labels))

    def _collect(
        self, here: _Level, value: Mapping[str, Any], prefix: Path, inside: Path, used: set[Path]
    ) -> None:
        for key, cell in value.items():
            if (*inside, key) in used:
                continue
            if isinstance(cell, list) and len(cell) == 1 and not isinstance(cell[0], list):
                cell = cell[0]
            if isinstance(cell, dict):
                self._collect(here, cell, (*prefix, key), (*inside, key), used)
            elif not isinstance(cell, list):
                here.put((*prefix, key), cell)
            elif 0 < len(cell) <= _FEW and not any(isinstance(item, dict | list) for item in cell):
                for i, item in enumerate(cell, start=1):
                    here.put((*prefix, f"{key}_{i}"), item)
            elif cell:
                self.left[_shown((*prefix, key))] += 1

    def columns(self) -> tuple[dict[Path, pa.Array], NDArray[np.int64]]:
        """Cells of the rows of the last step, with those of all steps above them; and the rows of step 1."""
        at = np.arange(len(self.levels[-1].above), dtype=np.int64)
        first = at
        found: list[dict[Path, pa.Array]] = []
        for number in range(len(self.levels) - 1, -1, -1):
            here = self.levels[number]
            cells = {}
            for path, values in here.columns.items():
                values.extend([None] * (len(here.above) - len(values)))
                cells[path] = _taken(_text_array(values), at if number < len(self.levels) - 1 else None)
            found.append(cells)
            if number == 1:
                first = at
            at = np.asarray(here.above, dtype=np.int64)[at]
        columns: dict[Path, pa.Array] = {}
        for part in reversed(found):
            for path, texts in part.items():
                while path in columns:
                    path = (*path[:-1], f"{path[-1]}_")
                columns[path] = texts
        return columns, first


def _taken(column: pa.Array, at: NDArray[np.int64] | None) -> pa.Array:
    if at is None:
        return column
    lengths = pc.binary_length(column).to_numpy(zero_copy_only=False)
    most = bounds().unpacked_bytes
    if len(at) and int(lengths[at].sum(dtype=np.int64)) > most:
        raise LimitError(f"a text that stands in every row takes more than {most:,} bytes")
    return column.take(pa.array(at))


def _text(value: Any) -> str:
    """A value of JSON as a cell: whole numbers without point, empty where null."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    return str(value)


def _text_array(values: Sequence[Any]) -> pa.Array:
    try:
        return pa.array(values, pa.string()).fill_null("")
    except (pa.ArrowTypeError, pa.ArrowInvalid):
        return pa.array([_text(value) for value in values], pa.string())


def _shown(path: Iterable[str]) -> str:
    return one_line(".".join(part for part in path if part) or "list", 80)


def _get(value: Any, keys: Iterable[str]) -> Any:
    for key in keys:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def children(
    step: Mapping[str, Any], stack: Stack, refuse: Callable[[str, str], None]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What one step leads to, each with its place below the one above."""
    axis, keys = step["axis"], step["lead"][1:]
    lead = _get(stack[step["lead"][0]], keys)
    items = _items(axis, lead, step["keys"])
    if items is None:
        if lead is not None and lead != []:
            wanted = "a list" if axis == "list" else "an object" if axis in ("keys", "fields") else "a text"
            refuse(f".{_shown(keys)}", f"{shorten(lead, 40)!r}, expected {wanted}")
        return
    beside = [(w["as"], _beside(w["by"], _get(stack[w["ref"][0]], w["ref"][1:]))) for w in step["with"]]
    shown = "".join(f".{key}" for key in keys if key)
    name, value, whole = step["name"], step["value"], step["items"] == "object"
    for i, (key, item) in enumerate(items):
        label = f"{shown}[{i}]" if axis in ("list", "letters") else f"{shown}.{key}"
        if whole and not isinstance(item, dict):
            refuse(label, f"{shorten(item, 40)!r}, expected an object")
            continue
        if step["items"] == "value" and isinstance(item, dict):
            refuse(label, f"{shorten(item, 40)}, expected a value or a list")
            continue
        child: dict[str, Any] = {} if name is None else {name: key}
        child |= item if whole else {value: item}
        for called, at in beside:
            child[called] = at(i, key)
        yield label, child


def _items(axis: str, lead: Any, keys: Sequence[str]) -> Iterable[tuple[Any, Any]] | None:
    """Number or key, and value, along an axis; None where the value has no such axis."""
    if axis == "list":
        return enumerate(lead, start=1) if isinstance(lead, list) else None
    if axis == "letters":
        return enumerate(lead, start=1) if isinstance(lead, str) else None
    if not isinstance(lead, dict):
        return None
    if axis == "fields":
        return [(key, lead[key]) for key in keys if key in lead]
    return [(_plain_key(key), item) for key, item in lead.items()]


def _plain_key(key: str) -> str:
    """The number of a key such as ``round_3``; other keys as they are."""
    match = _NUMBERED.fullmatch(key)
    return match[2] if match and _singular(match[1]) in _ROUNDS else key


def _beside(by: str, value: Any) -> Callable[[int, Any], Any]:
    """What runs beside an axis, as a function of position and key."""
    if by == "position":
        items = value if isinstance(value, list) else []
        return lambda i, key: items[i] if i < len(items) else None
    if by == "key":
        if not isinstance(value, dict):
            return lambda i, key: None
        plain = {_plain_key(k): v for k, v in value.items()}
        return lambda i, key: plain.get(key)
    field = by.partition(":")[2]
    records = value if isinstance(value, list) else []
    by_name = {_text(r.get(field)): r for r in records if isinstance(r, dict)}
    return lambda i, key: by_name.get(_text(key))


def _singular(word: str) -> str:
    word = word.casefold()
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word


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
    """

    columns: dict[str, pa.Array]
    names: dict[str, str]
    notes: tuple[str, ...]
    lines: NDArray[np.int64] | None
    place: Callable[[int], str]


def _cells(source: Source, plan: Mapping[str, Any], rejects: Rejects, start: Any) -> _Cells:
    """Go through a file as a plan says."""
    try:
        if plan["lines"]:
            pieces, lines, left = _pieces_of_lines(source.text, plan["steps"], rejects)
            place: Callable[[int], str] = lambda row: ""  # noqa: E731
        else:
            value = _document(source.text) if start is None else start
            walk = _Walk(plan["steps"], lambda at, reason: rejects.add(None, f"{at}: {reason}", at))
            walk.go({"": value})
            pieces, lines, left = [walk.columns()[0]], None, walk.left
            last = walk.levels[-1]

            def place(row: int) -> str:
                return walk.place(len(walk.levels) - 1, row) if row < len(last.above) else ""

        n = sum(len(next(iter(piece.values()))) for piece in pieces if piece)
        paths = dict.fromkeys(path for piece in pieces for path in piece)
        if n * len(paths) > bounds().cells:
            raise beyond(source.path, f"{n:,} rows of {len(paths):,} columns", "cells")
    except LimitError as error:
        raise LimitError(str(error) if str(error).startswith(source.path.name) else located(source.path, str(error))) from None
    if not n:
        rejects.table(0)
        raise DataError(located(source.path, f"nothing lies at {_path_of(plan['steps'])}"))
    names = _names(list(paths), plan.get("names") or {})
    columns = {names[path]: _joined([piece.get(path) for piece in pieces], pieces) for path in paths}
    notes = [f"left out: {at} ({count:,} times), which is a list of its own" for at, count in left.items()]
    return _Cells(columns, {".".join(p): names[p] for p in paths}, tuple(notes), lines, place)


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
    taken: set[str] = set(known.values())
    for path, parts in plain.items():
        name = known.get(".".join(path))
        if name is None:
            name = parts[-1] if ends[parts[-1].casefold()] == 1 and parts[-1] not in taken else ".".join(parts)
            while name in taken:
                name += "_"
        names[path] = name
        taken.add(name)
    return names


def _pieces_of_lines(
    text: TextFile, steps: Sequence[Mapping[str, Any]], rejects: Rejects
) -> tuple[list[dict[Path, pa.Array]], NDArray[np.int64], Counter[str]]:
    """Tables of the blocks of JSON lines, by Arrow where all lines are flat and alike, else one by one."""
    schema = _flat_schema(_some_lines(text)) if len(steps) == 1 and steps[0]["axis"] == "list" else None
    pieces, numbers = [], []
    left: Counter[str] = Counter()
    for start, stop, line in _blocks(text):
        block = None if schema is None else _flat_block(text.data[start:stop], schema, line)
        if block is None:
            block = _nested_block(text, (start, stop, line), steps, rejects, left)
        if block[0]:
            pieces.append(block[0])
            numbers.append(block[1])
    lines = np.concatenate(numbers) if numbers else np.zeros(0, dtype=np.int64)
    return pieces, lines, left


def _nested_block(
    text: TextFile,
    at: tuple[int, int, int],
    steps: Sequence[Mapping[str, Any]],
    rejects: Rejects,
    left: Counter[str],
) -> tuple[dict[Path, pa.Array], NDArray[np.int64]]:
    numbers: list[int] = []
    most = bounds().field

    def values() -> Iterator[Any]:
        for line, value in _line_values(text, *at, rejects):
            if _longest(value) > most:
                rejects.add(line, f"a field of more than {most:,} characters", text.line(line))
            else:
                numbers.append(line)
                yield value

    def refuse(place: str, reason: str) -> None:
        number = re.match(r"\$\[(\d+)\]", place)
        line = numbers[int(number[1])] if number else None
        rejects.add(line, f"{place[number.end() :] if number else place}: {reason}".lstrip(".: "), place)

    walk = _Walk(steps, refuse)
    walk.go({"": list(values())})
    columns, first = walk.columns()
    left.update(walk.left)
    labels = walk.levels[1].labels
    rows = np.array([int(label[1:-1]) for label in labels], dtype=np.int64)
    return columns, np.asarray(numbers, dtype=np.int64)[rows[first]] if len(first) else np.zeros(0, np.int64)


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


def _fields_of(values: Sequence[Any]) -> list[pa.Field]:
    by_name: dict[str, list[Any]] = {}
    for value in values:
        if not isinstance(value, dict):
            raise ValueError("no record")
        for key, cell in value.items():
            if cell is not None:
                by_name.setdefault(key, []).append(cell)
    kinds = []
    for name, cells in by_name.items():
        if isinstance(cells[0], dict):
            kinds.append(pa.field(name, pa.struct(_fields_of(cells))))
            continue
        kind = pa.bool_() if isinstance(cells[0], bool) else pa.string() if isinstance(cells[0], str) else pa.float64()
        wanted = {pa.bool_(): bool, pa.string(): str, pa.float64(): (int, float)}[kind]
        if not all(isinstance(c, wanted) and isinstance(c, bool) == (kind == pa.bool_()) for c in cells):
            raise ValueError("values of several kinds")
        kinds.append(pa.field(name, kind))
    return kinds


def _flat_block(
    block: bytes, schema: pa.Schema, line: int
) -> tuple[dict[Path, pa.Array], NDArray[np.int64]] | None:
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
    return columns, np.asarray(feeds, dtype=np.int64) + line


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
        texts = pa.array([_text(value) for value in values.tolist()] or [""], pa.string())
        columns[path] = texts.take(coded.indices).fill_null("")
    elif pa.types.is_boolean(column.type):
        columns[path] = column.cast(pa.string()).fill_null("")
    else:
        if (pc.max(pc.binary_length(column)).as_py() or 0) > bounds().field:
            return False
        columns[path] = column.fill_null("")
    return True


@dataclass(frozen=True, eq=False)
class _Part:
    """What lies at one path below the objects of a level: one value for each of them, None where absent."""

    path: Path
    kind: str
    values: list[Any]

    @cached_property
    def present(self) -> list[Any]:
        return [value for value in self.values if value is not None]

    @cached_property
    def items(self) -> list[Any]:
        """What its lists or objects hold, of some of them."""
        holders = self.present[:_SAMPLE]
        if self.kind == "list":
            return [item for one in holders if isinstance(one, list) for item in one[:_SAMPLE]]
        return [item for one in holders if isinstance(one, dict) for item in list(one.values())[:_SAMPLE]]

    @property
    def name(self) -> str:
        """Last word of the path, in singular."""
        return _singular(self.path[-1]) if self.path else ""

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Lengths of its lists; -1 where there is none."""
        return tuple(len(v) if isinstance(v, list) else -1 for v in self.values)

    @cached_property
    def keys(self) -> tuple[tuple[str, ...], ...]:
        """Sorted keys of its objects."""
        return tuple(tuple(sorted(map(_plain_key, v))) if isinstance(v, dict) else () for v in self.values)

    @property
    def holds_objects(self) -> bool:
        return any(isinstance(item, dict) for item in self.items)

    @property
    def is_seats(self) -> bool:
        """Whether it is a plain list of agents: names, or records without lists of their own."""
        plain = not any(_has_list(item) for item in self.items[:_HEAD])
        return self.kind == "list" and self.name in _SEATS | {"model", "persona"} and plain


def _has_list(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_has_list(item) for item in value.values())
    return isinstance(value, list) and len(value) > 1


def _parts(objects: Sequence[Any], inside: Path = ()) -> list[_Part]:
    """What lies below the objects of a level, in order; records within records are looked into."""
    keys = dict.fromkeys(key for one in objects if isinstance(one, dict) for key in one)
    if len(keys) > bounds().columns:
        raise LimitError(f"more than {bounds().columns:,} columns; {raising('columns')}")
    parts: list[_Part] = []
    for key in keys:
        path = (*inside, key)
        values = [one.get(key) if isinstance(one, dict) else None for one in objects]
        present = [value for value in values if value is not None]
        lists = sum(isinstance(value, list) for value in present)
        dicts = [value for value in present if isinstance(value, dict)]
        if 2 * lists > len(present):
            part = _Part(path, "list", values)
            if max(part.sizes) == 1 and not part.holds_objects and not any(isinstance(i, list) for i in part.items):
                part = _Part(path, "scalar", values)
            parts.append(part)
        elif 2 * len(dicts) > len(present):
            if _is_map(key, dicts, path == ("",)):
                parts.append(_Part(path, "map", values))
            else:
                parts += _parts(values, path)
        else:
            parts.append(_Part(path, "scalar", values))
    return parts


def _is_map(name: str, dicts: Sequence[dict[str, Any]], top: bool) -> bool:
    """Whether the keys of objects are values (agents, rounds, games) and not names of fields."""
    keys = dict.fromkeys(key for one in dicts for key in one)
    words = {_singular(key) for key in keys}
    known = _singular(name) in _CONTAINERS | _ROLES | _FACTS
    if not keys or words & (_ROLES | _FACTS | _ROUNDS | _GENERIC) or (len(keys) == 1 and not known):
        return False
    items = [item for one in dicts[:_SAMPLE] for item in list(one.values())[:_SAMPLE] if item is not None]
    kinds = {_kind(item) for item in items}
    if len(kinds) != 1:
        return False
    kind = kinds.pop()
    numbered = [_NUMBERED.fullmatch(key) for key in list(keys)[:_SAMPLE]]
    if all(numbered) and len({m[1] for m in numbered if m}) == 1 and (kind in ("dict", "list") or known):
        return True
    if kind == "dict":
        if words & (_CONTAINERS - _SEATS) and len(keys) < _FEW:
            return False
        fields = [set(item) for item in items[:_SAMPLE]]
        every = set().union(*fields)
        return bool(every) and sum(len(f) for f in fields) >= 0.5 * len(every) * len(fields)
    if kind == "list":
        inner = {_kind(i) for item in items for i in item[:_FEW]}
        if len(inner) > 1 or words & _CONTAINERS:
            return False
        if inner == {"str"} and not known:
            letters = [{_text(i) for i in item} for item in items]
            return len(set().union(*letters)) <= _FEW
        return known or inner == {"list"} or (top and inner == {"dict"})
    return known and len(keys) > 1


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, int | float) else type(value).__name__


Plan = tuple[list[dict[str, Any]], tuple[str, ...]]


def _plans(start: Any) -> list[Plan]:
    """Steps and reasons of the tables of a tree, the likeliest to hold moves by round first."""
    found: list[tuple[float, int, Plan]] = []

    def grow(stacks: list[Stack], steps: list[dict[str, Any]], how: tuple[str, ...]) -> None:
        if len(found) >= 4 * _CANDIDATES:
            return
        options = _options(stacks, steps) if len(steps) < _STEPS else []
        if steps and all(small for _, _, small in options):
            found.append((_likelihood(stacks, steps), -len(found), (steps, how)))
        for step, reason, _ in options:
            below = _below(step, stacks)
            if below:
                grow(below, [*steps, step], (*how, reason))

    grow([({"": start},)], [], ())
    found.sort(key=lambda one: one[:2], reverse=True)
    return [plan for _, _, plan in found[:_CANDIDATES]]


def _below(step: Mapping[str, Any], stacks: Sequence[Stack]) -> list[Stack]:
    """Some of what a step leads to, from all over it."""
    each = max(4, 4 * _SAMPLE // max(1, len(stacks)))
    below: list[Stack] = []
    for stack in stacks:
        some: list[Stack] = []
        for _, child in children(step, stack, lambda place, reason: None):
            some.append((*stack, child))
            if len(some) >= max(each, 4 * _SAMPLE if len(stacks) < 4 else 0):
                break
        below += some
    return below if len(below) <= _SAMPLE else [below[i] for i in np.linspace(0, len(below) - 1, _SAMPLE).astype(int)]


Option = tuple[dict[str, Any], str, bool]
"""A step, the reason for it, and whether a table without it is worth looking at, too."""


def _options(stacks: list[Stack], steps: list[dict[str, Any]]) -> list[Option]:
    level = len(steps)
    used = {tuple(w["ref"]) for step in steps for w in step["with"]}
    above = [
        (at, part)
        for at in range(level)
        for part in _parts([stack[at] for stack in stacks])
        if (at, *part.path) not in used and [at, *part.path] not in [step["lead"] for step in steps]
    ]
    parts = _parts([stack[-1] for stack in stacks])
    agents = _agents(stacks, above, parts)
    options: list[Option] = []
    if level and _is_stream([stack[-1] for stack in stacks]):
        return []
    spent: set[Path] = set()
    across = _fields(parts, agents, steps)
    if whole := _record_fields([stack[-1] for stack in stacks]):
        sides = _beside_keys(tuple(whole for _ in stacks), [(level, p) for p in parts if p.path[0] not in whole] + above, level)
        spent |= {p.path for p in parts if p.path[0] in whole}
        options.append(_across(whole, sides, level, "object"))
    if across is not None:
        names = tuple(part.path[0] for part in across)
        sides = _beside_keys(tuple(names for _ in stacks), [(level, p) for p in parts if p not in across] + above, level)
        spent |= {tuple(w["ref"][1:]) for w in sides if w["ref"][0] == level}
        options.append(_across(names, sides, level, "value"))
    groups = _grouped([p for p in parts if p.kind in ("list", "map") and p.path not in spent])
    several = any(not all(p.is_seats for p in group) for group in groups)
    for group in groups:
        if all(p.is_seats and not p.holds_objects for p in group) and (several or across is not None):
            continue
        options.append(_along(group, parts, above, stacks, steps))
    if not options and (letters := _lettered(parts, above, agents, level)):
        options.append(letters)
    return options


def _is_stream(records: Sequence[dict[str, Any]]) -> bool:
    """Whether records are events of several kinds."""
    for word in _DISCRIMINATORS:
        fields: dict[str, set[str]] = {}
        for record in records:
            kind = record.get(word)
            if not isinstance(kind, str):
                break
            fields.setdefault(kind, set()).update(record)
        else:
            every = list(fields.values())
            if 2 <= len(every) <= 20 and any(one != every[0] for one in every):
                return True
    return False


def _agents(stacks: list[Stack], above: Sequence[tuple[int, _Part]], parts: Sequence[_Part]) -> set[str]:
    """Texts that name agents somewhere in the tree, as far as it was gone through."""
    names: set[str] = set()
    for part in [*(p for _, p in above), *parts]:
        if part.kind == "list" and part.name in _SEATS:
            for item in part.items[:_SAMPLE]:
                texts = item.values() if isinstance(item, dict) else [item]
                names |= {text for text in texts if isinstance(text, str)}
        elif part.kind == "map" and part.name not in _ROUNDS | _GAMES:
            names |= {key for one in part.present[:_HEAD] if isinstance(one, dict) for key in one}
    return names


def _grouped(parts: Sequence[_Part]) -> list[list[_Part]]:
    """Lists of the same lengths, and objects of the same keys: each group is one axis."""
    groups: dict[Any, list[_Part]] = {}
    for part in parts:
        groups.setdefault((part.kind, part.sizes if part.kind == "list" else part.keys), []).append(part)
    result: list[list[_Part]] = []
    for (kind, _), group in groups.items():
        seats = [part for part in group if part.is_seats]
        rest = [part for part in group if not part.is_seats]
        if kind == "list" and seats and any(map(_is_timed, rest)):
            result.append(seats)
            group = rest
        objects = [part for part in group if part.holds_objects]
        if kind == "list" and len(objects) > 1:
            result += [[part] for part in objects]
            group = [part for part in group if not part.holds_objects]
        if group:
            result.append(group)
    return result


def _is_timed(part: _Part) -> bool:
    """Whether a list as long as that of the agents has rounds for items all the same.

    Two rounds of two agents may be written either way; rounds are taken to come first.
    """
    first = [(one[0], len(one)) for one in part.present if isinstance(one, list) and one]
    if part.holds_objects:
        return part.name not in _SEATS
    if all(isinstance(item, list) or (isinstance(item, str) and len(item) > 1) for item, _ in first):
        return bool(first) and part.name not in _AMOUNTS and all(len(item) == size for item, size in first)
    return part.name in _ROUNDS


def _lead(group: Sequence[_Part]) -> _Part:
    objects = [part for part in group if part.holds_objects]
    moves = [part for part in group if part.name in _MOVES | {"history"}]
    deep = [part for part in group if any(isinstance(item, list) for item in part.items[:_HEAD])]
    return (objects or moves or deep or list(group))[0]


def _along(
    group: Sequence[_Part],
    parts: Sequence[_Part],
    above: Sequence[tuple[int, _Part]],
    stacks: Sequence[Stack],
    steps: Sequence[Mapping[str, Any]],
) -> Option:
    """The step along the axis of a group."""
    level, lead = len(steps), _lead(group)
    whole = lead.holds_objects
    nested = whole and _is_map(lead.path[-1], [item for item in lead.items if isinstance(item, dict)], False)
    whole = whole and not nested
    axis = "list" if lead.kind == "list" else "keys"
    beside = [_side(level, p, "position" if axis == "list" else "key") for p in group if p is not lead]
    others = [(level, p) for p in parts if p not in group] + list(above)
    by_round = any(step["name"] in _ROUNDS for step in steps) or any(
        str(key).casefold() in _ROUNDS - {"history"} for stack in stacks[:_HEAD] for one in stack for key in one
    )
    seats: list[dict[str, Any]] = []
    if axis == "keys":
        seats = _beside_keys(lead.keys, others, level)
        name = _key_name(lead, by_round, steps)
    else:
        few = 1 < max(lead.sizes) <= _FEW
        named = any(part.is_seats for part in group)
        inner = bool(steps) and steps[-1]["value"] == lead.path[-1]
        if few and not whole and (inner or lead.name not in _ROUNDS) and (by_round or level > 0):
            seats = [
                _side(at, part, "position", level)
                for at, part in others
                if part.kind == "list" and part.sizes == lead.sizes and (at < level or part.is_seats)
            ]
        name = None if named and not whole else _index_name(lead, level, by_round, bool(seats), steps)
        if seats and any(p.is_seats for at, p in others if [at, *p.path] in [s["ref"] for s in seats]):
            name = None
    fields = {key for item in lead.items if isinstance(item, dict) for key in item} if whole else set()
    value = lead.path[-1] or "value"
    if not whole and not nested and not any(isinstance(item, list) for item in lead.items):
        value = _item_name(lead)
    if name is not None:
        while name in fields or name == value:
            name += "_key" if axis == "keys" else "_index"
    beside = [_apart(side, fields | {value, name or ""}) for side in (*beside, *seats)]
    step = {
        "axis": axis,
        "lead": [level, *lead.path],
        "items": "object" if whole else "nested" if nested else "value",
        "name": name,
        "value": value,
        "keys": [],
        "with": beside,
    }
    shown = _shown(lead.path)
    called = f", its number in column {name}" if name else ""
    reason = f"{shown}: a row for each item{called}" if axis == "list" else f"keys of {shown}: column {name}"
    joined = sorted({str(side["as"]) for side in beside})
    reason += f"; beside it {', '.join(joined)}" if joined else ""
    small = not whole and level > 0 and axis == "list" and max(lead.sizes) <= _FEW and not any(
        isinstance(item, list) for item in lead.items
    )
    return step, reason, small


def _side(level: int, part: _Part, by: str, here: int | None = None) -> dict[str, Any]:
    """What runs beside an axis; what stands above it keeps the file's word, such as scores of a whole game."""
    summed = here is not None and level < here and part.name in _ROLES
    return {"ref": [level, *part.path], "by": by, "as": part.path[-1] if summed else _item_name(part)}


def _item_name(part: _Part) -> str:
    """What one item of a list is called: the singular, where the word is one that we know."""
    known = part.name in _ROLES | _FACTS | _SEATS and part.name != _singular("history")
    return part.name if known else part.path[-1]


def _apart(side: dict[str, Any], taken: set[str]) -> dict[str, Any]:
    name = side["as"]
    while name in taken:
        name += "_"
    taken.add(name)
    return {**side, "as": name}


def _index_name(
    lead: _Part, level: int, by_round: bool, seats: bool, steps: Sequence[Mapping[str, Any]]
) -> str | None:
    """What the number of an item is called; None where its records say it themselves."""
    if lead.holds_objects:
        fields = {str(key).casefold() for item in lead.items[:_HEAD] if isinstance(item, dict) for key in item}
        own = any(_ID.fullmatch(f) or f == lead.name or (f == "name" and lead.name in _SEATS) for f in fields)
        if fields & _ROUNDS - {"history"} or (lead.name not in _ROUNDS and own):
            return None
        if not lead.name:
            nested = any(_has_list(item) for item in lead.items[:_HEAD])
            return "game" if nested else "index"
        return "round" if lead.name == "history" else lead.name if lead.name in _CONTAINERS else "index"
    if lead.name in _ROUNDS and not any(step["name"] in _ROUNDS for step in steps):
        return "round"
    if lead.name in _SEATS | _GAMES:
        return lead.name
    if not lead.path[-1]:
        return "round" if not any(isinstance(item, list) for item in lead.items) or by_round else "game"
    return "seat" if by_round or seats else "round"


def _key_name(lead: _Part, by_round: bool, steps: Sequence[Mapping[str, Any]]) -> str:
    """What the keys of an object are called."""
    if any(step["name"] == lead.name for step in steps):  # agents below rounds that are keys
        return "player"
    keys = [key for one in lead.present[:_HEAD] if isinstance(one, dict) for key in one]
    numbered = [_NUMBERED.fullmatch(key) for key in keys]
    if all(numbered):
        word = _singular(numbered[0][1]) if numbered[0] else ""
        word = _INITIALS.get(word, word)
        if word in _CONTAINERS:
            return word
        if lead.name not in _CONTAINERS:
            return "player" if by_round or word else "round"
    if lead.name in _CONTAINERS:
        return "round" if lead.name == "history" else lead.name
    if lead.path[-1] == "":
        words = {_singular(k) for item in lead.items[:_HEAD] if isinstance(item, dict) for k in item}
        return "player" if words & _ROLES or not lead.holds_objects else "game" if words & _CONTAINERS else "key"
    return "player"


def _beside_keys(
    keys: tuple[tuple[str, ...], ...], others: Sequence[tuple[int, _Part]], level: int
) -> list[dict[str, Any]]:
    """What runs beside agents that are keys or fields: objects by key, records by name, short lists in order."""
    sides: list[dict[str, Any]] = []
    for at, part in others:
        pairs = list(zip(keys, part.values, strict=True))
        if part.kind == "map" and all(
            set(k) <= set(map(_plain_key, v)) for k, v in pairs if isinstance(v, dict)
        ):
            sides.append(_side(at, part, "key", level))
        elif part.kind == "list" and part.is_seats and part.holds_objects:
            field = _naming(pairs)
            if field is not None:
                sides.append(_side(at, part, f"field:{field}"))
        elif part.kind == "list" and not part.is_seats and not part.holds_objects and all(
            len(v) == len(k) <= _FEW for k, v in pairs if isinstance(v, list) and k
        ):
            sides.append(_side(at, part, "position", level))
    return sides


def _naming(pairs: Sequence[tuple[tuple[str, ...], Any]]) -> str | None:
    """The field of records whose values are the keys."""
    records = [(set(keys), value) for keys, value in pairs[:_HEAD] if isinstance(value, list) and keys]
    fields = dict.fromkeys(f for _, value in records for r in value if isinstance(r, dict) for f in r)
    for name in fields:
        if records and all(
            keys <= {_text(r.get(name)) for r in value if isinstance(r, dict)} for keys, value in records
        ):
            return name
    return None


_WORDS = _ROLES | _FACTS | _CONTAINERS | {"opponent", "partner", "id", "status", "type", "kind", "winner"}
_TRUTHS = {"true", "false", "yes", "no", ""}


def _fields(
    parts: Sequence[_Part], agents: set[str], steps: Sequence[Mapping[str, Any]]
) -> list[_Part] | None:
    """Fields of records that hold the moves of agents, such as A and B; None where there are none."""
    scalars = [part for part in parts if part.kind == "scalar" and len(part.path) == 1]
    named = [part for part in scalars if part.path[0] in agents]
    if len(named) > 1 and _one_alphabet(named):
        return named
    timed = any(str(part.path[0]).casefold() in _ROUNDS for part in scalars) or any(
        step["name"] in _ROUNDS for step in steps
    )
    alone = bool(steps) and steps[-1]["name"] == "index" and len(steps) == 1
    if not (timed or alone):
        return None
    free = []
    for part in scalars:
        word = part.path[0]
        numbered = _NUMBERED.fullmatch(word)
        seat = numbered is not None and _singular(numbered[1]) in _SEATS
        if numbered is not None and not seat and _INITIALS.get(numbered[1].casefold()) != "player":
            continue
        twin = numbered is not None and any(
            other is not part and re.fullmatch(rf".*[^\d]{numbered[2]}", str(other.path[0]))
            for other in scalars
        )
        tokens = {_singular(token) for token in re.split(r"[^A-Za-z]+", word) if token}
        if (seat and not twin) or not tokens & _WORDS:
            free.append(part)
    best = [part for part in free if _letters([part]) and not _letters([part]) <= _TRUTHS]
    if 2 <= len(best) <= _FEW and _one_alphabet(best):
        return best
    return None


def _letters(parts: Sequence[_Part]) -> set[str]:
    """Distinct texts of some fields; empty where they hold more than moves would."""
    values = {value if isinstance(value, str) else None for part in parts for value in part.present}
    if None in values or len(values) > 4 or any(len(v) > 30 for v in values if v):
        return set()
    return {v for v in values if v}


def _one_alphabet(parts: Sequence[_Part]) -> bool:
    values = {_text(value) for part in parts for value in part.present}
    return 0 < len(values) <= 4 and all(not isinstance(v, dict | list) for p in parts for v in p.present)


def _record_fields(objects: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Fields of records that hold a record for each agent, such as {"action": "C", "payoff": 3}."""
    keys = dict.fromkeys(key for one in objects for key in one)
    held: dict[str, set[str]] = {}
    for key in keys:
        values = [one[key] for one in objects if one.get(key) is not None]
        if values and all(isinstance(value, dict) for value in values) and len(keys) <= bounds().columns:
            held[key] = {field for value in values for field in value}
    named = {key: fields for key, fields in held.items() if {_singular(f) for f in fields} & _MOVES}
    if not 2 <= len(named) <= _FEW:
        return ()
    every, common = set.union(*named.values()), set.intersection(*named.values())
    return tuple(named) if 2 * len(common) >= len(every) else ()


def _across(names: Sequence[str], sides: Sequence[dict[str, Any]], level: int, items: str) -> Option:
    """The step along fields that hold the moves of several agents."""
    taken = {"player", "action"}
    sides = [_apart(side, taken) for side in sides]
    step = {
        "axis": "fields",
        "lead": [level],
        "items": items,
        "name": "player",
        "value": "action",
        "keys": list(names),
        "with": sides,
    }
    reason = f"fields {', '.join(map(one_line, names))} hold the moves of {len(names)} agents: a row for each"
    joined = ", ".join(sorted({str(side["as"]) for side in sides}))
    return step, reason + (f"; beside it {joined}" if joined else ""), True


def _lettered(
    parts: Sequence[_Part], above: Sequence[tuple[int, _Part]], agents: set[str], level: int
) -> Option | None:
    """The step along the letters of texts such as CD, one letter for each agent."""
    for part in parts:
        texts = [value for value in part.present if isinstance(value, str)]
        if len(part.path) != 1 or not texts or len(texts) < len(part.present):
            continue
        size = len(texts[0])
        seats = [(at, p) for at, p in above if p.is_seats and not p.holds_objects and set(p.sizes) == {size}]
        if size > 1 and seats and {len(t) for t in texts} == {size} and len(set("".join(texts))) <= 4:
            sides = [_side(at, p, "position") for at, p in seats]
            taken = {"action"}
            step = {
                "axis": "letters",
                "lead": [level, *part.path],
                "items": "value",
                "name": None,
                "value": "action",
                "keys": [],
                "with": [_apart(side, taken) for side in sides],
            }
            return step, f"{_shown(part.path)}: {size} letters, one for each agent", True
    return None


def _likelihood(stacks: Sequence[Stack], steps: Sequence[Mapping[str, Any]]) -> float:
    """How much the table looks like moves by round."""
    walk = _Walk(steps, lambda place, reason: None)
    ends: dict[str, set[str]] = {}
    for stack in stacks[:_SAMPLE]:
        for level, one in enumerate(stack):
            here = _Level()
            here.above.append(-1)
            walk._collect(here, one, (), (), walk.used[level])
            for path, cells in here.columns.items():
                ends.setdefault(_singular(path[-1]), set()).add(_text(cells[-1])[:40])
    few = {name for name, cells in ends.items() if 2 <= len(cells - {""}) <= 4}
    moves = set(ends) & (_MOVES | {"history"})
    score = 4.0 * bool(moves & few or moves) + 2.0 * bool(few - _SEATS - _AMOUNTS - _FACTS)
    score += 3 * bool(set(ends) & _ROUNDS - {"history"}) + 2 * bool(set(ends) & _SEATS)
    return score + bool(set(ends) & _AMOUNTS) + len(steps) / 10


def _path_of(steps: Sequence[Mapping[str, Any]]) -> str:
    """Where the table of some steps lies, as ``games[].rounds[]``."""
    marks = {"list": "[]", "keys": ".*", "letters": "[letters]"}
    parts: list[str] = []
    for step in steps:
        keys = ".".join(key for key in step["lead"][1:] if key)
        mark = f"{{{','.join(step['keys'])}}}" if step["axis"] == "fields" else marks[step["axis"]]
        if step["lead"][0] and step["items"] == "value" and parts and not step["keys"] and parts[-1].startswith(keys):
            parts[-1] += mark
        else:
            parts.append(keys + mark)
    return ".".join(parts).replace(".{", "{").removeprefix(".") or "[]"


def _events(columns: Mapping[str, pa.Array]) -> dict[str, Any] | None:
    """How a stream of events of several kinds becomes a table of moves; None where it is no such stream."""
    by_fold = {name.casefold(): name for name in columns}
    for word in _DISCRIMINATORS:
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
        words = {_singular(word) for word in re.split(r"[^A-Za-z]+", kind)}
        own = any(_singular(name) in _MOVES for name in has[kind])
        return own, bool(words & _MOVES), int((codes == kinds.index(kind)).sum())

    of = max(kinds, key=moves)
    if not any(moves(of)[:2]):
        return None
    events: dict[str, Any] = {"column": column, "of": of, "join": [], "constant": [], "section": [], "left": []}
    shared = {
        kind: [n for n in has[of] if n in has[kind] and (_singular(n) in _CONTAINERS or _ID.fullmatch(n))]
        for kind in kinds
    }
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
    return np.cumsum(codes == kinds.index(starts[0])) if starts[0] in kinds else np.zeros(len(codes), np.int64)


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
        put(join["of"], (n for n in cells(join["of"]) if n not in join["on"]), np.where(place < 0, -1, rows[unique][place]))
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
        notes.append(f"event {kind} holds for all moves" + ("" if kind in events["constant"] else " below it"))
    gone = [k for k in kinds if k and k != events["of"] and k not in (*events["constant"], *events["section"])]
    for kind in gone:
        if kind not in [join["of"] for join in events["join"]]:
            n = int((codes == kinds.index(kind)).sum())
            notes.append(f"left out: {n:,} events {one_line(kind, 40)}, which belong to no move")
    return result, at, notes


def _by_agent(
    names: Iterable[str], paths: Mapping[str, str], moves: Mapping[str, pa.Array]
) -> list[tuple[str, dict[str, str], str]]:
    """Fields of an event that hold a value for each agent: their word, agent -> column, and the column of agents."""
    groups: dict[str, dict[str, str]] = {}
    for name in names:
        parent, _, agent = paths.get(name, name).rpartition(".")
        if parent.strip("."):
            groups.setdefault(parent, {})[agent] = name
    found = []
    for parent, agents in groups.items():
        for seat, column in moves.items():
            if _singular(seat) in _SEATS and set(by_value(column)[1]) <= agents.keys():
                word = parent.rpartition(".")[2]
                found.append((_singular(word) if _singular(word) in _ROLES else word, agents, seat))
                break
    return found


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

    def own(row: int) -> int:
        return row if at is None else int(at[row])

    def line(row: int) -> int | None:
        return None if cells.lines is None else int(cells.lines[own(row)])

    def text(row: int) -> str:
        number = line(row)
        if number is not None:
            return source.text.line(number)
        values = ", ".join(f"{name}={column[row].as_py()}" for name, column in columns.items())
        return f"{cells.place(own(row))}: {values}"

    return TidyTable(columns, line, text), notes
