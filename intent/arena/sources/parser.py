"""Untrusted text -> syntax tree, within bounds and without running it; what such code may use."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

from intent.arena.sandbox.names import OWN_METHODS, PARTS, RANDOM_METHODS, TYPE_METHODS, VALUES
from intent.arena.sandbox.normal_form import TOO_DEEP, syntax_tree
from intent.base.errors import StrategyError, shorten

__all__ = [
    "ATTRIBUTES",
    "BUILTINS",
    "COUNTS",
    "EXCEPTIONS",
    "FREE_NAMES",
    "INSTEAD",
    "KEYWORDS",
    "KINDS",
    "MARK",
    "MAX_CHARACTERS",
    "MAX_WORDS",
    "MUTATORS",
    "NODES",
    "PROTOCOL",
    "PROTOCOL_METHODS",
    "RANDOM_METHODS",
    "RESERVED",
    "TYPE_METHODS",
    "VALUES",
    "WIDTH",
    "WORDS",
    "bare",
    "canonical",
    "chain",
    "clean_words",
    "comment",
    "parse",
    "printable",
    "quote_part",
    "stored_attributes",
    "too_large",
    "words_of",
]


MAX_CHARACTERS = 20_000
"""Of one strategy; the longest published one has a fifth of it."""

MAX_NODES = 5_000
MAX_DEPTH = 80
"""Levels of the syntax tree, an ``elif`` being one: below what Python's own recursion limit lets through."""


def parse(source: str, *, characters: int = MAX_CHARACTERS) -> ast.Module:
    """The syntax tree of `source`.

    Parameters
    ----------
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
            return syntax_tree(source)
        except SyntaxError as error:
            near = f" near {shorten(error.text, 60)!r}" if error.text and error.text.strip() else ""
            where = f"line {error.lineno}: " if error.lineno else ""
            raise StrategyError(f"{where}no Python: {shorten(error.msg, 120)}{near}") from None
        except TOO_DEEP:
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


def stored_attributes(function: ast.AST) -> set[str]:
    """Names of the attributes that are given a value anywhere inside."""
    return {
        node.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }


def quote_part(node: ast.AST, limit: int = 60) -> str:
    """How a part was written, for a message; three dots where it is too deep or too large to write down."""
    try:
        return shorten(ast.unparse(node), limit)
    except (*TOO_DEEP, ValueError):
        return "..."


def bare(function: ast.FunctionDef) -> ast.FunctionDef:
    """`function` itself, changed: without annotations and statements that are only a text."""
    stripped = _Bare().visit(function)
    assert isinstance(stripped, ast.FunctionDef)
    return ast.fix_missing_locations(stripped)


def canonical(function: ast.FunctionDef) -> str:
    """One text for one meaning of a `bare` function.

    Raises
    ------
    StrategyError
        Python's own writer cannot write it down.
    """
    try:
        return ast.unparse(ast.Module(body=[function], type_ignores=[])) + "\n"
    except TOO_DEEP:
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


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


NODES: frozenset[type[ast.AST]] = frozenset(
    {
        # the function and what is in its signature
        ast.Module,
        ast.FunctionDef,
        ast.Lambda,
        ast.arguments,
        ast.arg,
        ast.Return,
        ast.Nonlocal,
        # statements
        ast.Assign,
        ast.AnnAssign,
        ast.AugAssign,
        ast.Expr,
        ast.Pass,
        ast.If,
        ast.For,
        ast.While,
        ast.Break,
        ast.Continue,
        ast.Try,
        ast.ExceptHandler,
        # expressions
        ast.Attribute,
        ast.BinOp,
        ast.BoolOp,
        ast.Call,
        ast.Compare,
        ast.Constant,
        ast.Dict,
        ast.DictComp,
        ast.GeneratorExp,
        ast.IfExp,
        ast.List,
        ast.ListComp,
        ast.Name,
        ast.NamedExpr,
        ast.Set,
        ast.SetComp,
        ast.Slice,
        ast.Starred,
        ast.Subscript,
        ast.Tuple,
        ast.UnaryOp,
        ast.comprehension,
        ast.keyword,
        # contexts
        ast.Load,
        ast.Store,
        # operators
        ast.Add,
        ast.Sub,
        ast.Mult,
        ast.Div,
        ast.FloorDiv,
        ast.Mod,
        ast.Pow,
        ast.BitAnd,
        ast.BitOr,
        ast.BitXor,
        ast.LShift,
        ast.RShift,
        ast.And,
        ast.Or,
        ast.Not,
        ast.USub,
        ast.UAdd,
        ast.Invert,
        ast.Eq,
        ast.NotEq,
        ast.Lt,
        ast.LtE,
        ast.Gt,
        ast.GtE,
        ast.Is,
        ast.IsNot,
        ast.In,
        ast.NotIn,
    }
)
"""Syntax nodes that may occur. The published sets use 50 of them (Willis, Du, Leibo & Luck 2025,
arXiv:2501.16173); the rest is harmless and common in replies. Loops need no bound of their own, since
``for x in range(10**12)`` is as long as any ``while``: the engine's limit on processor time ends both."""

BUILTINS = _set(
    """abs all any bool dict enumerate filter float frozenset getattr hasattr int isinstance iter len
    list map max min next pow range reversed round set sorted str sum tuple zip"""
)
"""Builtins that the engines give; ``getattr`` and ``hasattr`` as wrapped ones."""

EXCEPTIONS = _set(
    """ArithmeticError AttributeError IndexError KeyError LookupError OverflowError StopIteration
    TypeError ValueError ZeroDivisionError"""
)
"""What an ``except`` may name: mistakes of the strategy's own arithmetic, never what ends it."""

FREE_NAMES = frozenset({"axl"})
"""The only global name."""

PROTOCOL = _set(
    """history score strategy match_attributes total_scores first_round name classifier cooperations
    defections state_distribution init_kwargs reset clone set_seed update_history set_match_attributes
    receive_match_attributes"""
)
"""Attributes that a player has from the start: read, never stored."""

PROTOCOL_METHODS = _set(
    """strategy reset clone set_seed update_history set_match_attributes receive_match_attributes
    append_match"""
)
"""Of these and their like, what a strategy may not even read: it moves once per call and that is all."""

ATTRIBUTES = PARTS | OWN_METHODS | TYPE_METHODS
"""What may be read of anything but ``self`` and ``opponent``; the engines look by the same list."""

KINDS = _set("bool dict float frozenset int list set str tuple")
"""Types that ``isinstance`` may be asked about, and moves: ``axl.Action``."""

KEYWORDS = {
    "dict": None,
    "enumerate": _set("start"),
    "max": _set("key default"),
    "min": _set("key default"),
    "round": _set("ndigits"),
    "sorted": _set("key reverse"),
    "sum": _set("start"),
    "zip": _set("strict"),
}
"""Builtin -> its arguments that have a name; None for any."""

COUNTS = {"isinstance": (2, 2), "iter": (1, 1), "pow": (2, 2), "next": (1, 2)}
"""Builtin -> the least and the most arguments, where Python would take more."""

RESERVED = _set("eval exec locals")
"""Names that an interpreter keeps for itself."""

MUTATORS = _set("append extend insert pop remove clear reverse sort update setdefault popitem")
"""Methods that change what they are called on: never a history, never what belongs to the opponent."""

INSTEAD = {
    "print": "a strategy prints nothing; leave it out",
    "setattr": "write self.name = value",
    "delattr": "set the attribute to None",
    "random": "use self._random.random_choice(p), .random(), .randint(low, high) or .choice(list)",
    "np": "use plain Python",
    "numpy": "use plain Python",
    "math": "use plain arithmetic",
    "C": "write axl.Action.C",
    "D": "write axl.Action.D",
    "Action": "write axl.Action.C or axl.Action.D",
    "super": "the function stands alone; leave it out",
    "type": "compare with == or isinstance",
    "vars": "read self.name",
    "strategy": "a strategy does not call itself; use a loop or a nested function",
    "Exception": "name what may go wrong, such as IndexError or ZeroDivisionError",
}
"""Name that is not there -> what to do instead."""

WORDS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Import: ("import", "axl is there already; use plain Python and self._random"),
    ast.ImportFrom: ("import", "axl is there already; use plain Python and self._random"),
    ast.Global: ("global", "keep it as an attribute of self"),
    ast.ClassDef: ("class", "write the function only"),
    ast.AsyncFunctionDef: ("async", "write a plain function"),
    ast.Yield: ("yield", "return one move"),
    ast.YieldFrom: ("yield", "return one move"),
    ast.Await: ("await", "return one move"),
    ast.With: ("with", "leave it out"),
    ast.Raise: ("raise", "return a move in every case"),
    ast.Assert: ("assert", "return a move in every case"),
    ast.Delete: ("del", "set it to None or make a new list"),
    ast.JoinedStr: ("f-string", "a strategy prints nothing; use numbers, moves and plain text"),
    ast.Match: ("match", "use if and elif"),
    ast.MatMult: ("the operator @", "use plain arithmetic"),
    ast.Assign: ("assignment", ""),
    ast.Expr: ("expression", ""),
    ast.If: ("if", ""),
}
"""Node -> what it is called in a message, and what to do instead."""


MARK = "# intent-strategies 1"
"""First line of a file that we wrote: its comments hold the words exactly."""

MAX_WORDS = 20_000
"""Characters of one strategy's words; what is longer is cut and ends in an ellipsis."""

WIDTH = 80

_NO_BREAK = "\N{NO-BREAK SPACE}"
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_UNSAFE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
_ITEM = re.compile(r"[-*•]\s|\d{1,3}[.)]\s")


def clean_words(text: str) -> str:
    """Words as they can be kept: one kind of line end, no control characters or overrides of direction.

    Examples
    --------
    >>> clean_words("  Be kind.\\x0cimport os\\u2028  ")
    '  Be kind.\\nimport os'
    """
    text = _BREAKS.sub("\n", text).expandtabs(4).replace(_NO_BREAK, " ")
    lines = [_UNSAFE.sub("\N{REPLACEMENT CHARACTER}", line).rstrip() for line in text.split("\n")]
    text = "\n".join(lines).strip("\n")
    return text if len(text) <= MAX_WORDS else text[: MAX_WORDS - 1].rstrip() + "…"


def printable(name: str) -> str:
    """A name as it can be printed: a file's may hold line ends, escapes, and bytes that are no text."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)


def comment(words: str, *, indent: str = "") -> list[str]:
    """Comment lines, wrapped at 80: what goes on is indented below, an own indent is of no-break spaces.

    Parameters
    ----------
    words : str, cleaned here
    indent : str, before every ``#``
    """
    cleaned = clean_words(words)
    if not cleaned:
        return []
    commented = []
    for line in cleaned.split("\n"):
        own = len(line) - len(line.lstrip(" "))
        pieces = _wrapped(_NO_BREAK * own + line[own:], WIDTH - len(indent) - 4)
        commented += [f"{indent}# {pieces[0]}".rstrip(" "), *(f"{indent}#   {piece}" for piece in pieces[1:])]
    return commented


def words_of(lines: Sequence[str], *, exact: bool) -> str:
    """The words of the comment lines above a strategy.

    Parameters
    ----------
    lines : sequence of str, comments and blank lines
    exact : bool
        Whether `comment` wrote them. Else a line break is taken for the author's own where the next word
        would have fitted before it, before an item of a list and around an empty line.
    """
    texts = [re.sub(r"^\s*#", "", line.rstrip()) for line in _enough(lines)]
    if exact:
        joined: list[str] = []
        for text in texts:
            if text.startswith("   ") and joined:
                joined[-1] += " " + text[3:]
            else:
                joined.append(text[1:] if text.startswith(" ") else text)
        return clean_words("\n".join(joined))
    texts = [text.strip() for text in texts]
    width = max((len(text) for text in texts), default=0)
    paragraphs: list[str] = []
    before = 0
    for text in texts:
        soft = (
            paragraphs
            and before
            and text
            and not _ITEM.match(text)
            and before + 1 + len(text.split()[0]) > width
        )
        if soft:
            paragraphs[-1] += " " + text
        elif text or (paragraphs and paragraphs[-1]):
            paragraphs.append(text)
        before = len(text)
    return clean_words("\n".join(paragraphs))


def _enough(lines: Sequence[str]) -> Iterator[str]:
    """The lines that `MAX_WORDS` leaves room for, and one more, which shows that there was more."""
    length = 0
    for line in lines:
        yield line
        length += len(line.strip().removeprefix("#").strip())
        if length > MAX_WORDS:
            return


def _wrapped(line: str, width: int) -> list[str]:
    """Pieces of a line, broken at single spaces between words, so that they can be joined again."""
    places = [m.start() for m in re.finditer(r"(?<=[^ ]) (?=[^ ])", line)]
    pieces, start, last = [], 0, -1
    for place in [*places, len(line)]:
        if place - start > width and last > start:
            pieces.append(line[start:last])
            start = last + 1
        last = place
    return [*pieces, line[start:]]
