"""What the gate says of one node of a strategy's syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from intent.arena.sources.allowed import (
    ATTRIBUTES,
    EXCEPTIONS,
    MUTATORS,
    NODES,
    PROTOCOL,
    PROTOCOL_METHODS,
    RANDOM_METHODS,
    RESERVED,
    TYPE_METHODS,
    WORDS,
)
from intent.arena.sources.parsed import chain, quoted
from intent.errors import shorten

__all__ = ["objections", "stored_attributes"]

_PARTS = (ast.alias, ast.withitem, ast.match_case, ast.pattern, ast.FormattedValue, ast.Del)
"""Parts of nodes that are refused as a whole."""


def objections(node: ast.AST, function: ast.FunctionDef, stored: Set[str]) -> Iterator[str]:
    """What is wrong with one node, its children apart, one line each.

    Parameters
    ----------
    node : AST
    function : FunctionDef
        The strategy that it is in.
    stored : set of str, its `stored_attributes`
    """
    line = getattr(node, "lineno", None)
    at = f"line {line}: " if line else ""
    if isinstance(node, _PARTS):
        return
    if type(node) not in NODES:
        what, instead = WORDS.get(type(node), (type(node).__name__, ""))
        yield f"{at}{what} not allowed" + (f"; {instead}" if instead else "")
        return
    match node:
        case ast.FunctionDef() | ast.Lambda() if node is not function:
            if isinstance(node, ast.FunctionDef):
                yield from (f"{at}decorators are not allowed; leave it out" for _ in node.decorator_list)
                yield from _new_name(node.name, at)
            inner = node.args
            for arg in (*inner.posonlyargs, *inner.args, *inner.kwonlyargs, inner.vararg, inner.kwarg):
                if arg is not None and arg.arg != "opponent":
                    yield from _new_name(arg.arg, at)
        case ast.Name(ctx=ast.Store()):
            yield from _new_name(node.id, at)
        case ast.keyword(arg=None):
            yield f"{at}** in a call not allowed; write the arguments out"
        case ast.keyword() | ast.arg() if (node.arg or "").startswith(("__", "zz_")):
            yield f"{at}name {node.arg} not allowed; choose one that begins otherwise"
        case ast.ExceptHandler():
            yield from _handler(node, at)
        case ast.Try() if node.finalbody:
            yield f"{at}finally is not allowed; write what follows after the try"
        case ast.Constant():
            yield from _constant(node, at)
        case ast.Attribute():
            yield from _attribute(node, stored, at)
        case ast.Subscript(ctx=ast.Store()):
            root, attributes = chain(node)
            if root == "opponent" or {"history", "match_attributes"} & set(attributes):
                yield f"{at}{_shown(node)} cannot be changed; copy it into a list first"
        case ast.Call():
            yield from _call(node, stored, at)


def _new_name(name: str, at: str) -> Iterator[str]:
    if name in ("self", "opponent", "axl"):
        yield f"{at}{name} cannot be given another value or used as a parameter; choose another name"
    elif name.startswith(("__", "zz_")) or name in RESERVED or not name.isascii():
        yield f"{at}name {shorten(name, 40)} not allowed; choose one that begins otherwise"
    elif name in ("getattr", "hasattr"):
        yield f"{at}{name} cannot be given another value; choose another name"


def _handler(node: ast.ExceptHandler, at: str) -> Iterator[str]:
    if node.type is None:
        yield f"{at}bare except is not allowed; name what may go wrong, such as IndexError"
        return
    for kind in node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]:
        if not (isinstance(kind, ast.Name) and kind.id in EXCEPTIONS):
            got = quoted(kind, 40)
            yield f"{at}except {got} is not allowed; name one of {', '.join(sorted(EXCEPTIONS))}"
    if node.name:
        yield from _new_name(node.name, at)


def _constant(node: ast.Constant, at: str) -> Iterator[str]:
    value = node.value
    if isinstance(value, str):
        if not (value.isascii() and value.isprintable()) or "%" in value:
            yield f"{at}text {quoted(node, 40)} not allowed; write plain letters, digits and signs, without %"
        return
    if isinstance(value, int | float | type(None)):
        if isinstance(value, int) and value.bit_length() > 64:
            yield f"{at}a number of {value.bit_length()} bits, expected at most 64"
        return
    instead = "; write pass or what belongs there" if value is ... else "; use numbers and lists"
    yield f"{at}{quoted(node, 40)} not allowed{instead}"


def _attribute(node: ast.Attribute, stored: Set[str], at: str) -> Iterator[str]:
    name, root = node.attr, node.value.id if isinstance(node.value, ast.Name) else None
    if isinstance(node.ctx, ast.Store):
        if root != "self":
            yield f"{at}{_shown(node)} cannot be stored; a strategy stores attributes on self only"
        elif name in PROTOCOL or name == "_random" or name.startswith(("__", "zz_")) or not name.isascii():
            yield f"{at}self.{shorten(name, 40)} belongs to the game; choose another name"
        return
    yield from _read_name(name, root, stored, at, node)
    if isinstance(node.value, ast.Attribute) and node.value.attr == "_random" and name not in RANDOM_METHODS:
        yield f"{at}{_shown(node)} is not there; self._random has {', '.join(RANDOM_METHODS)}"


def _read_name(name: str, root: str | None, stored: Set[str], at: str, node: ast.expr) -> Iterator[str]:
    """Whether an attribute of this name may be read."""
    if name.startswith(("__", "zz_")) or not name.isascii():
        yield f"{at}{_shown(node)} not allowed; use what the game gives"
    elif name.startswith("_") and not (root == "self" and (name == "_random" or name in stored)):
        yield f"{at}{_shown(node)} not allowed; with an underscore only self._random and what is stored"
    elif name in PROTOCOL_METHODS:
        yield f"{at}{_shown(node)} not allowed; a strategy reads histories and scores and returns one move"
    elif (
        root in ("self", "opponent", "axl")
        or name in ATTRIBUTES
        or (isinstance(node, ast.Attribute) and quoted(node.value) == "axl.Action")
    ):
        return
    else:
        yield f"{at}{_shown(node)} is not there; compare and compute with plain values"


def stored_attributes(function: ast.FunctionDef) -> set[str]:
    """Names of the attributes that a function gives a value."""
    return {
        node.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }


def _call(node: ast.Call, stored: Set[str], at: str) -> Iterator[str]:
    if isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
        if len(node.args) < 2 or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            yield f"{at}{_shown(node)}: expected {node.func.id}(self, 'name')"
            return
        holder, name = node.args[:2]
        if isinstance(name, ast.Constant):
            if not isinstance(name.value, str) or not name.value.isidentifier():
                yield f"{at}{_shown(node)}: expected the name of an attribute"
            elif name.value == "_random":
                yield f"{at}{_shown(node)} not allowed; write self._random"
            else:
                root = holder.id if isinstance(holder, ast.Name) else None
                if name.value in TYPE_METHODS and root != "self":
                    yield f"{at}{_shown(node)} not allowed; call the method"
                yield from _read_name(name.value, root, stored, at, node)
    elif isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        root, attributes = chain(node.func.value)
        if root == "opponent" or {"history", "match_attributes"} & set(attributes):
            yield f"{at}{_shown(node)} would change what belongs to the game; copy it into a list first"


def _shown(node: ast.expr) -> str:
    return quoted(node)
