"""One attempt, from words to code that plays: every way it can end."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise

import pytest
from writing_stand_ins import FENCED, PLACE, Answering, sequence

from intent.agents.client import Settings
from intent.arena.writing.desk import EXCHANGES, Desk
from intent.arena.writing.strategies import Chain, judge
from intent.arena.writing.task import WritingTask, load_texts, parse_style
from intent.games.catalogue import game
from intent.runner.caller import make_callers

TEXTS = load_texts()
SORRY = "I'm sorry, but I can't help with that."
BAD = FENCED.replace("return", "BAD = 1\n    return")
BARRED = "```python\ndef strategy(self, opponent):\n    raise ValueError\n```"


async def play(source):
    return "it raised an error in round 1 of 30 against ALLC" if "BAD" in source else None


def attempt(folder, style="default", **answers):
    client = Answering(sequence(**answers))
    desk = Desk(folder, make_callers([client]))
    task = WritingTask(TEXTS, game("classic"))
    settings = Settings(temperature=0.8)
    chain = Chain(desk, task, parse_style(style), play, client.name, client.name, settings, TEXTS.scenarios)
    return asyncio.run(chain(PLACE)), client


def rows(folder):
    return [json.loads(line) for line in (folder / EXCHANGES).read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("answers", "outcome", "reason"),
    [
        ({"code": [FENCED]}, "good", ""),
        ({"code": [BAD], "repair": [FENCED]}, "repaired", ""),
        ({"code": ["What a game."], "repair": [FENCED]}, "repaired", ""),
        ({"words": [SORRY]}, "refused", SORRY),
        ({"words": ["I'm sorry, I can't\x1b[2J\u202e help."]}, "refused", "I can't [2J help."),
        ({"words": [" \n"]}, "empty", "the reply is empty"),
        ({"code": [SORRY]}, "refused", SORRY),
        ({"code": [""]}, "empty", "the reply is empty"),
        ({"code": [BARRED], "repair": ["Nothing but words."]}, "no_code", ""),
        ({"code": [BARRED], "repair": [BARRED]}, "gate", "line 2"),
        ({"code": [BARRED], "repair": [BAD]}, "fault", "it raised an error in round 1"),
        ({"code": [BARRED], "repair": [SORRY]}, "refused", SORRY),
    ],
)
def test_outcomes(tmp_path, answers, outcome, reason):
    found, _ = attempt(tmp_path, **answers)
    assert (found.outcome, found.plays) == (outcome, outcome in ("good", "repaired"))
    assert reason in found.reason
    assert "\n" not in found.reason


def test_there_is_one_repair_and_it_is_told_what_is_wrong(tmp_path):
    _, client = attempt(tmp_path, code=[BARRED], repair=[BARRED])
    assert client.purposes == ["words", "code", "repair"]
    roles = [(m["role"], m["content"]) for m in rows(tmp_path)[-1]["messages"]]
    assert [role for role, _ in roles] == ["system", "user", "assistant", "user"]
    assert roles[2][1] == BARRED
    assert "line 2" in roles[3][1]


@pytest.mark.parametrize(
    ("style", "temperatures"),
    [
        ("default", {"words": 0.8, "code": 0.0}),
        ("refine", {"words": 0.8, "critique": 0.4, "rewrite": 0.0, "code": 0.0}),
        ("prose", {"plan": 0.8, "convert": 0.8, "code": 0.0}),
        ("prose+refine", {"plan": 0.8, "convert": 0.8, "critique": 0.4, "rewrite": 0.0, "code": 0.0}),
    ],
)
def test_steps_and_temperatures(tmp_path, style, temperatures):
    attempt(tmp_path, style, code=[FENCED])
    assert {row["purpose"]: row["sent"]["temperature"] for row in rows(tmp_path)} == temperatures


def test_each_step_is_given_what_the_one_before_wrote(tmp_path):
    said = {
        "plan": ["PLAN"],
        "convert": ["FIRST"],
        "critique": ["WEAK"],
        "rewrite": ["SECOND"],
        "code": [FENCED],
    }
    found, _ = attempt(tmp_path, "prose+refine", **said)
    told = {row["purpose"]: [(m["role"], m["content"]) for m in row["messages"]] for row in rows(tmp_path)}
    steps = ("plan", "convert", "critique", "rewrite")
    for earlier, later in pairwise(steps):
        assert told[later][:-1] == [*told[earlier], ("assistant", said[earlier][0])]
    assert [role for role, _ in told["code"]] == ["system", "user"]
    assert "SECOND" in told["code"][-1][1]
    assert "FIRST" not in told["code"][-1][1]
    assert found.words == "PLAN\n\nSECOND"
    assert found.scenario in TEXTS.scenarios


def test_endless_words_are_cut(tmp_path):
    found, _ = attempt(tmp_path, words=["Cooperate. " * 10_000], code=[FENCED])
    assert (found.outcome, len(found.words)) == ("good", 20_000)
    assert len(rows(tmp_path)[0]["text"]) == 110_000


def test_thoughts_are_no_part_of_an_answer(tmp_path):
    thought = f"<think>\n{BARRED}\nNo.</think>\n"
    found, _ = attempt(tmp_path, words=["<think>Hm.</think>Cooperate."], code=[thought + FENCED])
    assert (found.outcome, found.words) == ("good", "Cooperate.")
    assert rows(tmp_path)[0]["text"] == "<think>Hm.</think>Cooperate."


def test_the_code_is_that_of_the_gate(tmp_path):
    found, _ = attempt(tmp_path, code=["Here it is:\n" + FENCED + "\nEnjoy."])
    assert found.source.strip() == "def strategy(self, opponent):\n    return axl.Action.C"


@pytest.mark.parametrize(
    "reply",
    [
        "(" * 150_000,
        "```python\ndef strategy(self, opponent):\n    return " + "(" * 50_000 + "\n```",
        "```python\ndef strategy(self, opponent):\n    return " + "-" * 50_000 + "1\n```",
        "```python\ndef strategy(self, opponent):\n    return " + "a." * 50_000 + "a\n```",
        "```python\ndef strategy(self, opponent):\n    return " + "9" * 50_000 + "\n```",
        "```python\n" + "    " * 10_000 + "def strategy(self, opponent): pass\n```",
        "```python\ndef strategy(self, opponent):\n"
        + "".join(" " * n + "if 1:\n" for n in range(1, 300))
        + "```",
        "```python\ndef strategy(self, opponent):\n    return '\x00\x1b[2J\u202e'\n```",
        "```" * 60_000,
        "def strategy(self, opponent):" * 10_000,
        "class A:\n" * 20_000,
    ],
    ids=range(11),
)
def test_monstrous_replies_are_only_text(reply):
    found = asyncio.run(judge(reply, play))
    assert found.outcome in ("no_code", "gate")
    assert len(found.reason) <= 300
    assert found.reason.isprintable()
