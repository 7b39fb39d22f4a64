"""The gate: which written code may be handed to an engine at all.

Defence in depth, not the boundary: an engine of the sandbox holds without it. Its messages go back to the
model that wrote the code, which is asked for one repair, so each says line, what was got and what to do
instead.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from intent.arena.sources.allowed import (
    BUILTINS,
    EXCEPTIONS,
    FREE_NAMES,
    INSTEAD,
    WORDS,
)
from intent.arena.sources.node_rules import objections, stored_attributes
from intent.arena.sources.parsed import MAX_CHARACTERS, bare, canonical, parsed, quoted, too_large
from intent.arena.sources.places import misplaced
from intent.arena.sources.scopes import free_names
from intent.arena.sources.slips import leaves, own_statements, slips
from intent.errors import StrategyError, shorten

__all__ = ["function_problems", "gate", "gate_function", "problems"]

_SHOWN = 4
"""Problems in one message: enough for a repair, few enough to be read."""

_ASKED = "def strategy(self, opponent)"

_GIVEN = BUILTINS | EXCEPTIONS | FREE_NAMES | {"Exception", "BaseException"}
"""Global names that are not objected to; of the last two, every ``except`` is."""


def gate(source: str) -> str:
    """Canonical text of one strategy that may be played.

    Parameters
    ----------
    source : str
        Untrusted. Annotations, comments and texts in statements of their own are allowed and left out.

    Returns
    -------
    str
        ``def strategy(self, opponent): ...``, as `intent.arena.entrant.Entrant` wants it; ``gate(gate(x)) ==
        gate(x)``.

    Raises
    ------
    StrategyError
        One line: the first four `problems`.
    """
    tree = parsed(source)
    outline = _sorted(_outline(tree))
    function = next((s for s in tree.body if isinstance(s, ast.FunctionDef)), None)
    if outline or function is None:
        raise StrategyError(_said(outline))
    return gate_function(function)


def gate_function(function: ast.FunctionDef) -> str:
    """As `gate`, of a function that is parsed already; lines in messages are those of its file.

    `function` is changed.

    Raises
    ------
    StrategyError
    """
    found = function_problems(function)
    if found:
        raise StrategyError(_said(found))
    text = canonical(function)
    if len(text) > MAX_CHARACTERS:
        raise StrategyError(f"{len(text):,} characters, expected at most {MAX_CHARACTERS:,}")
    return text


def problems(source: str) -> tuple[str, ...]:
    """What keeps the source out, one line each, in the order of the source; empty where `gate` lets it in."""
    try:
        tree = parsed(source)
    except StrategyError as error:
        return (str(error),)
    function = next((s for s in tree.body if isinstance(s, ast.FunctionDef)), None)
    found = _sorted(_outline(tree))
    return found if function is None else found + function_problems(function)


def function_problems(function: ast.FunctionDef) -> tuple[str, ...]:
    """As `problems`, of a function that is parsed already; it is changed to the `bare` one."""
    large = too_large(function)
    if large:
        return (large,)
    function = bare(function)
    found = list(_signature(function))
    stored = stored_attributes(function)
    for node in ast.walk(function):
        found += [(getattr(node, "lineno", 0), said) for said in objections(node, function, stored)]
    wrong = slips(function)
    found += [(slip.node.lineno, slip.message()) for slip in wrong]
    known = {id(inside) for slip in wrong for inside in ast.walk(slip.node)}
    found += [(line, said) for line, said, of in _axl(function) if of not in known]
    found += _returns(function, known)
    found += _places(function)
    names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    found += _names(function, {n.id for n in names} - {n.id for n in names if id(n) not in known})
    return _sorted(found)


def _sorted(found: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(said for _, said in sorted(found, key=lambda f: f[0])))


def _said(found: Sequence[str]) -> str:
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(found[:_SHOWN]) + more


def _outline(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """One function and nothing else."""
    functions = [s for s in tree.body if isinstance(s, ast.FunctionDef)]
    if not functions:
        yield 0, f"no function found, expected {_ASKED}"
    for extra in functions[1:]:
        yield (
            extra.lineno,
            (f"line {extra.lineno}: second function {shorten(extra.name, 40)}; put helpers inside {_ASKED}"),
        )
    for statement in tree.body:
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if statement not in functions and not (text and isinstance(statement.value.value, str)):  # type: ignore[attr-defined]
            what = WORDS.get(type(statement), (type(statement).__name__.lower(), ""))[0]
            said = f"{what} outside the function; only {_ASKED} may stand there, and axl is there already"
            yield (
                statement.lineno,
                f"line {statement.lineno}: {said}",
            )
        elif text:
            yield statement.lineno, f"line {statement.lineno}: text outside the function; leave it out"


def _signature(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    line, a = function.lineno, function.args
    names = [arg.arg for arg in (*a.posonlyargs, *a.args)]
    plain = not (a.vararg or a.kwarg or a.kwonlyargs or a.defaults or a.posonlyargs)
    if function.name != "strategy" or names != ["self", "opponent"] or not plain:
        got = f"def {function.name}({quoted(a)})"
        yield line, f"line {line}: got {shorten(got, 60)}, expected {_ASKED}"
    for decorator in function.decorator_list:
        yield decorator.lineno, f"line {decorator.lineno}: decorators are not allowed; leave it out"


def _axl(function: ast.FunctionDef) -> Iterator[tuple[int, str, int]]:
    """Uses of ``axl`` other than ``axl.Action``, ``axl.Action.C`` and ``axl.Action.D``: line, word, node."""
    inner = {id(n.value): n for n in ast.walk(function) if isinstance(n, ast.Attribute)}
    for node in ast.walk(function):
        if not (isinstance(node, ast.Name) and node.id == "axl" and isinstance(node.ctx, ast.Load)):
            continue
        action = inner.get(id(node))
        move = inner.get(id(action)) if action is not None else None
        if action is None or action.attr != "Action" or (move is not None and move.attr not in ("C", "D")):
            got = quoted(move or action or node)
            said = f"line {node.lineno}: got {got}; axl has axl.Action.C and axl.Action.D and nothing else"
            yield node.lineno, said, id(node)


def _returns(function: ast.FunctionDef, known: set[int]) -> Iterator[tuple[int, str]]:
    """A move, not a constant, is returned."""
    returns = [node for node in own_statements(function) if isinstance(node, ast.Return)]
    if not returns:
        yield function.lineno, "no return; a strategy returns axl.Action.C or axl.Action.D"
    for node in returns:
        for leaf in leaves(node.value) if node.value is not None else [None]:
            if leaf is None or (isinstance(leaf, ast.Constant) and id(leaf) not in known):
                got = "nothing" if leaf is None else quoted(leaf, 40)
                yield (
                    node.lineno,
                    f"line {node.lineno}: returns {got}, expected axl.Action.C or axl.Action.D",
                )


def _places(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    try:
        free = free_names(function).keys()
    except StrategyError:
        return
    yield from misplaced(function, free)


def _names(function: ast.FunctionDef, excused: set[str]) -> Iterator[tuple[int, str]]:
    """Global names that are not there."""
    try:
        found = free_names(function)
    except StrategyError as error:
        yield 0, str(error)
        return
    for name, line in found.items():
        if name in _GIVEN or name in excused:
            continue
        hint = INSTEAD.get(
            name, "only axl, the function's own names and plain builtins such as len, sum, range"
        )
        yield line, f"line {line}: name {shorten(name, 40)} is not there; {hint}"
