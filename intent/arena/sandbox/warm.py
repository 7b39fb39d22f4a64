"""What every pair does, done once before the first child is forked; standard library only.

A child inherits what the interpreter learns here: names that were looked up, code that was specialised. It
would otherwise learn it anew for every pair, in pages of its own.
"""

from __future__ import annotations

from intent.arena.sandbox.runtime import Seating, compiled, play_match
from intent.arena.sandbox.views import Rules

__all__ = ["warm"]

_TURNS = 120

_OURS = """
def strategy(self, opponent):
    if self.first_round():
        self.angry = 0
        return axl.Action.C
    recent = opponent.history[-5:]
    betrayed = sum(1 for move in recent if move == axl.Action.D)
    self.angry = max(self.angry, betrayed / len(recent))
    if recent.count(axl.Action.D) > 3 or self._random.random_choice(0.9) == axl.Action.D:
        return axl.Action.D
    if len(self.history) > 50 and self.score < opponent.score:
        return axl.Action.D if opponent.history.defections > 5 else opponent.history[-1]
    return getattr(self, "mood", self.history[-1])
"""

_PLAIN = """
def strategy(self, opponent):
    if not opponent.history:
        return axl.Action.C
    return opponent.history[-1]
"""


def warm() -> None:
    """Play our own code against itself; nothing of it is kept."""
    rules = Rules((3.0, 0.0, 5.0, 1.0), _TURNS, 0.1, True, True, False)
    for source in (_OURS, _PLAIN):
        specs = [{"source": source, "seeded": True, "scored": True, "code": compiled(source)}] * 2
        seats = [Seating(spec, rules, late=i == 0) for i, spec in enumerate(specs)]
        play_match(seats, rules, (1, 2), "0123" * (_TURNS // 4))
