"""Runs, caches and stores are for their user's eyes only, from the moment that they are made."""

from __future__ import annotations

import os
import stat
import sys
import threading

import pytest

from intent.base.caches import SharedFile
from intent.base.outputs import private, writing
from intent.logs.run_folder import locked
from intent.runner.caller import Replies
from intent.runner.export import export
from intent.runner.play import play_experiment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX systems")


@pytest.fixture(autouse=True)
def mask():
    before = os.umask(0o022)
    yield
    assert os.umask(before) == 0o022


def open_to_others(folder):
    return sorted(
        str(p.relative_to(folder)) for p in folder.rglob("*") if stat.S_IMODE(p.stat().st_mode) & 0o077
    )


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_run_is_private_while_it_is_played_and_afterwards(tmp_path):
    seen = set()

    async def spy(*_):
        seen.update(open_to_others(tmp_path))
        (tmp_path / "own").touch()
        return "OptionA"

    settings = {"rounds": 2, "after": {"label": {}, "compare": {"by": ["language"], "permutations": 20}}}
    run = tmp_path / "run"
    play_experiment(settings, output=run, model="python/spy", models={"spy": spy})
    assert seen <= {"own"}
    assert open_to_others(tmp_path) == ["own"]
    assert mode(run) == 0o700
    assert mode(run / "run.sqlite") == mode(run / "log" / "moves.parquet") == 0o600
    export(run, tmp_path / "log.jsonl")
    assert mode(tmp_path / "log.jsonl") == 0o644


def test_what_sqlite_lays_beside_a_store_is_private(tmp_path):
    store = SharedFile(tmp_path / "cache" / "calls.sqlite", "CREATE TABLE t (x)", version=1)
    with store.transaction() as db:
        db.execute("INSERT INTO t VALUES (1)")
        assert (tmp_path / "cache" / "calls.sqlite-wal").is_file()
        assert open_to_others(tmp_path) == []
    store.close()


def test_locks_and_replies_are_private(tmp_path):
    with locked(tmp_path / "run.lock"):
        Replies(tmp_path / "replies.jsonl", ()).add({"key": "1", "text": "a"})
        assert open_to_others(tmp_path) == []


def test_what_is_written_below_a_run_is_private(tmp_path):
    (tmp_path / "run" / "figures").mkdir(parents=True)
    (tmp_path / "run" / "run.json").touch()
    for path in (tmp_path / "run" / "figures" / "shares.png", tmp_path / "shares.png"):
        with writing(path) as draft:
            draft.write_text("picture")
    assert mode(tmp_path / "run" / "figures" / "shares.png") == 0o600
    assert mode(tmp_path / "shares.png") == 0o644


def test_the_mask_comes_back_with_the_last_block(tmp_path):
    inside, leave = threading.Event(), threading.Event()

    def other():
        with private():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with private():
        thread.start()
        inside.wait(10)
    (tmp_path / "between").touch()
    leave.set()
    thread.join()
    (tmp_path / "after").touch()
    assert (mode(tmp_path / "between"), mode(tmp_path / "after")) == (0o600, 0o644)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_tracked_run_is_private(tmp_path):
    run = tmp_path / "run"
    settings = {"rounds": 2, "after": {"label": {}, "metrics": {}, "figures": {}}}
    play_experiment(settings, output=run, model="scripted/uniform", track=str(tmp_path / "mlflow.db"))
    assert list((tmp_path / "mlartifacts").rglob("moves.parquet"))
    assert open_to_others(tmp_path) == []
