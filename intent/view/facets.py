"""The filters beside the list of games: the values of each column, and what is asked of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from intent.view.page_state import PageState, packed, written
from intent.view.query import ColumnFacts, Filter, Operator

__all__ = ["Facet", "Option", "facets"]

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
        found = [_pair(name, option.value) for option in (*self.options, *self.more)]
        if numeric and self.low:
            found.append(_pair(name, self.low, ">="))
        if numeric and self.high:
            found.append(_pair(name, self.high, "<="))
        if not numeric and not self.options and self.contains:
            found.append(_pair(name, self.contains, "contains"))
        return found


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
    found = [_facet(column, held.get(column.name, []), left.get(column.name)) for column in columns]
    return sorted(found, key=_importance)


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
