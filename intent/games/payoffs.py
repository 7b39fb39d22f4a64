"""The game that a cell of the column ``payoffs`` holds."""

from __future__ import annotations

from intent.base.errors import GameError, shorten
from intent.games.courses import course_from_json, holds_rules
from intent.games.game import CourseGame
from intent.games.normal_form import MatrixGame, PublicGoods

__all__ = ["game_from_json", "stage"]


def game_from_json(payoffs: str, name: str, kind: str | None) -> MatrixGame | PublicGoods | CourseGame:
    """The game that `to_json` of any kind of game wrote.

    Parameters
    ----------
    payoffs : str
    name : str
    kind : {"reward", "penalty"} or None
        Of a matrix game; the others always pay rewards.

    Raises
    ------
    GameError
        Payoffs that make no game, or a matrix without its kind.

    Examples
    --------
    >>> from intent.games.catalogue import public_goods
    >>> game_from_json(public_goods(2).to_json(), "goods", None).factor
    2
    """
    if holds_rules(payoffs):
        return course_from_json(payoffs, name)
    if '"n_players"' in payoffs:
        return PublicGoods.from_json(payoffs, name)
    if kind not in ("reward", "penalty"):
        raise GameError(f"payoff_kind {shorten(kind)!r}, expected reward or penalty")
    return MatrixGame.from_json(payoffs, name, "penalty" if kind == "penalty" else "reward")


def stage(payoffs: object, kind: object = "reward") -> MatrixGame | PublicGoods | None:
    """The game that cells of the columns ``payoffs`` and ``payoff_kind`` hold.

    None where they hold none, or one that does not pay the same for the same play in every round.
    """
    if not isinstance(payoffs, str):
        return None
    try:
        game = game_from_json(payoffs, "game", kind if isinstance(kind, str) else None)
    except GameError:
        return None
    return game if isinstance(game, MatrixGame | PublicGoods) else None
