"""One self-contained HTML file: no resource from elsewhere, no script but our own, whatever the text says."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["foreign_parts", "html_page", "rendered", "template_environment", "visible"]

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
        Of templates that escape what they are given.
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

    made = Environment(
        autoescape=True,
        loader=FunctionLoader(read),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["visible"] = visible
    return made


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
    return reader.found


class _Reader(HTMLParser):
    def __init__(self, known: set[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.known, self.found, self._inside = known, list[str](), ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            text = (value or "").strip()
            active = name.startswith("on") or name in _ACTIVE
            away = name in ("href", "xlink:href") and not text.startswith("#")
            moved = tag == "meta" and (name not in _META or text.lower() == "refresh")
            if active or away or moved:
                self.found.append(f"{tag} {name}={text[:40]}")
        self._inside = tag if tag in ("script", "style") else ""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._inside = ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside and _hash(data) not in self.known:
            self.found.append(f"<{self._inside}> that is not ours")


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
