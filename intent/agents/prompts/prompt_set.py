"""What a set of prompts offers, and what it tells: the game, the past, an architecture's additions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from intent.agents.client import Message
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.wording import Wording
from intent.base.errors import PromptError, shorten
from intent.base.wording import number_text
from intent.base.wording import sum_text as total
from intent.games.game import Game, MatrixGame, PublicGoods
from intent.play.match import View

__all__ = [
    "FORMAT",
    "LONGEST_MESSAGE",
    "NOTHING",
    "Inside",
    "Phase",
    "PromptKind",
    "PromptSet",
    "Role",
    "check_names",
    "cut_message",
    "facts",
    "first_views",
    "history",
    "json_options",
    "legible",
    "listed",
    "messages_text",
    "persona",
    "spoken",
]


Role = Literal["player", "decider", "assistant"]
"""Whose prompt: the player's own, or one of the two that debate in the player's place."""


@dataclass(frozen=True, eq=False)
class Inside:
    """What a prompt says beyond the view.

    Parameters
    ----------
    role : {"player", "decider", "assistant"}
        The decider is not told the payoffs; the assistant is, and does not decide.
    request : block that asks for something; None is that of the phase (``choose``, ``choose_json``,
        ``communicate``)
    blocks : further blocks that are kept, such as ``tool``
    thoughts : mapping of round -> text
        The player's own private thoughts of past rounds; of these only rounds that the history shows are
        told. Never given to anybody else's prompt.
    values : further placeholders, such as ``advised``
    """

    role: Role = "player"
    request: str | None = None
    blocks: frozenset[str] = frozenset()
    thoughts: Mapping[int, str] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)


NOTHING = Inside()
"""The plain architecture."""


Phase = Literal["message", "choose"]

FORMAT = 1
"""Version of the JSON that prompt sets are saved as."""


class PromptSet(Protocol):
    """The words of a game, in one or more languages.

    Attributes
    ----------
    name : str
    languages : tuple of str
        Codes that a plan's language may be, aliases apart.
    """

    @property
    def name(self) -> str: ...
    @property
    def languages(self) -> tuple[str, ...]: ...

    def check(self, plan: GamePlan) -> None:
        """Refuse a plan that could not be put into words.

        Raises
        ------
        PromptError
            Its language, game, framing, phase or something else has no words here.
        """
        ...

    def render(
        self, view: View, plan: GamePlan, phase: Phase, inside: Inside = NOTHING
    ) -> tuple[Message, ...]:
        """The messages that ask the view's seat for its message, its choice, or what `inside` requests.

        Raises
        ------
        PromptError
            As for `check`.
        """
        ...

    def say(self, phrase: str, plan: GamePlan, **values: object) -> str:
        """A phrase of the plan's language and framing, such as the description of a tool.

        Raises
        ------
        PromptError
            There is none, or it asks for another value.
        """
        ...

    def remind(self, language: str, labels: Sequence[str], parser: str = "strict") -> str:
        """What to say after a reply that could not be read."""
        ...

    def to_json(self) -> str:
        """All texts, so that `prompts_from_json` gives an equal set on any machine."""
        ...


@dataclass(frozen=True)
class PromptKind:
    """How prompts of one kind are read; the kind is what `PromptSet.to_json` says of itself.

    Parameters
    ----------
    saved : from the table that `to_json` wrote to the prompts
    folder : from a folder to its prompts; None where its own folders are not of this kind
    texts : from (stem, language) -> text, the files of a folder, and its name to the prompts; None where
        none of the texts is of this kind
    """

    saved: Callable[[dict[str, Any]], PromptSet]
    folder: Callable[[Path], PromptSet | None] | None = None
    texts: Callable[[dict[tuple[str, str], str], str], PromptSet | None] | None = None


def check_names(plan: GamePlan) -> None:
    """Refuse players of the same name or without one, whom no reader could tell apart."""
    names = [seat.name for seat in plan.seats]
    if len(set(names)) < len(names) or not all(name.strip() for name in names):
        raise PromptError(f"{plan.game_id}: players {shorten(', '.join(names))!r}, expected different names")


def first_views(plan: GamePlan) -> tuple[View, ...]:
    """What each seat would see in round 1, and in round 2 after some joint action."""
    game, horizon = plan.stage(), plan.horizon()
    continuation = horizon.continuation if horizon.known else None
    seats = range(game.n_players)
    joint = [game.actions[seat % 2] for seat in seats]
    pasts: list[tuple[tuple[str, ...], tuple[float, ...]]] = [((), ()) for _ in seats]
    paid = [((action,), (payoff,)) for action, payoff in zip(joint, game.payoff(joint), strict=True)]
    return tuple(
        View(
            game=game,
            seat=seat + 1,
            round=number,
            horizon=horizon.announced_rounds,
            continuation=continuation,
            actions_by_seat=tuple(actions for actions, _ in past),
            payoffs_by_seat=tuple(payoffs for _, payoffs in past),
            messages_by_seat=tuple((None,) * (number - 1) for _ in seats),
            implementation_error=plan.implementation_error,
        )
        for number, past in ((1, pasts), (2, paid))
        for seat in seats
    )


def facts(view: View, plan: GamePlan, wording: Wording, role: Role = "player") -> dict[str, object]:
    """Placeholder -> value, all but those of the past; for a decider all but the payoffs too.

    Raises
    ------
    PromptError
        A game that there are no words for.
    """
    others = [plan.seats[seat - 1] for seat in view.other_seats]
    own = persona(plan.seats[view.seat - 1], wording)
    options = listed(view.game.actions, plan.listed_first)
    values: dict[str, object] = {
        "name": plan.seats[view.seat - 1].name,
        "others": wording.say("comma").join(seat.name for seat in others),
        "options": wording.say("or").join(options),
        "option_1": options[0],
        "option_2": options[1],
        "json_options": json_options(options, wording),
        "unit": wording.say(f"unit_{view.game.kind}"),
        "round": view.round,
    }
    if own is not None:
        values["own_persona"] = own
    form = "decision_form_json" if plan.reply.parser == "json" else "decision_form"
    if form in wording.phrases:
        values["decision_form"] = wording.say(form)
    if plan.title is not None:
        values["title"] = plan.title
    if hints := _hints(others, wording):
        values["hints"] = hints
    if view.horizon is not None:
        values["rounds"] = view.horizon
    elif view.continuation is not None:
        values["continuation"] = number_text(view.continuation)
    if view.implementation_error:
        values["implementation_error"] = number_text(view.implementation_error)
    if role == "decider":
        return values
    if isinstance(view.game, MatrixGame):
        return values | _matrix(view, options, plan, wording, role)
    if isinstance(view.game, PublicGoods):
        return values | _pool(view.game, options, wording)
    raise PromptError(f"{view.game.name}: no prompts for a {type(view.game).__name__}")


def listed(actions: tuple[str, ...], first: str | None) -> tuple[str, ...]:
    """The actions in the order in which they are listed.

    Raises
    ------
    PromptError
        The one to be listed first is no action.
    """
    if first is None:
        return tuple(actions)
    if first not in actions:
        raise PromptError(f"listed_first {shorten(first)!r} is not one of {', '.join(actions)}")
    return (first, *(action for action in actions if action != first))


def json_options(options: tuple[str, ...], wording: Wording) -> str:
    """The options as the JSON objects that are asked for."""
    return wording.say("or").join(json.dumps({"choice": option}, ensure_ascii=False) for option in options)


def persona(seat: SeatPlan, wording: Wording) -> str | None:
    """The words that complete “You are …”, None for a player without persona."""
    if seat.persona_text is not None:
        return seat.persona_text or None
    if not seat.persona or seat.persona == "None":
        return None
    return wording.persona(seat.persona)


def _hints(others: list[SeatPlan], wording: Wording) -> str:
    """What is told of the personas of those whose plan says a probability."""
    hints = [
        wording.say("hint", player=seat.name, persona=words, probability=number_text(probability))
        for seat in others
        if (probability := seat.opponent_persona_probability) and (words := persona(seat, wording))
    ]
    return "\n".join(hints)


def _matrix(
    view: View, options: tuple[str, ...], plan: GamePlan, wording: Wording, role: Role
) -> dict[str, object]:
    game, seat = view.game, view.seat
    name, other = plan.seats[seat - 1].name, plan.seats[2 - seat].name
    values: dict[str, object] = {"other": other}
    lines = []
    line = f"outcome_assistant_{plan.named_first}" if role == "assistant" else f"outcome_{plan.named_first}"
    unit = wording.say(f"unit_{game.kind}")
    for i, first in enumerate(options, start=1):
        for j, second in enumerate(options, start=1):
            values[f"own_{i}_{j}"], values[f"other_{i}_{j}"] = _payoffs(game, seat, first, second)
    order = listed(options, plan.outcomes_first)
    for first in order:
        for second in order:
            own, others = (first, second) if plan.named_first == "self" else (second, first)
            mine, theirs = _payoffs(game, seat, own, others)
            lines.append(
                wording.say(
                    f"{line}_first",
                    name=name,
                    own_option=own,
                    other=other,
                    other_option=others,
                    unit=unit,
                    own_payoff=mine,
                    other_payoff=theirs,
                )
            )
    return values | {"outcomes": "\n".join(lines)}


def _payoffs(game: Game, seat: int, own: str, other: str) -> tuple[str, str]:
    """Own payoff and the other's."""
    joint = (own, other) if seat == 1 else (other, own)
    pair = game.payoff(joint)
    return number_text(pair[seat - 1]), number_text(pair[2 - seat])


def _pool(game: PublicGoods, options: tuple[str, ...], wording: Wording) -> dict[str, object]:
    give, keep = game.actions
    n, c, m = game.n_players, game.cost, game.factor
    line = {give: "give_line", keep: "keep_line"}
    return {
        "n_players": n,
        "cost": number_text(c),
        "factor": number_text(m),
        "give": give,
        "keep": keep,
        "option_lines": "\n".join(wording.say(line[o], option=o, cost=number_text(c)) for o in options),
        "pool_all": number_text(c * n),
        "share_all": number_text(n * c * m / n),
        "reward_all": number_text(n * c * m / n - c),
        "share_one": number_text(c * m / n),
        "reward_one": number_text(c * m / n - c),
    }


_Who = Literal["own", "other"]

LONGEST_MESSAGE = 4_000
"""Characters of a player's message that the others are shown; the log has all of it."""


def history(view: View, plan: GamePlan, wording: Wording, inside: Inside = NOTHING) -> str:
    """All past rounds, or the last ones that the plan's memory holds, with totals.

    Players are named in the order of the plan: oneself first or the others first. The plan says whether
    totals are over the rounds shown, over all rounds or left out, and whether payoffs are. A decider reads
    choices without payoffs and no totals; an assistant reads of its client as of another player; a player
    also reads its own private thoughts of the rounds that are shown. A line that a wording leaves empty is
    left out.
    """
    last = view.round - 1
    if not last:
        return wording.say("history_none")
    shown = last if plan.memory is None else min(last, plan.memory)
    lines = [_heading(plan, shown, wording)]
    lines += [_round(view, plan, wording, inside, number) for number in range(last - shown, last)]
    whole = plan.totals == "all"
    if plan.totals != "none" and inside.role != "decider" and (shown or whole):
        lines.append(_totals(view, plan, wording, inside, 0 if whole else last - shown))
    return "\n".join(line for line in lines if line)


def messages_text(view: View, plan: GamePlan, wording: Wording, inside: Inside = NOTHING) -> str:
    """The messages of this round that the player sees, empty where there are none."""
    return wording.say("join").join(
        _message(view, plan, wording, inside, seat, text) for seat, text in view.messages
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
        return wording.say("history_counted" if plan.count_told and shown else "history_all", shown=shown)
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
    choices = plan.past == "choices" or inside.role == "decider"
    amounts = [None] * len(order) if choices else payoffs
    for seat, payoff in zip(order, amounts, strict=True):
        option = view.actions_by_seat[seat - 1][index]
        events.append(_choice(wording, *_who(view, plan, inside, seat), option, payoff, unit))
    if None in payoffs and not choices:
        events.append(wording.say("unpaid", unit=unit))
    return wording.say("round", round=index + 1, events=wording.say("join").join(events))


def _choice(
    wording: Wording, who: _Who, player: str, option: str | None, payoff: float | None, unit: str
) -> str:
    if option is None:
        return wording.say(f"{who}_missing", player=player)
    if payoff is None:
        return wording.say(f"{who}_choice_unpaid", player=player, option=option)
    return wording.say(f"{who}_choice", player=player, option=option, unit=unit, payoff=number_text(payoff))


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


def spoken(wording: Wording, phrase: str, plan: GamePlan, values: Mapping[str, object]) -> str:
    """A phrase with `values`, and with what the plan itself tells.

    Parameters
    ----------
    wording : that of the plan's language and framing
    values : lists are joined by the phrase ``or``

    Raises
    ------
    PromptError
        There is no such phrase, or it asks for another value.
    """
    joined = {
        name: wording.say("or").join(map(str, value)) if isinstance(value, list | tuple) else value
        for name, value in values.items()
    }
    return wording.say(phrase, **{**_plan_values(wording, plan), **joined})


def _plan_values(wording: Wording, plan: GamePlan) -> dict[str, object]:
    """Options, unit, and the labels of cooperation and defection where the game has them."""
    stage = plan.stage()
    values: dict[str, object] = {
        "options": wording.say("or").join(listed(stage.actions, plan.listed_first)),
        "unit": wording.say(f"unit_{stage.kind}"),
    }
    cooperate = _cooperative(stage)
    if cooperate is not None:
        values["cooperate"] = cooperate
        values["defect"] = next(action for action in stage.actions if action != cooperate)
    return values


def _cooperative(stage: Game) -> str | None:
    """The action that is cooperation for every player, None where there is none."""
    labels = {stage.cooperative_action(seat) for seat in range(1, stage.n_players + 1)}
    return labels.pop() if len(labels) == 1 else None
