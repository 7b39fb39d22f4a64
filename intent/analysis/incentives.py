"""What a one-shot game asks of a player: to defect, to cooperate, or what the other does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from intent.analysis.stakes import stage
from intent.games.equilibria import dominant_actions

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["INCENTIVES", "incentives"]

INCENTIVES: Mapping[str, str] = {"defect": "dilemma", "cooperate": "delight", "neither": "confusion"}
"""Dominant action -> what the thesis calls such a game."""


def incentives(log: GameLog) -> dict[str, str]:
    """Game identifier -> ``dilemma``, ``delight`` or ``confusion``, from the payoffs and not the name.

    A game is a dilemma where seat 1 gains by defection whatever the other does, a delight where it gains by
    cooperation, a confusion where neither action dominates. Games without payoffs or without a cooperative
    action, and those of more than two players, are left out.

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, section 2.1.1.
    """
    games = log.games
    columns = ("payoffs", "payoff_kind", "cooperative_action")
    known: dict[tuple[str, ...], str | None] = {}
    found = {}
    for game_id, n_players, *facts in zip(
        games["game_id"], games["n_players"], *(games[c] for c in columns), strict=True
    ):
        if n_players != 2 or any(not isinstance(fact, str) for fact in facts):
            continue
        key = tuple(facts)
        if key not in known:
            known[key] = _incentive(*key)
        kind = known[key]
        if kind is not None:
            found[str(game_id)] = kind
    return found


def _incentive(payoffs: str, kind: str, cooperative: str) -> str | None:
    game = stage(payoffs, kind)
    if game is None or cooperative not in game.actions:
        return None
    dominant = dominant_actions(game)[0]
    if dominant is None:
        return INCENTIVES["neither"]
    return INCENTIVES["cooperate" if dominant.action == cooperative else "defect"]
