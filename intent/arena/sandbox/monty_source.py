"""Written code for the monty interpreter: what it lacks is rewritten on the syntax tree.

Monty (pydantic-monty 1.4) runs plain functions, loops, lambdas, comprehensions and simple classes, with these
differences from Python that matter to a strategy:

- ``axl.Action.C`` becomes a name, which is faster and which nothing in the match can change;
- an object is no list, whatever methods it has: histories are lists and ``x.cooperations`` becomes a call;
- generator expressions, ``map``, ``filter`` and ``zip`` are lists at once, so ``any``, ``all`` and ``next``
  of a generator become calls that stop early, and the rest become iterators that are used up once;
- sets keep the order in which they were filled, so those of moves are put into the order C, D;
- a method of a list is no value, so ``key=x.count`` becomes a lambda.

What stays out (`refused`): ``del``, ``yield``, ``with`` on own objects, inheritance, decorators of methods,
``global``; names that begin with ``zz_``, which are the session's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, cast

from intent.arena.sandbox.monty_syntax import call_of, name_of, parameters, stopping
from intent.errors import StrategyError, shorten

__all__ = ["MAX_SOURCE", "factory"]

MAX_SOURCE = 200_000
"""Characters of source that are read at all."""

_TALLIES = {"cooperations": "zz_cooperations", "defections": "zz_defections"}
_MOVES = {"C": "zz_c", "D": "zz_d"}
_ONE_SHOT = frozenset({"map", "filter", "zip", "enumerate", "reversed"})
_CONSUMERS = frozenset(
    {"list", "set", "tuple", "sorted", "sum", "max", "min", "any", "all", "dict", "frozenset"}
)
_CONSUMERS |= {"zip", "enumerate", "map", "filter"}
_SETS = frozenset({"set", "frozenset"})
_HIDDEN = frozenset({"exec", "eval", "locals"})


def factory(source: str) -> str:
    """Text of ``def zz_make(axl, ...)`` that gives the strategy's function.

    Parameters
    ----------
    source : str
        ``def strategy(self, opponent): ...``; untrusted.

    Raises
    ------
    StrategyError
        It is no Python, has no function `strategy`, or uses what no session may give.
    """
    if len(source) > MAX_SOURCE:
        raise StrategyError(f"{len(source)} characters of source, expected at most {MAX_SOURCE}")
    try:
        tree = ast.parse(source)
        _check(tree)
        body = [_Rewriting(_stored(tree)).visit(statement) for statement in tree.body]
        text = ast.unparse(ast.fix_missing_locations(ast.Module(_wrapped(body), [])))
    except SyntaxError as error:
        raise StrategyError(f"line {error.lineno or '?'}: {shorten(error.msg)}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise StrategyError(f"no readable Python: {shorten(error) or type(error).__name__}") from None
    return text


def _check(tree: ast.Module) -> None:
    """Refuse what would reach the session's own names."""
    if not any(isinstance(node, ast.FunctionDef) and node.name == "strategy" for node in tree.body):
        raise StrategyError("no function 'strategy' in the source")
    for node in ast.walk(tree):
        line = getattr(node, "lineno", "?")
        if isinstance(node, ast.Global):
            raise StrategyError(f"line {line}: 'global' is not given in a monty session")
        for name in _identifiers(node):
            if name.startswith("zz_"):
                raise StrategyError(f"line {line}: names that begin with 'zz_' are the session's own")
    if any(isinstance(node, ast.Return) for node in tree.body):
        raise StrategyError("'return' outside a function")


def _identifiers(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        return
    for _, value in ast.iter_fields(node):
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, str))


def _stored(tree: ast.Module) -> set[str]:
    """Names that are bound anywhere, as arguments or by assignment."""
    names = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return names | {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}


def _wrapped(body: list[ast.stmt]) -> list[ast.stmt]:
    names = ("axl", *_TALLIES.values(), "zz_ordered", *_MOVES.values())
    make = _function("zz_make", names, [*body, ast.Return(name_of("strategy"))])
    return [make]


def _function(name: str, names: Sequence[str], body: list[ast.stmt]) -> ast.FunctionDef:
    return ast.FunctionDef(name, parameters(names), body, [], None, None)


class _Rewriting(ast.NodeTransformer):
    """The rewriting of one function, from the outside in.

    Parameters
    ----------
    stored : set of str, the names that it binds itself
    """

    def __init__(self, stored: set[str]) -> None:
        self._stored = stored

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in _HIDDEN:
            node.id = f"no_{node.id}"
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is None:
            return ast.Pass()
        return ast.Assign([node.target], node.value, lineno=node.lineno)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        return self._no_import()

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        return self._no_import()

    def _no_import(self) -> ast.AST:
        return ast.Raise(call_of("ImportError", ast.Constant("nothing can be imported")), None)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and self._is_move(node):
            return name_of(_MOVES[node.attr])
        self.generic_visit(node)
        if node.attr in _TALLIES and isinstance(node.ctx, ast.Load):
            return call_of(_TALLIES[node.attr], node.value)
        return node

    def _is_move(self, node: ast.Attribute) -> bool:
        """Whether it is ``axl.Action.C`` or ``.D``."""
        above = node.value
        return (
            node.attr in _MOVES
            and isinstance(above, ast.Attribute)
            and above.attr == "Action"
            and isinstance(above.value, ast.Name)
            and above.value.id == "axl"
            and "axl" not in self._stored
        )

    def visit_For(self, node: ast.For) -> ast.AST:
        node.target = self.visit(node.target)
        node.iter = self._consumed(node.iter)
        node.body = [self.visit(s) for s in node.body]
        node.orelse = [self.visit(s) for s in node.orelse]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.target = self.visit(node.target)
        node.iter = self._consumed(node.iter)
        node.ifs = [self.visit(test) for test in node.ifs]
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        return call_of("iter", self._consumed(node))

    def visit_Set(self, node: ast.Set) -> ast.AST:
        return call_of("zz_ordered", name_of("set"), cast("ast.expr", self.generic_visit(node)))

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        return call_of("zz_ordered", name_of("set"), cast("ast.expr", self.generic_visit(node)))

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        if node.arg == "key":
            node.value = _as_lambda(node.value)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        made: ast.AST = self._called(node)
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id in _ONE_SHOT:
            return call_of("iter", made)
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and made.func.id in _SETS:
            return call_of("zz_ordered", name_of(made.func.id), made)
        return made

    def _consumed(self, node: ast.expr) -> Any:
        """`node` where its values are used up at once, so that a list will do."""
        if isinstance(node, ast.GeneratorExp):
            return self.generic_visit(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ONE_SHOT:
            return self._called(node)
        return self.visit(node)

    def _called(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("any", "all", "next") and node.args and not node.keywords:
            early = stopping(name, node, self.visit, self._consumed)
            if early is not None:
                return early
        if name == "getattr" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
            tally = _TALLIES.get(str(node.args[1].value))
            if tally is not None:
                node.args = [self.visit(a) for a in (node.args[0], *node.args[2:])]
                return call_of(tally, *node.args)
        if name in ("map", "filter") and node.args:
            node.args[0] = _as_lambda(node.args[0])
        node.func = self.visit(node.func)
        visit = self._consumed if name in _CONSUMERS else self.visit
        node.args = [visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node


def _as_lambda(node: ast.expr) -> ast.expr:
    """``x.count`` as a value: a method of a list is none in monty."""
    if not isinstance(node, ast.Attribute) or node.attr not in ("count", "index"):
        return node
    called = ast.Call(ast.Attribute(node.value, node.attr, ast.Load()), [name_of("zz_value")], [])
    return ast.Lambda(parameters(("zz_value",)), called)
