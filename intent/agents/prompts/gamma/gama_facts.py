"""What stands for ``!<INPUT k>!`` in GAMA-Bench's templates: a table of facts per game and template.

The order is that of the calls in its code (``games/*.py``); words that its code puts in are ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from intent.agents.prompts.gamma.teller import told
from intent.games.course import CourseGame, Facts

__all__ = ["FOLDERS", "INPUTS", "asked_values", "format_object", "past_values", "rule_values"]

FOLDERS: dict[str, str] = {
    "guessing": "guessing_game",
    "bar": "bar_game",
    "divide_dollar": "divide_dollar",
    "public_goods": "public_goods",
    "diner": "diner_dilemma",
    "auction": "sealed_bid_auction",
    "battle_royale": "battle_royale",
    "pirate": "pirate_game",
}
"""Game -> folder of its templates."""

_LENGTH = ("n_players", "rounds")
_ORDER = ("players", "name", "hit_rate", "rank")

INPUTS: dict[str, dict[str, tuple[str, ...]]] = {
    "guessing": {
        "description": (*_LENGTH, "low", "high", "ratio", "role"),
        "report": ("round", "mean", "ratio", "target", "winning", "own", "outcome"),
        "request": ("round", "ratio", "low", "high", "format"),
    },
    "bar": {
        "description": (*_LENGTH, "ratio", "high", "low", "home", "role"),
        "report_explicit": (
            *("round", "went", "stayed", "n_players", "compared", "fun"),
            *("ratio", "own", "gain"),
        ),
        "report_implicit": ("round", "own", "gain"),
        "request": ("round", "ratio", "format"),
    },
    "divide_dollar": {
        "description": (*_LENGTH, "gold", "role"),
        "report": ("round", "own", "total", "compared", "gold", "gain"),
        "request": ("round", "gold", "format"),
    },
    "public_goods": {
        "description": (*_LENGTH, "factor", "role"),
        "report": ("round", "contributions", "own", "total", "gain", "tokens", "holdings"),
        "request": ("round", "tokens", "format"),
    },
    "diner": {
        "description": (
            *_LENGTH,
            *("costly_price", "costly_utility", "cheap_price", "cheap_utility"),
            "role",
        ),
        "report": ("round", "costly", "cheap", "total_cost", "share", "own", "gain"),
        "request": ("round", "format"),
    },
    "auction": {
        "description": (*_LENGTH, "price_rule", "role"),
        "report": ("round", "valuation", "own", "highest", "price", "outcome", "gain"),
        "request": ("round", "valuation", "format"),
    },
    "battle_royale": {
        "description": ("n_players", *_ORDER, "role"),
        "report": ("round", "shooter", "result", "left"),
        "report2": ("round", "action", "target", "own_result", "left"),
        "request": ("round", *_ORDER, "format"),
    },
    "pirate": {
        "description": ("n_players", "gold", "rank", "role"),
        "report": ("proposer", "plan", "accepted", "voters", "own", "compared", "result"),
        "request1": ("proposer", "plan", "share", "format"),
        "request2": ("rank", "gold", "format"),
    },
}
"""Game -> template -> facts by number. ``report2`` is told to the shooter, ``request1`` to voters,
``request2`` to the proposer."""


def rule_values(game: CourseGame, seat: int, names: Sequence[str]) -> dict[str, object]:
    """Facts of the description, apart from rounds and role."""
    values: dict[str, Any] = {name: _plain(value) for name, value in game.facts().items()}
    values |= {"n_players": game.n_players, "name": names[seat - 1], "rank": seat}
    if game.name == "auction":
        values["price_rule"] = "highest bid" if values["price"] == "first" else "second highest bid"
    if game.name == "battle_royale":
        rates: Any = game.facts()["rates"]
        values |= {"players": _players(names, range(1, len(rates) + 1), rates), "hit_rate": rates[seat - 1]}
    return values


def asked_values(game: CourseGame, seat: int, names: Sequence[str], asked: Facts) -> dict[str, object]:
    """Facts of the request, apart from round and format."""
    values = {**rule_values(game, seat, names), **{name: _plain(value) for name, value in asked.items()}}
    if game.name == "battle_royale":
        alive: Any = asked["alive"]
        rates: Any = asked["rates"]
        values["players"] = _players(names, alive, rates)
    if game.name == "pirate":
        values |= {"plan": _plan(asked), "proposer": asked["proposer"]}
    return values


def past_values(game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> dict[str, object]:
    """Facts of the report, apart from the round."""
    values = {**rule_values(game, seat, names), **{name: _plain(value) for name, value in facts.items()}}
    values["own"] = "null" if facts.get("own") is None else str(facts["own"])
    values.update(_WORDS[game.name](game, seat, names, facts) if game.name in _WORDS else {})
    return values


def format_object(game: CourseGame, seat: int, asked: Facts, explained: bool) -> str:
    """The JSON object that is asked for."""
    key = game.key(asked)
    fields: dict[str, object] = {"explanation": "thinking_process"} if explained else {}
    fields[key] = _answer(game, asked)
    return json.dumps(fields, ensure_ascii=False)


def _answer(game: CourseGame, asked: Facts) -> object:
    rules: Facts = game.facts()
    if game.actions:
        return "_or_".join(game.actions)
    if game.name == "battle_royale":
        return "playerID_or_null"
    if game.name == "pirate":
        left: Any = asked["left"]
        return {str(s): f"g_{s}" for s in left} if asked["role"] == "propose" else "accept_or_reject"
    low, high = {
        "guessing": (rules.get("low", 0), rules.get("high")),
        "divide_dollar": (0, rules.get("gold")),
        "public_goods": (0, asked.get("tokens")),
        "auction": (0, asked.get("valuation")),
    }[game.name]
    return f"integer_between_{told(low)}_and_{told(high)}"


def _guessing(game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> dict[str, object]:
    return {"outcome": "You won" if facts["won"] else "You lost"}


def _bar(game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> dict[str, object]:
    if "went" not in facts:
        return {}
    crowded = facts["crowded"]
    return {"compared": "more" if crowded else "no more", "fun": "less" if crowded else "more"}


def _divide_dollar(game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> dict[str, object]:
    return {"compared": "is within" if facts["within"] else "is above"}


def _auction(game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> dict[str, object]:
    return {"outcome": "won" if facts["won"] else "lost"}


def _battle_royale(game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> dict[str, object]:
    shooter, target, left = facts["shooter"], facts["target"], facts["left"]
    shot = "missed on purpose."
    aimed = "null"
    if isinstance(target, int):
        aimed = names[target - 1]
        shot = f"shot at {aimed} and {'hit' if facts['hit'] else 'missed'}."
    return {
        "shooter": names[int(str(shooter)) - 1],
        "target": aimed,
        "action": "miss" if target is None else "shoot",
        "result": shot,
        "own_result": f"You {shot}",
        "left": left if isinstance(left, int) else len(tuple(left)),  # type: ignore[arg-type]
    }


def _pirate(game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> dict[str, object]:
    proposer = facts["proposer"]
    passed = f"The plan of pirate {proposer} is accepted and the game is over. You get {told(facts['gain'])}."
    thrown = f"Pirate {proposer} is thrown overboard and out of the game. The game goes on."
    return {
        "plan": _plan(facts),
        "own": "accept" if proposer == seat else str(facts["own"] or "null"),
        "compared": "No less" if facts["passed"] else "Less",
        "result": passed if facts["passed"] else thrown,
    }


def _plan(facts: Facts) -> str:
    """A proposal as upstream prints it: ranks and coins as JSON."""
    proposer: Any = facts["proposer"]
    shares: Any = facts.get("proposal") or ()
    return json.dumps({str(proposer + i): coins for i, coins in enumerate(shares)})


def _players(names: Sequence[str], seats: Sequence[int], rates: Sequence[float]) -> str:
    return json.dumps(
        {names[s - 1]: f"{told(rate)}%" for s, rate in zip(seats, rates, strict=True)}, ensure_ascii=False
    )


def _plain(value: object) -> object:
    """A fact as text; of several values a list as Python prints it."""
    if isinstance(value, tuple):
        return "[" + ", ".join(told(each) for each in value) + "]"
    return told(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


_WORDS: Mapping[str, Any] = {
    "guessing": _guessing,
    "bar": _bar,
    "divide_dollar": _divide_dollar,
    "auction": _auction,
    "battle_royale": _battle_royale,
    "pirate": _pirate,
}
