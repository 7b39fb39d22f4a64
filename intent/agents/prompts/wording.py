"""The texts of one language: templates and phrases, ours or a user's, checked before they are used."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import TypeVar

from intent.agents.prompts.template import (
    block_tags,
    blocks,
    fill,
    line_of,
    nested_block,
    placeholders,
    resolve_blocks,
)
from intent.base.errors import PromptError, UnknownNameError

__all__ = [
    "ASSISTANT",
    "CONDITIONS",
    "DECIDER",
    "FRAMINGS",
    "INSIDE_PHRASES",
    "INSIDE_PLACEHOLDERS",
    "LANGUAGES",
    "LANGUAGE_ALIASES",
    "MATRIX",
    "OPTIONAL",
    "PERSONA",
    "PHRASES",
    "PHRASES_FILE",
    "PLAIN_PHRASES",
    "POOL",
    "QUESTIONS",
    "SHARED_PLACEHOLDERS",
    "SYSTEM_END",
    "TEMPLATES",
    "Wording",
    "canonical_language",
    "check_template",
    "framings",
    "in_language",
    "known_as",
    "known_placeholders",
    "our_wordings",
    "parse_phrases",
    "variant_of",
]


PERSONA = "persona_"
"""Phrases that begin so are personas: ``persona_selfish`` words the persona ``selfish``."""

FRAMINGS = ("plain", "prison", "business", "years")
"""Cover stories of our own templates."""

_MOVE = ("option", "unit", "payoff")
_OUTCOME_SELF = ("own_option", "other", "other_option", "unit", "own_payoff", "other", "unit", "other_payoff")
_OUTCOME_OTHER = (
    "other",
    "other_option",
    "own_option",
    "other",
    "unit",
    "other_payoff",
    "unit",
    "own_payoff",
)

PLAIN_PHRASES: dict[str, tuple[str, ...]] = {
    "unit_reward": (),
    "unit_penalty": (),
    "hint": ("player", "persona", "probability"),
    "or": (),
    "comma": (),
    "outcome_self_first": _OUTCOME_SELF,
    "outcome_other_first": _OUTCOME_OTHER,
    "give_line": ("option", "cost"),
    "keep_line": ("option",),
    "history_none": (),
    "history_hidden": (),
    "history_all": (),
    "history_last": ("memory",),
    "round": ("round", "events"),
    "join": (),
    "own_choice": _MOVE,
    "other_choice": ("player", *_MOVE),
    "own_choice_unpaid": ("option",),
    "other_choice_unpaid": ("player", "option"),
    "own_missing": (),
    "other_missing": ("player",),
    "unpaid": ("unit",),
    "total": ("unit", "sums"),
    "own_sum": ("sum",),
    "other_sum": ("sum", "player"),
    "own_message": ("message",),
    "other_message": ("player", "message"),
    "own_silent": (),
    "other_silent": ("player",),
    "remind": ("options",),
    "remind_json": ("json_options",),
}
"""Phrase -> its placeholders, in the order in which all languages of ours have them.

Every set of prompts needs these.
"""

INSIDE_PHRASES: dict[str, tuple[str, ...]] = {
    "outcome_assistant_self_first": (
        *("name", "own_option", "other", "other_option"),
        *("name", "unit", "own_payoff", "other", "unit", "other_payoff"),
    ),
    "outcome_assistant_other_first": (
        *("other", "other_option", "name", "own_option"),
        *("other", "unit", "other_payoff", "name", "unit", "own_payoff"),
    ),
    "total_all": ("unit", "sums"),
    "own_thought": ("thought",),
    "tool_description_fixed": (),
    "tool_description_nash": ("unit",),
    "argument_temptation": ("unit", "defect", "cooperate"),
    "argument_reward": ("unit", "cooperate", "cooperate"),
    "argument_punishment": ("unit", "defect", "defect"),
    "argument_sucker": ("unit", "cooperate", "defect"),
    "tool_protocol": ("tool_name", "tool_description", "tool_arguments"),
    "tool_result": ("advised",),
    "tool_error": ("problem",),
    "tool_refused": (),
    "decide_now": ("options",),
    "remind_decision": ("options",),
    "question_opponent_next": ("other", "options"),
    "question_rounds_so_far": (),
    "question_extremes": ("unit",),
    "question_total_so_far": ("unit",),
    "question_opponent_type": ("other", "other"),
    "answer_form": (),
    "answer_form_extremes": (),
}
"""Phrase -> its placeholders; needed by some architecture, by questions or by a plan's totals only."""

PHRASES = PLAIN_PHRASES | INSIDE_PHRASES

OPTIONAL: dict[str, tuple[str, ...]] = {"history_all": ("shown",), "history_last": ("shown",)}
"""Phrase -> further placeholders that a user's wording may have: the number of rounds that are shown."""


def variant_of(name: str, framings: Container[str]) -> str | None:
    """The phrase that `name` is a variant of: ``unpaid`` for ``unpaid_years``; None where it is none."""
    base, _, framing = name.rpartition("_")
    return base if base in PHRASES and name not in PHRASES and framing in framings else None


MATRIX, POOL = "two_players", "public_goods"
"""Templates of the two kinds of games, for players."""

DECIDER = "decider"
"""Template of the one who decides in a debate, for all games: the payoffs are not told."""

ASSISTANT = "assistant_"
"""Templates of the assistant in a debate begin so: ``assistant_two_players``."""

PHRASES_FILE = "phrases"

SHARED_PLACEHOLDERS: dict[str, str] = {
    "name": "the player's own name",
    "others": "names of the others",
    "own_persona": "persona, completing “You are …”; inside {persona} only",
    "hints": "what is told of the others' personas; inside {told} only",
    "options": "both options, the first-listed first, joined by the phrase {or}",
    "option_1": "the first-listed option",
    "option_2": "the other option",
    "json_options": 'both options as {"choice": …}',
    "unit": "reward or penalty",
    "rounds": "number of rounds; inside {known} only",
    "continuation": "probability of another round; inside {random} only",
    "implementation_error": "probability that the opposite of a choice is played; inside {errors} only",
    "round": "number of the round to be played",
    "history": "past rounds, one line each, and totals",
    "messages": "messages of this round so far; inside {said} only",
}

INSIDE_PLACEHOLDERS: dict[str, str] = {
    "thought_option": "the option to think about; inside {think_option} only",
    "tool_protocol": "how to call the tool; inside {choose_tool_prompted} only",
    "question": "the comprehension question; inside blocks that ask it only",
    "answer_form": "how its answer is to end; inside blocks that ask it only",
    "advised": "the option to advise; inside {advise} only",
}
"""What architectures put in, for all templates."""

_GAMES: dict[str, dict[str, str]] = {
    MATRIX: {
        "other": "name of the other player",
        "outcomes": "one line for each of the four joint actions",
        "own_1_1": "own payoff when both choose option_1",
        "own_1_2": "own payoff when the player chooses option_1 and the other option_2",
        "own_2_1": "own payoff when the player chooses option_2 and the other option_1",
        "own_2_2": "own payoff when both choose option_2",
        "other_1_1": "the other's payoff when both choose option_1",
        "other_1_2": "the other's payoff when the player chooses option_1 and the other option_2",
        "other_2_1": "the other's payoff when the player chooses option_2 and the other option_1",
        "other_2_2": "the other's payoff when both choose option_2",
    },
    POOL: {
        "n_players": "N, number of players",
        "cost": "c, what a contributor pays",
        "factor": "M, what the pool is multiplied by",
        "give": "the option that contributes",
        "keep": "the option that does not",
        "option_lines": "one line for each option",
        "pool_all": "c·N, the pool if all contribute",
        "share_all": "c·N·M/N, a share if all contribute",
        "reward_all": "c·N·M/N - c",
        "share_one": "c·M/N, a share if one contributes",
        "reward_one": "c·M/N - c",
    },
}

TEMPLATES: dict[str, dict[str, str]] = {
    **_GAMES,
    DECIDER: {},
    **{f"{ASSISTANT}{kind}": names for kind, names in _GAMES.items()},
}
"""Template -> its placeholders, beside the shared ones, with their meaning."""

CONDITIONS: dict[str, str] = {
    "persona": "the player has a persona",
    "told": "something is told of another's persona",
    "reward": "payoffs are rewards",
    "penalty": "payoffs are penalties",
    "known": "the number of rounds is told",
    "random": "the probability of another round is told",
    "errors": "moves may be played as the opposite of what was chosen",
    "sequential": "messages are written one after the other",
    "simultaneous": "messages are written at the same time",
    "said": "there are messages of this round to show",
    "communicate": "a message is asked for",
    "choose": "a choice is asked for, as the name of the option",
    "choose_json": "a choice is asked for, as JSON",
    "past": "there is a past round, whether it is shown or not",
    "now": "no comprehension question is asked",
    "chain_of_thought": "the player thinks step by step",
    "tool": "the player has a tool",
    "private": "the player thinks in private before it writes in public",
    "public": "all that the player writes is public",
    "advise": "the assistant is to advise an option",
    "advise_compute": "the assistant is to find the best option",
    "choose_reasoned": "thinking and a choice are asked for",
    "think": "thinking without a choice is asked for",
    "deliberate": "private thoughts, public text and a choice are asked for in one answer",
    "think_option": "private thoughts on one option are asked for",
    "think_deceive": "private thoughts on what to let the others believe are asked for",
    "write_public": "public text is asked for",
    "explain": "public text and a choice are asked for in one answer",
    "communicate_private": "private thoughts and a message are asked for in one answer",
    "choose_tool": "a choice is asked for, before which the tool may be called",
    "choose_tool_prompted": "the same, where the call is written into the answer",
    "question": "an answer to a comprehension question is asked for",
    "debate": "a debate on the choice begins",
    "debate_question": "a debate on a comprehension question begins",
    "debate_decide": "a debate is over and a choice is asked for",
    "debate_answer": "a debate is over and the answer to a comprehension question is asked for",
}
"""Block -> when it is kept. ``TAG_FRAMING`` takes the place of ``TAG`` in a framing that the template has;
any other block is a framing, kept where the game's framing is its name."""

QUESTIONS = frozenset({"question", "debate_question", "debate_answer"})
"""Requests for an answer to a comprehension question."""


def known_placeholders(stem: str) -> dict[str, str]:
    """What the template of a stem may ask for; a game's own template has all of both kinds of games."""
    if stem in TEMPLATES:
        special = TEMPLATES[stem]
    else:
        special = {} if stem.startswith(f"{DECIDER}_") else _GAMES[MATRIX] | _GAMES[POOL]
    return SHARED_PLACEHOLDERS | INSIDE_PLACEHOLDERS | special


T = TypeVar("T")

LANGUAGES: dict[str, str] = {
    "en": "English",
    "fr": "French",
    "ar": "Arabic",
    "zh": "Chinese",
    "vi": "Vietnamese",
}
"""Code (ISO 639-1) -> language of our own prompts."""

LANGUAGE_ALIASES: dict[str, str] = {"cn": "zh", "vn": "vi"}
"""Code in FAIRGAME's files -> code (ISO 639-1)."""


def canonical_language(code: str) -> str:
    """The code that our prompts are filed under: small letters, ``cn`` as ``zh``, ``vn`` as ``vi``."""
    folded = code.strip().casefold()
    return LANGUAGE_ALIASES.get(folded, folded)


def known_as(code: str, known: Iterable[str]) -> str | None:
    """The one of the `known` codes that means the language of `code`, None where there is none."""
    codes = list(known)
    if code in codes:
        return code
    return next((other for other in codes if canonical_language(other) == canonical_language(code)), None)


def in_language(code: str, texts: Mapping[str, T], prompts: str) -> T:
    """The texts of the language, from those by language of the prompts of this name.

    Raises
    ------
    PromptError
        There are none.
    """
    match = known_as(code, texts)
    if match is None:
        raise PromptError(f"prompts {prompts}: {UnknownNameError('language', code, texts)}")
    return texts[match]


SYSTEM_END = re.compile(r"^===[ \t]*$", re.MULTILINE)
"""The line of a template above which the system message stands."""


@dataclass(frozen=True)
class Wording:
    """All texts of one language.

    Parameters
    ----------
    templates : mapping from ``two_players``, ``public_goods``, … or a game's name to text
    phrases : mapping from name to text
        ``unpaid_years`` is what stands in place of ``unpaid`` in the framing ``years``.
    """

    language: str
    templates: Mapping[str, str]
    phrases: Mapping[str, str]

    def say(self, phrase: str, **values: object) -> str:
        """A phrase with values for its placeholders.

        Raises
        ------
        PromptError
            The language has no such phrase, or it asks for another value.
        """
        if phrase not in self.phrases:
            raise PromptError(f"{PHRASES_FILE}_{self.language}: no phrase {{{phrase}}}")
        return fill(self.phrases[phrase], values, f"{PHRASES_FILE}_{self.language} {{{phrase}}}")

    def persona(self, name: str) -> str:
        """The wording of a persona, the name itself where there is none."""
        folded = "_".join(name.casefold().split())
        return self.phrases.get(f"{PERSONA}{folded}", name)

    def framed(self, framing: str) -> Wording:
        """These texts with the variants of phrases that the framing has in place of the phrases."""
        variants = {
            base: text
            for name, text in self.phrases.items()
            if name.endswith(f"_{framing}") and (base := variant_of(name, {framing}))
        }
        return Wording(self.language, self.templates, {**self.phrases, **variants}) if variants else self

    def over(self, other: Wording) -> Wording:
        """These texts, and those of `other` for what is not here."""
        return Wording(
            self.language, {**other.templates, **self.templates}, {**other.phrases, **self.phrases}
        )


def parse_phrases(text: str, where: str, stories: Collection[str] = FRAMINGS) -> dict[str, str]:
    """Name -> text of a file of phrases, with variants ``PHRASE_FRAMING`` for the framings in `stories`.

    Raises
    ------
    PromptError
        Not a sequence of blocks, an unknown phrase, or one that asks for what it does not get.
    """
    phrases = blocks(text, where)
    for name, phrase in phrases.items():
        known = variant_of(name, stories) or name
        if known not in PHRASES and not name.startswith(PERSONA):
            raise PromptError(f"{where}: {UnknownNameError('phrase', name, PHRASES)}")
        values = (*PHRASES.get(known, ()), *OPTIONAL.get(known, ()))
        _check_names(placeholders(phrase, where), values, f"{where} {{{name}}}")
    return phrases


def check_template(text: str, stem: str, where: str) -> None:
    """Refuse a template that asks for what no game gives it.

    Raises
    ------
    PromptError
        A placeholder that is not known, a block within a block, braces that are no placeholder, or two
        lines ``===``.
    """
    if nested := nested_block(text):
        outer, inner = nested
        raise PromptError(
            f"{where}: block {{{inner}}} begins inside block {{{outer}}}, expected one after the other "
            f"(the first ] ends a block; {{{outer}}} may be opened again)"
        )
    whole = resolve_blocks(text, block_tags(text))
    _check_names(placeholders(whole, where), tuple(known_placeholders(stem)), where, text)
    if len(SYSTEM_END.findall(whole)) > 1:
        raise PromptError(f"{where}: more than one line ===, expected one between system and user")


@lru_cache(maxsize=1024)
def framings(text: str) -> tuple[str, ...]:
    """The cover stories of a template: its blocks that no condition decides on, and that are no variants."""
    tags = block_tags(text)
    free = [tag for tag in tags if tag not in CONDITIONS]
    return tuple(tag for tag in free if not _is_variant(tag, free))


def _is_variant(tag: str, free: Collection[str]) -> bool:
    return any(tag == f"{condition}_{other}" for condition in CONDITIONS for other in free)


def _check_names(names: tuple[str, ...], known: tuple[str, ...], where: str, text: str = "") -> None:
    for name in names:
        if name not in known:
            line = line_of(text, name)
            place = f"{where} line {line}" if line else where
            raise PromptError(f"{place}: {UnknownNameError('placeholder', name, known)}")


@cache
def our_wordings() -> dict[str, Wording]:
    """Language -> our own texts."""
    folder = files("intent.agents.prompts") / "texts"

    def text(stem: str, language: str) -> str:
        return (folder / f"{stem}_{language}.txt").read_text(encoding="utf-8")

    return {
        language: Wording(
            language,
            {stem: text(stem, language) for stem in TEMPLATES},
            parse_phrases(text(PHRASES_FILE, language), f"{PHRASES_FILE}_{language}.txt"),
        )
        for language in LANGUAGES
    }
