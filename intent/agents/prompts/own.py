"""Our own prompts, and a user's wording of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from intent.agents.client import Message
from intent.agents.plan import GamePlan
from intent.agents.prompts.facts import facts, json_options
from intent.agents.prompts.history import history, said
from intent.agents.prompts.languages import known_as
from intent.agents.prompts.prompt_set import FORMAT, Phase, check_names, first_views
from intent.agents.prompts.template import DROPPED, block_tags, fill, keep_blocks, tidy
from intent.agents.prompts.vocabulary import MATRIX, PHRASES, POOL
from intent.agents.prompts.wording import Wording, framings, our_wordings
from intent.errors import PromptError, UnknownNameError, shorten
from intent.games.public_goods import PublicGoods
from intent.play.view import View

__all__ = ["OwnPrompts", "own_prompts"]

KIND = "intent"


@dataclass(frozen=True)
class OwnPrompts:
    """Prompts from one template per kind of game and a list of phrases, per language.

    What never changes in a game stands first, then the past, the round and the request, so that
    endpoints which cache the beginning of a prompt can. All of it is one message of the user.

    Parameters
    ----------
    name : str
    wordings : mapping from language to Wording
    """

    name: str
    wordings: Mapping[str, Wording]

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages."""
        return tuple(self.wordings)

    def check(self, plan: GamePlan) -> None:
        """Refuse a plan that could not be put into words.

        Raises
        ------
        PromptError
            No such language, game or framing; a phrase is missing; no request for a message though
            the game has them; a first-listed action that the game lacks; players of the same name.
        """
        check_names(plan)
        wording = self._wording(plan.language)
        missing = [name for name in PHRASES if name not in wording.phrases]
        if missing:
            raise PromptError(f"phrases_{wording.language}: no {', '.join(missing)}; expected all phrases")
        phases: list[Phase] = ["choose"] if plan.communication == "none" else ["message", "choose"]
        for view in first_views(plan):
            where, text = self._template(view, plan, wording)
            tags = block_tags(text)
            for phase in phases:
                if _request(plan, phase) not in tags:
                    raise PromptError(
                        f"{where}: no block {{{_request(plan, phase)}}}, "
                        f"expected one to ask for a {'message' if phase == 'message' else 'choice'}"
                    )
                self.render(view, plan, phase)

    def render(self, view: View, plan: GamePlan, phase: Phase) -> tuple[Message, ...]:
        """One message that asks the view's seat for its message or its choice.

        Raises
        ------
        PromptError
            As for `check`.
        """
        wording = self._wording(plan.language)
        where, text = self._template(view, plan, wording)
        values = facts(view, plan, wording)
        values["history"] = history(view, plan, wording)
        if messages := said(view, plan, wording):
            values["messages"] = messages
        kept = _kept(values, view, plan, phase)
        bare = tidy(keep_blocks(text, kept, block_tags(text), DROPPED))
        return (Message("user", fill(bare, values, where)),)

    def remind(self, language: str, labels: Sequence[str], parser: str = "strict") -> str:
        """What to say after a reply that could not be read."""
        wording = self._wording(language)
        if parser == "json":
            return wording.say("remind_json", json_options=json_options(tuple(labels), wording))
        return wording.say("remind", options=wording.say("or").join(labels))

    def to_json(self) -> str:
        """All texts of all languages."""
        texts = {
            language: {"templates": dict(wording.templates), "phrases": dict(wording.phrases)}
            for language, wording in self.wordings.items()
        }
        table = {"format": FORMAT, "kind": KIND, "name": self.name, "languages": texts}
        return json.dumps(table, ensure_ascii=False, indent=1)

    def _wording(self, language: str) -> Wording:
        found = known_as(language, self.wordings)
        if found is None:
            raise PromptError(f"prompts {self.name}: {UnknownNameError('language', language, self.wordings)}")
        return self.wordings[found]

    def _template(self, view: View, plan: GamePlan, wording: Wording) -> tuple[str, str]:
        """Name and text of the template: the game's own, else that of its kind."""
        by_game = re.sub(r"[^a-z0-9]+", "_", plan.game.casefold()).strip("_")
        by_kind = POOL if isinstance(view.game, PublicGoods) else MATRIX
        stem = next((s for s in (by_game, by_kind) if s in wording.templates), None)
        if stem is None:
            raise PromptError(
                f"prompts {self.name}: no {by_kind}_{wording.language}.txt, needed for {shorten(plan.game)}"
            )
        where, text = f"{stem}_{wording.language}", wording.templates[stem]
        known = framings(text)
        if plan.framing not in known and plan.framing != "plain":
            raise PromptError(f"{where}: {UnknownNameError('framing', plan.framing, known)}")
        return where, text


def own_prompts() -> OwnPrompts:
    """The prompts that come with the package."""
    return OwnPrompts("intent", our_wordings())


def _request(plan: GamePlan, phase: Phase) -> str:
    if phase == "message":
        return "communicate"
    return "choose_json" if plan.reply.parser == "json" else "choose"


def _kept(values: Mapping[str, object], view: View, plan: GamePlan, phase: Phase) -> set[str]:
    """The blocks that this prompt keeps."""
    kept = {plan.framing, view.game.kind, plan.communication, _request(plan, phase)}
    needed = {
        "persona": "own_persona",
        "told": "hints",
        "known": "rounds",
        "random": "continuation",
        "said": "messages",
    }
    return kept | {tag for tag, value in needed.items() if value in values}
