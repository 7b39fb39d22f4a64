"""Mathematics as MathML, which browsers draw themselves: no script, no font and no network.

Docutils translates the LaTeX. What it does not know is an error of the build, which names the formula.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


def mathml(tex: str, block: bool, where: nodes.Node) -> str:
    """LaTeX as a MathML element; the LaTeX itself, with a warning, where it cannot be translated."""
    try:
        return tex2mathml(
            f"\\begin{{aligned}}{tex}\\end{{aligned}}" if "\\\\" in tex else tex, as_block=block
        )
    except MathError as error:
        LOGGER.warning("formula %r: %s", tex, error, location=where, type="mathml")
        return nodes.Text(tex).astext().replace("&", "&amp;").replace("<", "&lt;")


def inline(self: Any, node: nodes.math) -> None:
    """Write a formula in a sentence."""
    self.body.append(mathml(node.astext(), False, node))
    raise nodes.SkipNode


def display(self: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    self.body.append(f'<div class="formula" tabindex="0">{mathml(node.astext(), True, node)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
