"""Check a built site without a network: `python docs/check_site.py docs/_build/html`.

Every link inside the site leads to a page, and to a place on it where it names one; nothing that a page loads
comes from elsewhere; links to elsewhere are well formed. Exits with 1, a line for each fault.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "audio": "src",
    "video": "src",
    "object": "data",
}
# Of <link>, these load something; others only name a related page.
LOADING = {"stylesheet", "icon", "preload", "modulepreload", "manifest", "prefetch"}
IN_STYLE = re.compile(r"(?:url\(\s*[\"']?|@import\s+[\"'])((?:https?:)?//[^\"')\s]+)")


class Page(HTMLParser):
    """What a page links to, loads, and can be linked at."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of an element."""
        got = {name: value or "" for name, value in attrs}
        self.places.update(got[name] for name in ("id", "name") if name in got)
        if tag == "a" and "href" in got:
            self.links.append(got["href"])
        if tag in LOADED and LOADED[tag] in got:
            self.loads.append(got[LOADED[tag]])
        if tag == "link" and LOADING & set(got.get("rel", "").split()):
            self.loads.append(got.get("href", ""))
        self.loads += IN_STYLE.findall(got.get("style", ""))


@cache
def read(path: Path) -> Page:
    """A page of the site, read once."""
    return Page(path.read_text(encoding="utf-8"))


def is_elsewhere(link: str) -> bool:
    """Whether a link leaves the site."""
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


def malformed(link: str) -> bool:
    """Whether a link to elsewhere cannot be an address."""
    parts = urlsplit(link)
    web = parts.scheme in {"http", "https"}
    return not (parts.scheme in {"mailto", "data", "tcp"} or (web and "." in parts.netloc)) or bool(
        re.search(r"\s", link)
    )


def dead(page: Path, link: str) -> bool:
    """Whether a link inside the site leads nowhere."""
    parts = urlsplit(link)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.is_file():
        return True
    place = unquote(parts.fragment)
    return bool(place) and target.suffix == ".html" and place not in read(target).places


def faults(site: Path) -> Iterator[str]:
    """A line for everything that is wrong."""
    for path in sorted(path for path in site.rglob("*.html") if "_static" not in path.parts):
        name, page = path.relative_to(site), read(path.resolve())
        for link in dict.fromkeys(page.loads):
            if is_elsewhere(link) and not link.startswith("data:"):
                yield f"{name}: loads {link}"
            elif not is_elsewhere(link) and dead(path.resolve(), link):
                yield f"{name}: loads what is not there: {link}"
        for link in dict.fromkeys(page.links):
            if (
                malformed(link)
                if is_elsewhere(link)
                else link not in {"", "#"} and dead(path.resolve(), link)
            ):
                yield f"{name}: link leads nowhere: {link}"
    for path in sorted(site.rglob("*.css")):
        for link in IN_STYLE.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: loads {link}"


def main() -> None:
    """Print the faults of the site named on the command line."""
    site = Path(sys.argv[1])
    found = list(faults(site)) if (site / "index.html").is_file() else [f"no site at {site}: see `make docs`"]
    print("\n".join(found) or f"links and files of {site}: all there, nothing from elsewhere")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
