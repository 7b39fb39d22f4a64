"""The past as prompts tell it: one line per round, totals, messages, one's own private thoughts."""

from __future__ import annotations

from typing import Literal

from intent.agents.plan import GamePlan
from intent.agents.prompts.inside import NOTHING, Inside
from intent.agents.prompts.numerals import total, written
from intent.agents.prompts.wording import Wording
from intent.play.view import View

__all__ = ["LONGEST_MESSAGE", "cut_message", "history", "legible", "said"]

_Who = Literal["own", "other"]

LONGEST_MESSAGE = 4_000
"""Characters of a player's message that the others are shown; the log has all of it."""


def history(view: View, plan: GamePlan, wording: Wording, inside: Inside = NOTHING) -> str:
    """All past rounds, or the last ones that the plan's memory holds, with totals.

    Players are named in the order of the plan: oneself first or the others first. Totals are over the
    rounds shown, or over all rounds where the plan says so. A decider reads choices without payoffs and
    no totals; an assistant reads of its client as of another player; a player also reads its own private
    thoughts of the rounds that are shown. A line that a wording leaves empty is left out.
    """
    last = view.round - 1
    if not last:
        return wording.say("history_none")
    shown = last if plan.memory is None else min(last, plan.memory)
    lines = [_heading(plan, shown, wording)]
    lines += [_round(view, plan, wording, inside, number) for number in range(last - shown, last)]
    whole = plan.totals == "all"
    if inside.role != "decider" and (shown or whole):
        lines.append(_totals(view, plan, wording, inside, 0 if whole else last - shown))
    return "\n".join(line for line in lines if line)


def said(view: View, plan: GamePlan, wording: Wording, inside: Inside = NOTHING) -> str:
    """The messages of this round that the player sees, empty where there are none."""
    return wording.say("join").join(
        _message(view, plan, wording, inside, seat, text) for seat, text in view.said
    )


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


def _heading(plan: GamePlan, shown: int, wording: Wording) -> str:
    if plan.memory is None:
        return wording.say("history_all", shown=shown)
    if not shown:
        return wording.say("history_hidden")
    return wording.say("history_last", memory=plan.memory, shown=shown)


def _round(view: View, plan: GamePlan, wording: Wording, inside: Inside, index: int) -> str:
    """One past round, counted from 0: own thought, messages, then choices with payoffs."""
    order = _order(view, plan)
    events = []
    if inside.role == "player" and (thought := inside.thoughts.get(index + 1)):
        events.append(wording.say("own_thought", thought=legible(thought)))
    messages = {seat: view.messages_by_seat[seat - 1][index] for seat in order}
    if plan.communication != "none" or any(text is not None for text in messages.values()):
        events += [_message(view, plan, wording, inside, seat, messages[seat]) for seat in order]
    unit = wording.say(f"unit_{view.game.kind}")
    payoffs = [view.payoffs_by_seat[seat - 1][index] for seat in order]
    told = [None] * len(order) if inside.role == "decider" else payoffs
    for seat, payoff in zip(order, told, strict=True):
        option = view.actions_by_seat[seat - 1][index]
        events.append(_choice(wording, *_who(view, plan, inside, seat), option, payoff, unit))
    if None in payoffs and inside.role != "decider":
        events.append(wording.say("unpaid", unit=unit))
    return wording.say("round", round=index + 1, events=wording.say("join").join(events))


def _choice(
    wording: Wording, who: _Who, player: str, option: str | None, payoff: float | None, unit: str
) -> str:
    if option is None:
        return wording.say(f"{who}_missing", player=player)
    if payoff is None:
        return wording.say(f"{who}_choice_unpaid", player=player, option=option)
    return wording.say(f"{who}_choice", player=player, option=option, unit=unit, payoff=written(payoff))


def _message(
    view: View, plan: GamePlan, wording: Wording, inside: Inside, seat: int, text: str | None
) -> str:
    who, player = _who(view, plan, inside, seat)
    if text is None:
        return wording.say(f"{who}_silent", player=player)
    return wording.say(f"{who}_message", player=player, message=legible(text))


def _totals(view: View, plan: GamePlan, wording: Wording, inside: Inside, first: int) -> str:
    sums = []
    for seat in _order(view, plan):
        who, player = _who(view, plan, inside, seat)
        payoffs = [x for x in view.payoffs_by_seat[seat - 1][first:] if x is not None]
        sums.append(wording.say(f"{who}_sum", player=player, sum=total(payoffs)))
    unit = wording.say(f"unit_{view.game.kind}")
    phrase = "total_all" if plan.totals == "all" else "total"
    return wording.say(phrase, unit=unit, sums=wording.say("join").join(sums))


def _who(view: View, plan: GamePlan, inside: Inside, seat: int) -> tuple[_Who, str]:
    own = seat == view.seat and inside.role != "assistant"
    return "own" if own else "other", plan.seats[seat - 1].name
