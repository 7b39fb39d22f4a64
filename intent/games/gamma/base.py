"""What all eight games have in common: a name, ten players unless told otherwise, rewards as payoffs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import ClassVar, Self

from intent.errors import GameError, shorten
from intent.games.game import PayoffKind

__all__ = ["GammaGame", "check_moves"]


@dataclass(frozen=True)
class GammaGame:
    """A frozen value whose fields are the parameters of its rules.

    Parameters
    ----------
    n_players : int
    """

    n_players: int = 10

    name: ClassVar[str]
    actions: ClassVar[tuple[str, ...]] = ()
    open: ClassVar[bool] = False

    def __deepcopy__(self, memo: object) -> Self:
        """Itself, as it is frozen."""
        return self

    @property
    def kind(self) -> PayoffKind:
        """Payoffs are rewards."""
        return "reward"

    @property
    def cooperative_label(self) -> str | None:
        """None: no single action is cooperation."""
        return None

    def cooperative_action(self, seat: int) -> str | None:
        """The same for every seat.

        Raises
        ------
        GameError
            No such seat.
        """
        if not 1 <= seat <= self.n_players:
            raise GameError(f"{self.name}: seat {shorten(seat)}, expected 1 to {self.n_players}")
        return self.cooperative_label

    def to_json(self) -> str:
        """Compact JSON: the rules' name and the parameters."""
        table = {"rules": self.name, **{field.name: getattr(self, field.name) for field in fields(self)}}
        return json.dumps(table, ensure_ascii=False, separators=(",", ":"))


def check_moves(name: str, actions: Mapping[int, str | None], seats: Iterable[int]) -> None:
    """Refuse moves that are not those of `seats` and no others.

    Raises
    ------
    GameError
        See above.
    """
    expected = set(seats)
    if actions.keys() != expected:
        got, wanted = (shorten(", ".join(map(str, sorted(those)))) or "none" for those in (actions, expected))
        raise GameError(f"{name}: moves of seats {got}, expected those of {wanted}")
