"""The strategies in the text of one file: classes with one method, or functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, islice
from pathlib import Path

from intent.arena.entrant import Entrant
from intent.arena.sources.gate import gate_function
from intent.arena.sources.mend import mend_function
from intent.arena.sources.parsed import chain, parsed, quoted, too_large
from intent.arena.sources.stated import (
    PUBLISHED_GAMES,
    attitude_of,
    class_values,
    is_name,
    rankings,
    stated_facts,
)
from intent.arena.sources.words import MARK, clean_words, words_of
from intent.errors import LimitError, StrategyError, located, shorten

__all__ = ["MAX_STRATEGIES", "Found", "found_in"]

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
class Found:
    """One strategy of a file: `entrant` (`mended` where slips were put right), or the `reason` for none."""

    name: str
    reason: str = ""
    origin: str = ""
    entrant: Entrant | None = None
    group: str | None = None
    mended: bool = False


def found_in(text: str, path: Path) -> tuple[list[Found], dict[str, tuple[str, ...]]]:
    """The strategies of one file in their order, and its rankings.

    Parameters
    ----------
    text : str, of the whole file
    path : Path, for names and messages

    Returns
    -------
    strategies : list of Found
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
    found: list[Found] = list(broken)
    last = 0
    for statement in statements:
        first = _first_line(statement)
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            words = words_of(_above(lines, last, first), exact=exact)
            item = _strategy(statement, words, path, used)
            if item is not None:
                found.append(item if exact else _in_our_words(item))
        last = statement.end_lineno or statement.lineno
    found.sort(key=lambda item: int(item.origin.rpartition(" ")[2]))
    return _once(found, path), dict(rankings(statements))


def _statements(text: str, lines: Sequence[str], path: Path) -> tuple[list[ast.stmt], list[Found]]:
    """Statements at the top of the file, and the pieces that cannot be read."""
    try:
        return parsed(text, characters=_MAX_FILE_CHARACTERS).body, []
    except StrategyError as error:
        whole = str(error)
    starts = [i for i, line in enumerate(lines) if _TOP.match(line)]
    starts = [i for k, i in enumerate(starts) if k == 0 or not lines[starts[k - 1]].startswith("@")]
    if not 0 < len(starts) <= MAX_STRATEGIES:
        raise StrategyError(whole)
    statements: list[ast.stmt] = []
    broken: list[Found] = []
    for start, end in zip([0, *starts], [*starts, len(lines)], strict=True):
        piece = "\n".join(lines[start:end])
        try:
            tree = parsed(piece, characters=_MAX_FILE_CHARACTERS)
        except StrategyError as error:
            named = re.search(r"^(?:class|(?:async )?def)\s+(\w{1,80})", piece, re.MULTILINE)
            if named is None and start == 0:
                continue
            line = start + 1
            reason = re.sub(r"^line (\d{1,7})", lambda m: f"line {int(m[1]) + start}", str(error))  # noqa: B023
            name = named[1] if named else f"line_{line}"
            origin = located(path, "", line).rstrip(": ")
            broken.append(Found(name, reason, origin, group=attitude_of(name)))
            continue
        statements += [ast.increment_lineno(s, start) for s in tree.body]
    return statements, broken


def _strategy(
    statement: ast.ClassDef | ast.FunctionDef, words: str, path: Path, used: set[str]
) -> Found | None:
    """The strategy that a statement is; None where it is something else."""
    origin = located(path, "", statement.lineno).rstrip(": ")
    if isinstance(statement, ast.ClassDef):
        return _of_class(statement, words, origin, used)
    names = [a.arg for a in (*statement.args.posonlyargs, *statement.args.args)]
    if names[:1] != ["self"] or len(names) != 2:
        if statement.name in used:
            return None
        got = quoted(statement.args)
        return Found(statement.name, f"takes ({got}), expected (self, opponent)", origin)
    name = path.stem if statement.name == "strategy" else statement.name
    return _gated(Entrant(name, "-", words=words, origin=origin, group=attitude_of(name)), statement)


def _of_class(node: ast.ClassDef, words: str, origin: str, used: set[str]) -> Found | None:
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
    failed = Found(name, "", origin, group=group)
    if len(own) != 1 or not isinstance(own[0], ast.FunctionDef):
        return replace(failed, reason="no method strategy(self, opponent)")
    if others:
        shown = shorten(", ".join(others), 60)
        return replace(failed, reason=f"methods besides strategy: {shown}; expected strategy alone")
    function = own[0]
    lost = sorted(class_values(node) & _own_reads(function) - _stored(function))
    if lost:
        return replace(
            failed, reason=f"reads {shorten(lost[0], 40)} of the class; expected attributes set in strategy"
        )
    kept = any(chain(d)[0] == _SCORE_KEEPER for d in function.decorator_list)
    bases = [chain(b)[1][-1:] or (chain(b)[0],) for b in node.bases]
    scored = kept or (facts.get("scored") is not False and bases != [("Player",)])
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


def _gated(entrant: Entrant, function: ast.FunctionDef) -> Found:
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
            return Found(entrant.name, str(error), entrant.origin, group=entrant.group)
    made = replace(entrant, source=source, words=words)
    return Found(made.name, "", made.origin, made, made.group, mended)


def _in_our_words(item: Found) -> Found:
    """A strategy of a file of others, its game as our catalogue names it."""
    entrant = item.entrant
    if entrant is None or entrant.game not in PUBLISHED_GAMES:
        return item
    return replace(item, entrant=replace(entrant, game=PUBLISHED_GAMES[entrant.game]))


def _once(found: Sequence[Found], path: Path) -> list[Found]:
    """The second of a name in one file fails, as it would hide the first on import."""
    seen: set[str] = set()
    kept = []
    for item in found:
        if item.name in seen:
            reason = f"a second strategy of this name in {path.name}"
            item = Found(item.name, reason, item.origin, group=item.group)
        seen.add(item.name)
        kept.append(item)
    return kept


def _own_reads(function: ast.FunctionDef) -> set[str]:
    own = (n for n in ast.walk(function) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name))
    return {n.attr for n in own if isinstance(n.value, ast.Name) and n.value.id == "self"}


def _stored(function: ast.FunctionDef) -> set[str]:
    return {
        n.attr for n in ast.walk(function) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
    }


def _names(statement: ast.stmt) -> Iterator[ast.Name]:
    """Names that a statement reads, its inner text included."""
    return (n for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return int(min([statement.lineno, *(d.lineno for d in decorators)]))


def _above(lines: Sequence[str], last: int, first: int) -> list[str]:
    """Comment and blank lines between the statement before (ends at line `last`) and line `first`."""
    kept = []
    for line in reversed(lines[last : first - 1]):
        if line.strip() and not line.startswith("#"):
            break
        kept.append(line)
    return list(dropwhile(lambda line: not line.strip(), reversed(kept)))
