"""The reader that takes a label and nothing else.

A reply is read if it is one of the labels after normalisation (`intent.agents.replies.normalise`): width and
case, any spaces ("Option A"), and around it quotes, brackets, Markdown, punctuation, one code fence. Anything
more is refused, also "Answer: OptionA" and "I choose OptionA": who says more may say the opposite ("anything
but OptionA"), and a rule that guesses from sentences works better in some languages than in others, so that
what it misreads looks like an effect of language.
"""

from __future__ import annotations

from collections.abc import Sequence

from intent.agents.replies.normalise import LONGEST, spellings, without_fence
from intent.agents.replies.reading import Reading, found, nothing

__all__ = ["read_strict"]


def read_strict(text: str, labels: Sequence[str]) -> Reading:
    """The label that the reply is.

    Parameters
    ----------
    text : str, without reasoning
    labels : sequence of str
    """
    known = spellings(tuple(labels))
    if len(text) <= LONGEST and (label := known.label(without_fence(text))) is not None:
        return Reading(label)
    if not text.strip():
        return nothing("an empty reply")
    named = known.named(text)
    if len(named) == 1:
        return nothing(f"more than a label: names {named[0]} among other words")
    return found(labels, named)
