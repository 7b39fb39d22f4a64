"""Wide tables: a row per player or pair with a column for each round.

Names of columns that differ by a number are a family, and its numbers are the rounds; where two numbers
differ, the one that is 1 or 2 is the seat. A family is kept in a mapping as its pattern,
``choice_{round}_{seat}``, so that a file with more rounds is read alike. A user may say such a pattern, too;
``Q{round:12-21}`` are ten columns, of which ``Q12`` is round 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.errors import DataError, shorten
from intent.base.files import bounds
from intent.logs.importer.columns import (
    Column,
    in_catalogue,
    pair_of,
    seatings,
    sense_of,
    tokens_of,
    who_of,
    with_role,
)
from intent.logs.importer.mapping import LogMapping
from intent.logs.importer.proposals import LongTable, Proposal, Reason, Shape, kind_word
from intent.logs.importer.totals import payoffs_of_sums
from intent.logs.readers.arrays import TidyTable, by_value, numbered, of_codes, picked, stacked
from intent.logs.readers.reader import Settings
from intent.logs.readers.stages import NULLS, SIGNS, words_for_no_move

__all__ = [
    "SHAPES",
    "Family",
    "families",
    "gaps",
    "is_id",
    "is_pattern",
    "lay_out_wide",
    "matching",
    "needs",
    "possible_rounds",
    "with_matches_apart",
    "with_players",
]

_NUMBER = re.compile(r"\d+")
_ROUND, _SEAT = "{round}", "{seat}"
_MARK = re.compile(r"\{round(?::(\d{1,6})-(\d{1,6}))?\}")
"""Where the number of the round stands in a pattern, and perhaps its first and last value."""

_LETTERS = {"a": 1, "b": 2, "row": 1, "col": 2, "column": 2}
"""Words that name a seat where a number could."""

_FEWEST = 3
"""Columns that make a family of rounds, where no word says that they are rounds."""

_ROLES = ("action", "decided", "payoff", "value", "message", "reasoning")
"""What may have a column for each round."""

_OF_SEATS = ("model", "persona", "strategy", "architecture", "attitude")
"""What else a row with both players has a column of each seat for."""

_MOVES = ("action", "value")
"""What may be a move: a label, or a number."""

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


_MATCH = re.compile(r"(?<![A-Za-z])(?:m|g|sg|match|game|supergame)[_ .-]?(\d{1,4})(?!\d)", re.IGNORECASE)
"""The number of a match in the name of a column."""


def with_matches_apart(table: TidyTable) -> tuple[TidyTable, str]:
    """The table with a row for each match, where columns have numbers of matches and of rounds: ``m1_r1``.

    Names lose the number of the match, which is column ``match``; a match of which a row has no cell was not
    played.
    """
    of_matches: dict[str, dict[int, str]] = {}
    for name in table.columns:
        marks = [*_MATCH.finditer(name)]
        if len(marks) == 1:
            stem = f"{name[: marks[0].start()].rstrip('_ .-')}_{name[marks[0].end() :].lstrip('_ .-')}"
            of_matches.setdefault(stem.strip("_"), {})[int(marks[0][1])] = name
    rounds = {stem for stem in of_matches if sense_of(stem).round is not None}
    numbers = sorted({number for stem in rounds for number in of_matches[stem]})
    stems = {stem: names for stem, names in of_matches.items() if stem and {*names} <= {*numbers}}
    mapped = {name for names in stems.values() for name in names.values()}
    rest = {name: cells for name, cells in table.columns.items() if name not in mapped}
    if len(rounds) < _FEWEST - 1 or len(numbers) < 2 or {*stems, "match"} & rest.keys():
        return table, ""
    n = len(table)
    empty = of_codes(np.full(n, -1), [])
    cells = {name: stacked([column] * len(numbers)) for name, column in rest.items()}
    cells["match"] = of_codes(np.repeat(np.arange(len(numbers)), n), [str(number) for number in numbers])
    for stem, names in stems.items():
        cells[stem] = stacked([table.columns[names[m]] if m in names else empty for m in numbers])
    played = np.zeros(n * len(numbers), dtype=bool)
    for stem in rounds:
        codes, values = by_value(cells[stem])
        played |= np.array([bool(value) for value in values])[codes]
    long = TidyTable(cells, lambda row: table.line(row % n), lambda row: table.text(row % n))
    note = f"columns of matches {numbers[0]} to {numbers[-1]}: a row for each, its number in column match"
    return long.rows(np.flatnonzero(played)), note


def _moves(columns: Mapping[str, Column], families: Sequence[Family]) -> list[Family]:
    """The families that may hold moves: by their words, or by cells that are few words."""
    named = [f for f in families if f.role == "action"] or [f for f in families if f.role == "value"]
    if named:
        return named
    return [f for f in families if f.role in ("", "round", "player") and _few_words(columns, f)]


def is_pattern(theirs: str) -> bool:
    """Whether a mapping names columns by a pattern with the number of the round."""
    return _MARK.search(theirs) is not None


def _of_pattern(role: str, pattern: str, names: Iterable[str]) -> Family:
    """The columns of a pattern that the user says."""
    plain = " | ".join(half.strip() for half in pattern.split("|"))
    whose, what = ("other", "action") if role == "other" else ("", role)
    return Family(plain, what, whose, matching(names, plain))


def possible_rounds(columns: Mapping[str, Column]) -> str:
    """Which numbered columns hold two labels, as moves would whose names do not say so; empty where none do.

    Parameters
    ----------
    columns : mapping of name -> column
    """
    groups: dict[tuple[str, str], dict[int, str]] = {}
    for name in columns:
        for number in list(_NUMBER.finditer(name))[-1:]:
            if len(number[0]) < 7:
                groups.setdefault((name[: number.start()], name[number.end() :]), {})[int(number[0])] = name
    ways = []
    for (before, after), names in groups.items():
        rounds = _longest_run(sorted(names), lambda n, names=names: len(columns[names[n]].labels) <= 2)  # type: ignore[misc]
        labels = sorted({label for n in rounds for label in columns[names[n]].labels})
        if len(rounds) >= _FEWEST and len(labels) == 2:
            span = "" if rounds[0] in (0, 1) and len(rounds) == len(names) else f":{rounds[0]}-{rounds[-1]}"
            ends = f"{names[rounds[0]]} to {names[rounds[-1]]}"
            ways.append((ends, " and ".join(labels), f"{before}{{round{span}}}{after}"))
    if not ways:
        return ""
    shown = ", ".join(f"{ends} hold {labels}" for ends, labels, _ in ways[:_FEWEST])
    hints = " or ".join(f"--map action={pattern}" for _, _, pattern in ways[:_FEWEST])
    return f"columns {shown}, as moves of rounds would, and no name says so: give {hints}"


def _longest_run(numbers: Sequence[int], fits: Callable[[int], bool]) -> list[int]:
    """The longest run of numbers, one after the other, that fit."""
    best: list[int] = []
    run: list[int] = []
    for number in numbers:
        run = [*run, number] if run and number == run[-1] + 1 else [number]
        if not fits(number):
            run = []
        best = max(best, run, key=len)
    return best


def _few_words(columns: Mapping[str, Column], family: Family) -> bool:
    words: set[str] = set()
    for name in family.columns.values():
        words.update(label.casefold() for label in columns[name].labels)
        if len(words) > _MOST_LABELS:
            return False
    whole_games = len({*"".join(words)}) <= _FEWEST <= min(map(len, words), default=0)
    return len(words) >= 1 and not whole_games


def _propose_wide(columns: Mapping[str, Column], settings: Settings) -> Iterator[Proposal]:
    """A row per player or pair; a column for each round, and perhaps seat."""
    every = families(columns)
    stated = [_of_pattern(role, p, columns) for role, p in settings.mapping.items() if is_pattern(p)]
    if stated:
        of_rounds = {name for family in stated for name in family.columns.values()}
        every = [*stated, *(f for f in every if not of_rounds & {*f.columns.values()})]
    for moves in [f for f in stated if f.role in _MOVES] or _moves(columns, every):
        if moves.whose == "other":
            continue
        kind = "value" if moves.role == "value" else "action"
        names = {kind: moves.pattern}
        reasons = [
            Reason(moves.pattern, kind, f"{len(moves.columns):,} columns, rounds {_span(moves.rounds)}")
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
        yield with_players(names, reasons, rest, seated=moves.is_seated, shape="wide")


def _span(rounds: Sequence[int]) -> str:
    return f"{rounds[0]} to {rounds[-1]}"


def with_players(
    names: dict[str, str],
    reasons: list[Reason],
    rest: Mapping[str, Column],
    *,
    seated: bool,
    shape: str,
) -> Proposal:
    """The proposal with the columns that say who played and which game it was."""
    if seated:
        both = {_seat_of(c): c.name for c in rest.values() if c.sense.role == "player"}
        if {1, 2} <= both.keys():
            names["player"] = f"{both[1]} | {both[2]}"
            reasons.append(Reason(names["player"], "player", "a column for each of two seats"))
        for role in _OF_SEATS:
            seats = {_seat_of(c): c.name for c in rest.values() if c.sense.role == role}
            if {1, 2} <= seats.keys():
                names[role] = f"{seats[1]} | {seats[2]}"
                reasons.append(Reason(names[role], role, "a column for each of two seats"))
        for way in seatings(rest.values()) if "player" not in names else ():
            bare = way.columns.get(("",), ())
            if len(bare) == 2 and (role := who_of(bare)) and role not in names:
                names[role] = f"{bare[0].name} | {bare[1].name}"
                reasons.append(Reason(names[role], role, "a column for each of two seats"))
                break
    else:
        who, others = (with_role(rest.values(), "player", whose) for whose in ("", "other"))
        who, others = pair_of(who or [c for c in rest.values() if is_id(c)], others)
        for role, players in (("player", who), ("other_player", others)):
            if players:
                names[role] = players[0].name
                reasons.append(Reason(players[0].name, role, "its name says so"))
    games = [*with_role(rest.values(), "match"), *with_role(rest.values(), "game")]
    games = [*(c for c in with_role(rest.values(), "game_id") if not seated or _is_key(c)), *games]
    named = [c for c in games if c.sense.role == "game" and (in_catalogue(c) or (seated and _recurs(c)))]
    if named and (seated or len(games) > 1):  # a name of the game, which many games share
        names["game"] = named[0].name
        reasons.append(Reason(named[0].name, "game", "names that many rows share"))
        games.remove(named[0])
    if "payoff" not in names and (sums := _sums(rest.values(), seated=seated)):
        names["total"] = " | ".join(c.name for c in sums)
        reasons.append(Reason(names["total"], "total", "what a game brought in all, as its row is a game"))
    sessions = with_role(rest.values(), "session")
    if seated and games and games[0].role is None and not _are_keys([*games, *sessions]):
        games, sessions = [], []  # several pairs of one number: each row is a game
    if games:
        names["game_id"] = games[0].name
        reasons.append(Reason(games[0].name, "game_id", "its name says so"))
    by = [c.name for c in (*games[1:], *sessions)]
    return Proposal(LogMapping(shape=shape, columns=names, by=tuple(by)), tuple(reasons), 1.5 * len(names))


def _sums(rest: Iterable[Column], *, seated: bool) -> list[Column]:
    """The columns with what each player of a row got in all; empty where none or several may hold it."""
    amounts = [
        c
        for c in rest
        if (c.sense.role == "payoff" or (c.sense.total and not c.sense.role))
        and not (c.sense.lag or c.sense.whose == "other" or c.sense.round is not None)
        and c.numbers is not None
    ]
    amounts = [c for c in amounts if c.sense.exact] or amounts
    if not seated:
        return amounts if len(amounts) == 1 and not _seat_of(amounts[0]) else []
    of_seat = {_seat_of(c): c for c in amounts}
    return [of_seat[1], of_seat[2]] if len(amounts) == 2 and {*of_seat} == {1, 2} else []


def _is_key(column: Column) -> bool:
    """Whether no cell comes twice."""
    return len(column.filled) == len(column.codes)


def _are_keys(columns: Sequence[Column]) -> bool:
    """Whether no combination of cells comes twice."""
    number = numbered([column.codes for column in columns])
    return int(number.max(initial=-1)) + 1 == len(number)


def _recurs(column: Column) -> bool:
    """Whether cells are words that come again, as names of games do and numbers of pairs do not."""
    return column.numbers is None and 2 * len(column.filled) <= len(column.codes)


def _seat_of(column: Column) -> int:
    """The seat that the name of a player's column says, by a number or a word; 0 where it says none."""
    sense = column.sense
    if sense.seat or sense.numbers:
        return sense.seat or sense.numbers[0]
    words = re.split(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])", column.name)
    return next((_LETTERS[word.casefold()] for word in words if word.casefold() in _LETTERS), 0)


def is_id(column: Column) -> bool:
    """Whether a column is called as identifiers are, whatever they are of."""
    return column.role is None and column.name.casefold() in ("id", "pid", "sid")


def lay_out_wide(table: TidyTable, mapping: LogMapping) -> LongTable:
    """A row for each round, and seat; rounds behind the last cell of a game were not played.

    Raises
    ------
    DataError
        No column has a name of the pattern, or there are too many rounds.
    """
    patterns = {role: theirs for role, theirs in mapping.columns.items() if is_pattern(theirs)}
    cells = {role: matching(table.columns, pattern) for role, pattern in patterns.items()}
    moves = next((cells[role] for role in _MOVES if role in cells), None)
    if moves is None:
        raise DataError(
            "no columns of rounds hold moves, as the mapping says: give --map action=NAME_{round}"
        )
    rounds = sorted({number for number, _ in moves})
    seats = sorted({seat for _, seat in moves})
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


def matching(columns: Iterable[str], pattern: str) -> dict[tuple[int, int], str]:
    """(round, seat) -> column whose name is of a pattern; of two patterns, the second is of seat 2.

    Raises
    ------
    DataError
        No column has such a name.
    """
    names: dict[tuple[int, int], str] = {}
    halves = pattern.split(" | ")
    for number, half in enumerate(halves, start=1):
        mark = _MARK.search(half)
        if mark is None:
            continue
        before, after = (
            re.escape(text).replace(re.escape(_SEAT), "(?P<seat>[12])")
            for text in (half[: mark.start()], half[mark.end() :])
        )
        form = re.compile(rf"{before}(?P<round>\d{{1,6}}){after}")
        first, last = int(mark[1] or 1), int(mark[2] or 10**6)
        for name in columns:
            if match := form.fullmatch(name):
                places = match.groupdict()
                seat = int(places.get("seat") or (number if len(halves) > 1 else 0))
                at = int(places["round"])
                if mark[1] is None or first <= at <= last:
                    names[at - first + 1, seat] = name
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
    codes, values = by_value(next(cells[role] for role in _MOVES if role in cells))
    gone = {"", *words_for_no_move(values, None)} & (NULLS | SIGNS)  # as programs write what was not played
    filled = np.array([value not in gone and value.casefold() not in NULLS for value in values])[codes]
    last = np.full(n, -1)
    np.maximum.at(last, row[filled], number[filled])
    order = np.lexsort((seat, number, row))
    order = order[number[order] <= last[row[order]]]
    origin = row[order]
    whole = {name for half in mapping.columns.values() for name in half.split(" | ")}
    of_rounds = {
        name
        for pattern in mapping.columns.values()
        if is_pattern(pattern)
        for name in matching(table.columns, pattern).values()
    }
    split = {role: theirs.split(" | ") for role, theirs in mapping.columns.items() if not is_pattern(theirs)}
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
        ours[role] = f"_{_word_of(role, mapping.columns[role])}"
        columns[ours[role]] = picked(texts, order)
    first = min((r for r, _ in blocks), default=1)
    columns["_round"] = pa.array((number[order] + (first == 0)).astype(str), pa.string())
    ours["round"] = "_round"
    if {s for _, s in blocks} == {1, 2}:
        columns["_seat"] = pa.array(seat[order].astype(str), pa.string())
        ours["seat"] = "_seat"
    if "game_id" not in ours and ("seat" in ours or "other" in ours):
        columns["_game"] = pa.array((origin + 1).astype(str), pa.string())
        ours["game_id"] = "_game"
    notes = _with_payoffs(columns, ours, mapping, origin, seat[order])
    long = TidyTable(columns, lambda r: table.line(int(origin[r])), lambda r: table.text(int(origin[r])))
    alone = not ours.keys() & {"game_id", "seat", "other", "other_player"} and not mapping.by
    return LongTable(long, ours, mapping.by, tuple(notes), alone=alone)


def _word_of(role: str, pattern: str) -> str:
    """What a column of the long table is called after; words that say what payoffs or moves are stay."""
    if role == "action":
        words = [word for word in tokens_of(pattern) if word.startswith(("coop", "defect")) or word == "not"]
        return "_".join(words) or role
    return (kind_word(pattern) if role == "payoff" else "") or role


def _with_payoffs(
    columns: dict[str, pa.Array],
    ours: dict[str, str],
    mapping: LogMapping,
    origin: NDArray[np.int64],
    seat: NDArray[np.int64],
) -> list[str]:
    """A column of payoffs solved from what a row brought in all, in place of its role; and a note."""
    sums = ours.pop("total", None)
    if sums is None or "action" not in ours:
        return []
    of = {role: Column(name, columns[name]) for role, name in ours.items() if name in columns}
    keys = [of["game_id"].codes] if "game_id" in of else []
    keys += [Column(name, columns[name]).codes for name in mapping.by if name in columns]
    game: NDArray[np.integer]
    who: NDArray[np.integer]
    if "seat" in ours:
        game, who = origin, seat
    elif "other_player" in of and "player" in of:
        pool = {v: i for i, v in enumerate(dict.fromkeys([*of["player"].values, *of["other_player"].values]))}
        who, met = (
            np.array([pool[v] for v in of[r].values])[of[r].codes] for r in ("player", "other_player")
        )
        game = numbered([*keys, np.minimum(who, met), np.maximum(who, met)]).astype(np.int64)
    else:
        game, who = (numbered(keys) if keys else np.zeros_like(origin)), origin
    other = of.get("other")
    cells = payoffs_of_sums(of["action"], Column(sums, columns[sums]), of["round"].codes, game, who, other)
    named = mapping.columns["total"].replace(" | ", " and ")
    if cells is None:
        return [
            f"{named}: from what games brought in all no payoffs of the rounds follow; they are conditions"
        ]
    ours["payoff"] = f"_{kind_word(mapping.columns['total']) or 'payoff'}"
    columns[ours["payoff"]] = cells
    return [f"payoffs are solved from {named}: all sums agree with them"]


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


def needs(mapping: LogMapping) -> Iterator[str]:
    """The columns that are named one by one."""
    return (
        name for theirs in mapping.columns.values() if not is_pattern(theirs) for name in theirs.split(" | ")
    )


SHAPES = (
    Shape(
        "wide", "a row per player or pair with a column for each round", _propose_wide, lay_out_wide, needs
    ),
)
