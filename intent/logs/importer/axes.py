"""Where moves, players and rounds lie in a tree of JSON: the axes that a plan goes along, by the content.

Lists of the same lengths and objects of the same keys are one axis, as in arrays. Words are a help where
content alone does not tell agents from fields, or rounds from agents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from intent.base.errors import LimitError, one_line
from intent.base.files import bounds, raising
from intent.logs.importer.steps import (
    FEW,
    STEPS,
    Path,
    Rows,
    Step,
    cell,
    columns_of,
    follow,
    plain_key,
    shown,
    singular,
    step_along,
)

__all__ = ["CONTAINERS", "DISCRIMINATORS", "FACTS", "INNER", "MOVES", "OUTER", "ROLES", "SEATS", "plans"]

_SAMPLE = 1000
"""Values of one place by which a plan is made."""

_CANDIDATES = 8
_HEAD = 50

MOVES = {"action", "choice", "move", "decision", "answer", "own", "other"}
_ACTS = MOVES - {"own", "other"}
_AMOUNTS = {"payoff", "score", "point", "reward", "utility", "earning", "penalty", "profit"}
_TEXTS = {"message", "reason", "reasoning", "rationale", "thought", "reply", "response", "prompt", "advice"}
FACTS = {"model", "persona", "language", "strategy", "temperature", "seed"}
ROLES = MOVES | _AMOUNTS | _TEXTS
SEATS = {"agent", "player", "subject", "participant", "seat", "name", "bot", "person", "side"}
_ROUNDS = {"round", "period", "turn", "trial", "stage", "iteration", "history", "t", "round_number"}
_GAMES = {
    "game",
    "match",
    "session",
    "episode",
    "run",
    "pair",
    "group",
    "supergame",
    "experiment",
    "repetition",
}
_GENERIC = {
    "data",
    "item",
    "record",
    "row",
    "result",
    "list",
    "log",
    "value",
    "entry",
    "info",
    "meta",
    "metadata",
}
_RELATIVE = {"own", "other", "opponent", "partner", "self", "me", "you"}
"""Agents as one of them sees them: whose a record is stands elsewhere."""

_INITIALS = {"g": "game", "m": "match", "r": "round", "t": "round", "p": "player"}
CONTAINERS = SEATS | _ROUNDS | _GAMES | {"model", "condition"}
DISCRIMINATORS = ("event", "event_type", "type", "kind", "record", "record_type", "msg_type", "op")
_ID = re.compile(r"(?:.*[_ ])?(?:id|uuid|key|index|number|no)", re.IGNORECASE)
_NUMBERED = re.compile(r"([A-Za-z]*)[_ -]?(\d{1,9})")


def names_rows(word: str) -> bool:
    """Whether a column of that name tells rows apart: an agent, a round, a game, or an identifier."""
    return singular(word) in CONTAINERS or _ID.fullmatch(word) is not None


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
        return singular(self.path[-1]) if self.path else ""

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Lengths of its lists; -1 where there is none."""
        return tuple(len(v) if isinstance(v, list) else -1 for v in self.values)

    @cached_property
    def keys(self) -> tuple[tuple[str, ...], ...]:
        """Sorted keys of its objects."""
        return tuple(tuple(sorted(map(plain_key, v))) if isinstance(v, dict) else () for v in self.values)

    @property
    def holds_objects(self) -> bool:
        return any(isinstance(item, dict) for item in self.items)

    @property
    def is_seats(self) -> bool:
        """Whether it is a plain list of agents: names, or records without lists of their own."""
        plain = not any(_has_list(item) for item in self.items[:_HEAD])
        return self.kind == "list" and self.name in SEATS | {"model", "persona"} and plain


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
            if (
                max(part.sizes) == 1
                and not part.holds_objects
                and not any(isinstance(i, list) for i in part.items)
            ):
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
    words = {singular(key) for key in keys}
    known = singular(name) in CONTAINERS | ROLES | FACTS
    if not keys or words & (ROLES | FACTS | _ROUNDS | _GENERIC | _RELATIVE) or (len(keys) == 1 and not known):
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
        if words & (CONTAINERS - SEATS) and len(keys) < FEW:
            return False
        fields = [set(item) for item in items[:_SAMPLE]]
        every = set().union(*fields)
        return bool(every) and sum(len(f) for f in fields) >= 0.5 * len(every) * len(fields)
    if kind == "list":
        inner = {_kind(i) for item in items for i in item[:FEW]}
        if len(inner) > 1 or words & CONTAINERS:
            return False
        if inner == {"str"} and not known:
            letters = [{cell(i) for i in item} for item in items]
            return len(set().union(*letters)) <= FEW
        return known or inner == {"list"} or (top and inner == {"dict"})
    spoken = {singular(token) for key in keys for token in re.split(r"[^A-Za-z]+", key)}
    return known and len(keys) > 1 and not spoken & ROLES


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, int | float) else type(value).__name__


Plan = tuple[tuple[Step, ...], tuple[str, ...]]
"""Steps, and the reasons for them."""

Option = tuple[Step, str, bool]
"""A step, the reason for it, and whether a table without it is worth looking at, too."""


def plans(start: Any) -> list[Plan]:
    """Ways to make a table of a tree, the likeliest to hold moves by round first."""
    ways: list[tuple[float, int, Plan]] = []

    def grow(levels: list[Rows], steps: tuple[Step, ...], how: tuple[str, ...]) -> None:
        if len(ways) >= 4 * _CANDIDATES:
            return
        options = _options(levels, steps) if len(steps) < STEPS else []
        if steps and all(small for _, _, small in options):
            ways.append((_likelihood(levels, steps), -len(ways), (steps, how)))
        for step, reason, _ in options:
            below = step_along(step, levels, lambda row, reason: None)
            if len(below) > _SAMPLE:
                below = below.take(np.linspace(0, len(below) - 1, _SAMPLE).astype(np.int64))
            if len(below):
                grow([*levels, below], (*steps, step), (*how, reason))

    grow([Rows([{"": start}])], (), ())
    ways.sort(key=lambda one: one[:2], reverse=True)
    return [_oriented(start, plan) for _, _, plan in ways[:_CANDIDATES]]


OUTER, INNER = "outer", "inner"
"""Columns of the two axes of lists in lists, where nothing tells rounds from agents."""


def _oriented(start: Any, plan: Plan) -> Plan:
    """The plan with the two axes of lists of lists named after what they are, as far as the file tells.

    Rounds are taken to come first, unless a word or the lengths say otherwise: the axis of two agents has
    one length in all games. As many rounds as agents are told apart by payoffs, or not at all.
    """
    steps, how = plan
    for i, outer in enumerate(steps):
        inner = steps[i + 1] if i + 1 < len(steps) else None
        if outer.axis != "list" or outer.items != "value" or (inner is not None and inner.axis != "list"):
            continue
        if inner is not None and inner.lead != (i + 1, outer.value):
            continue
        named = [name for step in (outer, inner) if step is not None for _, _, name in step.beside]
        seats = next((name for name in named if singular(name) in SEATS), None)
        names = [outer.name] if inner is None else [outer.name, inner.name]
        if names not in (["round"], ["round", "seat"]) and seats is None:
            continue
        levels = follow(steps[: i + 1], start, lambda at, reason, first: None)
        lists = levels[-1].values((outer.value,))
        if not all(isinstance(one, list) and one for one in lists) or not lists:
            continue
        first = _which_axis(outer, levels, lists)
        if first == "round" and seats is None:
            return plan
        if seats is not None and first != "":
            return plan
        names_now = ("seat", "round") if first == "seat" else (OUTER, INNER)
        words = [line.replace("column round", f"column {names_now[0]}") for line in how[i : i + 1]]
        words += [line.replace("column seat", f"column {names_now[1]}") for line in how[i + 1 : i + 2]]
        how = (*how[:i], *words, *how[i + 2 :])
        if first == "seat":
            return _renamed(steps, i, names_now), (*how, _WHY_SEATS.format(shown(outer.lead[1:])))
        return _open(steps, i, seats), how
    return plan


_WHY_SEATS = "{}: a list for each player, with a move for each round"


def _renamed(steps: tuple[Step, ...], at: int, names: tuple[str, str]) -> tuple[Step, ...]:
    """The steps with the axes at a place and behind it called otherwise."""
    new = [replace(steps[at], name=names[0])]
    if at + 1 < len(steps):
        new.append(replace(steps[at + 1], name=names[1]))
    return (*steps[:at], *new, *steps[at + 2 :])


def _open(steps: tuple[Step, ...], at: int, seats: str | None) -> tuple[Step, ...]:
    """The steps with axes that are not told apart, and names of agents along both of them."""
    steps = _renamed(steps, at, (OUTER, INNER))
    if seats is None or at + 1 >= len(steps):
        return steps
    side = next(side for step in steps[at : at + 2] for side in step.beside if side[2] == seats)
    new = []
    for axis, step in zip((OUTER, INNER), steps[at : at + 2], strict=True):
        others = tuple(one for one in step.beside if one != side)
        new.append(replace(step, beside=(*others, (side[0], side[1], f"{axis}_player"))))
    return (*steps[:at], *new, *steps[at + 2 :])


def _which_axis(outer: Step, levels: Sequence[Rows], lists: Sequence[list[Any]]) -> str:
    """``round`` or ``seat``, which the outer axis is; empty where nothing tells."""
    words = {singular(token) for token in re.split(r"[^A-Za-z]+", str(outer.lead[-1])) if token}
    if words & (SEATS | _ROUNDS):
        return "seat" if words & SEATS else "round"
    game = levels[-1].above
    n_outer = np.bincount(game)
    n_outer = n_outer[n_outer > 0]
    n_inner = np.array([len(one) for one in lists])
    one_outer, one_inner = (len(np.unique(sizes)) == 1 for sizes in (n_outer, n_inner))
    if one_inner and n_inner[0] == 2 and not (one_outer and n_outer[0] == 2):
        return "round"
    if one_outer and n_outer[0] == 2 and not (one_inner and n_inner[0] == 2):
        return "seat"
    if not (one_outer and one_inner and n_outer[0] == n_inner[0]):
        return "seat" if one_outer and not one_inner and n_outer[0] <= FEW else "round"
    squares = [list(lists[start : start + n_inner[0]]) for start in range(0, len(lists), int(n_inner[0]))]
    if all(list(map(list, zip(*square, strict=True))) == square for square in squares):
        return "round"
    return _by_payoffs(outer, levels, squares)


def _by_payoffs(outer: Step, levels: Sequence[Rows], squares: Sequence[list[list[Any]]]) -> str:
    """The axis that makes payoffs beside the moves follow from both moves of a round."""
    size = len(squares[0])
    for _, by, name in outer.beside:
        values = levels[-1].values((name,))
        if by != "position" or size != 2 or not all(isinstance(v, list) and len(v) == size for v in values):
            continue
        paid = [values[start : start + size] for start in range(0, len(values), size)]
        fits = []
        for turned in (False, True):
            brings: dict[tuple[str, str], set[str]] = {}
            for moves, amounts in zip(squares, paid, strict=True):
                for i, j in np.ndindex(size, size):
                    at, mate = ((i, j), (i, 1 - j)) if not turned else ((i, j), (1 - i, j))
                    joint = cell(moves[at[0]][at[1]]), cell(moves[mate[0]][mate[1]])
                    brings.setdefault(joint, set()).add(cell(amounts[at[0]][at[1]]))
            fits.append(all(len(amounts) == 1 for amounts in brings.values()))
        if fits[0] is not fits[1]:
            return "round" if fits[0] else "seat"
    return ""


def _objects(levels: Sequence[Rows]) -> list[list[dict[str, Any]]]:
    """The rows of each level as objects, for each row of the last one."""
    at = np.arange(len(levels[-1]), dtype=np.int64)
    stack = []
    for rows in reversed(levels):
        objects = rows.objects()
        stack.append([objects[i] for i in at.tolist()])
        at = rows.above[at]
    return stack[::-1]


def _options(levels: Sequence[Rows], steps: Sequence[Step]) -> list[Option]:
    level = len(steps)
    stack = _objects(levels)
    here = stack[-1]
    if level and _is_stream(here):
        return []
    used = {step.lead for step in steps} | {ref for step in steps for ref, _, _ in step.beside}
    above = [
        (at, part)
        for at, objects in enumerate(stack[:-1])
        for part in _parts(objects)
        if (at, *part.path) not in used
    ]
    parts = _parts(here)
    agents = _agents([*(part for _, part in above), *parts])
    options: list[Option] = []
    spent: set[Path] = set()
    across = [part.path[0] for part in _fields(parts, agents, steps)]
    for names, items in ((_record_fields(here), "object"), (across, "value")):
        if names:
            others = [(level, part) for part in parts if part.path[0] not in names]
            sides = _beside_keys([tuple(names)] * len(here), [*others, *above], level)
            spent |= {part.path for part in parts if part.path[0] in names}
            spent |= {ref[1:] for ref, _, _ in sides if ref[0] == level}
            options.append(_across(names, sides, level, items))
    lists = [p for p in parts if p.kind in ("list", "map") and p.path not in spent]
    if _hold_moves(parts):
        lists = [p for p in lists if not _is_beside(p)]
    groups = _grouped(lists)
    several = any(not all(p.is_seats for p in group) for group in groups)
    for group in groups:
        if all(p.is_seats and not p.holds_objects for p in group) and (several or options):
            continue
        options.append(_along(group, [(level, p) for p in parts if p not in group] + above, stack, steps))
    if not options and (letters := _lettered(parts, above, level)):
        options.append(letters)
    return options


def _hold_moves(parts: Sequence[_Part]) -> bool:
    """Whether records have moves of their own: ``action_a``, ``decision``."""
    return any(
        _ACTS & _words(p.path[-1]) and not any(isinstance(v, dict | list) for v in p.present)
        for p in parts
        if p.path and 2 * len(p.present) > len(p.values)
    )


def _is_beside(part: _Part) -> bool:
    """Whether a list lies beside the moves, as what was said: its records hold no move and no payoff."""
    if part.name in _ROUNDS | _GAMES | MOVES or not part.holds_objects:
        return False
    keys: set[str] = set()
    below = part.items[:_HEAD]
    for _ in range(STEPS):
        objects = [one for one in below if isinstance(one, dict)]
        keys.update(key for one in objects for key in one)
        below = [value for one in objects for value in one.values()]
    return not any((MOVES | _AMOUNTS) & _words(key) for key in keys)


def _words(name: str) -> set[str]:
    return {singular(word) for word in re.split(r"[\W_]+", name.casefold()) if word}


def _is_stream(records: Sequence[dict[str, Any]]) -> bool:
    """Whether records are events of several kinds."""
    for word in DISCRIMINATORS:
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


def _agents(parts: Iterable[_Part]) -> set[str]:
    """Texts that name agents somewhere in the tree, as far as it was gone through."""
    names: set[str] = set()
    for part in parts:
        if part.kind == "list" and part.name in SEATS:
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
        return part.name not in SEATS
    if all(isinstance(item, list) or (isinstance(item, str) and len(item) > 1) for item, _ in first):
        return bool(first) and part.name not in _AMOUNTS and all(len(item) == size for item, size in first)
    return part.name in _ROUNDS


def _lead(group: Sequence[_Part]) -> _Part:
    objects = [part for part in group if part.holds_objects]
    moves = [part for part in group if part.name in MOVES | {"history"}]
    deep = [part for part in group if any(isinstance(item, list) for item in part.items[:_HEAD])]
    return (objects or moves or deep or list(group))[0]


def _along(
    group: Sequence[_Part],
    others: Sequence[tuple[int, _Part]],
    stack: Sequence[Sequence[dict[str, Any]]],
    steps: Sequence[Step],
) -> Option:
    """The step along the axis of a group."""
    level, lead = len(steps), _lead(group)
    records = [item for item in lead.items if isinstance(item, dict)]
    nested = lead.holds_objects and _is_map(lead.path[-1], records, False)
    whole = lead.holds_objects and not nested
    deep = any(isinstance(item, list) for item in lead.items)
    by_round = any(step.name in _ROUNDS for step in steps) or any(
        str(key).casefold() in _ROUNDS - {"history"}
        for objects in stack
        for one in objects[:_HEAD]
        for key in one
    )
    sides: list[Side] = []
    if lead.kind == "map":
        name: str | None = _key_name(lead, by_round, steps)
        sides = _beside_keys(lead.keys, others, level)
    else:
        inner = bool(steps) and steps[-1].value == lead.path[-1]
        if (
            1 < max(lead.sizes) <= FEW
            and not whole
            and (inner or lead.name not in _ROUNDS)
            and (by_round or level)
        ):
            sides = [
                _side(at, part, "position", level)
                for at, part in others
                if part.kind == "list" and part.sizes == lead.sizes and (at < level or part.is_seats)
            ]
        refs = [ref for ref, _, _ in sides]
        named = any(p.is_seats for p in group) or any(p.is_seats for at, p in others if (at, *p.path) in refs)
        name = None if named and not whole else _index_name(lead, by_round, bool(sides), steps)
    by = "position" if lead.kind == "list" else "key"
    sides = [*(_side(level, part, by) for part in group if part is not lead), *sides]
    fields = {key for item in records for key in item} if whole else set()
    value = lead.path[-1] or "value"
    if not (whole or nested or deep):
        inside = bool(steps) and steps[-1].value == lead.path[-1]
        value = "action" if _are_moves(lead, inside) else _item_name(lead)
    if name is not None:
        while name in fields or name == value:
            name += "_key" if lead.kind == "map" else "_index"
    sides = _apart(sides, fields | {value, name or ""})
    items = "object" if whole else "nested" if nested else "value"
    axis = "list" if lead.kind == "list" else "keys"
    step = Step(axis, (level, *lead.path), items, name, value, (), tuple(sides))
    called = f", its number in column {name}" if name else ""
    reason = f"{shown(lead.path)}: a row for each item{called}"
    if axis == "keys":
        reason = f"the keys of {shown(lead.path)} are column {name}"
    small = axis == "list" and not whole and not deep and level > 0 and max(lead.sizes) <= FEW
    return step, reason + _beside_words(sides), small


def _are_moves(lead: _Part, inside: bool) -> bool:
    """Whether items are moves although no field is called so: few words of rounds, or of lists in lists."""
    words = {cell(item) for item in lead.items}
    if not 0 < len(words) <= 4 or lead.name == "history":
        return False
    if inside and (lead.path[-1] in ("", "value") or lead.name not in ROLES):
        spoken = {singular(token) for token in re.split(r"[^A-Za-z]+", str(lead.path[-1])) if token}
        return bool(spoken & MOVES) or not any(map(str.isdecimal, words))
    return lead.name in _ROUNDS


Side = tuple[tuple[Any, ...], str, str]
"""What runs beside an axis, as `Step` has it."""


def _side(level: int, part: _Part, by: str, here: int | None = None) -> Side:
    """What runs beside an axis; what stands above keeps the file's word, such as scores of a game."""
    summed = here is not None and level < here and part.name in ROLES
    return (level, *part.path), by, part.path[-1] if summed else _item_name(part)


def _beside_words(sides: Sequence[Side]) -> str:
    words = ", ".join(sorted({name for _, _, name in sides}))
    return f"; beside it {words}" if words else ""


def _apart(sides: Sequence[Side], names: set[str]) -> list[Side]:
    """The same with names of their own."""
    names = set(names)
    apart = []
    for ref, by, name in sides:
        while name in names:
            name += "_"
        names.add(name)
        apart.append((ref, by, name))
    return apart


def _item_name(part: _Part) -> str:
    """What one item of a list is called: the singular, where the word is one that we know."""
    known = part.name in ROLES | FACTS | SEATS and part.name != singular("history")
    return part.name if known else part.path[-1]


def _index_name(lead: _Part, by_round: bool, seats: bool, steps: Sequence[Step]) -> str | None:
    """What the number of an item is called; None where its records say it themselves."""
    if lead.holds_objects:
        fields = {
            str(key).casefold() for item in lead.items[:_HEAD] if isinstance(item, dict) for key in item
        }
        own = any(_ID.fullmatch(f) or f == lead.name or (f == "name" and lead.name in SEATS) for f in fields)
        if fields & _ROUNDS - {"history"} or (lead.name not in _ROUNDS and own):
            return None
        if not lead.name:
            nested = any(_has_list(item) for item in lead.items[:_HEAD])
            return "game" if nested else "index"
        return "round" if lead.name == "history" else lead.name if lead.name in CONTAINERS else "index"
    if lead.name in _ROUNDS and not any(step.name in _ROUNDS for step in steps):
        return "round"
    if lead.name in SEATS | _GAMES:
        return lead.name
    if not lead.path[-1]:
        return "round" if not any(isinstance(item, list) for item in lead.items) or by_round else "game"
    return "seat" if by_round or seats else "round"


def _key_name(lead: _Part, by_round: bool, steps: Sequence[Step]) -> str:
    """What the keys of an object are called."""
    called = "round" if lead.name == "history" else lead.name
    if any(step.name == called for step in steps):  # agents below rounds that are keys
        return "player"
    keys = [key for one in lead.present[:_HEAD] if isinstance(one, dict) for key in one]
    numbered = [_NUMBERED.fullmatch(key) for key in keys]
    if all(numbered):
        word = singular(numbered[0][1]) if numbered[0] else ""
        word = _INITIALS.get(word, word)
        if word in CONTAINERS:
            return word
        if lead.name not in CONTAINERS:
            return "player" if by_round or word else "round"
    if lead.name in CONTAINERS:
        return "round" if lead.name == "history" else lead.name
    if lead.path[-1] == "":
        words = {singular(k) for item in lead.items[:_HEAD] if isinstance(item, dict) for k in item}
        return (
            "player" if words & ROLES or not lead.holds_objects else "game" if words & CONTAINERS else "key"
        )
    return "player"


def _beside_keys(
    keys: Sequence[tuple[str, ...]], others: Sequence[tuple[int, _Part]], level: int
) -> list[Side]:
    """What runs beside agents that are keys: objects by key, records by name, short lists in order."""
    sides: list[Side] = []
    for at, part in others:
        pairs = list(zip(keys, part.values, strict=True))
        if part.kind == "map" and all(
            set(k) <= set(map(plain_key, v)) for k, v in pairs if isinstance(v, dict)
        ):
            sides.append(_side(at, part, "key", level))
        elif part.kind == "list" and part.is_seats and part.holds_objects:
            field = _naming(pairs)
            if field is not None:
                sides.append(_side(at, part, f"field:{field}"))
        elif (
            part.kind == "list"
            and not part.is_seats
            and not part.holds_objects
            and all(len(v) == len(k) <= FEW for k, v in pairs if isinstance(v, list) and k)
        ):
            sides.append(_side(at, part, "position", level))
    return sides


def _naming(pairs: Sequence[tuple[tuple[str, ...], Any]]) -> str | None:
    """The field of records whose values are the keys."""
    records = [(set(keys), value) for keys, value in pairs[:_HEAD] if isinstance(value, list) and keys]
    fields = dict.fromkeys(str(f) for _, value in records for r in value if isinstance(r, dict) for f in r)
    for name in fields:
        if records and all(
            keys <= {cell(r.get(name)) for r in value if isinstance(r, dict)} for keys, value in records
        ):
            return name
    return None


_WORDS = ROLES | FACTS | CONTAINERS | {"opponent", "partner", "id", "status", "type", "kind", "winner"}
_TRUTHS = {"true", "false", "yes", "no", ""}


def _fields(parts: Sequence[_Part], agents: set[str], steps: Sequence[Step]) -> list[_Part]:
    """Fields of records that hold the moves of agents, such as A and B."""
    scalars = [part for part in parts if part.kind == "scalar" and len(part.path) == 1]
    named = [part for part in scalars if part.path[0] in agents]
    if len(named) > 1 and _one_alphabet(named):
        return named
    timed = any(str(part.path[0]).casefold() in _ROUNDS for part in scalars) or any(
        step.name in _ROUNDS for step in steps
    )
    alone = bool(steps) and steps[-1].name == "index" and len(steps) == 1
    if not (timed or alone):
        return []
    free = []
    for part in scalars:
        word = part.path[0]
        numbered = _NUMBERED.fullmatch(word)
        seat = numbered is not None and singular(numbered[1]) in SEATS
        counted = numbered is not None and (len(numbered[1]) < 3 or singular(numbered[1]) in _ROUNDS | _GAMES)
        if numbered is not None and counted and _INITIALS.get(numbered[1].casefold()) != "player":
            continue
        twin = numbered is not None and any(
            other is not part and re.fullmatch(rf".*[^\d]{numbered[2]}", str(other.path[0]))
            for other in scalars
        )
        tokens = {singular(token) for token in re.split(r"[^A-Za-z]+", word) if token}
        if (seat and not twin) or not tokens & _WORDS:
            free.append(part)
    best = [part for part in free if _letters([part]) and not _letters([part]) <= _TRUTHS]
    if 2 <= len(best) <= FEW and _one_alphabet(best):
        return best
    return []


def _letters(parts: Sequence[_Part]) -> set[str]:
    """Distinct texts of some fields; empty where they hold more than moves would."""
    values = {value if isinstance(value, str) else None for part in parts for value in part.present}
    if None in values or len(values) > 4 or any(len(v) > 30 for v in values if v):
        return set()
    return {v for v in values if v}


def _one_alphabet(parts: Sequence[_Part]) -> bool:
    values = {cell(value) for part in parts for value in part.present}
    return 0 < len(values) <= 4 and all(not isinstance(v, dict | list) for p in parts for v in p.present)


def _record_fields(objects: Sequence[dict[str, Any]]) -> list[str]:
    """Fields of records that hold a record for each agent, such as {"action": "C", "payoff": 3}."""
    keys = dict.fromkeys(key for one in objects for key in one)
    held: dict[str, set[str]] = {}
    for key in keys:
        values = [one[key] for one in objects if one.get(key) is not None]
        if values and all(isinstance(value, dict) for value in values) and len(keys) <= bounds().columns:
            held[key] = {field for value in values for field in value}
    named = {
        key: fields
        for key, fields in held.items()
        if {singular(f) for f in fields} & MOVES and singular(key) not in _RELATIVE
    }
    if not 2 <= len(named) <= FEW:
        return []
    every, common = set.union(*named.values()), set.intersection(*named.values())
    return list(named) if 2 * len(common) >= len(every) else []


def _across(names: Sequence[str], sides: Sequence[Side], level: int, items: str) -> Option:
    """The step along fields that hold the moves of several agents."""
    sides = _apart(sides, {"player", "action"})
    step = Step("fields", (level,), items, "player", "action", tuple(names), tuple(sides))
    reason = f"fields {', '.join(map(one_line, names))} hold the moves of {len(names)} agents: a row for each"
    return step, reason + _beside_words(sides), True


def _lettered(parts: Sequence[_Part], above: Sequence[tuple[int, _Part]], level: int) -> Option | None:
    """The step along the letters of texts such as CD, one letter for each agent."""
    for part in parts:
        texts = [value for value in part.present if isinstance(value, str)]
        if len(part.path) != 1 or not texts or len(texts) < len(part.present):
            continue
        size = len(texts[0])
        seats = [(at, p) for at, p in above if p.is_seats and not p.holds_objects and set(p.sizes) == {size}]
        if size > 1 and seats and {len(t) for t in texts} == {size} and len(set("".join(texts))) <= 4:
            sides = _apart([_side(at, p, "position") for at, p in seats], {"action"})
            step = Step("letters", (level, *part.path), "value", None, "action", (), tuple(sides))
            return step, f"{shown(part.path)}: {size} letters, one for each agent", True
    return None


def _likelihood(levels: Sequence[Rows], steps: Sequence[Step]) -> float:
    """How much the table looks like moves by round."""
    columns, _, _ = columns_of(steps, levels)
    cells: dict[str, set[str]] = {}
    for path, column in columns.items():
        cells.setdefault(singular(path[-1]), set()).update(column.unique().to_pylist())
    words = set(cells)
    few = {name for name, texts in cells.items() if 2 <= len(texts - {""}) <= 4}
    score = 4.0 * bool(words & (MOVES | {"history"})) + 2.0 * bool(few - SEATS - _AMOUNTS - FACTS)
    score += 3 * bool(words & _ROUNDS - {"history"}) + 2 * bool(words & SEATS)
    return score + bool(words & _AMOUNTS) + len(steps) / 10
