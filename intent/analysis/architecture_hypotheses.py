"""The thesis's hypotheses on tools (HT1-3) and debates (HD1-3), each with a criterion that games can fail.

The thesis states them in words and judges them by eye. Here each is a set of means and differences of means
over games (`verdicts`); groups of games are compared within the other conditions that they share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.verdicts import Part, Trial, Verdict, contrast, level_above, verdict_of

__all__ = ["HYPOTHESES", "Hypothesis", "Judged", "judge"]

_FACTORS = ("model", "opponent", "rounds", "incentive", "attitude")
"""Conditions within which groups are exchanged, where both have them."""

_NICE = ("ALLC", "TFT")
"""Opponents that are never the first to defect."""

Where = Mapping[str, str | tuple[str, ...]]


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis, the criterion that stands for it here, and what the thesis found.

    Parameters
    ----------
    name, claim, criterion, published : str
    parts : callable
        Gives the parts of a table of metrics.
    """

    name: str
    claim: str
    criterion: str
    published: str
    parts: Callable[[pd.DataFrame, Trial], list[Part]]


@dataclass(frozen=True)
class Judged:
    """A hypothesis with its verdict and the parts behind it."""

    hypothesis: Hypothesis
    verdict: Verdict
    parts: tuple[Part, ...]

    @property
    def evidence(self) -> str:
        """The parts in words."""
        return "; ".join(part.words() for part in self.parts)


def judge(table: pd.DataFrame, trial: Trial) -> list[Judged]:
    """The verdict on every hypothesis.

    Parameters
    ----------
    table : DataFrame
        As `schema.METRICS`, with ``incentive`` (`incentives`: dilemma, delight, confusion) and ``states``
        (`complexity.states_needed`). What a hypothesis needs and the table lacks leaves it undecided.
    trial : Trial
    """
    found = []
    for hypothesis in HYPOTHESES:
        parts = tuple(hypothesis.parts(table, trial))
        found.append(Judged(hypothesis, verdict_of(parts), parts))
    return found


def _values(table: pd.DataFrame, metric: str, where: Where) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Games that meet conditions, with the mean metric of each (where it had an occasion)."""
    keep = np.ones(len(table), dtype=bool)
    for column, wanted in where.items():
        values = (wanted,) if isinstance(wanted, str) else wanted
        keep &= table[column].isin(values).to_numpy() if column in table else False
    if metric not in table:
        keep &= False
    rows = table[keep]
    if metric in ("forgiveness", "retaliation", "troublemaking") and f"{metric}_n" in rows:
        rows = rows[rows[f"{metric}_n"] > 0]
    if rows.empty:
        return rows, np.empty(0)
    number = pd.to_numeric(rows[metric], errors="coerce").astype(float)
    kept = rows.assign(_value=number).groupby("game_id", sort=True, observed=True)
    firsts = kept[[c for c in _FACTORS if c in rows]].first()
    return firsts, kept["_value"].mean().to_numpy(dtype=float)


def _level(table: pd.DataFrame, what: str, metric: str, where: Where, trial: Trial) -> Part:
    return level_above(what, _values(table, metric, where)[1], 0.5, trial)


def _contrast(
    table: pd.DataFrame, what: str, metric: str, one: Where, other: Where, trial: Trial, sign: int = 1
) -> Part:
    """Difference of a metric between two groups of games, exchanged within the conditions that they share."""
    (first, a), (second, b) = _values(table, metric, one), _values(table, metric, other)
    shared = [
        factor
        for factor in _FACTORS
        if factor in first and factor in second and set(first[factor].dropna()) & set(second[factor].dropna())
    ]
    both = pd.concat([first, second])[shared].astype(str)
    codes = np.zeros(len(both), dtype=np.intp)
    if shared:
        codes = np.asarray(both.groupby(shared, sort=False).ngroup(), dtype=np.intp)
    return contrast(what, a, b, (codes[: len(a)], codes[len(a) :]), 1 if sign > 0 else -1, trial)


def _ht1(table: pd.DataFrame, trial: Trial) -> list[Part]:
    games = ("dilemma", "delight", "confusion")
    trial = replace(trial, parts=2 * len(games))
    tool = {"architecture": "tool"}
    found = []
    for game in games:
        advised = {**tool, "incentive": game, "attitude": "cooperate"}
        against = {**advised, "attitude": "defect"}
        found.append(_level(table, f"cooperation advised, {game}", "cooperation_rate", advised, trial))
        what = f"cooperation less defection advised, {game}"
        found.append(_contrast(table, what, "cooperation_rate", advised, against, trial))
    return found


def _ht2(table: pd.DataFrame, trial: Trial) -> list[Part]:
    trial = replace(trial, parts=3)
    compute = {"architecture": "tool", "attitude": "compute"}
    delight = {**compute, "incentive": "delight"}
    found = [_level(table, "cooperation in delight", "cooperation_rate", delight, trial)]
    for game in ("dilemma", "confusion"):
        other = {**compute, "incentive": game}
        what = f"cooperation in delight less {game}"
        found.append(_contrast(table, what, "cooperation_rate", delight, other, trial))
    return found


def _ht3(table: pd.DataFrame, trial: Trial) -> list[Part]:
    compute = {"architecture": "tool", "attitude": "compute"}
    return [
        _contrast(
            table,
            f"{extreme} right, tool (compute) less plain",
            f"{extreme}_correct",
            compute,
            {"architecture": "plain"},
            replace(trial, parts=2),
        )
        for extreme in ("maximum", "minimum")
    ]


def _hd1(table: pd.DataFrame, trial: Trial) -> list[Part]:
    debate = {"architecture": "debate", "incentive": "dilemma"}
    tool = {"architecture": "tool", "incentive": "dilemma"}
    return [_contrast(table, "states needed, debate less tool", "states", debate, tool, trial)]


def _hd2(table: pd.DataFrame, trial: Trial) -> list[Part]:
    trial = replace(trial, parts=2)
    debate: Where = {"architecture": "debate", "opponent": _NICE}
    tool: Where = {"architecture": "tool", "opponent": _NICE}
    return [
        _contrast(table, "forgiveness, debate less tool", "forgiveness", debate, tool, trial),
        _contrast(table, "troublemaking, debate less tool", "troublemaking", debate, tool, trial, -1),
    ]


def _hd3(table: pd.DataFrame, trial: Trial) -> list[Part]:
    return [
        _contrast(
            table,
            f"next move foreseen, debate less {other}",
            "opponent_next_correct",
            {"architecture": "debate"},
            {"architecture": other},
            replace(trial, parts=2),
        )
        for other in ("plain", "tool")
    ]


HYPOTHESES: Sequence[Hypothesis] = (
    Hypothesis(
        "HT1",
        "Agents whose tool advises cooperation cooperate, whatever the payoffs",
        "in each of the three payoff structures: more than half of the moves cooperate where that is "
        "advised, and more than where defection is advised",
        "supported",
        _ht1,
    ),
    Hypothesis(
        "HT2",
        "Agents whose tool computes the equilibrium cooperate mostly where cooperation dominates (delight)",
        "in delight more than half of the moves cooperate, and more than in dilemma and in confusion",
        "supported",
        _ht2,
    ),
    Hypothesis(
        "HT3",
        "Agents whose tool computes the equilibrium know the largest and smallest payoff better",
        "both the maximum and the minimum are right more often than in games of plain agents",
        "supported",
        _ht3,
    ),
    Hypothesis(
        "HD1",
        "Debating agents play more complex strategies",
        "in dilemmas, the simplest of the twenty strategies that matches a game best has more states than "
        "with a tool",
        "undecided",
        _hd1,
    ),
    Hypothesis(
        "HD2",
        "Against cooperative opponents debating agents forgive more and make less trouble",
        "against opponents that never defect first, forgiveness is higher and troublemaking lower than with "
        "a tool, in games that gave occasion",
        "not supported",
        _hd2,
    ),
    Hypothesis(
        "HD3",
        "Debating agents foresee the opponent's next move better",
        "the next move is foreseen more often than by plain agents and by agents with a tool",
        "not supported",
        _hd3,
    ),
)
"""The hypotheses of Cremonini 2025, section 2.4.5, with the verdicts of its discussion (HD2 there: partly
disproven, mildly right on forgiveness)."""
