"""Files of written strategies -> entrants. The text is read with Python's parser and never run."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, islice
from pathlib import Path
from typing import Any

from intent.arena.entrant import ATTITUDES, Entrant
from intent.arena.sources.gate import gate_function
from intent.arena.sources.parser import (
    MARK,
    chain,
    clean_words,
    parse,
    printable,
    quote_part,
    stored_attributes,
    too_large,
    words_of,
)
from intent.arena.sources.slips import mend_function
from intent.base.errors import DataError, IntentError, LimitError, StrategyError, located, one_line, shorten
from intent.base.files import file_bytes
from intent.base.settings import Document
from intent.strategies.catalogue import Strategy
from intent.strategies.sets import SUFFIXES, read_set, set_of_values

__all__ = [
    "DECLARED",
    "MAX_FILE",
    "FileFacts",
    "FileStrategy",
    "Refused",
    "StrategySet",
    "declared_values",
    "rankings",
    "read_strategies",
    "strategies_in",
]


_FACTS = frozenset({"n", "attitude", "game", "rounds", "noise", "name", "classifier", "scored"})
"""Attributes that a class may state about itself."""

PUBLISHED_GAMES = {"chicken": "chicken-t4"}
"""Games that published files name otherwise than our catalogue, which has another chicken.

References
----------
Willis, Du, Leibo & Luck 2025, arXiv:2501.16173.
"""

DECLARED = "STRATEGIES"
"""Name of the list that a file may declare: names, functions of the file, and values as in YAML."""

_RANKS = "_ranks"


def stated_facts(node: ast.ClassDef) -> dict[str, object]:
    """What a class states of itself, where it is a plain value or a member of an enumeration."""
    facts: dict[str, object] = {}
    for statement in node.body:
        for target, value in _assigned(statement):
            if isinstance(value, ast.Constant):
                facts[target] = value.value
            elif isinstance(value, ast.Attribute):
                facts[target] = value.attr
            elif isinstance(value, ast.UnaryOp) and isinstance(value.operand, ast.Constant):
                facts[target] = None
    return {k: None if isinstance(v, bool) and k != "scored" else v for k, v in facts.items()}


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(statement, ast.Assign):
        yield from ((t.id, statement.value) for t in statement.targets if isinstance(t, ast.Name))
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        yield statement.target.id, statement.value


def class_values(node: ast.ClassDef) -> set[str]:
    """Attributes that a class sets and that are no facts about it; no engine sees them."""
    return {target for s in node.body for target, _ in _assigned(s)} - _FACTS


def attitude_of(name: str, *, stated: bool = False) -> str | None:
    """The attitude that a name begins with, or that a class states; any other stated text is a group too."""
    for attitude in ATTITUDES:
        if name.casefold() == attitude.casefold() or re.match(rf"{attitude}(?![a-z])", name, re.IGNORECASE):
            return attitude
    return name.strip() if stated and is_name(name) else None


def is_name(text: str) -> bool:
    """Whether a text can be shown as a name: printable, at most 80 characters."""
    return 0 < len(text.strip()) <= 80 and text.isprintable()


def rankings(statements: Sequence[ast.stmt]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Lists such as ``Aggressive_ranks = ['Aggressive_23', ...]``."""
    for statement in statements:
        for target, value in _assigned(statement):
            if target.endswith(_RANKS) and isinstance(value, ast.List | ast.Tuple):
                texts = [
                    e.value if isinstance(e, ast.Constant) else getattr(e, "id", None) for e in value.elts
                ]
                who = target.removesuffix(_RANKS)
                yield attitude_of(who) or who, tuple(t for t in texts if isinstance(t, str) and is_name(t))


MAX_STRATEGIES = 2_000
"""In all files that are read at once."""

_SCORE_KEEPER = "auto_update_score"
"""Decorator of the published sets; the engines keep the scores."""

_TOP = re.compile(r"(?:class|def|async def|@)\b|@")
_MAX_FILE_CHARACTERS = 4 * 2**20
_MAX_TOKENS = 600_000
"""Words, signs and lines of one file, its comments counted; each may cost half a kilobyte once it is parsed.
The largest published file has a tenth."""

_TOKEN = re.compile(r"\w+|[^\w \t]")


@dataclass(frozen=True)
class FileStrategy:
    """One strategy of a file: `entrant` (`mended` where slips were put right), or the `reason` for none."""

    name: str
    reason: str = ""
    origin: str = ""
    entrant: Entrant | None = None
    group: str | None = None
    mended: bool = False


def strategies_in(text: str, path: Path) -> tuple[list[FileStrategy], dict[str, tuple[str, ...]]]:
    """The strategies of one file in their order, and its rankings.

    Parameters
    ----------
    text : str, of the whole file
    path : Path, for names and messages

    Returns
    -------
    strategies : list of FileStrategy
        One bad strategy never loses the others: where the file as a whole cannot be read, each class and
        function is read by itself.
    ranks : dict of attitude -> names, best first

    Raises
    ------
    StrategyError
        The file has too many parts, or cannot be read, and no part of it.
    LimitError
        More than 2,000 classes and functions.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if next(islice(_TOKEN.finditer(text), _MAX_TOKENS, None), None) is not None:
        raise StrategyError(f"more than {_MAX_TOKENS:,} words and signs, expected a file of strategies")
    lines = text.split("\n")
    statements, broken = _statements(text, lines, path)
    if sum(isinstance(s, ast.ClassDef | ast.FunctionDef) for s in statements) + len(broken) > MAX_STRATEGIES:
        raise LimitError(located(path, f"more than {MAX_STRATEGIES:,} strategies; read smaller files"))
    exact = lines[:1] == [MARK]
    used = {n.id for s in statements for n in _names(s)}
    items: list[FileStrategy] = list(broken)
    last = 0
    for statement in statements:
        first = _first_line(statement)
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            words = words_of(_above(lines, last, first), exact=exact)
            item = _strategy(statement, words, path, used)
            if item is not None:
                items.append(item if exact else _in_our_words(item))
        last = statement.end_lineno or statement.lineno
    items.sort(key=lambda item: int(item.origin.rpartition(" ")[2]))
    return _once(items, path), dict(rankings(statements))


def _statements(text: str, lines: Sequence[str], path: Path) -> tuple[list[ast.stmt], list[FileStrategy]]:
    """Statements at the top of the file, and the pieces that cannot be read."""
    try:
        return parse(text, characters=_MAX_FILE_CHARACTERS).body, []
    except StrategyError as error:
        whole = str(error)
    starts = [i for i, line in enumerate(lines) if _TOP.match(line)]
    starts = [i for k, i in enumerate(starts) if k == 0 or not lines[starts[k - 1]].startswith("@")]
    if not 0 < len(starts) <= MAX_STRATEGIES:
        raise StrategyError(whole)
    statements: list[ast.stmt] = []
    broken: list[FileStrategy] = []
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        piece = "\n".join(lines[start:end])
        try:
            tree = parse(piece, characters=_MAX_FILE_CHARACTERS)
        except StrategyError as error:
            named = re.search(r"^(?:class|(?:async )?def)\s+(\w{1,80})", piece, re.MULTILINE)
            if named is None and start == 0:
                continue
            line = start + 1
            reason = re.sub(r"^line (\d{1,7})", lambda m: f"line {int(m[1]) + start}", str(error))  # noqa: B023
            name = named[1] if named else f"line_{line}"
            origin = located(path, "", line).rstrip(": ")
            broken.append(FileStrategy(name, reason, origin, group=attitude_of(name)))
            continue
        statements += [ast.increment_lineno(s, start) for s in tree.body]
    return statements, broken


def _strategy(
    statement: ast.ClassDef | ast.FunctionDef, words: str, path: Path, used: set[str]
) -> FileStrategy | None:
    """The strategy that a statement is; None where it is something else."""
    origin = located(path, "", statement.lineno).rstrip(": ")
    if isinstance(statement, ast.ClassDef):
        return _of_class(statement, words, origin, used)
    names = [a.arg for a in (*statement.args.posonlyargs, *statement.args.args)]
    if names[:1] != ["self"] or len(names) != 2:
        if statement.name in used:
            return None
        got = quote_part(statement.args)
        return FileStrategy(statement.name, f"takes ({got}), expected (self, opponent)", origin)
    name = path.stem if statement.name == "strategy" else statement.name
    return _gated(Entrant(name, "-", words=words, origin=origin, group=attitude_of(name)), statement)


def _of_class(node: ast.ClassDef, words: str, origin: str, used: set[str]) -> FileStrategy | None:
    facts = stated_facts(node)
    stated = facts.get("name")
    name = stated if isinstance(stated, str) and is_name(stated) else node.name
    attitude = facts.get("attitude")
    group = attitude_of(attitude, stated=True) if isinstance(attitude, str) else attitude_of(node.name)
    methods = [s for s in node.body if isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)]
    own = [s for s in methods if s.name == "strategy"]
    others = [s.name for s in methods if s.name != "strategy"]
    if not own and node.name in used:
        return None
    failed = FileStrategy(name, "", origin, group=group)
    if len(own) != 1 or not isinstance(own[0], ast.FunctionDef):
        return replace(failed, reason="no method strategy(self, opponent)")
    if others:
        shown = shorten(", ".join(others), 60)
        return replace(failed, reason=f"methods besides strategy: {shown}; expected strategy alone")
    function = own[0]
    lost = sorted(class_values(node) & _own_reads(function) - stored_attributes(function))
    if lost:
        return replace(
            failed, reason=f"reads {shorten(lost[0], 40)} of the class; expected attributes set in strategy"
        )
    decorated = any(chain(d)[0] == _SCORE_KEEPER for d in function.decorator_list)
    bases = [chain(b)[1][-1:] or (chain(b)[0],) for b in node.bases]
    scored = decorated or (facts.get("scored") is not False and bases != [("Player",)])
    function.decorator_list = [d for d in function.decorator_list if chain(d)[0] != _SCORE_KEEPER]
    text = words or clean_words(ast.get_docstring(node) or "")
    game, rounds, noise = facts.get("game"), facts.get("rounds"), facts.get("noise")
    entrant = Entrant(
        name,
        "-",
        group=group,
        words=text,
        origin=origin,
        game=game if isinstance(game, str) and is_name(game) else None,
        turns=rounds if isinstance(rounds, int) and 0 < rounds < 10**9 else None,
        noise=float(noise) if isinstance(noise, int | float) and 0 <= noise <= 1 else None,
        scored=scored,
    )
    return _gated(entrant, function)


def _gated(entrant: Entrant, function: ast.FunctionDef) -> FileStrategy:
    """Let in as it is, else mended, else refused with the reason after mending."""
    words = entrant.words or clean_words(ast.get_docstring(function) or "")
    function.name = "strategy"
    mended = False
    try:
        source = gate_function(function)
    except StrategyError:
        try:
            if too_large(function):
                raise
            source = gate_function(mend_function(function))
            mended = True
        except StrategyError as error:
            return FileStrategy(entrant.name, str(error), entrant.origin, group=entrant.group)
    player = replace(entrant, source=source, words=words)
    return FileStrategy(player.name, "", player.origin, player, player.group, mended)


def _in_our_words(item: FileStrategy) -> FileStrategy:
    """A strategy of a file of others, its game as our catalogue names it."""
    entrant = item.entrant
    if entrant is None or entrant.game not in PUBLISHED_GAMES:
        return item
    return replace(item, entrant=replace(entrant, game=PUBLISHED_GAMES[entrant.game]))


def _once(items: Sequence[FileStrategy], path: Path) -> list[FileStrategy]:
    """The second of a name in one file fails, as it would hide the first on import."""
    names: set[str] = set()
    unique = []
    for item in items:
        if item.name in names:
            reason = f"a second strategy of this name in {path.name}"
            item = FileStrategy(item.name, reason, item.origin, group=item.group)
        names.add(item.name)
        unique.append(item)
    return unique


def _own_reads(function: ast.FunctionDef) -> set[str]:
    own = (n for n in ast.walk(function) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name))
    return {n.attr for n in own if isinstance(n.value, ast.Name) and n.value.id == "self"}


def _names(statement: ast.stmt) -> Iterator[ast.Name]:
    """Names that a statement reads, its inner text included."""
    return (n for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return int(min([statement.lineno, *(d.lineno for d in decorators)]))


def _above(lines: Sequence[str], last: int, first: int) -> list[str]:
    """Comment and blank lines between the statement before (ends at line `last`) and line `first`."""
    comments = []
    for line in reversed(lines[last : first - 1]):
        if line.strip() and not line.startswith("#"):
            break
        comments.append(line)
    return list(dropwhile(lambda line: not line.strip(), reversed(comments)))


MAX_FILE = 4 * 2**20
"""Bytes of one file; the largest published one has a twelfth of it."""

MAX_FILES = 500


@dataclass(frozen=True)
class Refused:
    """A strategy that cannot be played.

    Parameters
    ----------
    reason : str, one line
    origin : str, as ``file.py line 12``
    path : str, of the file, as it can be printed
    """

    name: str
    reason: str
    origin: str = ""
    group: str | None = None
    path: str = ""


@dataclass(frozen=True)
class FileFacts:
    """What one file holds.

    Parameters
    ----------
    path : str, as it can be printed
    n : int, strategies
    ok : int, those that the gate lets in
    ranks : mapping of attitude -> names, best first, as the file lists them
    names : tuple of str, of the entrants that come from it
    """

    path: str
    n: int
    ok: int
    ranks: Mapping[str, tuple[str, ...]]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class StrategySet:
    """What `read_strategies` found: entrants in the order of the files, and what is left out.

    `mended` are the names of entrants whose code the gate refused as it stood, and let in without its slips.
    """

    entrants: tuple[Entrant, ...]
    failed: tuple[Refused, ...] = ()
    files: tuple[FileFacts, ...] = ()
    mended: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of results made with them should know, one line each."""
        if not self.mended:
            return ()
        some = shorten(", ".join(self.mended))
        return (
            f"the gate let in {len(self.mended)} only after slips were mended (imports dropped, …): {some}",
        )


def read_strategies(paths: str | Path | Sequence[str | Path]) -> StrategySet:
    """Written strategies of files and folders.

    Parameters
    ----------
    paths : path, or sequence of path
        Files, or folders with ``*.py`` files, taken by name. A file holds classes with one method
        ``strategy``, as the Axelrod library and the published sets have them, or functions
        ``def NAME(self, opponent)``; see ``docs/strategy_files.md``. One that ends in .yaml, .yml or .json
        holds automata (`intent.strategies.sets`).

    Returns
    -------
    StrategySet
        Names are those of the classes or functions; where two files share one, ``stem/name``.

    Raises
    ------
    DataError
        A path that is not there, or no strategy in all of them.
    LimitError
        More than 500 files or 2,000 strategies.

    References
    ----------
    Willis, Du, Leibo & Luck (2025), arXiv:2501.16173: the format of the published sets.
    """
    files = _files([paths] if isinstance(paths, str | Path) else paths)
    contents: list[tuple[Path, list[FileStrategy], dict[str, tuple[str, ...]]]] = []
    for path in files:
        items, ranks = _content(path)
        contents.append((path, items, ranks))
        if sum(len(f) for _, f, _ in contents) > MAX_STRATEGIES:
            raise LimitError(f"more than {MAX_STRATEGIES:,} strategies, up to {path.name}; read fewer files")
    if not any(items for _, items, _ in contents):
        where = ", ".join(p.name for p in files[:3]) + (", …" if len(files) > 3 else "")
        raise DataError(
            f"no strategy in {where}; expected classes with a method strategy(self, opponent), or functions "
            "def NAME(self, opponent)"
        )
    names = _unique(contents)
    entrants: list[Entrant] = []
    failed: list[Refused] = []
    facts: list[FileFacts] = []
    mended: list[str] = []
    for (path, items, ranks), own in zip(contents, names, strict=True):
        shown = printable(str(path))
        ok = []
        for item, name in zip(items, own, strict=True):
            if item.entrant is None:
                failed.append(Refused(name, item.reason, item.origin, item.group, shown))
            else:
                ok.append(name)
                entrants.append(replace(item.entrant, name=name))
                mended += [name] * item.mended
        new = {item.name: name for item, name in zip(items, own, strict=True)}
        listed = {who: tuple(new.get(n, n) for n in order) for who, order in ranks.items()}
        facts.append(FileFacts(shown, len(items), len(ok), listed, tuple(ok)))
    return StrategySet(tuple(entrants), tuple(failed), tuple(facts), tuple(mended))


def _files(paths: Sequence[str | Path]) -> list[Path]:
    files: dict[Path, Path] = {}
    for place in map(Path, paths):
        try:
            place.stat()
        except (OSError, ValueError) as error:
            absent = isinstance(error, FileNotFoundError)
            what = "does not exist" if absent else f"cannot be read ({getattr(error, 'strerror', error)})"
            raise DataError(
                f"{shorten(place, 200)} {what}, expected a .py file of strategies or a folder of them"
            ) from None
        if place.is_dir():
            inside = sorted(
                p for p in place.glob("*.py") if p.is_file() and not p.name.startswith((".", "_"))
            )
            if not inside:
                raise DataError(f"{place}: no .py file in this folder, expected files of strategies")
        elif place.is_file():
            inside = [place]
        else:
            raise DataError(
                f"{place} is no file or folder, expected a .py file of strategies or a folder of them"
            )
        for path in inside:
            files.setdefault(path.resolve(), path)
        if len(files) > MAX_FILES:
            raise LimitError(f"more than {MAX_FILES} files, up to {place}; read fewer")
    if not files:
        raise DataError("no path, expected a .py file of strategies or a folder of them")
    return list(files.values())


def _content(path: Path) -> tuple[list[FileStrategy], dict[str, tuple[str, ...]]]:
    """What one file holds; a file that cannot be read stands as one strategy that fails."""
    if path.suffix.casefold() in _TABLES:
        return _of_tables(path), {}
    try:
        text = _bytes(path).decode("utf-8-sig")
        items, ranks = strategies_in(text, Path(printable(path.name)))
        return [*items, *_declared_tables(text, path, items)], ranks
    except UnicodeDecodeError as error:
        reason = f"no UTF-8 at byte {error.start}, expected a text file of Python"
    except StrategyError as error:
        reason = str(error)
    name = printable(path.name)
    return [FileStrategy(Path(name).stem, reason, name)], {}


def declared_values(text: str, name: str) -> list[tuple[Any, int]] | None:
    """The values of the list that a file declares, with their lines; None where it declares none.

    Raises
    ------
    DataError
        It holds something else than literals.
    """
    tree = parse(text.replace("\r\n", "\n").replace("\r", "\n"))
    for statement in tree.body:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target = statement.targets[0]
        if not isinstance(target, ast.Name) or target.id != DECLARED:
            continue
        if not isinstance(statement.value, ast.List | ast.Tuple):
            raise DataError(located(name, f"{DECLARED} is no list of strategies", statement.lineno))
        return [(_literal(node, name), node.lineno) for node in statement.value.elts]
    return None


def _literal(node: ast.expr, name: str) -> Any:
    """The value of a literal; names of functions are texts, and fractions of numbers are numbers."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Dict):
        if any(key is None for key in node.keys):
            raise DataError(located(name, "** cannot be read, expected literals", node.lineno))
        pairs = zip(node.keys, node.values, strict=True)
        return {str(_literal(key, name)): _literal(value, name) for key, value in pairs if key is not None}
    if isinstance(node, ast.List | ast.Tuple):
        return [_literal(element, name) for element in node.elts]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        over, under = _literal(node.left, name), _literal(node.right, name)
        if all(type(x) in (int, float) for x in (over, under)) and under:
            return over / under
    if isinstance(node, ast.Constant) and (node.value is None or type(node.value) in (str, int, float, bool)):
        return node.value
    what = shorten(one_line(ast.unparse(node), 60))
    raise DataError(
        located(
            name, f"{what} in {DECLARED}, expected names, numbers, fractions, lists and dicts", node.lineno
        )
    )


def _declared_tables(text: str, path: Path, items: Sequence[FileStrategy]) -> list[FileStrategy]:
    """The automata that a Python file declares beside its functions."""
    if DECLARED not in text:
        return []
    name, functions = printable(path.name), {item.name for item in items}
    try:
        values = [
            v for v, _ in declared_values(text, name) or () if not isinstance(v, str) or v not in functions
        ]
        members = set_of_values(Document({"strategies": values}), name).strategies if values else ()
    except StrategyError:
        return []  # the file as a whole cannot be parsed, so that its pieces were read one by one
    except IntentError as error:
        return [FileStrategy(DECLARED, one_line(error), name)]
    return [_of_table(s, name) for s in members]


def _of_table(s: Strategy, origin: str) -> FileStrategy:
    return FileStrategy(s.name, "", origin, Entrant(s.name, automaton=s, words=s.rule, origin=origin))


_TABLES = frozenset(SUFFIXES) - {".py"}
"""Suffixes of files of automata."""


def _of_tables(path: Path) -> list[FileStrategy]:
    """The automata of a file of values."""
    name = printable(path.name)
    try:
        members = read_set(path).strategies
    except IntentError as error:
        return [FileStrategy(Path(name).stem, one_line(error), name)]
    return [_of_table(s, name) for s in members]


def _bytes(path: Path) -> bytes:
    try:
        return file_bytes(path, MAX_FILE, "a file of strategies")
    except LimitError:
        raise StrategyError(f"more than {MAX_FILE // 2**20} MB, expected a file of strategies") from None
    except DataError as error:
        raise StrategyError(one_line(error)) from None


def _unique(
    contents: Sequence[tuple[Path, list[FileStrategy], dict[str, tuple[str, ...]]]],
) -> list[list[str]]:
    """Names of each file's strategies, with the stem in front where two files share one."""
    count = Counter(name for _, items, _ in contents for name in {item.name for item in items})
    stems = Counter(printable(path.stem) for path, _, _ in contents)
    names_before: set[str] = set()
    names: list[list[str]] = []
    for path, items, _ in contents:
        stem = printable(path.stem)
        if stems[stem] > 1:
            stem = printable(f"{path.absolute().parent.name}/{path.stem}")
        own = []
        for item in items:
            name = item.name if count[item.name] == 1 else f"{stem}/{item.name}"
            free, k = name, 2
            while free in names_before:
                free, k = f"{name} ({k})", k + 1
            names_before.add(free)
            own.append(shorten(free, 200))
        names.append(own)
    return names
