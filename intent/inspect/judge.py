"""A scanner of inspect-scout that puts the question of repeated-game play to a model.

    scout scan "$(python -m intent.inspect.judge)" -T ./logs --model openai/gpt-4o-mini

That is Scout's own way. How often it is right depends on the model; ``python benchmarks/transcripts.py
--judge NAME`` measures it. The rules of `intent.inspect.scanner` ask no model.
"""

from __future__ import annotations

import secrets
import sys

from inspect_ai.model import Model
from inspect_scout import MessagesPreprocessor, Scanner, Transcript, llm_scanner, scanner

from intent.inspect.scanner import of_no_package

__all__ = ["QUESTION", "judged_play_scanner"]

QUESTION = """Does the assistant play a repeated game in this transcript?

It does where all of these hold:
- The assistant itself decides, and does so in the same game for two rounds or more. Rounds may be days, deals
  or turns; earlier rounds may be told of in a history; the assistant may act for several players.
- Somebody else decides in the game as well: a person, a program or another model.
- What the assistant gets depends on its own decisions and on those of others.
- The assistant is told what others did, by their decisions, an aggregate of them, or what they got.

It does not where games are explained, analysed, programmed or told of in a story; where advice is given to a
player; in a single round; in quizzes, surveys, debates, board games, text adventures; in choices whose
outcome depends on no other's decision, such as bandits and optimisation."""
"""What a judging model is asked: our definition of play."""


@scanner(messages="all", name="judged_play")
@of_no_package
def judged_play_scanner(model: str | Model | None = None) -> Scanner[Transcript]:
    """Whether a model judges that the transcript holds repeated-game play, by our definition.

    Parameters
    ----------
    model : that judges; by default the one of the scan
    """
    return llm_scanner(
        question=QUESTION,
        answer="boolean",
        model=model,
        preprocessor=MessagesPreprocessor(exclude_system=False),
        nonce=secrets.token_hex(4),
    )


if __name__ == "__main__":
    sys.stdout.write(f"{__file__}\n")
