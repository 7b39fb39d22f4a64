"""Private text and public text of one reply, told apart so that nothing private can be taken for public.

Private text was asked for inside double braces. Models leave braces out, nest them, close once or three
times, put spaces or invisible characters between them or use look-alikes. So braces are counted one by
one, and whatever may stand inside is private: of a wrong guess in this direction the reader loses a
sentence, of one in the other the opponent reads a secret.

References
----------
Poje et al. 2024, Entropy 26:524, 3.1 (the environment removes what stands in double curly brackets).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from intent.agents.replies.normalise import spellings
from intent.agents.replies.private_headings import PRIVATE_HEADING, PUBLIC_HEADING

__all__ = ["PrivateText", "split_private"]

OPENING = "{｛﹛︷❴⦃⎧⎨⎩𝄔\U000e007b"
"""Left braces: ASCII, full width, small, vertical, ornament, white, pieces, music, tag."""

CLOSING = "}｝﹜︸❵⦄⎫⎬⎭\U000e007d"

_TAGS = r"(?:private|scratchpad)\b[^<>]{0,80}>"

_OPEN = rf"[{OPENING}]+|(?:&(?:lbrace|lcub|#123|#x7b);)+|<\s{{0,9}}{_TAGS}"
_CLOSE = rf"[{CLOSING}]+|(?:&(?:rbrace|rcub|#125|#x7d);)+|</\s{{0,9}}{_TAGS}"

_OBJECT = (
    r"\{\s{0,99}[\"'“‘`*]{0,3}(?:decision|answer|choice|action|move)[\"'”’`*]{0,3}\s{0,9}:\s{0,9}"
    r"(?P<value>[^\s{}\[\]:,\"'“”‘’`][^{}\[\]:,\"'“”‘’`\n]{0,60}"
    r"|\"[^{}\"\n]{0,100}\"|'[^{}'\n]{0,100}'|“[^{}”\n]{0,100}”|‘[^{}’\n]{0,100}’)\s{0,3}\}"
)
"""A decision and nothing else in single braces: the one use of braces that is public."""

_TOKEN = re.compile(
    rf"(?P<object>{_OBJECT})|(?P<open>{_OPEN})|(?P<close>{_CLOSE})"
    rf"|(?P<hidden>{PRIVATE_HEADING})|(?P<shown>{PUBLIC_HEADING})",
    re.IGNORECASE | re.MULTILINE,
)
_ONE = re.compile(rf"[{OPENING}{CLOSING}]|&\w{{1,6}};|&#\w{{1,4}};|<[^<>]*>")
_EDGES = f" \t\r\n\u200b\u200c\u200d\u2060\ufeff{OPENING}{CLOSING}"
_DECORATION = re.compile(r"[\s*_#>`~:：\-–—\u200b-\u200f\u2060\ufeff]*")


@dataclass(frozen=True)
class PrivateText:
    """A reply, taken apart.

    Parameters
    ----------
    public : str
        For everybody.
    private : str
        The rest without headings and outermost braces, passages with an empty line between.
    blocks : int
        Private passages.
    unbalanced : bool
        Whether some brace was left open, or closed what none had opened.
    """

    public: str
    private: str
    blocks: int = 0
    unbalanced: bool = False


def split_private(text: str, labels: Sequence[str] = ()) -> PrivateText:
    """Take a reply apart, in one pass.

    1. Braces of all shapes, their HTML entities, and tags ``<private>`` and ``<scratchpad>`` are counted one
       by one. Public is only what stands where all that were opened are closed. One that is never closed
       makes all after it private; one that closes what none opened makes all before it private.
    2. Single braces count like double ones, since a model that forgets one forgets both. An exception is an
       object with one field, a decision: ``{"DECISION": "OptionA"}``, outside of other braces. Where labels
       are given, its value has to be one: ``{Choice: betray them}`` is a thought.
    3. A heading such as ``Private thoughts:``, outside of braces, makes private what follows up to a heading
       such as ``Public thoughts:``, or the end; where braces follow it at once, they say how far.
    4. What precedes the first public heading is private, and so is what stands between a later private
       passage and the next one.

    Parameters
    ----------
    text : str
        Of any length, without reasoning.
    labels : sequence of str, optional
        Those of the game.

    Examples
    --------
    >>> split_private("{{I shall defect.}} Let us cooperate.")
    PrivateText(public='Let us cooperate.', private='I shall defect.', blocks=1, unbalanced=False)
    """
    shown: list[tuple[int, int]] = []
    left_out: list[tuple[int, int]] = []
    depth, position, since = 0, 0, 0
    heading: int | None = None
    unbalanced = told = False
    known = spellings(tuple(labels))
    for token in _TOKEN.finditer(text):
        kind, start, end = token.lastgroup, token.start(), token.end()
        decides = kind == "object" and (not labels or known.label(token["value"]) is not None)
        if decides or (depth and kind in ("object", "hidden", "shown")):
            continue
        if not depth and heading is None and start > position:
            shown.append((position, start))
        if kind == "object":
            since = end
        elif kind == "open":
            if heading is not None and not depth and _DECORATION.fullmatch(text, heading, start):
                heading = None
            depth += _units(token[0])
        elif kind == "close":
            depth -= _units(token[0])
            if depth < 0:
                depth, unbalanced, shown, heading = 0, True, [], None
            since = end
        elif kind == "hidden":
            heading = end if heading is None else heading
            left_out.append((start, end))
            since = end
        else:
            shown = [span for span in shown if span[1] <= since] if told else []
            heading, told = None, True
            left_out.append((start, end))
            since = end
        position = end
    if not depth and heading is None:
        shown.append((position, len(text)))
    return _parted(text, shown, left_out, unbalanced or depth > 0)


def _units(mark: str) -> int:
    return len(_ONE.findall(mark))


def _parted(
    text: str, shown: list[tuple[int, int]], left_out: list[tuple[int, int]], unbalanced: bool
) -> PrivateText:
    """The public spans joined, and what is between them and no heading."""
    public = "".join(text[start:end] for start, end in shown).strip()
    private: list[str] = []
    position = 0
    for start, end in sorted([*shown, *left_out, (len(text), len(text))]):
        if kept := text[position:start].strip(_EDGES):
            private.append(kept)
        position = max(position, end)
    return PrivateText(public, "\n\n".join(private), len(private), unbalanced)
