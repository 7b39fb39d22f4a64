"""Whether one set bears a claim of the paper out: a verdict, and the evidence in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from intent.analysis.bootstrap import Interval
from intent.analysis.verdicts import LEAST, Verdict
from intent.workflows.chain.outcome import Outcome

__all__ = ["Judge", "Judged", "aggression", "dominated", "line_up", "mutual", "outdoes", "stable"]

Judged = tuple[Verdict, str]
Judge = Callable[[Outcome], Judged | None]
"""Set -> verdict and evidence; None where the set cannot tell."""

_OTHERS = ("Cooperative", "Neutral")
_REPETITIONS = 20
"""Repetitions of a line-up that its spread is known from."""


def mutual(one: Outcome) -> Judged | None:
    """All four pairings of cooperative and neutral cooperate in more than nine rounds of ten."""
    cells = {
        f"{row} v {column}": one.validation.pairings[row][column]
        for row in _OTHERS
        for column in _OTHERS
        if row in one.validation.pairings and column in one.validation.pairings
    }
    if len(cells) < len(_OTHERS) ** 2:
        return None
    evidence = "; ".join(f"{k} {_cell(c)}" for k, c in cells.items())
    if min(verdict.n for verdict in one.validation.verdicts) < LEAST:
        return "undecided", evidence
    return _all_above([(c.low - 0.9, c.high - 0.9) for c in cells.values()]), evidence


def aggression(one: Outcome) -> Judged | None:
    """The verdict on the aggressive attitude, as `validate_attitudes` gives it."""
    for verdict in one.validation.verdicts:
        if verdict.attitude == "Aggressive" and len(verdict.parts) == len(_OTHERS):
            words = "; ".join(part.words().replace(" games", "") for part in verdict.parts)
            share = verdict.share
            return verdict.verdict, f"{words}; {share.estimate:.0%} of them contradict it by themselves"
    return None


def dominated(one: Outcome) -> Judged | None:
    """Aggressive earns less than each other attitude against everybody."""
    k = _places(one)
    if k is None:
        return None
    parts = {
        f"{other} less aggressive, against {column}": (k[other], k[column], k["Aggressive"], k[column])
        for other in _OTHERS
        for column in one.names
    }
    return _differences(one, parts)


def stable(one: Outcome) -> Judged | None:
    """Nobody earns as much against aggressive as it does itself."""
    k = _places(one)
    if k is None:
        return None
    a = k["Aggressive"]
    return _differences(one, {f"aggressive less {o}, against aggressive": (a, a, k[o], a) for o in _OTHERS})


def outdoes(one: Outcome) -> Judged | None:
    """Aggressive earns more than each other attitude when they meet."""
    k = _places(one)
    if k is None:
        return None
    a = k["Aggressive"]
    return _differences(one, {f"against {o}, aggressive less {o}": (a, k[o], k[o], a) for o in _OTHERS})


def line_up(one: Outcome) -> Judged | None:
    """Each other attitude's agent scores above the aggressive one's, over repetitions of the line-up."""
    if any(name not in one.scores for name in ("Aggressive", *_OTHERS)):
        return None
    ends, words = [], []
    if len(one.scores["Aggressive"]) < _REPETITIONS:
        return "undecided", f"fewer than {_REPETITIONS} repetitions of the tournament"
    for other in _OTHERS:
        gap = one.scores[other] - one.scores["Aggressive"]
        gap = gap[np.isfinite(gap)]
        if not len(gap):
            return None
        low, high = np.quantile(gap, [0.025, 0.975])
        ends.append((float(low), float(high)))
        words.append(f"{other} less aggressive {np.median(gap):+.2f} [{low:+.2f}, {high:+.2f}]")
    return _all_above(ends), f"{'; '.join(words)} over {len(gap)} repetitions"


def _cell(cell: Interval) -> str:
    """A share with its interval, where there is one."""
    ends = f" [{cell.low:.2f}, {cell.high:.2f}]" if np.isfinite(cell.low) else ""
    return f"{cell.estimate:.2f}{ends}"


def _places(one: Outcome) -> Mapping[str, int] | None:
    """Name -> its place, where all three attitudes are there."""
    found = {name: k for k, name in enumerate(one.names)}
    return found if {"Aggressive", *_OTHERS} <= set(found) else None


def _differences(one: Outcome, parts: Mapping[str, tuple[int, int, int, int]]) -> Judged:
    """Whether all cells lie above what they are compared with; intervals over strategies drawn anew."""
    fewest = min(verdict.n for verdict in one.validation.verdicts)
    ends, words = [], []
    for what, (i, j, p, q) in parts.items():
        gap = float(one.payoffs[i, j] - one.payoffs[p, q])
        if one.draws is None:
            return "undecided", "one strategy of each attitude tells nothing of the others"
        low, high = np.quantile(one.draws[:, i, j] - one.draws[:, p, q], [0.025, 0.975])
        ends.append((float(low), float(high)))
        words.append(f"{what} {gap:+.2f} [{low:+.2f}, {high:+.2f}]")
    verdict = _all_above(ends) if fewest >= LEAST else "undecided"
    return verdict, f"{'; '.join(words)}; {fewest} strategies an attitude"


def _all_above(ends: Sequence[tuple[float, float]]) -> Verdict:
    """Supported where all intervals lie above 0, not supported where one lies below."""
    if any(high < 0 for _, high in ends):
        return "not supported"
    return "supported" if all(low > 0 for low, _ in ends) else "undecided"
