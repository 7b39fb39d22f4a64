"""What else bears on the thesis's hypotheses and decides nothing: advice, Nash consistency, calls, opponents.

Section 2.3 of the thesis words the hypotheses in these terms; section 2.4.5 in those of `criteria`.
"""

from __future__ import annotations

import pandas as pd

from intent.analysis.hypotheses.groups import Where, difference, level
from intent.analysis.verdicts import Part, Trial

__all__ = ["hd1", "hd2", "hd3", "ht1", "ht2", "ht3"]

_OPPOSED = (("cooperate", "dilemma"), ("defect", "delight"))
"""Attitudes that advise against what pays at once."""


def ht1(table: pd.DataFrame, trial: Trial) -> list[Part]:
    """Adherence to advice that contradicts the best choice, and what it does to Nash consistency."""
    found = []
    for attitude, game in _OPPOSED:
        tool = {"architecture": "tool", "attitude": attitude, "incentive": game}
        plain = {"architecture": "plain", "incentive": game}
        found.append(level(table, f"advice to {attitude} followed, {game}", "adherence", tool, trial))
        what = f"Nash consistency, tool ({attitude}) less plain, {game}"
        found.append(difference(table, what, "nash_consistency", tool, plain, trial, -1))
    return found


def ht2(table: pd.DataFrame, trial: Trial) -> list[Part]:
    """Nash consistency of agents whose tool computes, and how often they call it."""
    compute = {"architecture": "tool", "attitude": "compute"}
    what = "Nash consistency, tool (compute) less plain"
    return [
        difference(table, what, "nash_consistency", compute, {"architecture": "plain"}, trial),
        level(table, "decisions with a call of the tool (compute)", "tool_use", compute, trial),
    ]


def ht3(table: pd.DataFrame, trial: Trial) -> list[Part]:
    """The same against agents whose tool needs no payoffs."""
    compute = {"architecture": "tool", "attitude": "compute"}
    fixed: Where = {"architecture": "tool", "attitude": ("cooperate", "defect")}
    return [
        difference(table, f"{extreme} right, compute less fixed", f"{extreme}_correct", compute, fixed, trial)
        for extreme in ("maximum", "minimum")
    ]


def hd1(table: pd.DataFrame, trial: Trial) -> list[Part]:
    """The same in the longer games."""
    if "rounds" not in table or table["rounds"].nunique() < 2:
        return []
    longer = table[table["rounds"] == table["rounds"].max()]
    debate = {"architecture": "debate", "incentive": "dilemma"}
    tool = {"architecture": "tool", "incentive": "dilemma"}
    what = f"states needed in {longer['rounds'].iloc[0]} rounds, debate less tool"
    return [difference(longer, what, "states", debate, tool, trial)]


def hd2(table: pd.DataFrame, trial: Trial) -> list[Part]:
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


def hd3(table: pd.DataFrame, trial: Trial) -> list[Part]:
    """Whether debating agents follow advice less than agents with a tool."""
    fixed = ("cooperate", "defect")
    debate: Where = {"architecture": "debate", "attitude": fixed}
    tool: Where = {"architecture": "tool", "attitude": fixed}
    return [difference(table, "advice followed, debate less tool", "adherence", debate, tool, trial, -1)]
