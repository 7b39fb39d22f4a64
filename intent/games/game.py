"""What every game offers to those who play, log or analyse it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from intent.errors import GameError, shorten

__all__ = ["Game", "PayoffKind", "check_actions", "check_kind", "number", "parse_object"]

PayoffKind = Literal["reward", "penalty"]


@runtime_checkable
class Game(Protocol):
    """A one-shot game with labelled actions, the stage of a repeated game.

    Attributes
    ----------
    name : str
    kind : {"reward", "penalty"}
        Whether players want payoffs high or low.
    n_players : int
    actions : tuple of str
        Labels that every seat chooses from, in the order in which prompts list them.
    cooperative_label : str or None
        The cooperative action: one label where all seats agree, labels joined by ``|`` in seat order
        where they differ, None where undecidable.
    """

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> PayoffKind: ...
    @property
    def n_players(self) -> int: ...
    @property
    def actions(self) -> tuple[str, ...]: ...
    @property
    def cooperative_label(self) -> str | None: ...

    def payoff(self, actions: Sequence[str]) -> tuple[float, ...]:
        """Payoffs by seat of the joint action (labels by seat), in the units of the game."""
        ...

    def cooperative_action(self, seat: int) -> str | None:
        """The action that is cooperation for a seat (from 1), None where undecidable."""
        ...

    def to_json(self) -> str:
        """The payoffs as compact JSON, as in the column ``payoffs`` of a game log."""
        ...


def check_kind(name: str, kind: str) -> None:
    """Refuse a payoff kind other than reward and penalty."""
    if kind not in ("reward", "penalty"):
        raise GameError(f"{name}: payoff kind {kind!r}, expected 'reward' or 'penalty'")


def check_actions(name: str, actions: Sequence[str]) -> None:
    """Refuse labels that are not two different texts free of commas and bars, which separate labels."""
    if (
        not isinstance(actions, list | tuple)
        or len(actions) != 2
        or not all(isinstance(a, str) for a in actions)
    ):
        raise GameError(f"{name}: actions {shorten(actions)}, expected two labels")
    if actions[0] == actions[1]:
        raise GameError(
            f"{name}: both actions are called {shorten(actions[0])!r}, expected two different labels"
        )
    for label in actions:
        if not label or label != label.strip() or "," in label or "|" in label:
            raise GameError(
                f"{name}: action {shorten(label)!r}, expected a label without comma, bar or outer spaces"
            )


def number(value: float) -> int | float:
    """The value as an int where it is one exactly, so that equal payoffs are written alike."""
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def parse_object(text: str, name: str) -> dict[str, Any]:
    """A JSON object from untrusted text.

    Raises
    ------
    GameError
        The text is no JSON object.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GameError(f"{name}: payoffs {shorten(text)!r} are no JSON: {shorten(error)}") from None
    if not isinstance(value, dict):
        raise GameError(f"{name}: payoffs {shorten(text)!r}, expected a JSON object")
    return value
