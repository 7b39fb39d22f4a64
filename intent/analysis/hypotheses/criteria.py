"""What decides on the thesis's hypotheses: the parts that each of them implies (Cremonini 2025, 2.4.5)."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from intent.analysis.hypotheses.groups import Where, difference, level
from intent.analysis.verdicts import Part, Trial

__all__ = ["hd1", "hd2", "hd3", "ht1", "ht2", "ht3"]

_NICE = ("ALLC", "TFT")
"""Opponents that are never the first to defect."""


def ht1(table: pd.DataFrame, trial: Trial) -> list[Part]:
    games = ("dilemma", "delight", "confusion")
    trial = replace(trial, parts=2 * len(games))
    tool = {"architecture": "tool"}
    found = []
    for game in games:
        advised = {**tool, "incentive": game, "attitude": "cooperate"}
        against = {**advised, "attitude": "defect"}
        found.append(level(table, f"cooperation advised, {game}", "cooperation_rate", advised, trial))
        what = f"cooperation less defection advised, {game}"
        found.append(difference(table, what, "cooperation_rate", advised, against, trial))
    return found


def ht2(table: pd.DataFrame, trial: Trial) -> list[Part]:
    trial = replace(trial, parts=3)
    compute = {"architecture": "tool", "attitude": "compute"}
    delight = {**compute, "incentive": "delight"}
    found = [level(table, "cooperation in delight", "cooperation_rate", delight, trial)]
    for game in ("dilemma", "confusion"):
        other = {**compute, "incentive": game}
        what = f"cooperation in delight less {game}"
        found.append(difference(table, what, "cooperation_rate", delight, other, trial))
    return found


def ht3(table: pd.DataFrame, trial: Trial) -> list[Part]:
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


def hd1(table: pd.DataFrame, trial: Trial) -> list[Part]:
    debate = {"architecture": "debate", "incentive": "dilemma"}
    tool = {"architecture": "tool", "incentive": "dilemma"}
    return [difference(table, "states needed, debate less tool", "states", debate, tool, trial)]


def hd2(table: pd.DataFrame, trial: Trial) -> list[Part]:
    trial = replace(trial, parts=2)
    debate: Where = {"architecture": "debate", "opponent": _NICE}
    tool: Where = {"architecture": "tool", "opponent": _NICE}
    return [
        difference(table, "forgiveness, debate less tool", "forgiveness", debate, tool, trial),
        difference(table, "troublemaking, debate less tool", "troublemaking", debate, tool, trial, -1),
    ]


def hd3(table: pd.DataFrame, trial: Trial) -> list[Part]:
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
