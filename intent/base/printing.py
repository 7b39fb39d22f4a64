"""The settings of figures on paper, declared once for every job that draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from intent.base.request import Request, option
from intent.base.sheet import COLUMNS, Sheet, drawn_on, sheet_of

__all__ = ["Printing"]


class Printing(Request, kw_only=True):
    """How the figures of a job are set on paper."""

    width: str | float | None = option(
        None,
        f"Width of figures: single ({COLUMNS['single']:g} mm), double ({COLUMNS['double']:g} mm), or "
        "millimetres; set in small type, with the caption beside the file only.",
        words=str | None,
        metavar="COLUMN|MM",
        recorded=False,
    )
    font: str | Sequence[str] = option(
        (),
        "Family of the figures' type, such as Arial; others follow where it lacks a letter (repeatable).",
        words=list[str] | None,
        metavar="FAMILY",
        recorded=False,
    )
    theme: str | Path | Mapping[str, Any] | None = option(
        None,
        "YAML file with the colours, type and sizes of figures.",
        words=Path | None,
        metavar="FILE",
        recorded=False,
    )

    def sheet(self) -> Sheet | None:
        """The sheet that was asked for.

        Raises
        ------
        UsageError, DataError
            As `sheet_of`.
        """
        return sheet_of(self.width, self.font, self.theme)

    def scope(self) -> AbstractContextManager[None]:
        """Figures are drawn on that sheet."""
        return drawn_on(self.sheet())

    def finished(self, result: Any) -> Any:
        """A result that is drawn later, on that sheet too."""
        chosen = self.sheet()
        if chosen is not None and hasattr(type(result), "sheet"):
            object.__setattr__(result, "sheet", chosen)
        return result

    @classmethod
    def of_file(cls, place: str, values: Mapping[str, Any]) -> None:
        """Also of the sheet.

        Raises
        ------
        UsageError
            As `Request.of_file`.
        """
        super().of_file(place, values)
        sheet_of(**{name: values[name] for name in Printing.settings if name in values})
