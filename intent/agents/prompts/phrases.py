"""The phrases that prompts are put together from, and the variants of a phrase for a framing."""

from __future__ import annotations

from collections.abc import Container

__all__ = ["FRAMINGS", "INSIDE_PHRASES", "OPTIONAL", "PERSONA", "PHRASES", "PLAIN_PHRASES", "variant_of"]

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
