"""The documentation site: every page has its place, links lead somewhere, nothing is loaded."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import intent

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(
    page.relative_to(ROOT).with_suffix("").as_posix()
    for page in DOCS.rglob("*.md")
    if "_build" not in page.parts
)


@pytest.fixture
def part(monkeypatch):
    """A module of the site's own, by name."""
    monkeypatch.syspath_prepend(str(DOCS / "_extensions"))
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module


def below(site_map, page: str) -> list[str]:
    """All pages that stand below a page on the site, each as often as it does."""
    if page != site_map.MAP and page not in site_map.SECTIONS and page not in site_map.FOLDERS:
        return []
    return [name for one in site_map.members(ROOT, page) for name in (one, *below(site_map, one))]


def slugs(page: Path) -> set[str]:
    """The anchors of a page's headings, as file viewers and the site make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_has_one_place(part):
    site_map = part("site_map")
    placed = below(site_map, site_map.MAP)
    assert sorted(name for name in placed if name.startswith("docs/") and "/api/" not in name) == [
        page for page in PAGES if page != site_map.MAP
    ]


def test_every_row_of_the_map_is_a_page(part):
    site_map = part("site_map")
    named = site_map.pages_of((DOCS / "index.md").read_text(encoding="utf-8"))
    assert [link for link in named if not (DOCS / link).is_file()] == []
    assert len(named) == len(set(named))


@pytest.mark.parametrize("page", PAGES)
def test_links_to_places_on_a_page(page):
    path = ROOT / f"{page}.md"
    links = re.findall(r"\]\((?!https?:)([^)\s#]*\.md|)#([^)\s]+)\)", path.read_text(encoding="utf-8"))
    assert [(to, at) for to, at in links if at not in slugs(path.parent / to if to else path)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if "/equations/" in page])
def test_formulas_become_mathml(part, page):
    pytest.importorskip("docutils")
    text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    formulas = re.findall(r"\$\$(.+?)\$\$", text, flags=re.DOTALL)
    assert formulas
    for formula in formulas:
        assert part("mathml").mathml(formula, True, None).startswith("<math")


def test_settings_name_what_is_there(part):
    conf = part("conf")
    assert conf.release == intent.__version__
    assert (ROOT / f"{conf.root_doc}.md").is_file()
    own = {path.stem for path in (DOCS / "_extensions").glob("*.py")}
    assert own <= set(conf.extensions)


def test_links_to_folders_lead_to_their_readme(part):
    text = "[a](experiments/) [b](models/) [c](docs/cli.md#x) [d](https://x.org/)"
    shown = part("site_map").without_folders(text, ROOT)
    assert shown == "[a](experiments/README.md) b [c](docs/cli.md#x) [d](https://x.org/)"


def test_reference_has_the_front_door_and_every_package(part):
    pages = dict(part("api_pages").pages(ROOT / "intent"))
    assert all(f"`intent.{name} <" in pages["intent"] for name in intent.__all__)
    assert "automodule:: intent.strategies.catalogue\n   :members: " in pages["intent.strategies"]
    assert not any(name.startswith("intent.cli") for name in pages)


def test_words_that_are_searched_lead_to_pages(part):
    words = part("search_words")
    listed = part("yaml").safe_load((ROOT / words.WORDS).read_text(encoding="utf-8"))
    assert [page for page in listed if not (ROOT / f"{page}.md").is_file()] == []
    typed = [str(word).lower() for page in listed for word in listed[page]]
    assert sorted(typed) == sorted(set(typed)), "a word leads to one page"
    assert ("trembling hand", "tremble") in words.entries(ROOT, "docs/glossary")


def test_the_glossary_says_what_each_term_means(part):
    terms = part("terms").terms(DOCS / "glossary.md")
    titles = re.findall(r"^### (.+)$", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE)
    assert [term.title for term in terms] == titles
    assert len({term.place for term in terms}) == len(terms)
    assert {"Trajectory", "Supergame", "Memory-one", "SFEM", "Posterior", "Unit of independence"} <= set(
        titles
    )
    assert all(term.meaning.endswith(".") and len(term.meaning) > 20 for term in terms)


def paragraph(*children):
    """A page of one paragraph."""
    nodes = pytest.importorskip("docutils.nodes")
    tree = importlib.import_module("docutils.utils").new_document("page")
    tree += nodes.paragraph("", "", *children)
    return tree


def test_the_first_use_of_a_term_leads_to_the_glossary(part):
    nodes = pytest.importorskip("docutils.nodes")
    tree = paragraph(nodes.literal("", "TFT"), nodes.Text(" plays TFT; posteriors of tit for tat; a grim"))
    part("terms").link_terms(tree, DOCS / "glossary.md", "glossary.html")
    links = [(link.astext(), link["refuri"]) for link in tree.findall(nodes.reference)]
    assert links == [("TFT", "glossary.html#tit-for-tat"), ("posteriors", "glossary.html#posterior")]
    assert tree.astext() == "TFT plays TFT; posteriors of tit for tat; a grim"


def test_a_notebook_becomes_markdown(part, tmp_path):
    code = {"cell_type": "code", "source": ["print(1)"], "outputs": []}
    printed = {"output_type": "stream", "name": "stdout", "text": "\x1b[1m```\x1b[0m\n"}
    shown = {"output_type": "execute_result", "data": {"text/html": "<style>a</style><table>\n\n</table>"}}
    cells = [
        {"cell_type": "markdown", "source": ["# 1. A\n", "\n", "B"]},
        {**code, "outputs": [printed, printed, shown]},
    ]
    text = "\n".join(part("notebook_pages").pieces(cells, "one", tmp_path))
    assert text.startswith(
        "# 1. A\n\n*A notebook, as it ran when this site was built: {download}`one.ipynb`.*\n\nB\n"
    )
    assert "```python\nprint(1)\n```" in text
    assert "````{code-block} text\n:class: cell-output\n\n```\n```\n````" in text
    assert '```{raw} html\n<div class="cell-output" tabindex="0"><table>\n\n</table></div>\n```' in text


def test_outputs_of_a_notebook_follow_from_the_package(part, tmp_path):
    pages, notebook = part("notebook_pages"), tmp_path / "one.ipynb"
    (tmp_path / "intent").mkdir()
    notebook.write_text("{}")
    before = pages.key(notebook, tmp_path)
    assert before == pages.key(notebook, tmp_path)
    (tmp_path / "intent" / "new.py").write_text("")
    assert pages.key(notebook, tmp_path) != before


def test_formulas_of_docstrings_stay_as_they_are(part):
    escaped = part("plain_docstrings").escaped
    assert escaped("sum |a_b - c_| of ``x | y_``") == r"sum \|a_b - c\_\| of ``x | y_``"
    assert escaped(">>> a | b") == ">>> a | b"


def test_faults_of_a_site_are_found(part, tmp_path):
    (tmp_path / "index.html").write_text(
        '<h1 id="top">A</h1><a href="#top">1</a><a href="b.html#there">2</a>'
        '<a href="b.html#gone">3</a><a href="c.html">4</a>'
        '<a href="https://example.org/x">5</a><a href="https://">6</a><img src="https://example.org/a.png">'
        '<link rel="stylesheet" href="//fonts.example.org/f.css"><link rel="author" href="https://example.org">'
    )
    (tmp_path / "b.html").write_text('<p id="there" style="background: url(http://example.org/b)">')
    (tmp_path / "s.css").write_text('@import "https://example.org/s.css"; a { background: url(own.png) }')
    assert list(part("check_site").faults(tmp_path)) == [
        "b.html: loads http://example.org/b",
        "index.html: loads https://example.org/a.png",
        "index.html: loads //fonts.example.org/f.css",
        "index.html: link leads nowhere: b.html#gone",
        "index.html: link leads nowhere: c.html",
        "index.html: link leads nowhere: https://",
        "s.css: loads https://example.org/s.css",
    ]


def built(folder: Path, *options: str) -> Path:
    """The site, built into a folder without a word."""
    for package in (
        "sphinx",
        "pydata_sphinx_theme",
        "myst_parser",
        "numpydoc",
        "sphinx_copybutton",
        "nbclient",
    ):
        pytest.importorskip(package)
    site = folder / "html"
    command = ["-m", "sphinx", "-q", *options, "-c", DOCS, "-d", folder / "trees", ROOT, site]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return site


@pytest.mark.slow
def test_a_notebook_is_run_without_the_public_logs(part, tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbclient")
    monkeypatch.setenv("INTENT_DATA", "somewhere")
    cell = nbformat.v4.new_code_cell("import os\n'INTENT_DATA' in os.environ, os.listdir()")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "one.ipynb")
    (ran,) = part("notebook_pages").executed(tmp_path / "one.ipynb")
    assert ran["outputs"][0]["data"]["text/plain"] == "(False, [])"


@pytest.mark.exhaustive
def test_site_builds_without_a_warning(part, tmp_path):
    site = built(tmp_path, "-W", "--keep-going")
    assert list(part("check_site").faults(site)) == []
