"""The thesis's hypotheses on tools (HT1-3) and debates (HD1-3), each with a criterion that games can fail.

The thesis words them in section 2.3, judges them by eye and says in 2.4.5 what decides (Cremonini 2025). Here
each is a set of means and differences of means over games (`verdicts`), groups compared within the other
conditions that they share; beside it stands what bears on it as 2.3 has it and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.experiments import published_values
from intent.comparison.differences import Part, Trial, Verdict, contrast, level_above, verdict_of

__all__ = ["Hypothesis", "Judged", "Where", "difference", "in_words", "judge", "level"]


Where = Mapping[str, str | tuple[str, ...]]
"""Column -> the value, or the values, that rows have."""

_FACTORS = ("model", "opponent", "rounds", "incentive", "attitude")
"""Conditions within which groups are exchanged, where both have them."""


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
    games = rows.assign(_value=number).groupby("game_id", sort=True, observed=True)
    firsts = games[[c for c in _FACTORS if c in rows]].first()
    return firsts, games["_value"].mean().to_numpy(dtype=float)


def level(table: pd.DataFrame, what: str, metric: str, where: Where, trial: Trial) -> Part:
    """Whether the mean of a metric over games lies above one half."""
    return level_above(what, _values(table, metric, where)[1], 0.5, trial)


def difference(
    table: pd.DataFrame, what: str, metric: str, one: Where, other: Where, trial: Trial, sign: int = 1
) -> Part:
    """Difference of a metric between two groups of games, exchanged within the conditions that they share."""
    (first, a), (second, b) = _values(table, metric, one), _values(table, metric, other)
    shared = [
        factor
        for factor in _FACTORS
        if factor in first and factor in second and set(first[factor].dropna()) & set(second[factor].dropna())
    ]
    codes = np.zeros(len(first) + len(second), dtype=np.intp)
    if shared:
        both = pd.concat([first[shared].astype(str), second[shared].astype(str)], ignore_index=True)
        codes = np.asarray(both.groupby(shared, sort=False, observed=True).ngroup(), dtype=np.intp)
    return contrast(what, a, b, (codes[: len(a)], codes[len(a) :]), 1 if sign > 0 else -1, trial)


_NICE = ("ALLC", "TFT")
"""Opponents that are never the first to defect."""


def ht1_criterion(table: pd.DataFrame, trial: Trial) -> list[Part]:
    games = ("dilemma", "delight", "confusion")
    trial = replace(trial, parts=2 * len(games))
    tool = {"architecture": "tool"}
    parts = []
    for game in games:
        advised = {**tool, "incentive": game, "attitude": "cooperate"}
        against = {**advised, "attitude": "defect"}
        parts.append(level(table, f"cooperation advised, {game}", "cooperation_rate", advised, trial))
        what = f"cooperation less defection advised, {game}"
        parts.append(difference(table, what, "cooperation_rate", advised, against, trial))
    return parts


def ht2_criterion(table: pd.DataFrame, trial: Trial) -> list[Part]:
    trial = replace(trial, parts=3)
    compute = {"architecture": "tool", "attitude": "compute"}
    delight = {**compute, "incentive": "delight"}
    parts = [level(table, "cooperation in delight", "cooperation_rate", delight, trial)]
    for game in ("dilemma", "confusion"):
        other = {**compute, "incentive": game}
        what = f"cooperation in delight less {game}"
        parts.append(difference(table, what, "cooperation_rate", delight, other, trial))
    return parts


def ht3_criterion(table: pd.DataFrame, trial: Trial) -> list[Part]:
    compute = {"architecture": "tool", "attitude": "compute"}
    return [
        difference(
            table,
            f"{extreme} right, tool (compute) less plain",
            f"{extreme}_correct",
            compute,
            {"architecture": "plain"},
            replace(trial, parts=2),
        )
        for extreme in ("maximum", "minimum")
    ]


def hd1_criterion(table: pd.DataFrame, trial: Trial) -> list[Part]:
    debate = {"architecture": "debate", "incentive": "dilemma"}
    tool = {"architecture": "tool", "incentive": "dilemma"}
    return [difference(table, "states needed, debate less tool", "states", debate, tool, trial)]


def hd2_criterion(table: pd.DataFrame, trial: Trial) -> list[Part]:
    trial = replace(trial, parts=2)
    debate: Where = {"architecture": "debate", "opponent": _NICE}
    tool: Where = {"architecture": "tool", "opponent": _NICE}
    return [
        difference(table, "forgiveness, debate less tool", "forgiveness", debate, tool, trial),
        difference(table, "troublemaking, debate less tool", "troublemaking", debate, tool, trial, -1),
    ]


def hd3_criterion(table: pd.DataFrame, trial: Trial) -> list[Part]:
    return [
        difference(
            table,
            f"next move foreseen, debate less {other}",
            "opponent_next_correct",
            {"architecture": "debate"},
            {"architecture": other},
            replace(trial, parts=2),
        )
        for other in ("plain", "tool")
    ]


_OPPOSED = (("cooperate", "dilemma"), ("defect", "delight"))
"""Attitudes that advise against what pays at once."""


def ht1_beside(table: pd.DataFrame, trial: Trial) -> list[Part]:
    """Adherence to advice that contradicts the best choice, and what it does to Nash consistency."""
    parts = []
    for attitude, game in _OPPOSED:
        tool = {"architecture": "tool", "attitude": attitude, "incentive": game}
        plain = {"architecture": "plain", "incentive": game}
        parts.append(level(table, f"advice to {attitude} followed, {game}", "adherence", tool, trial))
        what = f"Nash consistency, tool ({attitude}) less plain, {game}"
        parts.append(difference(table, what, "nash_consistency", tool, plain, trial, -1))
    return parts


def ht2_beside(table: pd.DataFrame, trial: Trial) -> list[Part]:
    """Nash consistency of agents whose tool computes, and how often they call it."""
    compute = {"architecture": "tool", "attitude": "compute"}
    what = "Nash consistency, tool (compute) less plain"
    return [
        difference(table, what, "nash_consistency", compute, {"architecture": "plain"}, trial),
        level(table, "decisions with a call of the tool (compute)", "tool_use", compute, trial),
    ]


def ht3_beside(table: pd.DataFrame, trial: Trial) -> list[Part]:
    """The same against agents whose tool needs no payoffs."""
    compute = {"architecture": "tool", "attitude": "compute"}
    fixed: Where = {"architecture": "tool", "attitude": ("cooperate", "defect")}
    return [
        difference(table, f"{extreme} right, compute less fixed", f"{extreme}_correct", compute, fixed, trial)
        for extreme in ("maximum", "minimum")
    ]


def hd1_beside(table: pd.DataFrame, trial: Trial) -> list[Part]:
    """The same in the longer games."""
    if "rounds" not in table or table["rounds"].nunique() < 2:
        return []
    longer = table[table["rounds"] == table["rounds"].max()]
    debate = {"architecture": "debate", "incentive": "dilemma"}
    tool = {"architecture": "tool", "incentive": "dilemma"}
    what = f"states needed in {longer['rounds'].iloc[0]} rounds, debate less tool"
    return [difference(longer, what, "states", debate, tool, trial)]


def hd2_beside(table: pd.DataFrame, trial: Trial) -> list[Part]:
    """Forgiveness and troublemaking of debating agents by opponent, against agents with a tool."""
    return [
        difference(
            table,
            f"{metric} against {opponent}, debate less tool",
            metric,
            {"architecture": "debate", "opponent": opponent},
            {"architecture": "tool", "opponent": opponent},
            trial,
            sign,
        )
        for opponent in ("ALLC", "ALLD", "TFT")
        for metric, sign in (("forgiveness", 1), ("troublemaking", -1))
    ]


def hd3_beside(table: pd.DataFrame, trial: Trial) -> list[Part]:
    """Whether debating agents follow advice less than agents with a tool."""
    fixed = ("cooperate", "defect")
    debate: Where = {"architecture": "debate", "attitude": fixed}
    tool: Where = {"architecture": "tool", "attitude": fixed}
    return [difference(table, "advice followed, debate less tool", "adherence", debate, tool, trial, -1)]


Parts = Callable[[pd.DataFrame, Trial], list[Part]]


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis, the criterion that stands for it here, and what the thesis found.

    Parameters
    ----------
    name, claim, criterion : str
    parts : callable
        Gives the parts of a table of metrics.
    beside : callable
        Gives what else bears on it and decides nothing: the hypothesis as section 2.3 words it.
    """

    name: str
    claim: str
    criterion: str
    parts: Parts
    beside: Parts

    @property
    def published(self) -> str:
        """What the thesis says of it in section 4.4.1, as ``published.csv`` has it."""
        values = published_values(Path(__file__).parent)
        row = values[values["row"] == f"hypothesis={self.name}"]
        return str(row["note"].iloc[0])


@dataclass(frozen=True)
class Judged:
    """A hypothesis with its verdict, the parts behind it, and what else bears on it."""

    hypothesis: Hypothesis
    verdict: Verdict
    parts: tuple[Part, ...]
    beside: tuple[Part, ...]

    @property
    def evidence(self) -> str:
        """The parts in words."""
        return in_words(self.parts)

    @property
    def verdict_beside(self) -> Verdict:
        """What would be said if all that stands beside decided."""
        return verdict_of(self.beside)


def in_words(parts: Sequence[Part]) -> str:
    """Parts in words, one after the other."""
    return "; ".join(part.words() for part in parts)


def judge(table: pd.DataFrame, trial: Trial) -> list[Judged]:
    """The verdict on every hypothesis.

    Parameters
    ----------
    table : DataFrame
        As `codebook.METRICS`, with ``incentive`` (`incentives`: dilemma, delight, confusion) and ``states``
        (`complexity.states_needed`). What a hypothesis needs and the table lacks leaves it undecided.
    trial : Trial
    """
    judged = []
    for hypothesis in HYPOTHESES:
        parts = tuple(hypothesis.parts(table, trial))
        judged.append(Judged(hypothesis, verdict_of(parts), parts, tuple(hypothesis.beside(table, trial))))
    return judged


HYPOTHESES: Sequence[Hypothesis] = (
    Hypothesis(
        "HT1",
        "Agents whose tool advises cooperation cooperate, whatever the payoffs",
        "in each of the three payoff structures: more than half of the moves cooperate where that is "
        "advised, and more than where defection is advised",
        ht1_criterion,
        ht1_beside,
    ),
    Hypothesis(
        "HT2",
        "Agents whose tool computes the equilibrium cooperate mostly where cooperation dominates (delight)",
        "in delight more than half of the moves cooperate, and more than in dilemma and in confusion",
        ht2_criterion,
        ht2_beside,
    ),
    Hypothesis(
        "HT3",
        "Agents whose tool computes the equilibrium know the largest and smallest payoff better",
        "both the maximum and the minimum are right more often than in games of plain agents",
        ht3_criterion,
        ht3_beside,
    ),
    Hypothesis(
        "HD1",
        "Debating agents play more complex strategies",
        "in dilemmas, the simplest of the twenty strategies that matches a game best has more states than "
        "with a tool",
        hd1_criterion,
        hd1_beside,
    ),
    Hypothesis(
        "HD2",
        "Against cooperative opponents debating agents forgive more and make less trouble",
        "against opponents that never defect first, forgiveness is higher and troublemaking lower than with "
        "a tool, in games that gave occasion",
        hd2_criterion,
        hd2_beside,
    ),
    Hypothesis(
        "HD3",
        "Debating agents foresee the opponent's next move better",
        "the next move is foreseen more often than by plain agents and by agents with a tool",
        hd3_criterion,
        hd3_beside,
    ),
)
"""The hypotheses of Cremonini 2025, section 2.4.5, with the verdicts of its discussion (HD2 there: partly
disproven, mildly right on forgiveness)."""
