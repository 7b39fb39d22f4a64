"""The package as Python reads it, parsed and walked once for all tests that look at its code."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

import intent

PACKAGE = Path(intent.__file__).parent


@cache
def nodes() -> dict[str, tuple[ast.AST, ...]]:
    """Place of a module in the package -> all its nodes, the module itself first.

    They stay to the end, so no search for garbage need go through them. While a tree is made there is none:
    CPython 3.11 miscounts where a finalizer that runs then shows a traceback.
    """
    gc.collect()
    gc.disable()
    try:
        walked = {
            path.relative_to(PACKAGE).as_posix(): tuple(ast.walk(ast.parse(path.read_text("utf-8"))))
            for path in sorted(PACKAGE.rglob("*.py"))
        }
        gc.freeze()
    finally:
        gc.enable()
    return walked


def tree(place: str) -> ast.Module:
    """The module as a whole."""
    module = nodes()[place][0]
    assert isinstance(module, ast.Module)
    return module
