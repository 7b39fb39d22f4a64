"""Untrusted text -> syntax tree, within bounds; nothing is run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from intent.errors import StrategyError, shorten

__all__ = [
    "MAX_CHARACTERS",
    "MAX_DEPTH",
    "MAX_NODES",
    "bare",
    "canonical",
    "chain",
    "parsed",
    "quoted",
    "too_large",
]

MAX_CHARACTERS = 20_000
"""Of one strategy; the longest published one has a fifth of it."""

MAX_NODES = 5_000
MAX_DEPTH = 80
"""Levels of the syntax tree, an ``elif`` being one: below what Python's own recursion limit lets through."""


def parsed(source: str, *, characters: int = MAX_CHARACTERS) -> ast.Module:
    """The syntax tree of `source`.

    Parameters
    ----------
    source : str
    characters : int, most that are read

    Raises
    ------
    StrategyError
        Too long, or not Python: with the parser's line and word.
    """
    if len(source) > characters:
        raise StrategyError(f"{len(source):,} characters, expected at most {characters:,}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except SyntaxError as error:
            near = f" near {shorten(error.text, 60)!r}" if error.text and error.text.strip() else ""
            where = f"line {error.lineno}: " if error.lineno else ""
            raise StrategyError(f"{where}no Python: {shorten(error.msg, 120)}{near}") from None
        except (RecursionError, MemoryError):
            raise StrategyError("nested too deeply to be read") from None
        except (ValueError, UnicodeError) as error:
            raise StrategyError(f"no Python: {shorten(error, 120)}") from None


def levels(tree: ast.AST) -> Iterator[tuple[ast.AST, int]]:
    """Every node with its depth, without recursion."""
    stack = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        stack.extend((child, depth + 1) for child in ast.iter_child_nodes(node))


def too_large(tree: ast.AST) -> str | None:
    """In which way a tree is beyond the bounds; None where it is not."""
    for n, (node, depth) in enumerate(levels(tree), 1):
        if n > MAX_NODES:
            return f"more than {MAX_NODES:,} parts; write a shorter strategy"
        if depth > MAX_DEPTH:
            line = getattr(node, "lineno", None)
            where = f"line {line}: " if line else ""
            return f"{where}nested more than {MAX_DEPTH} levels deep; use a loop or fewer elif branches"
    return None


def chain(node: ast.expr) -> tuple[str | None, tuple[str, ...]]:
    """Root name and attributes of ``root.a.b``, subscripts passed over; root None where it is no name.

    Examples
    --------
    >>> chain(ast.parse("self.history[-1].flip", mode="eval").body)
    ('self', ('history', 'flip'))
    """
    attributes: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            attributes.append(node.attr)
        node = node.value
    return (node.id if isinstance(node, ast.Name) else None), tuple(reversed(attributes))


def quoted(node: ast.AST, limit: int = 60) -> str:
    """How a part was written, for a message; three dots where it is too deep or too large to write down."""
    try:
        return shorten(ast.unparse(node), limit)
    except (RecursionError, MemoryError, ValueError):
        return "..."


def bare(function: ast.FunctionDef) -> ast.FunctionDef:
    """`function` itself, changed: without annotations and statements that are only a text."""
    found = _Bare().visit(function)
    assert isinstance(found, ast.FunctionDef)
    return ast.fix_missing_locations(found)


def canonical(function: ast.FunctionDef) -> str:
    """One text for one meaning of a `bare` function.

    Raises
    ------
    StrategyError
        Python's own writer cannot write it down.
    """
    try:
        return ast.unparse(ast.Module(body=[function], type_ignores=[])) + "\n"
    except (RecursionError, MemoryError):
        raise StrategyError("nested too deeply to be written down") from None
    except ValueError as error:
        raise StrategyError(f"no Python: {shorten(error, 120)}") from None


class _Bare(ast.NodeTransformer):
    """Takes away what says nothing about play."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.returns, node.type_comment = None, None
        node.body = node.body or [ast.Pass()]
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation, node.type_comment = None, None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | None:
        self.generic_visit(node)
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        self.generic_visit(node)
        text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if text else node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.If | ast.For | ast.While | ast.Try | ast.ExceptHandler) and not node.body:
            node.body = [ast.Pass()]
        return node
