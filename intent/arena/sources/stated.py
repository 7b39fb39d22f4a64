"""What a file of strategies states in plain values: facts of a class, attitudes in names, rankings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from intent.arena.entrant import ATTITUDES

__all__ = ["PUBLISHED_GAMES", "attitude_of", "class_values", "is_name", "rankings", "stated_facts"]

_FACTS = frozenset({"n", "attitude", "game", "rounds", "noise", "name", "classifier", "scored"})
"""Attributes that a class may state about itself."""

PUBLISHED_GAMES = {"chicken": "chicken-t4"}
"""Games that published files name otherwise than our catalogue, which has another chicken.

References
----------
Willis, Du, Leibo & Luck 2025, arXiv:2501.16173.
"""

_RANKS = "_ranks"


def stated_facts(node: ast.ClassDef) -> dict[str, object]:
    """What a class states of itself, where it is a plain value or a member of an enumeration."""
    facts: dict[str, object] = {}
    for statement in node.body:
        for target, value in _assigned(statement):
            if isinstance(value, ast.Constant):
                facts[target] = value.value
            elif isinstance(value, ast.Attribute):
                facts[target] = value.attr
            elif isinstance(value, ast.UnaryOp) and isinstance(value.operand, ast.Constant):
                facts[target] = None
    return {k: None if isinstance(v, bool) and k != "scored" else v for k, v in facts.items()}


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(statement, ast.Assign):
        yield from ((t.id, statement.value) for t in statement.targets if isinstance(t, ast.Name))
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        yield statement.target.id, statement.value


def class_values(node: ast.ClassDef) -> set[str]:
    """Attributes that a class sets and that are no facts about it; no engine sees them."""
    return {target for s in node.body for target, _ in _assigned(s)} - _FACTS


def attitude_of(name: str, *, stated: bool = False) -> str | None:
    """The attitude that a name begins with, or that a class states; any other stated text is a group too."""
    for attitude in ATTITUDES:
        if name.casefold() == attitude.casefold() or re.match(rf"{attitude}(?![a-z])", name, re.IGNORECASE):
            return attitude
    return name.strip() if stated and is_name(name) else None


def is_name(text: str) -> bool:
    """Whether a text can be shown as a name: printable, at most 80 characters."""
    return 0 < len(text.strip()) <= 80 and text.isprintable()


def rankings(statements: Sequence[ast.stmt]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Lists such as ``Aggressive_ranks = ['Aggressive_23', ...]``."""
    for statement in statements:
        for target, value in _assigned(statement):
            if target.endswith(_RANKS) and isinstance(value, ast.List | ast.Tuple):
                texts = [
                    e.value if isinstance(e, ast.Constant) else getattr(e, "id", None) for e in value.elts
                ]
                who = target.removesuffix(_RANKS)
                yield attitude_of(who) or who, tuple(t for t in texts if isinstance(t, str) and is_name(t))
