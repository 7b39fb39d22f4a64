"""What was said is searched: in any script, as a literal, within a filter, of what has been read so far."""

from __future__ import annotations

import html
import re
import unicodedata

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from play_logs import PD, log_of, match
from starlette.testclient import TestClient
from stub_runs import make, plans, play
from view_library import HOSTILE, sample_library

from intent.base.errors import UsageError
from intent.logs.gamelog import GameLog
from intent.view.app import make_app
from intent.view.library import open_library
from intent.view.query import Filter, Query
from intent.view.texts import LONGEST, TextStore, folded

SAID = ["Let us COOPERATE", "我们应该继续合作", "سأتعاون معك", "Tôi sẽ hợp tác", 'a* OR (b) "c" NEAR']


def store(texts: list[str]) -> TextStore:
    log = log_of(*(match(PD, "C", "D") for _ in texts))
    messages = [text for text in texts for _ in range(2)]
    made = TextStore()
    made.add_moves(GameLog(log.games, log.seats, log.moves.assign(message=messages)), calls=False)
    return made


@pytest.fixture(scope="module")
def said():
    made = store(SAID)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("words", "game"),
    [("cooperate", 0), ("us COOP", 0), ("合作", 1), ("续", 1), ("سأتعاون", 2), ("HỢP TÁC", 3), ("* OR (", 4)],
)
def test_a_literal_in_any_script(said, words, game):
    found = said.search(words)
    assert [said.name(int(n)) for n in found.games] == [f"game_{game}"]
    assert found.kinds == {"message": 2}
    hit, _ = said.hits(found, int(found.games[0]), 5)
    assert hit.match.casefold() == words.casefold()
    assert hit.before + hit.match + hit.after == SAID[game]


def test_an_accented_letter_in_either_way_to_write_it(said):
    assert said.search(unicodedata.normalize("NFD", "hợp tác")).texts == 2


@given(st.lists(st.text(max_size=12), min_size=1, max_size=4), st.text(min_size=1, max_size=3))
def test_what_is_found_is_what_a_reader_would_find(texts, words):
    """An oracle: `in` on the texts in lower case."""
    if not words.strip() or "\0" in words:
        return
    made = store(texts)
    try:
        found = made.search(words)
        wanted = folded(words.strip())
        forms = {unicodedata.normalize(form, wanted) for form in ("NFC", "NFD")} | {wanted}
        there = [any(form in folded(text.replace("\0", " ")) for form in forms) for text in texts]
        assert sorted(made.name(int(n)) for n in found.games) == [
            f"game_{i}" for i, yes in enumerate(there) if yes
        ]
    finally:
        made.close()


@given(st.text())
def test_lower_case_keeps_every_place(text):
    assert len(folded(text)) == len(text)


def test_what_a_game_said_before_it_went_on_counts_no_more(said):
    made = store(["first words"])
    log = log_of(match(PD, "C", "D"))
    made.add_moves(GameLog(log.games, log.seats, log.moves.assign(message="other words")), calls=False)
    assert made.search("first").texts == 0
    assert made.search("words").texts == 2
    made.close()


def test_a_search_that_takes_too_long_says_how_far_it_came(said):
    assert said.search("cooperate", budget=-1).share == 0


def test_a_search_for_what_stands_everywhere_stops_after_many_places(monkeypatch):
    monkeypatch.setattr("intent.view.texts._MOST_PLACES", 30)
    monkeypatch.setattr("intent.view.texts._PIECE", 16)
    made = store(["eeeeeeeeee"] * 20)
    found = made.search("e")
    assert 0 < found.share < 1
    assert 30 <= found.places.sum() < 200
    made.close()


@pytest.mark.parametrize("words", ["", "  ", "x" * (LONGEST + 1)])
def test_nothing_and_too_much(said, words):
    with pytest.raises(UsageError):
        said.search(words)


def test_within_the_filter_and_in_its_order(tmp_path):
    with sample_library(tmp_path) as library:
        french = Query((Filter("language", "=", "fr"),), order="log")
        found, names, n = library.search("i play", french)
        assert (names, n, found.texts) == (["game_2", "game_3"], 2, 40)
        assert library.search("quiet", french, ["message"])[0].texts == 0


def test_the_page_marks_the_words_and_leads_to_the_round(tmp_path):
    with sample_library(tmp_path) as library:
        client = TestClient(make_app(library, 80), base_url="http://localhost", follow_redirects=False)
        page = client.get("/search?q=PLAY+round+2&where=language%3Dfr").text
        assert "I <mark>play round 2</mark>" in page
        assert "#round-2" in page
        assert "of the filter" in page
        hostile = client.get("/search?q=alert").text
        assert "<mark>alert</mark>(1)" in hostile
        assert "<script>alert" not in hostile
        assert "&lt;script&gt;" in hostile
        sent = client.get("/search?q=x&in=message&keep=where%3Dlanguage%253Dfr")
        assert (sent.status_code, sent.headers["location"]) == (
            303,
            "/search?q=x&in=message&where=language%3Dfr",
        )
        odd = client.get("/search", params={"q": HOSTILE})
        assert odd.status_code == 200
        assert "<img" not in odd.text


def test_prompts_and_replies_of_a_run(tmp_path):
    run = make(tmp_path / "run", plans(2))
    play(run)
    with open_library(run.folder, background=False) as library:
        found, names, _ = library.search("Your move. Round 2", Query(order="log"))
        assert names == ["g001", "g002"]
        assert found.kinds["prompt"] == found.texts
        assert library.texts()[1] == 1
        client = TestClient(make_app(library, 80), base_url="http://localhost")
        page = html.unescape(client.get("/search?q=your+move").text)
        assert re.search(r"round \d, seat 1, prompt", page)


def test_texts_of_odd_tables_are_searched():
    made = TextStore()
    calls = pd.DataFrame({"game_id": ["a"], "round": [1], "seat": [1], "text": [None], "reasoning": ["so"]})
    made.add_calls(calls, [[("system", "same \ud800"), ("user", "same \ud800")]])
    assert made.search("same").texts == 1
    assert made.search("so").texts == 1
    made.close()
