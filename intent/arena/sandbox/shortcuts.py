"""Code that reads its moves in one look-up; standard library only.

``axl.Action.C`` is three look-ups, several times per round. Code that has played before is compiled with a
global name in its place, which no source can write or read otherwise.
"""

from __future__ import annotations

import ast
from types import CodeType

from intent.arena.sandbox.shared import shared
from intent.arena.sandbox.syntax import Family

__all__ = ["compiled_short"]


def compiled_short(source: str) -> CodeType:
    """The code of a source whose moves are read as globals; nothing of it is run.

    A source that gives the name ``axl`` to anything is compiled as it is.

    Raises
    ------
    SyntaxError, ValueError, RecursionError, MemoryError
        It does not compile.
    """
    tree = shared(ast.parse(source), native=True)
    family = Family(tree)
    if not _gives_axl(source, family.nodes):
        family.replace(_global_move)
    return compile(tree, "<strategy>", "exec", dont_inherit=True)


def _global_move(node: ast.AST) -> ast.Name | None:
    match node:
        case ast.Attribute(ast.Attribute(ast.Name("axl"), "Action"), "C" | "D", ast.Load()):
            return ast.Name(f"axl.Action.{node.attr}", ast.Load())
    return None


def _gives_axl(source: str, nodes: list[ast.AST]) -> bool:
    """Whether the name ``axl`` may stand where it is not read."""
    read = sum(type(n) is ast.Name and n.id == "axl" and type(n.ctx) is ast.Load for n in nodes)
    # each time that the letters stand in the text is a name that is read: no need to look at every field
    if source.isascii() and source.count("axl") == read:
        return False
    return any(_names_axl(node) for node in nodes)


def _names_axl(node: ast.AST) -> bool:
    """Whether a node has the word in another place than a name that is read."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return False
    said: list[object] = []
    for _, value in ast.iter_fields(node):
        said += value if isinstance(value, list) else [value]
    return "axl" in said
