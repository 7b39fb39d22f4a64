"""Syntax trees: walking them, names, calls, lambdas, generators that stop early; standard library only."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Family", "call_of", "name_of", "parameters", "stopping"]

Visit = Callable[[ast.expr], Any]

_WITHOUT_EFFECT = (ast.Name, ast.Constant, ast.BoolOp, ast.Not, ast.UnaryOp, ast.boolop)
_COMPARISONS = (ast.Compare, ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.expr_context)


class Family:
    """The nodes of a tree as they are now, those without parts left out, and what each stands in.

    Parameters
    ----------
    tree : ast.AST

    Attributes
    ----------
    nodes : list of ast.AST, from the outside in
    """

    def __init__(self, tree: ast.AST) -> None:
        nodes, within = [tree], [0]
        # twice as fast as ast.walk, which is felt where every pair of players compiles its sources
        for place, node in enumerate(nodes):
            for field in node._fields:
                value = getattr(node, field)
                if type(value) is list:
                    for item in value:
                        if isinstance(item, ast.AST):
                            nodes.append(item)
                            within.append(place)
                elif isinstance(value, ast.AST) and value._fields:
                    nodes.append(value)
                    within.append(place)
        self.nodes, self._within = nodes, within

    def around(self, chosen: Callable[[ast.AST], bool]) -> set[int]:
        """The ``id`` of every chosen node and of those that it stands in."""
        found: set[int] = set()
        for place, node in enumerate(self.nodes):
            if chosen(node):
                while id(self.nodes[place]) not in found:
                    found.add(id(self.nodes[place]))
                    place = self._within[place]
        return found

    def replace(self, instead: Callable[[ast.AST], ast.expr | None]) -> None:
        """Put another expression, without parts of the old one, where one is given; at its place."""
        for place, node in enumerate(self.nodes):
            made = instead(node)
            if made is None:
                continue
            holder = self.nodes[self._within[place]]
            for field in holder._fields:
                held = getattr(holder, field)
                if held is node:
                    setattr(holder, field, ast.copy_location(made, node))
                elif type(held) is list and any(item is node for item in held):
                    held[:] = [ast.copy_location(made, node) if item is node else item for item in held]

    def locate(self, changed: set[int]) -> None:
        """Give new nodes the place in the source of what they stand in.

        Parameters
        ----------
        changed : set of int
            The nodes, as of `around`, that new ones may stand in.
        """
        old = {id(node) for node in self.nodes} - changed
        ahead = [(self.nodes[0], (1, 0, 1, 0))]
        while ahead:
            node, place = ahead.pop()
            if "lineno" in node._attributes:
                if hasattr(node, "lineno"):
                    place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
                else:
                    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = place  # type: ignore[attr-defined]
            ahead += [(part, place) for part in ast.iter_child_nodes(node) if id(part) not in old]


def name_of(name: str) -> ast.Name:
    """The value of a name."""
    return ast.Name(name, ast.Load())


def call_of(name: str, *args: ast.expr) -> ast.Call:
    """``name(*args)``."""
    return ast.Call(name_of(name), list(args), [])


def parameters(names: Sequence[str]) -> ast.arguments:
    """The parameters of a function, by position."""
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])


def stopping(name: str, node: ast.Call, visit: Visit, consumed: Visit) -> ast.expr | None:
    """``any``, ``all`` and ``next`` of a generator expression as a call that stops early.

    Parameters
    ----------
    name : {"any", "all", "next"}
    node : ast.Call
    visit, consumed : expression -> expression
        The rewriting of a part, and of one whose values are used up at once.

    Returns
    -------
    ast.expr or None
        None where it need not be, or cannot since a part would mean something else in a lambda.
    """
    values = node.args[0]
    if not isinstance(values, ast.GeneratorExp) or not _liftable(values):
        return None
    if name == "next":
        if len(values.generators) > 1:
            return None
        (g,) = values.generators
        kept = _lambda(g, _all_of([visit(test) for test in g.ifs]))
        made = _lambda(g, visit(values.elt))
        rest = [visit(argument) for argument in node.args[1:]]
        return call_of("zz_next", kept, made, consumed(g.iter), *rest)
    if len(node.args) > 1 or not _may_act(values):
        return None
    inner: ast.expr = visit(values.elt)
    for g in reversed(values.generators):
        tests = [visit(test) for test in g.ifs]
        if tests and name == "any":
            inner = ast.BoolOp(ast.And(), [*tests, inner])
        elif tests:
            inner = ast.BoolOp(ast.Or(), [*(ast.UnaryOp(ast.Not(), test) for test in tests), inner])
        inner = call_of(f"zz_{name}", _lambda(g, inner), consumed(g.iter))
    return inner


def _all_of(tests: list[ast.expr]) -> ast.expr:
    return ast.BoolOp(ast.And(), tests) if len(tests) > 1 else (tests or [ast.Constant(True)])[0]


def _lambda(g: ast.comprehension, body: ast.expr) -> ast.Lambda:
    if isinstance(g.target, ast.Name):
        return ast.Lambda(parameters((g.target.id,)), body)
    assert isinstance(g.target, ast.Tuple)
    names = [item.id for item in g.target.elts if isinstance(item, ast.Name)]
    value: ast.expr = name_of("zz_value")
    if not _fits(g):
        value = call_of("zz_parts", value, ast.Constant(len(names)))
    unpacked = ast.Call(ast.Lambda(parameters(names), body), [ast.Starred(value, ast.Load())], [])
    return ast.Lambda(parameters(("zz_value",)), unpacked)


def _fits(g: ast.comprehension) -> bool:
    """Whether what it goes through surely has as many parts as its target."""
    if isinstance(g.target, ast.Name):
        return True
    match g.target, g.iter:
        case ast.Tuple(targets), ast.Call(ast.Name("zip"), args):
            return len(targets) == len(args)
        case ast.Tuple([_, ast.Name()]), ast.Call(ast.Name("enumerate")):
            return True
    return False


def _liftable(values: ast.GeneratorExp) -> bool:
    """Whether its parts may stand in lambdas."""
    flat = all(
        isinstance(g.target, ast.Name)
        or (isinstance(g.target, ast.Tuple) and all(isinstance(item, ast.Name) for item in g.target.elts))
        for g in values.generators
    )
    return flat and not any(isinstance(node, ast.NamedExpr) for node in ast.walk(values))


def _may_act(values: ast.GeneratorExp) -> bool:
    """Whether it matters that the values after the decisive one are never made."""
    parts = [values.elt, *(test for g in values.generators for test in g.ifs)]
    parts += [g.iter for g in values.generators[1:]]
    return not all(map(_fits, values.generators)) or not all(map(_harmless, parts))


def _harmless(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(ast.Attribute(ast.Name("axl"), "Action"), "C" | "D"):
            return True
    return isinstance(node, (*_WITHOUT_EFFECT, *_COMPARISONS)) and all(
        map(_harmless, ast.iter_child_nodes(node))
    )
