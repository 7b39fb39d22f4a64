"""Runs killed with signal 9, at endpoints that work and that fail: when resumed, the log is the same."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import play_run
import pytest
from killed import killed_once

from intent.agents.mock.client import digest
from intent.runner.run import Run

pytestmark = pytest.mark.slow

CONCURRENCY = 16
GAMES, CALLS = 100, 450
FAULTS = ("429-after", "timeout", "malformed")
MORE_FAULTS = ("429", "500", "cut", "cut-body", "empty", "blank", "html")  # each alike to one of the former


class Server:
    """A scripted server in a process of its own."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "intent.agents.scripted_server", "--latency", "0.02", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def answers(self) -> dict[str, int]:
        """Body -> how often it was answered in full."""
        address = self.url.replace("/v1", "/stats?bodies=1")
        with urllib.request.urlopen(address, timeout=10) as reply:
            return {body: counts[1] for body, counts in json.load(reply)["bodies"].items()}


@contextlib.contextmanager
def served(*options: str) -> Iterator[Server]:
    """The server while the block lasts."""
    server = Server(*options)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.communicate()


def killed_at(run: Run, calls: int) -> None:
    """Play in another process and kill it as soon as so many calls are stored."""
    with contextlib.closing(sqlite3.connect(run.folder / "run.sqlite")) as db:
        killed_once(
            lambda: db.execute("SELECT count(*) FROM calls").fetchone()[0] >= calls,
            play_run.played,
            run.folder,
            CONCURRENCY,
        )


def sent_in_vain(run: Run) -> int:
    """Calls that were in flight when the last session was killed; those of earlier ones may still wait."""
    with contextlib.closing(sqlite3.connect(run.folder / "run.sqlite")) as db:
        sql = "SELECT count(*) FROM flights WHERE sent >= (SELECT max(started) FROM sessions)"
        return db.execute(sql).fetchone()[0]


def at_one_address(log):
    """The log, whatever port its server had."""
    model = log.seats["model"].str.replace(r":\d+/", ":port/", regex=True)
    return [log.games.drop(columns="run"), log.seats.assign(model=model), log.moves]


def same(one, other) -> bool:
    """Whether two logs hold the same games."""
    return all(a.equals(b) for a, b in zip(at_one_address(one), at_one_address(other), strict=True))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The log of games that nothing happened to."""
    with served() as server:
        run = play_run.create(
            tmp_path_factory.mktemp("whole") / "run", play_run.planned(server.url, GAMES, 3)
        )
        assert asyncio.run(play_run.play(run.folder, CONCURRENCY)).finished == GAMES
    return run.log()


def kill_and_resume(tmp_path: Path, server: Server, kills: int, timeout: float) -> Run:
    """A run of all games, killed at random moments and then played to its end."""
    run = play_run.create(tmp_path / "run", play_run.planned(server.url, GAMES, 3, timeout))
    moments = sorted(random.Random(7).sample(range(1, CALLS), kills))
    stored = 0
    for moment in moments:
        before = run.status()
        killed_at(run, moment)
        status = run.status()
        assert run.check() == []
        assert status.calls >= stored
        assert sent_in_vain(run) <= CONCURRENCY
        assert status.resent - before.resent <= before.in_flight
        stored = status.calls
    last = run.status()
    outcome = asyncio.run(play_run.play(run.folder, CONCURRENCY))
    assert (outcome.finished, outcome.stop) == (GAMES, None)
    assert outcome.resent <= last.in_flight
    return run


def assert_nothing_was_answered_twice_for_nothing(run: Run, server: Server) -> None:
    """Seeds make every body unique, so that the server can tell the calls apart.

    An answer that comes too late is one, too.
    """
    answers = server.answers()
    calls = run.calls()
    bodies = [digest(json.loads(body)).hex()[:16] for body in calls["body"]]
    assert len(set(bodies)) == len(calls) == CALLS
    late = calls["failures"].fillna("").str.count('"kind": "time-out"')
    allowed = zip(bodies, calls["sends"] + late, strict=True)
    assert [body for body, most in allowed if answers[body] > most] == []


def test_ten_kills_change_nothing(tmp_path, undisturbed):
    with served() as server:
        run = kill_and_resume(tmp_path, server, kills=10, timeout=30)
        assert_nothing_was_answered_twice_for_nothing(run, server)
    assert same(run.log(), undisturbed)
    assert run.check() == []


@pytest.mark.parametrize(
    "fault", [*FAULTS, *(pytest.param(fault, marks=pytest.mark.exhaustive) for fault in MORE_FAULTS)]
)
def test_a_failing_endpoint_and_a_kill_change_nothing(tmp_path, undisturbed, fault):
    options = ("--fault", f"{fault}=0.1", "--retry-after", "0.05")
    with served(*options) as server:
        run = kill_and_resume(tmp_path, server, kills=1, timeout=0.4 if fault == "timeout" else 30.0)
        assert_nothing_was_answered_twice_for_nothing(run, server)
    assert same(run.log(), undisturbed)
    assert run.check() == []
    assert sum(run.status().failures.values()) > 20


def test_replies_of_a_megabyte_are_asked_again_and_kept(tmp_path):
    with served("--fault", "huge=0.1") as server:
        run = play_run.create(tmp_path / "run", play_run.planned(server.url, 30, 3))
        killed_at(run, 40)
        assert asyncio.run(play_run.play(run.folder, CONCURRENCY)).finished == 30
    calls = run.calls()
    assert (calls["text"].str.len() == 1_000_000).sum() > 5
    assert run.log().moves["status"].eq("parsed").all()
    assert run.check() == []
    assert (run.folder / "run.sqlite").stat().st_size < 1_000_000
