"""Strategies that an artificial model can write: a rule in words and the same rule as code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

__all__ = ["LINES", "Line", "line_in"]


@dataclass(frozen=True)
class Line:
    """A rule with two numbers: `n`, from 2 to 6, and `p`, a percentage from 5 to 45.

    Parameters
    ----------
    words : str
        With ``{n}`` and ``{p}``.
    code : str
        With ``<n>`` and ``<p>``.
    """

    words: str
    code: str

    def described(self, n: int, p: int) -> str:
        """The rule in words."""
        return self.words.replace("{n}", str(n)).replace("{p}", str(p))

    def written(self, n: int, p: int) -> str:
        """The rule as a function."""
        return self.code.strip().replace("<n>", str(n)).replace("<p>", str(p / 100))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What finds the rule, and its numbers, in a text."""
        text = re.escape(" ".join(self.words.split()))
        for name in ("n", "p"):
            place = re.escape(f"{{{name}}}")
            text = text.replace(place, rf"(?P<{name}>\d{{1,3}})", 1).replace(place, r"\d{1,3}")
        return re.compile(text)


_AGGRESSIVE = (
    Line(
        "Open with {n} defections. After that, cooperate only where the other player has cooperated in all "
        "of the last {n} rounds, and defect otherwise.",
        """
def strategy(self, opponent) -> axl.Action:
    if len(self.history) < <n>:
        return axl.Action.D
    recent = opponent.history[-<n>:]
    return axl.Action.C if recent.count(axl.Action.C) == <n> else axl.Action.D
""",
    ),
    Line(
        "Defect in the first round and in every later one, except that after mutual defection an offer is "
        "made with probability {p} %.",
        """
def strategy(self, opponent) -> axl.Action:
    if not self.history:
        return axl.Action.D
    if self.history[-1] == axl.Action.D and opponent.history[-1] == axl.Action.D:
        return self._random.random_choice(<p>)
    return axl.Action.D
""",
    ),
    Line(
        "Defect whenever the own score is less than {n} points ahead of the other player's, and otherwise "
        "repeat what the other player did last.",
        """
def strategy(self, opponent) -> axl.Action:
    if not opponent.history or self.score < opponent.score + <n>:
        return axl.Action.D
    return opponent.history[-1]
""",
    ),
    Line(
        "Cooperate first and repeat what the other player did last, but defect without cause in every round "
        "whose number {n} divides, and against whoever has forgiven that before.",
        """
def strategy(self, opponent) -> axl.Action:
    if self.first_round():
        self.forgiven = 0
        return axl.Action.C
    if len(self.history) > 1 and self.history[-2] == axl.Action.D and opponent.history[-1] == axl.Action.C:
        self.forgiven += 1
    if len(self.history) % <n> == 0 or self.forgiven > 2:
        return axl.Action.D
    return opponent.history[-1]
""",
    ),
)

_COOPERATIVE = (
    Line(
        "Cooperate first, and keep cooperating unless the other player has defected {n} times running.",
        """
def strategy(self, opponent) -> axl.Action:
    recent = opponent.history[-<n>:]
    if len(recent) == <n> and all(move == axl.Action.D for move in recent):
        return axl.Action.D
    return axl.Action.C
""",
    ),
    Line(
        "Cooperate first and repeat what the other player did last, but forgive a defection with probability "
        "{p} %.",
        """
def strategy(self, opponent) -> axl.Action:
    if not opponent.history or opponent.history[-1] == axl.Action.C:
        return axl.Action.C
    return self._random.random_choice(<p>)
""",
    ),
    Line(
        "Cooperate as long as the other player has defected in at most {p} % of all rounds, and in the first "
        "{n} rounds whatever happens.",
        """
def strategy(self, opponent) -> axl.Action:
    rounds = len(opponent.history)
    if rounds < <n> or opponent.defections <= <p> * rounds:
        return axl.Action.C
    return axl.Action.D
""",
    ),
    Line(
        "Begin with a patience of {n}; every defection of the other player takes one away, every cooperation "
        "gives one back up to that number. Cooperate while any patience is left.",
        """
def strategy(self, opponent) -> axl.Action:
    if self.first_round():
        self.patience = <n>
        return axl.Action.C
    if opponent.history[-1] == axl.Action.C:
        self.patience = min(<n>, self.patience + 1)
    else:
        self.patience = max(0, self.patience - 1)
    return axl.Action.C if self.patience > 0 else axl.Action.D
""",
    ),
)

_NEUTRAL = (
    Line(
        "Cooperate first, then repeat what the other player did last; after {n} rounds of mutual defection "
        "running, cooperate once.",
        """
def strategy(self, opponent) -> axl.Action:
    if not opponent.history:
        return axl.Action.C
    if len(self.history) >= <n>:
        mine, theirs = self.history[-<n>:], opponent.history[-<n>:]
        if mine.count(axl.Action.D) == <n> and theirs.count(axl.Action.D) == <n>:
            return axl.Action.C
    return opponent.history[-1]
""",
    ),
    Line(
        "Cooperate first; keep the last move after a good round and change it after a bad one, but stay put "
        "after mutual defection with probability {p} %.",
        """
def strategy(self, opponent) -> axl.Action:
    if self.first_round():
        return axl.Action.C
    mine, theirs = self.history[-1], opponent.history[-1]
    if theirs == axl.Action.C:
        return mine
    if mine == axl.Action.D and self._random.random() < <p>:
        return mine
    return mine.flip()
""",
    ),
    Line(
        "Cooperate in a round if the other player has defected in at most {p} % of the last {n} rounds, and "
        "defect otherwise.",
        """
def strategy(self, opponent) -> axl.Action:
    recent = opponent.history[-<n>:]
    return axl.Action.C if recent.count(axl.Action.D) <= <p> * len(recent) else axl.Action.D
""",
    ),
    Line(
        "Try both moves in turn for {n} rounds, then play the one that has brought more points in a round on "
        "average, and try the other one with probability {p} %.",
        """
def strategy(self, opponent) -> axl.Action:
    rounds = len(self.history)
    if rounds < <n>:
        return axl.Action.C if rounds % 2 == 0 else axl.Action.D
    points = {axl.Action.C: 0, axl.Action.D: 0}
    times = {axl.Action.C: 0, axl.Action.D: 0}
    for mine, theirs in zip(self.history[-50:], opponent.history[-50:]):
        points[mine] += self.total_scores([mine], [theirs])[0]
        times[mine] += 1
    means = [points[move] / max(1, times[move]) for move in (axl.Action.C, axl.Action.D)]
    best = axl.Action.C if means[0] >= means[1] else axl.Action.D
    return best.flip() if self._random.random() < <p> else best
""",
    ),
)

LINES: Mapping[str, tuple[Line, ...]] = MappingProxyType(
    {"aggressive": _AGGRESSIVE, "cooperative": _COOPERATIVE, "neutral": _NEUTRAL}
)
"""Attitude -> rules."""


def line_in(text: str) -> tuple[Line, int, int] | None:
    """The rule that a text describes, with its numbers; the last one where it describes several."""
    plain, found = " ".join(text.split()), []
    for lines in LINES.values():
        for line in lines:
            for match in line.pattern.finditer(plain):
                given = match.groupdict()
                numbers = int(given.get("n") or 2), int(given.get("p") or 5)
                found.append((match.start(), line, *numbers))
    return max(found, key=lambda item: item[0])[1:] if found else None
