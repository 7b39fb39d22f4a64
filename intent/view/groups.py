"""What the games of a filter hold, in numbers: labels, cooperation by round, and how two filters differ.

Shares of labels are counted, with intervals clustered by what the design drew. What needs the play itself,
shares by maximum likelihood and how much they explain, is made when it is asked for, of so many games as is
soon done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.statistics import Interval, share_intervals
from intent.base.wording import counted
from intent.comparison.effects import share_effects
from intent.estimate.design_units import cell_columns, design_units
from intent.logs.chunks import LEFT_OUT
from intent.logs.gamelog import is_scripted, subjects
from intent.view.game_table import GameTable
from intent.view.judging import SUMS, Judge
from intent.view.strips import COOPERATED, DEFAULTED, DEFECTED

if TYPE_CHECKING:
    from intent.comparison.compare import CompareResult
    from intent.logs.gamelog import GameLog

__all__ = [
    "MOST_ESTIMATED",
    "Contrast",
    "Estimates",
    "Group",
    "Line",
    "Share",
    "Side",
    "condition_columns",
    "contrast",
    "estimates",
    "repeats",
    "sample",
    "side_of",
]

LEVEL = 0.95

STATUSES = ("confident", "low_confidence", "ambiguous", "no_fit")

MOST_ESTIMATED = 1_500
"""Games of a filter from which shares are estimated; of more, as many are drawn at random."""

_NAMES = ("A", "B")
_MOST_ROUNDS = 100


@dataclass(frozen=True, eq=False)
class Side:
    """The players that a filter finds, and that count; see `side_of`.

    Parameters
    ----------
    table : GameTable
    games : (g,) rows of the games
    seats : (s,) rows of the seats by which they meet it
    left_out : int
        Seats that a strategy plays, and that meet it too.
    """

    table: GameTable
    games: NDArray[np.intp]
    seats: NDArray[np.intp]
    left_out: int


@dataclass(frozen=True)
class Share:
    """A share with its interval, of `n` of the rows."""

    name: str
    n: int
    value: Interval


@dataclass(frozen=True)
class Line:
    """Cooperation in one round: of `n` players who moved in it."""

    round: int
    n: int
    value: Interval


@dataclass(frozen=True, eq=False)
class Group:
    """What one filter holds.

    Parameters
    ----------
    n_games, n_seats, n_labelled : int
    statuses, strategies : tuple of Share
        Of labelled players; of those whose label is confident.
    cooperation : Share or None
        Of all moves.
    rounds : tuple of Line
    """

    n_games: int
    n_seats: int
    n_labelled: int
    statuses: tuple[Share, ...]
    strategies: tuple[Share, ...]
    cooperation: Share | None
    rounds: tuple[Line, ...]


@dataclass(frozen=True, eq=False)
class Contrast:
    """One filter, or two and their differences.

    Parameters
    ----------
    groups : tuple of one or two Group
    differences : dict of (what, name) -> Interval, first less second
        ``("status", name)``, ``("strategy", name)``, ``("round", number)``, ``("cooperation", "")``.
    unit : str
        What is independent, and why.
    shared : int
        Games in both.
    left_out : tuple of int
        Of each, the seats that a strategy plays and that do not count.
    """

    groups: tuple[Group, ...]
    differences: dict[tuple[str, Any], Interval]
    unit: str
    shared: int = 0
    left_out: tuple[int, ...] = ()


def side_of(table: GameTable, games: NDArray[np.intp], seats: NDArray[np.intp]) -> Side:
    """The subjects among the players of a filter; strategies only where it finds nobody else.

    Parameters
    ----------
    table : GameTable
    games : (g,) rows of the games
    seats : (s,) rows of the seats by which they meet the filter
    """
    who = table.players.iloc[seats]
    counted = subjects(who)
    return Side(table, games, seats[counted], int((is_scripted(who) & ~counted).sum()))


class _Players:
    """The players of one filter or two, and shares among them.

    Parameters
    ----------
    sides : one Side or two

    Attributes
    ----------
    rows : (n,) rows of their seats, those of the first side first; who is in both is there twice
    owners : for each side, (n,) whether a row is of it
    unit : DesignUnit
    differences : as in `Contrast`, of all shares that were computed
    """

    def __init__(self, sides: Sequence[Side]) -> None:
        self.table = sides[0].table
        self.rows = np.concatenate([side.seats for side in sides])
        side = np.repeat(np.arange(len(sides)), [len(side.seats) for side in sides])
        self.owners = [side == i for i in range(len(sides))]
        self.unit = design_units(_frame(self.table, self.rows), classes=()).unit
        self.differences: dict[tuple[str, Any], Interval] = {}

    def shares(
        self, what: str, weights: NDArray[np.float64], names: Sequence[Any], among: NDArray[np.bool_]
    ) -> list[list[Share]]:
        """The shares of each side; empty where nobody is among them. Differences are kept.

        Parameters
        ----------
        what : first part of the key in `differences`
        weights : (n, k), what each player has of each name
        names : k names
        among : (n,), players that count
        """
        clusters, also = self.unit.codes, self.unit.also
        by_side: list[list[Share]] = []
        for own in self.owners:
            held = among & own
            if not held.any():
                by_side.append([])
                continue
            intervals = share_intervals(
                weights[held], clusters[held], level=LEVEL, also=None if also is None else also[held]
            )
            counts = weights[held].sum(axis=0)
            by_side.append(
                [
                    Share(name, round(float(n)), one)
                    for name, n, one in zip(names, counts, intervals, strict=True)
                ]
            )
        if len(by_side) == 2 and all(by_side):
            first = self.owners[0][among]
            effects = share_effects(weights[among], first, clusters[among], tuple(map(str, names)))
            plain = [one for one in effects if one.measure == "difference"]
            for name, one in zip(names, plain, strict=True):
                self.differences[what, name] = Interval(one.estimate, one.low, one.high)
        return by_side


def contrast(sides: Sequence[Side]) -> Contrast:
    """What one or two filters hold; the differences of two.

    Rows are players of games, subjects alone (`side_of`). Intervals are `share_intervals`, those of
    differences `share_effects`, both clustered by the unit of `design_units`, as `intent compare` does; a
    game in both filters counts as the pair that it is.
    """
    left_out = tuple(side.left_out for side in sides)
    if not any(len(side.seats) for side in sides):
        nothing = Group(0, 0, 0, (), (), None, ())
        return Contrast(tuple(nothing for _ in sides), {}, "", left_out=left_out)
    players = _Players(sides)
    statuses, strategies = _labels(players)
    cooperation, lines = _cooperation(players)
    labelled = players.table.computed["status"].snapshot()[0][players.rows] >= 0
    groups = tuple(
        Group(
            len(side.games),
            len(side.seats),
            int((labelled & own).sum()),
            tuple(statuses[i]),
            tuple(strategies[i]),
            cooperation[i],
            tuple(lines[i]),
        )
        for i, (side, own) in enumerate(zip(sides, players.owners, strict=True))
    )
    shared = len(np.intersect1d(sides[0].games, sides[1].games)) if len(sides) == 2 else 0
    return Contrast(groups, players.differences, players.unit.line(), shared, left_out)


def _labels(players: _Players) -> tuple[list[list[Share]], list[list[Share]]]:
    """Shares of statuses among labelled players, and of strategies among confident ones, of each side."""
    none: list[list[Share]] = [[] for _ in players.owners]
    status, names = players.table.computed["status"].snapshot()
    code = status[players.rows]
    statuses = [name for name in STATUSES if name in names]
    if not statuses or not (code >= 0).any():
        return none, none
    weights = np.stack([code == names.index(name) for name in statuses], axis=1).astype(float)
    of_status = players.shares("status", weights, statuses, code >= 0)
    if "confident" not in names:
        return of_status, none
    best, strategies = players.table.computed["best"].snapshot()
    own = best[players.rows]
    sure = (code == names.index("confident")) & (own >= 0)
    frequent = np.argsort(-np.bincount(own[sure], minlength=len(strategies)), kind="stable")
    there = [int(k) for k in frequent if (sure & (own == k)).any()]
    if not there:
        return of_status, none
    chosen = np.stack([own == k for k in there], axis=1).astype(float)
    return of_status, players.shares("strategy", chosen, [strategies[k] for k in there], sure)


def _cooperation(players: _Players) -> tuple[list[Share | None], list[list[Line]]]:
    """Cooperation over all rounds and by round, of each side."""
    codes = players.table.marks.codes[players.rows]
    plain = np.where(codes >= DEFAULTED, 0, codes & (DEFAULTED - 1))
    cooperated = plain == COOPERATED
    known = cooperated | (plain == DEFECTED)
    lines: list[list[Line]] = [[] for _ in players.owners]
    for t in range(min(plain.shape[1], _MOST_ROUNDS)):
        if not known[:, t].any():
            continue
        chosen = np.stack([cooperated[:, t], ~cooperated[:, t]], axis=1).astype(float)
        of_round = players.shares("round", chosen, [t + 1, -t - 1], known[:, t])
        for own_lines, part in zip(lines, of_round, strict=True):
            if part:
                own_lines.append(Line(t + 1, sum(one.n for one in part), part[0].value))
    moved = known.any(axis=1)
    if not moved.any():
        return [None for _ in players.owners], lines
    rate = cooperated.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    of_all = players.shares("cooperation", np.stack([rate, 1 - rate], axis=1), ["", "not"], moved)
    return [part[0] if part else None for part in of_all], lines


def _frame(table: GameTable, rows: NDArray[np.intp]) -> pd.DataFrame:
    """What a design is read off: game_id, seat, and the columns of games and seats."""
    game = table.seat_game[rows]
    columns: dict[str, Any] = {"game_id": game, "seat": table.seat_number[rows]}
    for where, named in ((game, table.games), (rows, table.seats)):
        for name, column in named.items():
            if name in columns or name in SUMS:
                continue
            values = column.values[where]
            if column.is_coded:
                labels = np.array([*column.names, None], dtype=object)
                columns[name] = labels[values]
            else:
                columns[name] = values
    return pd.DataFrame(columns)


_LOOKED_AT = 4_000


def condition_columns(table: GameTable) -> list[str]:
    """Columns that say under which condition a game was played, as `cell_columns`."""
    rows = np.arange(min(len(table.seat_game), _LOOKED_AT))
    return list(cell_columns(_frame(table, rows), classes=()))


def repeats(table: GameTable, game: int) -> tuple[list[tuple[str, str]], NDArray[np.intp]]:
    """The conditions of a game, and the rows of all games that have the same, who sits where included.

    Returns
    -------
    (conditions as column and value, those of seats one for each, rows in the order of the log)
    """
    columns = [name for name in condition_columns(table) if name not in ("seat", "state", "source")]
    alike = np.ones(len(table), dtype=bool)
    rows = table.seat_rows(game)
    sizes = np.bincount(table.seat_game, minlength=len(table))
    alike &= sizes == len(rows)
    words: list[tuple[str, str]] = []
    for name in columns:
        if name in table.games:
            column = table.games[name]
            alike &= _same(column.values, column.values[game])
            words.append((name, _cell(column.cell(game))))
        elif name in table.seats:
            column = table.seats[name]
            equal = np.zeros(len(table), dtype=np.intp)
            for row in rows:
                here = table.seat_number == table.seat_number[row]
                np.add.at(equal, table.seat_game[here & _same(column.values, column.values[row])], 1)
            alike &= equal == len(rows)
            cells = [_cell(column.cell(int(row))) for row in rows]
            words.append((name, cells[0] if len(set(cells)) == 1 else " | ".join(cells)))
    return [(name, value) for name, value in words if value], np.flatnonzero(alike)


def _same(values: NDArray[Any], value: Any) -> NDArray[np.bool_]:
    if isinstance(value, np.floating) and np.isnan(value):
        return np.asarray(np.isnan(values))
    return np.asarray(values == value)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)[:_LONGEST_VALUE]


_LONGEST_VALUE = 200


@dataclass(frozen=True, eq=False)
class Estimates:
    """Shares by maximum likelihood, of one filter or two.

    Parameters
    ----------
    shares : one tuple of Share for each filter
    explained : str
        How much of what can be predicted the strategies explain; empty where it was not asked for.
    each : tuple of str
        The same of each of two filters.
    p : float or None
        Of equal shares in both.
    n_games : tuple of int
        That the shares are estimated from.
    notes : tuple of str
    """

    shares: tuple[tuple[Share, ...], ...]
    explained: str
    each: tuple[str, ...]
    p: float | None
    n_games: tuple[int, ...]
    notes: tuple[str, ...]


def sample(side: Side, most: int = MOST_ESTIMATED, seed: int = 0) -> NDArray[np.intp]:
    """The games of a side that are read, in their order; a random part of them where there are many."""
    if len(side.games) <= most:
        return np.sort(side.games)
    drawn = np.random.default_rng(seed).choice(side.games, most, replace=False)
    return np.sort(drawn)


def estimates(
    log: GameLog,
    judge: Judge,
    seats: Sequence[set[tuple[str, int]]],
    *,
    explained: bool,
    left_out: int = 0,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> Estimates:
    """Shares of strategies by maximum likelihood, as `intent compare` makes them.

    Parameters
    ----------
    log : GameLog, of the games of all filters
    judge : Judge
    seats : of each filter, the (game_id, seat) that count
    left_out : int
        Seats of these games that a strategy plays and that do not count, for a note.
    explained : bool
        Whether to say how much the strategies explain, which takes longer.
    update : called with (parts done, in all) of that; may raise an error that ends it

    Raises
    ------
    UsageError
        No player of some filter has a label, or the games are in both filters.
    """
    from intent.comparison.compare import compare
    from intent.recognise.labels.label import label_log

    others: dict[str, Any] = {} if judge.others is None else {"others": judge.others}
    labels = label_log(log, judge.recogniser, keep_defaulted=judge.keep_defaulted, seed=judge.seed, **others)
    table = labels.table()
    keys = list(zip(table["game_id"].astype(str), table["seat"].astype(int), strict=True))
    if len(seats) == 2 and seats[0] & seats[1]:
        raise UsageError("some players are in both filters: shares are estimated of filters that are apart")
    side = [next((_NAMES[i] for i, held in enumerate(seats) if key in held), None) for key in keys]
    table = table.assign(filter=pd.Series(side, index=table.index, dtype=object))
    table = table[table["filter"].notna()].reset_index(drop=True)
    present = sorted(set(table["filter"]))
    if len(present) < len(seats):
        raise UsageError("no player of the filter has a label that an estimate could start from")
    table.attrs["provenance"] = {**labels.provenance, "summary": labels.summary}
    result: CompareResult = compare(
        table, "filter", log=log, keep_scripted=True, explained=explained, seed=0, update=update
    )
    comparison = result.comparison
    shares = tuple(
        tuple(
            Share(name, 0, Interval(one.estimate, one.low, one.high))
            for name, one in zip(comparison.outcomes, group.intervals, strict=True)
        )
        for group in comparison.groups
    )
    whole = result.extras.explained
    each = () if whole is None or len(seats) < 2 else tuple(one.share_in_words() for one in whole.groups)
    p = next((float(test.p) for test in comparison.tests), None)
    n_games = tuple(
        int(part["game_id"].nunique()) for _, part in table.groupby("filter", sort=True, observed=True)
    )
    beside = [LEFT_OUT.format(seats=counted(left_out, "seat"))] if left_out else []
    lines = (_on_the_page(str(line)) for line in (*beside, *result.notes))
    notes = tuple(dict.fromkeys(filter(None, lines)))[:6]
    return Estimates(shares, "" if whole is None else whole.sentence(), each, p, n_games, notes)


def _on_the_page(note: str) -> str:
    """A note of `intent compare` without its options, which a page has not; empty where nothing is left."""
    return "" if note.startswith("no test by filter") else note.partition("; --")[0]
