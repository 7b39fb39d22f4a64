"""Formulas in docstrings are plain text: |x| is an absolute value there, and p_ a name.

reStructuredText would read a substitution and a link. The package uses neither, so both marks are escaped
wherever they stand outside of literals and examples.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MARKS = re.compile(r"(``.+?``)|(\|)|(?<=\w)(_)(?!\w)")


def escaped(line: str) -> str:
    """A line of a docstring with its bars and trailing underscores escaped."""
    if line.lstrip().startswith((">>>", "...", ".. ")):
        return line
    return MARKS.sub(lambda mark: mark[1] or f"\\{mark[0]}", line)


def escape(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Escape a docstring in place, after numpydoc has laid it out."""
    lines[:] = [escaped(line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Join the reading of docstrings."""
    app.connect("autodoc-process-docstring", escape, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
