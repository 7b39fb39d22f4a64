"""What became of one attempt to have a strategy written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from intent.arena.writing.desk import Place

__all__ = ["OUTCOMES", "Attempt", "Outcome"]

Outcome = Literal["good", "repaired", "refused", "empty", "no_code", "gate", "fault"]

OUTCOMES: tuple[Outcome, ...] = ("good", "repaired", "refused", "empty", "no_code", "gate", "fault")
"""Plays at once; plays after one repair; the model declined; it said nothing; its reply holds no code that
can be read; the gate does not let the code in; the code fails when it plays."""


@dataclass(frozen=True)
class Attempt:
    """An attempt that is over.

    Parameters
    ----------
    place : Place
    outcome : Outcome
    reason : str
        One line on what is wrong, of the last round; empty where it plays.
    words : str
        The strategy as described; after a plan and an empty line in prose.
    source : str
        What plays, or the last code that does not.
    scenario : str, optional
        The everyday setting that the plan was made in.
    """

    place: Place
    outcome: Outcome
    reason: str = ""
    words: str = ""
    source: str = ""
    scenario: str | None = None

    @property
    def plays(self) -> bool:
        """Whether it counts as one of the strategies asked for."""
        return self.outcome in ("good", "repaired")
