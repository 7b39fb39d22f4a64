"""Tables with one side of a round, and what implies the other one's move; tables of games, which are no logs.

1. Whether both did the same: the other's move is the own one where a column says so, else the other one.
2. The own payoff, where it stands in one order only with the payoffs of a named game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.errors import IntentError
from intent.games.game import MatrixGame
from intent.logs.importer.both import amounts_of, keys_of
from intent.logs.importer.columns import Column, columns_of, with_role
from intent.logs.importer.mapping import LogMapping
from intent.logs.importer.payoff_tables import cells_of
from intent.logs.importer.proposals import (
    LongTable,
    Proposal,
    Question,
    Reason,
    Shape,
    kind_by_name,
    number_of,
)
from intent.logs.readers.arrays import TidyTable, first_rows, of_codes, picked
from intent.logs.readers.reader import Settings
from intent.logs.readers.tidy_games import PLAYERS

__all__ = ["SHAPES"]

Codes = NDArray[np.intp]

_MANY = 0.1
"""Share of rows that may contradict the others and are rejected."""


def _propose_implied(columns: Mapping[str, Column], settings: Settings) -> Iterator[Proposal]:
    """One row per player and round with the own move, and what implies the other's."""
    every = list(columns.values())
    actions = [c for c in with_role(every, "action") if len(c.labels) == 2]
    same = [c for c in with_role(every, "agreement") if {v.casefold() for v in c.filled} <= {*_YES, *_NO}]
    players = with_role(every, "player") or [c for c in every if c.name.casefold() in PLAYERS]
    payoffs = with_role(every, "payoff")
    if not (actions and players and (same or payoffs)) or with_role(every, "action", "other"):
        return
    names = {"action": actions[0].name, "player": players[0].name}
    reasons = [
        Reason(names["action"], "action", "two labels"),
        Reason(names["player"], "player", "its name says so"),
    ]
    if same:
        names["agreement"] = same[0].name
        reasons.append(Reason(same[0].name, "agreement", "says whether both did the same"))
    if payoffs:
        names["payoff"] = payoffs[0].name
    single, by = keys_of([c for c in every if c.name not in names.values()], settings.mapping)
    names |= {role: c.name for role, c in single.items()}
    reasons += [Reason(c.name, role, "its name says so") for role, c in single.items()]
    mapping = LogMapping(shape="implied", columns=names, by=tuple(by), game=settings.game)
    implied = _Implied(columns, mapping)
    if not same and (implied.open or not implied.by_payoff):
        return
    questions = []
    if payoffs and not (
        implied.kind or settings.payoff_kind or settings.cooperate or kind_by_name(payoffs[0].name)
    ):
        what = f"nothing says whether {payoffs[0].name} is a reward or a penalty, and cooperation turns on it"
        questions.append(Question(what, ("--payoff-kind reward", "--payoff-kind penalty")))
    yield Proposal(mapping, tuple(reasons), 3.0 + len(names), tuple(questions))


_YES = ("1", "true", "yes", "t", "y", "1.0")
_NO = ("0", "false", "no", "f", "n", "0.0")


@dataclass(frozen=True, eq=False)
class _Implied:
    """The other's move of each row, where the own move and what stands beside it imply it.

    For the games of each name:

    1. The other did the same where a column says so, else the other move, if payoffs follow from both.
    2. Else the own payoffs imply it, where the four of them stand in one order as those of the named game do.
    """

    columns: Mapping[str, Column]
    mapping: LogMapping

    @cached_property
    def labels(self) -> list[str]:
        return sorted(self.columns[self.mapping.columns["action"]].labels)[:2]

    @cached_property
    def own(self) -> Codes:
        """(n,) 0 or 1, -1 where there is no move."""
        action = self.columns[self.mapping.columns["action"]]
        code = {label: i for i, label in enumerate(self.labels)}
        usual = [code.get(action.usual.get(v, v), -1) for v in action.values]
        return np.array(usual, dtype=np.intp)[action.codes]

    @cached_property
    def agreed(self) -> Codes:
        """(n,) 1 where both did the same, 0 where not, -1 where nothing says it."""
        name = self.mapping.columns.get("agreement")
        if name is None:
            return np.full(len(self.own), -1, dtype=np.intp)
        same = self.columns[name]
        cells = [1 if v.casefold() in _YES else 0 if v.casefold() in _NO else -1 for v in same.values]
        return np.array(cells, dtype=np.intp)[same.codes]

    @cached_property
    def payoff(self) -> NDArray[np.float64]:
        """(n,), NaN where unknown."""
        name = self.mapping.columns.get("payoff")
        return np.full(len(self.own), np.nan) if name is None else amounts_of(self.columns[name])[0]

    @cached_property
    def names(self) -> list[tuple[str | None, NDArray[np.bool_]]]:
        """Names of games, and the rows of each."""
        column = self.mapping.columns.get("game")
        if column is None:
            return [(self.mapping.game, np.ones(len(self.own), dtype=bool))]
        named = self.columns[column]
        return [(name or None, named.codes == i) for i, name in enumerate(named.values)]

    @cached_property
    def _decided(self) -> tuple[Codes, list[str], list[str], list[str | None]]:
        stated = (self.own >= 0) & (self.agreed >= 0)
        other = np.where(stated, np.where(self.agreed == 1, self.own, 1 - self.own), -1)
        by_payoff, open_, contrary = [], [], []
        for name, rows in self.names:
            full = rows & (other >= 0) & np.isfinite(self.payoff)
            share = _usual_share(2 * self.own[full] + other[full], self.payoff[full])
            if (rows & stated).any() and share >= 1 - _MANY:
                continue
            orders = _orders(name, self.own[rows], self.payoff[rows])
            if len(orders) != 1:
                open_.append(name or "the game")
                continue
            (table,) = orders
            implied = np.full(len(other), -1, dtype=np.intp)
            for (own, payoff), theirs in table.items():
                implied[rows & (self.own == own) & (self.payoff == payoff)] = theirs
            differ = int((rows & (other >= 0) & (implied >= 0) & (other != implied)).sum())
            other[rows] = implied[rows]
            by_payoff.append(name or "the game")
            contrary.append(f"{differ:,} of {int(rows.sum()):,}" if (rows & stated).any() else None)
        return other, by_payoff, open_, contrary

    @property
    def other(self) -> Codes:
        """(n,) 0 or 1, -1 where nothing implies it."""
        return self._decided[0]

    @property
    def by_payoff(self) -> list[str]:
        """Names of the games in which the own payoff implies the other's move."""
        return self._decided[1]

    @property
    def open(self) -> list[str]:
        """Names of the games in which nothing does."""
        return self._decided[2]

    @property
    def notes(self) -> list[str]:
        """How the other's move is known."""
        notes = []
        payoff, same = (self.mapping.columns.get(role) for role in ("payoff", "agreement"))
        if len(self.by_payoff) < len(self.names):
            notes.append(
                f"the other's move follows from {same}: the own one if it says the same, else the other"
            )
        for name, contrary in zip(self.by_payoff, self._decided[3], strict=True):
            against = f"; {same} contradicts it in {contrary} rows and is not used there" if contrary else ""
            notes.append(f"the other's move in {name} follows from the own one and {payoff}{against}")
        return notes

    @cached_property
    def kind(self) -> str | None:
        """What payoffs are, where a named game is one in which both want the same move, or different ones."""
        kinds = set()
        for name, rows in self.names:
            known = _matrix(name)
            both = rows & np.isfinite(self.payoff) & (self.own >= 0) & (self.other >= 0)
            same, not_same = both & (self.own == self.other), both & (self.own != self.other)
            if known is None or not same.any() or not not_same.any():
                continue
            (aa, ab), (ba, bb) = known.utilities
            better = self.payoff[same].mean() > self.payoff[not_same].mean()
            if min(*aa, *bb) > max(*ab, *ba):
                kinds.add("reward" if better else "penalty")
            elif max(*aa, *bb) < min(*ab, *ba):
                kinds.add("penalty" if better else "reward")
        return kinds.pop() if len(kinds) == 1 else None


def _usual_share(joint: Codes, payoff: NDArray[np.float64]) -> float:
    """Share of the rows with the usual payoff of their joint move."""
    usual = sum(int(np.unique(payoff[joint == j], return_counts=True)[1].max()) for j in np.unique(joint))
    return usual / len(joint) if len(joint) else 1.0


def _matrix(name: str | None) -> MatrixGame | None:
    from intent.games.catalogue import game

    try:
        known = game(name) if name else None
    except IntentError:
        return None
    return known if isinstance(known, MatrixGame) else None


def _orders(name: str | None, own: Codes, payoff: NDArray[np.float64]) -> list[dict[tuple[int, float], int]]:
    """(own move, own payoff) -> the other's move, as the order of payoffs in a named symmetric game says.

    The two usual payoffs of each move are ranked with those of the other one. Whatever naming of the two
    moves and sign of the payoffs gives them the ranks that they have in the game is a solution; solutions
    that imply the same moves count once.
    """
    known = _matrix(name)
    if known is None or not known.is_symmetric:
        return []
    usual = []
    for move in (0, 1):
        values, counts = np.unique(payoff[(own == move) & np.isfinite(payoff)], return_counts=True)
        usual.append(sorted(values[np.argsort(-counts, kind="stable")][:2].tolist()))
        if len(values) < 2 or np.sort(counts)[::-1][:2].sum() < (1 - _MANY) * counts.sum():
            return []
    if len({*usual[0], *usual[1]}) < 4:
        return []
    theirs = [[known.utilities[i][j][0] for j in (0, 1)] for i in (0, 1)]
    if len({*theirs[0], *theirs[1]}) < 4:
        return []
    ranked = sorted((*theirs[0], *theirs[1]))
    solutions: list[dict[tuple[int, float], int]] = []
    for sign in (1, -1):
        ours = sorted(sign * v for v in (*usual[0], *usual[1]))
        for first in (0, 1):
            names = (first, 1 - first)
            rank = {value: i for i, value in enumerate(ours)}
            of_rank = {ranked.index(theirs[i][j]): (i, j) for i in (0, 1) for j in (0, 1)}
            places = {(move, value): of_rank[rank[sign * value]] for move in (0, 1) for value in usual[move]}
            if all(names[move] == i for (move, _), (i, _) in places.items()):
                table = {key: names.index(j) for key, (_, j) in places.items()}
                solutions += [table] if table not in solutions else []
    return solutions


def _lay_out_implied(table: TidyTable, mapping: LogMapping) -> LongTable:
    """The table with the other's move, and rounds by the order of rows where no column says them."""
    columns, names = columns_of(table), mapping.columns
    implied = _Implied(columns, mapping)
    notes, faults = [*implied.notes], []
    if implied.open:
        faults.append(
            f"{names.get('payoff')} does not follow from {names['action']} and {names.get('agreement')}, nor "
            f"is it known which payoffs {implied.open[0]} has: give --map other=NAME, with the other's moves"
        )
    keys = [columns[names[r]] for r in ("player", "game_id", "game", "run", "repetition") if r in names]
    keys += [columns[name] for name in mapping.by if name in columns]
    game = number_of([c.codes for c in keys], len(table))
    ours = {role: theirs for role, theirs in names.items() if role not in ("agreement", "game_id")}
    laid = dict(table.columns)
    if "round" not in names:
        whose = " and ".join(c.name for c in keys)
        blocks = np.flatnonzero(np.diff(game, prepend=-1))
        lengths = np.diff(blocks, append=len(game))
        if len({*game[blocks].tolist()}) < len(blocks):
            faults.append(
                f"no column says the round, and the rows of a {whose} do not stand together: "
                "give --map round=NAME"
            )
        elif len({*lengths.tolist()}) > 1:
            faults.append(
                f"no column says the round, and a {whose} has {lengths.min()} to {lengths.max()} rows, "
                "expected one number, so that rows may be missing: give --map round=NAME"
            )
        numbers = np.arange(len(game)) - np.repeat(blocks, lengths) + 1
        laid["_round"] = pa.array(numbers).cast(pa.string())
        ours["round"] = "_round"
        notes.append(
            f"no column says the round: the {lengths.max()} rows of a {whose} in their order are its rounds"
        )
    laid["_other"] = of_codes(implied.other, implied.labels)
    heads = first_rows(game, int(game.max(initial=-1)) + 1).tolist()
    laid["_game"] = of_codes(game, ["-".join(c.values[c.codes[row]] for c in keys) for row in heads])
    ours |= {"other": "_other", "game_id": "_game"}
    if implied.kind is not None:
        notes.append(
            f"{names['payoff']} is a {implied.kind}: by the name of a game in which both want the same move"
        )
    laid.pop(names.get("agreement", ""), None)
    wrong = _impossible(implied, names)
    rows = np.delete(np.arange(len(game)), list(wrong))
    long = TidyTable(
        {name: picked(cells, rows) for name, cells in laid.items()},
        lambda row: table.line(int(rows[row])),
        lambda row: table.text(int(rows[row])),
    )
    return LongTable(long, ours, (), tuple(notes), tuple(wrong.items()), tuple(faults), implied.kind)


def _impossible(implied: _Implied, names: Mapping[str, str]) -> dict[int, str]:
    """Rows with a payoff that their moves cannot bring."""
    wrong: dict[int, str] = {}
    for name, rows in implied.names:
        played = rows & (implied.own >= 0) & np.isfinite(implied.payoff)
        if (name or "the game") in implied.by_payoff:
            for row in np.flatnonzero(played & (implied.other < 0)).tolist():
                move = implied.labels[implied.own[row]]
                wrong[row] = (
                    f"{names['payoff']} is {implied.payoff[row]:g}, expected what {move} brings in {name}"
                )
            continue
        for joint in range(4):
            same = np.flatnonzero(played & (implied.other >= 0) & (2 * implied.own + implied.other == joint))
            values, counts = np.unique(implied.payoff[same], return_counts=True)
            for row in (
                same[implied.payoff[same] != values[counts.argmax()]].tolist() if len(values) > 1 else ()
            ):
                usual, agrees = values[counts.argmax()], names["agreement"]
                wrong[row] = (
                    f"{names['payoff']} is {implied.payoff[row]:g}, expected {usual:g} for "
                    f"{names['action']} {implied.labels[implied.own[row]]} and this {agrees}"
                )
    return wrong


def _propose_payoffs(columns: Mapping[str, Column], settings: Settings) -> Iterator[Proposal]:
    """A table with a payoff a column for both moves and both players."""
    if cells := cells_of([*columns]):
        yield Proposal(LogMapping(shape="payoffs", columns={"payoff": " | ".join(cells.values())}))


def _lay_out_payoffs(table: TidyTable, mapping: LogMapping) -> LongTable:
    what = (
        f"a table of the payoffs of {len(table):,} games, and no log: it has no moves; "
        "name the log of such a game; lying beside it, this table tells payoffs that its rounds do not"
    )
    return LongTable(table, dict(mapping.columns), faults=(what,))


SHAPES = (
    Shape(
        "implied",
        "a row per player and round with the own move and what implies the other's",
        _propose_implied,
        _lay_out_implied,
    ),
    Shape("payoffs", "a table of payoffs of games, which is no log", _propose_payoffs, _lay_out_payoffs),
)
