"""FAIRGAME's templates, filled in as FAIRGAME fills them in, to the last digit.

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
from typing import Any

from intent.agents.client import Message
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.prompt_set import (
    FORMAT,
    NOTHING,
    Inside,
    Phase,
    check_names,
    cut_message,
    first_views,
    spoken,
)
from intent.agents.prompts.wording import (
    LANGUAGES,
    Wording,
    block_tags,
    canonical_language,
    fill,
    keep_blocks,
    known_as,
    our_wordings,
    placeholders,
    read_folder,
)
from intent.base.errors import PromptError, UnknownNameError, shorten
from intent.behaviour.personas import published_words
from intent.games.catalogue import FAIRGAME_KINDS
from intent.games.game import MatrixGame, PublicGoods, number
from intent.play.match import View

__all__ = [
    "KIND",
    "FairgamePrompts",
    "Weight",
    "as_weight",
    "fairgame_prompts",
    "is_fairgame",
    "stem_of",
    "values_of",
    "weights_of",
]


Weight = int | float | tuple[int, int, int]
"""A number, or the cell of a 2x2 game: seat 1's action and seat 2's (from 0), whose payoff (seat from 1)."""

_AA, _AB, _BA, _BB = (0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)

PUBLISHED_WEIGHTS: dict[str, tuple[Weight, ...]] = {
    "prisoner_dilemma": (_AA, _BA, _AB, _BB),
    "snow_drift": (_AA, _BA, _AB, _BB),
    "stag_hunt": (_AA, _BA, _AB, _BB),
    "harmony_game": (_AA, _AB, _BA, _BB),
    "battle_sexes": (_AA, (0, 1, 2), _AB, (0, 0, 2)),
}
"""Stem of a published template -> where its config puts weight1, weight2, …; the numbering differs."""


def as_weight(value: Any) -> Weight:
    """A weight from JSON, where a cell is a list.

    Raises
    ------
    PromptError
        Neither a number nor a cell of a 2x2 game.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, list | tuple) and len(value) == 3:
        i, j, seat = value
        if i in (0, 1) and j in (0, 1) and seat in (1, 2):
            return (int(i), int(j), int(seat))
    raise PromptError(f"weight {shorten(value)}, expected a number, or two actions (0 or 1) and a seat")


def weight_numbers(weights: Iterable[Weight], game: object) -> list[int | float]:
    """The numbers of weights, those of cells from the game, as ints where they are."""
    numbers: list[int | float] = []
    for weight in weights:
        if not isinstance(weight, tuple):
            numbers.append(weight)
        elif isinstance(game, MatrixGame):
            i, j, seat = weight
            numbers.append(number(game.payoffs[i][j][seat - 1]))
        else:
            raise PromptError(f"weight {weight} is a cell, expected a number or a 2x2 game")
    return numbers


def weights_of(payoff_matrix: Mapping[str, Any]) -> tuple[Weight, ...]:
    """The weights of a config's ``payoffMatrix``, in its order, as cells of the game.

    A weight that no cell has is given as the number that it is. As cells, the weights follow the
    payoffs of whichever plan is played, scaled or not.

    Parameters
    ----------
    payoff_matrix : ``weights``, ``strategies``, ``combinations`` and ``matrix`` as FAIRGAME has them

    Raises
    ------
    PromptError
        One of them is missing or does not fit the others.
    """
    try:
        order = list(next(iter(payoff_matrix["strategies"].values())))
        cells: dict[str, Weight] = {}
        for joint, actions in payoff_matrix["combinations"].items():
            for seat, weight in enumerate(payoff_matrix["matrix"][joint], start=1):
                i, j = (order.index(action) for action in actions)
                cells.setdefault(weight, (i, j, seat))
        weights = payoff_matrix["weights"].items()
        return tuple(cells[key] if key in cells else as_weight(value) for key, value in weights)
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
        raise PromptError(f"payoffMatrix does not fit together: {shorten(repr(error))}") from None


def values_of(
    view: View, plan: GamePlan, weights: Iterable[Weight], labels: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """Placeholder -> value.

    Raises
    ------
    PromptError
        Weights that are no cells of the game.
    """
    opponents = [plan.seats[seat - 1] for seat in view.other_seats]
    numbers = weight_numbers(weights, view.game)
    values: dict[str, Any] = {
        "currentPlayerName": plan.seats[view.seat - 1].name,
        "currentRound": view.round,
        "history": repr(_history(view, plan, numbers)),
    }
    values |= {f"strategy{i}": label for i, label in enumerate(labels or view.game.actions, start=1)}
    values |= {f"weight{i}": value for i, value in enumerate(numbers, start=1)}
    values |= {f"opponent{i}": seat.name for i, seat in enumerate(opponents, start=1)}
    own = _persona(plan.seats[view.seat - 1], plan.language)
    if own != "None":
        values["personality"] = own
    if view.horizon is not None:
        values["nRounds"] = view.horizon
    if isinstance(view.game, PublicGoods):
        values |= _pool(view.game)
    return values | _of_opponents(opponents, plan.language)


def _of_opponents(opponents: list[SeatPlan], language: str) -> dict[str, Any]:
    """What is told of the others, if of anyone: the probability stands with whom it is about."""
    personas = [_persona(seat, language) for seat in opponents]
    chances = [number(float(seat.opponent_persona_probability)) for seat in opponents]
    if not any(chance and words != "None" for chance, words in zip(chances, personas, strict=True)):
        return {}
    values: dict[str, Any] = {
        "opponentPersonality": personas[0],
        "opponentPersonalityProbability": chances[0],
    }
    for i, (words, chance) in enumerate(zip(personas, chances, strict=True), start=1):
        values[f"opponentPersonality{i}"] = words
        values[f"opponentPersonalityProbability{i}"] = chance
    return values


def _persona(seat: SeatPlan, language: str) -> str:
    """The words for a persona, 'None' for none, as FAIRGAME has it."""
    if seat.persona_text is not None:
        return seat.persona_text or "None"
    if not seat.persona:
        return "None"
    return published_words(seat.persona, canonical_language(language))


def _history(view: View, plan: GamePlan, weights: list[int | float]) -> dict[str, dict[str, dict[str, Any]]]:
    """Round -> player -> what the others may know, in FAIRGAME's order of keys."""
    written = {float(w): w for w in reversed(weights)}
    seats = range(1, view.game.n_players + 1)
    talk = plan.communication != "none"
    last = view.round - 1
    first = 0 if plan.memory is None else max(0, last - plan.memory)
    past: dict[str, dict[str, dict[str, Any]]] = {}
    for index in range(first, last):
        entries = past.setdefault(f"round_{index + 1}", {})
        for seat in seats:
            message = view.messages_by_seat[seat - 1][index]
            entry = entries.setdefault(plan.seats[seat - 1].name, {})
            if talk or message is not None:
                entry["message"] = _cut(message)
            entry["strategy"] = view.actions_by_seat[seat - 1][index]
            entry["score"] = _score(view, view.payoffs_by_seat[seat - 1][index], written)
    if view.messages:
        now = past.setdefault(f"round_{view.round}", {})
        for seat, message in view.messages:
            now[plan.seats[seat - 1].name] = {"message": _cut(message)}
    return past


def _score(view: View, payoff: float | None, written: dict[float, int | float]) -> int | float | None:
    """A payoff as FAIRGAME holds it: the weight itself, or a float that was computed."""
    if payoff is None or isinstance(view.game, PublicGoods):
        return payoff
    return written.get(float(payoff), number(float(payoff)))


def _cut(message: str | None) -> str | None:
    return None if message is None else cut_message(message)


def _pool(game: PublicGoods) -> dict[str, Any]:
    """The placeholders of the public goods game, computed in upstream's order and not rounded."""
    c, m, n = number(float(game.cost)), float(game.factor), game.n_players
    return {
        "contributionCost": c,
        "multiplicationFactor": m,
        "numAgents": n,
        "totalIfAllContribute": c * n,
        "payoffIfAllContribute": c * n * m / n,
        "netGainIfAllContribute": c * n * m / n - c,
        "soloContributionReturn": c * m / n,
        "soloContributionNet": c * m / n - c,
    }


def check_factors(plan: GamePlan, name: str) -> None:
    """Refuse what a template cannot express, so that no factor of an experiment goes unheard.

    Raises
    ------
    PromptError
        A factor beyond them; named.
    """
    beyond = {
        f"framing {shorten(plan.framing)!r}": plan.framing != "plain",
        "named_first 'other'": plan.named_first != "self",
        f"listed_first {shorten(plan.listed_first)!r}": plan.listed_first is not None,
        "replies as JSON": plan.reply.parser == "json",
        "an implementation error": plan.implementation_error > 0,
        "a continuation probability that players know": plan.horizon_known and plan.continuation is not None,
        "totals of all rounds": plan.totals == "all",
        "past rounds without payoffs": plan.past != "payoffs",
        "a round without its number": not plan.round_told,
        "a number of past rounds": plan.count_told,
        f"outcomes_first {shorten(plan.outcomes_first)!r}": plan.outcomes_first is not None,
        "a goal beside the own payoff": plan.goal != "own",
        f"title {shorten(plan.title)!r}": plan.title is not None,
        "a request to think first": plan.reflect,
        "a system's message": plan.rules_in != "request",
        "comprehension questions": bool(plan.questions),
    }
    models = [seat for seat in plan.seats if seat.kind == "model"]
    settings = [factor for factor, set_ in beyond.items() if set_]
    settings += [
        f"architecture {shorten(seat.architecture)!r}" for seat in models if seat.architecture != "plain"
    ]
    if settings:
        raise PromptError(no_words(name, settings[0]))


def no_words(name: str, setting: str) -> str:
    """What is said of something that the templates of this name have no words for."""
    return f"prompts {name}: FAIRGAME's templates have no words for {setting}"


def stem_of(game: str, stems: Iterable[str], where: str) -> str:
    """The template of a game: that of its name, else that of the beginning or the rest of it.

    ``prisoner-dilemma-harsh`` finds ``prisoner_dilemma``, ``public-goods`` finds ``public_goods_game``,
    ``Prisoner's Dilemma`` and ``Battle of sexes`` find ``prisoner_dilemma`` and ``battle_sexes``.

    Raises
    ------
    PromptError
        None fits, or several do.
    """
    known = {_plain(stem): stem for stem in stems}
    name = _plain(game.partition("(")[0])
    if name in known:
        return known[name]
    near = [s for s in known if f"{name}_".startswith(f"{s}_") or f"{s}_".startswith(f"{name}_")]
    if len(near) != 1:
        raise PromptError(f"prompts {where}: {UnknownNameError('template', name, known.values())}")
    return known[near[0]]


def _plain(name: str) -> str:
    text = "".join(c if c.isalnum() else " " for c in name.casefold().replace("'s ", " ").replace("’s ", " "))
    return "_".join(word for word in text.split() if word not in ("of", "the"))


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
    templates : mapping from stem to mapping from language to text
    stem : the template to use; None finds it by the game's name
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
        tags = {"communicate" if phase == "message" else "choose"}
        tags |= {tag for tag, key in (("intro", "personality"), ("gameLength", "nRounds")) if key in values}
        if "opponentPersonality" in values:
            tags.add("opponentIntro")
        return (Message("user", fill(keep_blocks(text, tags, _TAGS), values, where)),)

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
        kind = FAIRGAME_KINDS.get(
            (self.stem or stem_of(plan.game, self.templates, self.name)).replace("_", "-")
        )
        if self.weights is None and kind is not None and kind != plan.payoff_kind:
            raise PromptError(f"{where}: speaks of {kind}, but {shorten(plan.game)} has {plan.payoff_kind}")

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
        if not weights and any(
            name.startswith("weight") for name in _placeholders(where, self._template(plan)[1])
        ):
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
    folder : holds ``STEM_LANGUAGE.txt`` or ``.rtf``
    stem : the config's ``templateFilename``; None finds the template by the game's name
    weights : in the order in which the config lists them (`weights_of`), scaled as the payoffs are
    strategies : mapping from language to labels, optional
        In the order in which the config lists them.
    templates : mapping from language to text, optional
        The config's ``promptTemplate``, used instead of the folder.

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
        for (key, language), text in read_folder(folder).items():
            texts.setdefault(key, {})[language] = text
    if stem is not None and stem not in texts:
        raise PromptError(f"{folder or name}: {UnknownNameError('template', stem, texts)}")
    if stem is not None:
        texts = {stem: texts[stem]}
    for key, by_language in texts.items():
        for language, text in by_language.items():
            _placeholders(f"{key}_{language}", text)
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


def _placeholders(where: str, text: str) -> tuple[str, ...]:
    """The placeholders of a template with all its blocks."""
    return placeholders(keep_blocks(text, _TAGS, _TAGS), where)


def _our_wording(language: str) -> Wording:
    code = canonical_language(language)
    return our_wordings()[code if code in LANGUAGES else "en"]
