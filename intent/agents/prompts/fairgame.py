"""FAIRGAME's templates, filled in as FAIRGAME fills them in.

References
----------
Buscemi et al. 2025, FAIRGAME: a Framework for AI Agents Bias Recognition using Game Theory,
arXiv:2504.14325; Huynh et al. 2025 (the templates of the public goods game).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from intent.agents.client import Message
from intent.agents.plan import GamePlan
from intent.agents.prompts.fairgame_factors import check_factors, no_words
from intent.agents.prompts.fairgame_stem import stem_of
from intent.agents.prompts.fairgame_values import values_of
from intent.agents.prompts.fairgame_weights import PUBLISHED_WEIGHTS, Weight, as_weight, weight_numbers
from intent.agents.prompts.files import read_folder
from intent.agents.prompts.inside import NOTHING, Inside
from intent.agents.prompts.languages import LANGUAGES, canonical_language, known_as
from intent.agents.prompts.prompt_set import FORMAT, Phase, check_names, first_views
from intent.agents.prompts.spoken import spoken
from intent.agents.prompts.template import block_tags, fill, keep_blocks, placeholders
from intent.agents.prompts.wording import Wording, our_wordings
from intent.errors import PromptError, UnknownNameError, shorten
from intent.games.fairgame import FAIRGAME_KINDS
from intent.games.matrix import MatrixGame
from intent.play.view import View

__all__ = ["KIND", "FairgamePrompts", "fairgame_prompts", "is_fairgame"]

KIND = "fairgame"

_TAGS = ("intro", "opponentIntro", "gameLength", "communicate", "choose")
_MARKS = ("currentPlayerName", "currentRound", "strategy1", "opponent1", "weight1")


@dataclass(frozen=True)
class FairgamePrompts:
    """Templates as FAIRGAME's authors wrote them.

    ``{history}`` is the text of a Python dictionary of all rounds, as there, but without the earlier
    prompts, which upstream repeats in games with messages. ``{opponentPersonality}`` without a number
    means that of the first opponent.

    Parameters
    ----------
    name : str
    templates : mapping from stem to mapping from language to text
    stem : str, optional
        The template to use; None finds it by the game's name.
    weights : tuple of Weight, optional
        The numbers of ``{weight1}``, ``{weight2}``, …: a number, which is written as it is, or the cell of
        the game that it stands in. None takes the cells of the published config of that stem.
    strategies : mapping from language to labels, optional
        Labels of ``{strategy1}``, …; None takes the game's actions in their order.
    """

    name: str
    templates: Mapping[str, Mapping[str, str]]
    stem: str | None = None
    weights: tuple[Weight, ...] | None = None
    strategies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of all languages of which there is a template."""
        return tuple(dict.fromkeys(code for texts in self.templates.values() for code in texts))

    def check(self, plan: GamePlan) -> None:
        """Refuse a plan that these templates cannot express.

        Raises
        ------
        PromptError
            No template for the game or the language; weights that are not the payoffs; labels that
            are not the actions; messages without a block ``{communicate}``; or what templates do not
            know: framing, order of names or options, JSON, a continuation probability, totals of all
            rounds, comprehension questions, an architecture other than plain.
        """
        check_names(plan)
        check_factors(plan, self.name)
        for view in first_views(plan):
            where, text = self._template(plan)
            self._check_kind(plan, where)
            self._check_numbers(view, plan, where)
            if plan.communication != "none":
                if "communicate" not in block_tags(text):
                    raise PromptError(
                        f"{where}: no block {{communicate}}, so a message phase would ask for a choice"
                    )
                self.render(view, plan, "message")
            self.render(view, plan, "choose")

    def render(
        self, view: View, plan: GamePlan, phase: Phase, inside: Inside = NOTHING
    ) -> tuple[Message, ...]:
        """One message of the user, as FAIRGAME sends it.

        Raises
        ------
        PromptError
            As for `check`, a placeholder that the template may not use here, or a request or a role of
            another architecture.
        """
        if inside.request or inside.role != "player":
            raise PromptError(no_words(self.name, inside.request or f"role {inside.role}"))
        where, text = self._template(plan)
        values = values_of(view, plan, self._weights(plan), self._labels(plan))
        kept = {"communicate" if phase == "message" else "choose"}
        kept |= {tag for tag, key in (("intro", "personality"), ("gameLength", "nRounds")) if key in values}
        if "opponentPersonality" in values:
            kept.add("opponentIntro")
        return (Message("user", fill(keep_blocks(text, kept, _TAGS), values, where)),)

    def remind(self, language: str, labels: Sequence[str], parser: str = "strict") -> str:
        """What to say after a reply that could not be read, in our words; English where we have none."""
        wording = _our_wording(language)
        return wording.say("remind", options=wording.say("or").join(labels))

    def say(self, phrase: str, plan: GamePlan, **values: object) -> str:
        """A phrase in our words; English where we have none."""
        return spoken(_our_wording(plan.language), phrase, plan, values)

    def to_json(self) -> str:
        """All templates with stem, weights and labels."""
        table = {
            "format": FORMAT,
            "kind": KIND,
            "name": self.name,
            "templates": {stem: dict(texts) for stem, texts in self.templates.items()},
            "stem": self.stem,
            "weights": None if self.weights is None else list(self.weights),
            "strategies": {language: list(labels) for language, labels in self.strategies.items()},
        }
        return json.dumps(table, ensure_ascii=False, indent=1)

    def _template(self, plan: GamePlan) -> tuple[str, str]:
        stem = self.stem or stem_of(plan.game, self.templates, self.name)
        texts = self.templates[stem]
        language = known_as(plan.language, texts)
        if language is None:
            raise PromptError(
                f"prompts {self.name}: no {stem}_{shorten(plan.language, 20)}.txt or .rtf; "
                f"languages there: {', '.join(texts)}"
            )
        return f"{stem}_{language}", texts[language]

    def _weights(self, plan: GamePlan) -> tuple[Weight, ...]:
        if self.weights is not None:
            return self.weights
        return PUBLISHED_WEIGHTS.get(self.stem or stem_of(plan.game, self.templates, self.name), ())

    def _labels(self, plan: GamePlan) -> tuple[str, ...] | None:
        language = known_as(plan.language, self.strategies)
        return None if language is None else self.strategies[language]

    def _check_kind(self, plan: GamePlan, where: str) -> None:
        """Refuse a published template for a game whose numbers mean the opposite."""
        said = FAIRGAME_KINDS.get(
            (self.stem or stem_of(plan.game, self.templates, self.name)).replace("_", "-")
        )
        if self.weights is None and said is not None and said != plan.payoff_kind:
            raise PromptError(f"{where}: speaks of {said}, but {shorten(plan.game)} has {plan.payoff_kind}")

    def _check_numbers(self, view: View, plan: GamePlan, where: str) -> None:
        """Refuse to tell players other payoffs or labels than they get."""
        labels = self._labels(plan)
        if labels is not None and sorted(labels) != sorted(view.game.actions):
            raise PromptError(
                f"{where}: strategies {', '.join(labels)}, expected the actions "
                f"{', '.join(view.game.actions)}"
            )
        if not isinstance(view.game, MatrixGame):
            return
        weights = {float(w) for w in weight_numbers(self._weights(plan), view.game)}
        if not weights and any(name.startswith("weight") for name in _asked(where, self._template(plan)[1])):
            raise PromptError(f"{where}: no numbers for {{weight1}}, …; play it with its FAIRGAME config")
        stray = sorted({x for row in view.game.payoffs for cell in row for x in cell} - weights)
        if weights and stray:
            raise PromptError(
                f"{where}: the game pays {stray[0]}, which is none of its weights {sorted(weights)}"
            )


def fairgame_prompts(
    folder: str | Path | None,
    stem: str | None = None,
    weights: Iterable[Weight] | None = None,
    strategies: Mapping[str, Sequence[str]] | None = None,
    *,
    templates: Mapping[str, str] | None = None,
    name: str = "fairgame",
) -> FairgamePrompts:
    """FAIRGAME's templates from a folder, or as they stand in a config.

    Parameters
    ----------
    folder : path, optional
        Holds ``STEM_LANGUAGE.txt`` or ``.rtf``.
    stem : str, optional
        The config's ``templateFilename``; None finds the template by the game's name.
    weights : iterable of Weight, optional
        In the order in which the config lists them (`weights_of`), scaled as the payoffs are.
    strategies : mapping from language to labels, optional
        In the order in which the config lists them.
    templates : mapping from language to text, optional
        The config's ``promptTemplate``, used instead of the folder.
    name : str

    Raises
    ------
    PromptError
        No such folder or template, or one that is no template.
    """
    texts: dict[str, dict[str, str]] = {}
    if templates is not None:
        stem = stem or "promptTemplate"
        texts[stem] = {str(language): str(text) for language, text in templates.items()}
    elif folder is not None:
        for (found, language), text in read_folder(folder).items():
            texts.setdefault(found, {})[language] = text
    if stem is not None and stem not in texts:
        raise PromptError(f"{folder or name}: {UnknownNameError('template', stem, texts)}")
    if stem is not None:
        texts = {stem: texts[stem]}
    for found, by_language in texts.items():
        for language, text in by_language.items():
            _asked(f"{found}_{language}", text)
    return FairgamePrompts(
        name,
        texts,
        stem,
        None if weights is None else tuple(as_weight(w) for w in weights),
        {language: tuple(labels) for language, labels in (strategies or {}).items()},
    )


def is_fairgame(text: str) -> bool:
    """Whether a template has FAIRGAME's placeholders."""
    return any(f"{{{mark}}}" in text for mark in _MARKS)


def _asked(where: str, text: str) -> tuple[str, ...]:
    """The placeholders of a template with all its blocks."""
    return placeholders(keep_blocks(text, _TAGS, _TAGS), where)


def _our_wording(language: str) -> Wording:
    code = canonical_language(language)
    return our_wordings()[code if code in LANGUAGES else "en"]
