"""A language model at a table: asked for a JSON object, and again where there is no legal answer in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from intent.agents.agent import Answer, Ask, Decision
from intent.agents.architectures.deciding import ask_until_read, decided, free, join_reasoning
from intent.agents.client import Message, Settings, Tool
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.languages import canonical_language
from intent.agents.prompts.prompt_set import PromptSet
from intent.agents.replies.answers import answer_value
from intent.agents.replies.reading import Reading
from intent.agents.seat_columns import seat_columns
from intent.agents.table.openings import opening
from intent.agents.table.options import table_options
from intent.agents.table.reading import TableReading, read_answer
from intent.errors import GameError, UsageError, shorten
from intent.games.course import CourseGame, Facts, has_course
from intent.play.view import View

__all__ = ["TableAgent", "answer_object", "check_rules"]


class TableAgent:
    """A language model that answers with a JSON object, as ``plain`` or ``chain_of_thought``.

    1. The prompt set renders the view.
    2. Reasoning is taken out of the reply, the object is found, and the game reads its field
       (`intent.agents.table.reading`). ``reply.parser`` is for games of labels and not used.
    3. An answer that cannot be read, or that the seat may not give now, is asked for again up to
       ``reply.retries`` times: the same prompt, or, with ``reply.remind``, followed by the last reply, why it
       was refused, and a reminder of what is expected. Reasons are in English; in another language the
       reminder stands alone.
    4. Then the move is missing, the plan's default, or missing and the last of the game. A default that is
       not legal at that moment is a missing move.

    Every refused reply leaves its reason in the move's details. What chain of thought explains is the move's
    reasoning: no other player sees it, nor does a later prompt of the seat itself.

    With ``settings.constrained`` the reply is one of the objects with a legal answer, where the game can list
    them (1,001 at most). An explanation cannot be constrained; so with chain of thought only what is asked
    after an unreadable reply is.

    Parameters
    ----------
    plan : GamePlan
    seat : int, from 1
    prompts : PromptSet

    Raises
    ------
    UsageError
        Another architecture, unknown options, a message phase, or ``then: default`` with what nobody may do
        in the first round.
    """

    def __init__(self, plan: GamePlan, seat: int, prompts: PromptSet) -> None:
        self._plan, self._seat, self._prompts = plan, plan.seats[seat - 1], prompts
        self._options = table_options(plan, self._seat)
        check_rules(plan)

    @classmethod
    def calls(cls, plan: GamePlan, seat: SeatPlan) -> tuple[int, int]:
        """Calls per own move, as expected and at most."""
        return 1, 1 + plan.reply.retries

    @property
    def columns(self) -> Mapping[str, Any]:
        """Model, persona, architecture, and the options: ``told``, ``phrase``."""
        options = {name: value for name, value in self._options.model_dump().items() if value is not None}
        return MappingProxyType({"model": self._seat.player, **seat_columns(self._seat), **options})

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move; `rng` is not used."""
        plan, turn = self._plan, _Turn(view)
        settings = self._seat.settings.model_copy(update={"choices": turn.objects})
        settled = await ask_until_read(
            turn.asking(ask, from_start=not self._options.thinks),
            self._prompts.render(view, plan, "choose"),
            settings if turn.objects else free(settings),
            turn.read,
            plan.reply,
            lambda: self._reminder(turn),
        )
        rules = plan.reply
        if settled.reading.action is None and rules.then == "default":
            default = turn.legal(rules.default)
            rules = rules.model_copy(update={"default": default} if default else {"then": "missing"})
        thought = turn.last.explanation if self._options.thinks else None
        return decided(settled, rules, reasoning=join_reasoning(settled.last.reasoning, thought))

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """Silence."""
        return Decision(None)

    def _reminder(self, turn: _Turn) -> str:
        """Why the answer was refused, and what is expected, by its form where the prompt set has that."""
        form = getattr(self._prompts, "answer_form", None)
        forms = turn.objects[:1] if form is None else (form(turn.view, self._plan),)
        expected = self._prompts.remind(self._plan.language, forms)
        english = canonical_language(self._plan.language) == "en"
        return f"{turn.refused[-1]}\n\n{expected}" if english else expected


class _Turn:
    """One move in the making: what may be answered, and what was refused.

    Parameters
    ----------
    view : View

    Attributes
    ----------
    objects : tuple of str
        The JSON objects of all legal answers; empty where they are too many to list.
    refused : list of str
        Why replies were refused.
    last : TableReading
    """

    def __init__(self, view: View) -> None:
        assert has_course(view.game)
        self.view, self.game = view, view.game
        key, listed = self.game.key(view.asked), self.game.legal(view.seat, view.asked)
        self.objects = _objects(key, listed or (), _named(view.asked))
        self.refused: list[str] = []
        self.last = TableReading(None)

    def read(self, text: str) -> Reading:
        """The action of a reply."""
        self.last = read_answer(text, self.game, self.view.seat, self.view.asked)
        if self.last.action is None:
            self.refused.append(self.last.why or "")
        return Reading(self.last.action, self.last.why)

    def legal(self, action: str | None) -> str | None:
        """The action as the log has it, None where it is not legal."""
        try:
            return self.game.read(action, self.view.seat, self.view.asked)
        except GameError:
            return None

    def asking(self, ask: Ask, *, from_start: bool) -> Ask:
        """Asks that keep a constraint from the first request on, or from the second."""

        async def asked(
            messages: Sequence[Message],
            settings: Settings | None = None,
            *,
            purpose: str = "choose",
            tools: Sequence[Tool] = (),
        ) -> Answer:
            if settings is not None and not from_start and not self.refused:
                settings = settings.model_copy(update={"constrained": False})
            return await ask(messages, settings, purpose=purpose, tools=tools)

        return asked


def answer_object(key: str, action: str, asked: Facts) -> str:
    """An action as the JSON object that is asked for.

    Examples
    --------
    >>> answer_object("chosen_number", "37", {}), answer_object("target", "miss", {"alive": (1, 3)})
    ('{"chosen_number": 37}', '{"target": null}')
    >>> answer_object("proposal", "99,1", {"role": "propose", "left": (3, 4)})
    '{"proposal": {"3": 99, "4": 1}}'
    """
    return _objects(key, (action,), _named(asked))[0]


def _named(asked: Facts) -> tuple[int, ...]:
    """The seats that a proposal names."""
    return cast("tuple[int, ...]", asked["left"]) if asked.get("role") == "propose" else ()


@lru_cache(maxsize=64)
def _objects(key: str, actions: tuple[str, ...], named: tuple[int, ...]) -> tuple[str, ...]:
    """Actions as objects: hundreds of them, and mostly the same for all seats and rounds."""
    return tuple(json.dumps({key: answer_value(a, named)}, ensure_ascii=False) for a in actions)


def check_rules(plan: GamePlan) -> None:
    """Refuse a message phase, and a default that nobody may do in the first round.

    Raises
    ------
    UsageError
    """
    game = plan.stage()
    assert isinstance(game, CourseGame)
    if plan.communication != "none":
        raise UsageError(f"{plan.game_id}: {plan.game} has no message phase, expected communication: none")
    if plan.reply.then != "default":
        return
    why = "none is given"
    for seat, asked in opening(game).items():
        try:
            game.read(plan.reply.default if plan.reply.default is not None else "", seat, asked)
        except GameError as error:
            why = str(error)
        else:
            return
    raise UsageError(f"{plan.game_id}: reply.default {shorten(plan.reply.default)!r}: {why}")
