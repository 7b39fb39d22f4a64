"""API keys: read from the environment, and kept out of everything that is written."""

from __future__ import annotations

import os
from collections.abc import Callable

from intent.errors import UsageError
from intent.masking import redact

__all__ = ["Secret", "read_key"]


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
