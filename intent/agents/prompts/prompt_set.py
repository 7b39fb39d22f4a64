"""What a set of prompts offers to those who play.

What an architecture adds to what its seat is shown: a role, a request, its own thoughts, values.

What each architecture will ask of a prompt set, so that a run does not begin with what lacks words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from intent.agents.client import Message
from intent.agents.plan import GamePlan, SeatPlan
from intent.base.errors import PromptError, shorten
from intent.play.match import View

__all__ = [
    "FORMAT",
    "NOTHING",
    "PHRASES_OF",
    "REQUESTS_OF",
    "Inside",
    "Need",
    "Phase",
    "PromptKind",
    "PromptSet",
    "Role",
    "asks_plainly",
    "check_names",
    "first_views",
    "needed_phrases",
    "needs",
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
    request : str, optional
        Block that asks for something; None is that of the phase (``choose``, ``choose_json``,
        ``communicate``).
    blocks : frozenset of str
        Further blocks that are kept, such as ``tool``.
    thoughts : mapping of round -> text
        The player's own private thoughts of past rounds; of these only rounds that the history shows are
        told. Never given to anybody else's prompt.
    values : mapping
        Further placeholders, such as ``advised``.
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
    saved : callable
        From the table that `to_json` wrote to the prompts.
    folder : callable, optional
        From a folder to its prompts; None where its own folders are not of this kind.
    texts : callable, optional
        From (stem, language) -> text, the files of a folder, and its name to the prompts; None where none of
        the texts is of this kind.
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
            horizon=horizon.told,
            continuation=continuation,
            actions_by_seat=tuple(actions for actions, _ in past),
            payoffs_by_seat=tuple(payoffs for _, payoffs in past),
            messages_by_seat=tuple((None,) * (number - 1) for _ in seats),
            implementation_error=plan.implementation_error,
        )
        for number, past in ((1, pasts), (2, paid))
        for seat in seats
    )


_VALUES = ("thought_option", "tool_protocol", "question", "answer_form", "advised")


@dataclass(frozen=True)
class Need:
    """One prompt that an architecture will ask for.

    Parameters
    ----------
    phase : {"message", "choose"}
    inside : Inside
        With stand-ins for values.
    """

    phase: Phase
    inside: Inside

    @property
    def blocks(self) -> frozenset[str]:
        """Blocks without which the prompt would not say what it has to: the request, and the advice."""
        named = {tag for tag in self.inside.blocks if tag.startswith("advise")}
        return frozenset(named | ({self.inside.request} if self.inside.request else set()))


REQUESTS_OF: dict[str, dict[str, tuple[str, ...]]] = {
    "chain_of_thought": {"together": ("choose_reasoned",), "apart": ("think",)},
    "tool": {"native": ("choose_tool",), "prompted": ("choose_tool_prompted",)},
    "debate": {"decider": ("debate", "debate_decide"), "assistant": ("debate",)},
    "private": {"together": ("deliberate",), "apart": ("think_option", "think_deceive", "write_public")},
    "public": {"together": ("explain",), "apart": ("write_public",)},
}
"""Architecture -> way of working -> requests of its choices (`Inside.request`)."""

PHRASES_OF: dict[str, tuple[str, ...]] = {
    "chain_of_thought": ("decide_now", "remind_decision"),
    "tool": (
        *("tool_description_fixed", "tool_description_nash", "tool_result", "tool_error", "tool_refused"),
        *("argument_temptation", "argument_reward", "argument_punishment", "argument_sucker"),
        *("tool_protocol", "decide_now", "remind_decision"),
    ),
    "debate": (
        *("outcome_assistant_self_first", "outcome_assistant_other_first"),
        *("decide_now", "remind_decision"),
    ),
    "private": ("own_thought", "decide_now", "remind_decision"),
    "public": ("decide_now", "remind_decision"),
}
"""Architecture -> phrases beside those of every prompt."""

_BLOCKS = {"chain_of_thought": "chain_of_thought", "tool": "tool", "private": "private", "public": "public"}


def needs(plan: GamePlan, seat: SeatPlan) -> tuple[Need, ...]:
    """All prompts that the seat's architecture may ask for, beside those of every player.

    Where the architecture finds out by itself how it works (``auto``), both ways count, except that a
    constrained model always works in stages.
    """
    ways = REQUESTS_OF.get(seat.architecture)
    if ways is None:
        return tuple(_question(seat)) if plan.questions else ()
    prompts = []
    for way, requests in ways.items():
        if _can(way, seat):
            prompts += [_need("choose", seat, way, request) for request in requests]
    if plan.communication != "none" and seat.architecture == "private":
        prompts.append(_need("message", seat, "together", "communicate_private"))
    if plan.communication != "none" and seat.architecture == "debate":
        prompts.append(_need("message", seat, "decider", "communicate"))
    return (*prompts, *_question(seat)) if plan.questions else tuple(prompts)


def asks_plainly(plan: GamePlan, seat: SeatPlan, phase: Phase) -> bool:
    """Whether the seat reads the request of every player: for a choice, or a message, and nothing else.

    Strategies read nothing. The other architectures ask for a bare choice by a phrase, except that those
    which deliberate use the block once they have written a message.
    """
    if seat.kind != "model":
        return seat.kind == "human"
    if phase == "message":
        return seat.architecture not in ("private", "debate")
    own = set(REQUESTS_OF) - ({"private", "public"} if plan.communication != "none" else set())
    return seat.architecture not in own


def needed_phrases(plan: GamePlan, seat: SeatPlan) -> tuple[str, ...]:
    """Phrases that the seat's architecture, the plan's questions and its totals need."""
    phrases = list(PHRASES_OF.get(seat.architecture, ()))
    if plan.totals == "all":
        phrases.append("total_all")
    if plan.questions:
        phrases += [f"question_{name}" for name in plan.questions] + ["answer_form"]
    if "extremes" in plan.questions:
        phrases.append("answer_form_extremes")
    return tuple(phrases)


def _question(seat: SeatPlan) -> list[Need]:
    if seat.architecture != "debate":
        return [_need("choose", seat, "", "question")]
    of_decider = [
        _need("choose", seat, "decider", request) for request in ("debate_question", "debate_answer")
    ]
    return [*of_decider, _need("choose", seat, "assistant", "debate_question")]


def _need(phase: Phase, seat: SeatPlan, way: str, request: str) -> Need:
    blocks = {_BLOCKS[seat.architecture]} if seat.architecture in _BLOCKS else set()
    if way == "assistant":
        blocks.add("advise_compute" if seat.attitude in (None, "compute") else "advise")
    role: Role = "decider" if way == "decider" else "assistant" if way == "assistant" else "player"
    return Need(phase, Inside(role, request, frozenset(blocks), values=dict.fromkeys(_VALUES, "…")))


def _can(way: str, seat: SeatPlan) -> bool:
    """Whether the seat's options leave this way of working open."""
    stages, protocol = seat.options.get("stages", "auto"), seat.options.get("protocol", "auto")
    if way in ("together", "apart"):
        if stages == "auto":
            return way == "apart" if seat.settings.constrained else way == "together"
        return bool(stages == way)
    if way in ("native", "prompted"):
        return protocol in ("auto", way)
    return True
