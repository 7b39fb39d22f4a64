"""What a report is made of before it is a page: words, tables, pictures, games, in sections."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = [
    "Block",
    "Claim",
    "Claims",
    "Grid",
    "Listing",
    "Picture",
    "Section",
    "Strip",
    "StripSeat",
    "Verbatim",
    "Words",
    "grid",
    "in_cell",
]

Kind = Literal["plain", "caution", "quiet"]

_LETTERS = 600
"""Of a text in a cell, beyond which it is cut."""


@dataclass(frozen=True)
class Words:
    """A paragraph.

    Parameters
    ----------
    text : str
    kind : {"plain", "caution", "quiet"}
        A caution stands out; what is quiet explains.
    """

    text: str
    kind: Kind = "plain"


@dataclass(frozen=True)
class Listing:
    """A list of sentences.

    Parameters
    ----------
    items : tuple of str
    kind : as `Words`
    ordered : bool
    """

    items: tuple[str, ...]
    kind: Kind = "plain"
    ordered: bool = False


@dataclass(frozen=True)
class Grid:
    """A table of text.

    Parameters
    ----------
    caption : str
    header : tuple of str
    rows : tuple of tuples of str
    numeric : tuple of bool, whether a column holds numbers
    heads : int, columns at the left that name the row
    folded : bool
        Shown only once a reader asks for it.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    heads: int = 1
    folded: bool = False


@dataclass(frozen=True)
class Picture:
    """A figure, and the numbers that it shows.

    Parameters
    ----------
    svg : Markup
        As `inline_svg` makes it.
    caption : str
    table : Grid, optional
    name : str
        Its own on the page, for those who hear it; default: the caption.
    """

    svg: Markup
    caption: str
    table: Grid | None = None
    name: str = ""


@dataclass(frozen=True)
class StripSeat:
    """One player of a game that is shown.

    Parameters
    ----------
    name : str
    verdict : str
        What its label says.
    moves : tuple of str, by round: C, D, ? (unknown), an option's name where none is cooperation
    payoffs : tuple of str, by round
    posterior : tuple of (strategy, shares in per cent by round)
    marks : tuple of str, by round
        What is to be known of a move: ``defaulted`` or ``missing``; empty for nothing.
    contradicts : tuple of bool, by round
        Whether the strategy that fits best would not have made the move.
    """

    name: str
    verdict: str
    moves: tuple[str, ...]
    payoffs: tuple[str, ...]
    posterior: tuple[tuple[str, tuple[str, ...]], ...] = ()
    marks: tuple[str, ...] = ()
    contradicts: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Strip:
    """One game as a strip of moves.

    Parameters
    ----------
    name : str
    about : str
        Why it is shown, and its conditions.
    rounds : tuple of int
    seats : tuple of StripSeat
    texts : tuple of (who and when, what was said)
    key : str
        Its address on the page, where something leads there.
    """

    name: str
    about: str
    rounds: tuple[int, ...]
    seats: tuple[StripSeat, ...]
    texts: tuple[tuple[str, str], ...] = ()
    key: str = ""


@dataclass(frozen=True)
class Verbatim:
    """Text to copy, line by line as it is; folded.

    Parameters
    ----------
    title : str
    text : str
    """

    title: str
    text: str


@dataclass(frozen=True)
class Claim:
    """One finding: a sentence, its evidence, where on the page it comes from, and its figure.

    Parameters
    ----------
    text : str
    about : str
        On how much evidence.
    links : tuple of (address on the page, words)
    picture : Picture, optional
    """

    text: str
    about: str = ""
    links: tuple[tuple[str, str], ...] = ()
    picture: Picture | None = None


@dataclass(frozen=True)
class Claims:
    """Findings in their order.

    Parameters
    ----------
    items : tuple of Claim
    """

    items: tuple[Claim, ...]


@dataclass(frozen=True)
class Section:
    """A part of the report, with parts of its own.

    Parameters
    ----------
    key : str
        Its address on the page, unique there.
    title : str
    blocks : tuple of blocks and sections
    """

    key: str
    title: str
    blocks: tuple[Block, ...]


Block = Words | Listing | Grid | Picture | Strip | Verbatim | Claims | Section


def grid(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    heads: int = 1,
    folded: bool = False,
) -> Grid:
    """A table from values: numbers to the right, three decimals where they have any.

    Examples
    --------
    >>> grid("Shares", ["model", "share"], [["A", 0.25], ["B", None]]).rows
    (('A', '0.250'), ('B', '–'))
    """
    texts = tuple(tuple(in_cell(cell) for cell in row) for row in rows)
    numeric = tuple(
        bool(texts) and k >= heads and all(_is_number(row[k]) for row in texts) for k in range(len(header))
    )
    return Grid(caption, tuple(map(str, header)), texts, numeric, heads, folded)


def in_cell(value: object) -> str:
    """A value as a table shows it."""
    if value is None or value != value:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        if not math.isfinite(value):
            return "–"
        return f"{value:.3g}" if value and (abs(value) < 1e-3 or abs(value) >= 1e5) else f"{value:.3f}"
    text = str(value)
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]} […] ({len(text):,} characters)"


def _is_number(text: str) -> bool:
    """Whether a cell is a number, begins an interval or has one in brackets, or is empty."""
    head = re.split(r" \(| to |–", text, maxsplit=1)[0].replace(",", "").rstrip("%").strip()
    if head in ("", "–") or head.startswith("< "):
        return True
    try:
        float(head)
    except ValueError:
        return False
    return True
