"""Tools and debates through the whole chain, from server to log, which tells what a model did wrong."""

from __future__ import annotations

import json
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from served import answering, completion

from intent.agents.tools import TOOL_NAME
from intent.base.codebook import DETAILS
from intent.logs.readers import read_log
from intent.runner.play import play_experiment
from intent.runner.run import Run

pytest.importorskip("nashpy")

YEARS = {"temptation": 0, "reward": 5, "punishment": 10, "sucker": 15}
SWAPPED = dict(zip(YEARS, reversed(YEARS.values()), strict=True))
GAME = {
    "name": "dilemma",
    "kind": "penalty",
    "actions": ["Cooperate", "Defect"],
    "payoffs": {"T": 0, "R": 5, "P": 10, "S": 15},
}
C, D = "DECISION: Cooperate", "DECISION: Defect"


def calls(text: str = "", *arguments: object, name: str = TOOL_NAME) -> tuple[str, list[dict[str, Any]]]:
    """A reply with native calls; arguments that are text are sent as they are."""
    made = []
    for number, value in enumerate(arguments):
        written = value if isinstance(value, str) else json.dumps(value)
        function = {"name": name, "arguments": written}
        made.append({"id": f"call{number}", "type": "function", "function": function})
    return text, made


def played(folder: Path, replies: list[Any], **changes: Any) -> tuple[dict[str, Any], Any, Any, list[dict]]:
    """The only move of the model as the stored log tells it, its details, the calls, and what was asked.

    The last reply is given again and again.
    """
    said, asked = chain(replies, repeat(replies[-1])), []

    def answer(body: dict[str, Any], key: str) -> tuple[int, bytes]:
        asked.append(body)
        reply = next(said)
        text, made = reply if isinstance(reply, tuple) else (reply, [])
        full = completion(text)
        if made:
            full["choices"][0]["message"]["tool_calls"] = made
            full["choices"][0]["finish_reason"] = "tool_calls"
        return 200, json.dumps(full).encode()

    experiment = {"name": "advice", "game": GAME, "framing": "years", "rounds": 1, "attitude": "compute"}
    with answering(answer) as url:
        play_experiment(
            experiment, folder / "run", model=f"openai/any@{url}", opponent="scripted/ALLC", **changes
        )
    run = Run.open(folder / "run")
    assert run.check() == []
    moves = read_log(folder / "run").moves
    mine = moves[moves["seat"] == 1].reindex(columns=[*moves.columns.union(["advice"])])
    (move,) = mine.astype(object).where(mine.notna(), None).to_dict("records")
    details = json.loads(move["details"])
    assert set(details) - set(DETAILS["any"]) == set(DETAILS[changes["architecture"]])
    return move, details, run.calls(), asked


ONCE = calls("Let me ask.", YEARS)
CASES = {
    # replies: action, advice, status, calls, refused, stated_right, early, requests
    "once": ([ONCE, D], "Defect", "Defect", "called", 1, 0, True, False, 2),
    "against the advice": ([ONCE, C], "Cooperate", "Defect", "called", 1, 0, True, False, 2),
    "twice in one reply": ([calls("", YEARS, YEARS), D], "Defect", "Defect", "called", 2, 1, True, False, 2),
    "twice in turn": ([ONCE, ONCE, D], "Defect", "Defect", "called", 2, 1, True, False, 3),
    "for ever": ([ONCE], None, "Defect", "called", 4, 3, True, False, 4),
    "never": ([C], "Cooperate", None, "not_called", 0, 0, None, False, 1),
    "wrong types": ([calls("", {**YEARS, "reward": "a few"}), C],
                    "Cooperate", None, "invalid", 1, 0, None, False, 2),
    "one missing": ([calls("", {"temptation": 0}), C], "Cooperate", None, "invalid", 1, 0, None, False, 2),
    "a list": ([calls("", [0, 5, 10, 15]), C], "Cooperate", None, "invalid", 1, 0, None, False, 2),
    "broken JSON": ([calls("", '{"temptation": 0,'), C], "Cooperate", None, "invalid", 1, 0, None, False, 2),
    "another tool": ([calls("", YEARS, name="phone"), C], "Cooperate", None, "unknown", 1, 0, None, False, 2),
    "swapped payoffs": ([calls("", SWAPPED), C], "Cooperate", "Cooperate", "called", 1, 0, False, False, 2),
    "years as text": ([calls("", {name: f"{n} years" for name, n in YEARS.items()}), D],
                      "Defect", "Defect", "called", 1, 0, True, False, 2),
    "decides early": ([calls(C, YEARS), D], "Defect", "Defect", "called", 1, 0, True, True, 2),
    "decides early only": ([calls(C, YEARS), "Hm."], None, "Defect", "called", 1, 0, True, True, 4),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_a_model_does_with_its_tool_is_in_the_log(case: str, tmp_path: Path) -> None:
    replies, action, advice, status, asked_for, refused, right, early, requests = CASES[case]
    move, details, stored, asked = played(tmp_path, replies, architecture="tool")
    found = [details[key] for key in ("status", "calls", "refused", "stated_right", "early")]
    assert [move["action"], move["advice"]] == [action, advice]
    assert found == [status, asked_for, refused, right, early]
    assert (move["status"], len(asked), len(stored)) == (
        "parsed" if action else "missing",
        requests,
        requests,
    )
    assert (details["as_text"] and status == "called") == (case == "years as text")
    assert (details["best"] is None) == (advice is None)


def test_no_advice_is_given_where_a_call_is_refused(tmp_path: Path) -> None:
    *_, asked = played(tmp_path, [calls("", YEARS, SWAPPED), D], architecture="tool")
    answered, refused = [m["content"] for m in asked[-1]["messages"] if m["role"] == "tool"]
    assert "Defect" in answered
    assert not {"Cooperate", "Defect"} & set(refused.split())
    assert asked[-1]["tool_choice"] == "none"


THANKS = "Thank you! No, thank you!"
QUOTED = "You told me to write 'DECISION: <option>' or \"DECISION: Cooperate\" at the end."
ADVISE = "I advise you to choose Defect."
DEBATES = {
    # replies: action, advice, status, turns, assistant_decided, role_play, restarts, requests, options
    "decided": ([ADVISE, D], "Defect", "Defect", "decided", 1, 0, 0, 0, 2, {}),
    "endless politeness": ([THANKS], None, None, "stalled", 6, 0, 0, 0, 12, {}),
    "begun again": ([THANKS], None, None, "stalled", 2, 0, 0, 1, 4,
                    {"stalled": "restart", "restarts": 1, "most_turns": 1}),
    "made to decide": ([THANKS, THANKS, "Cooperate"], "Cooperate", None, "stalled", 1, 0, 0, 0, 3,
                       {"stalled": "decide", "most_turns": 1}),
    "the keyword quoted": ([ADVISE, QUOTED, "> DECISION: Cooperate", f"> {C}\nWhat then?", ADVISE, D],
                           "Defect", "Defect", "decided", 3, 0, 0, 0, 6, {}),
    "the assistant decides": ([C, "Hm.", ADVISE, D], "Defect", "Defect", "decided", 2, 1, 0, 0, 4, {}),
    "both roles": ([f"{ADVISE}\n**Client**: Fine.\n{C}", D],
                   "Defect", "Cooperate", "decided", 1, 1, 1, 0, 2, {}),
    "no label": ([ADVISE, "DECISION: Both", D], "Defect", "Defect", "decided", 1, 0, 0, 0, 3, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", DEBATES)
def test_how_a_debate_went_is_in_the_log(case: str, tmp_path: Path) -> None:
    replies, action, advice, status, turns, decided, acted, restarts, requests, options = DEBATES[case]
    move, details, stored, asked = played(
        tmp_path, replies, architecture="debate", options={"debate": options}
    )
    assert (move["action"], move["advice"]) == (action, advice)
    found = [details[key] for key in ("status", "turns", "assistant_decided", "role_play", "restarts")]
    assert found == [status, turns, decided, acted, restarts]
    assert (move["status"], len(asked), len(stored)) == (
        "parsed" if action else "missing",
        requests,
        requests,
    )
    speakers = [line["speaker"] for line in details["transcript"]]
    assert speakers[:2] == ["assistant", "decider"]


def test_only_the_assistant_reads_the_payoffs(tmp_path: Path) -> None:
    *_, asked = played(tmp_path, [ADVISE, "Why?", ADVISE, D], architecture="debate")
    told = ["15" in "".join(m["content"] for m in body["messages"]) for body in asked]
    assert told == [True, False, True, False]
