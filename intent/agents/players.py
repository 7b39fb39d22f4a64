"""What a player is called in an experiment file: a strategy, a human, or a language model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from intent.errors import UnknownNameError, UsageError, shorten
from intent.play.library import PREFIX
from intent.strategies.catalogue import CATALOGUE, strategy
from intent.strategies.noise import Noise

__all__ = [
    "ASKED",
    "BEST_REPLY",
    "CONSTANT",
    "CYCLE",
    "EQUILIBRIUM",
    "HUMAN",
    "RANDOM",
    "SCRIPTED",
    "SEQUENCE",
    "TABLE_PLAYERS",
    "TEXT_CLIENTS",
    "WRITTEN",
    "PlayerKind",
    "PlayerName",
    "parse_player",
]

PlayerKind = Literal["scripted", "human", "model"]

SCRIPTED = "scripted/"
SEQUENCE = "sequence:"
CONSTANT = "constant:"
CYCLE = "cycle:"
EQUILIBRIUM = "equilibrium"
BEST_REPLY = "best-reply"
RANDOM = "RANDOM"
WRITTEN = "written:"
ASKED = "asked:"
HUMAN = "human"

TEXT_CLIENTS = ("uniform", "first", "last", "agreeable", "erratic", "says:", ASKED)
"""Names after ``scripted/`` that stand for a language model's fake, which is asked by prompts."""

TABLE_PLAYERS = (CONSTANT + "ACTION", CYCLE + "ACTION,ACTION", EQUILIBRIUM, BEST_REPLY, RANDOM)
"""Names after ``scripted/`` that play the games of gamma-bench."""


@dataclass(frozen=True)
class PlayerName:
    """A name, understood.

    Parameters
    ----------
    kind : {"scripted", "human", "model"}
    name : str
        The strategy's canonical name, with ``axelrod:`` or ``sequence:`` where it has that; ``human``; or
        the whole name of the model.
    eps : float in [0, .5)
        Probability per move that the intended move is flipped, or, in games of more than two actions, that
        a uniform legal one is played.
    """

    kind: PlayerKind
    name: str
    eps: float = 0.0


@lru_cache(maxsize=1024)
def parse_player(text: str) -> PlayerName:
    """What a name means.

    ==============================  ==========================================================
    ``scripted/TFT``                a strategy of the catalogue, or a synonym
    ``scripted/TFT@0.05``           the same, each move flipped with probability .05
    ``scripted/GTFT(0.1)``          with its parameter
    ``scripted/axelrod:Adaptive``   a strategy of the Axelrod library
    ``scripted/sequence:CDDC``      these moves, again from the first in longer games
    ``scripted/sequence:J,F``       the same with labels of the game
    ``scripted/constant:91``        this action every time
    ``scripted/cycle:0,50,100``     one of these after the other
    ``scripted/equilibrium``        equilibrium play, in games of gamma-bench
    ``scripted/best-reply``         the best reply to the last round, there too
    ``scripted/written:NAME``       written code, in games of ``intent tournament``
    ``human``                       somebody at the terminal
    anything else                   a language model, also ``scripted/uniform`` and its like
    ==============================  ==========================================================

    Parameters
    ----------
    text : str

    Raises
    ------
    UnknownNameError
        No such strategy; the nearest names are suggested. Names of the Axelrod library are looked up
        when the player is made, since importing it takes seconds.
    StrategyError, UsageError
        Noise or a parameter that is none, an empty name or sequence.
    """
    plain = text.strip()
    if not plain:
        raise UsageError("a player without a name, expected a model, scripted/STRATEGY or human")
    if plain == HUMAN:
        return PlayerName("human", HUMAN)
    rest = plain.removeprefix(SCRIPTED)
    if rest == plain or rest in TEXT_CLIENTS or rest.startswith(("says:", ASKED)):
        return PlayerName("model", plain)
    name, at, noise = rest.rpartition("@")
    if not at:
        name, noise = rest, "0"
    return PlayerName("scripted", _canonical(name.strip(), plain), _eps(noise, plain))


def _canonical(name: str, text: str) -> str:
    if name in (EQUILIBRIUM, BEST_REPLY):
        return name
    if name.startswith((PREFIX, SEQUENCE, WRITTEN, CONSTANT, CYCLE)):
        head, _, tail = name.partition(":")
        if not tail.strip(" ,"):
            raise UsageError(f"player {shorten(text)!r} ends after {head}:, expected {_EXAMPLES[head]}")
        return f"{head}:{tail.strip()}"
    try:
        return strategy(name).name
    except UnknownNameError:
        known = [*CATALOGUE, *TEXT_CLIENTS, PREFIX, SEQUENCE, CONSTANT, CYCLE, EQUILIBRIUM, BEST_REPLY]
        raise UnknownNameError("strategy", name, known) from None


_EXAMPLES = {
    "axelrod": "a name such as axelrod:Adaptive",
    "sequence": "moves such as sequence:CDDC",
    "constant": "an action such as constant:91",
    "cycle": "actions such as cycle:0,50,100",
    "written": "a name such as written:Aggressive_3",
}


def _eps(text: str, player: str) -> float:
    try:
        eps = float(text)
    except ValueError:
        raise UsageError(
            f"player {shorten(player)!r}: noise {shorten(text)!r}, expected a probability below .5"
        ) from None
    return Noise(eps).own
