"""An answer as the action that a log has: whole numbers and labels, however a player spells them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from intent.errors import GameError, one_line

__all__ = ["LONGEST", "MOST_LISTED", "folded", "one_of", "whole_number", "whole_range"]

MOST_LISTED = 1001
"""Actions that `CourseGame.legal` lists at most."""


LONGEST = 64
"""Characters of an answer; a longer one is neither a number nor a label."""

_WHOLE = re.compile(r"([+-]?\d{1,18})(?:\.(\d{0,18}))?")

_SIGNS = str.maketrans({"٫": ".", "．": ".", "－": "-", "−": "-", "\u200e": "", "\u200f": "", "\u061c": ""})
"""Points and minus signs of other scripts, and the marks of direction that come with them. Superscripts stay
as they are: 3² is not 32."""


def whole_number(value: object, what: str, low: int, high: int) -> int:
    """A whole number of a range.

    Parameters
    ----------
    value : object
        An int, a float without fraction, or a text of one, in the digits of any script (``"37"``,
        ``" 37.0 "``, ``"３７"``, ``"٣٧"``). True and False are no numbers.
    what : str
        What it is, for the message: ``"bid"``.
    low, high : int
        The range, both ends included.

    Raises
    ------
    GameError
        Anything else; the message may be shown to a player.

    Examples
    --------
    >>> whole_number(" 37.0 ", "guess", 0, 100), whole_number("٣٧", "guess", 0, 100)
    (37, 37)
    """
    number = _integer(value)
    if number is None or not low <= number <= high:
        raise GameError(f"{what} {one_line(value, LONGEST)!r}, expected a whole number from {low} to {high}")
    return number


def _integer(value: object) -> int | None:
    if isinstance(value, str):
        if len(value) > LONGEST:
            return None
        match = _WHOLE.fullmatch(value.translate(_SIGNS).strip())
        return int(match[1]) if match and not int(match[2] or 0) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value) if abs(value) < 10**18 else None


def one_of(value: object, options: Sequence[str], what: str = "answer") -> str:
    """A label, whatever the case and width of its letters, and without quotes or a full stop around it.

    Raises
    ------
    GameError
        No text, or none of the options; the message may be shown to a player.

    Examples
    --------
    >>> one_of(" Go. ", ("go", "stay"))
    'go'
    """
    if isinstance(value, str) and (label := value if value in options else folded(value)) in options:
        return label
    raise GameError(f"{what} {one_line(value, LONGEST)!r}, expected {' or '.join(options)}")


def folded(text: str) -> str:
    """A text without case and width of letters, quotes and full stops around it; "" of a long one.

    Examples
    --------
    >>> folded(" Ｇo. ")
    'go'
    """
    if len(text) > LONGEST:
        return ""
    return unicodedata.normalize("NFKC", text).casefold().strip(" \t\r\n.\"'`*")


@lru_cache(maxsize=256)
def whole_range(low: int, high: int) -> tuple[str, ...] | None:
    """All whole numbers of a range as actions; None where there are more than can be listed."""
    if high - low >= MOST_LISTED:
        return None
    return tuple(str(number) for number in range(low, high + 1))
