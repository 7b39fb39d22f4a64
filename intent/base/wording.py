"""Numbers and lists in words, the same in every table and sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

__all__ = [
    "Sentences",
    "as_sentence",
    "counted",
    "digits_of_p",
    "in_percent",
    "in_words",
    "listed",
    "p_is",
]


class Sentences:
    """Sentences of a room, by name: templates with named fields, from a TOML file beside the code.

    Parameters
    ----------
    room : name of a package
    file : str
        There; read when the first sentence is needed.

    Examples
    --------
    >>> Sentences("intent.report")("claims.further", n=3)
    '3 further findings are in the longer report.'
    """

    def __init__(self, room: str, file: str = "sentences.toml") -> None:
        self.room, self.file = room, file

    def __call__(self, key: str, /, **fields: object) -> str:
        """The sentence ``section.key`` with its fields."""
        template: str = self.entry(key)
        return template.format(**fields)

    def lines(self, name: str) -> tuple[str, ...]:
        """A list of sentences, headings or names, without fields."""
        return tuple(self.entry(name))

    def entry(self, name: str) -> Any:
        """What stands in the file under ``section.name``."""
        section, _, key = name.partition(".")
        return self._sections[section][key]

    @cached_property
    def _sections(self) -> dict[str, dict[str, Any]]:
        import tomllib
        from importlib.resources import files

        return tomllib.loads(files(self.room).joinpath(self.file).read_text("utf8"))


_NAMES = {"horizon_known": "known horizon", "payoff_type": "payoff setting"}


def digits_of_p(p: float | None) -> str:
    """``0.0123``, ``0.12``, ``< 0.0001``; a dash for none."""
    if p is None or math.isnan(p):
        return "–"
    return "< 0.0001" if p < 1e-4 else f"{p:.4f}" if p < 0.1 else f"{p:.2f}"


def p_is(p: float) -> str:
    """``p = 0.0123``, ``p < 0.0001``."""
    return f"p {digits_of_p(p)}" if p < 1e-4 else f"p = {digits_of_p(p)}"


def in_percent(share: float | None) -> str:
    """``31.2``; a dash for none."""
    return "–" if share is None else f"{share * 100:.1f}"


def counted(n: int, noun: str, plural: str = "") -> str:
    """``1 game``, ``1,234 games``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def listed(names: Sequence[str]) -> str:
    """``A, B and C``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def in_words(factor: str | Sequence[str]) -> str:
    """The name of a column, or of several, as a sentence has it.

    Examples
    --------
    >>> in_words(["model", "horizon_known"])
    'model and known horizon'
    """
    names = [factor] if isinstance(factor, str) else list(factor)
    return listed([_NAMES.get(name, name.replace("_", " ")) for name in names])


def as_sentence(clause: str) -> str:
    """The clause with a capital letter and a full stop."""
    return f"{clause[0].upper()}{clause[1:]}{'' if clause.endswith('.') else '.'}"
