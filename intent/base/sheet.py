"""How figures are set on paper: width, type and colours, declared once for every job that draws.

A `Sheet` holds for a stretch of work (`drawn_on`), and what draws asks for it (`sheet`); so no function
hands it through. A theme file says the same for a whole paper, and colours besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intent.base.errors import UsageError, shorten

__all__ = ["COLUMNS", "SIZES", "Sheet", "drawn_on", "sheet", "sheet_of"]

COLUMNS = {"single": 89.0, "double": 183.0}
"""Name of a column of a journal -> its width in millimetres."""

_NARROWEST, _WIDEST = 60.0, 400.0

SIZES = {"text": 7.0, "small": 6.0, "title": 8.0}
"""Points of type on paper, where a width is said; least of all is `small`."""

_ON_SCREEN = {"text": 9.5, "small": 6.0, "title": 13.0}


@dataclass(frozen=True)
class Sheet:
    """How figures are set.

    Attributes
    ----------
    width : float, optional
        Millimetres; None: as wide as the figure likes, with title and caption in the picture.
    font : tuple of str
        Families in order, before those that the figures fall back on.
    outlined : bool
        Whether text becomes outlines instead of type.
    text, small, title : float, points
    stroke : float
        What the width of lines is multiplied by.
    colours : mapping of strategy, status or attitude -> ``#RRGGBB``
    series : tuple of ``#RRGGBB``, of all other series in order
    """

    width: float | None = None
    font: tuple[str, ...] = ()
    outlined: bool = False
    text: float = _ON_SCREEN["text"]
    small: float = _ON_SCREEN["small"]
    title: float = _ON_SCREEN["title"]
    stroke: float = 1.0
    colours: Mapping[str, str] = field(default_factory=dict)
    series: tuple[str, ...] = ()

    @property
    def printed(self) -> bool:
        """Whether the figure is for a column, where title and caption stand in the text."""
        return self.width is not None

    @property
    def inches(self) -> float:
        """Its width; infinite where none is said."""
        return float("inf") if self.width is None else self.width / 25.4


_SHEET: ContextVar[Sheet] = ContextVar("sheet", default=Sheet())  # noqa: B039 - a sheet is frozen


def sheet() -> Sheet:
    """The sheet that holds here."""
    return _SHEET.get()


@contextmanager
def drawn_on(chosen: Sheet | None) -> Iterator[None]:
    """Draw on a sheet for the length of a block; on the one that holds already, where it is None."""
    if chosen is None:
        yield
        return
    before = _SHEET.set(chosen)
    try:
        yield
    finally:
        _SHEET.reset(before)


def sheet_of(
    width: str | float | None = None,
    font: str | Sequence[str] = (),
    theme: str | Path | Mapping[str, Any] | None = None,
) -> Sheet | None:
    """The sheet that settings describe; None where they say nothing.

    Parameters
    ----------
    width : ``single``, ``double``, or millimetres (60 to 400)
    font : families in order, or their names with commas between them
    theme : path of a theme file, or its values

    Raises
    ------
    UsageError
        A width that is none.
    DataError
        A theme that cannot be read, or says what no theme says.
    """
    families = font.split(",") if isinstance(font, str) else list(font)
    names = tuple(name.strip() for item in families for name in str(item).split(",") if name.strip())
    values = {} if theme is None else _themed(theme)
    column = values.pop("width", None) if width is None else width
    values.pop("width", None)
    if column is None and not names and theme is None:
        return None
    sizes = {**(_ON_SCREEN if column is None else SIZES), **values.pop("sizes", {})}
    values["font"] = names or values.get("font", ())
    return Sheet(width=None if column is None else _millimetres(column), **sizes, **values)


def _millimetres(width: str | float) -> float:
    """A width as a number of millimetres."""
    word = str(width).strip().lower()
    try:
        value = COLUMNS[word] if word in COLUMNS else float(word.removesuffix("mm"))
    except ValueError:
        value = float("nan")
    if not _NARROWEST <= value <= _WIDEST:
        known = ", ".join(f"{name} ({value:g} mm)" for name, value in COLUMNS.items())
        raise UsageError(
            f"--width {shorten(width)!r}, expected {known}, or millimetres from {_NARROWEST:g} to {_WIDEST:g}"
        )
    return value


def _themed(theme: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    """What a theme says, of `Sheet` by name; its sizes under ``sizes``."""
    from intent.base.theme import read_theme  # pydantic and YAML, which help does without

    return read_theme(theme)
