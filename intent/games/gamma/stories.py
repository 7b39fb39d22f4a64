"""Other surfaces of the eight games: names of actions, numbers that are turned round, fields of answers.

Each leaves the game what it is: labels are renamed one to one, and numbers x are told as c - x, so that
payoffs, best replies and equilibria map to each other exactly. The words are among
the texts of `intent.agents.prompts.gamma`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["STORIES", "Story", "retold"]


@dataclass(frozen=True)
class Story:
    """A surface of a game.

    Parameters
    ----------
    name : str
    keys : tuple of (field of the game's answers, field in the story)
    labels : tuple of (action, its name in the story), optional
    mirrored : str, optional
        What the numbers are turned round by: a parameter of the game, or ``ends`` for low + high.
    numbers : tuple of str
        Facts that hold such a number, or a tuple of them by seat.
    """

    name: str
    keys: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str], ...] = ()
    mirrored: str = ""
    numbers: tuple[str, ...] = ()


def retold(error: Exception, key: str, told: str) -> str:
    """Why an answer was refused, with the story's field in place of the game's at the beginning.

    Examples
    --------
    >>> retold(ValueError("bid '7', expected a whole number from 0 to 5"), "bid_amount", "litres")
    "litres '7', expected a whole number from 0 to 5"
    """
    what, _, why = str(error).partition(" ")
    return f"{told} {why}" if what in key.split("_") else str(error)


STORIES: Mapping[str, Story] = MappingProxyType(
    {
        "guessing": Story(
            "dials",
            (("chosen_number", "dial"),),
            mirrored="ends",
            numbers=("own", "mean", "target", "winning"),
        ),
        "bar": Story("bridge", (("decision", "route"),), (("go", "bridge"), ("stay", "ferry"))),
        "divide_dollar": Story("tank", (("bid_amount", "litres"),)),
        "public_goods": Story(
            "hours",
            (("tokens_contributed", "hours_kept"),),
            mirrored="tokens",
            numbers=("own", "contributions"),
        ),
        "diner": Story("flat", (("chosen_dish", "device"),), (("cheap", "fan"), ("costly", "cooler"))),
        "auction": Story(
            "contract",
            (("bid", "ask"),),
            mirrored="top",
            numbers=("valuation", "own", "highest", "price"),
        ),
        "battle_royale": Story("tag", (("target", "aim"),)),
        "pirate": Story(
            "partners",
            (("proposal", "split"), ("decision", "vote")),
            (("accept", "yes"), ("reject", "no")),
        ),
    }
)
"""Game -> its story.

guessing: dials below a stop, the nearest to a ratio of the mean gap wins (0 is told as the stop). public
goods: hours that are kept, not given (compare Andreoni 1995, Quarterly Journal of Economics 110:1). auction:
sellers of a contract, whose costs are top - valuation, and of whom the lowest ask wins.
"""
