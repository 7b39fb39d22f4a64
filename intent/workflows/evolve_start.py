"""Who is in a population at first: ``--initial 8,2,2`` or ``Aggressive=8,Cooperative=2,Neutral=2``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from intent.errors import UsageError, shorten

__all__ = ["Initial", "names_in", "population", "starts"]

Initial = str | Sequence[int] | Mapping[str, int]

_EACH = 4
"""Individuals of each name where nothing is said, as in the paper (Willis et al. 2025, section 4.3)."""
_FEW = 3


def starts(initial: Initial | Sequence[Initial] | None, known: Sequence[str]) -> list[dict[str, int]]:
    """Individuals by name, one mapping per start.

    Numbers without names are of the attitudes in their order (Aggressive, Cooperative, Neutral) where there
    are three and all attitudes are known; else of all names in their order.

    Parameters
    ----------
    initial : text, numbers or mapping, or a list of such; optional
        Default: 4 of each attitude; without attitudes 4 of each of up to three names, else one of each.
    known : sequence of str

    Raises
    ------
    UsageError
    """
    if initial is None:
        return [_default(known)]
    given: list[Any] = [initial]
    if not isinstance(initial, str | Mapping) and any(not isinstance(one, int) for one in initial):
        given = list(initial)
    found = [_start(one, known) for one in given]
    for before, after in pairwise(found):
        if sum(before.values()) != sum(after.values()):
            sizes = " and ".join(str(sum(one.values())) for one in (before, after))
            raise UsageError(f"--initial of {sizes} individuals, expected populations of one size")
    return found


def names_in(found: Sequence[Mapping[str, int]], known: Sequence[str]) -> tuple[str, ...]:
    """The names of all starts, in the known order; those unknown last."""
    named = {name for one in found for name in one}
    return (*(name for name in known if name in named), *sorted(named - set(known)))


def population(start: Mapping[str, int], names: Sequence[str]) -> tuple[int, ...]:
    """Individuals in the order of the names."""
    return tuple(start.get(name, 0) for name in names)


def _start(given: Initial, known: Sequence[str]) -> dict[str, int]:
    if isinstance(given, Mapping):
        return {str(name): _number(count, given) for name, count in given.items()}
    if not isinstance(given, str):
        return _by_order([_number(count, given) for count in given], known)
    parts = [part.strip() for part in given.split(",") if part.strip()]
    if all("=" in part for part in parts) and parts:
        pairs = [(name.strip(), count) for name, _, count in (part.rpartition("=") for part in parts)]
        found = {name: _number(count, given) for name, count in pairs}
        if len(found) < len(pairs):
            raise UsageError(f"--initial {shorten(given)!r} names one twice")
        return found
    return _by_order([_number(part, given) for part in parts], known)


def _by_order(counts: Sequence[int], known: Sequence[str]) -> dict[str, int]:
    from intent.arena.entrant import ATTITUDES

    names = list(ATTITUDES) if len(counts) == 3 and set(ATTITUDES) <= set(known) else list(known)
    if len(counts) != len(names):
        listed = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
        raise UsageError(
            f"--initial has {len(counts)} numbers, expected {len(names)} ({listed}), or NAME=NUMBER,…"
        )
    return dict(zip(names, counts, strict=True))


def _number(text: object, given: object) -> int:
    try:
        count = int(str(text))
    except ValueError:
        count = -1
    if not 0 <= count <= 1_000_000:
        raise UsageError(
            f"--initial {shorten(given)!r}, expected numbers such as 4,4,4 or Aggressive=8,Neutral=4"
        )
    return count


def _default(known: Sequence[str]) -> dict[str, int]:
    from intent.arena.entrant import ATTITUDES

    attitudes = [name for name in ATTITUDES if name in known]
    if len(attitudes) > 1:
        return dict.fromkeys(attitudes, _EACH)
    return dict.fromkeys(known, _EACH if len(known) <= _FEW else 1)
