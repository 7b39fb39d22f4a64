"""Wide tables: a row per player or pair with a column, or a letter of a text, for each round.

Names of columns that differ by a number are a family, and its numbers are the rounds; where two numbers
differ, the one that is 1 or 2 is the seat. A family is kept in a mapping as its pattern,
``choice_{round}_{seat}``, so that a file with more rounds is read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.errors import DataError, shorten
from intent.base.files import bounds
from intent.logs.importer.columns import Column, seatings, sense_of, who_of, with_role
from intent.logs.importer.mapping import LogMapping
from intent.logs.importer.proposals import LongTable, Proposal, Reason, Shape
from intent.logs.readers.arrays import TidyTable, by_value, of_codes, picked, stacked
from intent.logs.readers.reader import Settings

__all__ = ["SHAPES", "Family", "families", "gaps"]

_NUMBER = re.compile(r"\d+")
_ROUND, _SEAT = "{round}", "{seat}"
_LETTERS = {"a": 1, "b": 2, "row": 1, "col": 2, "column": 2}
"""Words that name a seat where a number could."""

_FEWEST = 3
"""Columns that make a family of rounds, where no word says that they are rounds."""

_ROLES = ("action", "decided", "payoff", "value", "message", "reasoning")
"""What may have a column for each round."""

_MOST_LABELS = 6
"""Different cells of a family of moves."""


@dataclass(frozen=True, eq=False)
class Family:
    """Columns that differ by the number of the round, and perhaps of the seat.

    Parameters
    ----------
    pattern : str
        Of their names: ``r{round}_{seat}``.
    role : str
        What their common words say; empty where they say nothing.
    whose : {"", "own", "other"}
    columns : mapping of (round, seat) -> name; seat 0 where the names have none
    """

    pattern: str
    role: str
    whose: str
    columns: Mapping[tuple[int, int], str]

    @property
    def rounds(self) -> list[int]:
        """The rounds, in order."""
        return sorted({number for number, _ in self.columns})

    @property
    def is_seated(self) -> bool:
        """Whether there is a column for each of two seats."""
        return {seat for _, seat in self.columns} == {1, 2}


def families(names: Iterable[str]) -> list[Family]:
    """The families of rounds among names of columns."""
    groups: dict[str, list[tuple[tuple[int, ...], str]]] = {}
    for name in names:
        numbers = _NUMBER.findall(name)
        if 0 < len(numbers) <= 3 and all(len(n) < 7 for n in numbers):
            groups.setdefault(_NUMBER.sub("#", name), []).append((tuple(map(int, numbers)), name))
    return list(_with_letters([f for form, members in groups.items() for f in _family(form, members)]))


def _family(form: str, members: Sequence[tuple[tuple[int, ...], str]]) -> Iterator[Family]:
    numbers = np.array([n for n, _ in members])
    varying = [i for i in range(numbers.shape[1]) if len(set(numbers[:, i].tolist())) > 1]
    seats = [i for i in varying if {*numbers[:, i].tolist()} == {1, 2}]
    of_rounds = [i for i in varying if _runs(numbers[:, i])]
    sense = sense_of(members[0][1])
    if len(varying) == 1 and (len(members) >= _FEWEST or sense.round is not None) and of_rounds:
        at, seat = of_rounds[0], None
    elif len(varying) == 2 and seats and any(i not in seats[-1:] for i in of_rounds):
        seat = seats[-1]
        at = next(i for i in varying if i != seat)
    else:
        return
    if len(varying) == 1 and sense.round is None and not sense.numbers:
        return
    parts = form.split("#")
    fixed = [str(n) for n in members[0][0]]
    marks = [_ROUND if i == at else _SEAT if i == seat else fixed[i] for i in range(numbers.shape[1])]
    pattern = "".join(part + mark for part, mark in zip(parts, [*marks, ""], strict=True))
    columns = {(n[at], n[seat] if seat is not None else 0): name for n, name in members}
    yield Family(pattern, sense.role, sense.whose, columns)


def _runs(numbers: NDArray[np.int64]) -> bool:
    """Whether numbers run on from 0 or 1."""
    distinct = np.unique(numbers)
    return bool(distinct[0] in (0, 1) and (np.diff(distinct) == 1).all())


def _with_letters(families: Sequence[Family]) -> Iterator[Family]:
    """Families whose names differ by a word for the seat (a and b, row and column), put together."""
    pairs: dict[str, dict[int, Family]] = {}
    for family in families:
        words = re.split(r"(?<=[^A-Za-z])(?=[A-Za-z])|(?<=[A-Za-z])(?=[^A-Za-z])", family.pattern)
        at = [i for i, word in enumerate(words) if word.casefold() in _LETTERS and word != "round"]
        if len(at) == 1 and not family.is_seated:
            seat = _LETTERS[words[at[0]].casefold()]
            pairs.setdefault("".join([*words[: at[0]], "#", *words[at[0] + 1 :]]), {})[seat] = family
        else:
            yield family
    for both in pairs.values():
        if {*both} != {1, 2}:
            yield from both.values()
            continue
        one, two = both[1], both[2]
        columns = {(r, 1): name for (r, _), name in one.columns.items()}
        columns |= {(r, 2): name for (r, _), name in two.columns.items()}
        yield Family(f"{one.pattern} | {two.pattern}", one.role, one.whose, columns)


def _moves(columns: Mapping[str, Column], families: Sequence[Family]) -> list[Family]:
    """The families that may hold moves: by their words, or by cells that are few words."""
    named = [f for f in families if f.role == "action"]
    if named:
        return named
    return [f for f in families if f.role in ("", "round", "player") and _few_words(columns, f)]


def _few_words(columns: Mapping[str, Column], family: Family) -> bool:
    words: set[str] = set()
    for name in family.columns.values():
        words.update(label.casefold() for label in columns[name].labels)
        if len(words) > _MOST_LABELS:
            return False
    return len(words) >= 1


def _propose_wide(columns: Mapping[str, Column], settings: Settings) -> Iterator[Proposal]:
    """A row per player or pair; a column for each round, and perhaps seat."""
    every = families(columns)
    for moves in _moves(columns, every):
        if moves.whose == "other":
            continue
        names = {"action": moves.pattern}
        reasons = [
            Reason(moves.pattern, "action", f"{len(moves.columns):,} columns, rounds {_span(moves.rounds)}")
        ]
        if not moves.is_seated and (
            theirs := [f for f in every if f.whose == "other" and f.role == "action"]
        ):
            names["other"] = theirs[0].pattern
            reasons.append(Reason(theirs[0].pattern, "other", "the same of the other player"))
        for family in every:
            role = family.role
            alike = family.is_seated == moves.is_seated and family.whose != "other"
            if family is not moves and role in _ROLES[1:] and role not in names and alike:
                names[role] = family.pattern
                reasons.append(Reason(family.pattern, role, "a column for each round"))
        rest = {n: c for n, c in columns.items() if n not in {m for f in every for m in f.columns.values()}}
        yield _with_players(names, reasons, rest, seated=moves.is_seated, shape="wide")


def _span(rounds: Sequence[int]) -> str:
    return f"{rounds[0]} to {rounds[-1]}"


def _with_players(
    names: dict[str, str], reasons: list[Reason], rest: Mapping[str, Column], *, seated: bool, shape: str
) -> Proposal:
    """The proposal with the columns that say who played and which game it was."""
    if seated:
        both = {_seat_of(c): c.name for c in rest.values() if c.sense.role == "player"}
        if {1, 2} <= both.keys():
            names["player"] = f"{both[1]} | {both[2]}"
            reasons.append(Reason(names["player"], "player", "a column for each of two seats"))
        for way in seatings(rest.values()) if "player" not in names else ():
            bare = way.columns.get(("",), ())
            if len(bare) == 2 and (role := who_of(bare)):
                names[role] = f"{bare[0].name} | {bare[1].name}"
                reasons.append(Reason(names[role], role, "a column for each of two seats"))
                break
    else:
        for role, whose in (("player", ""), ("other_player", "other")):
            players = with_role(rest.values(), "player", whose)
            players = players or ([c for c in rest.values() if _is_id(c)] if role == "player" else [])
            if players:
                names[role] = players[0].name
                reasons.append(Reason(players[0].name, role, "its name says so"))
    games = [*with_role(rest.values(), "match"), *with_role(rest.values(), "game")]
    if games:
        names["game_id"] = games[0].name
        reasons.append(Reason(games[0].name, "game_id", "its name says so"))
    by = tuple(c.name for c in (*games[1:], *with_role(rest.values(), "session")))
    return Proposal(LogMapping(shape=shape, columns=names, by=by), tuple(reasons), 1.5 * len(names))


def _seat_of(column: Column) -> int:
    """The seat that the name of a player's column says, by a number or a word; 0 where it says none."""
    sense = column.sense
    if sense.seat or sense.numbers:
        return sense.seat or sense.numbers[0]
    words = re.split(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])", column.name)
    return next((_LETTERS[word.casefold()] for word in words if word.casefold() in _LETTERS), 0)


def _is_id(column: Column) -> bool:
    return column.role is None and column.name.casefold() in ("id", "pid", "sid")


def _lay_out_wide(table: TidyTable, mapping: LogMapping) -> LongTable:
    """A row for each round, and seat; rounds behind the last cell of a game were not played.

    Raises
    ------
    DataError
        No column has a name of the pattern, or there are too many rounds.
    """
    patterns = {role: theirs for role, theirs in mapping.columns.items() if _ROUND in theirs}
    cells = {role: _matching(table, pattern) for role, pattern in patterns.items()}
    rounds = sorted({number for number, _ in cells["action"]})
    seats = sorted({seat for _, seat in cells["action"]})
    if len(rounds) > bounds().rounds:
        raise DataError(f"{len(rounds):,} columns of rounds, expected at most {bounds().rounds:,}")
    n = len(table)
    empty = of_codes(np.full(n, -1), [])
    blocks = [(number, seat) for number in rounds for seat in seats]
    grid = {
        role: [table.columns[names[at]] if at in names else empty for at in blocks]
        for role, names in cells.items()
    }
    return _long(table, mapping, blocks, {role: stacked(parts) for role, parts in grid.items()})


def _matching(table: TidyTable, pattern: str) -> dict[tuple[int, int], str]:
    """(round, seat) -> column whose name is of a pattern; of two patterns, the second is of seat 2."""
    names: dict[tuple[int, int], str] = {}
    halves = pattern.split(" | ")
    for number, half in enumerate(halves, start=1):
        expression = re.escape(half).replace(re.escape(_ROUND), r"(?P<round>\d{1,6})")
        form = re.compile(expression.replace(re.escape(_SEAT), "(?P<seat>[12])"))
        for name in table.columns:
            if match := form.fullmatch(name):
                places = match.groupdict()
                seat = int(places.get("seat") or (number if len(halves) > 1 else 0))
                names[int(places["round"]), seat] = name
    if not names:
        raise DataError(f"no column has a name such as {shorten(pattern)}, as the mapping says")
    return names


def _long(
    table: TidyTable,
    mapping: LogMapping,
    blocks: Sequence[tuple[int, int]],
    cells: Mapping[str, pa.Array],
) -> LongTable:
    """The rows of all blocks, one block after the other, without rounds that were not played."""
    n = len(table)
    row = np.tile(np.arange(n), len(blocks))
    number = np.repeat([r for r, _ in blocks], n)
    seat = np.repeat([s for _, s in blocks], n)
    codes, values = by_value(cells["action"])
    filled = np.array([bool(value) for value in values])[codes]
    last = np.full(n, -1)
    np.maximum.at(last, row[filled], number[filled])
    order = np.lexsort((seat, number, row))
    order = order[number[order] <= last[row[order]]]
    origin = row[order]
    whole = {name for half in mapping.columns.values() for name in half.split(" | ")}
    of_rounds = {
        name
        for pattern in mapping.columns.values()
        if _ROUND in pattern
        for name in _matching(table, pattern).values()
    }
    split = {role: theirs.split(" | ") for role, theirs in mapping.columns.items() if _ROUND not in theirs}
    columns = {
        name: picked(column, origin)
        for name, column in table.columns.items()
        if name not in of_rounds
        and not (name in whole and any(name in p and len(p) > 1 for p in split.values()))
    }
    ours: dict[str, str] = {}
    for role, theirs in split.items():
        if role in cells:
            continue
        if len(theirs) == 1:
            ours[role] = theirs[0]
            continue
        both = stacked([table.columns[name] for name in theirs])
        columns[f"_{role}"] = picked(both, origin + n * (seat[order] == 2))
        ours[role] = f"_{role}"
    for role, texts in cells.items():
        columns[f"_{role}"] = picked(texts, order)
        ours[role] = f"_{role}"
    first = min((r for r, _ in blocks), default=1)
    columns["_round"] = pa.array((number[order] + (first == 0)).astype(str), pa.string())
    ours["round"] = "_round"
    if {s for _, s in blocks} == {1, 2}:
        columns["_seat"] = pa.array(seat[order].astype(str), pa.string())
        ours["seat"] = "_seat"
    if "game_id" not in ours and ("seat" in ours or "other" in ours):
        columns["_game"] = pa.array((origin + 1).astype(str), pa.string())
        ours["game_id"] = "_game"
    long = TidyTable(columns, lambda r: table.line(int(origin[r])), lambda r: table.text(int(origin[r])))
    return LongTable(long, ours, mapping.by)


_BETWEEN = ",;|-[]() \t"
_TOKEN = re.compile(r"'([^']*)'|\"([^\"]*)\"|([^\s,;|\-\[\]()'\"]+)")


def _tokens(text: str) -> list[str]:
    """The moves of a cell: ``CCDC``, ``C,D,C``, ``C-D``, ``['C', 'D']``; empty where it is no sequence."""
    bare = text.strip()
    if not re.search(r"[,;|\-\s\[]", bare):
        return list(bare)
    if _TOKEN.sub("", bare).strip(_BETWEEN):
        return []
    return [a or b or c for a, b, c in _TOKEN.findall(bare)]


def _is_sequences(column: Column) -> bool:
    """Whether cells are sequences of two or so labels, of several rounds."""
    labels: set[str] = set()
    longest = 0
    sample = column.filled[:500]
    for text in sample:
        moves = _tokens(text)
        if not moves or len(text) > bounds().field:
            return False
        labels.update(moves)
        longest = max(longest, len(moves))
        if len(labels) > _MOST_LABELS:
            return False
    return (
        longest >= _FEWEST and 1 <= len(labels) <= 3 and not all(t.isdecimal() and len(t) < 3 for t in sample)
    )


def _propose_sequences(columns: Mapping[str, Column], settings: Settings) -> Iterator[Proposal]:
    """A row per player or pair; all moves of a player in one cell."""
    texts = [c for c in columns.values() if c.sense.role in ("", "action") and _is_sequences(c)]
    texts = [c for c in texts if c.sense.role == "action"] or [c for c in texts if not _is_id(c)]
    rest = {name: column for name, column in columns.items() if column not in texts}
    others = [c for c in texts if c.sense.whose == "other"]
    own = [c for c in texts if c.sense.whose != "other"]
    if len(own) == 2 and not others:
        names = {"action": f"{own[0].name} | {own[1].name}"}
        reasons = [Reason(names["action"], "action", "cells hold the moves of all rounds, of two seats")]
        yield _with_players(names, reasons, rest, seated=True, shape="sequences")
    elif len(own) == 1:
        names = {"action": own[0].name} | ({"other": others[0].name} if others else {})
        reasons = [
            Reason(c.name, role, "cells hold the moves of all rounds")
            for role, c in zip(names, texts, strict=False)
        ]
        yield _with_players(names, reasons, rest, seated=False, shape="sequences")


def _lay_out_sequences(table: TidyTable, mapping: LogMapping) -> LongTable:
    """A row for each round, and seat, of the moves in a cell.

    Raises
    ------
    DataError
        As `_lay_out_wide`.
    """
    cells: dict[str, pa.Array] = {}
    columns = {**table.columns}
    names = dict(mapping.columns)
    lengths: dict[str, list[int]] = {}
    for role in ("action", "other"):
        if role not in mapping.columns:
            continue
        halves = mapping.columns[role].split(" | ")
        for seat, name in enumerate(halves, start=1):
            moves = [_tokens(text or "") for text in columns.pop(name).to_pylist()]
            lengths[name] = [len(m) for m in moves]
            longest = max(map(len, moves), default=0)
            if longest > bounds().rounds:
                raise DataError(
                    f"column {name}: {longest:,} moves in a cell, expected at most {bounds().rounds:,}"
                )
            for number in range(1, longest + 1):
                key = f"_{role}_{number}_{seat}" if len(halves) > 1 else f"_{role}_{number}"
                cells[key] = pa.array([m[number - 1] if len(m) >= number else "" for m in moves], pa.string())
        names[role] = f"_{role}_{_ROUND}_{_SEAT}" if len(halves) > 1 else f"_{role}_{_ROUND}"
    spread = TidyTable({**columns, **cells}, table.line, table.text)
    long = _lay_out_wide(spread, mapping.model_copy(update={"columns": names}))
    return replace(long, faults=(*long.faults, *_of_lengths(lengths)))


def _of_lengths(lengths: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """Two columns of moves whose cells are of different length in most rows."""
    if len(lengths) != 2:
        return
    (one, first), (two, second) = lengths.items()
    unequal = [(a, b) for a, b in zip(first, second, strict=True) if a and b and a != b]
    if len(unequal) > 1 and 2 * len(unequal) > len(first):
        a, b = unequal[0]
        yield (
            f"{one} and {two} hold different numbers of moves in {len(unequal):,} of {len(first):,} rows "
            f"({a} and {b}), expected those of the same rounds: give --map action=NAME for another column"
        )


def gaps(names: Iterable[str]) -> str:
    """What is wrong with columns that would be rounds if none were missing; empty where nothing is."""
    groups: dict[str, dict[int, str]] = {}
    for name in names:
        numbers = _NUMBER.findall(name)
        if len(numbers) == 1 and len(numbers[0]) < 7 and sense_of(name).round is not None:
            groups.setdefault(_NUMBER.sub("#", name), {})[int(numbers[0])] = name
    for group in groups.values():
        rounds = sorted(group)
        hole = next((b for a, b in pairwise(rounds) if b != a + 1), None)
        if len(rounds) >= _FEWEST and hole is not None:
            before = rounds[rounds.index(hole) - 1]
            return (
                f"columns {group[rounds[0]]} to {group[rounds[-1]]} would be rounds, but none is between "
                f"{group[before]} and {group[hole]}: add the column, empty if nothing was played"
            )
    return ""


def _needs(mapping: LogMapping) -> Iterator[str]:
    """The columns that are named one by one."""
    return (
        name for theirs in mapping.columns.values() if _ROUND not in theirs for name in theirs.split(" | ")
    )


SHAPES = (
    Shape(
        "wide", "a row per player or pair with a column for each round", _propose_wide, _lay_out_wide, _needs
    ),
    Shape(
        "sequences",
        "a row per player or pair with all moves in one cell",
        _propose_sequences,
        _lay_out_sequences,
        _needs,
    ),
)
