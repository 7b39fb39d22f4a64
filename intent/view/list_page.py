"""What the page with the list of games shows, as plain values for its template.

The filters beside the list of games: the values of each column, and what is asked of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from intent.recognise.coin import coin_column, coin_sentence
from intent.view.judging import SUMS, likeliest, number
from intent.view.query import (
    JUMPS,
    ColumnFacts,
    Facts,
    Filter,
    Operator,
    Order,
    Page,
    PageState,
    Query,
    beside_address,
    game_address,
    packed,
    written,
)
from intent.view.strips import SeatMoves, Strip, strip, strip_of_seats

__all__ = [
    "GAME_ID",
    "HEAD",
    "SAYS_NOTHING",
    "Facet",
    "HeadRow",
    "Heading",
    "Option",
    "Row",
    "coins_in_words",
    "facets",
    "head_rows",
    "list_values",
    "repeats_values",
]


_SHOWN_OPTIONS = 8
_FIRST = (
    "status",
    "best",
    "confidence",
    "fit_p",
    "n_deviations",
    "consistent",
    "label",
    "model",
    "persona",
    "game",
)
"""Columns that the filters begin with."""


@dataclass(frozen=True)
class Option:
    """A value that a reader can tick."""

    value: str
    n: int
    field: str
    checked: bool


@dataclass(frozen=True)
class Facet:
    """The controls of one column.

    Parameters
    ----------
    column : ColumnFacts
    field : str
        Its name, quoted, as the names of fields have it.
    options, more : tuple of Option
        The most frequent values, and the others.
    low, high, contains : str
        What its fields hold.
    active : bool
        Whether it has a filter.
    open : bool
        Whether it is unfolded at first.
    """

    column: ColumnFacts
    field: str
    options: tuple[Option, ...]
    more: tuple[Option, ...]
    low: str
    high: str
    contains: str
    active: bool
    open: bool

    def held(self) -> list[tuple[str, str]]:
        """Filters that its controls stand for, as pairs of an address."""
        name, numeric = self.column.name, self.column.kind == "number"
        pairs = [_pair(name, option.value) for option in (*self.options, *self.more)]
        if numeric and self.low:
            pairs.append(_pair(name, self.low, ">="))
        if numeric and self.high:
            pairs.append(_pair(name, self.high, "<="))
        if not numeric and not self.options and self.contains:
            pairs.append(_pair(name, self.contains, "contains"))
        return pairs


def facets(
    columns: Sequence[ColumnFacts],
    state: PageState,
    counts: Mapping[str, Mapping[str, int]] | None = None,
) -> list[Facet]:
    """The controls of all columns, the important ones first.

    Parameters
    ----------
    columns : sequence of ColumnFacts
    state : PageState
    counts : mapping of column -> value -> rows, optional
        Among what the query leaves; by default those of all games.
    """
    held: dict[str, list[Filter]] = {}
    for one in state.query.filters:
        held.setdefault(one.column, []).append(one)
    left = counts or {}
    return sorted(
        (_facet(column, held.get(column.name, []), left.get(column.name)) for column in columns),
        key=_importance,
    )


def _facet(column: ColumnFacts, filters: Sequence[Filter], left: Mapping[str, int] | None) -> Facet:
    ticked = {one.value for one in filters if one.op == "="}
    counted = dict(column.values)
    if column.n_null and (column.values or "" in ticked):
        counted[""] = column.n_null
    if column.values:
        counted |= {value: 0 for value in ticked if value not in counted}
    if left is not None:
        counted = {value: left.get(value, 0) for value in counted}
    options = [Option(v, n, packed([_pair(column.name, v)]), v in ticked) for v, n in counted.items()]
    options.sort(key=lambda option: (not option.checked, option.value == ""))
    shown = max(_SHOWN_OPTIONS, len(ticked))
    return Facet(
        column=column,
        field=quote(column.name, safe="", errors="surrogatepass"),
        options=tuple(options[:shown]),
        more=tuple(options[shown:]),
        low=next((one.value for one in filters if one.op == ">="), ""),
        high=next((one.value for one in filters if one.op == "<="), ""),
        contains=next((one.value for one in filters if one.op == "contains"), ""),
        active=bool(filters),
        open=bool(filters) or column.name in ("status", "best", "model"),
    )


def _importance(facet: Facet) -> tuple[bool, int]:
    """The usual columns first, then as they stand; last those that tell nothing apart."""
    column = facet.column
    dull = column.name.startswith("p_") or (column.kind in ("category", "bool") and column.n_values < 2)
    place = _FIRST.index(column.name) if column.name in _FIRST else len(_FIRST)
    return dull and not facet.active, place


def _pair(column: str, value: str, operator: Operator = "=") -> tuple[str, str]:
    return "where", written(Filter(column, operator, value))


GAME_ID = ColumnFacts("game_id", "games", "text")
"""What every game has; a library does not list it among its columns."""

_JUMP_WORDS = {
    "ambiguous": "several strategies explain the play equally well",
    "no_fit": "no strategy of the set fits, or a coin explains the play best",
    "low_confidence": "no strategy is probable enough",
    "extreme": "most moves against the best strategy, worst fit, most extreme payoffs",
}
_USUAL = ("game", "language", "model", "persona", "best", "status", "total_payoff", "confidence")
_MOST_COLUMNS = 7
_MOST_CONSTANT = 12
SAYS_NOTHING = ("source", "payoff_kind", "run", "state", "cooperative_action")
"""Columns that are not said of all games, though they have one value."""
_MOST_SEATS = 4
_LONGEST_NAME = 120
_LONG_LEAD = 16
"""Letters that all names of a list begin with, from which on they are said once above it."""

_PARTS = "/\\:-_. "
_TABLES = {"labels": "Labels of players", "seats": "Players", "games": "Games"}


@dataclass(frozen=True)
class Heading:
    """A column of the list: its address sorts by it."""

    column: str
    address: str
    order: str
    per_seat: bool
    numeric: bool


@dataclass(frozen=True)
class Row:
    """A game of the list, its name cut where it is very long; a cell holds one value, or one per seat.

    A seat's strategies that explain its play equally well are a tuple in its cell; `strips` are the moves of
    the seats, in one picture or one each, empty where they are not at hand.
    """

    name: str
    address: str
    cells: tuple[tuple[Any, ...], ...]
    unlisted: int
    repeats: str = ""
    strips: tuple[Strip, ...] = ()


def list_values(
    facts: Facts,
    columns: Sequence[ColumnFacts],
    page: Page,
    state: PageState,
    counts: Mapping[str, Mapping[str, int]] | None = None,
) -> dict[str, Any]:
    """Values of the template ``list.html``.

    Parameters
    ----------
    facts : Facts
    columns : sequence of ColumnFacts
    page : Page
        What the state's query found.
    state : PageState
    counts : mapping of column -> value -> rows, optional
        Among what the query leaves; by default those of all games.
    """
    columns = [GAME_ID, *columns]
    by_name = {column.name: column for column in columns}
    usual = state.columns or _usual(columns)
    chosen = [name for name in usual if name in by_name and name != "game_id"]
    constant = _constant(columns, counts)
    n_constant = len(constant) if len(constant) == _MOST_CONSTANT + 1 else _MOST_CONSTANT
    first, last = page.offset + 1, page.offset + len(page.rows)
    size = state.query.limit
    shown = facets(columns, state, counts)
    fields = {pair for facet in shown for pair in facet.held()}
    rows = [_row(row, [by_name[name] for name in chosen], state) for row in page.rows]
    lead = _lead([row.name for row in rows])
    rows = [replace(row, name=f"…{row.name[len(lead) :]}") for row in rows] if lead else rows
    drawn = [one for row in rows for one in row.strips]
    return {
        "any_moves": bool(drawn),
        "any_marks": any(name[0] in "cd" for one in drawn for name, _ in one.paths),
        "any_hollow": any(name.endswith("h") for one in drawn for name, _ in one.paths),
        "any_bars": any(one.kind == "bars" for one in drawn),
        "facts": facts,
        "coins": coins_in_words(facts.coin, state.query),
        "state": state,
        "groups": [
            (_TABLES[t], group) for t in _TABLES if (group := [f for f in shown if f.column.table == t])
        ],
        "headings": [_heading(by_name[name], state) for name in ("game_id", *chosen)],
        "rows": rows,
        "lead": lead,
        "constant": constant[:n_constant],
        "more_constant": constant[n_constant:],
        "orders": _orders(facts, state),
        "beside": beside_address(state, state),
        "chosen": set(chosen),
        "all_columns": [(c.name, packed([("column", c.name)])) for c in columns if c.name != "game_id"],
        "chips": [(_chip(one), state.without(one).address()) for one in state.query.filters],
        "jumps": _jumps(state),
        "total": page.total,
        "first": first if page.rows else 0,
        "last": last if page.rows else 0,
        "previous": state.with_(offset=max(0, page.offset - size)).address() if page.offset else None,
        "following": state.with_(offset=page.offset + size).address() if last < page.total else None,
        "cleared": PageState(Query(), state.columns, root=state.root).address(),
        "counts": json.dumps({o.field: number(o.n) for f in shown for o in (*f.options, *f.more)}),
        "kept": packed([pair for pair in state.pairs() if pair[0] != "offset" and pair not in fields]),
        "kept_columns": packed([pair for pair in state.pairs() if pair[0] not in ("offset", "column")]),
        "kept_all": packed([pair for pair in state.pairs() if pair[0] != "offset"]),
        "usual_address": PageState(state.query, root=state.root).address(),
    }


def _lead(names: Sequence[str]) -> str:
    """The long beginning that all names share, up to a sign that parts words; empty where it is short."""
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)
    alike = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    lead = first[: 1 + max(first.rfind(sign, 0, alike) for sign in _PARTS)]
    return lead if len(lead) >= _LONG_LEAD else ""


def coins_in_words(coin: Mapping[str, Any] | None, query: Query) -> str:
    """What fair coins would get in all games of a log; empty where it is not known.

    Parameters
    ----------
    coin : as `Facts.coin`
    query : what the page shows: of a part of the games, the sentence says that it is of all
    """
    shares = coin_column(coin)
    if coin is None or not shares:
        return ""
    listed = ", ".join(f"{share} {status.replace('_', ' ')}" for status, share in reversed(shares.items()))
    games = "all games of the log" if query.is_part else "these games"
    return f"What {coin_sentence(coin, games)}: {listed}."


def _usual(columns: Sequence[ColumnFacts]) -> list[str]:
    """The columns of our choice: conditions that vary, then players, labels and payoffs."""
    there = {column.name: column for column in columns}
    names = [name for name in _USUAL if name in there and _tells(there[name])][:_MOST_COLUMNS]
    others = [
        c.name
        for table in ("games", "seats")
        for c in columns
        if c.table == table and c.kind == "category" and c.n_values > 1 and c.name not in SAYS_NOTHING
    ]
    room = max(0, _MOST_COLUMNS - len(names))
    names += [name for name in others if name not in names][: min(room, 3)]
    rounds = there.get("rounds_played")
    if rounds is not None and rounds.low != rounds.high and len(names) < _MOST_COLUMNS:
        names.append("rounds_played")
    return sorted(names, key=lambda name: ("games", "seats", "labels").index(there[name].table))


def _tells(column: ColumnFacts) -> bool:
    if column.kind == "number":
        return column.low is not None
    return column.kind != "category" or column.n_values > 1 or column.name in ("status", "best")


def _constant(
    columns: Sequence[ColumnFacts], counts: Mapping[str, Mapping[str, int]] | None
) -> list[tuple[str, str]]:
    """Conditions that all games of the list share, and their value: no column has to repeat them."""
    shared = []
    for column in columns:
        if column.table == "labels" or column.name in SAYS_NOTHING or column.name in SUMS:
            continue
        left = (counts or {}).get(column.name)
        if left is not None:
            there = [value for value, n in left.items() if n]
            if len(there) == 1 and there[0]:
                shared.append((column.name, there[0]))
        elif column.kind == "number":
            if counts is None and column.low is not None and column.low == column.high and not column.n_null:
                shared.append((column.name, number(float(column.low))))
        elif counts is None and column.n_values == 1 and not column.n_null and column.values:
            shared.append((column.name, column.values[0][0]))
    return shared


def _orders(facts: Facts, state: PageState) -> list[tuple[str, str, bool]]:
    """Ways to sort that are no column: words, address, whether it is so now."""
    now = state.query.order if state.query.sort is None else ""
    settled = facts.labelled >= 1 and not facts.live
    ways: list[tuple[Order, str]] = [("interest", "most happens first"), ("log", "as in the log")]
    return [
        (words, state.with_(sort=None, descending=False, order=order).address(), now == order)
        for order, words in ways
        if settled
    ]


def _heading(column: ColumnFacts, state: PageState) -> Heading:
    query = state.query
    order = ("descending" if query.descending else "ascending") if query.sort == column.name else "none"
    address = state.sorted_by(column.name).address()
    return Heading(column.name, address, order, column.table != "games", column.kind == "number")


def _row(row: Mapping[str, Any], columns: Sequence[ColumnFacts], state: PageState) -> Row:
    seats = row.get("seats") or []
    listed = seats[:_MOST_SEATS]
    cells = tuple(
        (row.get(column.name),)
        if column.table == "games"
        else tuple(likeliest(seat) if column.name == "best" else seat.get(column.name) for seat in listed)
        for column in columns
    )
    strips = _strips(tuple((row.get("moves") or ())[:_MOST_SEATS]))
    game_id = str(row["game_id"])
    name = game_id if len(game_id) <= _LONGEST_NAME else f"{game_id[:_LONGEST_NAME]}…"
    repeats = state.at("repeats", ("id", game_id))
    return Row(name, game_address(game_id, state), cells, len(seats) - len(listed), repeats, strips)


def _strips(seats: tuple[SeatMoves, ...]) -> tuple[Strip, ...]:
    """One picture of all seats where their moves are marks, else one of each."""
    together = strip_of_seats(seats)
    return tuple(map(strip, seats)) if together is None else (together,)


HEAD = 10
"""Games of each filter that stand below two that are compared."""


@dataclass(frozen=True)
class HeadRow:
    """A game in brief: the moves of its seats, and the strategies that explain them."""

    name: str
    address: str
    strips: tuple[Strip, ...]
    labels: tuple[Any, ...]


def head_rows(page: Page, state: PageState) -> list[HeadRow]:
    """The games of a page in brief."""
    rows = []
    for row in page.rows:
        game_id, seats = str(row["game_id"]), (row.get("seats") or [])[:_MOST_SEATS]
        strips = tuple(strip(moves) for moves in (row.get("moves") or ())[: len(seats)])
        labels = tuple(map(likeliest, seats))
        rows.append(HeadRow(game_id[:_LONGEST_NAME], game_address(game_id, state), strips, labels))
    return rows


def _jumps(state: PageState) -> list[tuple[str, str, str, bool]]:
    """Name, meaning, address and whether it is shown now."""
    now = state.query.jump
    jumps = [("all games", "every game of the filter", state.with_(jump=None).address(), now is None)]
    for name in JUMPS:
        jumps.append(
            (name.replace("_", " "), _JUMP_WORDS[name], state.with_(jump=name).address(), now == name)
        )
    return jumps


def _chip(one: Filter) -> str:
    value = one.value or "(none)"
    return f"{one.column} {one.op} {value}"


def repeats_values(
    facts: Facts, state: PageState, conditions: Sequence[tuple[str, str]], page: Page, game_id: str
) -> dict[str, Any]:
    """Values of the template ``repeats.html``.

    Parameters
    ----------
    facts : Facts
    state : PageState
        Of the list that the reader came from.
    conditions : (column, value)
    page : Page
        The games of these conditions.
    game_id : str
        The one whose repeats they are.
    """
    rows = head_rows(page, state)
    n_seats = max((len(row.strips) for row in rows), default=0)
    return {
        "facts": facts,
        "state": state,
        "conditions": conditions,
        "rows": rows,
        "total": page.total,
        "seats": range(1, n_seats + 1),
        "own": game_id,
        "game": game_address(game_id, state),
        "payoffs": [[seat.get("total_payoff") for seat in row.get("seats") or []] for row in page.rows],
        "same": _distinct(page),
    }


def _distinct(page: Page) -> int | None:
    """Different games among them, by their moves; None where some are not at hand."""
    played = [row.get("moves") for row in page.rows]
    if not played or any(not moves for moves in played) or len(played) < page.total:
        return None
    return len({tuple(moves) for moves in played if moves})
