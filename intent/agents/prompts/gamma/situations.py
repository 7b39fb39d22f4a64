"""Which pieces are said as a round is played: the rules, what it begins with, the request and its answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from intent.agents.prompts.gamma.reports import plan_lines
from intent.agents.prompts.gamma.teller import Teller, told
from intent.agents.prompts.numerals import written
from intent.agents.replies.answers import answer_value
from intent.games.course import Facts

__all__ = ["SHOTS", "answer", "form", "news", "request", "rules"]

SHOTS = ("battle_royale", "pirate")
"""Games in which players are not told how many rounds there are."""


def rules(t: Teller) -> list[str]:
    """The rules, with the parameters of the game."""
    facts = {name: _parameter(value) for name, value in t.game.facts().items()}
    if t.kind == "public_goods":
        kept = "reset" if t.game.facts()["reset"] else "kept"
        return [t.say("rules", name=t.name(t.seat), **facts), t.say(kept)]
    if t.kind == "auction":
        return [t.say("rules"), t.say(str(t.game.facts()["price"]))]
    if t.kind == "battle_royale":
        rates: Any = t.game.facts()["rates"]
        return [t.say("rules", **_place(t, range(1, len(rates) + 1), rates, t.seat, rates[t.seat - 1]))]
    if t.kind == "pirate":
        crew = t.lines("player_line", range(1, t.game.n_players + 1))
        own = {"name": t.name(t.seat), "number": t.seat}
        return [t.say("rules", pirates=crew, **own, **facts)]
    return [t.say("rules", **facts)]


def news(t: Teller, facts: Facts) -> list[str]:
    """What a seat learns as a round begins; `facts` are those of the request or of the report."""
    return [t.say("valuation", valuation=told(facts["valuation"]))] if t.kind == "auction" else []


def request(t: Teller, asked: Facts) -> list[str]:
    """What a seat is asked, without the form of the answer."""
    if t.kind == "pirate":
        return _pirate_request(t, asked)
    if t.kind == "battle_royale":
        place: Any = [asked[name] for name in ("alive", "rates", "rank", "hit_rate")]
        return [t.say("request", **_place(t, *place))]
    facts = {**t.game.facts(), **asked}
    return [t.say("request", **{name: told(value) for name, value in facts.items()})]


def form(t: Teller, asked: Facts, explained: bool) -> str:
    """The JSON object that is asked for, with words in the place of the answer."""
    key = t.game.key(asked)
    fields = [f'"explanation": "<{t.phrase("explanation")}>"'] if explained else []
    return "{" + ", ".join([*fields, f'"{key}": {_place_of_answer(t, asked)}']) + "}"


def answer(t: Teller, action: str, facts: Facts) -> str:
    """An own past action as the JSON object that was asked for."""
    role = "propose" if facts.get("proposer") == t.seat else "vote"
    proposes = t.kind == "pirate" and role == "propose"
    named = range(t.seat, t.seat + action.count(",") + 1) if proposes else ()
    return json.dumps({t.game.key({"role": role, **facts}): answer_value(action, named)}, ensure_ascii=False)


def _parameter(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return written(value)
    return value


def _place(
    t: Teller, seats: Sequence[int], rates: Sequence[float], rank: int, hit_rate: float
) -> dict[str, object]:
    """The shooting order, and one's own place in it."""
    lines = t.lines("rate_line", seats, rate=rates)
    return {"name": t.name(t.seat), "rates": lines, "rank": rank, "hit_rate": told(hit_rate)}


def _place_of_answer(t: Teller, asked: Facts) -> str:
    """What stands for the answer in the object that is asked for."""
    options = t.game.actions
    if t.kind == "pirate":
        left: Any = asked["left"]
        if asked["role"] == "propose":
            coins = t.say("form")
            return "{" + ", ".join(f'"{seat}": <{coins}>' for seat in left) + "}"
        options = t.game.legal(t.seat, asked) or ()
    if options:
        return t.phrase("or").join(json.dumps(option) for option in options)
    facts: dict[str, Any] = {**t.game.facts(), **asked}
    if t.kind == "public_goods":
        facts["tokens"] = int(facts["tokens"])
    return f"<{t.say('form', **{name: told(value) for name, value in facts.items()})}>"


def _pirate_request(t: Teller, asked: Facts) -> list[str]:
    gold = told(t.game.facts()["gold"])
    if asked["role"] == "propose":
        return [t.say("propose", gold=gold)]
    proposer: Any = asked["proposer"]
    if not asked["proposal"]:
        return [t.say("no_plan", proposer=t.name(proposer))]
    plan = plan_lines(t, proposer, asked["proposal"])
    share = told(asked["share"])
    return [t.say("vote", proposer=t.name(proposer), gold=gold, proposal=plan, share=share)]
