"""Works that the package cites, from `references.bib`: as texts name them, as lists print them, as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["WORKS", "Work", "cited"]

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


def _works(text: str) -> Mapping[str, Work]:
    """Key -> the work, in the order of a BibTeX text whose entries have a field a line."""
    works = {}
    for entry in _ENTRY.finditer(text):
        kind, key, body = entry.groups()
        for written, letter in _LETTERS.items():
            body = body.replace(written, letter)
        fields = dict(_FIELD.findall(body))
        places = ("journal", "publisher", "booktitle", "howpublished", "institution")
        works[key] = Work(
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
    return works


WORKS = _works(Path(__file__).with_name("references.bib").read_text("utf8"))
"""Key -> the work."""


def cited(key: str) -> str:
    """The `Work.source` of a work."""
    return WORKS[key].source
