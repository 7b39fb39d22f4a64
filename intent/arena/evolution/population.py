"""What individuals of a population are: a name, the strategies behind it, and what these earn."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import ATTITUDES, Entrant
from intent.arena.match import Fault, MatchRules
from intent.arena.tournament.matches import Lot
from intent.arena.tournament.standings import pair_draws
from intent.arena.tournament.table import MIRROR, RoundRobin, count_moves
from intent.base.errors import LimitError, UnknownNameError, UsageError, shorten

__all__ = [
    "By",
    "MatchPayoffs",
    "PayoffTally",
    "Pool",
    "group_places",
    "mean_payoffs",
    "payoff_draws",
    "pool_of",
    "pool_of_matrix",
    "pool_of_means",
    "some_names",
    "strategy_payoffs",
]


_MOST_MATCHES = 1 << 26
"""Places of the table; bounds memory at 512 MiB, twice that where its order is changed."""


@dataclass(frozen=True, eq=False)
class MatchPayoffs:
    """Payoffs per turn of every pair of a field, by repetition.

    Parameters
    ----------
    field : tuple of n Entrants
    payoffs : (n, n, R) float
        What i earned against j; NaN where not played. ``[i, i]`` is the first seat of self-play.
    second : (n, R) float
        What the second seat of self-play earned.
    faults : tuple of Fault
        Those at fault; what is known of their matches need not be all.
    """

    field: tuple[Entrant, ...]
    payoffs: NDArray[np.float64]
    second: NDArray[np.float64]
    faults: tuple[Fault, ...] = ()


class PayoffTally:
    """Payoffs of n players and R repetitions, to be filled as matches end.

    Raises
    ------
    LimitError
        More than 67 million matches.
    """

    def __init__(self, n: int, repetitions: int, rules: MatchRules) -> None:
        if n * n * repetitions > _MOST_MATCHES:
            raise LimitError(
                f"{n} strategies and {repetitions} repetitions make a table of "
                f"{n * n * repetitions:,} matches, expected at most {_MOST_MATCHES:,}"
            )
        self._rules = rules
        self._payoffs = np.full((n, n, repetitions), np.nan)
        self._second = np.full((n, repetitions), np.nan)

    def add(self, lot: Lot, repetitions: tuple[int, ...], moves: NDArray[np.uint8]) -> None:
        """As `intent.arena.tournament.table.Tally.add`."""
        outcomes = count_moves(moves).outcomes
        own, other = (self._rules.total(outcomes[view]) / moves.shape[2] for view in (0, 1))
        at = np.asarray(repetitions) if lot.varies else slice(None)
        self._payoffs[lot.first, lot.second, at] = own
        if lot.first == lot.second:
            self._second[lot.first, at] = other
        else:
            self._payoffs[lot.second, lot.first, at] = other

    def table(self, field: tuple[Entrant, ...], faults: tuple[Fault, ...] = ()) -> MatchPayoffs:
        """What was earned."""
        return MatchPayoffs(field, self._payoffs, self._second, faults)


def match_payoffs(table: RoundRobin) -> MatchPayoffs:
    """The payoffs in a table of single matches."""
    if table.added is not None:
        raise UsageError("repetitions were added up, expected a table of single matches")
    every = np.arange(len(table.field))
    swapped = table.outcomes[every, every][..., MIRROR]
    rounds = swapped.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        second = (swapped @ np.asarray(table.rules.payoffs)) / np.where(rounds > 0, rounds, np.nan)
    return MatchPayoffs(table.field, table.payoffs(), second, table.faults)


By = Literal["group", "strategy"]


@dataclass(frozen=True, eq=False)
class Pool:
    """The names that compete, each with its strategies; s strategies in all, in the order of the names.

    An individual draws one of its name's strategies for every match, as the attitude agents of the paper do.

    Parameters
    ----------
    names : tuple of m str
    members : tuple of m tuples of str
        Strategies of each name.
    payoffs : (s, s, R) float, per turn
        What a strategy earns against another, by repetition. ``[a, b, r]`` and ``[b, a, r]`` are the two
        sides of one match.
    second : (s, R) float, per turn
        What the second seat earns when a strategy meets itself; the first seat's is ``payoffs[a, a]``.

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, 3.3.
    """

    names: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]
    payoffs: NDArray[np.float64]
    second: NDArray[np.float64]

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """(m,) strategies of each name."""
        return np.array([len(member) for member in self.members], dtype=np.intp)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """(m,) place of the first strategy of each name."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.intp)

    @property
    def digest(self) -> int:
        """An integer of 128 bits that belongs to these names, strategies and payoffs."""
        text = json.dumps([self.names, self.members, self.payoffs.shape]).encode("ascii")
        hashed = hashlib.sha256(text + np.ascontiguousarray(self.payoffs).tobytes() + self.second.tobytes())
        return int.from_bytes(hashed.digest()[:16], "big")

    @property
    def certain(self) -> bool:
        """Whether every meeting of two names ends alike: nothing is drawn before a match, nor in it."""
        return len(self.payoffs) == len(self.names) and self.payoffs.shape[2] == 1


def pool_of(table: RoundRobin | MatchPayoffs, by: By | None = None) -> tuple[Pool, dict[str, str]]:
    """The names of a round robin.

    Strategies at fault in any match take no part, whatever was done with them in the standings: a population
    in which some cannot meet has no fitness. Pairs that were played once, because nothing in them is random,
    count as the same in every repetition.

    Parameters
    ----------
    table : RoundRobin of single matches, or what they paid
    by : {"group", "strategy"}, optional
        Default: by group where every strategy has one, else by strategy.

    Returns
    -------
    Pool
        Attitudes first, in their order, then other groups as they come.
    dict of str -> str
        Strategies left out, with the reason.

    Raises
    ------
    UsageError
        Nothing is left, a strategy without a group, or pairs that were not played.
    """
    bad = {fault.player: f"{fault.kind}: {fault.reason}" for fault in reversed(table.faults)}
    sound = [i for i in range(len(table.field)) if i not in bad]
    left_out = {table.field[i].name: reason for i, reason in sorted(bad.items())}
    if not sound:
        raise UsageError("no strategy is left to evolve: all of them were at fault")
    own = [table.field[i].name for i in sound]
    order, places = group_places(own, [table.field[i].group for i in sound], by)
    flat = [sound[i] for place in places for i in place]
    single = match_payoffs(table) if isinstance(table, RoundRobin) else table
    payoffs, second = single.payoffs, single.second
    if flat != list(range(len(table.field))):
        payoffs, second = payoffs[np.ix_(flat, flat)], second[flat]
    payoffs, second = _filled(payoffs), _filled(second)
    names = [table.field[i].name for i in flat]
    _check_played(names, payoffs)
    return Pool(order, _members(names, places), payoffs, second), left_out


def pool_of_means(
    names: Sequence[str], groups: tuple[tuple[str, ...], list[list[int]]], payoffs: NDArray[np.float64]
) -> Pool:
    """The pool of strategies of which only mean payoffs are known.

    Parameters
    ----------
    names : sequence of s str, strategies
    groups : as `group_places` returns
    payoffs : (s, s) float, per turn; NaN where a pair was not played

    Raises
    ------
    UsageError
        Pairs that were not played.
    """
    order, places = groups
    flat = [i for place in places for i in place]
    ordered = [names[i] for i in flat]
    means = payoffs[np.ix_(flat, flat)]
    _check_played(ordered, means[..., None])
    return Pool(order, _members(ordered, places), means[..., None], np.diag(means)[:, None].copy())


def group_places(
    names: Sequence[str], groups: Sequence[str | None], by: By | None
) -> tuple[tuple[str, ...], list[list[int]]]:
    """The names of a population, and the places of the strategies of each.

    Attitudes come first, in their order, then other groups as they come.

    Parameters
    ----------
    names : sequence of s str, strategies
    groups : sequence of s str or None
    by : {"group", "strategy"}, optional
        Default: by group where every strategy has one, else by strategy.

    Raises
    ------
    UsageError
        By group, and a strategy without one.
    """
    if by is None:
        by = "strategy" if None in groups else "group"
    if by == "strategy":
        return tuple(names), [[i] for i in range(len(names))]
    if None in groups:
        lone = shorten(names[list(groups).index(None)])
        raise UsageError(f"strategy {lone} has no group, expected --by strategy")
    known = list(dict.fromkeys(str(group) for group in groups))
    order = [*(a for a in ATTITUDES if a in known), *(name for name in known if name not in ATTITUDES)]
    return tuple(order), [[i for i, group in enumerate(groups) if group == name] for name in order]


def _members(names: Sequence[str], places: Sequence[Sequence[int]]) -> tuple[tuple[str, ...], ...]:
    rest = iter(names)
    return tuple(tuple(next(rest) for _ in place) for place in places)


def _check_played(names: Sequence[str], payoffs: NDArray[np.float64]) -> None:
    missing = np.argwhere(np.isnan(payoffs).any(axis=2))
    if len(missing):
        a, b = (shorten(names[i]) for i in missing[0])
        raise UsageError(f"{a} against {b} was not played; evolution needs every pair, self-play too")


def pool_of_matrix(names: Sequence[str], payoffs: NDArray[np.float64]) -> Pool:
    """The names of a payoff matrix, row against column.

    Parameters
    ----------
    names : sequence of m str
    payoffs : (m, m) float

    Raises
    ------
    UsageError
        No square of finite numbers, or a name twice.
    """
    matrix = np.asarray(payoffs, dtype=float)
    if matrix.shape != (len(names), len(names)) or not len(names):
        raise UsageError(f"payoffs of shape {matrix.shape} for {len(names)} names, expected a square matrix")
    if not np.isfinite(matrix).all():
        raise UsageError("payoffs that are not finite numbers")
    if len(set(names)) < len(names):
        raise UsageError(f"names {shorten(', '.join(names))}, expected different ones")
    return Pool(tuple(names), tuple((n,) for n in names), matrix[..., None], np.diag(matrix)[:, None].copy())


def some_names(pool: Pool, names: Sequence[str]) -> Pool:
    """The pool of some of the names, in the order given.

    Raises
    ------
    UnknownNameError
    """
    for name in names:
        if name not in pool.names:
            raise UnknownNameError("name in the population", name, pool.names)
    if tuple(names) == pool.names:
        return pool
    places = [pool.names.index(name) for name in names]
    rows = np.concatenate([pool.starts[k] + np.arange(pool.sizes[k]) for k in places])
    members = tuple(pool.members[k] for k in places)
    return Pool(tuple(names), members, pool.payoffs[np.ix_(rows, rows)], pool.second[rows])


def mean_payoffs(pool: Pool) -> NDArray[np.float64]:
    """(m, m) expected payoff per turn of an individual of a name against one of another.

    Both draw a strategy uniformly; of the same name, both may draw the same one.
    """
    return block_means(pool, strategy_payoffs(pool), [np.full(n, 1 / n) for n in pool.sizes])


def strategy_payoffs(pool: Pool) -> NDArray[np.float64]:
    """(s, s) mean over repetitions; of self-play the mean over both seats."""
    means: NDArray[np.float64] = pool.payoffs.mean(axis=2)
    np.fill_diagonal(means, (np.diag(means) + pool.second.mean(axis=1)) / 2)
    return means


def block_means(
    pool: Pool, means: NDArray[np.float64], weights: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """(m, m): means of blocks of a (s, s) matrix, strategies of each name weighted; weights sum to one."""
    m = len(pool.names)
    spread = np.zeros((m, len(means)))
    for k, (start, own) in enumerate(zip(pool.starts, weights, strict=True)):
        spread[k, start : start + len(own)] = own
    return np.asarray(spread @ means @ spread.T)


def _filled(payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Repetitions that were not played take the value of the first one."""
    missing = np.isnan(payoffs)
    return np.where(missing, payoffs[..., :1], payoffs) if missing.any() else payoffs


def payoff_draws(pool: Pool, samples: int, rng: np.random.Generator) -> NDArray[np.float64] | None:
    """Payoff matrices over strategies drawn anew, with replacement, within each name.

    One draw of strategies stands for a whole matrix, so that differences of its cells have the right
    spread. A strategy drawn twice stands for two strategies (`pair_draws`).

    Returns
    -------
    (samples, m, m) float, or None where no name has more than one strategy

    Raises
    ------
    UsageError

    References
    ----------
    Davison & Hinkley 1997, Bootstrap Methods and their Application, 3.8; Owen 2007, Annals of Applied
    Statistics 1:386 (two factors that cross).
    """
    if samples < 1:
        raise UsageError(f"{samples} samples, expected at least 1")
    if pool.sizes.max() < 2:
        return None
    means = strategy_payoffs(pool)
    drawn = [rng.multinomial(n, np.full(n, 1 / n), size=samples).astype(float) for n in pool.sizes]
    spans = [slice(start, start + n) for start, n in zip(pool.starts, pool.sizes, strict=True)]
    return np.stack(
        [
            [
                pair_draws(means[row, column], drawn[i], None if i == j else drawn[j])
                for j, column in enumerate(spans)
            ]
            for i, row in enumerate(spans)
        ]
    ).transpose(2, 0, 1)
