"""Every strategy of the catalogue as its rule in words, on the full history: an oracle without automata.

A rule takes the realised moves so far, ``own`` and ``other``, as strings of C and D, and returns the
probability of intending to cooperate in the round that follows.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

Rule = Callable[[str, str], float]


def defected(own: str, other: str) -> list[bool]:
    """Per round, whether either player defected."""
    return ["D" in pair for pair in zip(own, other, strict=True)]


def ever_in_a_row(k: int, flags: list[bool]) -> bool:
    """Whether `k` consecutive flags were up at some time."""
    return any(all(flags[i : i + k]) for i in range(len(flags) - k + 1))


def grim(k: int) -> Rule:
    return lambda own, other: not ever_in_a_row(k, defected(own, other))


def tit_for_tats(k: int) -> Rule:
    return lambda own, other: not (len(other) >= k and other[-k:] == "D" * k)


def memory_one(first: float, after_cc: float, after_cd: float, after_dc: float, after_dd: float) -> Rule:
    after = {"CC": after_cc, "CD": after_cd, "DC": after_dc, "DD": after_dd}
    return lambda own, other: after[own[-1] + other[-1]] if own else first


def after_a_defection(rule: Rule) -> Rule:
    """D in round 1, whatever a slip made of it, then the rule on the whole history."""
    return lambda own, other: rule("D" + own[1:], other) if own else 0.0


def t2(own: str, other: str) -> float:
    """Punish rounds t + 1 and t + 2 for a defection in t; what happens meanwhile starts nothing."""
    t = 0
    while t < len(own):
        if "D" not in own[t] + other[t]:
            t += 1
            continue
        if len(own) in (t + 1, t + 2):
            return 0.0
        t += 3
    return 1.0


def two_wsls(own: str, other: str) -> float:
    rounds = [a + b for a, b in zip(own, other, strict=True)]
    if not rounds:
        return 1.0
    if len(rounds) == 1:
        return rounds[0] in ("CC", "DD")
    return (rounds[-2], rounds[-1]) in {("CC", "CC"), ("DD", "DD"), ("DD", "CC")}


RULES: dict[str, Rule] = {
    "ALLC": lambda own, other: 1.0,
    "ALLD": lambda own, other: 0.0,
    "RANDOM": lambda own, other: 0.5,
    "TFT": lambda own, other: other[-1:] != "D",
    "DTFT": lambda own, other: other[-1:] == "C",
    "WSLS": lambda own, other: own[-1:] == other[-1:],
    "GTFT": lambda own, other: 1 / 3 if other[-1:] == "D" else 1.0,
    "GRIM": grim(1),
    "GRUDGER": lambda own, other: "D" not in other,
    "GRIM2": grim(2),
    "GRIM3": grim(3),
    "TF2T": tit_for_tats(2),
    "TF3T": tit_for_tats(3),
    "2TFT": lambda own, other: "D" not in other[-2:],
    "2TF2T": lambda own, other: "DD" not in other[-3:],
    "T2": t2,
    "2WSLS": two_wsls,
    "CTOD": lambda own, other: not own,
    "DC": lambda own, other: len(own) % 2,
    "FBF": memory_one(1, 1, 0, 1, 2 / 3),
    "EXTORT2": memory_one(1, 8 / 9, 1 / 2, 1 / 3, 0),
    "ZDGTFT2": memory_one(1, 1, 1 / 8, 1, 1 / 4),
    "BULLY": memory_one(0, 0, 1, 0, 1),
    "DTF2T": after_a_defection(tit_for_tats(2)),
    "DTF3T": after_a_defection(tit_for_tats(3)),
    "DGRIM2": after_a_defection(grim(2)),
    "DGRIM3": after_a_defection(grim(3)),
}


def sequences(rounds: int, alphabet: str = "CD") -> list[str]:
    """All strings of a length, in order."""
    return ["".join(moves) for moves in product(alphabet, repeat=rounds)]


def histories(rounds: int) -> list[tuple[str, str]]:
    """All pairs of own and other moves of a length."""
    return list(product(sequences(rounds), repeat=2))


def realised(intended: float, move: str, eps: float) -> float:
    """Probability of a realised move, given that of intending to cooperate."""
    q = (1 - eps) * intended + eps * (1 - intended)
    return q if move == "C" else 1 - q


def probability(
    rule: Rule, own: str, other: str, eps: float, memory: str = "realised", decided: str | None = None
) -> float:
    """Probability of own moves against the other's, summed over all that is not known.

    ``?`` is an unknown move (the other's is a fair coin), lower case an own move that is known and part
    of what the player saw, but no evidence about it. ``decided`` is what the player chose where that is
    not what was played; the rule goes by what was played.
    """

    def rest(mine: str, theirs: str) -> float:
        t = len(mine)
        if t == len(own):
            return 1.0
        total = 0.0
        for b, weight in [("C", 0.5), ("D", 0.5)] if other[t] == "?" else [(other[t], 1.0)]:
            for a in "CD" if own[t] == "?" else own[t].upper():
                choice = a if decided is None or own[t] == "?" else decided[t]
                for remembered, chance in outcomes(rule(mine, theirs), a, own[t], choice):
                    if chance > 0:
                        total += weight * chance * rest(mine + remembered, theirs + b)
        return total

    def outcomes(p: float, a: str, symbol: str, choice: str) -> list[tuple[str, float]]:
        if memory == "realised":
            return [(a, 1.0 if symbol.islower() else realised(p, choice, eps))]
        flips = {True: 1 - eps, False: eps} if not symbol.islower() else {True: 1.0, False: 1.0}
        return [(h, chance * flips[h == choice]) for h, chance in (("C", p), ("D", 1 - p))]

    return rest("", "")
