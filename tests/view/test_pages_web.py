"""What the pages say, read as HTML; the library behind them is invented."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace

import pytest
from play_logs import PD, log_of, match
from starlette.testclient import TestClient
from view_shelf import HOSTILE, Shelf

from intent.logs.stores import write_log
from intent.report.page import visible
from intent.view.app import FILES, asset, make_app
from intent.view.library import open_library
from intent.view.query import game_address

shelf = Shelf()


@pytest.fixture(scope="module")
def client():
    with TestClient(make_app(shelf, 80), base_url="http://localhost", follow_redirects=False) as made:
        yield made


def test_a_list_shows_its_part_of_the_games(client):
    page = client.get("/").text
    assert "<h1>120 games</h1>" in page
    assert (page.count('class="game"'), "1–50 of 120" in page) == (50, True)
    assert client.get("/?offset=100").text.count('class="game"') == 20


def test_a_filter_keeps_the_order_and_begins_at_the_first_page(client):
    page = client.get("/?where=language%3Den&sort=-game_id").text
    assert "60 games" in page
    assert 'href="/?where=language%3Den&amp;sort=-game_id&amp;offset=50"' in page
    assert 'value="where=language%3Den" checked' in page
    assert "language = en" in page


def test_a_form_is_sent_on_to_the_address_that_is_copied(client):
    answer = client.get(
        "/?has:game_id=g1&min:rounds_played=&tick=where%3Dlanguage%253Den&keep=sort%3Dgame_id"
    )
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?where=game_id~g1&where=language%3Den&sort=game_id"
    assert client.get(answer.headers["location"]).status_code == 200


def test_every_filter_in_use_reaches_the_next_request_once(client):
    page = client.get("/?where=game_id~g&where=language!%3Dde&where=model%3Dalpha&sort=game_id").text
    form = page.partition('class="facets"')[2].partition("</form>")[0]
    assert 'name="keep" value="where=language%21%3Dde&amp;sort=game_id"' in form  # what no control stands for
    assert 'name="has:game_id" value="g"' in form
    assert 'name="tick" value="where=model%3Dalpha" checked' in form


@pytest.mark.parametrize(
    ("jump", "n"), [("ambiguous", 30), ("no_fit", 30), ("low_confidence", 30), ("extreme", 120)]
)
def test_jumps(client, jump, n):
    page = client.get(f"/?jump={jump}").text
    assert f"<h1>{n} games" in page
    assert 'aria-current="true">' + jump.replace("_", " ") in page


def test_a_game_in_all_its_parts(client):
    page = client.get("/game?id=g1&jump=ambiguous").text
    assert '<span class="tied">' in page, "a verdict names all strategies that tie"
    for words in (
        "No label: TFT and ALLC explain these moves equally well",
        "defaulted",
        "missing",
        "private thought",
        "Which round is it?",
        "<b>Request and reply</b> seat 1, choose",
        "6 of 10 moves; not rounds 3, 5–6, 8",
        "fits every move",
        "The first 400 of 3200 characters.",
        'data-copy="http://localhost/game?id=g1"',
    ):
        assert words in re.sub("</?span[^>]*>", "", page), words
    assert 'href="/game?id=g5&amp;jump=ambiguous"' in page  # the next of that list


def test_games_and_addresses_that_are_not_there(client):
    for address, status, words in (
        ("/game?id=g999", 404, "unknown game"),
        ("/game", 400, "without id="),
        ("/game?id=g1&first=x", 400, "first"),
        ("/?where=nothing%3D1", 400, "expected COLUMN=VALUE"),
        ("/else", 404, "no such page"),
    ):
        answer = client.get(address)
        assert (answer.status_code, words in answer.text) == (status, True), address


def test_values_are_counted_within_the_filter_and_told_to_the_page(client):
    page = client.get("/?where=language%3Den").text
    form, _, results = page.partition('id="results"')
    told = json.loads(html.unescape(re.search(r'data-counts="([^"]*)"', results)[1]))
    assert told["where=language%3Dfr"] == "60"
    assert (told["where=status%3Dambiguous"], told["where=status%3Dconfident"]) == ("60", "0")
    assert re.search(r"<bdi>confident</bdi> <span class=\"count\">0</span>", form)
    assert '<span class="count">60</span>' in client.get("/").text


def test_a_long_game_is_shown_by_the_hundred_rounds(tmp_path):
    log = write_log(log_of(match(PD, "CD" * 130, "DC" * 130)), tmp_path / "log")
    with open_library(log, background=False) as library:
        made = TestClient(make_app(library, 80), base_url="http://localhost")
        page = made.get("/game?id=game_0&first=101").text
        assert "rounds 101–200 of 260" in page
        for first, words in (
            ("", "⇤ first"),
            ("", "← earlier rounds"),
            ("&amp;first=201", "later rounds →"),
            ("&amp;first=201", "last ⇥"),
        ):
            assert f'href="/game?id=game_0{first}">{words}<' in page
        marked = re.findall(r'data-against="([^"]*)"', page)
        assert {int(n) for text in marked for n in text.split()} == set(range(101, 201))
        assert "later rounds" not in made.get("/game?id=game_0&first=201").text


def test_a_very_long_game_has_the_posterior_of_the_rounds_that_are_shown(tmp_path):
    log = write_log(log_of(match(PD, "CD" * 1_100, "DC" * 1_100)), tmp_path / "log")
    with open_library(log, background=False) as library:
        made = TestClient(make_app(library, 80), base_url="http://localhost")
        page = made.get("/game?id=game_0&first=2101").text
        ticks = re.findall(r'text-anchor="middle">(\d+)<', page)
        assert ticks[:11] == [str(n) for n in range(2100, 2201, 10)]
        assert "its moves are not held against each strategy" in page


def test_a_page_behind_the_last_leads_back_to_the_first(client):
    page = client.get("/?where=language%3Den&offset=5000").text
    assert "The list ends before this page." in page
    assert 'href="/?where=language%3Den">First page' in page


def test_what_has_no_label_and_what_was_not_read_is_said(monkeypatch):
    told = replace(shelf.facts(), rejects=2, skipped=(("no cooperative action", 3), ("no readable move", 1)))
    monkeypatch.setattr(shelf, "facts", lambda: told)
    page = TestClient(make_app(shelf, 80), base_url="http://localhost").get("/").text
    assert "2 rows of the log could not be read" in page
    assert "3 games have no labels: no cooperative action." in page
    assert "1 game has no labels: no readable move." in page


@pytest.mark.parametrize(
    "address", ["/", game_address(HOSTILE), "/?where=model%3D%3Cscript%3E", "/?add=%3Cscript%3E"]
)
def test_hostile_text_is_text(client, address):
    page = client.get(address, follow_redirects=True).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "\u202e" not in page
    assert "\x00" not in page


def test_a_name_of_any_length_takes_its_share_of_the_list():
    long = "g" * 5_000
    with TestClient(make_app(Shelf(3, hostile=long), 80), base_url="http://localhost") as made:
        assert f"<bdi>{'g' * 120}…</bdi>" in made.get("/").text


def test_whole_texts_are_plain(client):
    answer = client.get("/text?id=g1&key=0")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text == visible(HOSTILE * 10)


def test_the_pulse_is_silent_until_something_is_new(client):
    assert client.get("/pulse?version=v0").status_code == 204
    shelf.changes, shelf.live = 1, True
    try:
        news = client.get("/pulse?version=v0")
        assert (news.status_code, news.headers["hx-trigger"]) == (200, "news")
        assert "120" in news.text
        assert 'hx-trigger="every 3s"' in news.text
    finally:
        shelf.changes, shelf.live = 0, False
    assert "every 3s" not in client.get("/").text


def test_only_the_files_of_the_page_are_served(client):
    for name, kind in FILES.items():
        answer = client.get(f"/static/{name}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind)


def test_the_front_end_library_is_the_published_file():
    import base64
    import hashlib

    published = "Qp9rdC8H7EqOoX+nR0P3RPG2Noji+qdwJlGpfzwQJsfOpp3sGwIdSP9xO3+UlEhn"
    assert base64.b64encode(hashlib.sha384(asset("htmx-4.0.1.min.js")[0]).digest()).decode() == published


def test_text_that_needs_nothing_is_left_alone():
    assert visible("a\n\tb é 漢") == "a\n\tb é 漢"
    assert visible("a\u202eb\ud800") == "a⟨U+202E⟩b⟨U+D800⟩"
