"""Questions after every round: asked once, kept with the round, in the log, the same after a crash."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing, suppress

import pytest
from stub_runs import StubAgent, StubCaller, make, plan, plans, play, stub_agents

from intent.agents.agent import Decision
from intent.agents.client import Message
from intent.agents.plan import SeatPlan
from intent.base.errors import RetryableError, RunError
from intent.logs.readers import read_log
from intent.logs.stores import write_log

ASKED = {"questions": ("opponent_next", "rounds_so_far"), "rounds": 3}
MODEL = SeatPlan(player="stub/model", name="agent1")


class Pupil(StubAgent):
    """Answers questions, and records what it was told."""

    async def choose(self, view, ask, rng):
        decision = await super().choose(view, ask, rng)
        details = {"stages": "apart", "said": "什么 \ud800"}
        return Decision(
            decision.action, reply=decision.reply, prompt=decision.prompt, advice="C", details=details
        )

    async def answer(self, question, view, ask, rng):
        told = (
            f"{self.wording} {question} {view.round} {view.phase} {[list(a) for a in view.actions_by_seat]}"
        )
        answer = await ask([Message("user", told)], purpose="question")
        said = f"{question} before {view.round}: {answer.reply.text}{rng.integers(9)}"
        return Decision(None, message=said, reply=answer.reference)


def pupils(plan, wording="?"):
    return tuple(
        Pupil(plan, i, wording) if seat.kind == "model" else stub_agents(plan)[i - 1]
        for i, seat in enumerate(plan.seats, start=1)
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A finished run of twelve games with questions, and its log."""
    run = make(tmp_path_factory.mktemp("asked") / "run", plans(12, **ASKED))
    play(run, agents=pupils)
    return run, run.log()


def test_each_model_is_asked_after_every_round_also_the_last(finished):
    run, log = finished
    of_first = log.questions[log.questions["game_id"] == "g001"]
    assert of_first[["round", "seat"]].drop_duplicates().to_numpy().tolist() == [[1, 1], [2, 1], [3, 1]]
    assert of_first["question"].tolist() == [*ASKED["questions"]] * 3
    assert of_first["answer"].str.startswith("rounds_so_far before 4").sum() == 1
    calls = run.calls("g001")
    assert calls["purpose"].tolist() == ["choose", "question", "question"] * 3
    assert calls["attempt"].tolist() == [1, 2, 3] * 3
    assert run.check() == []


def test_answers_are_scored_in_the_log_and_refer_to_calls(finished):
    run, log = finished
    counted = log.questions[log.questions["question"] == "rounds_so_far"]
    assert counted["expected"].astype(float).tolist() == counted["round"].astype(float).tolist()
    calls = run.calls().set_index("reference")
    assert (calls.loc[log.questions["reply"], "purpose"] == "question").all()


def test_the_view_of_a_question_holds_the_last_round_and_no_message_phase(finished):
    body = finished[0].calls("g001")["body"].iloc[-1]
    told = json.loads(body)["messages"][0]["content"]
    assert " 4 choose " in told
    assert told.count("'C'") + told.count("'D'") == 6


def test_advice_and_details_are_kept(finished):
    moves = finished[1].moves
    asked = moves[moves["seat"] == 1]
    assert set(asked["advice"]) == {"C"}
    assert [json.loads(text)["said"] for text in set(asked["details"])] == ["什么 ?"]
    assert moves.loc[moves["seat"] == 2, ["advice", "details"]].isna().all(axis=None)


@pytest.mark.parametrize("suffix", ["log", "log.zip", "log.jsonl", "log.csvs"])
def test_logs_keep_the_answers(finished, tmp_path, suffix):
    log = finished[1]
    write_log(log, tmp_path / suffix)
    again = read_log(tmp_path / suffix)
    assert again.questions.equals(log.questions)
    assert again.moves["details"].tolist() == log.moves["details"].tolist()


@pytest.mark.parametrize("after", [1, 3, 5, 40, 107, 108])
def test_a_killed_run_ends_with_the_same_log(tmp_path, finished, after):
    run, caller = make(tmp_path / "run", plans(12, **ASKED)), StubCaller(latency=0.001)

    async def broken_off():
        task = asyncio.create_task(run.play(lambda player: caller, pupils, window=4))
        caller.before = lambda n: task.cancel() if n == after else None
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(broken_off())
    stored, second = run.calls(), StubCaller()
    play(run, second, agents=pupils)
    assert not set(second.draws) & set(stored["draw"])
    assert run.log().equals(finished[1])
    assert run.check() == []


def test_two_models_are_asked_at_once_and_each_in_order(tmp_path):
    run = make(tmp_path / "run", [plan(seats=(MODEL, MODEL.model_copy(update={"name": "b"})), **ASKED)])
    caller = StubCaller(latency=0.001)
    play(run, caller, agents=pupils)
    assert run.log().questions["seat"].tolist() == [1, 1, 2, 2] * 3
    assert [draw.split("/")[3] for draw in caller.draws] == ["1", "2"] * 9


def test_humans_strategies_and_agents_that_cannot_answer_are_not_asked(tmp_path):
    human = SeatPlan(player="human", name="you")
    run = make(tmp_path / "run", [plan(1, **ASKED), plan(2, seats=(human, MODEL), **ASKED)])

    def agents(planned):
        made = pupils(planned)
        return (Pupil(planned, 1), made[1]) if planned.seats[0].kind == "human" else stub_agents(planned)

    play(run, agents=agents)
    asked = run.log().questions[["game_id", "seat"]].drop_duplicates()
    assert asked.to_numpy().tolist() == [["g002", 2]]


def test_a_round_counts_only_with_its_answers(tmp_path):
    run = make(tmp_path / "run", [plan(**ASKED)])

    def fail(n):
        if n == 6:  # the second question after round 2
            raise RetryableError("gone")

    play(run, StubCaller(before=fail), agents=pupils)
    assert (run.status().interrupted, run.log(unfinished=True).games["rounds_played"].tolist()) == (1, [1])
    play(run, agents=pupils)
    assert len(run.log().questions) == 6


def test_a_game_that_ends_early_is_asked_about_its_last_round(tmp_path):
    run = make(tmp_path / "run", [plan(stop=(("C", "C"), ("D", "C"), ("C", "D"), ("D", "D")), **ASKED)])
    play(run, agents=pupils)
    assert run.log().questions["round"].tolist() == [1, 1]


def test_changed_answers_are_named(tmp_path):
    run = make(tmp_path / "run", [plan(**ASKED)])
    play(run, StubCaller(before=lambda n: 1 / 0 if n == 7 else None), agents=pupils)
    with closing(sqlite3.connect(run.folder / "run.sqlite")) as db, db:
        db.execute("UPDATE answers SET answer = 'no' WHERE round = 2 AND place = 2")
    with pytest.raises(RunError, match="g001, round 2: questions answered otherwise than before"):
        play(run, agents=pupils)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("DELETE FROM answers WHERE game = 1 AND round = 2 AND place = 1", "answers to rounds_so_far, exp"),
        ("DELETE FROM answers WHERE game = 1 AND round = 2", "answers to nothing, expected opponent_next"),
        ("UPDATE answers SET round = 4 WHERE game = 1 AND round = 3", "an answer of round 4, seat 1"),
        ("UPDATE answers SET reply = 'x' WHERE game = 1 AND round = 3", "reply 'x' is no stored call"),
        ("UPDATE answers SET game = 7 WHERE game = 1", "of a game that was not begun"),
        ("UPDATE notes SET round = 9 WHERE game = 1 AND round = 1", "advice or details of no kept move"),
    ],
)
def test_damage_to_answers_is_named(tmp_path, statement, problem):
    run = make(tmp_path / "run", [plan(**ASKED)])
    play(run, agents=pupils)
    with closing(sqlite3.connect(run.folder / "run.sqlite")) as db, db:
        assert db.execute(statement).rowcount > 0
    assert any(problem in found for found in run.check()), run.check()


class Secretive(Pupil):
    """Keeps to itself what it can, and writes all that it sees into its prompts."""

    secret = "CANARY"

    async def choose(self, view, ask, rng):
        answer = await ask([Message("user", f"{view!r} {view.game!r}")])
        kept = {"private_thought": self.secret, "reasoning": self.secret, "details": {"said": self.secret}}
        return Decision(answer.reply.text, reply=answer.reference, advice="C", message="Hello", **kept)

    async def answer(self, question, view, ask, rng):
        await ask([Message("user", f"{view!r}")], purpose="question")
        return Decision(None, message=self.secret, private_thought=self.secret)


def test_what_a_seat_keeps_to_itself_reaches_nobody(tmp_path):
    run = make(tmp_path / "run", [plan(seats=(MODEL, MODEL.model_copy(update={"name": "b"})), **ASKED)])

    def agents(planned):
        ours, theirs = Secretive(planned, 1), Secretive(planned, 2)
        theirs.secret = "mine"
        return ours, theirs

    play(run, agents=agents)
    assert not run.calls()["body"].str.contains("CANARY").any()
    assert run.calls()["body"].str.contains("Hello").any()
    for table in (run.log().moves, run.log().questions):
        theirs = table[table["seat"] == 2]
        assert "CANARY" not in theirs.to_csv()
        assert "CANARY" in table[table["seat"] == 1].to_csv()
