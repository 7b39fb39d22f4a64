"""Behaviour metrics one trajectory at a time, in the words of their definitions: an oracle without arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Play = Sequence[int]
"""1 = cooperate, 0 = defect, -1 = unknown."""

Counts = tuple[int, int]
"""Hits and occasions."""


def cooperation_rate(m: Play, o: Play) -> Counts:
    return sum(x == 1 for x in m), sum(x >= 0 for x in m)


def niceness(m: Play, o: Play) -> Counts:
    if all(x < 0 for x in m):
        return 0, 0
    for mine, theirs in zip(m, o, strict=True):
        if mine == 0:
            return 0, 1
        if theirs == 0:
            return 1, 1
    return 1, 1


def troublemaking(m: Play, o: Play) -> Counts:
    occasions, uncalled = 0, 0
    if m and m[0] >= 0:
        occasions, uncalled = 1, int(m[0] == 0)
    for i in range(len(m) - 1):
        if o[i] == 1 and m[i + 1] >= 0:
            occasions += 1
            uncalled += m[i + 1] == 0
    return uncalled, occasions


def retaliation(m: Play, o: Play) -> Counts:
    provocations, reactions = 0, 0
    for i in range(len(m) - 1):
        if o[i] == 0 and (i == 0 or m[i - 1] == 1) and m[i + 1] >= 0:
            provocations += 1
            reactions += m[i + 1] == 0
    return reactions, provocations


def forgiveness(m: Play, o: Play) -> Counts:
    grudge, forgiven, penalties, episodes = False, 0, 0, 0
    for i in range(len(m)):
        if m[i] == 1 and grudge:
            forgiven, grudge = forgiven + 1, False
        if i < len(m) - 1 and o[i] == 1 and grudge and m[i + 1] == 0:
            penalties += 1
        if o[i] == 0 and not grudge:
            episodes, grudge = episodes + 1, True
    return forgiven, episodes + penalties


def emulation(m: Play, o: Play) -> Counts:
    pairs = [(m[i], o[i - 1]) for i in range(1, len(m)) if m[i] >= 0 and o[i - 1] >= 0]
    return sum(mine == theirs for mine, theirs in pairs), len(pairs)


IN_WORDS: dict[str, Callable[[Play, Play], Counts]] = {
    f.__name__: f for f in (cooperation_rate, niceness, troublemaking, retaliation, forgiveness, emulation)
}


def value(counts: Counts) -> float:
    """Hits over occasions, 0 without any."""
    hits, occasions = counts
    return hits / occasions if occasions else 0.0
