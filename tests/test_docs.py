"""Pages that are written from the code say what the code says now."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
from pathlib import Path

import pytest

import intent

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("[a-z]*/*.md"), *ROOT.glob("docs/decisions/*.md")])


@pytest.fixture(scope="module")
def build():
    """The script docs/build.py."""
    spec = importlib.util.spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["api.md", "codebook.md", "strategies.md", "cli.md"])
def test_reference_page_is_current(build, page):
    written = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert written == build.PAGES[page](), "run `make docs`"


def test_bars_in_cells_do_not_break_a_table(build):
    assert build.table(["a"], [["x|y"]]) == "| a |\n| --- |\n| x\\|y |\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_one_version_everywhere():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {intent.__version__}\n" in citation
    assert f"\n## [{intent.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert importlib.metadata.version("strategy-intent") == intent.__version__
