"""The steps of a plan: from a tree of JSON to columns of cells, one axis after the other.

A step goes along one axis: the items of a list, the keys of an object whose values are alike, fields of a
record that hold the moves of several agents, or the letters of a text. What runs beside the axis is joined
by position or by key, what stands above it is repeated in every row below.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.base.errors import LimitError, one_line, shorten
from intent.base.files import bounds, raising

__all__ = [
    "FEW",
    "ITEMS",
    "STEPS",
    "Path",
    "Refuse",
    "Rows",
    "Step",
    "cell",
    "columns_of",
    "follow",
    "path_of",
    "place_of",
    "plain_key",
    "shown",
    "singular",
    "step_along",
]

Path = tuple[str, ...]
Refuse = Callable[[int, str], None]
"""Gets a row and what is wrong below it."""

STEPS = 8
"""Steps of a plan, at most."""

FEW = 10
"""Values of a list that stand beside each other in columns of their own, at most; and agents of a game."""

ITEMS = ("object", "value", "nested")
"""What stands along an axis: records, values or lists, or objects whose keys are an axis of their own."""

_NUMBERED = re.compile(r"([A-Za-z]*)[_ -]?(\d{1,9})")
_ROUND_KEYS = {"round", "period", "turn", "trial", "r", "t"}


@dataclass(frozen=True)
class Step:
    """One step of a plan.

    Parameters
    ----------
    axis : {"list", "keys", "fields", "letters"}
    lead : (level, key, …): the level whose rows hold what has the axis, and the way to it
    items : one of `ITEMS`
    name : column of the number or key of each item; None for none
    value : what an item is called that is no record
    keys : fields that are the axis
    beside : tuple of (ref, by, name): what is joined, as `lead`; by ``position``, ``key`` or ``field:NAME``
    """

    axis: str
    lead: tuple[Any, ...]
    items: str
    name: str | None
    value: str
    keys: tuple[str, ...] = ()
    beside: tuple[tuple[tuple[Any, ...], str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "axis": self.axis,
            "lead": list(self.lead),
            "items": self.items,
            "name": self.name,
            "value": self.value,
            "keys": list(self.keys),
            "beside": [[list(ref), by, name] for ref, by, name in self.beside],
        }

    @classmethod
    def of_json(cls, value: Mapping[str, Any], level: int) -> Step:
        """From what `to_json` made.

        Raises
        ------
        KeyError, TypeError, ValueError
            It is none.
        """

        def ref(keys: Sequence[Any]) -> tuple[Any, ...]:
            if not 0 <= int(keys[0]) <= level:
                raise ValueError("a level that is not there")
            return int(keys[0]), *(str(key) for key in keys[1:])

        if value["axis"] not in ("list", "keys", "fields", "letters") or value["items"] not in ITEMS:
            raise ValueError("no axis")
        beside = tuple((ref(keys), str(by), str(name)) for keys, by, name in value["beside"])
        name = None if value["name"] is None else str(value["name"])
        keys = tuple(str(key) for key in value["keys"])
        return cls(value["axis"], ref(value["lead"]), value["items"], name, str(value["value"]), keys, beside)


@dataclass(frozen=True, eq=False)
class Rows:
    """What was met at one step: n rows.

    Parameters
    ----------
    records : list of n objects
    further : dict of name -> list of n values that stand beside them
    above : (n,) int, row of the step before
    place : callable of row -> where it is below that one
    """

    records: list[dict[str, Any]]
    further: dict[str, list[Any]] = field(default_factory=dict)
    above: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    place: Callable[[int], str] = lambda row: "$"

    def __len__(self) -> int:
        return len(self.records)

    def values(self, keys: Sequence[str]) -> list[Any]:
        """What lies at a path in each row; None where nothing does."""
        if not keys:
            return self.objects()
        rest = keys
        if keys[0] in self.further:
            values, rest = self.further[keys[0]], keys[1:]
        else:
            values = self.records
        for key in rest:
            values = [_inside(value, key) for value in values]
        return values

    def objects(self) -> list[Any]:
        """The rows as objects."""
        if not self.further:
            return self.records
        names = list(self.further)
        return [
            {**dict(zip(names, values, strict=True)), **record}
            for record, *values in zip(self.records, *self.further.values(), strict=True)
        ]

    def take(self, at: NDArray[np.int64]) -> Rows:
        """Some of the rows."""
        rows = at.tolist()
        return Rows(
            [self.records[i] for i in rows],
            {name: [values[i] for i in rows] for name, values in self.further.items()},
            self.above[at],
            lambda row: self.place(rows[row]),
        )


def _inside(value: Any, key: str) -> Any:
    if type(value) is dict:
        return value.get(key)
    if type(value) is list and len(value) == 1 and type(value[0]) is dict:
        return value[0].get(key)
    return None


def _ancestors(levels: Sequence[Rows], level: int) -> NDArray[np.int64] | None:
    """Row of a level for each row of the last one; None where they are the same."""
    at: NDArray[np.int64] | None = None
    for rows in levels[:level:-1]:
        at = rows.above if at is None else rows.above[at]
    return at


def _of_level(levels: Sequence[Rows], ref: Sequence[Any]) -> list[Any]:
    """What a reference leads to, for each row of the last level."""
    values = levels[ref[0]].values(ref[1:])
    at = _ancestors(levels, ref[0])
    return values if at is None else [values[i] for i in at.tolist()]


def step_along(step: Step, levels: Sequence[Rows], refuse: Refuse) -> Rows:
    """The rows that one step leads to.

    Parameters
    ----------
    step : Step
    levels : sequence of Rows
        Those of the steps before, the root first.
    refuse : callable of (row of the last level, reason)
    """
    leads = _of_level(levels, step.lead)
    kind: type[Any] = {"list": list, "letters": str}.get(step.axis, dict)
    what = shown(step.lead[1:])
    odd = [row for row, lead in enumerate(leads) if type(lead) is not kind or not lead]
    for row in odd:
        if leads[row] is None or leads[row] == kind():
            refuse(row, f"no {what}, expected some")
        else:
            words: dict[Any, str] = {list: "a list", str: "a text", dict: "an object"}
            refuse(row, f"{what} is {shorten(leads[row], 40)}, expected {words[kind]}")
        leads[row] = kind()
    keys: list[Any] = []
    items: list[Any]
    if step.axis == "fields":
        wanted_keys = frozenset(step.keys)
        pairs = [[key for key in lead if key in wanted_keys] for lead in leads]
        sizes = np.fromiter(map(len, pairs), dtype=np.int64, count=len(pairs))
        keys = list(chain.from_iterable(pairs))
        items = [lead[key] for lead, own in zip(leads, pairs, strict=True) for key in own]
        for row in np.setdiff1d(np.flatnonzero(sizes == 0), odd).tolist():
            refuse(row, f"no {shown([', '.join(step.keys)])}, expected one of them")
    else:
        sizes = np.fromiter(map(len, leads), dtype=np.int64, count=len(leads))
        if step.axis == "keys":
            keys = list(map(plain_key, chain.from_iterable(leads)))
            items = list(chain.from_iterable(lead.values() for lead in leads))
        else:
            items = list(chain.from_iterable(leads))
    if len(items) > bounds().rows:
        raise LimitError(f"more than {bounds().rows:,} rows; {raising('rows')}")
    above = np.repeat(np.arange(len(leads), dtype=np.int64), sizes)
    number = np.arange(len(items), dtype=np.int64) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    names = keys if keys else (number + 1).tolist()
    further: dict[str, list[Any]] = {} if step.name is None else {step.name: names}
    if step.items != "object":
        further[step.value] = items
    for ref, by, name in step.beside:
        further[name] = _joined(by, _of_level(levels, ref), above, number, names, sizes)
    label = "".join(f".{key}" for key in step.lead[1:] if key)

    def place(row: int) -> str:
        return f"{label}.{names[row]}" if keys else f"{label}[{number[row]}]"

    records = items if step.items == "object" else [{}] * len(items)
    rows = Rows(records, further, above, place)
    bad = _misfits(step, items)
    if not len(bad):
        return rows
    for at in bad.tolist():
        wish = "an object" if step.items == "object" else "a value or a list"
        refuse(int(above[at]), f"{place(at).lstrip('.')} is {shorten(items[at], 40)}, expected {wish}")
    return rows.take(np.setdiff1d(np.arange(len(items)), bad))


def _misfits(step: Step, items: Sequence[Any]) -> NDArray[np.int64]:
    """Items of another kind than the step is for."""
    if step.items == "nested":
        return np.zeros(0, dtype=np.int64)
    kinds = set(map(type, items))
    whole = step.items == "object"
    if (whole and kinds <= {dict}) or (not whole and dict not in kinds):
        return np.zeros(0, dtype=np.int64)
    return np.array([i for i, item in enumerate(items) if (type(item) is dict) is not whole], dtype=np.int64)


def _joined(
    by: str,
    values: Sequence[Any],
    above: NDArray[np.int64],
    number: NDArray[np.int64],
    names: Sequence[Any],
    sizes: NDArray[np.int64],
) -> list[Any]:
    """What runs beside an axis, for each row along it; None where it has nothing there."""
    rows = above.tolist()
    if by == "position":
        if set(map(type, values)) == {list} and [len(v) for v in values] == sizes.tolist():
            return list(chain.from_iterable(values))
        lists = [value if type(value) is list else [] for value in values]
        return [
            lists[row][i] if i < len(lists[row]) else None
            for row, i in zip(rows, number.tolist(), strict=True)
        ]
    if by == "key":
        dicts = [
            {plain_key(key): item for key, item in value.items()} if type(value) is dict else {}
            for value in values
        ]
        return [dicts[row].get(name) for row, name in zip(rows, names, strict=True)]
    wanted = by.partition(":")[2]
    records = [
        {cell(one.get(wanted)): one for one in (value if type(value) is list else []) if type(one) is dict}
        for value in values
    ]
    return [records[row].get(cell(name)) for row, name in zip(rows, names, strict=True)]


def plain_key(key: str) -> str:
    """The number of a key such as ``round_3``; other keys as they are."""
    match = _NUMBERED.fullmatch(key)
    return match[2] if match and singular(match[1]) in _ROUND_KEYS else key


def singular(word: str) -> str:
    """The word in singular and small letters, as far as English is regular."""
    word = word.casefold()
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word


def shown(path: Iterable[Any]) -> str:
    """A path in words."""
    return one_line(".".join(str(part) for part in path if part != "") or "the list", 80)


def path_of(steps: Sequence[Step]) -> str:
    """Where the table of some steps lies, as ``games[].rounds[]``."""
    marks = {"list": "[]", "keys": ".*", "letters": "[letters]"}
    parts: list[str] = []
    for i, step in enumerate(steps):
        keys = ".".join(key for key in step.lead[1:] if key)
        mark = f"{{{','.join(step.keys)}}}" if step.axis == "fields" else marks[step.axis]
        inner = i and step.axis != "fields" and step.lead[0] == i and step.lead[1:] == (steps[i - 1].value,)
        if inner and steps[i - 1].items != "object":
            parts[-1] += mark
        else:
            parts.append(keys + mark)
    return ".".join(parts).replace(".{", "{").removeprefix(".") or "[]"


def cell(value: Any) -> str:
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


def _cells(values: list[Any]) -> pa.Array:
    kinds = set(map(type, values)) - {type(None)}
    if kinds <= {str}:
        return pa.array(values, pa.string()).fill_null("")
    if kinds == {int}:
        words = {value: cell(value) for value in set(values)}
        return pa.array([words[value] for value in values], pa.string())
    return pa.array([cell(value) for value in values], pa.string())


_SCALARS = {str, int, float, bool, type(None)}


def _collect(
    cells: dict[Path, list[Any]],
    records: list[Any],
    prefix: Path,
    used: Callable[[Path], bool],
    left: Counter[str],
    inside: Path = (),
) -> None:
    """Put the cells of records: values, those of records within them, and lists of a few values."""
    keys: dict[str, None] = {}
    last: Any = None
    for record in records:
        if record.keys() != last:
            last = record.keys()
            keys |= dict.fromkeys(record)
    if len(keys) + len(cells) > bounds().columns:
        raise LimitError(f"more than {bounds().columns:,} columns; {raising('columns')}")
    for key in keys:
        if used((*inside, key)):
            continue
        _put(cells, (*prefix, key), [record.get(key) for record in records], used, left, (*inside, key))


def _put(
    cells: dict[Path, list[Any]],
    path: Path,
    values: list[Any],
    used: Callable[[Path], bool],
    left: Counter[str],
    inside: Path,
) -> None:
    kinds = set(map(type, values))
    if list in kinds:
        values = [v[0] if type(v) is list and len(v) == 1 and type(v[0]) is not list else v for v in values]
        kinds = set(map(type, values))
    if kinds <= _SCALARS:
        cells[path] = values
        return
    if kinds & (_SCALARS - {type(None)}):
        cells[path] = [value if type(value) in _SCALARS else None for value in values]
    if list in kinds:
        lists = [value if type(value) is list else [] for value in values]
        short = [v if len(v) <= FEW and set(map(type, v)) <= _SCALARS else [] for v in lists]
        n_left = sum(bool(v) for v in lists) - sum(bool(v) for v in short)
        if n_left:
            left[shown(path)] += n_left
        for i in range(max(map(len, short))):
            cells[(*path[:-1], f"{path[-1]}_{i + 1}")] = [v[i] if i < len(v) else None for v in short]
    if dict in kinds:
        _collect(cells, [v if type(v) is dict else {} for v in values], path, used, left, inside)


def follow(steps: Sequence[Step], root: Any, refuse: Callable[[str, str, int], None]) -> list[Rows]:
    """The rows of all steps, those of the root first.

    Parameters
    ----------
    steps : sequence of Step
    root : value of JSON
    refuse : callable of (place, reason, row of the first step)
        That row is -1 where there is none.
    """
    levels = [Rows([{"": root}])]

    def note(row: int, reason: str) -> None:
        first, at = -1, row
        for rows in levels[:0:-1]:
            first, at = at, int(rows.above[at])
        refuse(place_of(levels, row), reason, first)

    for step in steps:
        levels.append(step_along(step, levels, note))
    return levels


def place_of(levels: Sequence[Rows], row: int) -> str:
    """Where a row of the last level is, as ``$.games[3].rounds[1]``."""
    labels = []
    for rows in reversed(levels):
        labels.append(rows.place(row))
        row = int(rows.above[row])
    return "".join(reversed(labels))


def columns_of(
    steps: Sequence[Step], levels: Sequence[Rows]
) -> tuple[dict[Path, pa.Array], NDArray[np.int64], Counter[str]]:
    """Cells of the rows of the last level, with those of all levels above them.

    Returns
    -------
    dict of path -> string array, the row of the first step of each row, and lists that were left out
    """
    used: list[set[Path]] = [set() for _ in levels]
    prefixes: list[Path] = [()]
    for step in steps[: len(levels) - 1]:
        for ref in (step.lead, *(ref for ref, _, _ in step.beside)):
            used[ref[0]].add(tuple(ref[1:]))
        used[step.lead[0]] |= {(*step.lead[1:], key) for key in step.keys}
        keys = step.lead[1:] if step.items == "object" else step.lead[1:-1]
        prefixes.append((*prefixes[step.lead[0]], *keys))
    columns: dict[Path, pa.Array] = {}
    left: Counter[str] = Counter()
    for number, rows in enumerate(levels):
        at = _ancestors(levels, number)
        raw: dict[Path, list[Any]] = {}
        for name, values in rows.further.items():
            if (name,) not in used[number]:
                _put(raw, (*prefixes[number], name), values, used[number].__contains__, left, (name,))
        _collect(raw, rows.records, prefixes[number], used[number].__contains__, left)
        for path, values in raw.items():
            while path in columns:
                path = (*path[:-1], f"{path[-1]}_")
            column = _cells(values)
            if (pc.max(pc.binary_length(column)).as_py() or 0) > 4 * bounds().field:
                what = f"a text of {shown(path)} has more than {bounds().field:,} characters"
                raise LimitError(f"{what}; {raising('field')}")
            columns[path] = _taken(column, at)
    first = np.arange(len(levels[-1]), dtype=np.int64)
    for rows in levels[:1:-1]:
        first = rows.above[first]
    return columns, first, left


def _taken(column: pa.Array, at: NDArray[np.int64] | None) -> pa.Array:
    """A column of a level above, repeated for each row below."""
    if at is None:
        return column
    lengths = pc.binary_length(column).to_numpy(zero_copy_only=False)
    most = bounds().unpacked_bytes
    if len(at) and int(lengths[at].sum(dtype=np.int64)) > most:
        raise LimitError(f"a text that stands in every row takes more than {most:,} bytes in all")
    return column.take(pa.array(at))
