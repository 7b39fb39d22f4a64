"""Files of written strategies in the format of the published sets, with all that those use."""

from __future__ import annotations

import textwrap

__all__ = ["BUSY", "NODES_USED", "PUBLISHED", "published"]

_NODES = """
Add And Assign Attribute AugAssign BinOp BoolOp Break Call Compare Constant Div Eq Expr FloorDiv For
FunctionDef GeneratorExp Gt GtE If IfExp In Is IsNot Lambda List ListComp Load Lt LtE Mod Mult Name
Not NotEq Or Pass Return Slice Store Sub Subscript Tuple USub UnaryOp arg arguments comprehension
keyword
"""
NODES_USED = frozenset(_NODES.split())
"""Syntax nodes that occur in the published sets."""

BUSY = """
def strategy(self, opponent):
    if self.first_round():
        self.anger, self.seen = 0, set()
        return axl.Action.C
    def recent(n):
        return opponent.history[-n:]
    share = sum(1 for h in recent(10) if h == axl.Action.D) / max(1, len(recent(10)))
    weights = [w * 2 for w in list(range(5))]
    score = lambda a, b=0: abs(a - b) // 2 + (a % 3)
    for own, other in zip(reversed(self.history), opponent.history):
        if own is not other and not own == other:
            self.anger += 1
            break
        elif own in (axl.Action.C,) or own is other:
            pass
    mine, theirs = self.total_scores(self.history, opponent.history)
    left = self.match_attributes['length'] - len(self.history)
    best = min(weights, key=lambda w: -w)
    self.seen.add(best)
    if mine < theirs and left <= 3 or left > 5 and self.score >= opponent.score + float(100):
        return axl.Action.D
    if getattr(self, 'anger', 0) != 0 and opponent.history.count(axl.Action.D) > 20:
        return self._random.choice([axl.Action.C, axl.Action.D])
    if self._random.randint(0, 10) == 1 and self._random.random() < 0.5:
        return opponent.history[-1].flip()
    if opponent.defections > opponent.history.cooperations:
        return axl.Action.D
    return axl.Action.C if score(share) < 1 else self._random.random_choice(0.9)
"""
"""Every node, builtin and part of the protocol that the published sets use."""


def published(name: str, attitude: str, body: str, *, words: str = "", noise: str = "0") -> str:
    """One class as the published sets write it: two spaces for the class, six for the body."""
    number = name.rpartition("_")[2]
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "      ")
    comments = "".join(f"# {line}".rstrip() + "\n" for line in words.split("\n")) if words else ""
    return (
        f"{comments}class {name}(LLM_Strategy):\n  n = {number}\n  attitude = Attitude.{attitude}\n"
        f"  game = 'classic'\n  rounds = 1000\n  noise = {noise}\n\n  @auto_update_score\n"
        f"  def strategy(self, opponent: axl.player.Player) -> axl.Action:\n{lines}\n"
    )


PUBLISHED = (
    "import axelrod as axl\n\nfrom evollm.common import Attitude, auto_update_score, LLM_Strategy\n\n\n"
    + "\n\n".join(
        (
            published(
                "Aggressive_1",
                "AGGRESSIVE",
                "if not self.history:\n  return axl.Action.D\nreturn opponent.history[-1].flip()",
                words="Strike first and do the opposite of what the other did, so that it never knows\n"
                "where it stands.\n\n1. Begin with D.\n2. Then flip.",
            ),
            published(
                "Neutral_1", "NEUTRAL", BUSY.partition("\n")[2].partition("\n")[2], words="A busy one."
            ),
            published("Cooperative_1", "COOPERATIVE", "return axl.Action.C", noise="0.1"),
        )
    )
    + "\n\nAggressive_ranks = ['Aggressive_1']\nNeutral_ranks = ['Neutral_1']\n"
)
