"""Words of the glossary lead there from where a page first uses them; names of `intent` to their docstring.

The pages stay plain Markdown, readable as files: links are laid when the site is made. Names that are common
words too (`COMMON`) are only found by the search.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

GLOSSARY = "docs/glossary"
# Pages in which names of Python are linked, but no words.
DOORS = ("docs/api", "README", "docs/index")
# Pages to read, in which words are linked; not those to look things up, nor those that only lead on.
PAGES = re.compile(
    r"docs/(?!decisions/|api|cli$|codebook$|references$|strategies$|index$|glossary$)|experiments/"
)
ENTRY = re.compile(r"^### (.+)\n\*Also: (.+?)\.\* (.+)$", flags=re.MULTILINE)
COMMON = set(
    """action, move, choice, option, payoff, reward, penalty, utility, match, interaction, episode, game
    length, number of rounds, history, horizon, role, position, seat, character, strategy, policy, type,
    noise, mistake, classifier, label, classification, status, belief, share, frequency, proportion,
    interval, cluster, power, number of games, arm, cell, treatment, api, server, provider, tokens,
    reasoning, chance player, random, reciprocity, isolation, persona, personality, exact test,
    significance, years in prison, attribution, fair coin, tournament of strategies, friedman, se, pd,
    ci, confident, ambiguous, no_fit, low_confidence, token, architecture, endpoint, temperature, delta,
    model fit, resampling, reliability, ceiling""".replace("\n    ", " ").split(", ")
)
# Where a link would stand in a link, in code, or in a title.
CLOSED = (
    nodes.reference,
    nodes.literal,
    nodes.literal_block,
    nodes.title,
    nodes.math,
    nodes.raw,
    nodes.thead,
)


@dataclass(frozen=True)
class Term:
    """A word of the glossary: its heading, its other names, and what it means."""

    title: str
    others: tuple[str, ...]
    meaning: str

    @property
    def place(self) -> str:
        """Where it stands on the page."""
        return nodes.make_id(self.title)

    @property
    def linked(self) -> tuple[str, ...]:
        """The names that are linked: those that mean nothing else."""
        return tuple(name for name in (self.title, *self.others) if name.lower() not in COMMON)


@cache
def terms(path: Path) -> tuple[Term, ...]:
    """The entries of the glossary."""
    text = path.read_text(encoding="utf-8")
    return tuple(
        Term(title, tuple(others.split(", ")), meaning) for title, others, meaning in ENTRY.findall(text)
    )


@cache
def pattern(path: Path) -> tuple[re.Pattern[str], dict[str, Term]]:
    """What finds the words, and whose they are."""
    named = {name.lower(): term for term in terms(path) for name in term.linked}
    longest = sorted(named, key=len, reverse=True)
    return re.compile(
        rf"(?<![\w`-])({'|'.join(map(re.escape, longest))})(s?)(?![\w`-])", re.IGNORECASE
    ), named


def plain(text: str) -> str:
    """Markdown as a browser's tip shows it."""
    return re.sub(r"[*`]", "", re.sub(r" ?\(?\[([^\]]+)\]\([^)]*\)\)?", "", text))


def open_texts(tree: nodes.document) -> Iterator[nodes.Text]:
    """The texts of sentences, in which a link may stand."""
    for text in list(tree.findall(nodes.Text)):
        above, node = [], text.parent
        while node is not None:
            above.append(node)
            node = node.parent
        sentence = any(isinstance(one, nodes.paragraph) for one in above)
        if sentence and not any(isinstance(one, CLOSED) for one in above):
            yield text


def link_terms(tree: nodes.document, glossary: Path, address: str) -> None:
    """Link the first use of every word."""
    found, named = pattern(glossary)
    linked: set[str] = set()
    for text in open_texts(tree):
        put: list[nodes.Node] = []
        end = 0
        for use in found.finditer(text.astext()):
            term = named[use[1].lower()]
            # an acronym is one only in its capitals
            if term.title in linked or (
                use[1].lower() == use[1] and use[1].upper() in (term.title, *term.others)
            ):
                continue
            linked.add(term.title)
            put.append(nodes.Text(text.astext()[end : use.start()]))
            put.append(
                nodes.reference(
                    "",
                    use[0],
                    internal=True,
                    refuri=f"{address}#{term.place}",
                    reftitle=plain(term.meaning),
                    classes=["term"],
                )
            )
            end = use.end()
        if put:
            text.parent.replace(text, [*put, nodes.Text(text.astext()[end:])])


@cache
def homes(package: Path) -> dict[str, str]:
    """The module of every name that `import intent` offers."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    values = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    return dict(ast.literal_eval(values["_HOMES"]))


def link_names(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Link `intent.NAME` where it stands as code to what its docstring says."""
    known = homes(Path(app.srcdir) / "intent")
    objects = {name: (doc, at) for name, _, kind, doc, at, _ in app.env.get_domain("py").get_objects()}
    for literal in list(tree.findall(nodes.literal)):
        name = literal.astext().partition("(")[0].removeprefix("intent.")
        home = f"{known.get(name, '')}.{name}"
        if not literal.astext().startswith("intent.") or isinstance(literal.parent, nodes.reference):
            continue
        if home in objects:
            doc, at = objects[home]
            address = f"{app.builder.get_relative_uri(page, doc)}#{at}"
            literal.replace_self(nodes.reference("", "", literal.deepcopy(), internal=True, refuri=address))


def link_packages(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Link `intent.PACKAGE` where it stands as code to the page of the package."""
    for literal in list(tree.findall(nodes.literal)):
        doc = f"docs/api/{literal.astext()}"
        if doc in app.env.found_docs and not isinstance(literal.parent, nodes.reference):
            address = app.builder.get_relative_uri(page, doc)
            literal.replace_self(nodes.reference("", "", literal.deepcopy(), internal=True, refuri=address))


def resolve(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Lay the links of a page."""
    if app.builder.format != "html":
        return
    if page in DOORS or PAGES.match(page):
        link_names(app, tree, page)
        link_packages(app, tree, page)
    if PAGES.match(page):
        link_terms(tree, Path(app.srcdir) / f"{GLOSSARY}.md", app.builder.get_relative_uri(page, GLOSSARY))


def depend(app: Sphinx, page: str, content: list[str]) -> None:
    """Read a page again when the glossary changes."""
    if PAGES.match(page):
        app.env.note_dependency(str(Path(app.srcdir) / f"{GLOSSARY}.md"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Join the reading of pages, and the end of it."""
    app.connect("source-read", depend)
    app.connect("doctree-resolved", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
