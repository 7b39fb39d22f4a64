"""Runs and logs, search, charts and filters side by side as their reader meets them in a browser."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import barriers, chromium
from stub_runs import StubCaller, make, plans, play
from view_library import HOSTILE, sample_log

from intent.logs.stores import write_log
from intent.report.page import visible
from intent.view.app import make_app
from intent.view.library import open_library
from intent.view.serve import serving
from intent.view.workbench import Workbench

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place: Path = tmp_path_factory.mktemp("all")
    run = make(place / "pilot", plans(4))
    player = threading.Thread(target=play, args=(run,))  # the browser's driver has the loop of this thread
    player.start()
    player.join()
    write_log(sample_log(), place / "log")
    broken = make(place / "broken <b>", plans(1)).folder
    (broken / "run.sqlite").write_bytes(b"no database")
    return place


@pytest.fixture(scope="module")
def address(folder) -> Iterator[str]:
    with (
        Workbench([folder], lambda path: open_library(path, background=False)) as bench,
        serving(lambda port: make_app(bench, port)) as at,
    ):
        yield at


@pytest.fixture
def page(browser, address) -> Iterator[Any]:
    """A page that fails its test on a dialog, an error, or a request to anywhere else."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(30_000)
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
    page.locator(selector).filter(has_text=re.compile(re.escape(text))).first.wait_for(state="attached")


PLACES = [
    "",
    "at/pilot/",
    "at/log/",
    "at/log/search?q=quiet",
    "at/pilot/search?q=your+move",
    "at/log/charts",
    "at/log/beside?a=where%3Dlanguage%253Den&b=where%3Dlanguage%253Dfr",
    "at/log/repeats?id=game_5",
]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark"), (1920, "dark")])
@pytest.mark.parametrize("place", PLACES)
def test_nothing_keeps_anyone_out(browser, address, place, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(30_000)
    page = context.new_page()
    page.goto(address + place)
    if "charts" in place or "beside" in place:
        page.locator("svg.curves").wait_for()
    if not place:
        page.locator("text=cannot be read").first.wait_for()
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
    violations = barriers(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    words = page.locator("body").inner_text()
    context.close()
    assert violations == []
    assert wide <= width
    assert "\u202e" not in words


def test_by_keyboard_from_the_list_of_runs_to_a_place_in_a_game(page, address):
    page.goto(address)
    page.locator("a.game").first.wait_for()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/at/log/")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "q":
            break
    page.keyboard.type("quiet")
    page.keyboard.press("Enter")
    page.wait_for_url("**/at/log/search?q=quiet")
    says(page, ".verdict", "105 places in 105 texts of 6 of 6 games")
    page.locator(".hit .where").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/at/log/game?id=**#round-1")
    page.locator("#back").click()
    page.wait_for_url("**/at/log/")


def test_hostile_words_are_text(page, address):
    page.goto(f"{address}at/log/search?q=onerror")
    says(page, ".hit mark", "onerror")
    assert visible(HOSTILE)[:20] in page.locator(".hit .context").first.inner_text()
    assert page.locator("main script, main img").count() == 0
    page.goto(f"{address}at/log/repeats?id=game_5")
    assert page.locator("main script, main img").count() == 0


def test_a_filter_is_typed_on_each_side(page, address):
    page.goto(f"{address}at/log/beside?a=&b=")
    page.locator("#add-B").fill("language=fr")
    page.locator("#add-B").press("Enter")
    page.wait_for_url("**language%253Dfr")
    says(page, ".side-B .chips", "language = fr")
    page.locator("svg.curves .curve-B").wait_for()
    says(page, ".verdict", "2 games are in both")


def test_several_values_of_one_condition(page, address):
    page.goto(f"{address}at/log/")
    page.locator("summary", has_text="language").click()
    page.get_by_label("en 3").check()
    says(page, "h1", "3 games")
    page.get_by_label("fr 2").check()
    says(page, "h1", "5 games")


def test_without_scripts_the_pages_still_work(browser, address):
    context = browser.new_context(java_script_enabled=False)
    context.set_default_timeout(30_000)
    page = context.new_page()
    page.goto(address)
    page.get_by_role("link", name="log").first.click()
    page.locator("#q").fill("quiet")
    page.get_by_role("button", name="Search").click()
    assert "105 places" in page.locator(".verdict").inner_text()
    page.locator("#back").click()
    page.get_by_role("link", name="Charts").click()
    assert "What these games hold" in page.locator("h1").inner_text()
    context.close()


def test_a_run_that_is_played_is_followed(browser, tmp_path):
    """The start page and the header of the run count on while games are played."""
    run = make(tmp_path / "all" / "live", plans(6))
    write_log(sample_log(), tmp_path / "all" / "log")
    go_on = threading.Event()

    def wait(count: int) -> None:
        if count == 8:
            go_on.wait(60)

    player = threading.Thread(target=lambda: play(run, StubCaller(wait), window=1), daemon=True)
    with (
        Workbench([tmp_path / "all"], open_library) as bench,
        serving(lambda port: make_app(bench, port)) as at,
    ):
        context = browser.new_context()
        context.set_default_timeout(60_000)
        page = context.new_page()
        player.start()
        time.sleep(1)
        page.goto(at)
        says(page, ".sources", "playing")
        other = context.new_page()
        other.goto(f"{at}at/live/")
        says(other, "#run-header", "playing")
        go_on.set()
        player.join(60)
        says(other, "#run-header", "finished")
        says(other, "h1", "6 games")
        says(page, ".sources", "6 of 6")
        context.close()
