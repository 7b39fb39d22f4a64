"""Which names of a source are global, by Python's own rules of scope."""

from __future__ import annotations

import ast
import symtable
import warnings

from intent.arena.sources.parsed import canonical
from intent.errors import StrategyError, shorten

__all__ = ["free_names"]


def free_names(function: ast.FunctionDef) -> dict[str, int]:
    """Names that are read but given a value nowhere inside, with their first line.

    Parameters
    ----------
    function : FunctionDef
        `intent.arena.sources.parsed.bare`. It is compiled to see whether Python takes it, and the result
        thrown away.

    Raises
    ------
    StrategyError
        Python does not take it: ``break`` outside a loop, ``nonlocal`` of nothing.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(ast.Module([function], []), "strategy", "exec", dont_inherit=True)
            top = symtable.symtable(canonical(function), "strategy", "exec")
        except SyntaxError as error:
            where = f"line {error.lineno}: " if error.lineno else ""
            raise StrategyError(f"{where}no Python: {shorten(error.msg, 120)}") from None
        except (RecursionError, MemoryError, ValueError, TypeError, OverflowError):
            raise StrategyError("nested too deeply to be read") from None
    found: set[str] = set()
    stack = list(top.get_children())
    while stack:
        scope = stack.pop()
        stack.extend(scope.get_children())
        found |= {s.get_name() for s in scope.get_symbols() if s.is_global() and s.is_referenced()}
    lines: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in found:
            lines[node.id] = min(node.lineno, lines.get(node.id, node.lineno))
    return dict(sorted(lines.items(), key=lambda pair: (pair[1], pair[0])))
