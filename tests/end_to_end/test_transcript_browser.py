"""The transcript of a game in a real browser, served and in a folder opened from disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from browser import barriers, chromium
from stub_runs import make, plans, play
from view_library import HOSTILE, sample_library, sample_log

from intent.logs.gamelog import GameLog
from intent.logs.stores import write_log
from intent.report.page import visible
from intent.view.app import make_app
from intent.view.serve import serving, view

pytestmark = pytest.mark.slow

OPEN = "details.round[open]"

RECORD = (
    "Object.defineProperty(navigator.clipboard, 'writeText', {value: async (text) => {window.copied = text}})"
)
"""What a page copies, where a test can see it: no page may read the clipboard."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    place = tmp_path_factory.mktemp("served")
    with sample_library(place) as library, serving(lambda port: make_app(library, port)) as at:
        yield at


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Pages of games whose every text is hostile or long."""
    place = tmp_path_factory.mktemp("disk")
    log = sample_log()
    odd = [HOSTILE, "javascript:alert(1)", '"><svg onload=alert(1)>', "a\u202eb\u2066c", "x" * 1_000_000]
    n = len(log.moves)
    moves = log.moves.assign(
        message=[odd[i % len(odd)] for i in range(n)],
        reasoning=[odd[(i + 1) % len(odd)] for i in range(n)],
        advice=[odd[i % 3] for i in range(n)],
        details=['{"transcript": [{"speaker": "<b>x</b>", "text": "</script><img src=x onerror=alert(4)>"}]}']
        * n,
        prompt=HOSTILE,
        reply=HOSTILE,
    )
    ids = {
        f"game_{i}": name
        for i, name in enumerate(["plain", HOSTILE, "../up", "javascript:alert(1)", "a b", '"'])
    }
    named = [t.assign(game_id=t["game_id"].astype(str).map(ids)) for t in (log.games, log.seats, moves)]
    games = named[0].assign(condition=odd[1], other=odd[2])
    seats = named[1].assign(model=HOSTILE, persona=odd[2])
    view(write_log(GameLog(games, seats, named[2]), place / "log"), bundle=place / "site")
    return place / "site"


@pytest.fixture
def page(browser, address, folder) -> Iterator[Any]:
    """A page that fails its test on a dialog, an error, or a request beyond the server or the folder."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(10_000)
    made = context.new_page()
    amiss: list[str] = []
    ours = address, folder.as_uri(), "blob:"
    made.on("dialog", lambda dialog: (amiss.append(f"dialog {dialog.message}"), dialog.dismiss()))
    made.on("pageerror", lambda error: amiss.append(f"error {error}"))
    made.on("console", lambda line: amiss.append(line.text) if line.type in ("error", "warning") else None)
    made.on("request", lambda sent: None if sent.url.startswith(ours) else amiss.append(sent.url))
    yield made
    context.close()
    assert amiss == []


def numbers(page: Any) -> list[str]:
    """Rounds that are unfolded."""
    return [one.get_attribute("data-number") for one in page.locator(OPEN).all()]


def pages_of(folder: Path) -> list[str]:
    return [p.as_uri() for p in sorted((folder / "games").glob("*.html"))]


def test_a_round_of_the_strip_opens_what_was_said_and_why(page, address):
    page.goto(address + "game?id=game_0")
    assert numbers(page) == []
    page.get_by_label("round 3: what was said").click()
    assert numbers(page) == ["3"]
    inside = page.locator("#round-3").inner_text()
    assert "I play round 3" in inside
    assert "keep it quiet" in inside
    assert re.search(r"(Cooperating|Defecting) here is what .* never do", inside)
    assert re.search(r"from [<>0-9. ]+ to [<>0-9. ]+", inside)
    assert page.url.endswith("#round-3")
    page.locator('td[data-round="5"]').first.click()
    assert numbers(page) == ["3", "5"]
    assert [one.inner_text().split()[0] for one in page.locator(".rail .is-now .no").all()] == ["5"]


def test_the_keyboard_goes_round_by_round(page, address):
    page.goto(address + "game?id=game_0")
    link = page.get_by_label("round 2: what was said")
    link.focus()
    page.keyboard.press("Enter")
    assert numbers(page) == ["2"]
    assert page.evaluate("document.activeElement.closest('details').dataset.number") == "2"
    page.keyboard.press("n")
    assert numbers(page) == ["3"]
    page.keyboard.press("p")
    assert numbers(page) == ["2"]
    page.keyboard.press("Enter")
    assert numbers(page) == []
    page.keyboard.press("e")
    assert len(numbers(page)) == 10
    page.keyboard.press("e")
    assert numbers(page) == []


def test_a_link_to_a_round_is_copied_and_opens_it(page, address):
    page.goto(address + "game?id=game_0#round-4")
    page.evaluate(RECORD)
    page.get_by_role("button", name="Copy link to this round").first.click()
    page.get_by_role("button", name="Copied").first.wait_for()
    link = page.evaluate("window.copied")
    assert link == f"{address}game?id=game_0&round=4#round-4"
    page.goto("about:blank")
    page.goto(link)
    assert numbers(page) == ["4"]


def test_the_chart_leads_to_its_rounds(page, address):
    page.goto(address + "game?id=game_0")
    chart = page.locator("svg.chart").first
    box = chart.bounding_box()
    chart.click(position={"x": box["width"] * 34 / 456 + box["width"] * 330 / 456 * 0.6, "y": 20})
    assert numbers(page) == ["6"]
    assert page.locator("svg.chart line.now").count() == 2


def test_without_scripts_rounds_open_by_their_address(browser, address, folder):
    context = browser.new_context(java_script_enabled=False)
    made = context.new_page()
    made.goto(address + "game?id=game_0")
    made.get_by_label("round 3: what was said").click()
    assert numbers(made) == ["3"]
    made.get_by_role("link", name="Expand all").click()
    assert len(numbers(made)) == 10
    made.get_by_role("link", name="Collapse all").click()
    assert numbers(made) == []
    made.goto((folder / "games/plain.html").as_uri())
    made.get_by_label("round 2: what was said").click()
    assert made.locator("#round-2").is_visible()  # the browser unfolds what an address points into
    assert made.get_by_role("button", name="Expand all").count() == 0
    made.goto((folder / "index.html").as_uri())
    assert made.locator("a.game").count() == 6
    context.close()


def test_calls_are_copied_and_saved_as_they_were(browser, tmp_path):
    run = make(tmp_path / "run", plans(1))
    with ThreadPoolExecutor() as pool:  # the browser's driver has the loop of this thread
        pool.submit(play, run).result()
    view(run.folder, bundle=tmp_path / "site")
    context = browser.new_context()
    made = context.new_page()
    made.goto((tmp_path / "site/games/g001.html").as_uri() + "#round-2")
    made.evaluate(RECORD)
    made.locator("#round-2 details.call > summary").first.click()
    made.locator("#round-2 details.sent > summary").first.click()
    sent = made.locator("details.sent[open]")
    with made.expect_download() as download:
        sent.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "g001-round-2-seat-1-call-1-request.json.txt"
    assert '"messages"' in Path(download.value.path()).read_text("utf8")
    sent.get_by_role("button", name="Copy").click()
    made.get_by_role("button", name="Copied").wait_for()
    assert '"messages"' in made.evaluate("window.copied")
    context.close()


def rows(shown, n):
    """Wait until so many rows are shown: filters are read after the event that sets them."""
    expect = pytest.importorskip("playwright.sync_api").expect
    expect(shown).to_have_count(n)


def test_the_list_on_disk_filters_and_sorts(page, folder):
    page.goto((folder / "index.html").as_uri())
    shown = page.locator("table.games tbody tr:visible")
    title = page.locator("#results h1")
    assert title.inner_text() == "6 games"
    page.locator("#site-filters summary", has_text="language").click()
    page.get_by_label("fr 2").check()
    rows(shown, 2)
    assert title.inner_text() == "2 of 6 games"
    page.locator("#site-filters summary", has_text="rounds_played").first.click()
    page.get_by_label("rounds_played, to").fill("3")
    rows(shown, 0)
    page.get_by_role("button", name="Clear all").click()
    rows(shown, 6)
    page.get_by_label("Find in the rows").fill("../up")
    rows(shown, 1)
    page.get_by_label("Find in the rows").fill("")
    heading = page.locator("th[aria-sort] a", has_text="rounds_played")
    heading.click()
    assert shown.first.inner_text().count("\u27e8U+202E\u27e9") or "3" in shown.first.inner_text()
    assert page.locator('th[aria-sort="ascending"]').inner_text().startswith("rounds_played")
    shown.first.locator("a.game").click()
    page.wait_for_selector(".game-page")
    page.keyboard.press("u")
    page.wait_for_selector("#results")
    assert page.url == (folder / "index.html").as_uri()


def test_hostile_text_from_disk_is_text(page, folder):
    for uri in [(folder / "index.html").as_uri(), *pages_of(folder)]:
        page.goto(uri)
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        words = page.locator("body").inner_text()
        assert "\u202e" not in words
        assert "\u2066" not in words
        assert page.locator("main script, main img, main svg[onload]").count() == 0
        assert page.evaluate("[...document.links].every((a) => ['file:', 'data:'].includes(a.protocol))")
    page.goto((folder / "games/plain.html").as_uri())
    page.keyboard.press("e")
    words = page.locator("body").inner_text().replace("\n", "")
    assert visible(HOSTILE) in words
    assert "javascript:alert(1)" in words


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark"), (1920, "dark")])
def test_nothing_keeps_anyone_out(browser, address, folder, width, scheme):
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    made = context.new_page()
    for uri in (
        f"{address}game?id=game_4&round=all",
        (folder / "index.html").as_uri(),
        (folder / "games/plain.html").as_uri(),
    ):
        made.goto(uri)
        made.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
        assert barriers(made) == []
        assert made.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
