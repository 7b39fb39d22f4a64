"""The site's structure from the map in docs/index.md: one list for a file viewer, the site and the tests.

A page of a section (docs/howto.md, ...) gets the table below the section's heading in the map, and has the
pages named there below it; a page of a folder has the pages of the folder. Links to folders, which a site
has not, lead to their README or stand as text.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MAP = "docs/index"
SECTIONS = {
    "docs/tutorials": "Tutorials",
    "docs/howto": "How-to guides",
    "docs/explanation": "Explanation",
    "docs/reference": "Reference",
    "docs/papers/index": None,
    "docs/project": "Project",
}
FOLDERS = {
    "docs/papers/index": "docs/papers/*.md",
    "docs/decisions/index": "docs/decisions/*.md",
    "docs/api": "docs/api/*.rst",
    "notebooks/README": "notebooks/*.ipynb",
    "experiments/README": "experiments/*/README.md",
    "experiments/strategy_recognition/README": "experiments/strategy_recognition/results/summary.md",
}
FRONT = f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Documentation</title>
<meta http-equiv="refresh" content="0; url={MAP}.html">
<a href="{MAP}.html">Documentation</a></html>
"""
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")


def table_of(text: str, section: str) -> str:
    """The table below a heading of the map."""
    below = text.split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    return "".join(f"{line}\n" for line in below.splitlines() if line.startswith("|"))


def pages_of(table: str) -> list[str]:
    """The pages that the first cells of a table link to, as paths from docs/."""
    first = (line.split("|")[1] for line in table.splitlines() if line.startswith("|"))
    return [link[2] for cell in first for link in LINK.finditer(cell)]


def toctree(docnames: list[str]) -> str:
    """A hidden table of contents."""
    return "\n".join(["", "```{toctree}", ":hidden:", "", *(f"/{name}" for name in docnames), "```", ""])


def docname(path: PurePosixPath | Path) -> str:
    """The name of a page: its path without suffix, .. resolved."""
    parts: list[str] = []
    for part in path.with_suffix("").parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def members(root: Path, page: str) -> list[str]:
    """The pages that stand below a page on the site."""
    if page == MAP:
        return list(SECTIONS)
    if section := SECTIONS.get(page):
        table = table_of((root / f"{MAP}.md").read_text(encoding="utf-8"), section)
        return [docname(PurePosixPath("docs") / link) for link in pages_of(table)]
    found = sorted(docname(path.relative_to(root)) for path in root.glob(FOLDERS[page]))
    return [name for name in found if name != page]


def without_folders(text: str, folder: Path) -> str:
    """Links to folders made links to their README, or plain text."""

    def replaced(link: re.Match[str]) -> str:
        target = folder / link[2]
        if not target.is_dir():
            return link[0]
        for name in ("README.md", "index.md"):
            if (target / name).is_file():
                return f"[{link[1]}]({link[2].rstrip('/')}/{name})"
        return link[1]

    return LINK.sub(replaced, text)


def extend(app: Sphinx, page: str, content: list[str]) -> None:
    """Add what the map says to the text of a page, as it is read."""
    root, text = Path(app.srcdir), content[0]
    if page == MAP or page in SECTIONS or page in FOLDERS:
        app.env.note_dependency(str(root / f"{MAP}.md"))
        if section := SECTIONS.get(page):
            text += "\n" + table_of((root / f"{MAP}.md").read_text(encoding="utf-8"), section)
        text += toctree(members(root, page))
    content[0] = without_folders(text, (root / page).parent)


def grown(app: Sphinx, env: object, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """The pages that list others are read in every build, since the others may have become more."""
    return [page for page in {MAP, *SECTIONS, *FOLDERS} if page in app.env.found_docs]


def front(app: Sphinx, error: Exception | None) -> None:
    """An index.html at the top of the site, which leads to the map."""
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / "index.html").write_text(FRONT, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Join the reading of pages and the end of the build."""
    app.connect("env-get-outdated", grown)
    app.connect("source-read", extend)
    app.connect("build-finished", front)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
