"""Functions that may call themselves count how deep they are, since every interpreter ends that elsewhere.

Standard library only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from intent.arena.sandbox.names import OWN_METHODS, TYPE_METHODS
from intent.arena.sandbox.syntax import call_of, parameters

__all__ = ["counted"]

_Function = ast.FunctionDef | ast.Lambda
_TAKES_FUNCTIONS = frozenset({"map", "filter", "sorted", "max", "min"})


def counted(tree: ast.Module, bound: set[str]) -> bool:
    """Change the functions of a tree that may call themselves, over others too; whether there are any.

    Parameters
    ----------
    tree : ast.Module
    bound : set of str, names that are given a value anywhere inside
    """
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
    found: dict[str, _Function] = {}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name):
                found[name] = node
            case ast.Assign([ast.Name(name)], ast.Lambda() as function):
                found[name] = function
    return found


def _has_values(tree: ast.AST, named: dict[str, _Function], bound: set[str]) -> bool:
    """Whether a function is used otherwise than by calling it by its name, or giving it to a builtin."""
    fine: set[int] = set()
    seen: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func, args, keywords):
                fine.add(id(func))
                if isinstance(func, ast.Name) and func.id in _TAKES_FUNCTIONS - bound:
                    fine |= {id(argument) for argument in args}
                if not isinstance(func, ast.Name) or func.id not in bound:
                    fine |= {id(keyword.value) for keyword in keywords if keyword.arg == "key"}
            case ast.Assign([ast.Name(name)], ast.Lambda() as function) if name not in seen:
                fine.add(id(function))
                seen.add(name)
            case ast.FunctionDef(name):
                if name in seen:
                    return True
                seen.add(name)
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
    seen, ahead = set(), list(calls[name])
    while ahead:
        other = ahead.pop()
        if other == name:
            return True
        if other in calls and other not in seen:
            seen.add(other)
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
