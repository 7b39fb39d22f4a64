"""What an author said, as comments: untrusted text never leaves them, and comes back as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

__all__ = ["MARK", "MAX_WORDS", "clean_words", "comment", "printable", "words_of"]

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
    found = []
    for line in cleaned.split("\n"):
        own = len(line) - len(line.lstrip(" "))
        pieces = _wrapped(_NO_BREAK * own + line[own:], WIDTH - len(indent) - 4)
        found += [f"{indent}# {pieces[0]}".rstrip(" "), *(f"{indent}#   {piece}" for piece in pieces[1:])]
    return found


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
    found: list[str] = []
    before = 0
    for text in texts:
        soft = (
            found and before and text and not _ITEM.match(text) and before + 1 + len(text.split()[0]) > width
        )
        if soft:
            found[-1] += " " + text
        elif text or (found and found[-1]):
            found.append(text)
        before = len(text)
    return clean_words("\n".join(found))


def _enough(lines: Sequence[str]) -> Iterator[str]:
    """The lines that `MAX_WORDS` leaves room for, and one more, which shows that there was more."""
    said = 0
    for line in lines:
        yield line
        said += len(line.strip().removeprefix("#").strip())
        if said > MAX_WORDS:
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
