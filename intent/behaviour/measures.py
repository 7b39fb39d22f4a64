"""Behaviour metrics of repeated games: niceness, retaliation, forgiveness, and the like.

Moves are m (own) and o (the other's), 1 = cooperation, 0 = defection, -1 = unknown, in rounds i = 1..n. Every
metric is a ratio and comes with numerator and denominator, since 0 stands for "never" as well as for "no
occasion", as in the literature. An unknown move gives no occasion: whatever a definition asks of a move holds
only of a known one. Rounds behind the end of a shorter game are unknown on both sides, so they give none.

What players did with advice, tools and the theory of the one-shot game, per seat of a log.

What an architecture recorded of a decision: the column ``details`` of the moves.

References
----------
Fontana et al. 2024, Nicer Than Humans, arXiv:2406.13605; Cremonini 2025, The Agent's Dilemma, §2.4.2.

Memory-one vectors: how often a player cooperates after each joint outcome, with exact intervals.

Memory-one portraits of groups: how often they cooperate first, and after each joint outcome.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import DataError, GameError, UsageError
from intent.base.registry import load, points
from intent.base.statistics import bootstrap_means, clopper_pearson, distinct_rows, grouping
from intent.behaviour.means import STANDARD, Intervals
from intent.estimate.design_units import design_units
from intent.games.equilibria import pure_equilibria
from intent.games.game import Game, stage
from intent.logs.gamelog import GameLog

__all__ = [
    "ENTRY_POINTS",
    "METRICS",
    "OUTCOMES",
    "SITUATIONS",
    "Conditional",
    "Metric",
    "adherence",
    "cooperation_rate",
    "emulation",
    "end_effect",
    "equilibrium_action",
    "first_move",
    "forgiveness",
    "mean_payoff",
    "memory_one",
    "mutual_cooperation",
    "nash_consistency",
    "niceness",
    "outside_metrics",
    "portraits",
    "read_details",
    "retaliation",
    "situation_counts",
    "tool_use",
    "troublemaking",
]


Moves = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Metric:
    """A ratio per trajectory.

    Parameters
    ----------
    value : (n,) float, hits / occasions; 0 without occasions, NaN where no own move is known
    hits, occasions : (n,) int64
    """

    value: NDArray[np.float64]
    hits: NDArray[np.int64]
    occasions: NDArray[np.int64]


def cooperation_rate(own: Moves, other: Moves) -> Metric:
    """Share of own moves that cooperate, #C / n.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, _ = _by_round(own, other)
    return _share(own, _count(m == 1), _count(m >= 0))


def niceness(own: Moves, other: Moves) -> Metric:
    """1 where the player did not defect before the other had, nor in the same round; else 0.

    Of the known moves, in rounds 1..n: m_i = D comes first -> 0; o_i = D comes first -> 1; neither -> 1.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, o = _by_round(own, other)
    played = _count(m >= 0) > 0
    nice, open_ = played.copy(), played.copy()
    for mine, theirs in zip(m, o, strict=True):
        nice &= ~(open_ & (mine == 0))
        open_ &= (mine != 0) & (theirs != 0)
    return _share(own, nice.astype(np.int64), played.astype(np.int64))


def troublemaking(own: Moves, other: Moves) -> Metric:
    """Uncalled-for defections over occasions to make trouble: round 1, and the round after each o_i = C.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, o = _by_round(own, other)
    first, then, offered = m[:1], m[1:], o[:-1] == 1
    hits = _count(first == 0) + _count(offered & (then == 0))
    return _share(own, hits, _count(first >= 0) + _count(offered & (then >= 0)))


def retaliation(own: Moves, other: Moves) -> Metric:
    """Provocations that the player answers with D over all: o_i = D, i < n, where i = 1 or m_{i-1} = C.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, o = _by_round(own, other)
    answer, provoked = m[1:], o[:-1] == 0
    provoked[1:] &= m[:-2] == 1
    return _share(own, _count(provoked & (answer == 0)), _count(provoked & (answer >= 0)))


def forgiveness(own: Moves, other: Moves) -> Metric:
    """Grudges given up over grudges and offers refused.

    A grudge begins with a defection of the other. In every round, in this order: (a) m_i = C ends a grudge:
    forgiven; (b) where a grudge lasts and i < n, o_i = C that is answered by m_{i+1} = D is a penalty; (c)
    where there is no grudge, o_i = D begins one. Forgiven / (grudges + penalties). Defections during a grudge
    begin no other one; a grudge that begins in the last round counts.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    forgiven, occasions = _zeros(own), _zeros(own)
    grudge = np.zeros(len(own), dtype=bool)
    m, o = _by_round(own, other)
    for i in range(len(m)):
        ends = grudge & (m[i] == 1)
        forgiven += ends
        grudge &= ~ends
        if i + 1 < len(m):
            occasions += grudge & (o[i] == 1) & (m[i + 1] == 0)
        begins = (o[i] == 0) & ~grudge
        occasions += begins
        grudge |= begins
    return _share(own, forgiven, occasions)


def emulation(own: Moves, other: Moves) -> Metric:
    """Share of own moves from round 2 that repeat the other's last, #{i >= 2: m_i = o_{i-1}} / (n - 1).

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, o = _by_round(own, other)
    both = (m[1:] >= 0) & (o[:-1] >= 0)
    return _share(own, _count(both & (m[1:] == o[:-1])), _count(both))


def mutual_cooperation(own: Moves, other: Moves) -> Metric:
    """Share of rounds in which both cooperate, of those in which both moves are known; NaN without any.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    m, o = _by_round(own, other)
    metric = _share(own, _count((m == 1) & (o == 1)), _count((m >= 0) & (o >= 0)))
    return Metric(np.where(metric.occasions > 0, metric.value, np.nan), metric.hits, metric.occasions)


def first_move(own: Moves, other: Moves) -> Metric:
    """1 where the move of round 1 cooperates, 0 where it defects, NaN where it is unknown.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    first = _by_round(own, other)[0][:1]
    metric = _share(own, _count(first == 1), _count(first >= 0))
    return Metric(np.where(metric.occasions > 0, metric.value, np.nan), metric.hits, metric.occasions)


def end_effect(own: Moves, other: Moves, lengths: NDArray[np.integer] | None = None) -> Metric:
    """Share of cooperation in the last two rounds minus that in all before.

    NaN for games of fewer than four rounds, and where no own move is known in one of the two parts.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    lengths : (n,) int, optional
        Rounds of each game; default: up to the last one of which anything is known.

    Returns
    -------
    Metric
        Occasions are the own moves in the last two rounds, hits those of them that cooperate.
    """
    m, o = _by_round(own, other)
    rounds = np.arange(1, len(m) + 1)[:, None]
    if lengths is None:
        lengths = np.max(np.where((m >= 0) | (o >= 0), rounds, 0), axis=0, initial=0)
    last = np.asarray(lengths)
    late, early = (rounds > last - 2) & (rounds <= last), rounds <= last - 2
    hits, occasions = _count(late & (m == 1)), _count(late & (m >= 0))
    before, n_before = _count(early & (m == 1)), _count(early & (m >= 0))
    known = (last >= 4) & (occasions > 0) & (n_before > 0)
    value = hits / np.maximum(occasions, 1) - before / np.maximum(n_before, 1)
    return Metric(np.where(known, value, np.nan), hits, occasions)


METRICS = {
    f.__name__: f for f in (cooperation_rate, niceness, forgiveness, retaliation, troublemaking, emulation)
}
"""The six metrics of the literature, in the order of the codebook."""

ENTRY_POINTS = "intent.metrics"
"""Group of entry points of metrics of other packages: functions of (own, other) as in `METRICS`."""


def outside_metrics() -> dict[str, Callable[[Moves, Moves], Metric]]:
    """Metrics of other packages by name.

    Raises
    ------
    UsageError
        The name of one, or of its occasions, is a column of ours.
    """
    ours = {column.name for column in (*codebook.METRICS, *codebook.GAMES, *codebook.SEATS)}
    metrics: dict[str, Callable[[Moves, Moves], Metric]] = {}
    for name, there in points(ENTRY_POINTS).items():
        if ours & {name, f"{name}_n"}:
            raise UsageError(
                f"metric {name!r} of another package ({there.value}) has the name of a column of ours"
            )
        metrics[name] = load(there)
    return metrics


def _by_round(own: Moves, other: Moves) -> tuple[Moves, Moves]:
    """Both as (T, n), which is faster to count over rounds."""
    if own.ndim != 2 or own.shape != other.shape:
        raise DataError(f"own has shape {own.shape} and other {other.shape}, expected (n, T) of both")
    return np.ascontiguousarray(own.T), np.ascontiguousarray(other.T)


def _zeros(own: Moves) -> NDArray[np.int64]:
    return np.zeros(len(own), dtype=np.int64)


def _count(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(n,) from (T, n)."""
    counts: NDArray[np.int64] = cells.sum(axis=0, dtype=np.int64)
    return counts


def _share(own: Moves, hits: NDArray[np.int64], occasions: NDArray[np.int64]) -> Metric:
    """hits / occasions; 0 without occasions, NaN without any known own move."""
    value = np.where(occasions > 0, hits / np.maximum(occasions, 1), 0.0)
    return Metric(np.where((own >= 0).any(axis=1), value, np.nan), hits, occasions)


_LONGEST = 100_000
"""Characters of a cell that are read; an architecture writes a few hundred."""


def read_details(cell: object) -> dict[str, Any]:
    """The facts in a cell of details, untrusted text; none where it is no JSON object.

    Examples
    --------
    >>> read_details('{"status": "called"}'), read_details("called")
    ({'status': 'called'}, {})
    """
    try:
        details = json.loads(cell[:_LONGEST]) if isinstance(cell, str) else None
    except (ValueError, RecursionError):
        return {}
    return details if isinstance(details, dict) else {}


def adherence(log: GameLog, rows: NDArray[np.intp], *, keep_defaulted: bool = False) -> Metric:
    """Decisions that follow the advice of a tool or an assistant, over decisions with advice.

    A decision counts where there is an advised action and the player's own one (defaults aside, unless
    kept).

    Parameters
    ----------
    rows : (n_moves,), as `seat_rows` gives for the moves

    Returns
    -------
    Metric, by row of the table of seats; NaN without occasions

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, HT1 and HD3 (play against the attitude advised).
    """
    moves = log.moves
    if "advice" not in moves:
        return _metric(log, rows[:0], np.zeros(0, dtype=bool))
    counts = (moves["advice"].notna() & moves["action"].notna()).to_numpy() & _own(moves, keep_defaulted)
    advised = moves["advice"][counts].astype(object).to_numpy()
    return _metric(log, rows[counts], advised == moves["action"][counts].astype(object).to_numpy())


def nash_consistency(log: GameLog, rows: NDArray[np.intp], *, keep_defaulted: bool = False) -> Metric:
    """Moves that are the one-shot equilibrium action, in games where one such action stands alone.

    Parameters
    ----------
    rows : (n_moves,), as `seat_rows` gives for the moves

    Returns
    -------
    Metric, by row of the table of seats; NaN without occasions
    """
    moves, seats = log.moves, log.seats["seat"].to_numpy(dtype=np.intp)
    labels = {label: code for code, label in enumerate(moves["action"].cat.categories)}
    stages, distinct = distinct_rows(log.games[["payoffs", "payoff_kind"]])
    games = [stage(payoffs, kind) for payoffs, kind in distinct]
    table = np.full((len(games), int(seats.max(initial=0)) + 1), -1, dtype=np.intp)
    for row, game in enumerate(games):
        for seat in range(1, min(game.n_players + 1, table.shape[1]) if game else 1):
            best = equilibrium_action(game, seat) if game else None
            table[row, seat] = -1 if best is None else labels.get(best, len(labels))
    best_of_seat = table[stages[pd.Index(log.games["game_id"]).get_indexer(log.seats["game_id"])], seats]
    expected = best_of_seat[rows] if len(rows) else np.zeros(0, dtype=np.intp)
    actions = moves["action"].cat.codes.to_numpy(dtype=np.intp)
    counts = (expected >= 0) & (actions >= 0) & _own(moves, keep_defaulted)
    return _metric(log, rows[counts], actions[counts] == expected[counts])


def equilibrium_action(game: Game, seat: int) -> str | None:
    """The action of a seat in every pure equilibrium of the one-shot game, where that is one action.

    None where equilibria ask for different ones (stag hunt, chicken), where there is none in pure strategies
    (matching pennies), or where there are too many joint actions to tell.

    Examples
    --------
    >>> from intent.games.game import MatrixGame
    >>> equilibrium_action(MatrixGame.from_trps("dilemma", 15, 10, 5, 0), 1)
    'D'
    """
    try:
        actions = {profile[seat - 1] for profile in pure_equilibria(game)}
    except GameError:
        return None
    return actions.pop() if len(actions) == 1 else None


def tool_use(log: GameLog, rows: NDArray[np.intp]) -> Metric:
    """Decisions in which the tool was called and answered, over decisions of a player with a tool.

    Read off the details that the architecture ``tool`` records; a decision without readable details counts
    neither way.

    Parameters
    ----------
    rows : (n_moves,), as `seat_rows` gives for the moves

    Returns
    -------
    Metric, by row of the table of seats; NaN without occasions
    """
    with_tool = log.seats["architecture"].eq("tool").fillna(False).to_numpy(dtype=bool)
    if "details" not in log.moves or not with_tool.any():
        return _metric(log, rows[:0], np.zeros(0, dtype=bool))
    places = np.flatnonzero(with_tool[rows] & log.moves["details"].notna().to_numpy())
    status = [read_details(text).get("status") for text in log.moves["details"].iloc[places]]
    known = np.array([isinstance(s, str) for s in status], dtype=bool)
    called = np.array([s == "called" for s in status], dtype=bool)
    return _metric(log, rows[places[known]], called[known])


def mean_payoff(log: GameLog, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Mean payoff per round that has one, in the units of the game; payoffs of a round's steps are added up.

    Parameters
    ----------
    rows : (n_moves,), as `seat_rows` gives for the moves

    Returns
    -------
    (n_seats,) float, NaN without any
    """
    payoff = log.moves["payoff"].to_numpy(dtype=float, na_value=np.nan)
    paid = np.flatnonzero(~np.isnan(payoff))
    n = len(log.seats)
    sums = np.bincount(rows[paid], weights=payoff[paid], minlength=n)
    at = log.moves["round"].to_numpy(dtype=np.intp)[paid]
    first = np.unique(rows[paid] * (int(at.max(initial=0)) + 1) + at, return_index=True)[1]
    rounds = np.bincount(rows[paid][first], minlength=n)
    return np.where(rounds > 0, sums / np.maximum(rounds, 1), np.nan)


def _own(moves: pd.DataFrame, keep_defaulted: bool) -> NDArray[np.bool_]:
    """Rows whose action is the player's own."""
    without = ["missing"] if keep_defaulted else ["missing", "defaulted"]
    return ~moves["status"].isin(without).to_numpy(dtype=bool)


def _metric(log: GameLog, rows: NDArray[np.intp], hit: NDArray[np.bool_]) -> Metric:
    """Hits and occasions by seat."""
    n = len(log.seats)
    occasions = np.bincount(rows, minlength=n).astype(np.int64)
    hits = np.bincount(rows[hit], minlength=n).astype(np.int64)
    return Metric(np.where(occasions > 0, hits / np.maximum(occasions, 1), np.nan), hits, occasions)


OUTCOMES = {"cc": (1, 1), "cd": (1, 0), "dc": (0, 1), "dd": (0, 0)}
"""Joint outcome of the last round, own move first."""


@dataclass(frozen=True, eq=False)
class Conditional:
    """Cooperation after one outcome, per trajectory.

    Parameters
    ----------
    value, low, high : (n,) float, share of cooperation and the ends of its interval; NaN without moves
    hits, n : (n,) int64, moves after the outcome that cooperate, and all
    """

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    hits: NDArray[np.int64]
    n: NDArray[np.int64]


def memory_one(
    own: NDArray[np.int8], other: NDArray[np.int8], *, level: float = 0.95
) -> dict[str, Conditional]:
    """Share of cooperation after CC, CD, DC and DD, in that order, of each trajectory.

    A move counts where it and both moves of the round before are known. The interval is that of a
    binomial, moves taken as independent given the outcome before.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    level : float in (0, 1)

    References
    ----------
    Nowak & Sigmund 1993, Nature 364:56.
    """
    conditionals = {}
    m, o = np.ascontiguousarray(own.T), np.ascontiguousarray(other.T)
    for name, (mine, theirs) in OUTCOMES.items():
        after = (m[:-1] == mine) & (o[:-1] == theirs)
        hits = (after & (m[1:] == 1)).sum(axis=0, dtype=np.int64)
        n = (after & (m[1:] >= 0)).sum(axis=0, dtype=np.int64)
        low, high = clopper_pearson(hits, n, level=level)
        value = np.where(n > 0, hits / np.maximum(n, 1), np.nan)
        conditionals[name] = Conditional(value, low, high, hits, n)
    return conditionals


SITUATIONS = ("first", "CC", "CD", "DC", "DD")
"""Where a player of memory one can stand: in round 1, and after each outcome, own move first."""

_AFTER = SITUATIONS[1:]


def portraits(
    metrics: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """P(C) in each situation, of the moves of each group taken together.

    With h_g and n_g the cooperative and all moves of game g in a situation, p = sum h_g / sum n_g; percentile
    intervals resample whole games. Where p is 0 or 1, which no resample changes, the end is that of the exact
    binomial interval with one observation per game.

    Parameters
    ----------
    metrics : DataFrame
        A row per trajectory: first_move, p_cc, p_cc_n, … as in the table of metrics; game_id where known.

    Returns
    -------
    DataFrame
        `by`, situation, n (moves), n_games, estimate, low, high. A situation that never came has n 0 and NaN.

    References
    ----------
    Nowak & Sigmund 1993, Nature 364:56.
    """
    groups = grouping(metrics, by)
    clusters = design_units(metrics, conditions=False).unit.codes
    hits, n = _counts(metrics)
    rows = []
    for code, values in enumerate(groups.values):
        inside = groups.codes == code
        for k, cells in enumerate(_cells(hits[inside], n[inside], clusters[inside], rng, intervals)):
            rows.append((*values, SITUATIONS[k], *cells))
    return pd.DataFrame(rows, columns=[*by, "situation", "n", "n_games", "estimate", "low", "high"])


def situation_counts(table: pd.DataFrame) -> pd.DataFrame:
    """A row per trajectory of two-player games, with what `portraits` needs.

    A move counts where it and both moves of the round before are known.

    Parameters
    ----------
    table : DataFrame
        As `intent.behaviour.play_table.played` returns.

    Returns
    -------
    DataFrame
        One row per focal seat: the columns that are constant within it, first_move, p_cc, p_cc_n, ….
    """
    two = table[(table["n_players"] == 2).to_numpy()].reset_index(drop=True)
    keys = ["game_id", "round", "seat"]
    before = two[[*keys, "cooperated"]].assign(round=two["round"] + 1)
    own = before.rename(columns={"cooperated": "_own"})
    other = before.assign(seat=3 - before["seat"]).rename(columns={"cooperated": "_other"})
    moves = two[two["focal"]].merge(own, on=keys, how="left").merge(other, on=keys, how="left")
    moves["_after"] = 3 - 2 * moves["_own"] - moves["_other"]
    seats = moves.groupby(["game_id", "seat"], observed=True)
    rows = seats.first().drop(columns=["round", "_own", "_other", "_after"])
    opening = moves[moves["round"] == 1].set_index(["game_id", "seat"])["cooperated"]
    rows["first_move"] = opening.reindex(rows.index)
    known = moves[moves["cooperated"].notna()]
    for code, outcome in enumerate(_AFTER):
        part = known[known["_after"] == code].groupby(["game_id", "seat"], observed=True)["cooperated"]
        rows[f"p_{outcome.lower()}"] = part.mean().reindex(rows.index)
        rows[f"p_{outcome.lower()}_n"] = part.size().reindex(rows.index).fillna(0).astype(int)
    return rows.reset_index()


def _counts(metrics: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(m, 5) cooperative moves and moves of each trajectory in each situation."""
    first = metrics["first_move"].to_numpy(dtype=float, na_value=np.nan)
    hits, n = [np.nan_to_num(first)], [(~np.isnan(first)).astype(float)]
    for outcome in _AFTER:
        moves = metrics[f"p_{outcome.lower()}_n"].to_numpy(dtype=float, na_value=0.0)
        share = metrics[f"p_{outcome.lower()}"].to_numpy(dtype=float, na_value=np.nan)
        hits.append(np.nan_to_num(share) * moves)
        n.append(moves)
    return np.stack(hits, axis=1), np.stack(n, axis=1)


def _cells(
    hits: NDArray[np.float64],
    n: NDArray[np.float64],
    clusters: NDArray[np.intp],
    rng: np.random.Generator,
    intervals: Intervals,
) -> list[tuple[int, int, float, float, float]]:
    """(n, n_games, estimate, low, high) of each situation in one group."""
    k = hits.shape[1]
    drawn = bootstrap_means(np.hstack([hits, n]), clusters, intervals.samples, rng)
    tail = (1 - intervals.level) / 2
    cells = []
    for j in range(k):
        moves, games = float(n[:, j].sum()), len(np.unique(clusters[n[:, j] > 0]))
        if not moves:
            cells.append((0, 0, np.nan, np.nan, np.nan))
            continue
        p = float(hits[:, j].sum()) / moves
        cells.append((round(moves), games, p, *_ends(p, drawn[:, j], drawn[:, k + j], games, tail)))
    return cells


def _ends(
    p: float, hits: NDArray[np.float64], n: NDArray[np.float64], games: int, tail: float
) -> tuple[float, float]:
    reach = 1 - tail ** (1 / games)
    if p < 1e-12:
        return 0.0, reach
    if p > 1 - 1e-12:
        return 1 - reach, 1.0
    if games == 1:
        return 0.0, 1.0
    low, high = np.quantile(hits[n > 0] / n[n > 0], [tail, 1 - tail])
    return float(min(low, p)), float(max(high, p))
