"""Figures inside a page: SVG that has no style attributes, no addresses and no identifiers of others."""

from __future__ import annotations

import hashlib
import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from intent.report.html_page import visible

if TYPE_CHECKING:
    from markupsafe import Markup
    from matplotlib.figure import Figure

__all__ = ["inline_svg"]

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

    from intent.report.style import look

    buffer = io.BytesIO()
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
    found: dict[str, str] = {}
    for part in text.split(";"):
        name, _, value = (piece.strip() for piece in part.partition(":"))
        if name == "font" and (font := _FONT.search(value)):
            found["font-size"] = font["size"]
            if font["weight"]:
                found["font-weight"] = font["weight"]
        elif name and value and name not in ("font", "font-family"):
            found[name] = value.removesuffix("px")
    return found


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
