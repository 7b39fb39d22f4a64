"""The reports of past rounds: which pieces tell a seat what it learns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from intent.agents.prompts.gamma.teller import Teller, told
from intent.games.course import Facts

__all__ = ["had_a_move", "plan_lines", "report"]


def report(t: Teller, facts: Facts) -> list[str]:
    """What a seat is told of a round that is over."""
    return _REPORTS[t.kind](t, facts)


def had_a_move(game: str, seat: int, facts: Facts) -> bool:
    """Whether the seat was asked in the round that it is told of; in the battle all but one wait."""
    return game != "battle_royale" or facts["shooter"] == seat


def _gain(t: Teller, facts: Facts) -> list[str]:
    """One's gain, of who gave an answer."""
    return [] if facts["own"] is None else [t.phrase("gain", gain=told(facts["gain"]))]


def _guessing(t: Teller, facts: Facts) -> list[str]:
    if facts["mean"] is None:
        return [t.phrase("nobody")]
    numbers = {name: told(facts[name]) for name in ("mean", "target", "winning")}
    outcome = [] if facts["own"] is None else [t.say("won" if facts["won"] else "lost")]
    return [t.say("report", ratio=t.game.facts()["ratio"], **numbers), *outcome]


def _bar(t: Teller, facts: Facts) -> list[str]:
    if "went" not in facts:
        return _gain(t, facts)
    crowd = {name: facts[name] for name in ("went", "stayed", "share")}
    piece = "crowded" if facts["crowded"] else "roomy"
    return [t.say(piece, ratio=t.game.facts()["ratio"], **crowd), *_gain(t, facts)]


def _divide_dollar(t: Teller, facts: Facts) -> list[str]:
    piece = "within" if facts["within"] else "exceeds"
    gold = told(t.game.facts()["gold"])
    return [t.say(piece, total=told(facts["total"]), gold=gold), *_gain(t, facts)]


def _public_goods(t: Teller, facts: Facts) -> list[str]:
    lists: Any = {name: facts[name] for name in ("contributions", "holdings")}
    numbers = {name: told(facts[name]) for name in ("total", "tokens")}
    amounts = {name: t.amounts(values) for name, values in lists.items()}
    return [t.say("report", **numbers, **amounts), *_gain(t, facts)]


def _diner(t: Teller, facts: Facts) -> list[str]:
    names = ("costly", "cheap", "total_cost", "share")
    return [t.say("report", **{name: told(facts[name]) for name in names}), *_gain(t, facts)]


def _auction(t: Teller, facts: Facts) -> list[str]:
    if facts["highest"] is None:
        return [t.phrase("nobody")]
    bids = t.say("report", highest=told(facts["highest"]), price=told(facts["price"]))
    outcome = [] if facts["own"] is None else [t.say("won" if facts["won"] else "lost")]
    return [bids, *outcome, *_gain(t, facts)]


def _battle_royale(t: Teller, facts: Facts) -> list[str]:
    left: Any = facts["left"]
    alive = left if isinstance(left, int) else len(left)
    shooter = t.name(facts["shooter"])
    if facts.get("own", shooter) is None:
        return []
    if facts["target"] is None:
        return [t.say("on_purpose", shooter=shooter, left=alive)]
    piece = "hit" if facts["hit"] else "missed"
    return [t.say(piece, shooter=shooter, target=t.name(facts["target"]), left=alive)]


def _pirate(t: Teller, facts: Facts) -> list[str]:
    proposer: Any = facts["proposer"]
    if not facts["proposal"]:
        return [t.say("no_plan", proposer=t.name(proposer))]
    piece = "passed" if facts["passed"] else "thrown"
    plan = plan_lines(t, proposer, facts["proposal"])
    votes = {name: told(facts[name]) for name in ("accepted", "voters")}
    return [t.say(piece, proposer=t.name(proposer), proposal=plan, **votes)]


def plan_lines(t: Teller, proposer: int, proposal: Any) -> str:
    """A proposal, one line for each pirate from the proposer down."""
    seats = range(proposer, proposer + len(proposal))
    return t.lines("share_line", seats, amount=proposal)


_REPORTS: Mapping[str, Callable[[Teller, Facts], list[str]]] = {
    "guessing": _guessing,
    "bar": _bar,
    "divide_dollar": _divide_dollar,
    "public_goods": _public_goods,
    "diner": _diner,
    "auction": _auction,
    "battle_royale": _battle_royale,
    "pirate": _pirate,
}
