"""Who came where, and how each strategy behaved."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from intent.analysis.bootstrap import bootstrap_means
from intent.arena.round_robin import RoundRobin, Seasons
from intent.errors import UsageError

__all__ = ["scores", "standings", "wins"]

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
    table : RoundRobin
    rng : Generator, optional
        For the intervals of the mean score, which resample opponents; None leaves them null.
    samples : int
    level : float in (0, 1)
    transitions : {"pooled", "axelrod"}
        ``cc_to_c_rate`` and so on: share of all rounds after CC, null where there were none; or as the
        library has them, means of the shares against each opponent, without opponents where the share is 0,
        and 0 where none is left.

    Returns
    -------
    list of dict, as `schema.STANDINGS`

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
        found = _seasons(table)
        return np.where(found.met > 0, found.won.astype(float), np.nan)
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
