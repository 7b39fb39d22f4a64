"""The numbers in the arguments of a call, as models write them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from intent.agents.replies.normalise import digits
from intent.errors import shorten

__all__ = ["LARGEST", "LONGEST", "Numbers", "read_number", "read_numbers"]

LONGEST = 4_000
"""Characters of arguments that are read."""

LARGEST = 1e9
"""Numbers beyond are refused: no game has such payoffs, and differences between them lose digits."""

_NUMBER = re.compile(r"[-+]?\d{1,40}(?:[.,]\d{1,40})?(?:[eE][-+]?\d{1,3})?")

_SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\u066b": ".", "\uff0e": ".", "\uff0c": ","})


@dataclass(frozen=True)
class Numbers:
    """The numbers of a call, or what could not be read.

    Parameters
    ----------
    values : tuple of float
        In the order of the names; empty where there is a problem.
    as_text : bool
        Whether one of them came as text.
    problem : str, optional
        Names and values, without words.
    """

    values: tuple[float, ...]
    as_text: bool = False
    problem: str | None = None


def read_numbers(arguments: str, names: Sequence[str]) -> Numbers:
    """The numbers of these names in a JSON object; other names in it are passed over.

    Parameters
    ----------
    arguments : str
        As the model wrote it, any text.
    names : sequence of str
        Small letters.
    """
    try:
        given = json.loads(arguments) if len(arguments) <= LONGEST else None
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        return Numbers((), problem=shorten(arguments, 80) or "{}")
    said = {str(name).strip().casefold(): value for name, value in given.items()}
    values = {name: read_number(said.get(name)) for name in names}
    as_text = any(isinstance(said.get(name), str) for name in names)
    bad = [
        f"{name}: {shorten(json.dumps(said.get(name), ensure_ascii=False), 40)}"
        for name, value in values.items()
        if value is None
    ]
    if bad:
        return Numbers((), as_text, ", ".join(bad))
    return Numbers(tuple(value for value in values.values() if value is not None), as_text)


def read_number(value: object) -> float | None:
    """The one number that a value is or holds, None without one or with several.

    JSON numbers, and text with one number in it, in the digits of any script: ``"5"``, ``"5 years"``,
    ``"٥"``, ``"5年"``, ``"2,5"``. A comma before three digits may be a decimal one or not, and is refused; so
    are words, booleans, and what is not finite or beyond `LARGEST`.
    """
    if isinstance(value, str):
        value = _in_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number + 0.0 if math.isfinite(number) and abs(number) <= LARGEST else None


def _in_text(text: str) -> float | None:
    if len(text) > 100:
        return None
    plain = digits(text.translate(_SIGNS))
    found = _NUMBER.findall(plain)
    if len(found) != 1 or re.search(r",\d{3}(?!\d)", found[0]):
        return None
    # A number that breaks off, as in 1.2.3 or 40 digits and more, leaves digits behind.
    if re.search(r"\d", plain.replace(found[0], "", 1)):
        return None
    return float(found[0].replace(",", "."))
