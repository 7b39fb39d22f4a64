"""Who came where, how each strategy behaved, what groups of them earn from one another."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import ATTITUDES, Entrant
from intent.arena.tournament.matches import varies
from intent.arena.tournament.table import MIRROR, RoundRobin, Seasons, mean_cooperation, mean_payoffs
from intent.base.errors import UsageError
from intent.base.statistics import bootstrap_means

__all__ = [
    "Matrix",
    "groups_of",
    "head_to_head",
    "head_to_head_errors",
    "head_to_head_intervals",
    "pair_draws",
    "scores",
    "standings",
    "wins",
]


_RATES = ("cc", "cd", "dc", "dd")

Transitions = Literal["pooled", "axelrod"]


def standings(
    table: RoundRobin,
    rng: np.random.Generator | None = None,
    *,
    samples: int = 2000,
    level: float = 0.95,
    transitions: Transitions = "pooled",
) -> list[dict[str, Any]]:
    """Rows of the table `standings`, best first; strategies without matches are left out.

    Self-play counts nowhere here, as in the Axelrod library. Ties keep the order of the field.

    Parameters
    ----------
    rng : Generator, optional
        For the intervals of the mean score, which resample opponents; None leaves them null.
    level : float in (0, 1)
    transitions : {"pooled", "axelrod"}
        ``cc_to_c_rate`` and so on: share of all rounds after CC, null where there were none; or as the
        library has them, means of the shares against each opponent, without opponents where the share is 0,
        and 0 where none is left.

    Returns
    -------
    list of dict, as `codebook.STANDINGS`

    References
    ----------
    Knight et al. 2016, Journal of Open Research Software 4:e35.
    """
    per_turn = scores(table)
    won = wins(table)
    others = ~np.eye(len(table.field), dtype=bool)
    counts = table.outcomes * others[:, :, None, None]
    present = np.flatnonzero(counts.any(axis=(1, 2, 3)))
    medians = {int(i): float(np.nanmedian(per_turn[i])) for i in present}
    after = _transitions(table, others, transitions)
    rows: list[dict[str, Any]] = []
    for i in sorted(map(int, present), key=lambda i: -medians[i]):
        entrant = table.field[i]
        shares = counts[i].sum(axis=(0, 1)) / counts[i].sum()
        opened = np.maximum(table.opened[i][others[i]], 0).sum()
        low, high = _interval(table, i, rng, samples, level)
        rows.append(
            {
                "rank": len(rows) + 1,
                "name": entrant.name,
                "group": entrant.group,
                "file": entrant.file or None,
                "matches": int(table.matches[i][others[i]].sum()),
                "median_score": medians[i],
                "mean_score": float(np.nanmean(per_turn[i])),
                "score_low": low,
                "score_high": high,
                "wins": float(np.nanmedian(won[i])),
                "cooperation_rate": float(shares[0] + shares[1]),
                "initial_c_rate": float(opened / table.matches[i][others[i]].sum()),
                **{f"{name}_rate": float(x) for name, x in zip(_RATES, shares, strict=True)},
                **{f"{name}_to_c_rate": _known(x) for name, x in zip(_RATES, after[i], strict=True)},
            }
        )
    return rows


def scores(table: RoundRobin) -> NDArray[np.float64]:
    """(n, R) mean payoff per turn over opponents in each repetition; NaN without a match.

    All matches have one length, so that rounds are counted first: what ties is equal to the last digit.

    Raises
    ------
    UsageError
        Repetitions were added up, and what single ones made is not known.
    """
    if table.added is None:
        others = ~np.eye(len(table.field), dtype=bool)
        counts = (table.outcomes * others[:, :, None, None]).sum(axis=1)
    else:
        counts = _seasons(table).outcomes
    rounds = counts.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(counts @ np.asarray(table.rules.payoffs) / np.where(rounds > 0, rounds, np.nan))


def wins(table: RoundRobin) -> NDArray[np.float64]:
    """(n, R) opponents that got less in their match; NaN without a match.

    Raises
    ------
    UsageError
        As `scores`.
    """
    if table.added is not None:
        seasons = _seasons(table)
        return np.where(seasons.met > 0, seasons.won.astype(float), np.nan)
    payoffs = table.payoffs()
    n = len(payoffs)
    payoffs[np.arange(n), np.arange(n)] = np.nan
    beaten = (payoffs > payoffs.swapaxes(0, 1)).sum(axis=1).astype(float)
    beaten[np.isnan(payoffs).all(axis=1)] = np.nan
    return np.asarray(beaten)


def _seasons(table: RoundRobin) -> Seasons:
    if table.seasons is None:
        raise UsageError("repetitions were added up, expected a table of single matches")
    return table.seasons


def _transitions(table: RoundRobin, others: NDArray[np.bool_], how: Transitions) -> NDArray[np.float64]:
    """(n, 4) share of the rounds after CC, CD, DC, DD in which each strategy cooperated."""
    followed = (table.followed * others[:, :, None, None]).sum(axis=2)
    after = (table.cooperated_after * others[:, :, None, None]).sum(axis=2)
    with np.errstate(invalid="ignore"):
        if how == "pooled":
            return np.asarray(after.sum(axis=1) / followed.sum(axis=1))
        each = np.where(after > 0, after / followed, np.nan)
    return np.nan_to_num(_nanmean(each, axis=1))


def _interval(
    table: RoundRobin, i: int, rng: np.random.Generator | None, samples: int, level: float
) -> tuple[float | None, float | None]:
    """Ends of the interval of the mean score over opponents."""
    if rng is None:
        return None, None
    counts = np.delete(table.outcomes[i], i, axis=0).sum(axis=1)
    rounds = counts.sum(axis=-1)
    met = rounds > 0
    if met.sum() < 2:
        return None, None
    values = (counts[met] @ np.asarray(table.rules.payoffs)) / rounds[met]
    drawn = bootstrap_means(values[:, None], np.arange(len(values)), samples, rng)[:, 0]
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def _nanmean(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(np.nanmean(values, axis=axis))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def pair_draws(
    block: NDArray[np.float64], left: NDArray[np.float64], right: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Mean of a block of pairs in each bootstrap sample of its strategies.

    Within a group, a strategy that was drawn k times stands for k strategies: each of them meets itself
    once, and in k (k - 1) meetings another one, of which nothing is known but what it made of the others.
    So those count as the mean of its row and column without self-play. If they counted as self-play, that
    would weigh nearly twice as much in the samples as in the mean, and the intervals would lie beside it.

    Parameters
    ----------
    block : (a, b) float, what the row's strategies got against the column's; NaN where not played
    left : (B, a) float, how often each strategy of the row was drawn
    right : (B, b) float, optional
        Those of the column; None where row and column are one group, whose draws are the same.

    Returns
    -------
    (B,) float, NaN where no pair of a sample was played

    References
    ----------
    Snijders & Borgatti 1999, Connections 22:161 (the same strategy drawn twice); Owen 2007, Annals of
    Applied Statistics 1:386 (two factors that cross).
    """
    if right is not None:
        total, n = (((left @ part) * right).sum(axis=1) for part in _parts(block))
        return _ratio(total, n)
    apart = block.copy()
    np.fill_diagonal(apart, np.nan)
    between, met = _parts(apart)
    alone, met_itself = _parts(np.diag(block))
    others = met.sum(axis=0) + met.sum(axis=1)
    usual = _ratio(between.sum(axis=0) + between.sum(axis=1), others)
    again = left * (left - 1)
    total = ((left @ between) * left).sum(axis=1) + left @ alone + again @ np.nan_to_num(usual)
    n = ((left @ met) * left).sum(axis=1) + left @ met_itself + again @ (others > 0)
    return _ratio(total, n)


def _parts(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The values with 0 where there is none, and 1 where there is one."""
    known = ~np.isnan(values)
    return np.where(known, values, 0.0), known.astype(float)


def _ratio(total: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.where(n > 0, total / np.where(n > 0, n, 1.0), np.nan))


Matrix = dict[str, dict[str, Any]]
"""Row -> column -> value; the row is who plays, the column whom it meets."""

_OTHER = "other"


def groups_of(field: Sequence[Entrant]) -> tuple[str, ...] | None:
    """The group of each strategy; None where none of them has an attitude."""
    if not any(entrant.group in ATTITUDES for entrant in field):
        return None
    return tuple(entrant.group or _OTHER for entrant in field)


def head_to_head(table: RoundRobin, groups: Sequence[str] | None = None) -> dict[str, Matrix]:
    """Mean payoff per turn and share of cooperation, of rows against columns.

    A cell is the mean over its pairs (i of the row, j of the column), repetitions pooled: within a group
    i against j and j against i count one each, and self-play once with the mean of its two seats.

    Parameters
    ----------
    groups : sequence of n str, optional
        The group of each strategy; default: each by itself.

    Returns
    -------
    dict
        ``payoff`` and ``cooperation`` as row -> column -> float, None where no such pair was played.
        Attitudes come first, in their order. Strategies without matches take no part.

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, Tables 3 to 5.
    """
    places = _places(table, groups)
    return {
        name: {
            row: {column: _mean(values[np.ix_(i, j)]) for column, j in places.items()}
            for row, i in places.items()
        }
        for name, values in _values(table).items()
    }


def head_to_head_errors(table: RoundRobin, groups: Sequence[str] | None = None) -> dict[str, Matrix]:
    """Standard errors of the cells of `head_to_head`, the strategies taken as they are.

    A cell is m = 1/K sum of x_ij over its K pairs, x_ij the mean over the R_ij matches of a pair, so that
    SE(m)^2 = 1/K^2 sum of s_ij^2 / R_ij, with s_ij^2 the variance between matches. Within a group, i against
    j and j against i are two sides of one match, whose sum varies; in self-play it is the mean of both seats.
    What other strategies of these authors would have earned is another question (`head_to_head_intervals`).

    Returns
    -------
    dict
        As `head_to_head`; None where a pair of the cell that can differ between matches was played once.

    Raises
    ------
    UsageError
        As `RoundRobin.moments`.
    """
    met, sums, squares = table.moments()
    n = np.maximum(met, 1)[..., None, None]
    spread = (n * squares - sums[..., :, None] * sums[..., None, :]) / (n * np.maximum(n - 1, 1))
    turns = table.rules.turns
    unknown = _once(table, met)
    places = _places(table, groups)

    def error(worth: NDArray[np.float64], i: NDArray[np.intp], j: NDArray[np.intp]) -> float | None:
        own, other = (worth[order][:3] - worth[order][3] for order in ([0, 1, 2, 3], MIRROR))
        at = np.ix_(i, j)
        block, played = spread[at], met[at]
        if not played.any() or unknown[at].any():
            return None
        within = i[:, None] == j
        seats = np.array_equal(i, j)
        weights = np.where(within[..., None], (own + other) / 2, (own + other) if seats else own)
        variances = np.einsum("ija,ijab,ijb->ij", weights, block, weights) / np.maximum(played, 1)
        if seats:  # both sides of a match stand in the block: once
            variances = np.triu(variances)
        return float(np.sqrt(max(variances.sum(), 0.0)) / ((played > 0).sum() * turns))

    return {
        name: {row: {column: error(worth, i, j) for column, j in places.items()} for row, i in places.items()}
        for name, worth in (("payoff", np.asarray(table.rules.payoffs)), ("cooperation", _COOPERATES))
    }


_COOPERATES = np.array([1.0, 1.0, 0.0, 0.0])


def _once(table: RoundRobin, met: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(n, n): pairs played once of which another match might differ; agents and models have no code."""
    unclear = [e.automaton is None and "def " not in e.source for e in table.field]
    once = np.zeros(met.shape, dtype=bool)
    for i, j in np.argwhere(met == 1):
        differs = varies(table.field[i], table.field[j], table.rules)
        once[i, j] = differs or unclear[i] or unclear[j]
    return once


def head_to_head_intervals(
    table: RoundRobin,
    groups: Sequence[str],
    rng: np.random.Generator,
    *,
    samples: int = 2000,
    level: float = 0.95,
) -> dict[str, Matrix]:
    """Bootstrap intervals of the cells: strategies are resampled within each group.

    Where row and column are the same group, one sample serves as both (`pair_draws`). Groups of one strategy
    say nothing of their spread: None.

    Parameters
    ----------
    groups : sequence of n str
    level : float in (0, 1)

    Returns
    -------
    dict
        As `head_to_head`, each cell a dict of low and high.
    """
    places = _places(table, groups)
    weights = {
        name: rng.multinomial(len(at), np.full(len(at), 1 / len(at)), size=samples).astype(float)
        for name, at in places.items()
    }
    tail = (1 - level) / 2

    def ends(values: NDArray[np.float64], row: str, column: str) -> dict[str, float] | None:
        if min(len(places[row]), len(places[column])) < 2:
            return None
        block = values[np.ix_(places[row], places[column])]
        drawn = pair_draws(block, weights[row], None if row == column else weights[column])
        drawn = drawn[~np.isnan(drawn)]
        if not len(drawn):
            return None
        low, high = np.quantile(drawn, [tail, 1 - tail])
        return {"low": float(low), "high": float(high)}

    return {
        name: {row: {column: ends(values, row, column) for column in places} for row in places}
        for name, values in _values(table).items()
    }


def _values(table: RoundRobin) -> dict[str, NDArray[np.float64]]:
    return {"payoff": mean_payoffs(table), "cooperation": mean_cooperation(table)}


def _places(table: RoundRobin, groups: Sequence[str] | None) -> dict[str, NDArray[np.intp]]:
    """Group -> its strategies that took part."""
    names = [entrant.name for entrant in table.field] if groups is None else list(groups)
    took_part = np.asarray(table.played.any(axis=(1, 2)))
    present = [name for name, plays in zip(names, took_part, strict=True) if plays]
    known = [a for a in ATTITUDES if a in present]
    order = list(dict.fromkeys([*known, *present])) if groups is not None else present
    return {
        group: np.array([i for i, name in enumerate(names) if name == group and took_part[i]], dtype=np.intp)
        for group in order
    }


def _mean(block: NDArray[np.float64]) -> float | None:
    known = block[~np.isnan(block)]
    return float(known.mean()) if len(known) else None
