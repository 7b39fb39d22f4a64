"""What of a public text is for the others: no statement of the decision, no trace of private passages."""

from __future__ import annotations

import re

from intent.agents.replies.stated import read_stated

__all__ = ["without_statement", "without_traces"]

_EMPTY_FENCE = re.compile(r"```[a-z]{0,12}[ \t]*\n\s{0,20}```", re.IGNORECASE)
_REMNANT = re.compile(
    r"^[ \t]{0,20}(?:[*_#]{0,3}\(?\d{1,2}[.):]|[*•#>\\$_–—-]{1,8})[*_\\$ \t]{0,20}$\n?", re.MULTILINE
)
_ITEM = re.compile(r"^[*_#\s]{0,8}\(?[2-9][.)][*_]{0,3}\s{1,4}")
_LEAD = re.compile(r"[\s*_`#>\[({\"'“‘.)\d•·–—-]*(?:(?:my|the)\s{0,3})?(?:final)?", re.IGNORECASE)
_LINGERS = re.compile(r"[\s*_`\"'“‘({]*$")


def without_traces(text: str) -> str:
    """`text` without what private passages leave behind when they are taken out of it.

    Lines of nothing but a list number, bullets, emphasis or backslashes, empty code fences, and the number of
    an item that now comes first: from ``2.`` alone, a reader would know that there was a ``1.``.

    Parameters
    ----------
    text : str
        Public part of a reply that had private ones.

    Examples
    --------
    >>> without_traces("1.\\n2. Let us both gain.")
    'Let us both gain.'
    """
    kept = _REMNANT.sub("", _EMPTY_FENCE.sub("", text)).strip()
    return _ITEM.sub("", kept, count=1)


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
