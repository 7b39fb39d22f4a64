"""A report as blocks in sections, and these as one self-contained HTML file.

No resource comes from elsewhere, no script but our own runs, whatever the text says. Figures are SVG without
style attributes, addresses and identifiers of others. What is said stands in ``sentences.toml``.
"""

from __future__ import annotations

import base64
import hashlib
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree

from intent.base.wording import Sentences

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup
    from matplotlib.figure import Figure


__all__ = [
    "GAME_PAGE",
    "Block",
    "Brief",
    "Claim",
    "Claims",
    "Columns",
    "Grid",
    "Lead",
    "Listing",
    "Picture",
    "Section",
    "Strip",
    "StripSeat",
    "Verbatim",
    "Words",
    "foreign_parts",
    "grid",
    "html_page",
    "in_cell",
    "inline_svg",
    "phrase",
    "picture",
    "prose",
    "rendered",
    "report_page",
    "template_environment",
    "visible",
]

phrase = Sentences("intent.report")
"""The sentences, headings and captions of reports."""

Kind = Literal["plain", "caution", "quiet"]

_LETTERS = 600
"""Of a text in a cell, beyond which it is cut."""


@dataclass(frozen=True)
class Words:
    """A paragraph; a caution stands out, and what is quiet explains."""

    text: str
    kind: Kind = "plain"


@dataclass(frozen=True)
class Listing:
    """A list of sentences."""

    items: tuple[str, ...]
    kind: Kind = "plain"
    ordered: bool = False


@dataclass(frozen=True)
class Grid:
    """A table of text.

    Parameters
    ----------
    caption, header, rows
    numeric : tuple of bool, whether a column holds numbers
    heads : int, columns at the left that name the row
    folded : bool
        Shown only once a reader asks for it; not printed.
    rest : str
        Where the rows are that the page does not show; empty where it shows all.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    heads: int = 1
    folded: bool = False
    rest: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure, as `inline_svg` makes it, and the numbers that it shows.

    Its name is its own on the page, for those who hear it; default: the caption.
    """

    svg: Markup
    caption: str
    table: Grid | None = None
    name: str = ""


@dataclass(frozen=True)
class StripSeat:
    """One player of a game that is shown.

    Parameters
    ----------
    name : str
    verdict : str
        What its label says.
    moves : tuple of str, by round: C, D, ? (unknown), an option's name where none is cooperation
    payoffs : tuple of str, by round
    posterior : tuple of (strategy, shares in per cent by round)
    marks : tuple of str, by round
        What is to be known of a move: ``defaulted`` or ``missing``; empty for nothing.
    contradicts : tuple of bool, by round
        Whether the strategy that fits best would not have made the move.
    """

    name: str
    verdict: str
    moves: tuple[str, ...]
    payoffs: tuple[str, ...]
    posterior: tuple[tuple[str, tuple[str, ...]], ...] = ()
    marks: tuple[str, ...] = ()
    contradicts: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Strip:
    """One game as a strip of moves.

    Parameters
    ----------
    name : str
    about : str
        Why it is shown, and its conditions.
    rounds, seats
    texts : tuple of (who and when, what was said)
    key : str
        Its address on the page, where something leads there.
    page : str
        Address of its own page in a folder beside the report; empty where there is none.
    """

    name: str
    about: str
    rounds: tuple[int, ...]
    seats: tuple[StripSeat, ...]
    texts: tuple[tuple[str, str], ...] = ()
    key: str = ""
    page: str = ""


@dataclass(frozen=True)
class Verbatim:
    """Text to copy, line by line as it is; folded."""

    title: str
    text: str


@dataclass(frozen=True)
class Claim:
    """One finding: a sentence, its evidence, links as (address on the page, words), and its figure."""

    text: str
    about: str = ""
    links: tuple[tuple[str, str], ...] = ()
    picture: Picture | None = None


@dataclass(frozen=True)
class Claims:
    """Findings in their order, numbered from `first`."""

    items: tuple[Claim, ...]
    first: int = 1


@dataclass(frozen=True)
class Lead:
    """What a page says first: a sentence, what is to be known of it as (name, words), and its figure."""

    text: str
    points: tuple[tuple[str, str], ...] = ()
    picture: Picture | None = None


@dataclass(frozen=True)
class Columns:
    """Blocks beside each other where there is room; what is at the left is read first."""

    left: tuple[Block, ...]
    right: tuple[Block, ...]


@dataclass(frozen=True)
class Brief:
    """A short paragraph that begins with what it is about."""

    name: str
    text: str


@dataclass(frozen=True)
class Section:
    """A part of the report, with parts of its own; the key is its address, unique on the page."""

    key: str
    title: str
    blocks: tuple[Block, ...]


Block = Words | Listing | Grid | Picture | Strip | Verbatim | Claims | Lead | Columns | Brief | Section


def picture(
    draw: Callable[[], Figure], title: str, description: str, caption: str, table: Grid | None
) -> Picture:
    """A figure, drawn in the common look, with its alternative text, caption and numbers."""
    from intent.figures.style import look

    with look():
        figure = draw()
    return Picture(inline_svg(figure, title, description), caption, table, title)


def grid(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    heads: int = 1,
    folded: bool = False,
) -> Grid:
    """A table from values: numbers to the right, three decimals where they have any.

    Examples
    --------
    >>> grid("Shares", ["model", "share"], [["A", 0.25], ["B", None]]).rows
    (('A', '0.250'), ('B', '–'))
    """
    texts = tuple(tuple(in_cell(cell) for cell in row) for row in rows)
    numeric = tuple(
        bool(texts) and k >= heads and all(_is_number(row[k]) for row in texts) for k in range(len(header))
    )
    return Grid(caption, tuple(map(str, header)), texts, numeric, heads, folded)


def in_cell(value: object) -> str:
    """A value as a table shows it."""
    if value is None or value != value:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        if not math.isfinite(value):
            return "–"
        return f"{value:.3g}" if value and (abs(value) < 1e-3 or abs(value) >= 1e5) else f"{value:.3f}"
    text = str(value)
    return text if len(text) <= _LETTERS else f"{text[:_LETTERS]} […] ({len(text):,} characters)"


def _is_number(text: str) -> bool:
    """Whether a cell is a number, begins an interval or has one in brackets, or is empty."""
    head = re.split(r" \(| to |–| ± ", text, maxsplit=1)[0].replace(",", "").rstrip("%").strip()
    if head in ("", "–") or head.startswith("< "):
        return True
    try:
        float(head)
    except ValueError:
        return False
    return True


_TAGS = frozenset(
    {
        *("html", "head", "meta", "title", "style", "script", "body", "main", "header", "nav", "section"),
        *("article", "div", "span", "p", "h1", "h2", "h3", "h4", "ul", "ol", "li", "a", "button", "br"),
        *("table", "caption", "thead", "tbody", "tr", "th", "td", "code", "pre", "details", "summary"),
        *("strong", "em", "small", "figure", "figcaption", "footer", "dl", "dt", "dd", "bdi"),
        *("svg", "g", "rect", "line", "path", "text", "tspan", "desc", "defs", "use", "circle", "clippath"),
    }
)
_ACTIVE = frozenset({"style", "src", "srcdoc", "srcset", "action", "formaction", "data", "ping"})
GAME_PAGE = re.compile(r"(?:[A-Za-z0-9._~%+@ -]+/)*games/[a-z0-9][a-z0-9_-]*\.html", re.ASCII)
"""A relative address of the page of a game, as `intent.view.bundle` names it; nothing that could run."""

_META = frozenset({"charset", "name", "content", "http-equiv"})


_OURS = ("page.css", "page.js", "report.css")
"""Style sheets and scripts of pages."""


def html_page(
    title: str,
    body: Markup,
    *,
    frame: str = "page.html",
    style: str = "page.css",
    script: str | None = "page.js",
) -> str:
    """A whole page.

    The browser is told to run nothing and load nothing but the page's own style sheet and script, which it
    knows by their hashes: text that got past the escaping would still be dead.

    Parameters
    ----------
    title : str
    body : Markup
        Of templates that escape every value.
    frame : str
        Template of the whole page.
    style, script : str
        Files of ``report/pages``; a page without a script may run none at all.
    """
    look, code = _text(style), "" if script is None else _text(script)
    return str(
        rendered(
            frame,
            title=title,
            body=body,
            style=_markup(look),
            script=_markup(code),
            style_hash=_hash(look),
            script_hash=_hash(code),
        )
    )


def rendered(template: str, **values: Any) -> Markup:
    """A template of ``report/pages`` with its values, all of them escaped that are no Markup."""
    return _markup(_environment().get_template(template).render(**values))


def template_environment(read: Callable[[str], str]) -> Environment:
    """Templates that escape every value, refuse names without one, and have the filter ``visible``.

    Parameters
    ----------
    read : name of a template -> its text
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(read),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    environment.filters["prose"] = prose
    return environment


def visible(text: object) -> str:
    """Text with what does not print, or reorders what does, as ``⟨U+202E⟩``.

    Examples
    --------
    >>> visible("a\\u202eb")
    'a⟨U+202E⟩b'
    """
    plain = str(text)
    if plain.replace("\n", "").replace("\t", "").isprintable():
        return plain
    return "".join(c if c.isprintable() or c in "\n\t" else f"⟨U+{ord(c):04X}⟩" for c in plain)


_WHOLE = re.compile(
    r"\w{1,12} [=<>≤≥] [-−+]?\.?\d(?:[\d.,]*\d)?(?: %)?"  # p = 0.45, n = 1,200
    r"|\[[-−+]?\d[\d.,]*, [-−+]?\d[\d.,]*\]"  # an interval
    r"|\d{4}-\d\d-\d\d(?:T[\d:.+]+)?"
    r"|[-−+]?\d(?:[\d.,]*\d)? %"
)
"""Numbers with what belongs to them: a line does not end within."""


def prose(text: object) -> Markup:
    """Text as `visible`, escaped, in which numbers stand in one line with their names, units and intervals.

    Examples
    --------
    >>> str(prose("more (p < .001)"))
    'more (<span class="whole">p &lt; .001</span>)'
    >>> str(prose("more (p = 0.45)"))
    'more (<span class="whole">p = 0.45</span>)'
    """
    from markupsafe import Markup, escape

    plain = visible(text)
    parts, at = [], 0
    for match in _WHOLE.finditer(plain):
        parts += [escape(plain[at : match.start()]), Markup('<span class="whole">%s</span>') % match[0]]
        at = match.end()
    return Markup("").join([*parts, escape(plain[at:])])


def foreign_parts(page: str) -> list[str]:
    """What in a page could run or load something: tags, attributes and addresses that ours do not have.

    Parameters
    ----------
    page : str, the whole file

    Returns
    -------
    list of str, in words; empty for a page that is only text
    """
    reader = _Reader({_hash(_text(name)) for name in _OURS})
    reader.feed(page)
    reader.close()
    return reader.foreign


class _Reader(HTMLParser):
    def __init__(self, known: set[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.known, self.foreign, self._inside = known, list[str](), ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self.foreign.append(f"<{tag}>")
        for name, value in attrs:
            text = (value or "").strip()
            active = name.startswith("on") or name in _ACTIVE
            away = name in ("href", "xlink:href") and not (
                text.startswith("#") or (tag == "a" and GAME_PAGE.fullmatch(text))
            )
            moved = tag == "meta" and (name not in _META or text.lower() == "refresh")
            if active or away or moved:
                self.foreign.append(f"{tag} {name}={text[:40]}")
        self._inside = tag if tag in ("script", "style") else ""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._inside = ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside and _hash(data) not in self.known:
            self.foreign.append(f"<{self._inside}> that is not ours")


@cache
def _environment() -> Environment:
    return template_environment(_text)


@cache
def _text(name: str) -> str:
    return files("intent.report").joinpath("pages", name).read_text("utf8").strip()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _markup(text: str) -> Markup:
    """Our own files, and what their templates have escaped."""
    from markupsafe import Markup

    return Markup(text)


def report_page(
    title: str,
    sections: Sequence[Section],
    *,
    lines: Sequence[str] = (),
    foot: str = "",
    contents: bool = True,
    sheets: Sequence[Sequence[Section]] = (),
    story: Sequence[Section] = (),
) -> str:
    """A whole page: title, contents, sections in order, foot.

    Where there are sheets, these come first, each on a printed page of its own, and the sections are an
    appendix that a reader opens: closed, it is not printed.

    Everything that is text is escaped, and letters that do not print, or that turn the direction of writing,
    are shown by their number. The page runs nothing and asks for nothing.

    Parameters
    ----------
    title : str
    sections : sequence of Section
        Their keys, and those within them, are unique.
    lines : sequence of str
        What a reader should know before the first section.
    foot : str
    contents : bool
        Whether a list of the sections stands beside them.
    sheets : sequences of Section
        The summary, by printed pages.
    story : sequence of Section
        Between the summary and the appendix.
    """
    keys = list(_keys([*(one for sheet in sheets for one in sheet), *story, *sections]))
    assert len(set(keys)) == len(keys), "two sections have one address"
    body = rendered(
        "report_body.html",
        title=title,
        lines=list(lines),
        sections=list(sections),
        foot=foot,
        contents=contents,
        sheets=[list(sheet) for sheet in sheets],
        story=list(story),
        appendix=phrase("appendix.title"),
        about_appendix=phrase("appendix.about"),
    )
    return html_page(title, body, frame="report.html", style="report.css", script=None)


def _keys(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Section):
            yield block.key
            yield from _keys(block.blocks)


_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_FONTS = "DejaVu Sans, Verdana, sans-serif"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_DECIMALS = re.compile(r"-?\d+\.\d{2,}(?:e-?\d+)?")
_FONT = re.compile(r"(?P<weight>bold|[5-9]00)?\s*(?P<size>[\d.]+)px")
_ROUNDED = ("d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "points", "cx", "cy", "r")


def inline_svg(figure: Figure, title: str, description: str) -> Markup:
    """A figure as an ``svg`` element that stands in a page without scripts, styles or a network.

    Its words stay words, in a font as wide as the one that they were laid out in; colours are attributes,
    which a content security policy that names its style sheet lets through; what is not seen is dropped.

    Parameters
    ----------
    figure : Figure
        Drawn under `style.look`.
    title : str
        Its short text alternative, unique on the page.
    description : str
        What it shows, in a sentence or two.
    """
    import matplotlib
    from markupsafe import Markup

    from intent.figures.style import look

    buffer = io.BytesIO()
    _as_shapes(figure)
    with look():
        matplotlib.rcParams["svg.fonttype"] = "none"
        facts = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(buffer, format="svg", metadata=facts)
    tree = ElementTree.fromstring(buffer.getvalue())
    prefix = (
        "f" + hashlib.sha256(title.encode("utf8", "backslashreplace") + buffer.getvalue()).hexdigest()[:10]
    )
    _clean(tree)
    _rename(tree, prefix)
    _size(tree)
    named = {"role": "img", "aria-labelledby": f"{prefix}-t {prefix}-d", "font-family": _FONTS}
    tree.attrib.update(named, **{"stroke-linejoin": "round"})
    for tag, text in (("desc", description), ("title", title)):
        element = ElementTree.Element(tag, {"id": f"{prefix}-{tag[0]}"})
        element.text = visible(text)
        tree.insert(0, element)
    return Markup(ElementTree.tostring(tree, encoding="unicode", short_empty_elements=False))


def _as_shapes(figure: Figure) -> None:
    """Maps of colours as rectangles: a page that loads nothing shows no bitmap."""
    import numpy as np

    for axes in figure.axes:
        for image in list(axes.images):
            values = image.get_array()
            if values is None or values.ndim != 2:
                continue
            left, right, bottom, top = image.get_extent()
            first, last = (top, bottom) if image.origin == "upper" else (bottom, top)
            across = np.linspace(left, right, values.shape[1] + 1)
            down = np.linspace(first, last, values.shape[0] + 1)
            limits = axes.get_xlim(), axes.get_ylim()
            how: dict[str, Any] = {"cmap": image.cmap, "norm": image.norm, "zorder": image.zorder}
            axes.pcolormesh(across, down, values, **how)
            axes.set(xlim=limits[0], ylim=limits[1])
            image.remove()
        for mesh in axes.collections:
            mesh.set_rasterized(False)


def _clean(element: ElementTree.Element) -> None:
    """Names without namespaces, attributes in place of styles, two decimals; no metadata."""
    element.tag = element.tag.removeprefix(_SVG)
    for child in list(element):
        if not isinstance(child.tag, str) or child.tag.removeprefix(_SVG) in ("metadata", "style"):
            element.remove(child)
        else:
            _clean(child)
    link = element.attrib.pop(_LINK, None)
    if link is not None:
        element.set("href", link)
    for name, value in _styles(element.attrib.pop("style", "")).items():
        element.set(name, value)
    for name in [n for n in element.attrib if n.startswith("{")]:
        del element.attrib[name]
    for name in _ROUNDED:
        if name in element.attrib:
            element.set(name, _DECIMALS.sub(_shorter, element.attrib[name]).replace("\n", ""))
    if element.tag != "text":
        element.text = None
    element.tail = None


def _styles(text: str) -> dict[str, str]:
    """Declarations of a style attribute as attributes; the shorthand of a font is taken apart."""
    attributes: dict[str, str] = {}
    for part in text.split(";"):
        name, _, value = (piece.strip() for piece in part.partition(":"))
        if name == "font" and (font := _FONT.search(value)):
            attributes["font-size"] = font["size"]
            if font["weight"]:
                attributes["font-weight"] = font["weight"]
        elif name and value and name not in ("font", "font-family"):
            attributes[name] = value.removesuffix("px")
    return attributes


def _rename(tree: ElementTree.Element, prefix: str) -> None:
    """Identifiers that something refers to become unique on the page, the others go."""
    used = {m for e in tree.iter() for v in e.attrib.values() for m in _REFERENCE.findall(v)}
    used |= {e.attrib["href"].lstrip("#") for e in tree.iter() if "href" in e.attrib}
    places = {name: f"{prefix}-{k}" for k, name in enumerate(sorted(used))}
    for element in tree.iter():
        own = element.attrib.pop("id", None)
        if own in places:
            element.set("id", places[own])
        for name, value in element.attrib.items():
            if name == "href":
                element.set(name, f"#{places[value.lstrip('#')]}")
            elif "url(#" in value:
                element.set(name, _REFERENCE.sub(lambda m: f"url(#{places[m[1]]})", value))
    _drop_empty(tree)


def _drop_empty(element: ElementTree.Element) -> None:
    for child in list(element):
        _drop_empty(child)
        if child.tag in ("g", "defs") and not len(child) and "id" not in child.attrib:
            element.remove(child)


def _size(tree: ElementTree.Element) -> None:
    """Width and height in pixels, as the view box is in points."""
    for name in ("width", "height"):
        points = float(tree.attrib[name].removesuffix("pt"))
        tree.set(name, f"{points * 4 / 3:.0f}")
    tree.attrib.pop("version", None)


def _shorter(number: re.Match[str]) -> str:
    text = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
