"""Settings of the documentation site (`make docs`).

The source folder is the root of the repository, so that links between README, docs and experiments are the
same in a file viewer and on the site: `sphinx-build -c docs -d docs/_build/doctrees . docs/_build/html`.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

with suppress(
    ImportError
):  # autodoc imports with TYPE_CHECKING set, which models of these two do not survive
    import inspect_ai  # noqa: F401
    import inspect_scout  # noqa: F401

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "intent"
author = "The intent developers"
_TEXT = (HERE.parent / "intent" / "version.py").read_text(encoding="utf-8")
release = re.search(r"__version__ = \"(.+)\"", _TEXT)[1]
version = release
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "api_pages",
    "mathml",
    "notebook_pages",
    "plain_docstrings",
    "search_words",
    "site_map",
    "terms",
]
root_doc = "docs/index"
source_suffix = {".md": "markdown", ".ipynb": "markdown", ".rst": "restructuredtext"}
include_patterns = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "requirements/README.md",
    "CHANGELOG.md",
    "benchmarks/README.md",
    "datasets/samples/README.md",
    "docs/**.md",
    "docs/api/*.rst",
    "experiments/README.md",
    "experiments/*/README.md",
    "experiments/strategy_recognition/results/summary.md",
    "notebooks/README.md",
    "notebooks/*.ipynb",
]
exclude_patterns = [
    "docs/_build",
    ".venv",
    ".git",
    "build",
    "dist",
    "intent",
    "tests",
    "**/cache",
    "mlartifacts",
]
suppress_warnings: list[str] = []
# `sphinx -t quick`: without the pages of docstrings and the outputs of notebooks, for who writes pages.
if "quick" in globals().get("tags", ()):
    extensions.remove("api_pages")
    exclude_patterns += ["docs/api/**", "docs/api/*"]
    run_notebooks = False
    suppress_warnings = ["toc.excluded", "ref.*"]

# Titles are anchors as they are on GitHub; $...$ is mathematics, prices and shell variables are not.
myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_space = False
myst_dmath_allow_digits = False
myst_dmath_double_inline = False
myst_heading_anchors = 4
suppress_warnings = [*suppress_warnings, "myst.header", "config.cache"]

autodoc_typehints = "none"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
nitpicky = True
nitpick_ignore = [("py:class", "inspect._empty")]  # how a default is written that is not there

html_theme = "pydata_sphinx_theme"
html_math_renderer = "mathml"
html_title = f"intent {release}"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(HERE / "search.js")
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"docs/index": []}
copyright = "The intent developers, Apache-2.0"  # noqa: A001 (Sphinx asks for the name)


def setup(app: Sphinx) -> None:
    """Show CSV as it is: Pygments has no lexer for it."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("csv", TextLexer)
