"""Written code in the one form that every engine runs; standard library only.

Interpreters differ, and one interpreter from run to run, in what a strategy should not depend on: when a
generator makes its values, the order of a set, which numbers and texts are one object, what a view of a dict
is. Each of these is rewritten here, before any engine compiles the code, into a call of `plain.py` or a list.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from intent.arena.sandbox.depth import counted
from intent.arena.sandbox.syntax import Family, call_of, name_of, stopping

__all__ = ["CONSUMERS", "EAGER", "bound_names", "shared"]

EAGER = frozenset({"map", "filter", "zip", "enumerate", "reversed"})
"""Builtins that give their values one by one in Python, and here make all of them at once."""

CONSUMERS = EAGER | {
    *("list", "set", "tuple", "sorted", "sum", "max", "min", "any", "all", "dict", "frozenset"),
}
"""Builtins to which a list may be given in the place of a generator."""

_UNTIL = frozenset({"any", "all", "next"})
_LISTED = {"keys": "zz_keys", "values": "zz_values", "items": "zz_items"}
_HELPED: dict[type[ast.operator], str] = {ast.Pow: "zz_pow", ast.LShift: "zz_shift"}
_LAZY = frozenset({"zip", "enumerate", "reversed"})
_OTHER = frozenset({ast.GeneratorExp, ast.Set, ast.SetComp})
_CHANGED = _LAZY | {"isinstance", "pow", "sorted"}
"""Kinds of nodes, and builtins, whose use may get another form whatever stands in it."""


def bound_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that are given a value by any node, as arguments, by assignment or by ``def``."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found


def shared(tree: ast.Module, native: bool) -> ast.Module:
    """`tree` itself, changed to the form that all engines run.

    Parameters
    ----------
    tree : ast.Module
        Untrusted; nothing of it is run.
    native : bool
        Whether CPython is to run it, whose generators may be kept where nobody can tell.
    """
    family = Family(tree)
    nodes = family.nodes
    bound = bound_names(nodes)
    changed = family.around(lambda node: _other_form(node, bound))
    if changed:
        lift = any(isinstance(node, ast.Name) and node.id in ("next", "StopIteration") for node in nodes)
        tree = _Shared(bound, native, lift, changed).visit(tree)
        family.locate(changed)
    if sum(isinstance(node, ast.FunctionDef | ast.Lambda) for node in nodes) > 1 and counted(tree, bound):
        ast.fix_missing_locations(tree)
    return tree


def _other_form(node: ast.AST, bound: set[str]) -> bool:
    """Whether `_Shared` may give a node another form; whatever it stands in is visited on the way there."""
    kind = type(node)
    if kind in _OTHER:
        return True
    if kind is ast.BinOp or kind is ast.AugAssign:
        return type(node.op) in _HELPED  # type: ignore[attr-defined]
    if kind is ast.Compare:
        return isinstance(node.ops[0], ast.Is | ast.IsNot)  # type: ignore[attr-defined]
    if kind is ast.Call:
        called = node.func  # type: ignore[attr-defined]
        if isinstance(called, ast.Attribute):
            return called.attr in _LISTED or called.attr == "sort"
        return isinstance(called, ast.Name) and called.id in _CHANGED and called.id not in bound
    return False


class _Shared(ast.NodeTransformer):
    """The rewriting of one source.

    Parameters
    ----------
    bound : set of str, names that are given a value anywhere
    native, lift : bool
        Whether CPython runs it; whether it may ask when a generator ends.
    changed : set of int
        The ``id`` of the nodes that may get another form or hold such a one; others stay as they are.
    """

    def __init__(self, bound: set[str], native: bool, lift: bool, changed: set[int]) -> None:
        self._bound, self._native, self._lift, self._changed = bound, native, lift, changed

    def visit(self, node: ast.AST) -> Any:
        if id(node) not in self._changed:
            return node
        made = super().visit(node)
        if made is not node and isinstance(made, ast.expr | ast.stmt):
            ast.copy_location(made, node)
        return made

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        return call_of("zz_iter", self._listed(node))

    def visit_Set(self, node: ast.Set) -> ast.AST:
        return call_of("zz_set", ast.List([self.visit(e) for e in node.elts], ast.Load()))

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        self.generic_visit(node)
        return call_of("zz_set", ast.ListComp(node.elt, node.generators))

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = self._listed(node.iter)
        for field in ("target", "body", "orelse"):
            self._visit_field(node, field)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self._listed(node.iter)
        for field in ("target", "ifs"):
            self._visit_field(node, field)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        helper = _HELPED.get(type(node.op))
        return call_of(helper, node.left, node.right) if helper else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        helper = _HELPED.get(type(node.op))
        if helper is None or not isinstance(node.target, ast.Name | ast.Attribute):
            return node
        held: ast.expr
        if isinstance(node.target, ast.Name):
            held = name_of(node.target.id)
        else:
            held = ast.Attribute(node.target.value, node.target.attr, ast.Load())
        return ast.Assign([node.target], call_of(helper, held, node.value))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1 or not isinstance(node.ops[0], ast.Is | ast.IsNot):
            return node
        left, right = node.left, node.comparators[0]
        if one_of_a_kind(left) or one_of_a_kind(right):
            return node
        same = call_of("zz_is", left, right)
        return same if isinstance(node.ops[0], ast.Is) else ast.UnaryOp(ast.Not(), same)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id not in self._bound:
            return self._builtin(node, node.func.id)
        if isinstance(node.func, ast.Attribute) and not _is_name(node.func.value, "self"):
            of, method = node.func.value, node.func.attr
            if method in _LISTED and not node.args and not node.keywords:
                return call_of(_LISTED[method], self.visit(of))
            if method == "sort" and not node.args:
                keywords = [_either(self.visit(keyword)) for keyword in node.keywords]
                return ast.Call(name_of("zz_sort"), [self.visit(of)], keywords)
        self.generic_visit(node)
        return node

    def _builtin(self, node: ast.Call, name: str) -> ast.AST:
        if name in _UNTIL and node.args and isinstance(node.args[0], ast.GeneratorExp) and not node.keywords:
            if self._native and self._lift:
                early = stopping(name, node, self.visit, self._listed)
                if early is not None:
                    return early
            values = node.args[0]
            self._visit_field(values, "generators")
            self._visit_field(values, "elt")
            node.args[1:] = [self.visit(argument) for argument in node.args[1:]]
            return node
        if name == "isinstance" and len(node.args) == 2:
            node.args = [self.visit(node.args[0]), _Kinds().visit(node.args[1])]
            return node
        visit = self._listed if name in CONSUMERS else self.visit
        still = (
            name in _LAZY
            and self._native
            and not node.keywords
            and all(map(_still, node.args[:1] if name == "enumerate" else node.args))
        )
        node.args = [visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        if name == "sorted":
            node.keywords = [_either(keyword) for keyword in node.keywords]
        if name == "pow" and len(node.args) == 2:
            node.func = name_of("zz_pow")
        elif still:
            node.func = name_of(f"zz_lazy_{name}")
        return node

    def _listed(self, node: ast.expr) -> Any:
        """`node`, as a list where it is a generator expression."""
        if isinstance(node, ast.GeneratorExp):
            self.generic_visit(node)
            return ast.copy_location(ast.ListComp(node.elt, node.generators), node)
        return self.visit(node)

    def _visit_field(self, node: ast.AST, field: str) -> None:
        value = getattr(node, field)
        if isinstance(value, list):
            value[:] = [self.visit(item) for item in value]
        else:
            setattr(node, field, self.visit(value))


class _Kinds(ast.NodeTransformer):
    """In the second place of ``isinstance`` stand types, not what stands for them."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(name_of("zz_kind_str"), node) if node.id == "str" else node


def _either(keyword: ast.keyword) -> ast.keyword:
    """``reverse=`` as True or False, which not every interpreter asks for."""
    if keyword.arg != "reverse":
        return keyword
    value = keyword.value
    fixed = isinstance(value, ast.Constant)
    either = ast.Constant(bool(value.value)) if fixed else call_of("zz_truth", value)  # type: ignore[attr-defined]
    return ast.keyword("reverse", either)


def one_of_a_kind(node: ast.expr) -> bool:
    """Whether it is None, True, False or a move as it is written: there is one of each."""
    match node:
        case ast.Constant(None | True | False) | ast.Attribute(
            ast.Attribute(ast.Name("axl"), "Action"), "C" | "D"
        ):
            return True
    return False


def _still(node: ast.expr) -> bool:
    """Whether it is a list that nothing changes meanwhile: a history, or one made on the spot."""
    match node:
        case ast.Attribute(ast.Name("self" | "opponent"), "history"):
            return True
        case ast.Subscript(_, ast.Slice()) | ast.ListComp() | ast.List():
            return True
    return False


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
