"""Several runs and logs in one page: a list to start from, an address for each, damage as a line."""

from __future__ import annotations

import shutil
import time

import pytest
from starlette.testclient import TestClient
from stub_runs import make, plans, play
from view_library import HOSTILE, sample_log

from intent.base.errors import UnknownNameError, UsageError
from intent.logs.run_folder import LOCK, locked
from intent.logs.stores import write_log
from intent.view.app import Entrance, make_app
from intent.view.library import Library, open_library
from intent.view.query import Query
from intent.view.serve import view
from intent.view.workbench import Workbench, account_of, several


def opening(path) -> Library:
    return open_library(path, background=False)


@pytest.fixture
def folder(tmp_path):
    """Two runs, a log, a run without its database, and a file that is none of them."""
    for name in ("one", "two"):
        play(make(tmp_path / "all" / name, plans(2)))
    write_log(sample_log(), tmp_path / "all" / "log")
    broken = make(tmp_path / "all" / "broken <b>", plans(1)).folder
    (broken / "run.sqlite").write_bytes(b"no database")
    (tmp_path / "all" / "notes.txt").write_text("x")
    return tmp_path / "all"


def settled(bench: Workbench) -> dict:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        accounts = bench.accounts(1.0)
        if all(account is not None for account in accounts.values()):
            return accounts
    raise AssertionError("accounts that never come")


def test_what_lies_there_is_listed_and_nothing_is_opened(folder):
    opened = []
    with Workbench([folder, folder / "gone"], lambda path: opened.append(path)) as bench:
        names = [entry.name for entry in bench.entries()]
        assert names == ["all/broken <b>", "all/log", "all/one", "all/two", str(folder / "gone")]
        assert bench.rest == ("all/notes.txt",)
        accounts = settled(bench)
    assert opened == []
    one = accounts["all-one"]
    assert (one.kind, one.state, one.finished, one.planned, one.errors) == ("run", "finished", 2, 2, 0)
    assert one.models
    assert one.calls
    assert "database" in accounts["all-broken-b"].problem
    assert accounts["all-log"].finished == 6
    assert accounts["all-log"].models == ("alpha", "beta")


def test_the_numbers_of_a_run_are_those_of_intent_status(folder):
    from intent.runner.run import run_status

    status, account = run_status(folder / "one"), account_of(folder / "one")
    tokens = sum(row["prompt_tokens"] + row["completion_tokens"] for row in status["models"])
    assert (account.calls, account.tokens, account.cost) == (status["calls"], tokens, status["cost"])


def test_each_source_has_an_address_of_its_own(folder):
    with Workbench([folder], opening) as bench:
        settled(bench)
        client = TestClient(make_app(bench, 80), base_url="http://localhost", follow_redirects=False)
        start = client.get("/").text
        assert "4 runs and logs" in start
        assert 'href="/at/one/"' in start
        assert "broken &lt;b&gt;" in start
        assert "cannot be read" in start
        page = client.get("/at/one/").text
        assert 'href="/at/one/game?id=g001' in page
        assert 'action="/at/one/search"' in page
        assert "all runs and logs" in page
        assert client.get("/at/one/game?id=g001").status_code == 200
        assert client.get("/at/log/?where=model%3Dalpha").status_code == 200
        assert client.get("/at/one").headers["location"] == "/at/one/"
        assert client.get("/at/none/").status_code == 404
        assert client.get("/at/broken-b/").status_code == 400
        assert client.get("/at/../etc/passwd").status_code == 404
        assert client.get("/game?id=g001").status_code == 404
        header = client.get("/at/one/header").text
        assert "failed requests" in header
        assert "finished" in header


def test_a_source_that_is_read_twice_has_one_key_and_new_ones_come_in(folder):
    with Workbench([folder], opening) as bench:
        before = {entry.key for entry in bench.entries()}
        shutil.copytree(folder / "one", folder / "One")
        bench._looked = 0.0
        after = {entry.key for entry in bench.entries()}
        assert after - before == {"one-2"}


def test_a_run_that_is_played_is_said_to_be(folder):
    with locked(folder / "one" / LOCK):
        assert account_of(folder / "one").state == "playing"


def test_tokens_and_hosts_are_checked_as_ever(folder):
    with Workbench([folder], opening) as bench:
        app = make_app(bench, 80, entrance=Entrance(80))
        client = TestClient(app, base_url="http://localhost", follow_redirects=False)
        assert client.get("/").status_code == 403
        assert client.get("/at/one/").status_code == 403
        assert TestClient(app, base_url="http://evil.example").get("/").status_code == 421


def test_only_some_stay_open(folder, monkeypatch):
    monkeypatch.setattr("intent.view.workbench._MOST_OPEN", 1)
    with Workbench([folder], opening) as bench:
        first = bench.library("one")
        bench.library("log")
        again = bench.library("one")
        assert again is not first
        assert again.page(Query()).total == 2
        with pytest.raises(UnknownNameError):
            bench.library("else")


def test_one_run_or_log_opens_as_its_list(folder):
    assert not several([folder / "one"])
    assert not several([folder / "log"])
    assert several([folder])
    assert several([folder / "one", folder / "two"])


def test_what_is_named_twice_stands_once(folder, tmp_path):
    again = folder / "two" / ".." / "log"
    alias = tmp_path / "alias"
    alias.symlink_to(folder / "log", target_is_directory=True)
    for paths in (
        [folder / "log", again],
        [folder / "log", alias],
        [folder, folder / "log"],
        [folder, alias],
    ):
        with Workbench(paths, opening) as bench:
            places = [entry.path.resolve() for entry in bench.entries() if entry.path is not None]
            assert places.count(folder / "log") == 1
    with Workbench([folder / "log", folder / "one", again], opening) as bench:
        assert [entry.path for entry in bench.entries()] == [folder / "log", folder / "one"]
    assert not several([folder / "log", again])
    assert several([folder / "log", folder / "one"])


def test_labels_are_of_one_log(folder):
    with pytest.raises(UsageError, match="--labels is of one log"):
        view([folder], labels=folder / "labels.csv", browser=False)


def test_hostile_names_are_text(tmp_path):
    name = HOSTILE.replace("/", "").replace("\0", "")
    write_log(sample_log(), tmp_path / "all" / "log").rename(tmp_path / "all" / f"log {name}")
    with Workbench([tmp_path / "all"], opening) as bench:
        settled(bench)
        page = TestClient(make_app(bench, 80), base_url="http://localhost").get("/").text
        assert "<script>alert" not in page
        assert "\u202e" not in page
        (entry,) = bench.entries()
        assert entry.key.replace("-", "").isalnum()
