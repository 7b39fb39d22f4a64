"""Put right what models commonly get wrong, on the syntax tree."""

from __future__ import annotations

import ast
import copy

from intent.arena.sources.parsed import parsed, too_large
from intent.arena.sources.slips import bound_names, slips
from intent.errors import StrategyError

__all__ = ["mend", "mend_function"]

_ROUNDS = 5
"""Slips inside slips are put right in turn."""


def mend(source: str) -> str:
    """The source with slips put right; as it is where it cannot be read or where it is past mending.

    1. A class with one method gives up the method; imports and decorators go.
    2. Helpers and constants beside the function move into it; it is called ``strategy(self, opponent)``.
    3. Moves, draws and the length of the match by other names get theirs (`intent.arena.sources.slips`).

    Parameters
    ----------
    source : str, untrusted; it is read, never run

    Returns
    -------
    str
        ``mend(gate(x)) == gate(x)``: what passes the gate keeps its meaning.
    """
    try:
        tree = parsed(source)
    except StrategyError:
        return source
    if too_large(tree):
        return source
    function = _one_function(tree)
    if function is None:
        return source
    try:
        return ast.unparse(ast.Module([mend_function(function)], [])) + "\n"
    except (RecursionError, ValueError):
        return source


def mend_function(function: ast.FunctionDef) -> ast.FunctionDef:
    """`function` itself, changed: imports inside, parameters and slips put right."""
    _drop_imports(function)
    _name_parameters(function)
    for _ in range(_ROUNDS):
        wrong = {id(slip.node): slip.meant for slip in slips(function)}
        if not wrong:
            break
        _Replaced(wrong).visit(function)
    return ast.fix_missing_locations(function)


def _one_function(tree: ast.Module) -> ast.FunctionDef | None:
    """The strategy with the helpers beside it taken in; None where there is no telling which it is."""
    body = [s for s in tree.body if not isinstance(s, ast.Import | ast.ImportFrom) and not _is_text(s)]
    classes = [s for s in body if isinstance(s, ast.ClassDef)]
    if len(classes) == 1:
        inside = [s for s in classes[0].body if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)]
        if len(inside) != 1:
            return None
        body = [inside[0] if s is classes[0] else s for s in body]
    functions = [s for s in body if isinstance(s, ast.FunctionDef)]
    named = [s for s in functions if s.name == "strategy"]
    chosen = named[0] if len(named) == 1 else functions[0] if len(functions) == 1 else None
    helpers = [s for s in body if s is not chosen]
    if chosen is None or not all(_is_helper(s) for s in helpers):
        return None
    chosen.decorator_list = []
    used = {
        n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    }
    chosen.body = [s for s in helpers if _gives(s) & used] + chosen.body
    return chosen


def _is_helper(statement: ast.stmt) -> bool:
    """A function, or a name given a value."""
    if isinstance(statement, ast.FunctionDef):
        return not statement.decorator_list
    return isinstance(statement, ast.Assign | ast.AnnAssign) and bool(_gives(statement))


def _gives(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef):
        return {statement.name}
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _drop_imports(function: ast.FunctionDef) -> None:
    for node in ast.walk(function):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and any(isinstance(s, ast.Import | ast.ImportFrom) for s in block):
                kept = [s for s in block if not isinstance(s, ast.Import | ast.ImportFrom)]
                setattr(node, field, kept or ([ast.Pass()] if field == "body" else []))


def _name_parameters(function: ast.FunctionDef) -> None:
    """``strategy(self, opponent)``, where one or two plain parameters stand for them."""
    a = function.args
    if a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs or a.defaults:
        return
    function.name = "strategy"
    names = [arg.arg for arg in a.args]
    if len(names) == 1 and names != ["self"] and "self" not in bound_names(function):
        a.args.insert(0, ast.arg("self"))
    elif names == ["self"]:
        a.args.append(ast.arg("opponent"))
    if len(a.args) != 2:
        return
    free = bound_names(function)
    for arg, meant in zip(a.args, ("self", "opponent"), strict=True):
        if arg.arg != meant and meant not in free:
            _Renamed(arg.arg, meant).visit(function)


class _Renamed(ast.NodeTransformer):
    """One name for another, all through a function."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.new if node.id == self.old else node.id
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self.new if node.arg == self.old else node.arg
        return node


class _Replaced(ast.NodeTransformer):
    """What was meant in the place of what stands there."""

    def __init__(self, meant: dict[int, ast.expr]) -> None:
        self.meant = meant

    def visit(self, node: ast.AST) -> ast.AST:
        if id(node) in self.meant:
            return ast.copy_location(copy.deepcopy(self.meant[id(node)]), node)
        return self.generic_visit(node)
