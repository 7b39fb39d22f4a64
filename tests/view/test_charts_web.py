"""Charts of what a filter holds, two filters side by side, and the repeats of a condition."""

from __future__ import annotations

import re
import threading
import time

import pytest
from play_logs import PD, log_of, match
from starlette.testclient import TestClient
from view_library import HOSTILE, sample_library

from intent.base.statistics import Interval
from intent.comparison.compare import compare
from intent.logs.readers import read_log
from intent.logs.stores import write_log
from intent.recognise.labels.label import label_log
from intent.view.app import make_app
from intent.view.charts_page import percent
from intent.view.groups import contrast
from intent.view.jobs import Failure, Jobs
from intent.view.library import open_library
from intent.view.query import Filter, Query

EN, FR = (Query((Filter("language", "=", name),)) for name in ("en", "fr"))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    games = [("CDCDCDCDCD", "DDDDDDDDDD"), ("CCCCCCCCCD", "CCCCCDCCCC"), ("DDDDDDDDDD", "CDDDDDDDDD")]
    made = (
        match(PD, *games[i % 3], model=["alpha", "beta"], language=("en", "fr")[i % 2], repetition=i // 6)
        for i in range(24)
    )
    return write_log(log_of(*made), tmp_path_factory.mktemp("charts") / "log")


@pytest.fixture(scope="module")
def library(path):
    with open_library(path, background=False) as made:
        yield made


@pytest.fixture
def client(library):
    return TestClient(make_app(library, 80), base_url="http://localhost", follow_redirects=False)


def test_shares_and_intervals_are_those_of_intent_compare(library, path):
    """The oracle: the same labels through `compare`, counted by status, clustered by the design."""
    labels = label_log(read_log(path)).table()
    expected = compare(labels, "language", count="status", permutations=0).comparison
    held = contrast([library.side(EN), library.side(FR)])
    for group, own in zip(expected.groups, held.groups, strict=True):
        by_name = dict(zip(expected.outcomes, group.intervals, strict=True))
        for share in own.statuses:
            if share.name != "confident":
                assert share.value.estimate == pytest.approx(by_name[share.name].estimate)
    assert expected.unit in held.unit


def test_cooperation_by_round_is_counted_from_the_moves(library, path):
    moves = read_log(path).moves
    held = contrast([library.side(Query())]).groups[0]
    expected = moves.groupby("round")["cooperated"].mean()
    assert [line.value.estimate for line in held.rounds] == pytest.approx(expected.tolist())
    assert all(line.value.low <= line.value.estimate <= line.value.high for line in held.rounds)
    assert {line.n for line in held.rounds} == {48}


def test_a_filter_beside_itself_does_not_differ(library):
    held = contrast([library.side(EN), library.side(EN)])
    assert held.shared == 12
    assert {round(one.estimate, 12) for one in held.differences.values()} == {0.0}


def test_differences_are_first_less_second(library):
    held = contrast([library.side(EN), library.side(FR)])
    a, b = (group.cooperation.value.estimate for group in held.groups)
    assert held.differences["cooperation", ""].estimate == pytest.approx(a - b)


def test_nothing_to_count_is_no_error(library):
    held = contrast([library.side(Query((Filter("model", "=", "none"),)))])
    assert (held.groups[0].n_games, held.groups[0].rounds) == (0, ())


def test_estimates_are_made_when_asked_for(library):
    made = library.estimates([library.side(EN), library.side(FR)], explained=False)
    assert made.n_games == (12, 12)
    assert [sum(share.value.estimate for share in side) for side in made.shares] == pytest.approx([1, 1])
    page = TestClient(make_app(library, 80), base_url="http://localhost")
    for _ in range(60):
        text = page.get("/charts?ask=shares").text
        if "By maximum likelihood from the play of 24 games" in text:
            break
    else:
        raise AssertionError(text)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A model that defects, and in the end cooperates, meets ALLC: half of the seats are a strategy's."""
    log = log_of(*(match(PD, "DDDDDDDDDC", "CCCCCCCCCC", model=["alpha", None]) for _ in range(8)))
    log.seats["strategy"] = log.seats["strategy"].where(log.seats["model"].notna(), "ALLC")
    made = write_log(log, tmp_path_factory.mktemp("mixed") / "log")
    with open_library(made, background=False) as library:
        yield made, library


OF_ALLC = Query((Filter("strategy", "=", "ALLC"),))


def test_estimates_are_of_the_subjects_of_a_filter(mixed):
    library = mixed[1]
    of_all, of_strategies = (
        library.estimates([library.side(query)], explained=False) for query in (Query(), OF_ALLC)
    )
    assert "left out: 8 seats that a strategy plays" in of_all.notes
    best = [
        max(made.shares[0], key=lambda share: share.value.estimate).name for made in (of_all, of_strategies)
    ]
    assert best == ["ALLD", "ALLC"]


def test_charts_and_coins_are_of_subjects_as_those_of_intent_label(mixed):
    path, library = mixed
    summary = label_log(read_log(path)).summary
    of_all, of_strategies = (contrast([library.side(query)]) for query in (Query(), OF_ALLC))
    group = of_all.groups[0]
    assert {share.name: share.n for share in group.statuses if share.n} == {
        status: n for status, n in summary["statuses"].items() if n
    }
    assert (group.n_seats, of_all.left_out) == (summary["n"], (summary["n_scripted"],)) == (8, (8,))
    assert group.cooperation.value.estimate == pytest.approx(0.1)
    assert {line.n for line in group.rounds} == {8}
    assert of_strategies.groups[0].cooperation.value.estimate == 1
    assert of_strategies.left_out == (0,)
    assert library.facts().coin == summary["coin"]
    page = TestClient(make_app(library, 80), base_url="http://localhost")
    text = re.sub("<[^>]+>", "", page.get("/charts").text)
    assert "8 games, 8 players, 8 with a label; not counted: 8 seats that a strategy plays" in text
    assert "What fair coins get: players who toss a coin for every move of these games" in text
    filtered = page.get("/charts?where=strategy%3DALLC").text
    assert "every move of all games of the log" in filtered
    assert "not counted" not in filtered


def test_how_far_an_estimate_is_and_that_it_ends(library, monkeypatch):
    """The strategies are asked in parts: the page counts them, and gives up after a time."""
    go_on = threading.Event()

    def estimates(sides, *, explained, update):
        update(0, 5)
        update(2, 5)
        go_on.wait(20)
        monkeypatch.setattr("intent.view.app.LONGEST_ESTIMATE", 0)
        update(3, 5)

    monkeypatch.setattr(library, "estimates", estimates)
    with TestClient(make_app(library, 80), base_url="http://localhost") as page:
        while "2 of 5 parts are done" not in (text := page.get("/charts?ask=explained").text):
            assert "Estimating the shares" in text
        go_on.set()
        while "was not done after 0 minutes (3 of 5 parts)" not in page.get("/charts?ask=explained").text:
            time.sleep(0.05)


def test_the_pages(client):
    for _ in range(60):
        page = client.get("/charts?where=language%3Den").text
        if "Counting" not in page:
            break
    assert "counts of labels and no estimates" in page
    assert "Estimate the shares" in page
    assert "<polyline" in page
    for _ in range(60):
        both = client.get("/beside?a=where%3Dlanguage%253Den&b=where%3Dlanguage%253Dfr").text
        if "Counting" not in both:
            break
    assert len(re.findall("<polyline", both)) == 2
    assert "A − B" in both or "A less B" in both
    assert both.count('class="strip-list"') == 2
    added = client.get("/beside?a=&b=&add-b=model%3Dalpha&add-a=")
    assert added.headers["location"] == "/beside?a=&b=where%3Dmodel%253Dalpha"
    assert client.get("/beside?a=where%3Dnothing%253D1&b=").status_code == 400


def test_repeats_of_a_condition_stand_under_each_other(client, library):
    conditions, page = library.repeats("game_0")
    assert dict(conditions)["language"] == "en"
    assert [row["game_id"] for row in page.rows] == [f"game_{i}" for i in range(0, 24, 2)]
    shown = client.get("/repeats?id=game_0").text
    assert "12 games of one condition" in shown
    assert "3 different games are among them" in shown
    assert client.get("/repeats?id=none").status_code == 404


def test_hostile_conditions_are_text(tmp_path):
    with sample_library(tmp_path) as library:
        client = TestClient(make_app(library, 80), base_url="http://localhost")
        for address in ("/repeats?id=game_5", "/charts", "/beside?a=&b="):
            for _ in range(60):
                page = client.get(address).text
                if "Counting" not in page:
                    break
            assert "<script>alert" not in page
            assert HOSTILE not in page


@pytest.mark.parametrize(
    ("value", "signed", "words"),
    [
        (Interval(0.42, 0.38, 0.462), False, "42 % [38, 46]"),
        (Interval(-0.001, -0.2, 0.1), True, "0 points [−20, +10]"),
        (Interval(0.5, float("nan"), float("nan")), False, "50 %"),
        (None, False, "–"),
    ],
)
def test_shares_in_words(value, signed, words):
    assert percent(value, signed) == words


def test_a_job_is_done_once_and_says_what_kept_it():
    jobs, done = Jobs(), []

    def fails() -> None:
        raise ValueError("no <b>")

    assert jobs.value("a", lambda: done.append(1) or 7, 10) == 7
    assert jobs.value("a", lambda: done.append(1) or 8, 10) == 7
    assert done == [1]
    assert isinstance(jobs.value("b", fails, 10), Failure)
    jobs.close()
