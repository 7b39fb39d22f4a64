"""Tables with a row per round and a column for each of the players.

1. ``both``: a row per round with a column for each seat, under any naming that differs in the seat alone.
   Games are the values of a match column, or begin where the players change or the rounds start again.
2. Labels by row: each row has labels of its own, and the move is the option behind the label. Which one that
   is, the payoffs beside it decide (Akata et al. 2025).
3. Totals of a match repeated on each of its rows: the payoffs are solved from them, if that explains all.

References
----------
Akata, E., Schulz, L., Coda-Forno, J., Oh, S. J., Bethge, M. & Schulz, E. (2025). Playing repeated games with
large language models. Nature Human Behaviour 9, 1380-1390.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.files import bounds
from intent.logs.importer.columns import (
    MARKS,
    PERSONS,
    Column,
    Seating,
    columns_of,
    in_catalogue,
    is_named_alone,
    seating_of,
    seatings,
    tokens_of,
    who_of,
    with_role,
)
from intent.logs.importer.mapping import LogMapping
from intent.logs.importer.proposals import LongTable, Proposal, Question, Reason, Shape, by_words, number_of
from intent.logs.importer.totals import solved
from intent.logs.importer.words import LAG, OTHER, OWN, TOTAL
from intent.logs.readers.arrays import (
    TidyTable,
    first_rows,
    numbered,
    of_codes,
    picked,
    stacked,
    whole_numbers,
)
from intent.logs.readers.reader import Settings
from intent.logs.readers.stages import MISSING, words_for_no_move

__all__ = ["SHAPES", "amounts_of", "keys_of"]

Codes = NDArray[np.intp]
T = TypeVar("T", bound=np.generic)

_BAR = " | "
"""Between the columns of the seats, in a mapping."""

_OF_SEATS = (
    *("action", "value", "decided", "payoff", "player", "model", "persona", "strategy", "architecture"),
    *("attitude", "message", "reasoning", "private_thought", "reply", "prompt", "advice", "status"),
)
"""Roles that a column of each seat may have in the log."""

_TEXTS = ("message", "reasoning", "private_thought", "reply", "prompt")
"""Roles of texts, which differ between rounds; what is the same everywhere is who says them, or how."""

_BOTH = 4.0
"""What it speaks for a reading that it has the moves of both players."""

_SAME = 1e-6
_MANY = 0.1
"""Share of rows beyond which what is wrong with them is wrong with the reading."""

_SURE = 0.99
"""Share of rows that payoffs which follow from the moves explain."""

_MOSTLY = 0.8
"""The same, where some rows contradict the others and are rejected."""

_NO_SEATS = (
    OTHER | OWN | LAG | TOTAL | {"actual", "intended", "implemented", "realised", "realized", "decided"}
)
"""Words by which columns of moves differ that are not those of two players of a round."""

_FEW = 50
"""Most values of a column that may name games or treatments."""


def _propose_both(columns: Mapping[str, Column], settings: Settings) -> Iterator[Proposal]:
    """One row per round with the moves of both players: a column for each seat."""
    stated = {
        role: tuple(name.strip() for name in text.split("|"))
        for role, text in settings.mapping.items()
        if "|" in text
    }
    ways = seatings(columns.values())
    if (
        len(pair := stated.get("action", ())) == 2
        and (own := seating_of(pair[0], pair[1], columns)) is not None
    ):
        ways = [way for way in ways if columns.get(pair[0]) in [s[0] for s in way.columns.values()]] or [own]
    for way in ways or ([Seating((), {})] if stated else []):
        forms = _roles(way)
        for role, names in stated.items():
            if all(name in columns for name in names):
                forms[role] = [tuple(columns[name] for name in names)]
        moves = forms.get("action") or forms.get("value") or _two_labels(way)
        proposals = [_with_moves(move, way, forms, columns, settings) for move in moves[:3]]
        if moves:
            yield from (proposal for proposal in proposals if proposal is not None)
            return
    if not stated and not with_role(columns.values(), "action", "other"):
        yield from _perhaps_both(columns, settings)


def _perhaps_both(columns: Mapping[str, Column], settings: Settings) -> Iterator[Proposal]:
    """Two columns of the same two labels, whose names differ in a word that marks no seat: it is asked."""
    senses = [(c, c.sense) for c in columns.values()]
    actions = [
        c
        for c, s in senses
        if s.role == "action" and not (s.whose or s.lag or s.total) and len(c.labels) == 2
    ]
    actions = actions or [
        c
        for c, s in senses
        if s.role in ("", "player")
        and s.seat is s.round is None
        and not s.numbers
        and len(c.labels) == 2
        and by_words(c.labels)
    ]
    alike: dict[frozenset[str], list[Column]] = {}
    for column in actions:
        if column.sense.role != "action" or not {*tokens_of(column.name)} & _NO_SEATS:
            alike.setdefault(frozenset(column.labels), []).append(column)
    several = [group for group in alike.values() if len(group) > 1]
    if len(several) != 1 or len(several[0]) != 2:
        return
    one, two = several[0]
    way = seating_of(one.name, two.name, columns) or Seating((), {})
    proposal = _with_moves((one, two), way, _roles(way), columns, settings)
    if proposal is not None:
        question = Question(
            f"{one.name} and {two.name} hold the same two labels, as the moves of both players of a round do",
            (f"--map action={one.name}|{two.name}",),
        )
        yield replace(proposal, questions=(question, *proposal.questions))


def _roles(way: Seating) -> dict[str, list[tuple[Column, ...]]]:
    """Role -> columns of the seats; sums over rounds under ``total``."""
    forms: dict[str, list[tuple[Column, ...]]] = {}
    for form, seats in way.columns.items():
        sense = seats[0].sense
        if is_named_alone(form) and not any(c.sense.role for c in seats) and any(c.filled for c in seats):
            forms.setdefault("player", []).append(seats)
            continue
        if (
            sense.lag
            or (sense.whose and not {*way.marks} & (OTHER | OWN))
            or sense.round is not None
            or any(c.sense.role != sense.role for c in seats)
        ):
            continue
        role = "total" if sense.total and sense.role in ("", "payoff") else sense.role
        if (sense.total and role != "total") or not any(c.filled for c in seats):
            continue
        forms.setdefault(role, []).append(seats)
    return forms


def _two_labels(way: Seating) -> list[tuple[Column, ...]]:
    """Columns that hold the same two labels, where no name speaks of moves: ``c1, c2``."""
    fitting: list[tuple[Column, ...]] = []
    for seats in way.columns.values():
        labels = {label for c in seats for label in c.labels}
        if len(labels) == 2 == len(seats) and seats[0].sense.role in ("", "player", "strategy"):
            fitting.append(seats)
    return fitting if len(fitting) == 1 else []


def _with_moves(
    move: tuple[Column, ...],
    way: Seating,
    forms: Mapping[str, list[tuple[Column, ...]]],
    columns: Mapping[str, Column],
    settings: Settings,
) -> Proposal | None:
    """The reading in which some columns are the moves of the seats."""
    stated = [
        columns[name.strip()]
        for name in settings.mapping.get("option", "").split("|")
        if name.strip() in columns
    ]
    options = tuple(stated) if len(stated) == 2 else _options(move, columns)
    seated = {"value" if move[0].sense.role == "value" else "action": move}
    spoken = {*move, *options}
    for role in (*_OF_SEATS, "total"):
        fitting = [
            seats for seats in forms.get(role, ()) if len(seats) == len(move) and not spoken & {*seats}
        ]
        if fitting and role not in {*seated, "action"}:
            if role in _TEXTS:
                fitting.sort(key=lambda seats: all(len(c.labels) < 2 for c in seats))
            elif role == "payoff" and len(fitting) > 1:
                fitting.sort(key=lambda seats: -_share_explained(seats, move))
            seated[role] = fitting[0]
            spoken |= {*seated[role]}
    if "payoff" not in seated and "player" in seated and _follow(seated["player"], move):
        seated["payoff"] = seated.pop("player")
    bare = way.columns.get(("",), ())
    free = len(bare) == len(move) and not spoken & {*bare}
    of_rounds, of_games = keys_of(
        [c for c in columns.values() if c not in {*spoken, *bare}], settings.mapping
    )
    keys = [*(c for role, c in of_rounds.items() if role != "round"), *(columns[name] for name in of_games)]
    if free and (role := who_of(bare, keys, of_rounds.get("round"))) and role not in seated:
        seated[role] = bare
        spoken |= {*bare}
    stacked = {}
    for form, seats in way.columns.items():
        if len(seats) == len(move) and not spoken & {*seats}:
            name = "_".join(word for word in form if word) or "_".join(way.marks)
            stacked[f"{name}_of_seat" if name in columns else name] = _BAR.join(c.name for c in seats)
            spoken |= {*seats}
    alone = {
        c.name: seat for c in columns.values() if c not in spoken and (seat := _seat_alone(c, way.marks))
    }
    people = with_role([c for c in columns.values() if c not in spoken], "player")
    if way.marks[:1] and way.marks[0] in PERSONS and len(people) == 1 and "player" not in seated:
        alone[people[0].name] = 1
    spoken |= {columns[name] for name in alone}
    names = {role: _BAR.join(c.name for c in seats) for role, seats in seated.items()}
    reasons = [Reason(theirs, role, "a column for each seat") for role, theirs in names.items()]
    rest = [c for c in columns.values() if c not in spoken]
    single, by = keys_of(rest, settings.mapping)
    by += [c.name for c in people if c.name in alone]
    if "round" not in single and ("game_id" not in single or len(move) > 2):
        return None
    names |= {role: c.name for role, c in single.items()}
    reasons += [Reason(c.name, role, "its name says so") for role, c in single.items()]
    if options:
        names["option"] = _BAR.join(c.name for c in options)
        reasons.append(Reason(names["option"], "option", "each answer is one of the labels of its row"))
    sides = list(way.marks) if _are_agents(way.marks) and not {"player", "model"} & seated.keys() else []
    parts = (("stacked", stacked), ("alone", alone), ("sides", sides))
    further = {key: value for key, value in parts if value}
    mapping = LogMapping(shape="both", columns=names, by=tuple(by), options=further or None)
    cells = {name: c.cells for name, c in columns.items()}
    table = TidyTable(cells, lambda row: None, lambda row: "", memo=dict(columns))
    match = mapping.columns.get("game_id")
    if (
        match
        and "game_id" not in settings.mapping
        and len(_Rounds(table, mapping).repeats) > _MANY * len(table)
    ):
        if "round" not in names:
            return None
        without = {role: name for role, name in names.items() if role != "game_id"}
        mapping = mapping.model_copy(update={"columns": without, "by": (match, *by)})
        reasons = [reason for reason in reasons if reason.role != "game_id"]
    mapping, questions = _settled(mapping, table, rest, settings)
    score = _BOTH + sum(1.0 + (role in ("action", "payoff")) for role in names)
    return Proposal(mapping, tuple(reasons), score, tuple(questions))


def _follow(amounts: Sequence[Column], move: Sequence[Column]) -> bool:
    """Whether columns that are named by the seat alone hold what the moves of the round bring.

    Numbers that both seats have in one row are no two people, whom the moves of few games tell apart, too.
    """
    if any(c.numbers is None or len(c.labels) < 2 for c in amounts):
        return False
    first, *others = (np.array(c.values, dtype=object)[c.codes] for c in amounts)
    return any((other == first).any() for other in others) and _share_explained(amounts, move) >= _SURE


def _share_explained(amounts: Sequence[Column], move: Sequence[Column]) -> float:
    """Share of rows that have the most frequent amounts of their joint move; 0 where nothing varies."""
    joint = numbered([c.codes for c in move]).astype(np.intp)
    n = int(joint.max(initial=-1)) + 1
    if not 1 < n < len(joint) / 2 or any(len(c.labels) < 2 for c in amounts):
        return 0.0
    return _usual(joint, [c.codes for c in amounts])


def _are_agents(marks: Sequence[str]) -> bool:
    """Whether the words that mark the seats say who sits there: human and ai, gpt and claude."""
    plain = {word for pair in MARKS if not {*pair} & {*PERSONS} for word in pair}
    return bool(marks) and not any(mark.isdecimal() or mark in plain for mark in marks)


def _seat_alone(column: Column, marks: Sequence[str]) -> int | None:
    """The seat, from 1, that a column without a counterpart is about."""
    if column.sense.seat is not None:
        numbers = [int(mark) if mark.isdecimal() else None for mark in marks]
        return numbers.index(column.sense.seat) + 1 if column.sense.seat in numbers else None
    tokens = tokens_of(column.name)
    named = [i for i, mark in enumerate(marks, start=1) if mark in tokens and len(mark) > 1]
    return named[0] if len(named) == 1 and _role_alone(column) else None


def _role_alone(column: Column) -> str:
    """What a column of one seat is of it; ``human_id`` names who sits there."""
    role = column.sense.role or ("player" if is_named_alone(tokens_of(column.name)[-1:]) else "")
    return role if role in _OF_SEATS else ""


def keys_of(rest: Sequence[Column], stated: Mapping[str, str]) -> tuple[dict[str, Column], list[str]]:
    """Columns of a round and of a game by role, and further ones that tell games apart."""
    single = {}
    for role in ("round", "run", "repetition", "language", "horizon_known", "rounds_planned", "payoff_kind"):
        fitting = [c for c in with_role(rest, role) if c.sense.exact or role == "round"]
        if fitting:
            single[role] = fitting[0]
    matches = [*with_role(rest, "game_id"), *with_role(rest, "match")]
    games = with_role(rest, "game")
    named = [c for c in games if c.sense.role == c.name.casefold() == "game" and in_catalogue(c)]
    named += [
        c for c in games if c not in named and c.numbers is None and (matches or "name" in c.name.casefold())
    ]
    if named:
        single["game"] = named[0]
    keys = [*matches, *(c for c in games if c not in named[:1])]
    keys += [c for c in with_role(rest, "session") if c not in keys]
    if keys:
        single["game_id"] = keys[0]
    of_name = {c.name: c for c in rest}
    single |= {role: of_name[name] for role, name in stated.items() if name in of_name}
    singles = {c.name for c in single.values()}
    by = [c.name for c in keys[1:]] + [name for name in stated.get("by", "").split("+") if name in of_name]
    return single, [name for name in dict.fromkeys(by) if name not in singles]


def _options(move: Sequence[Column], columns: Mapping[str, Column]) -> tuple[Column, ...]:
    """The two columns with the labels of each row, where nearly every answer is one of them."""
    for way in seatings(c for c in columns.values() if c not in move):
        for seats in way.columns.values():
            if len(seats) != 2 or seats[0].sense.role in ("payoff", "round", "player", "model"):
                continue
            (first, second, *answers) = _together([*seats, *move])[0]
            if (first == second).mean() > 1 - _SURE or not min(len(c.filled) for c in seats):
                continue
            known = [
                np.array([bool(v) and v.casefold() not in MISSING for v in c.values])[c.codes] for c in move
            ]
            fits = [(a == first) | (a == second) for a in answers]
            n_known = sum(int(k.sum()) for k in known)
            if (
                n_known
                and sum(int((f & k).sum()) for f, k in zip(fits, known, strict=True)) >= (1 - _MANY) * n_known
            ):
                return seats
    return ()


def _together(columns: Sequence[Column]) -> tuple[list[Codes], list[str]]:
    """Codes of the rows of each column into the distinct texts of all of them."""
    pool = {value: i for i, value in enumerate(dict.fromkeys(v for c in columns for v in c.values))}
    return [np.array([pool[v] for v in c.values], dtype=np.intp)[c.codes] for c in columns], list(pool)


@dataclass(frozen=True, eq=False)
class _Rounds:
    """The rows of a table with both players, as a mapping reads them."""

    table: TidyTable
    mapping: LogMapping

    @cached_property
    def columns(self) -> dict[str, Column]:
        return columns_of(self.table)

    def of(self, role: str) -> tuple[Column, ...]:
        """The columns of a role: one, or one for each seat."""
        theirs = self.mapping.columns.get(role, "")
        return tuple(self.columns[name] for name in theirs.split(_BAR) if name in self.columns)

    @property
    def n_seats(self) -> int:
        return len(self.of("action") or self.of("value"))

    @cached_property
    def moves(self) -> tuple[list[Codes], list[str]]:
        """Codes of the moves of each seat into all actions: the options behind labels by row."""
        return self.options("action")

    def options(self, role: str) -> tuple[list[Codes], list[str]]:
        """Codes of the actions in the columns of a role."""
        columns = self.of(role)
        if "option" not in self.mapping.columns:
            return _together(columns)
        (first, second, *answers), values = _together([*self.of("option"), *columns])
        order = _swapped(self.of("order"), first, second, values)
        swap = np.zeros(len(self.table), dtype=np.intp) if order is None else order.astype(np.intp)
        n = len(values)
        return [np.where(a == first, n + swap, np.where(a == second, n + 1 - swap, a)) for a in answers], [
            *values,
            "1",
            "2",
        ]

    def missing(self, codes: Codes) -> NDArray[np.bool_]:
        """(n,) whether there is no move."""
        values = self.moves[1]
        gone = {"", *words_for_no_move(values, None)}
        return np.array([v in gone for v in values])[codes]

    @cached_property
    def strays(self) -> dict[int, str]:
        """Rows whose answer is none of the two labels of the row."""
        if "option" not in self.mapping.columns:
            return {}
        wrong: dict[int, str] = {}
        codes, values = self.moves
        first, second = self.of("option")
        for column, moves in zip(self.of("action"), codes, strict=True):
            for row in np.flatnonzero((moves < len(values) - 2) & ~self.missing(moves)).tolist():
                labels = f"{first.values[first.codes[row]]} or {second.values[second.codes[row]]}"
                got = column.values[column.codes[row]]
                wrong.setdefault(row, f"{column.name} is {got!r}, expected {labels}, the labels of its row")
        return wrong

    @cached_property
    def number(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Rounds, and the rows in which there is none."""
        column = self.of("round")
        if not column:
            return np.zeros(len(self.table), dtype=np.int64), np.zeros(len(self.table), dtype=bool)
        rounds, bad = whole_numbers(column[0].cells)
        return rounds, bad | (rounds < 0) | (rounds > bounds().rounds)

    @cached_property
    def keys(self) -> list[Column]:
        """The columns that tell games apart."""
        names = [*self.mapping.by, *(self.mapping.columns.get(r, "") for r in ("run", "repetition", "game"))]
        return [*self.of("game_id"), *(self.columns[name] for name in names if name in self.columns)]

    @cached_property
    def turned(self) -> NDArray[np.bool_]:
        """Rows of a match whose players sit the other way round than in its first row."""
        players, turned = self.of("player"), np.zeros(len(self.table), dtype=bool)
        if len(players) != 2 or "game_id" not in self.mapping.columns:
            return turned
        (one, two), _ = _together(players)
        key = numbered([*(c.codes for c in self.keys), np.minimum(one, two), np.maximum(one, two)])
        return np.asarray(one != one[first_rows(key, int(key.max(initial=-1)) + 1)[key]])

    def seat(self, codes: Sequence[NDArray[T]]) -> list[NDArray[T]]:
        """Arrays by seat, each row's players in the seats that they have in its game."""
        if len(codes) != 2 or not self.turned.any():
            return list(codes)
        return [np.where(self.turned, codes[1], codes[0]), np.where(self.turned, codes[0], codes[1])]

    @cached_property
    def base(self) -> Codes:
        """(n,) number of the value of all keys and of the players of each row."""
        players = self.seat(_together(self.of("player"))[0]) if self.of("player") else []
        return number_of([*(c.codes for c in self.keys), *players], len(self.table))

    @cached_property
    def repeats(self) -> Codes:
        """Rows of a match whose round an earlier row of it has."""
        if not self.of("game_id") or not self.of("round"):
            return np.zeros(0, dtype=np.intp)
        known = np.flatnonzero(~self.number[1])
        place = number_of([self.base[known], self.number[0][known].astype(np.intp)], len(known))
        first = first_rows(place, int(place.max(initial=-1)) + 1)
        return np.asarray(known[first[place] != np.arange(len(place))])

    @cached_property
    def game(self) -> Codes:
        """Number of the game of each row, in order of their first rows; -1 in rows without a round.

        Rows of one match are one game, in whatever order they stand. Where no column says the match, a game
        begins where players or keys change or the round does not grow.
        """
        rounds, bad = self.number
        known = np.flatnonzero(~bad)
        game = np.full(len(self.table), -1, dtype=np.intp)
        if self.of("game_id"):
            game[known] = self.base[known]
        else:
            begins = np.ones(len(known), dtype=bool)
            begins[1:] = (np.diff(rounds[known]) <= 0) | (np.diff(self.base[known]) != 0)
            game[known] = np.cumsum(begins) - 1
        game[known] = number_of([game[known]], len(known))
        return game

    @cached_property
    def names(self) -> tuple[list[str], bool]:
        """Name of each game, and whether they are numbers for want of names."""
        known = np.flatnonzero(self.game >= 0)
        n_games = int(self.game.max(initial=-1)) + 1
        heads = known[first_rows(self.game[known], n_games)]
        if not self.of("game_id"):
            width = len(str(n_games))
            return [f"{i + 1:0{width}d}" for i in range(n_games)], True
        matches = [*self.of("game_id"), *(self.columns[b] for b in self.mapping.by if b in self.columns)]
        for upto in range(1, len(matches) + 1):
            cells = [np.array(c.values, dtype=object)[c.codes[heads]].tolist() for c in matches[:upto]]
            names = ["-".join(parts) for parts in zip(*cells, strict=True)]
            if len({*names}) == len(names):
                return names, False
        numbers: dict[str, int] = {}
        unique = []
        for name in names:
            numbers[name] = numbers.get(name, 0) + 1
            unique.append(f"{name}-{numbers[name]}")
        return unique, False

    def amounts(self, role: str) -> list[NDArray[np.float64]] | None:
        """Numbers of each seat, NaN where a cell is empty or no number; None without such columns."""
        return [amounts_of(column)[0] for column in self.of(role)] or None

    def steps(self, role: str) -> list[NDArray[np.float64]] | None:
        """What running sums grow by in each round of a game; None where players change seats."""
        sums = self.amounts(role)
        if sums is None or "total" in self.mapping.columns or self.turned.any():
            return None
        order = np.lexsort((self.number[0], self.game))
        first = np.diff(self.game[order], prepend=-1) != 0
        grown = [np.empty(len(order)) for _ in sums]
        for steps, amounts in zip(grown, sums, strict=True):
            steps[order] = np.where(first, amounts[order], np.round(np.diff(amounts[order], prepend=0.0), 9))
        return grown


def amounts_of(column: Column) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """(n,) numbers, NaN where there is none, and the rows that have something else there."""
    amounts = np.full(len(column.values), np.nan)
    odd = np.zeros(len(column.values), dtype=bool)
    for i, value in enumerate(column.values):
        try:
            amounts[i] = float(value) if value else np.nan
        except ValueError:
            odd[i] = value.casefold() not in MISSING
    odd |= np.isinf(amounts)
    return np.where(odd, np.nan, amounts)[column.codes], odd[column.codes]


def _swapped(
    order: Sequence[Column], first: Codes, second: Codes, values: Sequence[str]
) -> NDArray[np.bool_] | None:
    """(n,) whether the second option was shown first; None where the cells do not say."""
    if not order:
        return None
    cells = order[0].values
    numbers = [[int(n) for n in re.findall(r"\d+", cell)] for cell in cells]
    if all(len(pair) == 2 and pair[0] != pair[1] for pair in numbers):
        return np.array([pair[0] > pair[1] for pair in numbers])[order[0].codes]
    shown = {value: i for i, value in enumerate(values)}
    heads = [re.findall(r"\w+", cell) for cell in cells]
    if not all(len(words) == 2 and words[0] in shown for words in heads):
        return None
    top = np.array([shown[words[0]] for words in heads])[order[0].codes]
    return np.asarray(top == second) if ((top == first) | (top == second)).all() else None


def _settled(
    mapping: LogMapping, table: TidyTable, rest: Sequence[Column], settings: Settings
) -> tuple[LogMapping, list[Question]]:
    """The mapping with the option behind each label decided, and what stays open.

    Payoffs that follow from the joint moves tell which option a label is; where they follow from no reading
    of the moves, what the columns are is not known.
    """
    rounds = _Rounds(table, mapping)
    if rounds.n_seats != 2 or not rounds.of("action"):
        return mapping, []
    orders = with_role(rest, "order") if "option" in mapping.columns else []
    ways = {"option": mapping}
    if orders:
        shown = mapping.model_copy(update={"columns": {**mapping.columns, "order": orders[0].name}})
        (first, second), values = _together(rounds.of("option"))
        swapped = _swapped(orders, first, second, values)
        if swapped is not None and swapped.any() and not swapped.all():
            ways["order"] = shown
    stated = [way for way in ways if way in settings.mapping]
    if stated:
        return ways[stated[0]], []
    payoffs = rounds.amounts("payoff")
    if payoffs is None or not np.isfinite(np.array(payoffs)).all(axis=0).any():
        return mapping, [_which_option(mapping, orders[0])] if len(ways) > 1 else []
    explained = {way: _explained(_Rounds(table, theirs), payoffs) for way, theirs in ways.items()}
    most = max(explained.values())
    least = 1.0 if most == 1.0 else most - _MANY
    sure = [way for way, share in explained.items() if share >= max(least, _MOSTLY)]
    if not sure and (steps := rounds.steps("payoff")) is not None and _explained(rounds, steps) >= _SURE:
        names = {{"payoff": "total"}.get(role, role): theirs for role, theirs in mapping.columns.items()}
        return mapping.model_copy(update={"columns": names}), []
    if len(sure) > 1:
        return mapping, [_which_option(mapping, orders[0])]
    if sure or settings.cooperate:
        return ways[sure[0] if sure else "option"], []
    return mapping, [_contradicted(rounds, payoffs, max(explained.values()), rest)]


def _which_option(mapping: LogMapping, order: Column) -> Question:
    option = mapping.columns["option"].replace(_BAR, "|")
    return Question(
        f"labels change from row to row, and no payoffs tell whether {option.replace('|', ' and ')} number "
        f"the options or {order.name} does",
        (f"--map option={option}", f"--map order={order.name}"),
    )


def _explained(rounds: _Rounds, payoffs: Sequence[NDArray[np.float64]], by: Codes | None = None) -> float:
    """Share of the rounds whose payoffs are the usual ones of their joint move, in games of the same name."""
    one, two = rounds.moves[0]
    full = ~rounds.missing(one) & ~rounds.missing(two) & np.isfinite(np.array(payoffs)).all(axis=0)
    full[list(rounds.strays)] = False
    if not full.any():
        return 1.0
    named = [c.codes[full] for c in rounds.of("game")] + ([by[full]] if by is not None else [])
    joint = numbered([*named, one[full], two[full]]).astype(np.intp)
    return _usual(joint, [pd.factorize(payoff[full])[0] for payoff in payoffs])


def _usual(joint: Codes, amounts: Sequence[Codes]) -> float:
    """Share of rows whose amounts are those that most rows of the same joint move have."""
    cell = numbered([joint, *amounts])
    counts = np.bincount(cell)
    usual = np.zeros(int(joint.max()) + 1, dtype=np.intp)
    np.maximum.at(usual, joint[first_rows(cell, len(counts))], counts)
    return float(usual.sum() / len(cell))


def _contradicted(
    rounds: _Rounds, payoffs: Sequence[NDArray[np.float64]], share: float, rest: Sequence[Column]
) -> Question:
    """Payoffs that do not follow from the moves, and a column of treatments within which they would."""
    names = [" and ".join(c.name for c in rounds.of(role)) for role in ("payoff", "action")]
    telling = [
        c.name
        for c in rest
        if 1 < len(c.filled) <= _FEW
        and c.name not in {k.name for k in (*rounds.of("round"), *rounds.keys)}
        and _explained(rounds, payoffs, c.codes) >= _SURE
    ]
    played = [rounds.moves[1][code] for code in np.flatnonzero(np.bincount(np.concatenate(rounds.moves[0])))]
    answers = [f"--map game={telling[0]}"] if telling else [f"--cooperate {a}" for a in played if a][:2]
    hint = f"; they do within {telling[0]}" if telling else ""
    return Question(
        f"{names[0]} do not follow from {names[1]} in {1 - share:.0%} of the rows{hint}", tuple(answers)
    )


def _lay_out_both(table: TidyTable, mapping: LogMapping) -> LongTable:
    """A row for each seat per row of theirs: those of seat 1, then those of seat 2."""
    rounds = _Rounds(table, mapping)
    wrong = _bad_rows(rounds)
    faults = _faults(rounds, wrong)
    rows = np.delete(np.arange(len(table)), list(wrong))
    notes: list[str] = []
    n_seats = rounds.n_seats
    ours: dict[str, str] = {
        "seat": "_seat",
        "game_id": "_game",
        "round": "_round",
        "repetition": "_repetition",
    }
    cells: dict[str, list[pa.Array]] = {"_seat": [_repeat(str(s + 1), len(table)) for s in range(n_seats)]}
    sources: dict[str, tuple[str, ...]] = {
        f"_{role}": (mapping.columns[role],) * n_seats
        for role in ("round", "game_id")
        if role in mapping.columns
    }
    names, numbered = rounds.names
    cells["_game"] = [of_codes(rounds.game, names)] * n_seats
    cells["_round"] = [_round_cells(rounds, notes)] * n_seats
    if rounds.of("repetition"):
        ours["repetition"] = mapping.columns["repetition"]
    else:
        cells["_repetition"] = [_repetition(rounds)] * n_seats
    for role in _OF_SEATS:
        if len(rounds.of(role)) == n_seats:
            ours[role] = _common(rounds.of(role), {*rounds.columns, *cells}, role)
            cells[ours[role]] = _seated_cells(rounds, [c.cells for c in rounds.of(role)])
            sources[ours[role]] = tuple(c.name for c in rounds.of(role))
    if "option" in mapping.columns:
        cells["letter"] = cells[ours["action"]]
        for role in ("action", "decided", "advice"):
            if role in ours:
                codes, values = rounds.options(role)
                cells[ours[role]] = [of_codes(c, values) for c in rounds.seat(codes)]
        how = f" in the order of {mapping.columns['order']}" if "order" in mapping.columns else ""
        notes.append(f"actions are the options 1 and 2{how}, not their letters, which column letter keeps")
    if rounds.turned.any():
        notes.append(
            f"players change seats within a match in {int(rounds.turned.sum()):,} rows: seats are by player"
        )
    used = {name for theirs in mapping.columns.values() for name in theirs.split(_BAR)} - {
        *mapping.columns.get("option", "").split(_BAR),
        *mapping.columns.get("order", "").split(_BAR),
    }
    of_match = mapping.columns.get("game_id", "")
    if of_match and len({*names}) != len({v for c in rounds.of("game_id") for v in c.filled}):
        used.discard(of_match)
    for role in ("language", "horizon_known", "rounds_planned", "payoff_kind", "run", "game", "repetition"):
        for column in rounds.of(role):
            ours[role] = column.name
            used.discard(column.name)
    _with_totals(rounds, cells, ours, notes)
    for name, theirs in ((mapping.options or {}).get("stacked") or {}).items():
        seats = [rounds.columns[c] for c in str(theirs).split(_BAR) if c in rounds.columns]
        if len(seats) == n_seats:
            cells[str(name)] = _seated_cells(rounds, [c.cells for c in seats])
            used |= {c.name for c in seats}
    if len(sides := (mapping.options or {}).get("sides") or ()) == n_seats:
        cells["side"] = [_repeat(str(side), len(table)) for side in sides]
    for name, seat in ((mapping.options or {}).get("alone") or {}).items():
        if name in rounds.columns:
            column = rounds.columns[name]
            empty = _repeat("", len(table))
            parts = [column.cells if s + 1 == int(seat) else empty for s in range(n_seats)]
            role = _role_alone(column)
            if role and role not in ours:
                ours[role] = name
            cells[name] = _seated_cells(rounds, parts)
    for name, column in rounds.columns.items():
        if name not in used and name not in cells:
            cells[name] = [column.cells] * n_seats
    if wrong:
        cells = {name: [picked(part, rows) for part in parts] for name, parts in cells.items()}
    laid = {name: stacked(parts) for name, parts in cells.items()}
    long = TidyTable(
        laid,
        lambda row: table.line(int(rows[row % len(rows)])),
        lambda row: table.text(int(rows[row % len(rows)])),
        n_seats,
        sources,
    )
    return LongTable(long, ours, (), tuple(notes), tuple(wrong.items()), tuple(faults), None, numbered)


def _common(columns: Sequence[Column], names_before: set[str], role: str) -> str:
    """What the names of columns have in common, as a name that is free."""
    names = [tokens_of(c.name) for c in columns]
    words = [word for word, *others in zip(*names, strict=False) if {*others} <= {word}]
    name = "_".join(words)
    return name if name and name not in names_before else f"_{role}"


def _repeat(text: str, n: int) -> pa.Array:
    return of_codes(np.zeros(n, dtype=np.int32), [text])


def _numbers(numbers: NDArray[np.int64]) -> pa.Array:
    """Whole numbers from 0 as a column of texts."""
    return of_codes(numbers, [str(number) for number in range(int(numbers.max(initial=-1)) + 1)])


def _seated_cells(rounds: _Rounds, cells: Sequence[pa.Array]) -> list[pa.Array]:
    """Cells by seat, each row's players in the seats that they have in its game."""
    if len(cells) != 2 or not rounds.turned.any():
        return list(cells)
    n = len(rounds.table)
    both, here = stacked(cells), np.arange(n)
    return [picked(both, here + n * (rounds.turned ^ bool(seat))) for seat in (0, 1)]


def _bad_rows(rounds: _Rounds) -> dict[int, str]:
    """Rows that cannot be read, and why."""
    wrong: dict[int, str] = {}
    for column in rounds.of("round"):
        for row in np.flatnonzero(rounds.number[1]).tolist():
            got = column.cells[row].as_py()
            wrong[row] = f"{column.name} is {got!r}, expected a whole number from 1 to {bounds().rounds}"
    for row, reason in rounds.strays.items():
        wrong.setdefault(row, reason)
    for row in rounds.repeats.tolist():
        named = ", ".join(
            f"{c.name} {c.values[c.codes[row]]}" for c in (*rounds.of("game_id"), *rounds.of("round"))
        )
        wrong.setdefault(row, f"a second row for {named}, expected one")
    for column in rounds.of("payoff"):
        for row in np.flatnonzero(amounts_of(column)[1]).tolist():
            wrong.setdefault(row, f"{column.name} is {column.cells[row].as_py()!r}, expected a number")
    return wrong


def _faults(rounds: _Rounds, wrong: Mapping[int, str]) -> list[str]:
    """What is absurd about the reading."""
    faults = []
    n = len(rounds.table)
    if len(rounds.strays) > _MANY * n:
        first = next(iter(rounds.strays.values()))
        faults.append(
            f"{len(rounds.strays):,} of {n:,} rows have an answer that is no label of theirs: {first}; "
            'give --map "option=FIRST|SECOND", the columns with the two labels of each row'
        )
    if rounds.n_seats == 2 and rounds.of("payoff") and len({c.name for c in rounds.of("payoff")}) < 2:
        faults.append("one column would be the payoffs of both seats")
    if "option" not in rounds.mapping.columns and _labels_change(rounds):
        faults.append(
            f"{' and '.join(c.name for c in rounds.of('action'))} have two labels in each game and others in "
            'the next, and no column says which option a label is: give --map "option=FIRST|SECOND"'
        )
    if len(rounds.repeats) > _MANY * n:
        faults.append(
            f"{len(rounds.repeats):,} of {n:,} rows are a second row for a round of their "
            f"{rounds.of('game_id')[0].name}: give --map by=NAME for a column that tells games apart"
        )
    known = rounds.game >= 0
    if not rounds.of("round"):
        if (np.diff(rounds.game) < 0).any():
            faults.append(
                f"no column says the round, and the rows of a {rounds.of('game_id')[0].name} do not stand "
                "together: give --map round=NAME"
            )
    elif known.any():
        starts = np.full(int(rounds.game.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(starts, rounds.game[known], rounds.number[0][known])
        late = int((starts != np.bincount(starts).argmax()).sum())
        if len(starts) > 3 and late > _MANY * len(starts):
            faults.append(
                f"{late:,} of {len(starts):,} games would not begin with the first round: rounds of several "
                "games lie mixed, and no column tells them apart; give --map game_id=NAME"
            )
    return faults


def _labels(rounds: _Rounds) -> set[str]:
    """The labels of all moves."""
    return {label for c in rounds.of("action") for label in c.labels}


def _labels_change(rounds: _Rounds) -> bool:
    """Whether the log has more than two labels and no game does, and the usual two are those of few games."""
    if not rounds.of("action") or len(_labels(rounds)) < 3:
        return False
    known = [(moves, (rounds.game >= 0) & ~rounds.missing(moves)) for moves in rounds.moves[0]]
    game = np.concatenate([rounds.game[rows] for _, rows in known])
    move = np.concatenate([moves[rows] for moves, rows in known])
    pair = number_of([game, move], len(game))
    first = first_rows(pair, int(pair.max(initial=-1)) + 1)
    game, move = game[first], move[first]
    usual = np.argsort(-np.bincount(move), kind="stable")[:2]
    n_labels = np.bincount(game)
    strange = np.count_nonzero(np.bincount(game[~np.isin(move, usual)]))
    return bool((n_labels <= 2).all() and strange > np.count_nonzero(n_labels) / 4)


def _round_cells(rounds: _Rounds, notes: list[str]) -> pa.Array:
    """The rounds; where no column says them, the rows of a game in their order."""
    for column in rounds.of("round"):
        return column.cells
    order = np.argsort(rounds.game, kind="stable")
    ranks = np.empty(len(order), dtype=np.int64)
    starts = np.flatnonzero(np.diff(rounds.game[order], prepend=-1))
    ranks[order] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order))) + 1
    match = rounds.of("game_id")[0].name
    notes.append(f"no column says the round: the rows of a {match} in their order are its rounds")
    return _numbers(ranks)


def _repetition(rounds: _Rounds) -> pa.Array:
    """The how-manieth game of its players this is, under conditions that are the same."""
    known = np.flatnonzero(rounds.game >= 0)
    heads = known[first_rows(rounds.game[known], int(rounds.game.max(initial=-1)) + 1)]
    keys = {c.name for c in (*rounds.of("game_id"), *rounds.of("round"))}
    seated = {
        name for theirs in rounds.mapping.columns.values() if _BAR in theirs for name in theirs.split(_BAR)
    }
    same = [c.codes for c in rounds.of("player")]
    for name, column in rounds.columns.items():
        if (
            name not in keys | seated
            and (column.codes[known] == column.codes[heads][rounds.game[known]]).all()
        ):
            same.append(column.codes)
    kind = number_of([codes[heads] for codes in same], len(heads))
    order = np.argsort(kind, kind="stable")
    starts = np.flatnonzero(np.diff(kind[order], prepend=-1))
    number = np.empty(len(heads), dtype=np.int64)
    number[order] = np.arange(len(heads)) - np.repeat(starts, np.diff(starts, append=len(heads))) + 1
    return _numbers(np.append(number, 0)[rounds.game])


def _with_totals(
    rounds: _Rounds, cells: dict[str, list[pa.Array]], ours: dict[str, str], notes: list[str]
) -> None:
    """Sums over rounds: running ones are dropped, those of a match give payoffs if these explain them all."""
    columns, totals = rounds.of("total"), rounds.amounts("total")
    if totals is None or len(totals) != rounds.n_seats or rounds.n_seats != 2:
        return
    named = " and ".join(c.name for c in columns)
    order = np.lexsort((rounds.number[0], rounds.game))
    order = order[rounds.game[order] >= 0]
    first = np.diff(rounds.game[order], prepend=-1) != 0
    amounts = np.array(rounds.seat(totals), dtype=np.float64)[:, order]
    steps = np.diff(amounts, axis=1, prepend=0.0)
    steps[:, first] = amounts[:, first]
    constant = bool((np.abs(steps[:, ~first]) < _SAME).all()) and not first.all()
    payoffs = rounds.amounts("payoff")
    if payoffs is not None:
        points = np.array(rounds.seat(payoffs), dtype=np.float64)[:, order]
        full = np.isfinite(points) & np.isfinite(steps)
        off = int((np.abs(points - steps)[full] > _SAME).sum())
        if not constant and off <= _MANY * full.sum():
            odd = f", but for {off:,} cells" if off else ""
            notes.append(f"{named} are running sums of the payoffs{odd}, and left out")
        else:
            cells["total"] = _seated_cells(rounds, [c.cells for c in columns])
        return
    how = ""
    if constant:
        payoffs_of_moves = _solved(rounds, order, amounts)
        if payoffs_of_moves is not None:
            values, how = (
                payoffs_of_moves,
                f"payoffs are solved from {named}: all {len(rounds.names[0]):,} sums agree with them",
            )
    elif np.isfinite(steps).all():
        values, how = steps, f"payoffs are the steps of the running sums {named}"
    if not how:
        notes.append(
            f"{named} are neither running sums nor sums of payoffs of the moves: no payoffs are known"
        )
        return
    notes.append(how)
    table = np.full((2, len(rounds.table)), np.nan)
    table[:, order] = values
    ours["payoff"] = "_payoff"
    cells["_payoff"] = [
        pa.array(["" if np.isnan(v) else f"{v:.12g}" for v in seat], pa.string()) for seat in table
    ]


def _solved(rounds: _Rounds, order: Codes, totals: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """(2, m) payoffs of the rounds, from the sums over each game, where these tell them."""
    one, two = rounds.seat(rounds.moves[0])
    if (rounds.missing(one[order]) | rounds.missing(two[order])).any() or not np.isfinite(totals).all():
        return None
    joint = numbered([*(c.codes[order] for c in rounds.of("game")), one[order], two[order]])
    game = rounds.game[order]
    payoffs = solved(joint, game, totals[:, np.flatnonzero(np.diff(game, prepend=-1))].T)
    return None if payoffs is None else np.asarray(payoffs[joint].T)


SHAPES = (Shape("both", "a row per round with the moves of both players", _propose_both, _lay_out_both),)
