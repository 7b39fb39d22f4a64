"""The thesis's hypotheses on tools (HT1-3) and debates (HD1-3), each with a criterion that games can fail.

The thesis states them in words and judges them by eye. Here each is a set of means and differences of means
over games (`verdicts`); groups of games are compared within the other conditions that they share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from intent.analysis.hypotheses import beside, criteria
from intent.analysis.verdicts import Part, Trial, Verdict, verdict_of

__all__ = ["HYPOTHESES", "Hypothesis", "Judged", "in_words", "judge"]

Parts = Callable[[pd.DataFrame, Trial], list[Part]]


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis, the criterion that stands for it here, and what the thesis found.

    Parameters
    ----------
    name, claim, criterion, published : str
    parts : callable
        Gives the parts of a table of metrics.
    beside : callable
        Gives what else bears on it and decides nothing: the hypothesis as section 2.3 words it.
    """

    name: str
    claim: str
    criterion: str
    published: str
    parts: Parts
    beside: Parts


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
        As `schema.METRICS`, with ``incentive`` (`incentives`: dilemma, delight, confusion) and ``states``
        (`complexity.states_needed`). What a hypothesis needs and the table lacks leaves it undecided.
    trial : Trial
    """
    found = []
    for hypothesis in HYPOTHESES:
        parts = tuple(hypothesis.parts(table, trial))
        found.append(Judged(hypothesis, verdict_of(parts), parts, tuple(hypothesis.beside(table, trial))))
    return found


HYPOTHESES: Sequence[Hypothesis] = (
    Hypothesis(
        "HT1",
        "Agents whose tool advises cooperation cooperate, whatever the payoffs",
        "in each of the three payoff structures: more than half of the moves cooperate where that is "
        "advised, and more than where defection is advised",
        "supported",
        criteria.ht1,
        beside.ht1,
    ),
    Hypothesis(
        "HT2",
        "Agents whose tool computes the equilibrium cooperate mostly where cooperation dominates (delight)",
        "in delight more than half of the moves cooperate, and more than in dilemma and in confusion",
        "supported",
        criteria.ht2,
        beside.ht2,
    ),
    Hypothesis(
        "HT3",
        "Agents whose tool computes the equilibrium know the largest and smallest payoff better",
        "both the maximum and the minimum are right more often than in games of plain agents",
        "supported",
        criteria.ht3,
        beside.ht3,
    ),
    Hypothesis(
        "HD1",
        "Debating agents play more complex strategies",
        "in dilemmas, the simplest of the twenty strategies that matches a game best has more states than "
        "with a tool",
        "undecided",
        criteria.hd1,
        beside.hd1,
    ),
    Hypothesis(
        "HD2",
        "Against cooperative opponents debating agents forgive more and make less trouble",
        "against opponents that never defect first, forgiveness is higher and troublemaking lower than with "
        "a tool, in games that gave occasion",
        "not supported",
        criteria.hd2,
        beside.hd2,
    ),
    Hypothesis(
        "HD3",
        "Debating agents foresee the opponent's next move better",
        "the next move is foreseen more often than by plain agents and by agents with a tool",
        "not supported",
        criteria.hd3,
        beside.hd3,
    ),
)
"""The hypotheses of Cremonini 2025, section 2.4.5, with the verdicts of its discussion (HD2 there: partly
disproven, mildly right on forgiveness)."""
