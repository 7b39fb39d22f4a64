"""Numbers, lists and cited works in words, the same in every table, sentence and prompt.

Works are those of `references.bib`: as texts name them, as lists print them, as BibTeX.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

__all__ = [
    "Sentences",
    "Work",
    "as_sentence",
    "cited",
    "counted",
    "digits_of_p",
    "in_percent",
    "in_words",
    "listed",
    "number_text",
    "p_is",
    "sum_text",
    "works",
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


DIGITS = 12


def number_text(value: float) -> str:
    """The shortest text of the value rounded to 12 significant digits.

    That is 6, 0.6, 3.33333333333, never 0.6000000000000001: what arithmetic in binary adds at the end
    is no part of the game. Full digits are in the log.
    """
    rounded = float(f"{value:.{DIGITS}g}")
    return str(int(rounded)) if rounded.is_integer() and abs(rounded) < 1e15 else repr(rounded)


def sum_text(values: Iterable[float]) -> str:
    """The sum, as `written`."""
    return number_text(math.fsum(values))


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


_LETTERS = {r"{\'a}": "á", r"{\'e}": "é", r"{\'o}": "ó", r"\&": "&", "--": "–"}
_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)\n\}$", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
_MOST_NAMED, _MOST_LISTED = 3, 4
"""Authors whom a text names, and whom a source of a table lists, before it says "et al."."""


@dataclass(frozen=True)
class Work:
    """A cited work.

    Parameters
    ----------
    key : str
        Of BibTeX.
    bibtex : str
        The entry for a bibliography.
    authors : tuple of "family, given"
        "others" last where the entry does not name them all.
    title : str
    where : str
        Journal, book or archive that it stands in; of a book its publisher.
    year : int
    volume, pages : str
        Empty but for articles.
    whole : bool
        Whether it is named by its title, as books and theses are.
    """

    key: str
    bibtex: str
    authors: tuple[str, ...]
    title: str
    where: str
    year: int
    volume: str
    pages: str
    whole: bool

    @property
    def named(self) -> str:
        """As a text cites it: ``Holm, 1979``."""
        return f"{self._families(_MOST_NAMED)}, {self.year}"

    @property
    def source(self) -> str:
        """As a table says where something is from: ``Nowak & Sigmund 1993, Nature 364:56``."""
        place = self.title if self.whole else self.where
        first = f" {self.volume}:{self.pages.split('–')[0]}" if self.volume else ""
        return f"{self._families(_MOST_LISTED)} {self.year}, {place}{first}"

    @property
    def printed(self) -> str:
        """The line of a list of references."""
        place = f" {self.where} {self.volume}:{self.pages}." if self.volume else f" {self.where}."
        return f"{_joined(self.authors)} ({self.year}). {self.title}.{place if self.where else ''}"

    def _families(self, most: int) -> str:
        families = [author.split(",")[0] for author in self.authors]
        return f"{families[0]} et al." if len(families) > most else _joined(families)


def _joined(names: tuple[str, ...] | list[str]) -> str:
    *first, last = names
    if last == "others":
        return f"{', '.join(first)} et al."
    return f"{', '.join(first)} & {last}" if first else last


@cache
def works() -> Mapping[str, Work]:
    """Key -> the work, in the order of the BibTeX file of the package, whose entries have a field a line."""
    text = Path(__file__).with_name("references.bib").read_text("utf8")
    entries: dict[str, Work] = {}
    for entry in _ENTRY.finditer(text):
        kind, key, body = entry.groups()
        for written, letter in _LETTERS.items():
            body = body.replace(written, letter)
        fields = dict(_FIELD.findall(body))
        places = ("journal", "publisher", "booktitle", "howpublished", "institution")
        entries[key] = Work(
            key,
            entry[0],
            tuple(fields["author"].split(" and ")),
            fields["title"],
            next((fields[place] for place in places if place in fields), ""),
            int(fields["year"]),
            fields.get("volume", ""),
            fields.get("pages", ""),
            kind in ("book", "thesis", "unpublished"),
        )
    return MappingProxyType(entries)


def cited(key: str) -> str:
    """The `Work.source` of a work."""
    return works()[key].source
