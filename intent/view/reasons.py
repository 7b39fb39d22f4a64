"""Why a seat was given its label, or none, in sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from intent.report.wording import listed

__all__ = ["fit_sentence", "reason"]

COIN = "RANDOM"
"""The class that stands for no strategy."""


def reason(label: Mapping[str, Any]) -> str:
    """Why this status, from a row of the labels.

    Examples
    --------
    >>> reason({"status": "ambiguous", "best": "ALLC", "tied_with": ["GRIM", "TFT"], "confidence": 0.33})
    'No label: ALLC, GRIM and TFT explain these moves equally well, and which of them is named would be a \
convention.'
    """
    status, best = label.get("status"), label.get("best")
    sure = number(label.get("confidence"))
    if status == "confident":
        return f"{best}: its posterior probability is {sure}, no other strategy comes near, and it fits."
    if status == "ambiguous":
        tied = [str(best), *(str(name) for name in label.get("tied_with") or () if name != best)]
        names = listed(tied) if len(tied) > 1 else f"{best} and another strategy"
        return (
            f"No label: {names} explain these moves equally well, "
            "and which of them is named would be a convention."
        )
    if status == "no_fit" and best == COIN:
        n = label.get("n_rounds")
        whole = f", log-likelihood {number(n * math.log(0.5))}" if isinstance(n, int) else ""
        return (
            f"No label: a coin explains these moves best (RANDOM: posterior probability {sure}, "
            f"0.50 per move{whole})."
        )
    if status == "no_fit":
        against = moves(label.get("n_deviations"))
        chance = number(label.get("fit_p"))
        return (
            f"No label: even the most probable strategy, {best}, would hardly play like this "
            f"({against} that it never makes without noise; "
            f"play at least as unlikely has probability {chance})."
        )
    if status == "low_confidence":
        return (
            f"No label: the most probable strategy is {best}, but its posterior probability is only {sure}."
        )
    return "No label."


def fit_sentence(label: Mapping[str, Any]) -> str:
    """Which strategies make every move of the play without noise."""
    names = [str(name) for name in label.get("consistent") or ()]
    if not names and label.get("best") == COIN:
        return "No strategy of the set makes all these moves without noise."
    if not names:
        return f"No strategy of the set makes all these moves without noise; {label.get('best')} misses " + (
            f"{moves(label.get('n_deviations'))}."
        )
    verb = "makes" if len(names) == 1 else "make"
    return f"{listed(names)} {verb} every one of these moves without noise."


def moves(n: object) -> str:
    """``1 move``, ``3 moves``."""
    if not isinstance(n, int):
        return "some moves"
    return f"{n} move{'' if n == 1 else 's'}"


def number(value: object, digits: int = 2) -> str:
    """A number for people; a probability near 0 or 1 never as 0 or 1."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if not isinstance(value, float) or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == int(value) and abs(value) < 1e15:
        return number(int(value))
    if 0 < value < 10.0**-digits:
        return f"< {10.0**-digits:g}" if value < 10.0**-4 else f"{value:.1g}"
    if 1 - 10.0**-digits < value < 1:
        return f"> {1 - 10.0**-digits:g}"
    value = round(value, 12)  # equal numbers that were summed in different orders look equal
    return f"{value:.{digits}f}" if abs(value) < 1000 else f"{value:,.0f}"
