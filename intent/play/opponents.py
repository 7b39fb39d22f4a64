"""Opponents in generated play: automata, the player's own strategy, mixtures, recorded moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.errors import StrategyError, UsageError, shorten
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import SETS, strategy, strategy_set

__all__ = ["Automaton", "Mixture", "Opponent", "Recorded", "SelfPlay", "opponent"]


@dataclass(frozen=True)
class Automaton:
    """A catalogue entry (RANDOM is the fair coin of the literature's recipe)."""

    strategy: Strategy

    @property
    def name(self) -> str:
        """Name as written in the log."""
        return self.strategy.name


@dataclass(frozen=True)
class SelfPlay:
    """The same strategy as the focal player's."""

    name: str = "self"


@dataclass(frozen=True, eq=False)
class Recorded:
    """Move sequences taken from a log; each trajectory meets one of them, drawn with replacement.

    Parameters
    ----------
    moves : (m, T) int8, 1 = cooperate, -1 = not played
    name : str
    """

    moves: NDArray[np.int8]
    name: str = "recorded"

    def __post_init__(self) -> None:
        if self.moves.ndim != 2 or not self.moves.size:
            raise StrategyError(f"recorded opponents have shape {self.moves.shape}, expected (m, T)")


Simple = Automaton | SelfPlay | Recorded


@dataclass(frozen=True)
class Mixture:
    """Opponents drawn per trajectory, independently of the focal player's strategy.

    Parameters
    ----------
    parts : tuple of opponents
    weights : tuple of float, positive; normalised to one
    """

    parts: tuple[Simple, ...]
    weights: tuple[float, ...]
    name: str = "mixture"

    def __post_init__(self) -> None:
        if len(self.parts) != len(self.weights) or not self.parts or min(self.weights) <= 0:
            raise StrategyError(f"mixture has {len(self.parts)} parts and weights {self.weights}")


Opponent = Simple | Mixture


def opponent(text: str) -> Opponent:
    """The opponent of a text.

    Parameters
    ----------
    text : str
        ``random``, ``random(0.7)``, a strategy name, ``self``, ``sequence:CDDC`` (these moves whatever the
        other does, again from the first where the game is longer), a set name (each of its strategies
        equally often), or a mixture ``random=0.5,TFT=0.3,self=0.2``.

    Raises
    ------
    UnknownNameError
        A part that is none of these.
    UsageError
        A weight that is not a positive number, or a sequence of other letters than C and D.
    """
    if "=" in text or ("," in text and "(" not in text):
        parts, weights = [], []
        for item in text.split(","):
            name, _, weight = item.partition("=")
            try:
                share = float(weight) if weight else 1.0
            except ValueError:
                share = 0.0
            if not share > 0:
                raise UsageError(f"opponent {item.strip()!r}: weight {weight!r}, expected a positive number")
            parts.append(_simple(name.strip()))
            weights.append(share)
        return Mixture(tuple(parts), tuple(weights), name=text.replace(" ", ""))
    if text in SETS:
        members = strategy_set(text)
        return Mixture(tuple(Automaton(s) for s in members), (1.0,) * len(members), name=text)
    return _simple(text)


def _simple(name: str) -> Simple:
    head, colon, moves = name.partition(":")
    if colon and head.casefold() == "sequence":
        return Automaton(_sequence(moves.strip().upper()))
    return SelfPlay() if name.casefold() == "self" else Automaton(strategy(name))


def _sequence(moves: str) -> Strategy:
    """The automaton that plays given moves: one state per move, left whatever the outcome."""
    if not moves or set(moves) - {"C", "D"}:
        raise UsageError(f"opponent sequence:{shorten(moves)}, expected moves such as sequence:CDDC")
    n = len(moves)
    following = tuple(((t + 1) % n,) * 4 for t in range(n))
    return Strategy(f"sequence:{moves}", tuple(float(m == "C") for m in moves), following)
