"""Reasoning that a model writes before its answer, taken out and kept apart."""

from __future__ import annotations

import re

__all__ = ["strip_reasoning"]

_TAG = re.compile(r"<(/?)think(?:ing)?(?:\s[^<>]{0,200})?>", re.IGNORECASE)


def strip_reasoning(text: str) -> tuple[str, str | None]:
    """The answer without blocks of reasoning, and the reasoning.

    1. What stands between ``<think>`` or ``<thinking>`` and the tag that closes it is reasoning, over any
       number of lines and in any case.
    2. A closing tag that nothing opened ends reasoning that the prompt began: all before it is reasoning.
    3. A tag that is never closed: the answer is what stands between the last closing tag and it, or nothing
       where no block was closed, since what precedes an endless thought is no answer.

    Parameters
    ----------
    text : str

    Returns
    -------
    answer : str
        Stripped of white space at both ends.
    reasoning : str or None
        The blocks with an empty line between; None where there is none.

    Examples
    --------
    >>> strip_reasoning("<think>B pays more</think>OptionB")
    ('OptionB', 'B pays more')
    """
    answer: list[str] = []
    thoughts: list[str] = []
    position, inside, closed = 0, False, False
    for tag in _TAG.finditer(text):
        if tag[1]:
            part = text[position : tag.start()]
            thoughts += [part] if inside else [*answer, part]
            answer = answer if inside else []
            position, inside, closed = tag.end(), False, True
        elif not inside:
            answer.append(text[position : tag.start()])
            position, inside = tag.end(), True
    rest = text[position:]
    if inside:
        thoughts.append(rest)
        answer = answer if closed else []
    else:
        answer.append(rest)
    kept = [stripped for thought in thoughts if (stripped := thought.strip())]
    return "".join(answer).strip(), "\n\n".join(kept) or None
