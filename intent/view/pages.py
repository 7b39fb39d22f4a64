"""The templates and the files of the page; all text that is not ours is escaped, and shown as what it is."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from intent.report.html_page import template_environment
from intent.report.style import colour
from intent.view.game_page import rounds_in_words
from intent.view.page_state import packed
from intent.view.reasons import number

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["FILES", "asset", "page"]

FILES = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "htmx-4.0.1.min.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""All that can be loaded beside pages: name -> media type. No path leads anywhere else."""


def page(template: str, **values: Any) -> str:
    """A template of ``view/templates`` with its values."""
    return str(_environment().get_template(template).render(**values))


@cache
def asset(name: str) -> tuple[bytes, str]:
    """A file of the page, and its media type.

    Raises
    ------
    KeyError
        No such file.
    """
    kind = FILES[name]
    return files("intent.view").joinpath("static", name).read_bytes(), kind


@cache
def _environment() -> Environment:
    made = template_environment(_template)
    made.filters |= {"number": number, "rounds": rounds_in_words, "colour": colour, "packed": packed}
    made.globals["file"] = _file_address
    return made


def _template(name: str) -> str:
    return files("intent.view").joinpath("templates", name).read_text("utf8")


@cache
def _file_address(name: str) -> str:
    """With a hash, so that a browser never shows an older version."""
    return f"/static/{name}?v={hashlib.sha256(asset(name)[0]).hexdigest()[:12]}"
