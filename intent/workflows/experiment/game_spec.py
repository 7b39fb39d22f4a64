"""The game of an experiment: a name of the catalogue, or its payoffs."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import model_validator

from intent.errors import GameError, shorten
from intent.games.game import PayoffKind
from intent.workflows.values import Values

if TYPE_CHECKING:
    from intent.games.matrix import MatrixGame
    from intent.games.public_goods import PublicGoods

__all__ = ["GameSpec"]


class GameSpec(Values):
    """What is played; in a file also just a name: ``game: prisoner-dilemma``.

    Attributes
    ----------
    name : str
        Of the catalogue (``intent games``); any, where payoffs are given.
    kind : {"reward", "penalty"}, optional
        Needed with payoffs; in place of the catalogue's otherwise.
    actions : (str, str), optional
        Labels of the two actions, in place of the catalogue's.
    payoffs : optional
        ``{T: 5, R: 3, P: 1, S: 0}`` (first action cooperates), ``[[6, 0], [10, 2]]`` (own payoff by own and
        other's action), 2x2 pairs, or ``{"A,A": [6, 6], …}`` (payoffs of both seats by joint action).
    cooperate : str, optional
        The action that counts as cooperation, in place of the one that the payoffs make so.
    n_players, cost, factor : optional
        Of a public goods game.
    """

    name: str
    kind: PayoffKind | None = None
    actions: tuple[str, str] | None = None
    payoffs: dict[str, Any] | list[Any] | None = None
    cooperate: str | None = None
    n_players: int | None = None
    cost: float | None = None
    factor: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value

    def stage(self, scale: float = 1.0) -> MatrixGame | PublicGoods:
        """The game with every payoff times `scale`.

        Raises
        ------
        GameError
            Payoffs that make no game, or that do not say whether they are rewards or penalties.
        UnknownNameError
            No such game in the catalogue.
        """
        from intent.games.public_goods import PublicGoods

        made = self._matrix() if self.payoffs is not None else self._named()
        if self.cooperate is not None:
            if isinstance(made, PublicGoods):
                raise GameError(f"{made.name}: cooperate is for games of two players with two actions")
            made = replace(made, cooperate=self.cooperate)
        if scale == 1.0:
            return made
        if isinstance(made, PublicGoods):
            if not (scale > 0 and math.isfinite(scale)):
                raise GameError(f"{made.name}: payoffs scaled by {scale}, expected a positive number")
            return replace(made, cost=made.cost * scale)
        return made.scaled(scale)

    def _named(self) -> MatrixGame | PublicGoods:
        from intent.games.catalogue import canonical_name, game, public_goods
        from intent.games.public_goods import PublicGoods

        texts: dict[str, Any] = {} if self.actions is None else {"actions": self.actions}
        numbers: dict[str, Any] = {"n_players": self.n_players, "cost": self.cost, "factor": self.factor}
        given: dict[str, Any] = {key: value for key, value in numbers.items() if value is not None}
        if canonical_name(self.name) == "public-goods":
            made: Any = public_goods(**({"factor": 2} | given))
        else:
            made = game(self.name)
            if given and isinstance(made, PublicGoods):
                made = public_goods(**({"factor": made.factor} | given))
            elif given:
                raise GameError(f"{made.name} has no {', '.join(given)}, only a public goods game has")
        if self.kind is not None and self.kind != made.kind:
            if isinstance(made, PublicGoods):
                raise GameError(f"{made.name} pays rewards, not {self.kind}s")
            texts["kind"] = self.kind
        changed: MatrixGame | PublicGoods = replace(made, **texts)
        return changed

    def _matrix(self) -> MatrixGame:
        from intent.games.matrix import MatrixGame

        if self.kind is None:
            raise GameError(f"{self.name}: payoffs without kind, expected kind: reward or kind: penalty")
        if isinstance(self.payoffs, dict):
            if set(self.payoffs) == set("TRPS"):
                t, r, p, s = (_number(self.name, self.payoffs[key]) for key in "TRPS")
                return MatrixGame.from_trps(self.name, t, r, p, s, self.kind, self.actions or ("C", "D"))
            table = {",".join(part.strip() for part in k.split(",")): v for k, v in self.payoffs.items()}
            made = MatrixGame.from_json(json.dumps(table), self.name, self.kind)
            return made if self.actions is None else replace(made, actions=self.actions)
        labels = self.actions or ("OptionA", "OptionB")
        rows: Any = self.payoffs
        cells = [cell for row in rows if isinstance(row, list) for cell in row]
        if len(cells) == 4 and not any(isinstance(cell, list) for cell in cells):
            aa, ab, ba, bb = (_number(self.name, cell) for cell in cells)
            return MatrixGame.symmetric(self.name, labels, aa, ab, ba, bb, self.kind)
        return MatrixGame(self.name, labels, rows, self.kind)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise GameError(f"{name}: payoff {shorten(value)!r}, expected a number")
    return float(value)
