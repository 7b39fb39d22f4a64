"""What may be asked of a library of games, and the form of the answers.

The address of a page holds its whole state: what is shown can be copied, bookmarked, gone back to.

``/?where=model%3Dgpt-4o&where=rounds_played%3E%3D8&sort=-confidence&column=language&offset=50&jump=ambiguous``
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlencode

from intent.base.errors import UsageError, shorten

__all__ = [
    "JUMPS",
    "MOST_FILTERS",
    "MOST_ROWS",
    "OPERATORS",
    "PAGE_SIZE",
    "ColumnFacts",
    "Facts",
    "Filter",
    "Jump",
    "Operator",
    "Page",
    "PageState",
    "Query",
    "beside_address",
    "game_address",
    "packed",
    "pairs_of",
    "read_state",
    "written",
]


Operator = Literal["=", "!=", "<=", ">=", "contains"]
Jump = Literal["ambiguous", "no_fit", "low_confidence", "extreme"]
Order = Literal["interest", "log"]

OPERATORS: tuple[Operator, ...] = ("=", "!=", "<=", ">=", "contains")
ORDERS: tuple[Order, ...] = ("interest", "log")
JUMPS: tuple[Jump, ...] = ("ambiguous", "no_fit", "low_confidence", "extreme")
"""Games worth a look: by the status of a label, or far out in deviations, fit or payoff."""

MOST_FILTERS = 50
MOST_ROWS = 500
"""Most games on one page."""


@dataclass(frozen=True)
class Filter:
    """A condition on one column.

    Parameters
    ----------
    column : str
        Of games, seats or labels.
    op : {"=", "!=", "<=", ">=", "contains"}
        Texts are compared as such, "contains" without regard to case; numbers and truth values by value.
    value : str
        As typed. The empty text with "=" or "!=" stands for null.

    Raises
    ------
    UsageError
        No such operator.
    """

    column: str
    op: Operator
    value: str

    def __post_init__(self) -> None:
        if self.op not in OPERATORS:
            raise UsageError(f"filter {shorten(self.op)!r}, expected one of {', '.join(OPERATORS)}")


@dataclass(frozen=True)
class Query:
    """Which games to list, and in which order.

    Parameters
    ----------
    filters : tuple of Filter
        Filters with "=" on one column are alternatives, as in ``--where``; all others must hold together. A
        game is listed where one seat meets all conditions on columns of seats and labels.
    sort : str or None
        Column; None for the order of the log. Null comes last; of several seats the first in that order
        counts.
    descending : bool
    offset, limit : int
        Games to skip, games to list (at most `MOST_ROWS`).
    jump : {None, "ambiguous", "no_fit", "low_confidence", "extreme"}
    order : {"interest", "log"}
        Where no column is sorted by: games in which most happens first, as `game_table.interest`, or as the
        log has them.

    Raises
    ------
    UsageError
        A number out of range, too many filters or no such jump.
    """

    filters: tuple[Filter, ...] = ()
    sort: str | None = None
    descending: bool = False
    offset: int = 0
    limit: int = 50
    jump: Jump | None = None
    order: Order = "interest"

    def __post_init__(self) -> None:
        if not 0 <= self.offset < 1 << 40 or not 1 <= self.limit <= MOST_ROWS:
            raise UsageError(f"offset {self.offset}, limit {self.limit}, expected 0 up, and 1 to {MOST_ROWS}")
        if len(self.filters) > MOST_FILTERS:
            raise UsageError(f"{len(self.filters)} filters, expected at most {MOST_FILTERS}")
        if self.jump is not None and self.jump not in JUMPS:
            raise UsageError(f"jump {shorten(self.jump)!r}, expected one of {', '.join(JUMPS)}")
        if self.order not in ORDERS:
            raise UsageError(f"order {shorten(self.order)!r}, expected one of {', '.join(ORDERS)}")

    @property
    def is_part(self) -> bool:
        """Whether games may be left out."""
        return bool(self.filters) or self.jump not in (None, "extreme")


@dataclass(frozen=True)
class ColumnFacts:
    """What a column holds.

    Parameters
    ----------
    name : str
    table : {"games", "seats", "labels"}
        Where it stands; what is counted of the play (`total_payoff`, ...) stands with the seats.
    kind : {"category", "number", "text", "bool"}
        A category has few values.
    values : tuple of (value as text, number of rows)
        Most frequent first, at most a hundred; empty for numbers and texts.
    n_values : int
        Different values; 0 for numbers and texts.
    low, high : float or None
        Range of numbers.
    n_null : int
    """

    name: str
    table: Literal["games", "seats", "labels"]
    kind: Literal["category", "number", "text", "bool"]
    values: tuple[tuple[str, int], ...] = ()
    n_values: int = 0
    low: float | None = None
    high: float | None = None
    n_null: int = 0


@dataclass(frozen=True, eq=False)
class Page:
    """Some of the games that a query finds.

    Parameters
    ----------
    total : int
        Games found.
    rows : list of dict
        One per game: the columns of the games table, and ``seats``, a list of dicts with the columns of
        seats and labels. Values are str (at most 200 characters), int, float, bool or None; lists of
        strategies are lists of str. ``moves``, where they are at hand: `strips.SeatMoves` of each seat.
    offset : int
        Of the first row.
    """

    total: int
    rows: list[dict[str, Any]]
    offset: int


@dataclass(frozen=True)
class Facts:
    """What a library is, and how far it has been read.

    Parameters
    ----------
    source : str
        Path of the log or run, as given.
    kind : {"log", "run"}
    n_games, n_seats : int
    n_planned : int or None
        Games of a run that were planned.
    rejects : int
        Rows of the log that could not be read.
    live : bool
        Whether the run is being played now.
    labels : str or None
        Where labels come from: path of a table, or name of a recogniser; None without.
    labelled : float in [0, 1]
        Share of the games that have been gone through for labels and sums; filters on those columns find
        only games among them until it is 1.
    classes : tuple of str
        Strategies of the labels.
    skipped : tuple of (reason, number of games)
        Games that have no labels.
    notes : tuple of str
        What a reader should know, such as that the labels belong to another log.
    coin : dict or None
        What fair coins would get in these games, as `CoinShares.to_dict`; None as long as it is not known.
    """

    source: str
    kind: Literal["log", "run"]
    n_games: int
    n_seats: int
    n_planned: int | None = None
    rejects: int = 0
    live: bool = False
    labels: str | None = None
    labelled: float = 0.0
    classes: tuple[str, ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    coin: Mapping[str, Any] | None = None


PAGE_SIZE = 50
_MOST_PAIRS = 500
_LONGEST = 4000
_OPERATORS = ("!=", "<=", ">=", "=", "~")
_ASKED: dict[str, Operator] = {"=": "=", "!=": "!=", "<=": "<=", ">=": ">=", "~": "contains"}
_WRITTEN = {meaning: sign for sign, meaning in _ASKED.items()}
_PACKED = ("keep", "tick", "pick")
_FIELD = re.compile(r"(min|max|has|is):(.+)", re.DOTALL)
_FIELD_OPERATOR: dict[str, Operator] = {"min": ">=", "max": "<=", "has": "contains", "is": "="}


@dataclass(frozen=True)
class PageState:
    """What a list shows.

    Parameters
    ----------
    query : Query
        Filters, order, place, jump.
    columns : tuple of str
        Columns that the reader chose; empty for those of our choice.
    plain : bool
        Whether the address was written as `address` writes it, not as a form sends it.
    root : str
        What the addresses of the source begin with; empty for the only one.
    """

    query: Query
    columns: tuple[str, ...] = ()
    plain: bool = True
    root: str = ""

    def pairs(self) -> list[tuple[str, str]]:
        """Names and values of the address."""
        query = self.query
        pairs: list[tuple[str, str]] = [("jump", query.jump)] if query.jump else []
        pairs += [("where", written(one)) for one in query.filters]
        if query.sort:
            pairs.append(("sort", f"-{query.sort}" if query.descending else query.sort))
        if query.order != "interest":
            pairs.append(("order", query.order))
        pairs += [("column", name) for name in self.columns]
        if query.offset:
            pairs.append(("offset", str(query.offset)))
        if query.limit != PAGE_SIZE:
            pairs.append(("limit", str(query.limit)))
        return pairs

    def address(self) -> str:
        """Of the list."""
        return self.at("")

    def at(self, page: str, *more: tuple[str, str]) -> str:
        """Of another page about the games of this list, such as ``charts``."""
        return _address(f"{self.root}/{page}", [*more, *self.pairs()])

    def with_(self, **changes: Any) -> PageState:
        """The state with other fields of the query; at the beginning of the list unless told otherwise."""
        return replace(self, query=replace(self.query, **{"offset": 0, **changes}))

    def without(self, one: Filter) -> PageState:
        """The state without a filter."""
        return self.with_(filters=tuple(f for f in self.query.filters if f != one))

    def sorted_by(self, column: str) -> PageState:
        """Sorted by a column; by the column that it is sorted by, the other way round, then not at all."""
        query = self.query
        if query.sort != column:
            return self.with_(sort=column, descending=False)
        if not query.descending:
            return self.with_(descending=True)
        return self.with_(sort=None, descending=False)


def written(one: Filter) -> str:
    """A filter as in an address: ``model=gpt-4o``, ``persona~self``."""
    return f"{one.column}{_WRITTEN[one.op]}{one.value}"


def game_address(game_id: str, state: PageState | None = None) -> str:
    """Of a game; with a state, its neighbours are those of that list."""
    return (state or PageState(Query())).at("game", ("id", game_id))


def beside_address(first: PageState, second: PageState, *more: tuple[str, str]) -> str:
    """Of the page that sets two filters side by side."""
    sides = [(name, packed(_filters(state))) for name, state in (("a", first), ("b", second))]
    return _address(f"{first.root}/beside", [*sides, *more])


def _filters(state: PageState) -> list[tuple[str, str]]:
    """The part of an address that says which games, not in which order."""
    return [pair for pair in state.pairs() if pair[0] in ("where", "jump")]


def _address(path: str, pairs: Sequence[tuple[str, str]]) -> str:
    return f"{path}?{urlencode(pairs, errors='surrogatepass')}" if pairs else path


def pairs_of(query_string: bytes) -> list[tuple[str, str]]:
    """Names and values of the part of an address behind ``?``.

    Raises
    ------
    UsageError
        Too many, too long, or no UTF-8.
    """
    if len(query_string) > 64 * 1024:
        raise UsageError(f"address of {len(query_string)} bytes, expected at most {64 * 1024}")
    try:
        text = query_string.decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, errors="surrogatepass", max_num_fields=_MOST_PAIRS)
    except UnicodeError:
        raise UsageError("address that is not UTF-8") from None
    except ValueError:
        raise UsageError(f"address with more than {_MOST_PAIRS} fields") from None
    for name, value in pairs:
        if len(value) > _LONGEST:
            raise UsageError(f"{shorten(name, 30)} of {len(value)} characters, expected at most {_LONGEST}")
    return pairs


def read_state(pairs: Iterable[tuple[str, str]], columns: Sequence[str], root: str = "") -> PageState:
    """The state that an address or a form asks for; what it cannot mean is an error, empty fields are not.

    Parameters
    ----------
    pairs : (name, value)
        As of `pairs_of`. Forms also send ``add`` (typed), ``min:``, ``max:``, ``has:`` with a quoted column,
        and, each with `packed` pairs, ``keep``, ``tick``, ``pick``.
    columns : sequence of str
        All columns of the library.

    Raises
    ------
    UsageError
        A column, jump or number that is none.
    """
    known = set(columns)
    filters: dict[Filter, None] = {}
    chosen: dict[str, None] = {}
    sort: str | None = None
    jump: Any = None
    order: Any = "interest"
    descending, offset, limit = False, 0, PAGE_SIZE
    pairs = list(pairs)
    plain = not any(name in _PACKED for name, _ in pairs)
    for name, value in [one for pair in pairs for one in _unpacked(*pair)]:
        if field := _FIELD.fullmatch(name):
            plain = False
            if value.strip():
                column = unquote(field[2], errors="surrogatepass")
                filters[_filter(column, _FIELD_OPERATOR[field[1]], value.strip(), known)] = None
        elif name == "add":
            plain = False
            if value.strip():
                filters[_typed_filter(value.strip(), known)] = None
        elif name == "where":
            filters[_read_filter(value, known)] = None
        elif name == "column":
            chosen[_column(value, known)] = None
        elif name == "sort" and value:
            descending = value.startswith("-") and value not in known
            sort = _column(value[1:] if descending else value, known)
        elif name == "jump" and value:
            jump = value
        elif name == "order" and value:
            order = value
        elif name == "offset":
            offset = _count(name, value)
        elif name == "limit":
            limit = _count(name, value)
        plain = plain and bool(value)
    query = Query(
        filters=tuple(filters),
        sort=sort,
        descending=descending,
        offset=offset,
        limit=limit,
        jump=jump,
        order=order,
    )
    return PageState(query, tuple(chosen), plain, root)


def packed(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and values as one value of a form: no character of them can be lost in a page."""
    return urlencode(pairs, errors="surrogatepass")


def _unpacked(name: str, value: str) -> list[tuple[str, str]]:
    """What a field of a form stands for: the state that it keeps, a filter or column that was ticked."""
    if name not in _PACKED:
        return [(name, value)]
    return pairs_of(value.encode()) if value else []


def _read_filter(text: str, known: set[str]) -> Filter:
    """The longest column that the text begins with, and the operator behind it."""
    for place in range(len(text), 0, -1):
        if text[:place] in known:
            sign = next((one for one in _OPERATORS if text.startswith(one, place)), None)
            if sign is not None:
                return _filter(text[:place], _ASKED[sign], text[place + len(sign) :], known)
    raise UsageError(f"where {shorten(text)!r}, expected COLUMN=VALUE with a column of this log")


def _typed_filter(text: str, known: set[str]) -> Filter:
    """As in an address, or a bare word: games whose identifier holds it."""
    if any(sign in text for sign in _OPERATORS) or "game_id" not in known:
        return _read_filter(text, known)
    return Filter("game_id", "contains", text)


def _filter(column: str, operator: Operator, value: str, known: set[str]) -> Filter:
    column = _column(column, known)
    if operator in ("<=", ">="):
        try:
            float(value)
        except ValueError:
            raise UsageError(f"{column} {operator} {shorten(value)!r}, expected a number") from None
    return Filter(column, operator, value)


def _column(name: str, known: set[str]) -> str:
    if name not in known:
        raise UsageError(f"no column {shorten(name)!r} in this log")
    return name


def _count(name: str, text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 10:
        return int(text)
    raise UsageError(f"{name} {shorten(text)!r}, expected a whole number")
