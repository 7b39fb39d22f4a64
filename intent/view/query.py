"""What may be asked of a library of games, and the form of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from intent.errors import UsageError, shorten

__all__ = [
    "JUMPS",
    "MOST_FILTERS",
    "MOST_ROWS",
    "OPERATORS",
    "ColumnFacts",
    "Facts",
    "Filter",
    "Jump",
    "Operator",
    "Page",
    "Query",
]

Operator = Literal["=", "!=", "<=", ">=", "contains"]
Jump = Literal["ambiguous", "no_fit", "low_confidence", "extreme"]

OPERATORS: tuple[Operator, ...] = ("=", "!=", "<=", ">=", "contains")
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

    def __post_init__(self) -> None:
        if not 0 <= self.offset < 1 << 40 or not 1 <= self.limit <= MOST_ROWS:
            raise UsageError(f"offset {self.offset}, limit {self.limit}, expected 0 up, and 1 to {MOST_ROWS}")
        if len(self.filters) > MOST_FILTERS:
            raise UsageError(f"{len(self.filters)} filters, expected at most {MOST_FILTERS}")
        if self.jump is not None and self.jump not in JUMPS:
            raise UsageError(f"jump {shorten(self.jump)!r}, expected one of {', '.join(JUMPS)}")


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
        strategies are lists of str.
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
