"""What the pages of charts show, of one filter or two side by side, as plain values for their templates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from intent.base.statistics import Interval
from intent.figures.style import colour
from intent.view.groups import MOST_ESTIMATED, Contrast, Estimates, Group, Line, Share
from intent.view.jobs import Failure
from intent.view.list_page import SAYS_NOTHING, coins_in_words
from intent.view.query import ColumnFacts, Facts, Filter, PageState, beside_address, packed

__all__ = ["Bar", "Curve", "charts_values", "percent"]

_NAMES = ("A", "B")
_LEFT, _TOP, _WIDTH, _HEIGHT, _RIGHT = 40, 12, 560, 190, 16
_BAR = 160
_MOST_SPLITS = 6
_FIRST = ("model", "persona", "language", "game")
"""Conditions by which games are most often set apart."""


@dataclass(frozen=True)
class Bar:
    """A share of one side: the bar and its interval, as numbers of a drawing of `_BAR` by 14."""

    n: int
    words: str
    width: float
    low: float
    high: float


@dataclass(frozen=True)
class BarRow:
    """A label or status: its share on each side, and the difference in words."""

    name: str
    colour: str
    bars: tuple[Bar | None, ...]
    difference: str
    differs: bool


@dataclass(frozen=True)
class Curve:
    """Cooperation by round of one side: a line within its band, as attributes of an SVG."""

    name: str
    points: str
    band: str
    marks: tuple[tuple[float, float, str], ...]


def percent(value: Interval | None, signed: bool = False) -> str:
    """``42 % [38, 46]``; of a difference ``+4 points [−1, +9]``."""
    if value is None or not math.isfinite(value.estimate):
        return "–"
    number = _points(value.estimate, signed)
    unit = " %" if not signed else " point" if number in ("+1", "−1") else " points"
    if not (math.isfinite(value.low) and math.isfinite(value.high)):
        return number + unit
    return f"{number}{unit} [{_points(value.low, signed)}, {_points(value.high, signed)}]"


def _points(share: float, signed: bool) -> str:
    n = round(100 * share)
    return f"{n:+d}".replace("-", "−") if signed and n else str(n)


def charts_values(
    facts: Facts,
    columns: Sequence[ColumnFacts],
    states: Sequence[PageState],
    held: Contrast | Failure | None,
    estimated: Estimates | Failure | None,
    *,
    ask: str,
    heads: Sequence[Sequence[Any]] = (),
    parts: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """Values of the template ``charts.html``.

    Parameters
    ----------
    facts : Facts
    columns : of the library
    states : of the one filter, or of both
    held : Contrast; None as long as it is being counted
    estimated : Estimates; None where it is not asked for, or being made
    ask : {"", "shares", "explained"}
        What was asked for beside the counts.
    heads : the first rows of each list
    parts : (done, in all) of what is being asked of the strategies
    """
    counted = held if isinstance(held, Contrast) else None
    groups = counted.groups if counted is not None else ()
    both = len(states) == 2
    here = _here(states, ask)
    return {
        "facts": facts,
        "state": states[0],
        "states": states,
        "both": both,
        "names": _NAMES[: len(states)],
        "here": here,
        "problem": held.why if isinstance(held, Failure) else "",
        "counting": held is None,
        "contrast": counted,
        "groups": groups,
        "statuses": _rows(counted, "status", [g.statuses for g in groups]) if counted else [],
        "strategies": _rows(counted, "strategy", [g.strategies for g in groups]) if counted else [],
        "coins": coins_in_words(facts.coin, max((s.query for s in states), key=lambda query: query.is_part)),
        "curves": [
            _curve(name, g, _span(groups)) for name, g in zip(_NAMES, groups, strict=False) if g.rounds
        ],
        "across": _ticks(groups),
        "up": [(_TOP + _HEIGHT * (1 - p), f"{100 * p:.0f} %") for p in (0, 0.25, 0.5, 0.75, 1)],
        "frame": (_LEFT, _TOP, _LEFT + _WIDTH, _TOP + _HEIGHT, _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + 34),
        "round_rows": _round_rows(counted) if counted else [],
        "cooperation": [percent(g.cooperation.value) if g.cooperation else "–" for g in groups],
        "cooperation_difference": percent(_difference(counted, "cooperation", ""), signed=True),
        "ask": ask,
        "parts": parts,
        "ask_shares": _here(states, "shares"),
        "ask_explained": _here(states, "explained"),
        "estimated": estimated if isinstance(estimated, Estimates) else None,
        "estimate_problem": estimated.why if isinstance(estimated, Failure) else "",
        "estimate_rows": _estimate_rows(estimated) if isinstance(estimated, Estimates) else [],
        "most_estimated": MOST_ESTIMATED,
        "chips": [
            [(_words(one), _without(states, i, one)) for one in s.query.filters] for i, s in enumerate(states)
        ],
        "lists": [s.address() for s in states],
        "kept": [packed([pair for pair in s.pairs() if pair[0] in ("where", "jump")]) for s in states],
        "splits": _splits(columns, states[0]) if both else [],
        "all_columns": [column.name for column in columns],
        "heads": heads,
        "beside": beside_address(states[0], states[0]),
    }


def _here(states: Sequence[PageState], ask: str) -> str:
    more = [("ask", ask)] if ask else []
    if len(states) == 1:
        return states[0].at("charts", *more)
    return beside_address(states[0], states[1], *more)


def _without(states: Sequence[PageState], place: int, one: Filter) -> str:
    changed = [s.without(one) if i == place else s for i, s in enumerate(states)]
    return _here(changed, "")


def _words(one: Filter) -> str:
    return f"{one.column} {one.op} {one.value or '(none)'}"


def _splits(columns: Sequence[ColumnFacts], state: PageState) -> list[tuple[str, str, str, str]]:
    """Conditions by which a reader may set games apart at once: column, both values, address."""
    splits = []
    for column in sorted(
        columns, key=lambda one: _FIRST.index(one.name) if one.name in _FIRST else len(_FIRST)
    ):
        if column.table == "labels" or column.kind not in ("category", "bool") or column.n_values < 2:
            continue
        if column.name.endswith("_id") or column.name in SAYS_NOTHING:
            continue
        first, second = (value for value, _ in column.values[:2])
        rest = state.with_(filters=tuple(f for f in state.query.filters if f.column != column.name))
        sides = [
            rest.with_(filters=(*rest.query.filters, Filter(column.name, "=", value)))
            for value in (first, second)
        ]
        splits.append((column.name, first, second, beside_address(sides[0], sides[1])))
    return splits[:_MOST_SPLITS]


def _difference(held: Contrast | None, what: str, name: Any) -> Interval | None:
    return None if held is None else held.differences.get((what, name))


def _rows(held: Contrast, what: str, sides: Sequence[Sequence[Share]]) -> list[BarRow]:
    names = dict.fromkeys(share.name for side in sides for share in side)
    rows = []
    for name in names:
        shares = [next((one for one in side if one.name == name), None) for side in sides]
        difference = _difference(held, what, name)
        differs = difference is not None and (difference.low > 0 or difference.high < 0)
        tint = colour(name) if what == "strategy" else ""
        rows.append(BarRow(name, tint, tuple(map(_bar, shares)), percent(difference, signed=True), differs))
    return rows


def _bar(share: Share | None) -> Bar | None:
    if share is None or not math.isfinite(share.value.estimate):
        return None
    value = share.value
    low, high = (end if math.isfinite(end) else value.estimate for end in (value.low, value.high))
    return Bar(share.n, percent(value), _BAR * value.estimate, _BAR * low, _BAR * high)


def _estimate_rows(estimated: Estimates) -> list[BarRow]:
    names = dict.fromkeys(share.name for side in estimated.shares for share in side)
    rows = []
    for name in names:
        shares = [next((one for one in side if one.name == name), None) for side in estimated.shares]
        rows.append(BarRow(name, colour(name), tuple(map(_bar, shares)), "", False))
    return rows


def _span(groups: Sequence[Group]) -> int:
    return max((line.round for group in groups for line in group.rounds), default=1)


def _x(number: int, last: int) -> float:
    return _LEFT + _WIDTH * (number - 1) / max(last - 1, 1)


def _y(share: float) -> float:
    return _TOP + _HEIGHT * (1 - min(max(share, 0.0), 1.0))


def _curve(name: str, group: Group, last: int) -> Curve:
    lines = [line for line in group.rounds if math.isfinite(line.value.estimate)]
    ends = [
        tuple(x if math.isfinite(x) else line.value.estimate for x in (line.value.low, line.value.high))
        for line in lines
    ]
    places = [(_x(line.round, last), line) for line in lines]
    upper = [f"{x:.1f},{_y(high):.1f}" for (x, _), (_, high) in zip(places, ends, strict=True)]
    lower = [f"{x:.1f},{_y(low):.1f}" for (x, _), (low, _) in zip(places, ends, strict=True)]
    return Curve(
        name,
        " ".join(f"{x:.1f},{_y(line.value.estimate):.1f}" for x, line in places),
        " ".join([*upper, *reversed(lower)]),
        tuple((x, _y(line.value.estimate), _spoken(line)) for x, line in places),
    )


def _spoken(line: Line) -> str:
    return f"round {line.round}: {percent(line.value)}, {line.n:,} players"


def _ticks(groups: Sequence[Group]) -> list[tuple[float, str]]:
    last = _span(groups)
    step = next(s * 10**k for k in range(10) for s in (1, 2, 5) if last / (s * 10**k) <= 12)
    return [(_x(n, last), str(n)) for n in range(1, last + 1) if n == 1 or n % step == 0]


def _round_rows(held: Contrast) -> list[tuple[int, list[tuple[str, int]], str]]:
    rows = []
    for number in range(1, _span(held.groups) + 1):
        cells = []
        for group in held.groups:
            line = next((one for one in group.rounds if one.round == number), None)
            cells.append(("–", 0) if line is None else (percent(line.value), line.n))
        rows.append((number, cells, percent(_difference(held, "round", number), signed=True)))
    return rows
