"""What our templates and phrases may ask for: files, placeholders, blocks."""

from __future__ import annotations

__all__ = [
    "CONDITIONS",
    "MATRIX",
    "PERSONA",
    "PHRASES",
    "PHRASES_FILE",
    "POOL",
    "SHARED_PLACEHOLDERS",
    "TEMPLATES",
]

MATRIX, POOL = "two_players", "public_goods"
"""Templates of the two kinds of games."""

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
    "round": "number of the round to be played",
    "history": "past rounds, one line each, and totals",
    "messages": "messages of this round so far; inside {said} only",
}

TEMPLATES: dict[str, dict[str, str]] = {
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
"""Template -> its placeholders, beside the shared ones, with their meaning."""

CONDITIONS: dict[str, str] = {
    "persona": "the player has a persona",
    "told": "something is told of another's persona",
    "reward": "payoffs are rewards",
    "penalty": "payoffs are penalties",
    "known": "the number of rounds is told",
    "random": "the probability of another round is told",
    "sequential": "messages are written one after the other",
    "simultaneous": "messages are written at the same time",
    "said": "there are messages of this round to show",
    "communicate": "a message is asked for",
    "choose": "a choice is asked for, as the name of the option",
    "choose_json": "a choice is asked for, as JSON",
}
"""Block -> when it is kept. Any other block is a framing, kept where the game's framing is its name."""

PERSONA = "persona_"
"""Phrases that begin so are personas: ``persona_selfish`` words the persona ``selfish``."""

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

PHRASES: dict[str, tuple[str, ...]] = {
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
"""Phrase -> its placeholders, in the order in which all languages of ours have them."""
