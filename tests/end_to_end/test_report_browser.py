"""The report in a real browser: readable at two widths, in light and dark, silent, and accessible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from browser import barriers, chromium
from report_pages import HOSTILE, hostile_games, two_games

from intent.report.report import report

pytestmark = pytest.mark.slow

OPENED = "document.querySelectorAll('details').forEach((one) => one.open = true)"
PAPER = 680
"""Pixels between the margins of a sheet of A4."""
OVERFLOW = "document.documentElement.scrollWidth - window.innerWidth"
_PAGE = re.compile(rb"/Type\s*/Page\b")
SEEN = """() => ({title: document.title, scripts: document.scripts.length, images: document.images.length,
  hidden: getComputedStyle(document.body).display, text: document.body.textContent})"""


PRINTED = {
    "short": (two_games, {"short": True}),
    "two games": (two_games, {}),
    "hostile": (hostile_games, {"full": True}),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def path_of(tmp_path_factory):
    """The report of a row of `PRINTED`, made when it is first wanted."""
    folder = tmp_path_factory.mktemp("browser")

    def path(name):
        file = folder / f"{name}.html"
        if not file.exists():
            made, how = PRINTED[name]
            report(made(), file, **how, bootstrap=20, permutations=99)
        return file

    return path


@pytest.fixture(scope="module")
def page_of(browser, path_of):
    """Opens the full report of hostile games at a width, in a colour scheme."""
    address = path_of("hostile").as_uri()

    def opened(width, scheme="light", media=None):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.heard = []
        page.on("console", lambda message: page.heard.append(message.text))
        page.on("pageerror", lambda error: page.heard.append(str(error)))
        page.on("dialog", lambda dialog: page.heard.append(dialog.message))
        page.on("request", lambda request: page.heard.append(request.url))
        page.emulate_media(media=media, color_scheme=scheme)
        page.goto(address)
        page.heard.remove(address)
        return page

    return opened


@pytest.mark.parametrize("name", PRINTED)
def test_it_prints_on_two_pages_until_the_appendix_is_opened(browser, path_of, name):
    page = browser.new_page()
    for paper in ("A4", "Letter"):
        page.goto(path_of(name).as_uri())
        folded = page.pdf(format=paper)
        page.evaluate("document.querySelectorAll('.appendix').forEach(one => one.open = true)")
        opened = page.pdf(format=paper)
        assert len(_PAGE.findall(folded)) == 2
        assert (len(_PAGE.findall(opened)) > 2) is not PRINTED[name][1].get("short", False)
    page.close()


def test_a_link_into_the_appendix_opens_it(page_of):
    page = page_of(1280)
    assert not page.evaluate("document.querySelector('.appendix').open")
    page.click("nav a[href='#settings']")
    assert page.evaluate("document.querySelector('.appendix').open")
    page.close()


@pytest.mark.parametrize("width", [1280, 375, 320])
def test_it_is_silent_and_fits(page_of, width):
    page = page_of(width)
    assert page.evaluate(OVERFLOW) <= 0
    page.evaluate(OPENED)
    assert page.evaluate(OVERFLOW) <= 0
    assert page.heard == []
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
def test_axe_finds_nothing_serious(page_of, width, scheme):
    page = page_of(width, scheme)
    page.evaluate(OPENED)
    assert [one for one in barriers(page) if one[1] in ("serious", "critical")] == []
    page.close()


def test_hostile_texts_show_as_text(page_of):
    page = page_of(1280)
    seen = page.evaluate(SEEN)
    assert seen["scripts"] == seen["images"] == 0
    assert seen["title"].startswith("Strategies in")
    assert seen["hidden"] == "block"
    assert all(text in seen["text"] for text in (HOSTILE[0], HOSTILE[2], HOSTILE[3]))
    assert "⟨U+202E⟩right to left" in seen["text"]
    page.close()


def test_on_paper_no_table_is_cut(page_of):
    page = page_of(PAPER, media="print")
    page.evaluate(OPENED)
    wider = """[...document.querySelectorAll('main table')].filter((one) => one.getClientRects().length
      && one.getBoundingClientRect().right > document.querySelector('main').getBoundingClientRect().right + 1
      ).map((one) => one.querySelector('caption').textContent)"""
    assert page.evaluate(wider) == []
    assert page.evaluate("getComputedStyle(document.querySelector('.wide')).overflowX") == "visible"
    page.close()


def test_row_names_stay_when_a_table_moves_sideways_on_a_phone(page_of):
    page = page_of(375)
    page.evaluate(OPENED)
    left = """() => {
      const box = [...document.querySelectorAll('.wide:not(.picture)')].find(
        (one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 60);
      box.scrollLeft = 50;
      return box.querySelector('tbody th').getBoundingClientRect().left - box.getBoundingClientRect().left;
    }"""
    assert abs(page.evaluate(left)) <= 2
    page.close()


def test_a_figure_fills_its_frame(page_of):
    page = page_of(1280)
    spare = """() => [...document.querySelectorAll('.picture')].map(
      (one) => one.clientWidth - one.querySelector('svg').getBoundingClientRect().width)"""
    assert max(page.evaluate(spare)) < 40
    page.close()


def test_the_keyboard_reaches_the_content_first(page_of):
    page = page_of(1280)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.close()
