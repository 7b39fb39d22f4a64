"""The linear public goods game, for any number of players."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from intent.errors import GameError, shorten
from intent.games.game import PayoffKind, check_actions, number, parse_object

__all__ = ["PublicGoods"]

MOST_PLAYERS = 10_000
MOST_VALUE = 1e100


@dataclass(frozen=True)
class PublicGoods:
    """Each player gives `cost` to a pool or not; the pool times `factor` is shared by all.

    With k contributors among N players: payoff = k·c·M/N - (c for a contributor).

    Parameters
    ----------
    name : str
    n_players : int, at least 2
    cost : float > 0
        c, what a contributor gives.
    factor : float > 0
        M, what the pool is multiplied by; a social dilemma for 1 < M < N.
    actions : (str, str)
        The first contributes, which serves the others whatever they do, so it is cooperation.

    Raises
    ------
    GameError
        Fewer than two players, or a cost or factor that is not a positive number.

    References
    ----------
    Isaac & Walker 1988, Quarterly Journal of Economics 103:179.
    """

    name: str
    n_players: int
    cost: float
    factor: float
    actions: tuple[str, str] = ("OptionA", "OptionB")
    description: str = field(default="", compare=False)
    citation: str = field(default="", compare=False)
    variant: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_actions(self.name, self.actions)
        object.__setattr__(self, "actions", tuple(self.actions))
        n = self.n_players
        if not isinstance(n, int) or isinstance(n, bool) or not 2 <= n <= MOST_PLAYERS:
            raise GameError(f"{self.name}: {shorten(n)} players, expected 2 to {MOST_PLAYERS}")
        for what, value in (("cost", self.cost), ("factor", self.factor)):
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not 0 < value < MOST_VALUE:
                raise GameError(f"{self.name}: {what} {shorten(value)}, expected a positive number")

    @property
    def kind(self) -> PayoffKind:
        """Payoffs are rewards."""
        return "reward"

    def payoff(self, actions: Sequence[str]) -> tuple[float, ...]:
        """Payoffs by seat for the actions by seat, computed as ``k*c*M/N - c`` in this order.

        The order of operations decides the last digit (3.333333333333334 for 2 of 3 at c 10, M 2) and
        agrees with the published logs.

        Raises
        ------
        GameError
            Not one action per seat, or one that the game does not have.
        """
        if isinstance(actions, str) or len(actions) != self.n_players:
            raise GameError(f"{self.name}: {len(actions)} actions, expected those of {self.n_players} seats")
        stray = next((a for a in actions if a not in self.actions), None)
        if stray is not None:
            raise GameError(f"{self.name}: action {shorten(stray)!r} is not one of {', '.join(self.actions)}")
        give = self.actions[0]
        k = sum(action == give for action in actions)
        share = k * self.cost * self.factor / self.n_players
        return tuple(share - (self.cost if action == give else 0) for action in actions)

    def cooperative_action(self, seat: int) -> str | None:
        """To contribute, for every seat."""
        if not 1 <= seat <= self.n_players:
            raise GameError(f"{self.name}: seat {seat}, expected 1 to {self.n_players}")
        return self.actions[0]

    @property
    def cooperative_label(self) -> str | None:
        """To contribute."""
        return self.actions[0]

    def to_json(self) -> str:
        """Compact JSON of the parameters."""
        table = {
            "n_players": self.n_players,
            "cost": number(float(self.cost)),
            "factor": number(float(self.factor)),
            "actions": list(self.actions),
        }
        return json.dumps(table, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str, name: str) -> PublicGoods:
        """The game that `to_json` wrote.

        Raises
        ------
        GameError
            The text is no JSON object with n_players, cost, factor and actions.
        """
        table = parse_object(text, name)
        missing = [key for key in ("n_players", "cost", "factor", "actions") if key not in table]
        if missing:
            raise GameError(f"{name}: payoffs {shorten(text)!r} have no {missing[0]}")
        return cls(name, table["n_players"], table["cost"], table["factor"], table["actions"])
