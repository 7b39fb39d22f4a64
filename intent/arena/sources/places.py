"""Where names and methods may stand, so that a program means the same on every engine."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from intent.arena.sources.allowed import (
    BUILTINS,
    COUNTS,
    EXCEPTIONS,
    KEYWORDS,
    KINDS,
    TYPE_METHODS,
    VALUES,
)
from intent.arena.sources.parsed import quoted

__all__ = ["misplaced"]

_CALLERS = frozenset({"map", "filter"})
_UNTIL = frozenset({"any", "all", "next"})
_ON_WHOLES = (ast.Pow, ast.LShift, ast.BitOr, ast.BitAnd, ast.BitXor)


def misplaced(function: ast.FunctionDef, free: Set[str]) -> Iterator[tuple[int, str]]:
    """What stands where engines would differ, each with its line.

    Parameters
    ----------
    function : FunctionDef
    free : set of str
        Names that are read as global somewhere inside.
    """
    given = free & (BUILTINS | EXCEPTIONS)
    placed: set[int] = set()
    for node in ast.walk(function):
        line = getattr(node, "lineno", 0)
        for said in _of_node(node, given, placed):
            yield line, f"line {line}: {said}"
        match node:
            case ast.Name(name, ast.Store()) | ast.arg(name) | ast.FunctionDef(name) if name in given:
                yield line, f"line {line}: {name} is also the builtin that is used; choose another name"


def _of_node(node: ast.AST, given: Set[str], placed: set[int]) -> Iterator[str]:
    """What is wrong with a node; `placed` has the nodes whose place is right, found from their parents."""
    match node:
        case ast.Call(ast.Name(name)) if name in given & BUILTINS:
            placed.add(id(node.func))
            yield from _builtin_call(node, name, placed)
        case ast.Call(ast.Attribute()):
            placed.add(id(node.func))
            if node.func.attr == "sort":  # type: ignore[attr-defined]
                placed.update(id(k.value) for k in node.keywords if k.arg == "key")
        case ast.ExceptHandler():
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            placed.update(id(kind) for kind in kinds)
            yield from _read_error(node)
        case ast.Name(name, ast.Load()) if name in given and id(node) not in placed:
            yield f"{name} as a value not allowed; call it"
        case ast.Attribute(ast.Attribute(ast.Name("axl"), "Action"), "C" | "D"):
            placed.add(id(node.value))
        case ast.Attribute(ast.Name("axl"), "Action") if id(node) not in placed:
            yield "got axl.Action, write axl.Action.C or axl.Action.D"
        case ast.Attribute(value, name, ast.Load()) if name in TYPE_METHODS and id(node) not in placed:
            if not (isinstance(value, ast.Name) and value.id in ("self", "opponent")):
                yield f"{quoted(node)} as a value not allowed; call it"
        case ast.Compare(ops=[_, _, *_] as ops) if any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
            yield f"{quoted(node)} not allowed; compare two at a time"
        case ast.AugAssign(ast.Subscript(), op) if isinstance(op, _ON_WHOLES):
            yield f"{quoted(node.target)} cannot be changed so; write x[i] = x[i] | y"


def _builtin_call(node: ast.Call, name: str, placed: set[int]) -> Iterator[str]:
    if name in _CALLERS and node.args:
        placed.add(id(node.args[0]))
        if isinstance(node.args[0], ast.Attribute) and node.args[0].attr not in VALUES:
            placed.discard(id(node.args[0]))
    for keyword in node.keywords:
        known = KEYWORDS.get(name, frozenset())
        if known is not None and keyword.arg is not None and keyword.arg not in known:
            yield f"{name}({keyword.arg}=...) not allowed; {_named(known)}"
        value = keyword.value
        if keyword.arg == "key" and not (isinstance(value, ast.Attribute) and value.attr not in VALUES):
            placed.add(id(value))
    least, most = COUNTS.get(name, (0, 255))
    if name in COUNTS and (
        not least <= len(node.args) <= most or any(isinstance(a, ast.Starred) for a in node.args)
    ):
        yield f"{quoted(node)}: expected {least if least == most else f'{least} or {most}'} arguments"
        return
    if name == "isinstance":
        kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
        for kind in kinds:
            placed.add(id(kind))
            move = quoted(kind) == "axl.Action"
            if not move and not (isinstance(kind, ast.Name) and kind.id in KINDS):
                asked = ", ".join(sorted(KINDS))
                yield f"isinstance of {quoted(kind, 40)}: expected one of {asked}, axl.Action"
    if name in _UNTIL and node.args and isinstance(node.args[0], ast.GeneratorExp):
        yield from _until(node.args[0], name)


def _until(values: ast.GeneratorExp, name: str) -> Iterator[str]:
    """A generator that stops early has to be a plain one."""
    if any(isinstance(inside, ast.NamedExpr) for inside in ast.walk(values)):
        yield f"{quoted(values)}: no := within {name}(...); write a loop"
    if name == "next" and len(values.generators) > 1:
        yield f"{quoted(values)}: one for within next(...); write a loop"
    for g in values.generators:
        parts = g.target.elts if isinstance(g.target, ast.Tuple) else [g.target]
        if not all(isinstance(part, ast.Name) for part in parts):
            yield f"{quoted(g.target)}: plain names expected within {name}(...)"


def _read_error(handler: ast.ExceptHandler) -> Iterator[str]:
    for node in ast.walk(handler) if handler.name else ():
        if isinstance(node, ast.Name) and node.id == handler.name and isinstance(node.ctx, ast.Load):
            yield f"the error {handler.name} cannot be read; its text is not the same everywhere"


def _named(known: Set[str]) -> str:
    return f"it has {', '.join(sorted(known))}" if known else "write the argument without a name"
