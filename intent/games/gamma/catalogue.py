"""The table of the eight games, by the names that their results are published under."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from intent.errors import GameError, UnknownNameError, shorten
from intent.games.game import parse_object

if TYPE_CHECKING:
    from intent.games.course import CourseGame
    from intent.games.gamma.relabelled import Relabelled

__all__ = ["FAMILIES", "GAMMA_GAMES", "gamma_from_json", "gamma_game", "holds_rules"]

GAMMA_GAMES: Mapping[str, str] = MappingProxyType(
    {
        "guessing": "intent.games.gamma.guessing:Guessing",
        "bar": "intent.games.gamma.bar:Bar",
        "divide_dollar": "intent.games.gamma.divide_dollar:DivideDollar",
        "public_goods": "intent.games.gamma.public_goods:PublicGoodsTokens",
        "diner": "intent.games.gamma.diner:Diner",
        "auction": "intent.games.gamma.auction:Auction",
        "battle_royale": "intent.games.gamma.battle_royale:BattleRoyale",
        "pirate": "intent.games.gamma.pirate:Pirate",
    }
)
"""Name -> ``module:Class``, in the paper's order."""

FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cooperative": ("guessing", "bar", "divide_dollar"),
        "betraying": ("public_goods", "diner", "auction"),
        "sequential": ("battle_royale", "pirate"),
    }
)
"""The paper's three families (section 2)."""

_RULES = re.compile(r'\s*\{\s*"rules"\s*:')


def gamma_game(name: str, **parameters: Any) -> CourseGame:
    """A game with the paper's parameters (ten players), or with others.

    Raises
    ------
    UnknownNameError
        No such game, or no such parameter.
    GameError
        Parameters that make no game.
    """
    import dataclasses

    if name not in GAMMA_GAMES:
        raise UnknownNameError("gamma-bench game", name, GAMMA_GAMES)
    module, _, attribute = GAMMA_GAMES[name].partition(":")
    made: Callable[..., CourseGame] = getattr(import_module(module), attribute)
    known = [field.name for field in dataclasses.fields(made)]  # type: ignore[arg-type]
    for parameter in parameters:
        if parameter not in known:
            raise UnknownNameError(f"parameter of {name}", parameter, known)
    return made(**parameters)


def holds_rules(payoffs: object) -> bool:
    """Whether a cell of the column ``payoffs`` claims to hold what `gamma_from_json` reads.

    Examples
    --------
    >>> holds_rules('{"rules":"bar"}'), holds_rules("[[3, 0], [5, 1]]"), holds_rules(None)
    (True, False, False)
    """
    return isinstance(payoffs, str) and _RULES.match(payoffs) is not None


def gamma_from_json(text: str, name: str) -> CourseGame:
    """The game that `to_json` wrote: an object with ``rules`` (the game's name here) and its parameters.

    Raises
    ------
    GameError
        The text is no such object.
    """
    table = parse_object(text, name)
    rules = table.pop("rules", None)
    if rules == "relabelled":
        return _relabelled(table, name)
    if not isinstance(rules, str) or rules not in GAMMA_GAMES:
        raise GameError(f"{name}: rules {shorten(rules)!r}, expected one of {', '.join(GAMMA_GAMES)}")
    try:
        return gamma_game(rules, **table)
    except (TypeError, UnknownNameError) as error:
        raise GameError(f"{name}: payoffs {shorten(text)!r}: {error}") from None


def _relabelled(table: Mapping[str, Any], name: str) -> Relabelled:
    """The game in another story, from its parsed object without ``rules``."""
    from intent.games.gamma.relabelled import RELABELLED, Relabelled

    inner = table.get("game")
    if set(table) != {"n_players", "story", "game"} or not isinstance(inner, dict):
        raise GameError(f"{name}: keys {shorten(sorted(table))}, expected rules, n_players, story, game")
    if inner.get("rules") == RELABELLED:
        raise GameError(f"{name}: a relabelled game in a relabelled game, expected one of the eight")
    game = Relabelled(gamma_from_json(json.dumps(inner), name))
    if (table["story"], table["n_players"]) != (game.story.name, game.n_players):
        raise GameError(
            f"{name}: story {shorten(table['story'])!r} of {shorten(table['n_players'])} players, expected "
            f"{game.story.name!r} of {game.n_players}"
        )
    return game
