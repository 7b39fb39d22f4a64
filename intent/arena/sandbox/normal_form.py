"""Written code in the one form that every engine runs; standard library only.

Interpreters differ, and one interpreter from run to run, in what a strategy should not depend on: when a
generator makes its values, the order of a set, which numbers and texts are one object, what a view of a dict
is. Each of these is rewritten here, before any engine compiles the code, into a call of `plain.py` or a list.

Syntax trees: walking them, names, calls, lambdas, generators that stop early; standard library only.

Functions that may call themselves count how deep they are, since every interpreter ends that elsewhere.

Standard library only.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from intent.arena.sandbox.names import OWN_METHODS, TYPE_METHODS

__all__ = [
    "CONSUMERS",
    "EAGER",
    "TOO_DEEP",
    "Family",
    "bound_names",
    "call_of",
    "name_of",
    "normalise",
    "parameters",
    "stopping_call",
    "syntax_tree",
]


TOO_DEEP = (RecursionError, MemoryError, SystemError)
"""What Python raises of code that is nested too deeply to be read, compiled or written down.

A SystemError says that CPython lost count of its own depth, see `syntax_tree`.
"""

_TRIES = 20

Visit = Callable[[ast.expr], Any]

_WITHOUT_EFFECT = (ast.Name, ast.Constant, ast.BoolOp, ast.Not, ast.UnaryOp, ast.boolop)
_COMPARISONS = (ast.Compare, ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.expr_context)


def syntax_tree(source: str, name: str = "<unknown>") -> ast.Module:
    """The tree of a source, as `ast.parse`.

    CPython up to 3.11 counts how deep it is for all threads together, and raises SystemError where two of
    them make trees at once: then it is tried again.

    Raises
    ------
    SyntaxError, ValueError, or one of `TOO_DEEP`
    """
    for _ in range(_TRIES):
        with contextlib.suppress(SystemError):
            return ast.parse(source, name)
    raise RecursionError("nested too deeply to be read")


class Family:
    """The nodes of a tree as they are now, those without parts left out, and what each stands in.

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
        ids: set[int] = set()
        for place, node in enumerate(self.nodes):
            if chosen(node):
                while id(self.nodes[place]) not in ids:
                    ids.add(id(self.nodes[place]))
                    place = self._within[place]
        return ids

    def replace(self, instead: Callable[[ast.AST], ast.expr | None]) -> None:
        """Put another expression, without parts of the old one, where one is given; at its place."""
        for place, node in enumerate(self.nodes):
            new = instead(node)
            if new is None:
                continue
            holder = self.nodes[self._within[place]]
            for field in holder._fields:
                held = getattr(holder, field)
                if held is node:
                    setattr(holder, field, ast.copy_location(new, node))
                elif type(held) is list and any(item is node for item in held):
                    held[:] = [ast.copy_location(new, node) if item is node else item for item in held]

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


def stopping_call(name: str, node: ast.Call, visit: Visit, consumed: Visit) -> ast.expr | None:
    """``any``, ``all`` and ``next`` of a generator expression as a call that stops early.

    Parameters
    ----------
    name : {"any", "all", "next"}
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
        fits = _lambda(g, _all_of([visit(test) for test in g.ifs]))
        value = _lambda(g, visit(values.elt))
        rest = [visit(argument) for argument in node.args[1:]]
        return call_of("zz_next", fits, value, consumed(g.iter), *rest)
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


_Function = ast.FunctionDef | ast.Lambda
_TAKES_FUNCTIONS = frozenset({"map", "filter", "sorted", "max", "min"})


def count_depth(tree: ast.Module, bound: set[str]) -> bool:
    """Change the functions of a tree that may call themselves, over others too; whether there are any."""
    named = _named(tree)
    if not named and not _calls_values(tree, bound):
        return False
    wide = _has_values(tree, named, bound)
    calls = {name: set(_called(function, bound)) for name, function in named.items()}
    deep: list[_Function] = []
    if wide:
        functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda))
        deep = [function for function in functions if _unclear(function, bound)]
    else:
        deep = [function for name, function in named.items() if _reaches(name, calls)]
    deep = [f for f in deep if not (isinstance(f, ast.FunctionDef) and f.name == "strategy")]
    for function in deep:
        _count(function)
    return bool(deep)


def _named(tree: ast.AST) -> dict[str, _Function]:
    """Functions that have a name; of one name the last, which is why a second one makes it unclear."""
    functions: dict[str, _Function] = {}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name):
                functions[name] = node
            case ast.Assign([ast.Name(name)], ast.Lambda() as function):
                functions[name] = function
    return functions


def _has_values(tree: ast.AST, named: dict[str, _Function], bound: set[str]) -> bool:
    """Whether a function is used otherwise than by calling it by its name, or giving it to a builtin."""
    fine: set[int] = set()
    functions: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func, args, keywords):
                fine.add(id(func))
                if isinstance(func, ast.Name) and func.id in _TAKES_FUNCTIONS - bound:
                    fine |= {id(argument) for argument in args}
                if not isinstance(func, ast.Name) or func.id not in bound:
                    fine |= {id(keyword.value) for keyword in keywords if keyword.arg == "key"}
            case ast.Assign([ast.Name(name)], ast.Lambda() as function) if name not in functions:
                fine.add(id(function))
                functions.add(name)
            case ast.FunctionDef(name):
                if name in functions:
                    return True
                functions.add(name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and id(node) not in fine:
            return True
        read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in named
        if read and id(node) not in fine:
            return True
    return False


def _called(function: ast.AST, bound: set[str]) -> Iterator[str]:
    """Names that a function may call, itself or through a builtin."""
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in bound:
            yield node.id


def _reaches(name: str, calls: dict[str, set[str]]) -> bool:
    reached, ahead = set(), list(calls[name])
    while ahead:
        other = ahead.pop()
        if other == name:
            return True
        if other in calls and other not in reached:
            reached.add(other)
            ahead += calls[other]
    return False


def _calls_values(tree: ast.AST, bound: set[str]) -> bool:
    return any(_unclear(node, bound) for node in ast.walk(tree) if isinstance(node, ast.Lambda))


def _unclear(function: ast.AST, bound: set[str]) -> bool:
    """Whether a function calls, or hands on, what may be any other function."""
    for node in ast.walk(function):
        match node:
            case ast.Call(ast.Name(name), args, keywords):
                handed = [*args, *(k.value for k in keywords)] if name in _TAKES_FUNCTIONS else []
                if name in bound or any(isinstance(h, ast.Name) and h.id in bound for h in handed):
                    return True
            case ast.Call(ast.Attribute(value, name)):
                own = isinstance(value, ast.Name) and value.id == "self" and name not in OWN_METHODS
                if own or name not in OWN_METHODS | TYPE_METHODS:
                    return True
            case ast.Call():
                return True
    return False


def _count(function: _Function) -> None:
    if isinstance(function, ast.Lambda):
        function.body = call_of("zz_within", ast.Lambda(parameters(()), function.body))
        return
    begin = ast.Expr(call_of("zz_deeper"))
    tried = ast.Try(function.body, [], [], [ast.Expr(call_of("zz_back"))])
    function.body = [begin, tried]


EAGER = frozenset({"map", "filter", "zip", "enumerate", "reversed"})
"""Builtins that give their values one by one in Python, and here make all of them at once."""

CONSUMERS = EAGER | {
    *("list", "set", "tuple", "sorted", "sum", "max", "min", "any", "all", "dict", "frozenset")
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
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def normalise(tree: ast.Module, native: bool) -> ast.Module:
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
    if sum(isinstance(node, ast.FunctionDef | ast.Lambda) for node in nodes) > 1 and count_depth(tree, bound):
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
        new = super().visit(node)
        if new is not node and isinstance(new, ast.expr | ast.stmt):
            ast.copy_location(new, node)
        return new

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
                early = stopping_call(name, node, self.visit, self._listed)
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
