"""Words that people search by lead to the page that answers them.

They are index entries, from docs/search.yaml and the glossary. Sphinx's own search looks into titles, texts
and index entries, and ranks the last first; so its index is all that is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from docutils import nodes
from sphinx import addnodes
from terms import GLOSSARY, terms

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WORDS = "docs/search.yaml"


def entries(root: Path, page: str) -> Iterator[tuple[str, str]]:
    """Words of a page, each with the place on it that they lead to (empty: its top)."""
    words = yaml.safe_load((root / WORDS).read_text(encoding="utf-8"))
    yield from ((str(word), "") for word in words.get(page, ()))
    if page == GLOSSARY:
        for term in terms(root / f"{GLOSSARY}.md"):
            yield from ((word, term.place) for word in (term.title, *term.others))


def add(app: Sphinx, tree: nodes.document) -> None:
    """Put the words of a page into the index."""
    root, page = Path(app.srcdir), app.env.docname
    app.env.note_dependency(str(root / WORDS))
    rows = [("single", word.replace(";", ","), place, "main", None) for word, place in entries(root, page)]
    if rows:
        tree.insert(0, addnodes.index(entries=rows))
        app.env.get_domain("index").entries[page] = rows


def setup(app: Sphinx) -> dict[str, bool]:
    """Join the reading of pages."""
    app.connect("doctree-read", add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
