"""What our templates may ask for: files, placeholders, blocks."""

from __future__ import annotations

from intent.agents.prompts.phrases import PERSONA, PHRASES

__all__ = [
    "ASSISTANT",
    "CONDITIONS",
    "DECIDER",
    "INSIDE_PLACEHOLDERS",
    "MATRIX",
    "PERSONA",
    "PHRASES",
    "PHRASES_FILE",
    "POOL",
    "QUESTIONS",
    "SHARED_PLACEHOLDERS",
    "TEMPLATES",
    "known_placeholders",
]

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
