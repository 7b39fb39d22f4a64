"""Does it do what was asked: cooperation by pairing of attitudes, and a verdict on each attitude."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import ATTITUDES
from intent.arena.tournament.standings import groups_of, head_to_head, head_to_head_intervals
from intent.arena.tournament.table import RoundRobin, mean_cooperation
from intent.base.errors import UsageError
from intent.base.statistics import Interval, exact_share
from intent.comparison.differences import Part, Trial, Verdict, contrast, verdict_of

__all__ = [
    "AttitudeVerdict",
    "Validation",
    "cooperation_by_pairing",
    "overall_cooperation",
    "validate_attitudes",
]

_CLAIMS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "Aggressive": (("Cooperative", -1), ("Neutral", -1)),
    "Cooperative": (("Aggressive", 1), ("Neutral", 1)),
    "Neutral": (("Aggressive", 1), ("Cooperative", -1)),
}
"""Attitude -> the others, and whether it should cooperate more (1) or less (-1) than they."""


@dataclass(frozen=True)
class AttitudeVerdict:
    """What the play says of one attitude.

    Attributes
    ----------
    n : int, strategies that count
    cooperation : float, mean share of rounds in which they cooperated, over all opponents
    verdict : {"supported", "not supported", "undecided"}
        Whether they cooperate as the attitude asks, next to each other one.
    parts : tuple of Part
        The comparison with each other attitude; its unit is the strategy.
    contradicting : tuple of str
        Strategies that by themselves do the opposite of what was asked.
    share : Interval
        Of the contradicting ones, with the exact binomial interval.
    """

    attitude: str
    n: int
    cooperation: float
    verdict: Verdict
    parts: tuple[Part, ...]
    contradicting: tuple[str, ...]
    share: Interval


@dataclass(frozen=True)
class Validation:
    """Cooperation by pairing, and the verdicts; ``pairings[row][column]`` are intervals over strategies."""

    pairings: Mapping[str, Mapping[str, Interval]]
    verdicts: tuple[AttitudeVerdict, ...]


def cooperation_by_pairing(
    table: RoundRobin, rng: np.random.Generator, *, samples: int = 2000, level: float = 0.95
) -> dict[str, dict[str, Interval]]:
    """Share of rounds in which the row's strategies cooperated against the column's, with intervals.

    The unit that was drawn from a model is the strategy, not the match: the intervals resample the
    strategies of both sides, all matches of a strategy going with it (`head_to_head_intervals`).

    Parameters
    ----------
    level : float in (0, 1)

    Raises
    ------
    UsageError
        No strategy has an attitude.

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, table 3.
    """
    groups = groups_of(table.field)
    if groups is None:
        raise UsageError(f"no strategy of the tournament has an attitude ({', '.join(ATTITUDES)})")
    means = head_to_head(table, groups)["cooperation"]
    ends = head_to_head_intervals(table, groups, rng, samples=samples, level=level)["cooperation"]
    return {
        row: {column: _with_ends(mean, ends[row][column]) for column, mean in cells.items()}
        for row, cells in means.items()
    }


def overall_cooperation(table: RoundRobin) -> NDArray[np.float64]:
    """(n,) mean share of rounds in which each strategy cooperated, opponents weighing alike; NaN unplayed."""
    values = mean_cooperation(table)
    known = np.isfinite(values)
    n = known.sum(axis=1)
    sums = np.where(known, values, 0.0).sum(axis=1)
    return np.asarray(np.where(n > 0, sums / np.maximum(n, 1), np.nan))


def validate_attitudes(
    table: RoundRobin, rng: np.random.Generator, *, samples: int = 2000, level: float = 0.95
) -> Validation:
    """Cooperation by pairing, and whether each attitude shows in the play.

    1. The unit is the strategy, its value the share of rounds in which it cooperated against the field.
    2. An aggressive set should cooperate less than the cooperative and the neutral one, a cooperative set
       more than both others, a neutral one more than the aggressive and less than the cooperative. Each
       difference is decided by `contrast`: bootstrap over strategies, and exchange of the attitudes between
       them.
    3. A single aggressive strategy contradicts its attitude where it cooperates more than the median
       strategy of the other attitudes; a cooperative or neutral one where it cooperates less than the median
       aggressive one.

    Parameters
    ----------
    samples : int, of the bootstrap and of the exchanges
    level : float in (0, 1)

    Raises
    ------
    UsageError
        As `cooperation_by_pairing`.
    """
    pairings = cooperation_by_pairing(table, rng, samples=samples, level=level)
    overall = overall_cooperation(table)
    groups = {
        name: [i for i, e in enumerate(table.field) if e.group == name and np.isfinite(overall[i])]
        for name in ATTITUDES
    }
    groups = {name: at for name, at in groups.items() if at}
    rates = {name: overall[at] for name, at in groups.items()}
    verdicts = []
    for name, at in groups.items():
        claims = [(other, sign) for other, sign in _CLAIMS[name] if other in groups]
        trial = Trial(rng, samples=samples, level=level, parts=max(1, len(claims)))
        parts = tuple(_compare(name, other, rates, sign, trial) for other, sign in claims)
        against = _contradicting(name, rates)
        names = tuple(table.field[i].name for i, does in zip(at, against, strict=True) if does)
        share = exact_share(len(names), len(at), level=level)
        mean = float(rates[name].mean())
        verdicts.append(AttitudeVerdict(name, len(at), mean, verdict_of(parts), parts, names, share))
    return Validation(pairings, tuple(verdicts))


def _compare(
    name: str, other: str, rates: Mapping[str, NDArray[np.float64]], sign: int, trial: Trial
) -> Part:
    first, second = rates[name], rates[other]
    same = (np.zeros(len(first), dtype=np.intp), np.zeros(len(second), dtype=np.intp))
    more = "more" if sign > 0 else "less"
    return contrast(
        f"{name.lower()} cooperate {more} than {other.lower()}",
        first,
        second,
        same,
        1 if sign > 0 else -1,
        trial,
    )


def _contradicting(name: str, rates: Mapping[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    mine = rates[name]
    if name == "Aggressive":
        others: Sequence[NDArray[np.float64]] = [v for other, v in rates.items() if other != name]
        return mine > np.median(np.concatenate(others)) if others else np.zeros(len(mine), dtype=bool)
    if "Aggressive" not in rates:
        return np.zeros(len(mine), dtype=bool)
    return np.asarray(mine < np.median(rates["Aggressive"]))


def _with_ends(mean: float | None, ends: Mapping[str, float] | None) -> Interval:
    estimate = float("nan") if mean is None else mean
    if ends is None or mean is None:
        return Interval(estimate, float("nan"), float("nan"))
    return Interval(estimate, min(ends["low"], estimate), max(ends["high"], estimate))
