"""What the source of a strategy says by itself: names it uses, loops, chance, scores, the length."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

from intent.errors import StrategyError, located

__all__ = ["CodeFacts", "code_facts"]

_CHANCE = ("random_choice", "randint", "random", "choice")
_SCORES = ("score", "total_scores")
_LONGEST = 100_000


@dataclass(frozen=True)
class CodeFacts:
    """What was seen in the source.

    Attributes
    ----------
    lines, characters : int
    builtins : name -> calls of plain names, such as ``len``
    attributes : name -> uses, whatever they are read from
    chance : method of ``self._random`` -> calls; empty where it draws nothing
    loops : int, ``for``, ``while`` and comprehensions
    nested_loops : int, the deepest loop within loops
    functions : int, functions and lambdas within
    reads_scores : bool
    reads_length : bool, ``self.match_attributes``
    whole_history : bool
        Whether it goes through a whole history (iteration, ``count``, ``total_scores``, a call that takes
        it), so that its time grows with the rounds. Numbers that are kept, as ``cooperations``, do not.
    remembers : names that it stores on itself
    """

    lines: int
    characters: int
    builtins: dict[str, int]
    attributes: dict[str, int]
    chance: dict[str, int]
    loops: int
    nested_loops: int
    functions: int
    reads_scores: bool
    reads_length: bool
    whole_history: bool
    remembers: tuple[str, ...]


def code_facts(source: str) -> CodeFacts:
    """Read the source, without running it.

    Parameters
    ----------
    source : str
        ``def strategy(self, opponent): ...``

    Raises
    ------
    StrategyError
        It is longer than 100,000 characters, or no Python.
    """
    if len(source) > _LONGEST:
        raise StrategyError(f"source of {len(source):,} characters, expected at most {_LONGEST:,}")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        raise StrategyError(located("source", f"no Python ({type(error).__name__})", line)) from None
    nodes = list(ast.walk(tree))
    attributes = Counter(n.attr for n in nodes if isinstance(n, ast.Attribute))
    calls = Counter(n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    own = {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    own |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    chance = Counter(
        n.func.attr
        for n in nodes
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr in _CHANCE
        and isinstance(n.func.value, ast.Attribute)
        and n.func.value.attr == "_random"
    )
    stored = dict.fromkeys(
        n.attr
        for n in nodes
        if isinstance(n, ast.Attribute)
        and isinstance(n.ctx, ast.Store)
        and isinstance(n.value, ast.Name)
        and n.value.id == "self"
    )
    return CodeFacts(
        lines=source.count("\n") + (not source.endswith("\n")),
        characters=len(source),
        builtins=_sorted({name: n for name, n in calls.items() if name not in own}),
        attributes=_sorted(attributes),
        chance=_sorted(chance),
        loops=sum(isinstance(n, ast.For | ast.While | ast.comprehension) for n in nodes),
        nested_loops=_depth(tree),
        functions=sum(isinstance(n, ast.FunctionDef | ast.Lambda) for n in nodes) - 1,
        reads_scores=any(attributes[name] for name in _SCORES),
        reads_length=attributes["match_attributes"] > 0,
        whole_history=any(_is_whole(n) for n in nodes),
        remembers=tuple(stored),
    )


def _sorted(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _depth(tree: ast.AST) -> int:
    """The deepest loop within loops; walked without recursion, since the source may nest deeply."""
    deepest, stack = 0, [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        depth += isinstance(node, ast.For | ast.While)
        depth += len(getattr(node, "generators", ()))
        deepest = max(deepest, depth)
        stack += [(child, depth) for child in ast.iter_child_nodes(node)]
    return deepest


def _is_whole(node: ast.AST) -> bool:
    """Whether a node counts over, or goes through, a whole history."""
    if isinstance(node, ast.Attribute):
        return node.attr in ("count", "total_scores") and isinstance(node.ctx, ast.Load) and _history(node)
    if isinstance(node, ast.For | ast.comprehension):
        return isinstance(node.iter, ast.Attribute) and node.iter.attr == "history"
    return isinstance(node, ast.Call) and any(
        isinstance(a, ast.Attribute) and a.attr == "history"
        for a in node.args
        if not (isinstance(node.func, ast.Name) and node.func.id == "len")
    )


def _history(node: ast.Attribute) -> bool:
    return node.attr == "total_scores" or (
        isinstance(node.value, ast.Attribute) and node.value.attr == "history"
    )
