"""Whether a model declined to write what it was asked for."""

from __future__ import annotations

import re

__all__ = ["declines"]

_LONGEST = 1_500
_OPENING = 400
_NOT = "|".join(
    [
        *("can't", "cannot", "can not", "won't", "will not", "could not"),
        *("unable to", "not able to", "not willing to", "not comfortable with", "not comfortable"),
        *("must decline to", "have to decline to", "decline to", "refuse to"),
    ]
)
_DONE = "|".join(
    [
        *("help", "assist", "write", "writing", "create", "creating", "design", "designing", "provide"),
        *("providing", "comply", "fulfil", "fulfill", "produce", "generate", "support", "take part"),
        *("participate", "engage", "do that", "do this", "continue", "give you"),
    ]
)
_PHRASES = re.compile(
    rf"\bI(?: am|'m)? (?:{_NOT}) (?:{_DONE})\b(?! but\b)"
    r"|\bI (?:must|have to) (?:respectfully )?decline\b"
    rf"|\b(?:sorry|apologi[sz]e)[,.]? (?:but )?I(?: am|'m)? (?:{_NOT})\b",
    re.IGNORECASE,
)


def declines(text: str) -> bool:
    """Whether a reply says no to the request, and little else.

    Conservative: only short replies without code count, by a phrase of refusal in the first person within
    their first 400 characters. A strategy that "will not cooperate" refuses nothing.

    Examples
    --------
    >>> declines("I'm sorry, but I can't help with designing an aggressive strategy.")
    True
    >>> declines("I will not cooperate until the other player does.")
    False
    """
    plain = " ".join(text.replace("\u2019", "'")[: 4 * _LONGEST].split())
    if len(plain) > _LONGEST or re.search(r"\bdef \w", plain):
        return False
    return _PHRASES.search(plain[:_OPENING]) is not None
