"""The gate: which written code may be handed to an engine at all.

Defence in depth, not the boundary: an engine of the sandbox holds without it. Its messages go back to the
model that wrote the code, which is asked for one repair, so each says line, what was got and what to do
instead.
"""

from __future__ import annotations

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterable, Iterator, Sequence, Set

from intent.arena.sandbox.names import RANDOM_METHODS, TYPE_METHODS, VALUES
from intent.arena.sandbox.normal_form import TOO_DEEP
from intent.arena.sources.parser import (
    ATTRIBUTES,
    BUILTINS,
    COUNTS,
    EXCEPTIONS,
    FREE_NAMES,
    INSTEAD,
    KEYWORDS,
    KINDS,
    MAX_CHARACTERS,
    MUTATORS,
    NODES,
    PROTOCOL,
    PROTOCOL_METHODS,
    RESERVED,
    WORDS,
    bare,
    canonical,
    chain,
    parse,
    quote_part,
    stored_attributes,
    too_large,
)
from intent.arena.sources.slips import leaves, own_statements, slips
from intent.base.errors import StrategyError, shorten

__all__ = ["gate", "gate_function", "problems"]


_PARTS = (ast.alias, ast.withitem, ast.match_case, ast.pattern, ast.FormattedValue, ast.Del)
"""Parts of nodes that are refused as a whole."""


def objections(node: ast.AST, function: ast.FunctionDef, stored: Set[str]) -> Iterator[str]:
    """What is wrong with one node, its children apart, one line each."""
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
            got = quote_part(kind, 40)
            yield f"{at}except {got} is not allowed; name one of {', '.join(sorted(EXCEPTIONS))}"
    if node.name:
        yield from _new_name(node.name, at)


def _constant(node: ast.Constant, at: str) -> Iterator[str]:
    value = node.value
    if isinstance(value, str):
        if not (value.isascii() and value.isprintable()) or "%" in value:
            part = quote_part(node, 40)
            yield f"{at}text {part} not allowed; write plain letters, digits and signs, without %"
        return
    if isinstance(value, int | float | type(None)):
        if isinstance(value, int) and value.bit_length() > 64:
            yield f"{at}a number of {value.bit_length()} bits, expected at most 64"
        return
    instead = "; write pass or what belongs there" if value is ... else "; use numbers and lists"
    yield f"{at}{quote_part(node, 40)} not allowed{instead}"


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
        or (isinstance(node, ast.Attribute) and quote_part(node.value) == "axl.Action")
    ):
        return
    else:
        yield f"{at}{_shown(node)} is not there; compare and compute with plain values"


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
    return quote_part(node)


_CALLERS = frozenset({"map", "filter"})
_UNTIL = frozenset({"any", "all", "next"})
_ON_WHOLES = (ast.Pow, ast.LShift, ast.BitOr, ast.BitAnd, ast.BitXor)


def misplaced(function: ast.FunctionDef, free: Set[str]) -> Iterator[tuple[int, str]]:
    """What stands where engines would differ, each with its line."""
    builtins = free & (BUILTINS | EXCEPTIONS)
    placed: set[int] = set()
    for node in ast.walk(function):
        line = getattr(node, "lineno", 0)
        for problem in _of_node(node, builtins, placed):
            yield line, f"line {line}: {problem}"
        match node:
            case ast.Name(name, ast.Store()) | ast.arg(name) | ast.FunctionDef(name) if name in builtins:
                yield line, f"line {line}: {name} is also the builtin that is used; choose another name"


def _of_node(node: ast.AST, builtins: Set[str], placed: set[int]) -> Iterator[str]:
    """What is wrong with a node; `placed` has the nodes whose place is right, found from their parents."""
    match node:
        case ast.Call(ast.Name(name)) if name in builtins & BUILTINS:
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
        case ast.Name(name, ast.Load()) if name in builtins and id(node) not in placed:
            yield f"{name} as a value not allowed; call it"
        case ast.Attribute(ast.Attribute(ast.Name("axl"), "Action"), "C" | "D"):
            placed.add(id(node.value))
        case ast.Attribute(ast.Name("axl"), "Action") if id(node) not in placed:
            yield "got axl.Action, write axl.Action.C or axl.Action.D"
        case ast.Attribute(value, name, ast.Load()) if name in TYPE_METHODS and id(node) not in placed:
            if not (isinstance(value, ast.Name) and value.id in ("self", "opponent")):
                yield f"{quote_part(node)} as a value not allowed; call it"
        case ast.Compare(ops=[_, _, *_] as ops) if any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
            yield f"{quote_part(node)} not allowed; compare two at a time"
        case ast.AugAssign(ast.Subscript(), op) if isinstance(op, _ON_WHOLES):
            yield f"{quote_part(node.target)} cannot be changed so; write x[i] = x[i] | y"


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
        yield f"{quote_part(node)}: expected {least if least == most else f'{least} or {most}'} arguments"
        return
    if name == "isinstance":
        kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
        for kind in kinds:
            placed.add(id(kind))
            move = quote_part(kind) == "axl.Action"
            if not move and not (isinstance(kind, ast.Name) and kind.id in KINDS):
                known_kinds = ", ".join(sorted(KINDS))
                yield f"isinstance of {quote_part(kind, 40)}: expected one of {known_kinds}, axl.Action"
    if name in _UNTIL and node.args and isinstance(node.args[0], ast.GeneratorExp):
        yield from _until(node.args[0], name)


def _until(values: ast.GeneratorExp, name: str) -> Iterator[str]:
    """A generator that stops early has to be a plain one."""
    if any(isinstance(inside, ast.NamedExpr) for inside in ast.walk(values)):
        yield f"{quote_part(values)}: no := within {name}(...); write a loop"
    if name == "next" and len(values.generators) > 1:
        yield f"{quote_part(values)}: one for within next(...); write a loop"
    for g in values.generators:
        parts = g.target.elts if isinstance(g.target, ast.Tuple) else [g.target]
        if not all(isinstance(part, ast.Name) for part in parts):
            yield f"{quote_part(g.target)}: plain names expected within {name}(...)"


def _read_error(handler: ast.ExceptHandler) -> Iterator[str]:
    for node in ast.walk(handler) if handler.name else ():
        if isinstance(node, ast.Name) and node.id == handler.name and isinstance(node.ctx, ast.Load):
            yield f"the error {handler.name} cannot be read; its text is not the same everywhere"


def _named(known: Set[str]) -> str:
    return f"it has {', '.join(sorted(known))}" if known else "write the argument without a name"


def free_names(function: ast.FunctionDef) -> dict[str, int]:
    """Names that are read but given a value nowhere inside, with their first line.

    The function is compiled to see whether Python takes it, and the result thrown away.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(ast.Module([function], []), "strategy", "exec", dont_inherit=True)
            top = symtable.symtable(canonical(function), "strategy", "exec")
        except SyntaxError as error:
            where = f"line {error.lineno}: " if error.lineno else ""
            raise StrategyError(f"{where}no Python: {shorten(error.msg, 120)}") from None
        except (*TOO_DEEP, ValueError, TypeError, OverflowError):
            raise StrategyError("nested too deeply to be read") from None
    global_names: set[str] = set()
    stack = list(top.get_children())
    while stack:
        scope = stack.pop()
        stack.extend(scope.get_children())
        global_names |= {s.get_name() for s in scope.get_symbols() if s.is_global() and s.is_referenced()}
    lines: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in global_names:
            lines[node.id] = min(node.lineno, lines.get(node.id, node.lineno))
    return dict(sorted(lines.items(), key=lambda pair: (pair[1], pair[0])))


_SHOWN = 4
"""Problems in one message: enough for a repair, few enough to be read."""

_WANTED = "def strategy(self, opponent)"

_VALUED = frozenset(dir(builtins)) | RESERVED | {"strategy"}
"""Global names that have, or may have, a value in an interpreter: what is not known of them stays out."""

_KNOWN_NAMES = BUILTINS | EXCEPTIONS | FREE_NAMES | {"Exception", "BaseException"}
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
    tree = parse(source)
    outline = _sorted(_outline(tree))
    function = next((s for s in tree.body if isinstance(s, ast.FunctionDef)), None)
    if outline or function is None:
        raise StrategyError(_first_problems(outline))
    return gate_function(function)


def gate_function(function: ast.FunctionDef) -> str:
    """As `gate`, of a function that is parsed already; lines in messages are those of its file.

    `function` is changed.

    Raises
    ------
    StrategyError
    """
    wrong = function_problems(function)
    if wrong:
        raise StrategyError(_first_problems(wrong))
    text = canonical(function)
    if len(text) > MAX_CHARACTERS:
        raise StrategyError(f"{len(text):,} characters, expected at most {MAX_CHARACTERS:,}")
    return text


def problems(source: str) -> tuple[str, ...]:
    """What keeps the source out, one line each, in the order of the source; empty where `gate` lets it in."""
    try:
        tree = parse(source)
    except StrategyError as error:
        return (str(error),)
    function = next((s for s in tree.body if isinstance(s, ast.FunctionDef)), None)
    outside = _sorted(_outline(tree))
    return outside if function is None else outside + function_problems(function)


def function_problems(function: ast.FunctionDef) -> tuple[str, ...]:
    """As `problems`, of a function that is parsed already; it is changed to the `bare` one."""
    large = too_large(function)
    if large:
        return (large,)
    function = bare(function)
    lines = list(_signature(function))
    stored = stored_attributes(function)
    for node in ast.walk(function):
        lines += [(getattr(node, "lineno", 0), problem) for problem in objections(node, function, stored)]
    wrong = slips(function)
    lines += [(slip.node.lineno, slip.message()) for slip in wrong]
    known = {id(inside) for slip in wrong for inside in ast.walk(slip.node)}
    lines += [(line, problem) for line, problem, of in _axl(function) if of not in known]
    lines += _returns(function, known)
    lines += _places(function)
    names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    lines += _names(function, {n.id for n in names} - {n.id for n in names if id(n) not in known})
    return _sorted(lines)


def _sorted(lines: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(problem for _, problem in sorted(lines, key=lambda f: f[0])))


def _first_problems(wrong: Sequence[str]) -> str:
    more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
    return "; ".join(wrong[:_SHOWN]) + more


def _outline(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """One function and nothing else."""
    functions = [s for s in tree.body if isinstance(s, ast.FunctionDef)]
    if not functions:
        yield 0, f"no function found, expected {_WANTED}"
    for extra in functions[1:]:
        yield (
            extra.lineno,
            (f"line {extra.lineno}: second function {shorten(extra.name, 40)}; put helpers inside {_WANTED}"),
        )
    for statement in tree.body:
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if statement not in functions and not (text and isinstance(statement.value.value, str)):  # type: ignore[attr-defined]
            what = WORDS.get(type(statement), (type(statement).__name__.lower(), ""))[0]
            problem = f"{what} outside the function; only {_WANTED} may stand there, and axl is there already"
            yield (statement.lineno, f"line {statement.lineno}: {problem}")
        elif text:
            yield statement.lineno, f"line {statement.lineno}: text outside the function; leave it out"


def _signature(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    line, a = function.lineno, function.args
    names = [arg.arg for arg in (*a.posonlyargs, *a.args)]
    plain = not (a.vararg or a.kwarg or a.kwonlyargs or a.defaults or a.posonlyargs)
    if function.name != "strategy" or names != ["self", "opponent"] or not plain:
        got = f"def {function.name}({quote_part(a)})"
        yield line, f"line {line}: got {shorten(got, 60)}, expected {_WANTED}"
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
            got = quote_part(move or action or node)
            problem = f"line {node.lineno}: got {got}; axl has axl.Action.C and axl.Action.D and nothing else"
            yield node.lineno, problem, id(node)


def _returns(function: ast.FunctionDef, known: set[int]) -> Iterator[tuple[int, str]]:
    """A move, not a constant, is returned."""
    returns = [node for node in own_statements(function) if isinstance(node, ast.Return)]
    if not returns:
        yield function.lineno, "no return; a strategy returns axl.Action.C or axl.Action.D"
    for node in returns:
        for leaf in leaves(node.value) if node.value is not None else [None]:
            if leaf is None or (isinstance(leaf, ast.Constant) and id(leaf) not in known):
                got = "nothing" if leaf is None else quote_part(leaf, 40)
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
    """Global names that are not there, though an interpreter may have something by that name.

    One that nothing anywhere gives a value is let in: it is a fault of whoever reaches it, and published
    strategies hold such names where they never do.
    """
    try:
        free = free_names(function)
    except StrategyError as error:
        yield 0, str(error)
        return
    for name, line in free.items():
        outside = name in _VALUED or name.startswith(("__", "zz_")) or not name.isascii()
        if name in _KNOWN_NAMES or name in excused or not outside:
            continue
        hint = INSTEAD.get(
            name, "only axl, the function's own names and plain builtins such as len, sum, range"
        )
        yield line, f"line {line}: name {shorten(name, 40)} is not there; {hint}"
