"""A game with other labels for its actions, which keep their roles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.games.matrix import MatrixGame
    from intent.games.public_goods import PublicGoods

__all__ = ["relabelled"]


def relabelled(game: MatrixGame | PublicGoods, labels: tuple[str, str]) -> MatrixGame | PublicGoods:
    """The game with its actions called otherwise; one that is declared cooperation remains so.

    Parameters
    ----------
    game : MatrixGame or PublicGoods
    labels : (str, str)
        In the order of the game's actions.

    Raises
    ------
    GameError
        Labels that are not two different ones.
    """
    from intent.games.public_goods import PublicGoods

    if isinstance(game, PublicGoods):
        return replace(game, actions=labels)
    declared = None if game.cooperate is None else labels[game.actions.index(game.cooperate)]
    return replace(game, actions=labels, cooperate=declared)
