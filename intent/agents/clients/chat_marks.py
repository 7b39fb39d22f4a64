"""Marks that end a turn in some model's chat format, kept from doing so inside a message."""

from __future__ import annotations

import re

__all__ = ["as_text"]

_MARKS = re.compile(
    r"<(?=\|[^|<>\n]{1,40}\|>|｜[^｜<>\n]{1,40}｜>|/?s>|(?:start|end)_of_turn>|<SYS>>|</SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS)\])",
    re.IGNORECASE,
)


def as_text(content: str) -> str:
    """`content` with a space inside every such mark.

    llama.cpp reads ``<|im_end|>`` in the text of a message as the token that ends the message; then a
    player could write the system's words into the prompt of another. Served models treat it as text.
    """
    return _MARKS.sub(lambda mark: mark[0] + " ", content)
