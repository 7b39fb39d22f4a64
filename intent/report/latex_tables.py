"""Tables for a paper in LaTeX: booktabs, every cell escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["escaped", "latex_table"]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "—": "---",
    "×": r"$\times$",
    "²": r"$^2$",
    "η": r"$\eta$",
    "χ": r"$\chi$",
    "≈": r"$\approx$",
    "−": "$-$",
}
_FITTED = (
    r"\resizebox*{!}{\ifdim\totalheight>0.8\textheight 0.8\textheight\else\totalheight\fi}{%",
    r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
)
"""Shrink what follows to the page's text where it is longer or wider."""

_PATTERN = re.compile("|".join(map(re.escape, _SPECIAL)))
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff\ufeff]")


def escaped(text: object) -> str:
    r"""Text as LaTeX shows it; control characters and marks of direction become spaces.

    Parameters
    ----------
    text : object

    Examples
    --------
    >>> escaped("p_ALLC & 5 %")
    'p\\_ALLC \\& 5 \\%'
    """
    plain = _HIDDEN.sub(" ", str(text))
    return _PATTERN.sub(lambda match: _SPECIAL[match.group()], plain)


def latex_table(
    header: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    caption: str = "",
    label: str = "",
    notes: Sequence[str] = (),
) -> str:
    """A floating table, columns of text to the left and of numbers to the right, no larger than the page.

    Parameters
    ----------
    header : names of columns
    rows : cells
    caption : str
    label : str
        For references: letters, digits, colons and hyphens are kept.
    notes : sequence of str
        Small print below the table.
    """
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    kinds = "".join("r" if _numeric(row[i] for row in cells) else "l" for i in range(len(header)))
    lines = [r"\begin{table}", r"\centering"]
    lines += [rf"\caption{{{escaped(caption)}}}"] if caption else []
    lines += [rf"\label{{{re.sub(r'[^A-Za-z0-9:-]+', '-', label)}}}"] if label else []
    lines += [*_FITTED, rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines += [" & ".join(map(escaped, header)) + r" \\", r"\midrule"]
    lines += [" & ".join(map(escaped, row)) + r" \\" for row in cells]
    lines += [r"\bottomrule", r"\end{tabular}}}"]
    if notes:
        small = " ".join(map(escaped, notes))
        lines.append(rf"\par\smallskip\begin{{minipage}}{{\linewidth}}\footnotesize {small}\end{{minipage}}")
    return "\n".join(["% \\usepackage{booktabs,graphicx}", *lines, r"\end{table}", ""])


def _numeric(cells: Iterable[str]) -> bool:
    """Whether the cells begin with numbers, as ``31.2 (28–34)``."""
    known = [cell for cell in cells if cell not in ("", "–")]
    return bool(known) and all(re.match(r"^[-−<]?\s*[\d.,]+", cell) for cell in known)
