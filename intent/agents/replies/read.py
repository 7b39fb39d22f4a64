"""The table of readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from intent.agents.replies.fairgame import read_fairgame
from intent.agents.replies.json_reply import read_json
from intent.agents.replies.reading import Reading
from intent.agents.replies.strict import read_strict
from intent.errors import UnknownNameError

__all__ = ["PARSERS", "Parser", "read_reply"]

Parser = Literal["strict", "json", "fairgame"]

PARSERS: Mapping[str, Callable[[str, Sequence[str]], Reading]] = MappingProxyType(
    {"strict": read_strict, "json": read_json, "fairgame": read_fairgame}
)


def read_reply(text: str, labels: Sequence[str], parser: Parser = "strict") -> Reading:
    """Read a reply as one of the labels.

    Takes any text, of any length, and never raises for what it holds.

    Parameters
    ----------
    text : str
        Without reasoning, see `strip_reasoning`.
    labels : sequence of str
        In the game's order.
    parser : {"strict", "json", "fairgame"}

    Returns
    -------
    Reading

    Raises
    ------
    UnknownNameError
        No such parser.
    """
    if parser not in PARSERS:
        raise UnknownNameError("parser", parser, PARSERS)
    return PARSERS[parser](text, labels)
