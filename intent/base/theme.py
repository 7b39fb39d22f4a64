"""Theme files: colours, type and sizes of figures, as a journal or a group wants them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from intent.base.settings import Document, Values, checked, read_document

__all__ = ["Theme", "read_theme"]

Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9A-Fa-f]{6}$")]
Family = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^[^,<>\"'&;{}\\]+$")]
Points = Annotated[float, Field(ge=6, le=24)]


class Sizes(Values):
    """Sizes of type, in points at the final width.

    Attributes
    ----------
    text : of labels
    small : of numbers in cells and notes; nothing is smaller
    title : of the title, where one is in the picture
    """

    text: Points | None = None
    small: Points | None = None
    title: Points | None = None


class Theme(Values):
    """What a theme file may say; all of it may be left out.

    Attributes
    ----------
    width : ``single``, ``double`` or millimetres
    font : a family, or several in order
    text : ``type`` (TrueType in PDF, selectable in SVG) or ``outlines``
    sizes : Sizes
    lines : what the width of lines is multiplied by
    colours : strategy, status or attitude -> ``"#RRGGBB"``
    series : colours of models, conditions and other series, in order
    """

    width: Literal["single", "double"] | Annotated[float, Field(ge=60, le=400)] | None = None
    font: Family | Annotated[list[Family], Field(min_length=1, max_length=12)] | None = None
    text: Literal["type", "outlines"] = "type"
    sizes: Sizes = Sizes()
    lines: Annotated[float, Field(ge=0.25, le=4)] = 1.0
    colours: dict[Annotated[str, StringConstraints(min_length=1, max_length=80)], Colour] = {}  # noqa: RUF012
    series: Annotated[list[Colour], Field(max_length=30)] = []  # noqa: RUF012


def read_theme(theme: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    """What a theme says, by the names of `intent.base.sheet.Sheet`; sizes under ``sizes``.

    Parameters
    ----------
    theme : path, or the values themselves

    Raises
    ------
    DataError
        No such file, an unknown key, or a value that cannot be, with file, line and key.
    """
    if isinstance(theme, Mapping):
        document, name = Document(dict(theme)), "theme"
    else:
        document, name = read_document(theme), Path(theme).name
    values = checked(Theme, document, called=name)
    families = [values.font] if isinstance(values.font, str) else values.font or []
    return {
        "width": values.width,
        "font": tuple(families),
        "outlined": values.text == "outlines",
        "sizes": values.sizes.model_dump(exclude_none=True),
        "stroke": values.lines,
        "colours": dict(values.colours),
        "series": tuple(values.series),
    }
