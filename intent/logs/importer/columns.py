"""What the columns of a foreign table may be, by their names and by what they hold.

A name is cut into words and numbers (``other.choice``, ``opponentAction``, ``agent1_move``, ``r3_2``). Its
words say the role and whose it is; its numbers say the seat or the round, where words before them do, or are
left open for the shapes to decide.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.errors import IntentError
from intent.logs.importer.file_names import is_model
from intent.logs.importer.words import (
    LAG,
    OTHER,
    OWN,
    QUESTION,
    ROLES,
    ROUND_WORDS,
    SEAT_WORDS,
    SUMMARY,
    TOTAL,
)
from intent.logs.readers.arrays import TidyTable, by_value, numbered, of_codes
from intent.logs.readers.reader import KEYS
from intent.logs.readers.stages import COOPERATIVE_WORDS, spellings, words_for_no_move

__all__ = [
    "COOPERATIVE_WORDS",
    "MARKS",
    "PERSONS",
    "Column",
    "Seating",
    "Sense",
    "columns_of",
    "in_catalogue",
    "is_named_alone",
    "pair_of",
    "seating_of",
    "seatings",
    "sense_of",
    "tokens_of",
    "who_of",
    "with_moves_apart",
    "with_players_apart",
    "with_role",
]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")


@dataclass(frozen=True)
class Sense:
    """What the name of a column says.

    Parameters
    ----------
    role : str
        A key of `ROLES` or of `KEYS`; empty where the words say none.
    whose : {"", "own", "other"}
    lag : bool
        Of the round before.
    total : bool
        Summed over rounds.
    seat, round : int, optional
        Where a word before the number says so.
    numbers : tuple of int
        Those that no word explains.
    exact : bool
        Whether the name is one of `KEYS` rather than made of its words.
    """

    role: str = ""
    whose: str = ""
    lag: bool = False
    total: bool = False
    seat: int | None = None
    round: int | None = None
    numbers: tuple[int, ...] = ()
    exact: bool = False


_EXACT = {name: ours for ours, synonyms in KEYS.items() for name in (ours, *synonyms)}
_OF_WORD = {word: role for role, words in ROLES.items() for word in words}
_ORDER = (*ROLES,)
_CLOCK = frozenset(["start", "end", "recorded", "submitted", "created", "completed", "finished"])
"""Words by which a date is that of a row."""

_SINGLE = ("action", "value", "payoff", "match")
"""Roles of what one round or game has, and no summary."""

_INTENTION = frozenset(["intended", "intention"])
"""Words by which a column of moves holds what was decided, before an error came between."""

_NAMED = frozenset(["id", "name", "code", "label"])
"""Words by which the column of a seat says who sits there."""


_WITHIN = re.compile(r"\b(id|player|number|member|position) in (group|pair|dyad|team)$")
"""oTree's name for the place within a group: it neither names a person nor tells groups apart."""


def tokens_of(name: str) -> tuple[str, ...]:
    """The words and numbers of a name, in lower case and without accents."""
    if not name.isascii():
        name = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return tuple(token.casefold() for token in _WORD.findall(name.replace("_", " ")))


def sense_of(name: str) -> Sense:
    """What the name of a column says; see `Sense`."""
    exact = _EXACT.get(name.casefold())
    if exact is not None:
        whose = "other" if exact == "other" or exact.startswith("other_") else ""
        role = {"other": "action"}.get(exact, exact.removeprefix("other_"))
        return Sense(role, whose, exact=True)
    tokens = [part for token in tokens_of(name) for part in _unglued(token)]
    if _WITHIN.search(" ".join(tokens)):
        return Sense("seat", "", exact=True)
    words: list[str] = []
    numbers: list[int] = []
    seat = round_number = None
    for before, token in zip(["", *tokens], tokens, strict=False):
        if not token.isdecimal() or len(token) > 6:
            words.append(token)
        elif before in SEAT_WORDS and seat is None:
            seat = int(token)
        elif before in ROUND_WORDS and round_number is None:
            round_number = int(token)
        else:
            numbers.append(int(token))
    bare = [w for w in words if w not in OTHER | OWN | LAG | TOTAL]
    if _INTENTION & {*bare} and any(_OF_WORD.get(w) == "action" for w in bare):
        bare = ["intended"]
    if bare == ["response", "id"]:  # of a survey: who responds
        bare = ["participant"]
    if "date" in bare and _CLOCK & {*bare}:  # when a row was filled in, which no two players share
        bare = [w for w in bare if w != "date"]
    role = _role(bare, seat is not None, round_number is not None)
    if role in _SINGLE and SUMMARY & {*words}:
        role = ""
    whose = "other" if OTHER & {*words} else "own" if OWN & {*words} else ""
    if {*bare} <= _NAMED and whose == "other":
        role = "action" if LAG & {*words} else "player"
    return Sense(
        role, whose, bool(LAG & {*words}), bool(TOTAL & {*words}), seat, round_number, tuple(numbers)
    )


_SUFFIXES = ("id", "num", "nr", "no", "number", "name", "code")
"""Words that are written onto others: subjid, matchnum."""

_SHORT = ("o", "oth")
"""Marks of the other player in names of statistics programs, before a word for a move or payoff: odec."""


def _unglued(token: str) -> tuple[str, ...]:
    """``otherchoice`` as other and choice, ``matchnum`` as match and num: words that stand for a role.

    A word for whose it is, or of which round, stands before, one for an identifier behind.
    """
    if token in _OF_WORD or token in OTHER:
        return (token,)
    for suffix in _SUFFIXES:
        stem = token.removesuffix(suffix)
        if stem != token and (stem in _OF_WORD or stem in OTHER):
            return stem, suffix
    for prefix in (*OTHER, *OWN, *LAG):
        rest = token.removeprefix(prefix)
        if rest != token and (rest in _OF_WORD or len(parts := _unglued(rest)) > 1):
            return (prefix, rest) if rest in _OF_WORD else (prefix, *parts)
    for prefix in _SHORT:
        rest = token.removeprefix(prefix)
        if rest != token and _OF_WORD.get(rest) in ("action", "payoff"):
            return "other", rest
    return (token,)


def _role(words: Sequence[str], seated: bool, of_round: bool) -> str:
    """The role that the words say: the most telling one, where a seat's or round's own word counts last."""
    roles = [_OF_WORD[w] for w in words if w in _OF_WORD]
    if seated and any(w not in SEAT_WORDS and w not in _OF_WORD and w not in _NAMED for w in words):
        roles = [_OF_WORD[w] for w in words if w in _OF_WORD and w not in SEAT_WORDS]
    for weak, given_away in (("player", seated), ("round", of_round)):
        if len(roles) > 1 or given_away:
            stronger = [r for r in roles if r != weak]
            roles = stronger or ([weak] if weak in roles and not (weak == "round" and of_round) else [])
    if not roles and seated:
        return "player" if {*words} <= SEAT_WORDS | _NAMED else ""
    if QUESTION & {*words}:
        return "question"
    if "option" in roles or "order" in roles:
        return "order" if "order" in roles else "option"
    return min(roles, key=_ORDER.index) if roles else ""


_STRAY = 0.1
"""Share of cells that are no numbers in a column of numbers, as typing errors are."""


def _number(text: str) -> float:
    """The number that a cell holds; NaN where it is none or not finite."""
    try:
        number = float(text) if text and len(text) < 64 else np.nan
    except ValueError:
        return np.nan
    return number if np.isfinite(number) else np.nan


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a foreign table: its name's sense, and what its cells hold.

    Parameters
    ----------
    name : str
    cells : string array of n
    role : str, optional
        What the user says it is, by our name; empty where another column is what its name says.
    alike : Column, optional
        One of the same cells, which are looked through once.
    """

    name: str
    cells: pa.Array
    role: str | None = None
    alike: Column | None = None

    @cached_property
    def sense(self) -> Sense:
        """What its name says, or its role."""
        return sense_of(self.name) if self.role is None else sense_of(self.role) if self.role else Sense()

    @cached_property
    def coded(self) -> tuple[NDArray[np.intp], list[str]]:
        """(n,) codes of the rows, and the distinct stripped texts."""
        if self.alike is not None:
            return self.alike.coded
        codes, values = by_value(self.cells)
        folded = {value: i for i, value in enumerate(dict.fromkeys(values))}
        if len(folded) < len(values):
            codes, values = np.array([folded[v] for v in values])[codes], list(folded)
        return codes, values

    @property
    def codes(self) -> NDArray[np.intp]:
        """(n,) codes of the rows into `values`."""
        return self.coded[0]

    @property
    def values(self) -> list[str]:
        """The distinct texts; empty where a cell is."""
        return self.coded[1]

    @cached_property
    def filled(self) -> list[str]:
        """The distinct texts that are not empty."""
        return [value for value in self.values if value]

    @cached_property
    def usual(self) -> dict[str, str]:
        """Each distinct text that is a move, with the usual spelling of its action."""
        gone = {*words_for_no_move(self.filled, None)}
        often = np.bincount(self.codes, minlength=len(self.values)).tolist()
        counts = {v: n for v, n in zip(self.values, often, strict=True) if v and v not in gone}
        return spellings(counts)

    @property
    def labels(self) -> list[str]:
        """The actions that its cells name, each in one spelling."""
        return list(dict.fromkeys(self.usual.values()))

    @cached_property
    def numbers(self) -> NDArray[np.float64] | None:
        """(n,) float, NaN where empty or a stray text; None where more than a few cells are no numbers."""
        if self.alike is not None:
            return self.alike.numbers
        if not self.filled:
            return None
        stray = np.isnan(self._of_value) & np.array([bool(value) for value in self.values])
        often = np.bincount(self.codes, minlength=len(stray))
        return self._of_value[self.codes] if often[stray].sum() <= _STRAY * len(self.codes) else None

    def head(self, n: int) -> NDArray[np.float64]:
        """Numbers of the first n rows, NaN where there is none."""
        return self._of_value[self.codes[:n]]

    @cached_property
    def _of_value(self) -> NDArray[np.float64]:
        return np.array([_number(value) for value in self.values])

    @cached_property
    def ranks(self) -> NDArray[np.intp]:
        """(n,) place of each number among those that occur, in order; those that are none come last."""
        if self.alike is not None:
            return self.alike.ranks
        return np.unique(self._of_value, return_inverse=True)[1].astype(np.intp)[self.codes]

    @cached_property
    def is_whole(self) -> bool:
        """Whether every cell that is not empty is a whole number."""
        return self.numbers is not None and bool((np.nan_to_num(self._of_value) % 1 == 0).all())


def columns_of(
    table: TidyTable,
    mapping: Mapping[str, str] | None = None,
    known: Mapping[str, Column] | None = None,
) -> dict[str, Column]:
    """Name -> column.

    Parameters
    ----------
    table : TidyTable
    mapping : mapping of ours -> theirs, optional
        What the user says of some columns.
    known : mapping of name -> column, optional
        Columns of a table that this one was made of.
    """
    stated = {theirs: ours for ours, theirs in (mapping or {}).items() if ours != "by"}
    for name in (mapping or {}).get("by", "").split("+"):
        if sense_of(name.strip()).role == "round":  # each round is a game: it is no round of one
            stated.setdefault(name.strip(), "")
    senses = {(sense.role, sense.whose) for sense in map(sense_of, stated.values())}
    columns = {}
    for name, cells in table.columns.items():
        sense = sense_of(name)
        role = stated.get(name, "" if (sense.role, sense.whose) in senses and sense.seat is None else None)
        alike = (known or {}).get(name)
        if alike is None or alike.cells is not cells:
            alike = table.memo.get(name)
        columns[name] = Column(name, cells, role, alike if alike and alike.cells is cells else None)
        table.memo.setdefault(name, columns[name])
    return columns


_OUTCOME = frozenset(["outcome", "outcomes", "joint", "profile", "result", "moves", "choices", "actions"])
"""Words in the names of columns that hold the moves of both players in one cell."""

_OF_PAIR = re.compile(r"[,;|/\-\s()\[\]_'\"]+")
"""Between the two moves of a cell."""


def with_moves_apart(table: TidyTable, stated: Mapping[str, str]) -> TidyTable:
    """The table with a column for each move where one column alone holds both (``CD``, ``C-D``).

    Where a column names the player of the row, the own move comes first.

    Parameters
    ----------
    table : TidyTable
    stated : mapping of ours -> theirs
        What the user says.
    """
    columns = columns_of(table)
    action = stated.get("action", "")
    if {"action", "value"} & stated.keys() and action not in columns:
        return table
    if not action and any(c.sense.role in ("action", "value") and not _is_pairs(c) for c in columns.values()):
        return table
    fitting = [
        c
        for c in columns.values()
        if (c.name == action if action else _OUTCOME & {*tokens_of(c.name)}) and _is_pairs(c)
    ]
    if len(fitting) != 1:
        return table
    (joint,) = fitting
    by_row = with_role(columns.values(), "player")
    seats = next((way.marks for way in seatings(columns.values()) if len(way.marks) == 2), ("1", "2"))
    words = ("own_move", "other_move") if by_row else tuple(f"move_{mark}" for mark in seats)
    names = [f"{joint.name}_{word}" for word in words]
    pairs = [_pair(joint.usual.get(value, "")) or ("", "") for value in joint.values]
    cells = {}
    for at, name in enumerate(names):
        labels = list(dict.fromkeys(pair[at] for pair in pairs))
        codes = np.array([labels.index(pair[at]) for pair in pairs], dtype=np.intp)
        cells[name] = of_codes(codes[joint.codes], labels)
    rest = {name: column for name, column in table.columns.items() if name != joint.name}
    return replace(table, columns={**rest, **cells})


def _pair(cell: str) -> tuple[str, str] | None:
    """The two moves of a cell."""
    words = [word for word in _OF_PAIR.split(cell) if word]
    if len(words) == 1 and len(words[0]) == 2:
        words = list(words[0])
    return (words[0], words[1]) if len(words) == 2 else None


def _is_pairs(column: Column) -> bool:
    """Whether cells hold two moves of two labels; both digits only where most combinations come."""
    cells = column.labels
    if not 0 < len(cells) <= 4:
        return False
    pairs = [_pair(cell) for cell in cells]
    labels = {label for pair in pairs if pair for label in pair}
    return None not in pairs and len(labels) <= 2 and (len(cells) > 2 or not any(map(str.isdecimal, labels)))


_FIRST = 20
"""Cells that are looked at before all are."""

_VERSUS = re.compile(r"(.+?)[\s_-]+(?:vs|versus|v)\.?[\s_-]+(.+)", re.IGNORECASE)
"""Between the two players of a cell: ``gpt-4 vs claude-3``."""


def _names_both(column: Column) -> bool:
    """Whether all cells name two players."""
    cells = column.cells
    texts = cells.dictionary if isinstance(cells, pa.DictionaryArray) else cells
    if not all(_VERSUS.fullmatch(text) for text in texts[:_FIRST].to_pylist() if text):  # without any codes
        return False
    return bool(column.filled) and all(map(_VERSUS.fullmatch, column.filled))


def with_players_apart(table: TidyTable, stated: Mapping[str, str]) -> tuple[TidyTable, str]:
    """The table with a column for each player where one alone names both; and a note, empty without.

    Where all of them are names of language models, the columns are those of models.

    Parameters
    ----------
    table : TidyTable
    stated : mapping of ours -> theirs
        What the user says.
    """
    columns = columns_of(table)
    fitting = [name for name, column in columns.items() if _names_both(column)]
    spoken = any(c.sense.role in ("player", "model") for n, c in columns.items() if n not in fitting)
    if len(fitting) != 1 or spoken or {"player", "model", "seat"} & stated.keys():
        return table, ""
    (name,) = fitting
    halves = [m.groups() if (m := _VERSUS.fullmatch(value)) else ("", "") for value in columns[name].values]
    word = "model" if all(is_model(half) for pair in halves for half in pair if half) else "player"
    marks = next((way.marks for way in seatings(columns.values()) if len(way.marks) == 2), ("1", "2"))
    names = [f"{word}_{mark}" for mark in marks]
    if {*names} & columns.keys():
        return table, ""
    cells = {}
    for at, column in enumerate(names):
        labels = list(dict.fromkeys(pair[at] for pair in halves))
        codes = np.array([labels.index(pair[at]) for pair in halves], dtype=np.intp)
        cells[column] = of_codes(codes[columns[name].codes], labels)
    note = f"{name} names both {word}s of a game, that of seat 1 first"
    return replace(table, columns={**table.columns, **cells}), note


_FEW = 100
"""Names of games in a log."""


def in_catalogue(column: Column) -> bool:
    """Whether all cells are names of games that the catalogue has."""
    from intent.games.catalogue import game

    try:
        return 0 < len(column.filled) <= _FEW and all(game(name) for name in column.filled)
    except IntentError:
        return False


def with_role(columns: Iterable[Column], role: str, whose: str = "") -> list[Column]:
    """The columns whose names say a role, of this round and no seat or sum; exact names first."""
    fitting = [
        c
        for c in columns
        if c.sense.role == role
        and (c.sense.whose == whose or (whose == "" and c.sense.whose == "own"))
        and not (c.sense.lag or c.sense.total)
        and c.sense.seat is c.sense.round is None
        and not c.sense.numbers
    ]
    return sorted(fitting, key=lambda c: not c.sense.exact)


PERSONS = ("human", "user", "participant", "subject", "player")
MACHINES = ("ai", "llm", "bot", "machine", "computer", "assistant", "agent", "model", "algorithm")

MARKS = (
    ("row", "col"),
    ("row", "column"),
    ("a", "b"),
    ("first", "second"),
    ("one", "two"),
    ("left", "right"),
    ("x", "y"),
    ("i", "j"),
    ("proposer", "responder"),
    ("seller", "buyer"),
    ("red", "blue"),
    ("white", "black"),
    ("top", "bottom"),
    ("sender", "receiver"),
    ("leader", "follower"),
    ("ego", "alter"),
    ("me", "you"),
    ("home", "away"),
    *((person, machine) for person in PERSONS for machine in MACHINES),
)
"""Words by which the columns of two seats differ, beside numbers."""

_MOST_SEATS = 20


@dataclass(frozen=True)
class Seating:
    """Columns that differ in one word or number alone: that of the seat.

    Parameters
    ----------
    marks : tuple of str
        What stands in the names for each seat.
    columns : dict of (words of the name, empty where the mark stands) -> column of each seat
    """

    marks: tuple[str, ...]
    columns: dict[tuple[str, ...], tuple[Column, ...]]


def seatings(columns: Iterable[Column]) -> list[Seating]:
    """How the columns of a table may belong to seats; ways with more columns first."""
    forms: dict[tuple[str, ...], dict[str, Column]] = {}
    for column in columns:
        tokens = tokens_of(column.name)
        for at, token in enumerate(tokens):
            form = (*tokens[:at], "", *tokens[at + 1 :])
            forms.setdefault(form, {}).setdefault(token, column)
    ways: dict[tuple[str, ...], dict[tuple[str, ...], tuple[Column, ...]]] = {}
    for form, marked in forms.items():
        marks = _marks({*marked})
        if marks:
            ways.setdefault(marks, {})[form] = tuple(marked[mark] for mark in marks)
    order = sorted(ways.items(), key=lambda way: -len(way[1]))
    return [Seating(marks, theirs) for marks, theirs in order]


def seating_of(one: str, two: str, columns: Mapping[str, Column]) -> Seating | None:
    """Seats whose columns differ as two names do: gpt4_move and claude_move, gpt4_score and claude_score.

    None where the names have no word in common.
    """
    first, second = tokens_of(one), tokens_of(two)
    head = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    rest = zip(first[head:][::-1], second[head:][::-1], strict=False)
    tail = next((i for i, (a, b) in enumerate(rest) if a != b), 0)
    marks = [tokens[head : len(tokens) - tail] for tokens in (first, second)]
    if not head + tail or not all(marks) or {*marks[0], *marks[1]} & (OTHER | OWN | LAG | TOTAL):
        return None
    forms: dict[tuple[str, ...], dict[int, Column]] = {}
    for column in columns.values():
        tokens = tokens_of(column.name)
        for seat, mark in enumerate(marks):
            for at in range(len(tokens) - len(mark) + 1):
                if tokens[at : at + len(mark)] == mark:
                    form = (*tokens[:at], "", *tokens[at + len(mark) :])
                    forms.setdefault(form, {}).setdefault(seat, column)
    pairs: dict[tuple[str, ...], tuple[Column, ...]] = {
        form: (seats[0], seats[1]) for form, seats in forms.items() if len(seats) == 2
    }
    words = [[match.span() for match in _WORD.finditer(name)] for name in (one, two)]
    spans = [part[head : len(part) - tail] for part in words]
    texts = [name[span[0][0] : span[-1][1]] for name, span in zip((one, two), spans, strict=True)]
    return Seating(tuple(texts), pairs)


def who_of(seats: Sequence[Column], keys: Sequence[Column] = (), round_: Column | None = None) -> str:
    """What columns named by the seats alone hold: players, or models where both seats may have the same.

    Empty where they hold amounts or few moves. Numbers are those of players where they are never the same in
    a row, stay so for rounds on end in several pairs, and no round comes twice within the keys and numbers.

    Parameters
    ----------
    seats : sequence of columns, one for each seat
    keys : sequence of columns that tell games apart
    round_ : column of the rounds, optional
    """
    if any(not c.filled for c in seats):
        return ""
    first, *others = (np.array(c.values, dtype=object)[c.codes] for c in seats)
    if any(c.numbers is not None for c in seats):
        if round_ is None or not all(c.is_whole for c in seats) or any((first == o).any() for o in others):
            return ""
        pair = numbered([c.codes for c in (*keys, *seats)])
        place = numbered([pair, round_.codes])
        once = int(place.max(initial=-1)) + 1 == len(place)
        several = len(np.unique(numbered([c.codes for c in seats]))) >= _PAIRS
        stay = _STAYS * (int(pair.max(initial=-1)) + 1) <= len(pair)
        return "player" if once and several and stay else ""
    if any(len(c.labels) < len(c.filled) for c in seats):
        return ""
    return "model" if any((first == other).any() for other in others) else "player"


_PAIRS = 3
"""Pairs of numbers that there are at least, if they are those of players: two or fewer may be conditions."""

_STAYS = 2.5
"""Rounds that the same two numbers stand side by side, if they are those of players."""


def pair_of(players: Sequence[Column], others: Sequence[Column]) -> tuple[list[Column], list[Column]]:
    """The first player's column and partner's that are called alike but for whose they are."""
    for player in players:
        words = {word for word in tokens_of(player.name) if word not in OTHER | OWN and word not in _WHO}
        for other in others:
            if words == {word for word in tokens_of(other.name) if word not in OTHER | OWN | _WHO}:
                return [player], [other]
    return [*players[:1]], [*others[:1]]


_WHO = frozenset(ROLES["player"])


def is_named_alone(form: Sequence[str]) -> bool:
    """Whether words beside the mark of a seat say that a column names who sits there: id, name, code."""
    words = {word for word in form if word}
    return bool(words) and words <= _NAMED


def _marks(tokens: set[str]) -> tuple[str, ...]:
    """The marks of all seats, in their order; empty where the words mark none."""
    digits = sorted((token for token in tokens if token.isdecimal() and len(token) < 3), key=int)
    numbers = [int(token) for token in digits]
    if (
        numbers in ([*range(1, len(numbers) + 1)], [*range(len(numbers))])
        and 2 <= len(numbers) <= _MOST_SEATS
    ):
        return tuple(digits)
    return next((marks for marks in MARKS if tokens >= {*marks}), ())
