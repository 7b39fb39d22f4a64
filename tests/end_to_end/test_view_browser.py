"""`intent view` as its reader meets it, in a real browser: an invented library, and a real log."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener, urlopen

import pytest
from browser import barriers, chromium
from view_library import sample_library, sample_log
from view_shelf import HOSTILE, Shelf

from intent.logs.stores import write_log
from intent.report.page import visible
from intent.view.app import Entrance, make_app
from intent.view.query import game_address
from intent.view.serve import serving

pytestmark = pytest.mark.slow

shelf = Shelf()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(lambda port: make_app(shelf, port)) as at:  # type: ignore[arg-type]
        yield at


@pytest.fixture
def page(browser, address) -> Iterator[Any]:
    """A page that fails its test on a dialog, an error, or a request to anywhere else."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-write"], origin=address.rstrip("/"))
    context.set_default_timeout(10_000)
    made = context.new_page()
    amiss: list[str] = []
    made.on("dialog", lambda dialog: (amiss.append(f"dialog {dialog.message}"), dialog.dismiss()))
    made.on("pageerror", lambda error: amiss.append(f"error {error}"))
    made.on("console", lambda line: amiss.append(line.text) if line.type in ("error", "warning") else None)
    made.on("request", lambda sent: None if sent.url.startswith(address) else amiss.append(sent.url))
    yield made
    context.close()
    assert amiss == []


def says(page: Any, selector: str, text: str) -> None:
    """Wait until an element has the text (as a function of the page would not: the policy forbids eval)."""
    page.locator(selector).filter(has_text=re.compile(f"^{re.escape(text)}")).wait_for(state="attached")


def shows(page: Any, n: int) -> None:
    says(page, "h1", f"{n} game")


def unfolded(page: Any) -> None:
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")


def test_filters_build_the_address_and_back_undoes_them(page, address):
    page.goto(address)
    page.get_by_label("ambiguous 60").check()
    page.wait_for_url("**/?where=status%3Dambiguous")
    shows(page, 30)
    page.locator("summary", has_text="language").click()
    page.get_by_label("fr 0").wait_for()
    page.get_by_label("en 30").check()
    page.wait_for_url("**/?where=status%3Dambiguous&where=language%3Den")
    page.get_by_role("link", name="language = en : remove this filter").click()
    page.wait_for_url("**/?where=status%3Dambiguous")
    assert page.get_by_label("ambiguous 60").is_checked()
    assert not page.get_by_label("en 30").is_checked()
    page.go_back()
    page.wait_for_url("**language%3Den")
    page.go_back()
    page.go_back()
    shows(page, 120)
    says(page, "#said", "120 games")


def test_what_stands_beside_the_rows_knows_what_they_hold(page, address):
    """Sorting and filters replace the rows alone; forms beside them go on from what the rows now hold."""
    page.goto(address)
    page.get_by_label("ambiguous 60").check()
    page.wait_for_url("**/?where=status%3Dambiguous")
    sort = page.get_by_role("columnheader", name="language").get_by_role("link")
    sort.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**sort=language")
    page.locator('th[aria-sort="ascending"]').wait_for()
    assert page.get_by_label("ambiguous 60").is_checked()
    assert page.evaluate("document.activeElement.textContent").startswith("language")
    page.locator("#add").fill("rounds_played>=8")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?where=status%3Dambiguous&where=rounds_played%3E%3D8&sort=language")
    page.get_by_role("link", name="no fit").click()
    page.wait_for_url("**/?jump=no_fit&where=status%3Dambiguous**")
    says(page, "h1", "0 games of 120")
    search = page.locator("form.find input[name=keep]")
    assert "jump=no_fit" in search.input_value()


def test_typing_filters_as_it_goes_and_keeps_the_cursor(page, address):
    page.goto(address)
    page.locator("summary", has_text="game_id").click()
    page.get_by_label("game_id contains").press_sequentially("g11")
    shows(page, 10)
    assert page.evaluate("document.activeElement.name") == "has:game_id"
    page.keyboard.press("Escape")


def test_the_keyboard_alone(page, address):
    page.goto(address)
    page.keyboard.press("/")
    page.keyboard.type("model=beta")
    page.keyboard.press("Enter")
    shows(page, 120)
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**offset=50")
    for key in "jjk":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_selector(".game-page")
    assert page.locator("h1").inner_text() == "g50"
    page.keyboard.press("j")
    says(page, "h1", "g51")
    page.keyboard.press("c")
    page.get_by_role("button", name="Copied").wait_for()
    assert page.locator(".copy").get_attribute("data-copy") == f"{address}game?id=g51"
    page.keyboard.press("u")
    page.wait_for_selector("#results")
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.get_by_label("Keyboard shortcuts on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") != "add"


def test_columns_are_chosen(page, address):
    page.goto(address)
    page.locator("#choose summary").click()
    page.locator("#choose").get_by_label("confidence").uncheck()
    page.wait_for_url("**column=**")
    assert "confidence" not in page.locator("thead").inner_text()


def test_strategies_mark_the_rounds_against_them(page, address):
    page.goto(address + "game?id=g1")
    one = page.locator('[data-panel="1"] [data-strategy="ALLC"]')
    for mark in (one.hover, one.focus):
        mark()
        marked = page.locator("td.is-against")
        assert [cell.get_attribute("data-round") for cell in marked.all()] == ["3", "5", "6", "8"]
    page.locator("h1").hover()


@pytest.mark.parametrize("place", ["", game_address(HOSTILE)[1:], "?add=%3Cscript%3Ealert(1)%3C/script%3E"])
def test_hostile_text_shows_as_text(browser, page, address, place):
    page.goto(address + place)
    unfolded(page)
    words = page.locator("body").inner_text()
    assert visible(HOSTILE) in words.replace("\n", "") or "script" in place
    assert "\u202e" not in words
    assert page.locator("main script, main img").count() == 0


def test_a_run_that_is_played_brings_news(page, address):
    shelf.live = True
    try:
        page.goto(address)
        page.wait_for_selector(".live")
        shelf.names.append("newest")
        shelf.changes += 1
        shows(page, 121)
        says(page, "#said", "121 games")
    finally:
        shelf.live = False
        shelf.names.remove("newest")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (375, "dark")])
@pytest.mark.parametrize(
    "place", ["?where=status%3Dambiguous", "game?id=g1", "game?id=none", game_address(HOSTILE)[1:]]
)
def test_nothing_keeps_anyone_out(browser, address, place, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address + place)
    unfolded(page)
    found = barriers(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert found == []
    assert wide <= width


def test_the_token_opens_the_page_and_leaves_the_address(browser):
    doors: list[Entrance] = []

    def app(port: int) -> Any:
        doors.append(Entrance(port))
        return make_app(shelf, port, entrance=doors[0])  # type: ignore[arg-type]

    with serving(app) as at:
        context = browser.new_context()
        page = context.new_page()
        page.goto(at)
        assert "Open the address" in page.locator("h1").inner_text()
        page.goto(doors[0].once(at))
        shows(page, 120)
        assert page.url == at
        page.get_by_role("link", name="ambiguous").click()
        shows(page, 30)
        assert page.evaluate("document.cookie") == ""
        context.close()


def test_without_scripts_the_pages_still_work(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.get_by_label("ambiguous 60").check()
    page.get_by_role("button", name="Filter", exact=True).click()
    assert page.locator("h1").inner_text() == "30 games of 120"
    page.locator("a.game").first.click()
    assert page.locator("h1").inner_text() == "g1"
    context.close()


def test_a_real_log_from_list_to_reason(browser, tmp_path):
    with sample_library(tmp_path) as library, serving(lambda port: make_app(library, port)) as at:
        page = browser.new_page()
        page.goto(at)
        assert page.locator("h1").inner_text() == "6 games"
        page.get_by_role("link", name="ambiguous").click()
        page.wait_for_url("**jump=ambiguous")
        page.locator("a.game").first.click()
        page.wait_for_selector(".game-page")
        assert re.search("explain these moves equally well", page.locator("main").inner_text())
        assert page.locator("svg.chart polyline").count() >= 4
        page.close()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_the_command_from_address_to_end(tmp_path, sent):
    log = write_log(sample_log(), tmp_path / "log")
    before = sorted(path.name for path in log.iterdir())
    command = [
        sys.executable,
        "-c",
        "from intent.cli.main import main; main()",
        "view",
        str(log),
        "--no-browser",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        at = process.stdout.readline().strip()
        with pytest.raises(HTTPError, match="403"):
            urlopen(at.partition("?")[0])
        with build_opener(HTTPCookieProcessor()).open(at) as answer:
            assert b"6 games" in answer.read()
        process.send_signal(sent)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.splitlines()) == (0, "", ["Ctrl+C ends it", "stopped"])
    assert sorted(path.name for path in log.iterdir()) == before
