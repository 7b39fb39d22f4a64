"""Where the two scorings differ, game by game: what the published code computes and what the paper writes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from intent.suites.gamma.plays import Plays
from intent.suites.gamma.scores import score

__all__ = ["DISCREPANCIES", "why_different"]

DISCREPANCIES: Mapping[str, str] = MappingProxyType(
    {
        "guessing": "below a ratio of 1 the code has max - S where the paper has (max - min) - S: different "
        "where the least number is not 0",
        "bar": "none",
        "divide_dollar": "none: the code has bids per player, the paper their sum, which comes to the same",
        "public_goods": "the paper rewards contributing where the factor is above the number of players, the "
        "code never",
        "diner": "none",
        "auction": "the code takes bids above the valuation, and any bid on a valuation of 0, for 0; the "
        "paper's quotient is negative there, or not defined and here left out",
        "battle_royale": "the paper divides by players times rounds, the code by rounds",
        "pirate": "one coin at an odd distance from the proposer: the code counts no vote as right, the "
        "paper that against the proposal; gold other than 100: the code compares shares per 100 gold with "
        "the equilibrium of 100, the paper with that of the gold",
    }
)
"""Game -> what differs between ``code`` and ``paper``."""

_SAME = 1e-9


def why_different(plays: Plays) -> str | None:
    """Why the scores of a run differ between the scorings; None where they are the same.

    Raises
    ------
    DataError
        As `score`.
    """
    if abs(score(plays, "code") - score(plays, "paper")) <= _SAME:
        return None
    return DISCREPANCIES[plays.game]
