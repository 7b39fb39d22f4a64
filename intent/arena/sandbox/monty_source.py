"""Written code for the monty interpreter: what it lacks is rewritten on the syntax tree.

Monty (pydantic-monty 1.4) runs plain functions, loops, lambdas, comprehensions and simple classes, with these
differences from Python that matter to a strategy:

- ``axl.Action.C`` becomes a name, which is faster and which nothing in the match can change;
- an object is no list, whatever methods it has: histories are lists, what would change a list asks first
  whether it is one, and ``x.cooperations`` becomes a call;
- ``map``, ``filter`` and ``zip`` are lists at once, so they become iterators that are used up once;
- sets keep the order in which they were filled, so those of moves are put into the order C, D as
  they grow;
- a method of a list is no value, so ``key=x.count`` becomes a lambda;
- two functions of one ``def`` or ``lambda`` are equal, so those used as values get a cell of their own;
- a dict keeps the last of keys that are equal, so what stores in one looks for the first;
- no builtin can wait for random words, so functions that draw are called in Python.

What all engines need rewritten is done before, by `normal_form.py`.

What stays out (`refused`): ``del``, ``yield``, ``with`` on own objects, inheritance, decorators of methods,
``global``; names that begin with ``zz_``, which are the session's.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import Any, cast

from intent.arena.sandbox.names import RANDOM_METHODS, TYPE_METHODS, VALUES
from intent.arena.sandbox.normal_form import (
    CONSUMERS,
    EAGER,
    TOO_DEEP,
    bound_names,
    call_of,
    name_of,
    normalise,
    parameters,
    stopping_call,
    syntax_tree,
)
from intent.base.errors import StrategyError, shorten

__all__ = ["KIT", "factory"]

MAX_SOURCE = 200_000
"""Characters of source that are read at all."""

_TALLIES = {"cooperations": "zz_cooperations", "defections": "zz_defections"}
_MOVES = {"C": "zz_c", "D": "zz_d"}
_SETS = {"set": "zz_set", "frozenset": "zz_frozenset"}
_RENAMED = {
    "str": "zz_str",
    "round": "zz_round",
    "pow": "zz_pow",
    "zz_kind_str": "str",
    "zz_iter": "zz_once",
    "iter": "zz_once",
}
_RENAMED |= {"dict": "zz_dict"}
_CHANGING = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "reverse"})
_OF_SETS = {name: f"zz_{name}" for name in ("add", "union", "intersection")}
_ON_SETS: dict[type[ast.operator], str] = {ast.BitOr: "zz_or", ast.BitAnd: "zz_and", ast.BitXor: "zz_xor"}
_CALLING = {name: f"zz_{name}" for name in ("map", "filter", "max", "min", "sorted")} | {
    "zz_sort": "zz_sort_by"
}
"""Builtins that call functions -> what does the same in Python."""

KIT = (
    *("zz_str", "zz_get", "zz_has", "zz_free", "zz_grown", "zz_times", "zz_set", "zz_frozenset"),
    *("zz_or", "zz_and", "zz_xor", "zz_ior", "zz_iand", "zz_ixor", "zz_less"),
    *("zz_put", "zz_sort", "zz_sort_by", "zz_add", "zz_update", "zz_union", "zz_intersection", "zz_popped"),
)
"""Names in the code of a player, in the order of `monty_world.zz_kit`."""

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
        tree = syntax_tree(source)
        _check(tree)
        tree = normalise(tree, native=False)
        rewriting = _Rewriting(tree)
        body: list[ast.stmt] = rewriting.visit(tree).body
        text = ast.unparse(ast.fix_missing_locations(ast.Module(_wrapped(body), [])))
    except SyntaxError as error:
        raise StrategyError(f"line {error.lineno or '?'}: {shorten(error.msg)}") from None
    except (ValueError, *TOO_DEEP) as error:
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


def _wrapped(body: list[ast.stmt]) -> list[ast.stmt]:
    names = ("axl", *_TALLIES.values(), *_MOVES.values(), *KIT)
    make = _function("zz_make", names, [*body, ast.Return(name_of("strategy"))])
    return [make]


def _function(name: str, names: Sequence[str], body: list[ast.stmt]) -> ast.FunctionDef:
    return ast.FunctionDef(name, parameters(names), body, [], None, None)


class _Rewriting(ast.NodeTransformer):
    """The rewriting of one source, from the outside in.

    Parameters
    ----------
    tree : ast.Module, as `shared` gives it
    """

    def __init__(self, tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        self._bound = bound_names(nodes)
        self._sets = any(isinstance(n, ast.Name) and n.id in ("set", "frozenset", "zz_set") for n in nodes)
        self._joins = self._sets or any(
            isinstance(n, ast.Dict | ast.DictComp) or (isinstance(n, ast.Name) and n.id == "dict")
            for n in nodes
        )
        self._ranges = _keeps_range(nodes)
        called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
        names = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        self._values = {n.id for n in names if id(n) not in called}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in _HIDDEN:
            node.id = f"no_{node.id}"
        elif isinstance(node.ctx, ast.Load) and node.id not in self._bound:
            node.id = _RENAMED.get(node.id) or _SETS.get(node.id) or node.id
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.returns = None
        self.generic_visit(node)
        if node.name not in self._values or node.name == "strategy":
            return node
        node.body.insert(0, ast.If(ast.Constant(False), [ast.Expr(name_of("zz_own"))], []))
        cell = ast.Assign([ast.Name("zz_own", ast.Store())], ast.Constant(0))
        outer = _function("zz_new", (), [cell, node, ast.Return(name_of(node.name))])
        return [outer, ast.Assign([ast.Name(node.name, ast.Store())], call_of("zz_new"))]

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        own = ast.Lambda(node.args, ast.IfExp(ast.Constant(True), node.body, name_of("zz_own")))
        return ast.Call(ast.Lambda(parameters(("zz_own",)), own), [ast.Constant(0)], [])

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
            and "axl" not in self._bound
        )

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = self._consumed(node.iter)
        node.target = self.visit(node.target)
        node.body = self._block(node.body)
        node.orelse = self._block(node.orelse)
        return node

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        block: list[ast.stmt] = []
        for statement in statements:
            new = self.visit(statement)
            block += new if isinstance(new, list) else [new]
        return block

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self._consumed(node.iter)
        node.target = self.visit(node.target)
        node.ifs = [self.visit(test) for test in node.ifs]
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        return call_of("zz_once", cast("ast.expr", self.generic_visit(node)))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Store):
            if self._joins and isinstance(node.slice, ast.Slice) and not _is_history(node.value):
                node.value = call_of("zz_sliced", node.value)
            return node
        text = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
        if (
            text
            or any(isinstance(n, ast.Slice) for n in ast.walk(node.slice))
            or any(isinstance(n, ast.Call) for n in ast.walk(node.slice))
        ):
            node.value = call_of("zz_free", node.value)
            return node
        held = copy.deepcopy(node.value)
        node.value = call_of("zz_free", node.value)
        node.slice = call_of("zz_key", held, node.slice)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node.targets:
            case [ast.Subscript(of, index)] if not any(isinstance(n, ast.Slice) for n in ast.walk(index)):
                parts = [self.visit(part) for part in (node.value, of, index)]
                return ast.Expr(call_of("zz_put", *parts))
        return self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        if len(node.keys) < 2 or all(
            isinstance(k, ast.Constant) and isinstance(k.value, str) for k in node.keys
        ):
            return node
        pairs: list[ast.expr] = [
            ast.Starred(call_of("zz_mapping", value), ast.Load())
            if key is None
            else ast.Tuple([key, value], ast.Load())
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return call_of("zz_dict", ast.List(pairs, ast.Load()))

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return call_of("zz_dict", ast.ListComp(pair, node.generators))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        helper = _ON_SETS.get(type(node.op)) if self._joins else None
        return call_of(helper, node.left, node.right) if helper else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if not self._sets or len(node.ops) > 1 or not isinstance(node.ops[0], ast.Lt | ast.Gt):
            return node
        sides = (node.left, node.comparators[0])
        if any(isinstance(side, ast.Constant) for side in sides):
            return node
        if isinstance(node.ops[0], ast.Lt):
            return call_of("zz_less", *sides)
        # both sides are worked out from left to right
        return ast.Call(
            ast.Lambda(parameters(("zz_a", "zz_b")), call_of("zz_less", name_of("zz_b"), name_of("zz_a"))),
            list(sides),
            [],
        )

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        held = _read_again(node.target)
        if held is not None:
            held = self.visit(held)
        self.generic_visit(node)
        helper = _ON_SETS.get(type(node.op)) if self._joins else None
        if helper is not None and held is not None:
            return ast.Assign([node.target], call_of(f"zz_i{helper[3:]}", held, node.value))
        if held is not None and not _is_number(node.value):
            if isinstance(node.op, ast.Add):
                node.value = call_of("zz_grown", held, node.value)
            elif isinstance(node.op, ast.Mult):
                node.value = call_of("zz_times", held, node.value)
        elif held is not None and isinstance(node.op, ast.Mult) and not _is_float(node.value):
            node.value = call_of("zz_times", held, node.value)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        if node.arg == "key":
            node.value = _as_lambda(node.value)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        call: ast.AST = self._called(node)
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id in EAGER - self._bound
        ):
            return call_of("zz_once", call)
        return call

    def _consumed(self, node: ast.expr) -> Any:
        """`node` where its values are used up at once, so that a list will do."""
        if isinstance(node, ast.GeneratorExp):
            return self.generic_visit(node)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in EAGER - self._bound
        ):
            return self._called(node)
        return self.visit(node)

    def _called(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) and node.func.id not in self._bound else ""
        if name in ("any", "all", "next") and node.args and not node.keywords:
            early = stopping_call(name, node, self._inline, self._consumed)
            if early is not None:
                return early
        if name in ("getattr", "hasattr") and len(node.args) > 1:
            return self._by_name(node, name)
        if name == "isinstance" and len(node.args) == 2:
            node.args = [self.visit(node.args[0]), _Types().visit(node.args[1])]
            return node
        if name in _CALLING and any(map(self._may_draw, _called_back(node, name))):
            node.func = name_of(_CALLING[name])
        if name in ("map", "filter") and node.args:
            node.args[0] = _as_lambda(node.args[0])
        if isinstance(node.func, ast.Attribute):
            self._look_first(node, node.func)
            method = self._method(node, node.func)
            if method is not None:
                return method
        node.func = self.visit(node.func)
        visit = self._consumed if name in CONSUMERS else self._inline
        node.args = [
            visit(argument) if not isinstance(argument, ast.Lambda) else self._inline(argument)
            for argument in node.args
        ]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def _may_draw(self, node: ast.expr) -> bool:
        """Whether a function may ask for random words, which Monty allows no builtin to wait for."""
        if isinstance(node, ast.Name):
            return node.id in self._bound
        called = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
        return any(
            f.attr in RANDOM_METHODS if isinstance(f, ast.Attribute) else self._may_draw(f)
            for f in called
            if isinstance(f, ast.Name | ast.Attribute)
        )

    def _inline(self, node: ast.expr) -> Any:
        """`node`, where a lambda is called and never compared."""
        return self.generic_visit(node) if isinstance(node, ast.Lambda) else self.visit(node)

    def _by_name(self, node: ast.Call, name: str) -> ast.Call:
        """``getattr`` and ``hasattr``: plain ones for what a player stored on itself."""
        of, word = node.args[:2]
        plain = isinstance(of, ast.Name) and of.id == "self" and isinstance(word, ast.Constant)
        if not plain or word.value in _TALLIES:  # type: ignore[attr-defined]
            node.func = name_of("zz_get" if name == "getattr" else "zz_has")
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def _look_first(self, node: ast.Call, func: ast.Attribute) -> None:
        """Have the method looked up before arguments that may raise or draw, as Python does."""
        of_self = isinstance(func.value, ast.Name) and func.value.id == "self"
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        if func.attr in TYPE_METHODS and not of_self and not all(map(self._is_plain, values)):
            func.value = call_of("zz_able", func.value, ast.Constant(func.attr))

    def _is_plain(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) or (isinstance(node, ast.Attribute) and self._is_move(node))

    def _method(self, node: ast.Call, func: ast.Attribute) -> ast.Call | None:
        """A call of a method of a list, dict or set that needs help; None for others."""
        if isinstance(func.value, ast.Name) and func.value.id == "self":
            return None
        name, helper = func.attr, None
        if name == "update":
            helper = "zz_update"
        elif self._sets and name in _OF_SETS:
            helper = _OF_SETS[name]
        elif self._sets and name == "pop" and not node.args:
            helper = "zz_popped"
        elif self._ranges and name in ("count", "index"):
            helper = f"zz_{name}"
        if helper is None and name not in _CHANGING:
            return None
        of = self.visit(func.value)
        args = [self.visit(argument) for argument in node.args]
        keywords = [self.visit(keyword) for keyword in node.keywords]
        if helper is not None:
            return ast.Call(name_of(helper), [of, *args], keywords)
        return ast.Call(ast.Attribute(call_of("zz_free", of), name, ast.Load()), args, keywords)


class _Types(ast.NodeTransformer):
    """The second place of ``isinstance``."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return name_of("str") if node.id == "zz_kind_str" else node


def _called_back(node: ast.Call, name: str) -> list[ast.expr]:
    """The functions that a builtin calls."""
    keys = [keyword.value for keyword in node.keywords if keyword.arg == "key"]
    return keys + (node.args[:1] if name in ("map", "filter") else [])


def _as_lambda(node: ast.expr) -> ast.expr:
    """``x.count`` as a value: a method of a list is none in monty."""
    if not isinstance(node, ast.Attribute) or node.attr not in VALUES:
        return node
    called = ast.Call(ast.Attribute(name_of("zz_of"), node.attr, ast.Load()), [name_of("zz_value")], [])
    bound = ast.Lambda(parameters(("zz_of",)), ast.Lambda(parameters(("zz_value",)), called))
    return ast.Call(bound, [node.value], [])


def _read_again(target: ast.expr) -> ast.expr | None:
    """The value of a target that can be read twice; None of one whose index is worked out."""
    match target:
        case ast.Name(name):
            return name_of(name)
        case ast.Attribute(value, name):
            return ast.Attribute(copy.deepcopy(value), name, ast.Load())
        case ast.Subscript(value, index) if not any(isinstance(n, ast.Call) for n in ast.walk(target)):
            return ast.Subscript(copy.deepcopy(value), copy.deepcopy(index), ast.Load())
    return None


def _is_history(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "history"


def _is_number(node: ast.expr) -> bool:
    match node:
        case ast.Constant(int() | float()) | ast.Call(ast.Name("len" | "sum" | "abs" | "int" | "float")):
            return True
    return False


def _is_float(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def _keeps_range(nodes: Sequence[ast.AST]) -> bool:
    """Whether a range may become a value of the program."""
    ranges = {
        id(n)
        for n in nodes
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "range"
    }
    for node in nodes:
        if isinstance(node, ast.For | ast.comprehension):
            ranges.discard(id(node.iter))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            ranges -= {id(argument) for argument in node.args}
    return bool(ranges)
