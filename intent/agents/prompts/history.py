"""The past as prompts tell it: one line per round, totals, messages."""

from __future__ import annotations

from typing import Literal

from intent.agents.plan import GamePlan
from intent.agents.prompts.numerals import total, written
from intent.agents.prompts.wording import Wording
from intent.play.view import View

__all__ = ["LONGEST_MESSAGE", "cut_message", "history", "legible", "said"]

LONGEST_MESSAGE = 4_000
"""Characters of a player's message that the others are shown; the log has all of it."""


def history(view: View, plan: GamePlan, wording: Wording) -> str:
    """All past rounds, or the last ones that the plan's memory holds, with totals over the rounds shown.

    Players are named in the order of the plan: oneself first or the others first.
    """
    last = view.round - 1
    shown = last if plan.memory is None else min(last, plan.memory)
    if not shown:
        return wording.say("history_hidden" if last else "history_none")
    whole = plan.memory is None
    lines = [wording.say("history_all") if whole else wording.say("history_last", memory=plan.memory)]
    lines += [_round(view, plan, wording, number) for number in range(last - shown, last)]
    lines.append(_totals(view, plan, wording, last - shown))
    return "\n".join(lines)


def said(view: View, plan: GamePlan, wording: Wording) -> str:
    """The messages of this round that the player sees, empty where there are none."""
    return wording.say("join").join(_message(view, plan, wording, seat, text) for seat, text in view.said)


def cut_message(message: str) -> str:
    """A message, the end of one that is too long as an ellipsis."""
    return message if len(message) <= LONGEST_MESSAGE else message[:LONGEST_MESSAGE] + "…"


def legible(message: str) -> str:
    """A message on one line, not too long, in characters that can be sent."""
    cut = message[: LONGEST_MESSAGE + 1]
    flat = " ".join(cut.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").split())
    return flat[:LONGEST_MESSAGE] + "…" if len(message) > LONGEST_MESSAGE else flat


def _order(view: View, plan: GamePlan) -> tuple[int, ...]:
    if plan.named_first == "self":
        return (view.seat, *view.other_seats)
    return (*view.other_seats, view.seat)


def _round(view: View, plan: GamePlan, wording: Wording, index: int) -> str:
    """One past round, counted from 0: messages, then choices with payoffs."""
    order = _order(view, plan)
    events = []
    messages = {seat: view.messages_by_seat[seat - 1][index] for seat in order}
    if plan.communication != "none" or any(text is not None for text in messages.values()):
        events += [_message(view, plan, wording, seat, messages[seat]) for seat in order]
    unit = wording.say(f"unit_{view.game.kind}")
    payoffs = [view.payoffs_by_seat[seat - 1][index] for seat in order]
    events += [
        _choice(view, plan, wording, seat, view.actions_by_seat[seat - 1][index], payoff, unit)
        for seat, payoff in zip(order, payoffs, strict=True)
    ]
    if None in payoffs:
        events.append(wording.say("unpaid", unit=unit))
    return wording.say("round", round=index + 1, events=wording.say("join").join(events))


def _choice(
    view: View,
    plan: GamePlan,
    wording: Wording,
    seat: int,
    option: str | None,
    payoff: float | None,
    unit: str,
) -> str:
    who, player = _who(view, plan, seat)
    if option is None:
        return wording.say(f"{who}_missing", player=player)
    if payoff is None:
        return wording.say(f"{who}_choice_unpaid", player=player, option=option)
    return wording.say(f"{who}_choice", player=player, option=option, unit=unit, payoff=written(payoff))


def _message(view: View, plan: GamePlan, wording: Wording, seat: int, text: str | None) -> str:
    who, player = _who(view, plan, seat)
    if text is None:
        return wording.say(f"{who}_silent", player=player)
    return wording.say(f"{who}_message", player=player, message=legible(text))


def _totals(view: View, plan: GamePlan, wording: Wording, first: int) -> str:
    sums = []
    for seat in _order(view, plan):
        who, player = _who(view, plan, seat)
        payoffs = [x for x in view.payoffs_by_seat[seat - 1][first:] if x is not None]
        sums.append(wording.say(f"{who}_sum", player=player, sum=total(payoffs)))
    unit = wording.say(f"unit_{view.game.kind}")
    return wording.say("total", unit=unit, sums=wording.say("join").join(sums))


def _who(view: View, plan: GamePlan, seat: int) -> tuple[Literal["own", "other"], str]:
    return "own" if seat == view.seat else "other", plan.seats[seat - 1].name
