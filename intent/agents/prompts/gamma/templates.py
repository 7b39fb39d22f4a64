"""GAMA-Bench's own templates, from a folder of its prompts, filled in and sent as it does."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from intent.agents.client import Message
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.gamma.gama_facts import (
    FOLDERS,
    INPUTS,
    asked_values,
    format_object,
    past_values,
    rule_values,
)
from intent.agents.prompts.gamma.plans import check_choice, check_table, version_of
from intent.agents.prompts.gamma.prompts import gamma_prompts
from intent.agents.prompts.gamma.reports import had_a_move
from intent.agents.prompts.gamma.situations import SHOTS
from intent.agents.prompts.inside import NOTHING, Inside
from intent.agents.prompts.prompt_set import FORMAT, Phase
from intent.errors import PromptError, UnknownNameError, shorten
from intent.games.course import CourseGame, Facts
from intent.play.view import View

__all__ = ["COT", "KIND", "ROLES", "GamaTemplates", "parts_of"]

KIND = "gama"

COT, ROLES = "cot_prompts", "role_prompts"
"""Folders of the chain-of-thought phrases (``cot1.txt`` …) and of the roles (``role1.txt`` …)."""

_ROLE = {"cooperative": "role1", "selfish": "role2", "mathematician": "role3"}

_MARK = "<commentblockmarker>###</commentblockmarker>"
_PART = "<part>///</part>"
_INPUT = re.compile(r"!<INPUT (\d{1,3})>!")

_WINDOW = {"public_goods": 10, "battle_royale": 19}
"""Round after which upstream begins to drop messages; 20 in the other games."""


@dataclass(frozen=True)
class GamaTemplates:
    """Templates as GAMA-Bench's authors wrote them, in their folders.

    1. System: the description, the role at its top (personas cooperative, selfish and mathematician are its
       roles 1 to 3; any other text stands there as it is).
    2. For each past round the three parts of the report: user, assistant with the own choice, user.
    3. The request, which is sent with the round it is for and not kept. Its last fact is a sentence that asks
       for the JSON object, after the chain-of-thought phrase where there is one; ``format`` and
       ``format_cot`` are templates of it (``!<INPUT 0>!`` is the object), which our words stand in for.

    Not repeated from upstream: empty lines at the beginning without a role; the chain-of-thought phrase that
    a proposing pirate was not given; ``-th`` after ``1-st``; a second report to who has shot.

    Parameters
    ----------
    name : str
    files : mapping of folder -> name without ending -> text
    upstream_window : bool
        Whether one message is dropped per round from round 21 on (11 in the public goods game), though a
        round has three, so that the conversation begins in the middle of a round; as upstream did.

    References
    ----------
    Huang et al. 2024, arXiv:2403.11807; its repository CUHK-ARISE/GAMABench, ``prompt_template``.
    """

    name: str
    files: Mapping[str, Mapping[str, str]]
    upstream_window: bool = field(default=False, kw_only=True)

    @property
    def languages(self) -> tuple[str, ...]:
        """English; a folder has no language."""
        return ("en",)

    def check(self, plan: GamePlan) -> None:
        """Refuse a plan that these templates cannot express.

        Raises
        ------
        PromptError
            A game that is none of the eight; a template that is missing or odd; another language than
            English; a number of rounds that is not told, where the description tells it; a treatment.
        """
        game = check_table(plan, self.name)
        if game.name not in FOLDERS:
            raise PromptError(f"prompts {self.name}: no templates for {shorten(game.name)}")
        if plan.language != "en":
            raise PromptError(f"prompts {self.name}: language {shorten(plan.language)!r}, expected en")
        if plan.horizon().told is None and game.name not in SHOTS:
            raise PromptError(
                f"prompts {self.name}: the description tells the number of rounds; it is hidden"
            )
        for template in INPUTS[game.name]:
            self._parts(game.name, template, version_of(plan))
        for seat in plan.seats:
            if seat.kind == "model":
                self._role(seat)
                self._thinking(seat)
                if seat.options.get("told"):
                    raise PromptError(
                        f"prompts {self.name}: no place for what {seat.name} is told of the others"
                    )

    def render(
        self, view: View, plan: GamePlan, phase: Phase, inside: Inside = NOTHING
    ) -> tuple[Message, ...]:
        """The conversation up to the request.

        Raises
        ------
        PromptError
            As for `check`, or a request of another architecture.
        """
        game = view.game
        check_choice(self.name, phase, inside)
        assert isinstance(game, CourseGame)
        seat = plan.seats[view.seat - 1]
        names = [each.name for each in plan.seats]
        version = version_of(plan)
        rules = rule_values(game, view.seat, names)
        rules |= {"rounds": view.horizon, "role": self._role(seat)}
        system = self._fill(game.name, "description", version, rules)[0]
        past: list[Message] = []
        first = 0 if plan.memory is None else max(0, view.round - 1 - plan.memory)
        for index in range(first, view.round - 1):
            if (facts := view.told[index]) is not None:
                values = {**past_values(game, view.seat, names, facts), "round": index + 1}
                parts = self._fill(game.name, _report(game.name, view.seat, facts), version, values)
                roles: Sequence[Any] = ("user", "assistant", "user")
                past += [Message(role, text) for role, text in zip(roles, parts, strict=False)]
        if self.upstream_window and plan.memory is None:
            past = past[max(0, view.round - 1 - _WINDOW.get(game.name, 20)) :]
        asked = asked_values(game, view.seat, names, view.asked)
        asked |= {"round": view.round, "format": self._format(view, seat, version)}
        request = self._fill(game.name, _request(game.name, view.asked), version, asked)[0]
        return (Message("system", system), *past, Message("user", request))

    def answer_form(self, view: View, plan: GamePlan) -> str:
        """The JSON object that the seat is asked for."""
        game, seat = view.game, plan.seats[view.seat - 1]
        assert isinstance(game, CourseGame)
        return format_object(game, view.seat, view.asked, seat.architecture == "chain_of_thought")

    def say(self, phrase: str, plan: GamePlan, **values: object) -> str:
        """A phrase in our words."""
        return gamma_prompts().say(phrase, plan.model_copy(update={"language": "en"}), **values)

    def remind(self, language: str, labels: Sequence[str], parser: str = "strict") -> str:
        """What to say after a reply that could not be read, in our words."""
        return gamma_prompts().remind("en", labels, parser)

    def to_json(self) -> str:
        """All templates."""
        table = {
            "format": FORMAT,
            "kind": KIND,
            "name": self.name,
            "files": {folder: dict(texts) for folder, texts in self.files.items()},
            "upstream_window": self.upstream_window,
        }
        return json.dumps(table, ensure_ascii=False, indent=1)

    def _text(self, folder: str, name: str) -> str:
        texts = self.files.get(folder, {})
        if name not in texts:
            known = [f"{each}/{stem}.txt" for each, stems in self.files.items() for stem in stems]
            raise PromptError(
                f"prompts {self.name}: {UnknownNameError('template', f'{folder}/{name}.txt', known)}"
            )
        return texts[name]

    def _parts(self, game: str, template: str, version: str) -> list[str]:
        where = f"{FOLDERS[game]}/{template}_{version}"
        parts = parts_of(self._text(FOLDERS[game], f"{template}_{version}"), f"{where}.txt")
        several = template.startswith("report") and not (game == "battle_royale" and template == "report")
        if len(parts) != (3 if several else 1):
            expected = "3 with <part>///</part> between" if several else "1"
            raise PromptError(f"{where}.txt: {len(parts)} parts, expected {expected}")
        if any("!<INPUT" in _INPUT.sub("", part) for part in parts):
            raise PromptError(f"{where}.txt: !<INPUT without a number, expected !<INPUT 0>!")
        for number in {int(n) for part in parts for n in _INPUT.findall(part)}:
            if number >= len(INPUTS[game][template]):
                facts = ", ".join(f"{i} {name}" for i, name in enumerate(INPUTS[game][template]))
                raise PromptError(f"{where}.txt: !<INPUT {number}>!, expected one of {facts}")
        return parts

    def _fill(self, game: str, template: str, version: str, values: Mapping[str, object]) -> list[str]:
        inputs = INPUTS[game][template]
        parts = self._parts(game, template, version)
        return [_INPUT.sub(lambda found: str(values[inputs[int(found[1])]]), part).strip() for part in parts]

    def _role(self, seat: SeatPlan) -> str:
        """The text at the top of the description."""
        if seat.persona_text is not None:
            return seat.persona_text
        if not seat.persona or seat.persona == "None":
            return ""
        role = _ROLE.get(seat.persona.casefold())
        return parts_of(self._text(ROLES, role), f"{ROLES}/{role}.txt")[0] if role else seat.persona

    def _thinking(self, seat: SeatPlan) -> str:
        """The chain-of-thought phrase, empty without one."""
        if seat.architecture != "chain_of_thought":
            return ""
        name = f"cot{seat.options.get('phrase', 1)}"
        return parts_of(self._text(COT, name), f"{COT}/{name}.txt")[0]

    def _format(self, view: View, seat: SeatPlan, version: str) -> str:
        """The sentence that asks for the object."""
        game = view.game
        assert isinstance(game, CourseGame)
        thinking = self._thinking(seat)
        wanted = format_object(game, view.seat, view.asked, bool(thinking))
        name = f"format{'_cot' if thinking else ''}_{version}"
        text = self.files.get(FOLDERS[game.name], {}).get(name)
        if text is None:
            sentence = gamma_prompts().wordings["en"].phrase("answer", answer=wanted)
        else:
            sentence = _INPUT.sub(lambda _: wanted, parts_of(text, f"{FOLDERS[game.name]}/{name}.txt")[0])
        return f"{thinking} {sentence}".strip()


def parts_of(text: str, where: str) -> list[str]:
    """The parts of a template below its comment.

    Raises
    ------
    PromptError
        No comment marker, more than one, or nothing below it.
    """
    pieces = text.split(_MARK)
    if len(pieces) != 2 or not pieces[1].strip():
        found = "nothing below it" if len(pieces) == 2 else f"{len(pieces) - 1} of them"
        raise PromptError(f"{where}: {found}, expected a text below one line {_MARK}")
    return [part.strip() for part in pieces[1].split(_PART)]


def _report(game: str, seat: int, facts: Facts) -> str:
    if game == "bar":
        return "report_explicit" if "went" in facts else "report_implicit"
    if game == "battle_royale" and had_a_move(game, seat, facts):
        return "report2"
    return "report"


def _request(game: str, asked: Facts) -> str:
    if game == "pirate":
        return "request2" if asked["role"] == "propose" else "request1"
    return "request"
