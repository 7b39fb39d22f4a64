"""The prompt set ``gamma``: our words for the eight games, in five wordings and five languages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np

from intent.agents.client import Message
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.gamma.pieces import PHRASES_FILE, game_of
from intent.agents.prompts.gamma.plans import check_choice, check_table, version_of
from intent.agents.prompts.gamma.reports import had_a_move, report
from intent.agents.prompts.gamma.situations import SHOTS, answer, form, news, request, rules
from intent.agents.prompts.gamma.teller import Teller
from intent.agents.prompts.gamma.turns import Turns
from intent.agents.prompts.gamma.wording import GammaWording, our_gamma_wordings
from intent.agents.prompts.inside import NOTHING, Inside
from intent.agents.prompts.languages import in_language
from intent.agents.prompts.numerals import written
from intent.agents.prompts.prompt_set import FORMAT, Phase
from intent.errors import PromptError, shorten
from intent.games.course import has_course
from intent.play.view import View

__all__ = ["KIND", "GammaPrompts", "gamma_prompts"]

KIND = "gamma"

ROUNDS_KEPT = 16_384
"""Past rounds of seats whose words are kept: every later prompt repeats them."""

Said = tuple[Literal["user", "assistant"], str]
"""A paragraph of a user's message, or an answer."""


@dataclass(frozen=True)
class GammaPrompts:
    """Conversations of a player with the table: rules, past rounds by turns, and the request.

    1. The system's message: persona, number of players and rounds, rules, what is told of the others.
    2. For each past round that is shown: a user's message in which the round begins, and the assistant's,
       which is the player's own choice as the JSON object, whatever it had written around it. The report of
       a round stands in the next user's message; so does that of a round in which the player had no move,
       or gave no valid answer.
    3. The last user's message ends with the request, which is not repeated in later rounds. What a player
       is sent in one round is therefore the beginning of what it is sent in the next, up to the request.

    `GamePlan.framing` is the wording (``v1`` … ``v5``; ``plain`` is ``v1``), `SeatPlan.persona` one of the
    phrases or any text, ``SeatPlan.options["told"]`` what is told of the others: ``equilibrium``, ``smart``,
    ``random``, or any text. `GamePlan.memory` limits the past.

    Parameters
    ----------
    name : str
    wordings : mapping from language to GammaWording
    """

    name: str
    wordings: Mapping[str, GammaWording]
    _past: Callable[..., tuple[Said, ...]] = field(
        default_factory=lambda: lru_cache(ROUNDS_KEPT)(_past), init=False, repr=False, compare=False
    )

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages."""
        return tuple(self.wordings)

    def check(self, plan: GamePlan) -> None:
        """Refuse a plan that could not be put into words.

        Raises
        ------
        PromptError
            No such language or wording; a piece is missing; a game that is none of the eight; messages,
            comprehension questions, players of the same name, or factors of matrix games.
        """
        game = check_table(plan, self.name)
        wording = self._wording(plan.language)
        if game.name not in wording.pieces:
            known = [code for code, other in self.wordings.items() if game.name in other.pieces]
            told = f"; it is told in {', '.join(known)}" if known else ""
            raise PromptError(f"no {game.name}_{plan.language}.txt, expected a text of the game{told}")
        wording.check(game.name, version_of(plan))
        for seat in plan.seats:
            if seat.kind == "model" and seat.architecture not in ("plain", "chain_of_thought"):
                raise PromptError(
                    f"prompts {self.name}: no words for architecture {shorten(seat.architecture)!r}, "
                    "expected plain or chain_of_thought"
                )

    def render(
        self, view: View, plan: GamePlan, phase: Phase, inside: Inside = NOTHING
    ) -> tuple[Message, ...]:
        """The conversation up to the request for the view's seat.

        Raises
        ------
        PromptError
            As for `check`, or a request of another architecture.
        """
        check_choice(self.name, phase, inside)
        t = self._teller(view, plan)
        turns = Turns(self._system(t, view, plan))
        shown = view.round - 1 if plan.memory is None else min(view.round - 1, plan.memory)
        for index in range(view.round - 1 - shown, view.round - 1):
            if (facts := view.told[index]) is not None:
                for say, text in self._past(t, index + 1, view.own[index], tuple(facts.items())):
                    turns.user(text) if say == "user" else turns.assistant(text)
        seat = plan.seats[view.seat - 1]
        thinks = seat.architecture == "chain_of_thought"
        turns.user(t.phrase("begin", round=view.round), *news(t, view.asked))
        turns.user(*request(t, view.asked))
        thinking = [t.phrase(f"thinking_{seat.options.get('phrase', 1)}")] if thinks else []
        turns.user(*thinking, t.phrase("answer", answer=form(t, view.asked, thinks)))
        return turns.messages()

    def answer_form(self, view: View, plan: GamePlan) -> str:
        """The JSON object that the seat is asked for, with words in the place of the answer."""
        seat = plan.seats[view.seat - 1]
        return form(self._teller(view, plan), view.asked, seat.architecture == "chain_of_thought")

    def say(self, phrase: str, plan: GamePlan, **values: object) -> str:
        """A phrase of the plan's language and wording."""
        return self._wording(plan.language).phrase(phrase, version_of(plan), **values)

    def remind(self, language: str, labels: Sequence[str], parser: str = "strict") -> str:
        """What to say after a reply that could not be read; `labels` are forms of the answer."""
        wording = self._wording(language)
        return wording.phrase("remind", answer=wording.phrase("or").join(labels) or "{…}")

    def to_json(self) -> str:
        """All pieces of all languages."""
        texts = {
            language: {stem: dict(pieces) for stem, pieces in wording.pieces.items()}
            for language, wording in self.wordings.items()
        }
        table = {"format": FORMAT, "kind": KIND, "name": self.name, "languages": texts}
        return json.dumps(table, ensure_ascii=False, indent=1)

    def _wording(self, language: str) -> GammaWording:
        return in_language(language, self.wordings, self.name)

    def _teller(self, view: View, plan: GamePlan) -> Teller:
        if not has_course(view.game) or game_of(view.game.name) is None:
            raise PromptError(f"prompts {self.name}: no words for {shorten(view.game.name)}")
        names = tuple(seat.name for seat in plan.seats)
        return Teller(self._wording(plan.language), version_of(plan), view.game, view.seat, names)

    def _system(self, t: Teller, view: View, plan: GamePlan) -> str:
        seat = plan.seats[view.seat - 1]
        opening = [t.phrase("opening", n_players=t.game.n_players)]
        if t.kind not in SHOTS:
            if view.horizon is not None:
                opening.append(t.phrase("known", rounds=view.horizon))
            elif view.continuation is not None:
                opening.append(t.phrase("random", continuation=written(view.continuation)))
        parts = [_persona(t, seat), "\n".join(opening), "\n".join(rules(t)), _treatment(t, seat, view)]
        return "\n\n".join(part for part in parts if part)


def gamma_prompts() -> GammaPrompts:
    """The prompts that come with the package."""
    return GammaPrompts("gamma", our_gamma_wordings())


def _persona(t: Teller, seat: SeatPlan) -> str:
    """The sentence on the persona, empty without one."""
    if seat.persona_text is not None:
        return t.phrase("persona", persona=seat.persona_text) if seat.persona_text else ""
    if not seat.persona or seat.persona == "None":
        return ""
    known = f"persona_{'_'.join(seat.persona.casefold().split())}"
    if t.wording.has(PHRASES_FILE, known):
        return t.phrase(known)
    return t.phrase("persona", persona=seat.persona)


def _treatment(t: Teller, seat: SeatPlan, view: View) -> str:
    """What is told of the others, empty where nothing is."""
    treatment = seat.options.get("told")
    if not treatment:
        return ""
    known = f"told_{treatment}"
    if t.wording.has(t.game.name, known):
        action = t.game.equilibrium(view.seat, view.asked, np.random.default_rng(0))
        return t.say(known, equilibrium=action)
    return t.phrase(known) if t.wording.has(PHRASES_FILE, known) else str(treatment)


def _past(t: Teller, number: int, own: str | None, told: tuple[tuple[str, object], ...]) -> tuple[Said, ...]:
    """A past round: its beginning, the own choice, the report."""
    facts, said = dict(told), list[Said]()
    begin = (t.phrase("begin", round=number), *news(t, facts))
    if own is not None:
        said += [("user", "\n".join(begin)), ("assistant", answer(t, own, facts))]
    elif had_a_move(t.kind, t.seat, facts):
        said.append(("user", "\n".join((*begin, t.phrase("missing", round=number)))))
    if lines := report(t, facts):
        said.append(("user", "\n".join((t.phrase("results", round=number), *lines))))
    return tuple(said)
