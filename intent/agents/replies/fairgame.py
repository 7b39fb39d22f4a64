"""The reader of FAIRGAME, for replications: a label counts wherever it occurs.

The first label, in the order of the game's options, whose lower-cased text is a substring of the lower-cased
reply. So "not OptionA but OptionB" is OptionA, "Option A" is nothing, and a label that begins another one and
is listed before it shadows it (FAIRGAME, aira-list/FAIRGAME, src/fairgame.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from intent.agents.replies.reading import Reading, found

__all__ = ["read_fairgame"]


def read_fairgame(text: str, labels: Sequence[str]) -> Reading:
    """The first label that occurs in the reply.

    Parameters
    ----------
    text : str
    labels : sequence of str, in the game's order, which decides
    """
    lowered = text.lower()
    for label in labels:
        if label.lower() in lowered:
            return Reading(label)
    return found(labels, ())
