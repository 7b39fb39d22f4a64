"""Code that reads its moves in one look-up; standard library only.

``axl.Action.C`` is three look-ups, several times per round. Code that has played before is compiled with a
global name in its place, which no source can write or read otherwise.
"""

from __future__ import annotations

import ast
from types import CodeType

from intent.arena.sandbox.shared import shared

__all__ = ["compiled_short"]


class _Moves(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(ast.Attribute(ast.Name("axl"), "Action"), "C" | "D", ast.Load()):
                return ast.copy_location(ast.Name(f"axl.Action.{node.attr}", ast.Load()), node)
        self.generic_visit(node)
        return node


def compiled_short(source: str) -> CodeType:
    """The code of a source whose moves are read as globals; nothing of it is run.

    A source that gives the name ``axl`` to anything is compiled as it is.

    Raises
    ------
    SyntaxError, ValueError, RecursionError, MemoryError
        It does not compile.
    """
    tree = shared(ast.parse(source), native=True)
    if not any(_names_axl(node) for node in ast.walk(tree)):
        tree = _Moves().visit(tree)
    return compile(tree, "<strategy>", "exec", dont_inherit=True)


def _names_axl(node: ast.AST) -> bool:
    """Whether a node has the word in another place than a name that is read."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return False
    said: list[object] = []
    for _, value in ast.iter_fields(node):
        said += value if isinstance(value, list) else [value]
    return "axl" in said
