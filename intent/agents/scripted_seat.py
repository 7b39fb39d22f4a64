"""The seat of a synchronous player at the table of language models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from intent.agents.agent import Ask, Decision
from intent.play.players import Player
from intent.play.view import View

__all__ = ["ScriptedSeat"]


class ScriptedSeat:
    """Plays what its player does; never asks anything, never speaks.

    Parameters
    ----------
    player : Player
    columns : mapping, of the seats table
    """

    def __init__(self, player: Player, columns: Mapping[str, Any]) -> None:
        self._player, self._columns = player, columns

    @property
    def columns(self) -> Mapping[str, Any]:
        """What the seats table of the log says of the player."""
        return self._columns

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The player's move."""
        return Decision(self._player.act(view, rng))

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """Silence."""
        return Decision(None)
