"""Numbers in a reply that was to be a list of numbers: read where plain, never guessed."""

from __future__ import annotations

import math
import re
import unicodedata

from intent.agents.replies.normalise import digits

__all__ = ["listed_numbers"]

_LONGEST = 400_000
_NUMBER = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(?:[eE][+-]?\d{1,3})?")
_NUMBERED = re.compile(r"\s*\(?\d{1,6}\s*[.):]\s+(?=\S)|\s*[-*•]\s+(?=\S)")
_SEPARATORS = re.compile(r"[\s,;|]+")
_BRACKETS = str.maketrans(dict.fromkeys("[](){}`*\"'", " "))


def listed_numbers(text: str) -> list[float]:
    """The numbers of the lines that hold nothing but numbers.

    1. Digits of any script and minus signs of any shape are read; commas separate.
    2. A line's own number or bullet ("12. 0.31", "- 0.31") goes; of a line with other words, only what
       follows its last colon is looked at.
    3. Each remaining piece must be a finite number as a whole; a line with any other piece is not read.

    Parameters
    ----------
    text : str
        A reply without reasoning; its first 400,000 characters count.

    Examples
    --------
    >>> listed_numbers("Here are 3 numbers with mean 0: 0.1, -2,\\n3.5")
    [0.1, -2.0, 3.5]
    """
    plain = unicodedata.normalize("NFKC", text[:_LONGEST])
    plain = digits(plain.replace("\u2212", "-").replace("،", ","))
    found: list[float] = []
    for line in plain.splitlines():
        found += _of_line(line)
    return found


def _of_line(line: str) -> list[float]:
    if any(c.isalpha() and c not in "eE" for c in line):
        head, colon, line = line.rpartition(":")
        if not colon or not head:
            return []
    else:
        line = _NUMBERED.sub("", line, count=1)
    pieces = [piece for piece in _SEPARATORS.split(line.translate(_BRACKETS)) if piece]
    pieces = [piece.removesuffix(".") for piece in pieces]
    if not all(_NUMBER.fullmatch(piece) for piece in pieces):
        return []
    values = [float(piece) for piece in pieces]
    return values if all(map(math.isfinite, values)) else []
