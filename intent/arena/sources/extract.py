"""The code in what a model replied."""

from __future__ import annotations

import ast
import json
import textwrap

from intent.arena.sources.parsed import MAX_CHARACTERS, parsed
from intent.errors import StrategyError

__all__ = ["MAX_REPLY", "extract_code"]

MAX_REPLY = 200_000
"""Characters of a reply that are looked at."""

_STARTS = ("def ", "class ", "@", "import ", "from ")
_FENCES = ("```", "~~~")


def extract_code(reply: str) -> str:
    """The code of a strategy, as the reply holds it.

    1. A fenced block, whatever its tag: the last that can be read and defines ``strategy``, else the last
       that can be read and defines a function, else the longest that does without being readable.
    2. Without fences, the first ``def`` or ``class`` at the left margin of the code with all that is
       indented below it, with further ones that follow.
    3. The same in a reply that is JSON, or that has its line ends escaped.

    Parameters
    ----------
    reply : str, untrusted; it is read, never run

    Returns
    -------
    str
        For `intent.arena.sources.mend` and `intent.arena.sources.gate`: it may hold a class, imports or
        helpers.

    Raises
    ------
    StrategyError
        An empty reply, no code, or code that Python cannot read, with the parser's line.
    """
    if not reply.strip():
        raise StrategyError("the reply is empty, expected a function")
    if len(reply) > MAX_REPLY:
        raise StrategyError(f"a reply of {len(reply):,} characters, expected at most {MAX_REPLY:,}")
    reply = _unescaped(reply.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4))
    blocks = [block for block in (_dedented(b) for b in _fenced(reply)) if _defines(block)]
    blocks = blocks or [block for block in (_dedented(_unfenced(reply)),) if block]
    if not blocks:
        raise StrategyError("no code in the reply, expected def strategy(self, opponent) in a fenced block")
    trees = {block: tree for block in blocks if (tree := _tree(block)) is not None}
    with_strategy = [b for b, tree in trees.items() if _named(tree)]
    if trees:
        return (with_strategy or list(trees))[-1]
    longest = max(blocks, key=len)
    parsed(longest, characters=MAX_CHARACTERS)
    return longest


def _unescaped(reply: str) -> str:
    """Out of JSON, or with ``\\n`` written out turned into line ends."""
    text = reply.strip()
    if text[:1] in ("{", "[", '"'):
        try:
            found = _texts(json.loads(text, parse_int=str, parse_float=str))
        except (ValueError, RecursionError):
            found = []
        code = [t for t in found if _defines(t) or "```" in t]
        if code:
            return max(code, key=len)
    if "\\n" in reply and not any(
        _defines(line) and line.rstrip().endswith(":") for line in reply.split("\n")
    ):
        return reply.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "    ").replace("\\'", "'")
    return reply


def _texts(value: object) -> list[str]:
    found, stack = [], [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return found


def _fenced(reply: str) -> list[str]:
    """The blocks between fences; one that is never closed goes to the end."""
    blocks: list[str] = []
    lines: list[str] = []
    fence = ""
    for line in reply.split("\n"):
        mark = line.strip()[:3]
        if not fence and mark in _FENCES:
            fence, lines = mark, []
        elif fence and mark == fence and not line.strip().strip(fence[0]):
            blocks.append("\n".join(lines))
            fence = ""
        elif fence:
            lines.append(line)
    if fence:
        blocks.append("\n".join(lines))
    return blocks


def _unfenced(reply: str) -> str:
    """From the first line of code on: what begins at its margin as code does, and what is indented more."""
    kept: list[str] = []
    margin: int | None = None
    inside = False
    for line in reply.split("\n"):
        indent = len(line) - len(line.lstrip())
        starts = line.lstrip().startswith(_STARTS) and _looks_like_code(line)
        if margin is None and starts:
            margin = indent
        if margin is None:
            continue
        if not line.strip() or (inside and indent > margin):
            kept.append(line)
        elif indent == margin and (starts or line.lstrip().startswith((")", "#"))):
            kept.append(line)
            inside = True
        else:
            inside = False
    text = "\n".join(kept)
    return text if _defines(text) else ""


def _looks_like_code(line: str) -> bool:
    """Whether a line that begins like code is no prose: ``from here on``, ``import tariffs matter``."""
    text = line.strip()
    if text.startswith(("def ", "class ")):
        return "(" in text or text.endswith(":")
    return text.startswith("@") or (len(text.split()) <= 6 and not text.endswith("."))


def _defines(text: str) -> bool:
    return any(line.lstrip().startswith(("def ", "async def ", "class ")) for line in text.split("\n"))


def _dedented(text: str) -> str:
    return textwrap.dedent(text).strip("\n") + "\n" if text.strip() else ""


def _tree(text: str) -> ast.Module | None:
    try:
        return parsed(text)
    except StrategyError:
        return None


def _named(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.FunctionDef) and node.name == "strategy" for node in ast.walk(tree))
