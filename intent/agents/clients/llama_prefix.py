"""What a prompt shares with an earlier one, taken over without changing the reply.

llama.cpp can keep the state of a prompt's beginning, which makes a decision several times faster, since the
rules and the past of a game stand there. But the numbers of a state depend on the batches in which it was
computed: on SmolLM2, log-probabilities move by up to .07, and of 60 sampled replies 57 changed. So the
beginning is always computed in the same pieces:

1. The first message is cut at ends of lines into pieces of at least `PIECE` characters, from the front.
2. Each piece is computed by a request of its own, whose message ends there; the rest by the request itself.
3. Of an earlier prompt in the same slot, whole pieces are taken over, never a part of one.

The state of a piece then depends on the text up to its end and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["PIECE", "Slots", "pieces"]

PIECE = 100
"""Least length of a piece, in characters."""

_END_OF_LINE = re.compile(r"\n+(?=\S)")


def pieces(text: str, least: int = PIECE) -> tuple[str, ...]:
    """The pieces that `text` is cut into; what follows the last one is in none of them."""
    cuts, start = [], 0
    for end in _END_OF_LINE.finditer(text):
        if end.end() - start >= least:
            cuts.append(text[start : end.end()])
            start = end.end()
    return tuple(cuts)


class Slots:
    """What the slots of a server hold.

    Parameters
    ----------
    n : int
    """

    def __init__(self, n: int) -> None:
        self._held: dict[int, tuple[str, ...]] = dict.fromkeys(range(n), ())

    def requests(self, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The requests that answer `body`, in order; the last one gives the reply.

        Assumes that all of them succeed; call `forget` where one did not.
        """
        first = body["messages"][0]
        cut = pieces(first["content"])
        slot = max(self._held, key=lambda i: _shared((self._held[i], cut)))
        shared = _shared((self._held[slot], cut))
        if not shared:
            slot = next(iter(self._held))
        # The order of the dict is that of use, longest ago first.
        del self._held[slot]
        self._held[slot] = cut
        ends = [sum(map(len, cut[: i + 1])) for i in range(len(cut))]
        made = []
        for end in ends[max(shared - 1, 0) :]:
            message = {**first, "content": first["content"][:end]}
            made.append({"messages": [message], "max_tokens": 0, "id_slot": slot, "cache_prompt": True})
        made.append({**body, "id_slot": slot, "cache_prompt": True})
        if not shared:
            made[0]["cache_prompt"] = False
        return made

    def forget(self) -> None:
        """Take nothing over from now on."""
        self._held = dict.fromkeys(self._held, ())


def _shared(two: tuple[Sequence[str], Sequence[str]]) -> int:
    """How many pieces both begin with."""
    n = 0
    for one, other in zip(*two, strict=False):
        if one != other:
            break
        n += 1
    return n
