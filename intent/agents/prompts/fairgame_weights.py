"""The numbers of FAIRGAME's ``{weight1}``, ``{weight2}``, …, whose order differs from game to game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from intent.errors import PromptError, shorten
from intent.games.game import number
from intent.games.matrix import MatrixGame

__all__ = ["PUBLISHED_WEIGHTS", "Weight", "as_weight", "weight_numbers", "weights_of"]

Weight = int | float | tuple[int, int, int]
"""A number, or the cell of a 2x2 game: seat 1's action and seat 2's (from 0), whose payoff (seat from 1)."""

_AA, _AB, _BA, _BB = (0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)

PUBLISHED_WEIGHTS: dict[str, tuple[Weight, ...]] = {
    "prisoner_dilemma": (_AA, _BA, _AB, _BB),
    "snow_drift": (_AA, _BA, _AB, _BB),
    "stag_hunt": (_AA, _BA, _AB, _BB),
    "harmony_game": (_AA, _AB, _BA, _BB),
    "battle_sexes": (_AA, (0, 1, 2), _AB, (0, 0, 2)),
}
"""Stem of a published template -> where its config puts weight1, weight2, …; the numbering differs."""


def as_weight(value: Any) -> Weight:
    """A weight from JSON, where a cell is a list.

    Raises
    ------
    PromptError
        Neither a number nor a cell of a 2x2 game.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, list | tuple) and len(value) == 3:
        i, j, seat = value
        if i in (0, 1) and j in (0, 1) and seat in (1, 2):
            return (int(i), int(j), int(seat))
    raise PromptError(f"weight {shorten(value)}, expected a number, or two actions (0 or 1) and a seat")


def weight_numbers(weights: Iterable[Weight], game: object) -> list[int | float]:
    """The numbers of weights, those of cells from the game, as ints where they are."""
    found: list[int | float] = []
    for weight in weights:
        if not isinstance(weight, tuple):
            found.append(weight)
        elif isinstance(game, MatrixGame):
            i, j, seat = weight
            found.append(number(game.payoffs[i][j][seat - 1]))
        else:
            raise PromptError(f"weight {weight} is a cell, expected a number or a 2x2 game")
    return found


def weights_of(payoff_matrix: Mapping[str, Any]) -> tuple[Weight, ...]:
    """The weights of a config's ``payoffMatrix``, in its order, as cells of the game.

    A weight that no cell has is given as the number that it is. As cells, the weights follow the
    payoffs of whichever plan is played, scaled or not.

    Parameters
    ----------
    payoff_matrix : mapping
        ``weights``, ``strategies``, ``combinations`` and ``matrix`` as FAIRGAME has them.

    Raises
    ------
    PromptError
        One of them is missing or does not fit the others.
    """
    try:
        order = list(next(iter(payoff_matrix["strategies"].values())))
        cells: dict[str, Weight] = {}
        for joint, actions in payoff_matrix["combinations"].items():
            for seat, weight in enumerate(payoff_matrix["matrix"][joint], start=1):
                i, j = (order.index(action) for action in actions)
                cells.setdefault(weight, (i, j, seat))
        weights = payoff_matrix["weights"].items()
        return tuple(cells[key] if key in cells else as_weight(value) for key, value in weights)
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
        raise PromptError(f"payoffMatrix does not fit together: {shorten(repr(error))}") from None
