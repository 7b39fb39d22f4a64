"""What of a public text is for the others: all but the line that states the decision."""

from __future__ import annotations

import re

from intent.agents.replies.stated import read_stated

__all__ = ["without_statement"]

_EMPTY_FENCE = re.compile(r"```[a-z]{0,12}[ \t]*\n\s{0,20}```", re.IGNORECASE)
_LEAD = re.compile(r"[\s*_`#>\[({\"'“‘.)\d•·–—-]*(?:(?:my|the)\s{0,3})?(?:final)?", re.IGNORECASE)
_LINGERS = re.compile(r"[\s*_`\"'“‘({]*$")


def without_statement(text: str, keyword: str) -> str:
    """`text` without its statements ``KEYWORD: value``, as `read_stated` knows them, and what enclosed them.

    Parameters
    ----------
    text : str
        Public text, at most some thousand characters: every line that has the keyword is read.
    keyword : str

    Examples
    --------
    >>> without_statement("Let us both gain.\\n**DECISION:** OptionA", "DECISION")
    'Let us both gain.'
    """
    field = rf"[\"'“‘`*]{{0,3}}{re.escape(keyword)}[\"'”’`*]{{0,3}}"
    text = re.sub(rf"\{{\s{{0,99}}{field}\s{{0,9}}:[^{{}}]{{0,200}}\}}", "", text, flags=re.IGNORECASE)
    lines = text.split("\n")
    kept: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        at = line.casefold().rfind(keyword.casefold())
        taken = _taken(lines, number, keyword) if at >= 0 else 0
        before = _LINGERS.sub("", line[:at]) if taken else line
        if not taken or not _LEAD.fullmatch(before):
            kept.append(before)
        number += max(1, taken)
    return _EMPTY_FENCE.sub("", "\n".join(kept)).strip()


def _taken(lines: list[str], number: int, keyword: str) -> int:
    """How many lines the statement takes that the line holds: none, one, or the value's too."""
    if read_stated(lines[number], keyword) is not None:
        return 1
    for last in range(number + 1, min(number + 3, len(lines))):
        if lines[last].strip():
            return last - number + 1 if read_stated("\n".join(lines[number : last + 1]), keyword) else 0
    return 0
