"""API keys: read from the environment, and kept out of everything that is written."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable

from intent.errors import UsageError

__all__ = ["KEY_MARK", "Secret", "ambient_keys", "read_key", "redact"]

KEY_MARK = "[key]"

SHORTEST = 8
"""Shorter values are placeholders for servers that need no key; words of a reply may equal them."""

_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_BEARER = re.compile(r"(?i)\bbearer\s+[^\s\"',}]{4,}")
_SHAPES = re.compile(r"\b(?:(?:sk|pk|rk|xai|gsk|hf)[-_]|AIza)[\w*.…-]{6,}")


class Secret:
    """A key that no repr, `vars` or pickle shows.

    Parameters
    ----------
    value : str or None
        None where the endpoint takes no key.
    """

    __slots__ = ("reveal",)

    def __init__(self, value: str | None) -> None:
        self.reveal: Callable[[], str | None] = lambda: value

    def hidden_in(self, text: str) -> str:
        """`text` without this key and whatever `redact` takes out."""
        return redact(text, [self.reveal()])

    def hidden_in_bytes(self, raw: bytes) -> bytes:
        """JSON without this key, whichever of its characters are escaped there."""
        key = self.reveal()
        if key is None or len(key) < SHORTEST:
            return raw
        return re.sub(b"".join(map(_in_json, key)), KEY_MARK.encode(), raw)


def _in_json(character: str) -> bytes:
    """The pattern of all ways in which JSON may write a character."""
    backslash = rb"\\?" if character in '"\\/' else b""
    return rb"(?:%b%b|\\u(?i:%04x))" % (backslash, re.escape(character).encode(), ord(character))


def read_key(variable: str) -> str | None:
    """The key in an environment variable without space around it; None where unset or empty.

    Raises
    ------
    UsageError
        It holds characters that no header can carry. The message names the variable only.
    """
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or any(character.isspace() or not character.isprintable() for character in key):
        raise UsageError(f"{variable} holds characters that no key has (space, line break or non-ASCII)")
    return key or None


def ambient_keys() -> tuple[str, ...]:
    """Values of all environment variables that are named like a key, longest first."""
    found = {value.strip() for name, value in os.environ.items() if _NAMES.search(name.upper())}
    return tuple(sorted((value for value in found if len(value) >= SHORTEST), key=len, reverse=True))


def redact(text: str, own: Iterable[str | None] = ()) -> str:
    """`text` without the keys in `own`, those of the environment, and whatever else looks like one.

    For texts of errors, since servers echo what they were sent.
    """
    mine = [key for key in own if key and len(key) >= SHORTEST]
    for key in (*mine, *ambient_keys()):
        text = text.replace(key, KEY_MARK)
    return _SHAPES.sub(KEY_MARK, _BEARER.sub(f"Bearer {KEY_MARK}", text))
