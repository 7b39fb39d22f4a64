"""How a run is going, while it is played and afterwards."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from stub_runs import StubCaller, make, plan, plans, play, stub_agents

from intent.base.errors import RetryableError
from intent.runner.caller import Called, Failure

READ = "import sys; from intent.runner.run import Run; s = Run(sys.argv[1]).status(); "
SHOW = (
    "import json; print(json.dumps([s.playing, s.games, s.calls, s.in_flight, s.in_progress, s.eta is None]))"
)


def test_another_process_reads_the_status_of_a_run_that_is_played(tmp_path):
    run, seen = make(tmp_path / "run", plans(3)), []

    def look(n: int) -> None:
        if n == 7:
            command = [sys.executable, "-c", READ + SHOW, str(run.folder)]
            seen.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))

    play(run, StubCaller(look))
    assert seen == [[True, 3, 6, 1, 3, False]]


def test_a_new_run_has_everything_before_it(tmp_path):
    status = make(tmp_path / "run", plans(3)).status()
    assert (status.games, status.waiting, status.progress, status.calls) == (3, 3, 0, 0)
    assert (status.playing, status.stopped, status.eta) == (False, None, None)


def test_a_finished_run_counts_tokens_and_cost(tmp_path):
    run = make(tmp_path / "run", plans(3))
    play(run)
    status = run.status()
    (model,) = status.models
    assert (model.player, model.models, model.calls) == ("stub/model", ("stub-1",), 15)
    assert (model.prompt_tokens, model.completion_tokens, model.seconds) == (180, 15, 0.5)
    assert status.cost == pytest.approx(0.015)
    assert (status.finished, status.progress, status.stopped) == (3, 1.0, "finished")


def test_progress_counts_expected_rounds(tmp_path):
    run = make(tmp_path / "run", [plan(1, rounds=8), plan(2, rounds=30, continuation=0.5)])

    def before(n: int) -> None:
        if n > 4:
            raise RetryableError("stub: HTTP 503", status=503)

    play(run, StubCaller(before), window=1)
    assert run.status().progress == pytest.approx(4 / 10)
    assert run.status().failures == {"HTTP 503": 2}


class Failing(StubCaller):
    """Answers at the second try."""

    async def call(self, *args, **options) -> Called:
        called = await super().call(*args, **options)
        failures = (Failure("m: no answer within 9 s", 9.0, 1.0), Failure("m: HTTP 429", 0.1, 2.0, 429))
        return Called(called.reply, 0.2, 3, failures)


def test_failures_that_were_overcome_are_counted_and_kept(tmp_path):
    run = make(tmp_path / "run", plans(1))
    play(run, Failing())
    assert run.status().failures == {"HTTP 429": 5, "time-out": 5}
    assert (run.status().retried, run.status().cost) == (5, 0.0)
    row = run.calls().iloc[0]
    assert [(f["kind"], f["seconds"]) for f in json.loads(row["failures"])] == [
        ("time-out", 9.0),
        ("HTTP 429", 0.1),
    ]


def test_time_of_all_sessions_adds_up(tmp_path):
    run = make(tmp_path / "run", plans(2))
    spent = [play(run, agents=stub_agents).seconds for _ in range(3)]
    assert 0 < run.status().seconds <= sum(spent)
