"""Slips that models commonly make, and how they are put right on the syntax tree.

The gate refuses each of them and `mend` puts each right, so that mending never touches code that passes.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

from intent.arena.sandbox.names import RANDOM_METHODS
from intent.arena.sources.parser import chain, parse, quote_part, stored_attributes, too_large
from intent.base.errors import StrategyError

__all__ = ["Slip", "bound_names", "leaves", "mend", "mend_function", "own_statements", "slips"]


_MOVES = {
    **dict.fromkeys(("C", "COOPERATE", "COOPERATION"), "C"),
    **dict.fromkeys(("D", "DEFECT", "DEFECTION"), "D"),
}
_MODULES = frozenset({"axl", "axelrod"})
_BETWEEN = frozenset({"Action", "Actions", "action", "actions"})
_GENERATORS = {
    "rand": "random",
    "random_sample": "random",
    "integers": "randint",
    "randrange": "randint",
    **{name: name for name in RANDOM_METHODS},
}
_FOREIGN = (("random",), ("np", "random"), ("numpy", "random"), ("_random",), ("axl", "random"))


@dataclass(frozen=True, eq=False)
class Slip:
    """`node` stands there, `correction` was meant."""

    node: ast.expr
    correction: ast.expr

    def message(self) -> str:
        """One line for whoever wrote it."""
        return f"line {self.node.lineno}: got {quote_part(self.node)}, write {quote_part(self.correction)}"


def bound_names(function: ast.AST) -> set[str]:
    """Names that are given a value anywhere inside."""
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler) and node is not function:
            names.add(node.name or "")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((a.asname or a.name).split(".")[0] for a in node.names)
    return names


def slips(function: ast.FunctionDef) -> list[Slip]:
    """The slips of one function, outermost first where one holds another."""
    bound = bound_names(function)
    stored = stored_attributes(function)
    wrong = [Slip(node, _move(str(node.value))) for node in _moves_as_text(function)]
    for node in ast.walk(function):
        correction: ast.expr | None = None
        if isinstance(node, ast.Call):
            correction = _draw(node, bound)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            correction = _named_move(node, bound) or _length(node, stored)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in bound:
            if node.id in ("match_length", "total_rounds", "num_rounds"):
                correction = _match_length()
            elif node.id in _MOVES:
                correction = _move(node.id)
        if correction is not None:
            assert isinstance(node, ast.expr)
            wrong.append(Slip(node, correction))
    return wrong


def _named_move(node: ast.Attribute, bound: set[str]) -> ast.expr | None:
    """``axl.C``, ``Action.DEFECT``, ``axelrod.Action.C``: a move by another name."""
    names = _dotted(node)
    if names is None or names[-1].upper() not in _MOVES or names[0] in bound:
        return None
    root, *between = names[:-1]
    if names in (("axl", "Action", "C"), ("axl", "Action", "D")):
        return None
    known = root in _MODULES or root in _BETWEEN
    return _move(names[-1]) if known and set(between) <= _BETWEEN else None


def _draw(call: ast.Call, bound: set[str]) -> ast.expr | None:
    """A draw from another generator: Python's ``random``, numpy's, or the player's under a wrong name."""
    names = _dotted(call.func)
    if names is None or len(names) < 2 or names[-1] not in _GENERATORS:
        return None
    holder, method = names[:-1], _GENERATORS[names[-1]]
    own = holder == ("self", "_random")
    if own and names[-1] in RANDOM_METHODS:
        return None
    foreign = holder in _FOREIGN or names == ("axl", "random_choice")
    if not own and (not foreign or holder[0] in bound):
        return None
    includes_high = holder == ("random",) and names[-1] == "randint"
    return _drawn(call, method, includes_high=includes_high)


def _drawn(call: ast.Call, method: str, *, includes_high: bool = False) -> ast.expr:
    """The draw from the player's own generator; Python's ``randint`` includes its end, this one does not."""
    func = ast.Attribute(_attribute("self", "_random"), method, ast.Load())
    args = list(call.args)
    if includes_high and len(args) == 2:
        args[1] = ast.BinOp(args[1], ast.Add(), ast.Constant(1))
    return ast.Call(func, args, list(call.keywords))


def _length(node: ast.Attribute, stored: set[str]) -> ast.expr | None:
    """``self.match_length`` and ``self.match_attributes.length``."""
    names = _dotted(node)
    if names == ("self", "match_length") and "match_length" not in stored:
        return _match_length()
    return _match_length() if names == ("self", "match_attributes", "length") else None


def _moves_as_text(function: ast.FunctionDef) -> Iterator[ast.Constant]:
    """``"C"`` and ``"D"`` where only a move can be meant: returned, or compared with a history."""
    returned, names = [], set()
    assigned: list[tuple[str, ast.expr]] = []
    for node in own_statements(function):
        if isinstance(node, ast.Return) and node.value is not None:
            returned.extend(leaves(node.value))
        elif isinstance(node, ast.Assign):
            assigned.extend((t.id, node.value) for t in node.targets if isinstance(t, ast.Name))
    names = {leaf.id for leaf in returned if isinstance(leaf, ast.Name)}
    for name, value in assigned:
        if name in names:
            returned.extend(leaves(value))
    ids: set[int] = set()
    for leaf in (*returned, *_compared_with_history(function, names)):
        if isinstance(leaf, ast.Constant) and leaf.value in ("C", "D") and id(leaf) not in ids:
            ids.add(id(leaf))
            yield leaf


def _compared_with_history(function: ast.FunctionDef, names: set[str]) -> Iterator[ast.expr]:
    """What is compared with a past move, or counted in a history."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            if any("history" in chain(s)[1] or (isinstance(s, ast.Name) and s.id in names) for s in sides):
                for side in sides:
                    inside = side.elts if isinstance(side, ast.List | ast.Tuple) else (side,)
                    yield from inside
        elif isinstance(node, ast.Call) and chain(node.func)[1][-2:] == ("history", "count"):
            yield from node.args


def own_statements(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside it."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(node))


def leaves(value: ast.expr) -> list[ast.expr]:
    """The values that a conditional expression may have."""
    if isinstance(value, ast.IfExp):
        return [*leaves(value.body), *leaves(value.orelse)]
    return [value]


def _dotted(node: ast.expr) -> tuple[str, ...] | None:
    """``a.b.c`` as its names."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return (node.id, *reversed(names))


def _attribute(name: str, *attributes: str) -> ast.expr:
    node: ast.expr = ast.Name(name, ast.Load())
    for attribute in attributes:
        node = ast.Attribute(node, attribute, ast.Load())
    return node


def _move(name: str) -> ast.expr:
    return _attribute("axl", "Action", _MOVES[name.upper()])


def _match_length() -> ast.expr:
    return ast.Subscript(_attribute("self", "match_attributes"), ast.Constant("length"), ast.Load())


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
        tree = parse(source)
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
        wrong = {id(slip.node): slip.correction for slip in slips(function)}
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
                others = [s for s in block if not isinstance(s, ast.Import | ast.ImportFrom)]
                setattr(node, field, others or ([ast.Pass()] if field == "body" else []))


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
    for arg, usual in zip(a.args, ("self", "opponent"), strict=True):
        if arg.arg != usual and usual not in free:
            _Renamed(arg.arg, usual).visit(function)


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

    def __init__(self, corrections: dict[int, ast.expr]) -> None:
        self.corrections = corrections

    def visit(self, node: ast.AST) -> ast.AST:
        if id(node) in self.corrections:
            return ast.copy_location(copy.deepcopy(self.corrections[id(node)]), node)
        return self.generic_visit(node)
