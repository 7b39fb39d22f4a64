"""The treatment check: leaks, arms that differ, and declarations that do not hold."""

from __future__ import annotations

import pytest
from outside_packages import install
from prompt_folders import folder_with

from intent.base.errors import DataError, UsageError
from intent.runner.dry_run import DryRun, dry_run
from intent.runner.experiment.file import load_experiment
from intent.runner.play import play_experiment

NOBODY = "openai/m@http://127.0.0.1:9/v1"


def found(**values):
    """Problems and differences that are named."""
    counts = dry_run(
        load_experiment({"name": "trial", "model": NOBODY, "rounds": 3, **values}), prompts_shown=0
    )
    return counts["problems"], [note for note in counts["notes"] if note.startswith("arms differ")]


def test_nothing_is_wrong_with_a_plain_experiment():
    assert found() == ([], [])


def test_a_question_whose_answer_is_printed():
    problems, _ = found(questions=["extremes", "total_so_far", "rounds_so_far"])
    assert problems == [
        "trial: plain, question total_so_far: the prompt shows totals, which is the answer, expected it "
        "withheld (or treatment: {printed: [total_so_far]})"
    ]
    assert found(questions=["total_so_far"], treatment={"printed": "total_so_far"}) == ([], [])


def test_a_leak_planted_in_a_prompt_of_a_user(tmp_path):
    """The number of rounds so far, in the heading of the past."""
    planted = folder_with(
        tmp_path,
        "phrases",
        {"{history_all}: [All rounds so far:]": "{history_all}: [All {shown} rounds so far:]"},
    )
    assert found(questions=["rounds_so_far"]) == ([], [])
    (problem,), _ = found(questions=["rounds_so_far"], prompts=planted)
    assert problem.startswith("trial: plain, question rounds_so_far: the prompt shows rounds_played, ")


def test_facts_that_are_withheld_or_shown_against_the_declaration():
    problems, _ = found(treatment={"withholds": ["totals"], "shows": {"decision": ["persona", "payoffs"]}})
    assert problems == [
        "trial: plain, decision: persona is withheld, expected it shown",
        "trial: plain, decision: totals is shown, expected it withheld",
    ]
    assert not found(treatment={"withholds": "persona", "shows": {"plain": "payoffs", "*": "round"}})[0]


def test_an_arm_that_is_given_more_room_to_reason():
    problems, _ = found(grid={"architecture": ["plain", "chain_of_thought"]})
    assert len(problems) == 2
    assert problems[0] == (
        "trial: decision of seat 1, decision of seat 2: room to reason before the answer is 'asked' (asked "
        "to reason before it answers, or in a call of its own) with architecture chain_of_thought, 'no' (the "
        "answer alone is read) with architecture plain, expected the same (or treatment: {differs: "
        "{architecture: [reasons]}})"
    )
    assert "form of the answer is 'DECISION line'" in problems[1]


@pytest.mark.parametrize(
    "differs",
    [
        "architecture",
        ["architecture"],
        {"architecture": ["reasons", "answers"]},
        {"architecture=chain*": ["reasons", "answers"]},
    ],
)
def test_a_difference_that_is_declared(differs):
    treatment = {"differs": differs}
    assert found(grid={"architecture": ["plain", "chain_of_thought"]}, treatment=treatment) == ([], [])


def test_a_declaration_for_another_level_or_difference_does_not_do():
    grid = {"architecture": ["plain", "chain_of_thought"]}
    for differs in ({"architecture=debate": ["reasons"]}, {"architecture": ["order"]}, {"rounds": []}):
        assert len(found(grid=grid, treatment={"differs": differs})[0]) == 2


def test_room_to_reason_planted_in_the_words_of_one_arm(tmp_path):
    planted = folder_with(
        tmp_path,
        "two_players",
        {"{choose}: [Choose one option: {options}.": "{choose}: [Think about it first. Choose: {options}."},
    )
    (problem,), _ = found(grid={"prompts": ["intent", planted]})
    assert "room to reason before the answer is 'asked'" in problem


@pytest.mark.parametrize(
    "grid",
    [
        {"parser": ["strict", "json"]},
        {"horizon": ["known", "unknown"]},
        {"memory": [1, 2], "listed_first": ["first", "second"]},
        {"opponent": ["scripted/TFT", "scripted/ALLD"], "temperature": [0, 1]},
        {"game": ["stag-hunt", "battle-sexes"], "language": ["en", "fr", "vi", "zh", "ar"]},
        {"personas": {"unordered": ["cooperative", "selfish"]}, "framing": ["plain", "prison"]},
        {"talk": {"yes": {"communication": "sequential"}, "no": {}}},
    ],
)
def test_factors_differ_in_what_they_are_about(grid):
    assert found(grid=grid) == ([], [])


def test_a_difference_that_is_no_factors_is_named(tmp_path):
    silent = folder_with(tmp_path / "silent", "phrases", {" ({unit}: {payoff})": ""})
    problems, notes = found(grid={"prompts": ["intent", silent]})
    assert not problems
    assert notes == [
        "arms differ: decision of seat 1, decision of seat 2: past_payoffs is withheld with prompts "
        f"{silent}, shown with prompts intent"
    ]
    problems, notes = found(grid={"prompts": ["intent", silent]}, treatment={"shows": ["payoffs"]})
    assert len(problems) == 1
    assert not notes


def test_a_template_that_gives_private_thoughts_to_the_opponent(tmp_path):
    """The users' wording asks for private thoughts and does not say how to keep them apart."""
    planted = folder_with(
        tmp_path,
        "two_players",
        {"Private thoughts inside double curly braces, {{{{ like this }}}}.": "Your thoughts."},
    )
    seats = {"architecture": ["private", "plain"]}
    assert found(**seats) == ([], [])
    problems, _ = found(**seats, prompts=planted)
    assert problems == [
        "trial: plain, decision: private thoughts of somebody else are shown, expected them to stay "
        "private (a prompt that asks for them in double braces keeps them apart)"
    ]


AGENT = """
from dataclasses import replace
from intent.agents.architectures.deliberation import PrivateAgent


class Blabbing(PrivateAgent):
    async def choose(self, view, ask, rng):
        decision = await super().choose(view, ask, rng)
        return replace(decision, message=decision.private_thought)
"""


def test_an_architecture_of_somebody_else_that_blabs(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "blabbing", AGENT, {"intent.agents": "blabbing = blabbing:Blabbing"})
    problems, _ = found(architecture=["blabbing", "plain"])
    assert any("plain, decision: private thoughts of somebody else are shown" in line for line in problems)


def test_it_is_refused_before_anybody_is_asked(tmp_path):
    calls = []

    async def model(messages, tools, settings):
        calls.append(messages)
        return "OptionA"

    values = {"name": "t", "model": "python/m", "grid": {"architecture": ["plain", "chain_of_thought"]}}
    with pytest.raises(UsageError, match=r"room to reason .* \(and 1 more, which --dry-run lists\)"):
        play_experiment(values, tmp_path / "run", models={"m": model})
    assert not calls
    assert not (tmp_path / "run").exists()


def test_a_dry_run_that_finds_something_says_so_and_ends_with_two():
    counts = dry_run(load_experiment({"name": "t", "model": NOBODY, "questions": ["total_so_far"]}))
    result = DryRun(counts, "experiment")
    assert result.exit_code == 2
    assert next(iter(result.warnings())).startswith("t: plain, question total_so_far: ")


@pytest.mark.parametrize(
    ("treatment", "message"),
    [
        ({"withholds": ["total"]}, "did you mean totals"),
        ({"differs": {"agent": ["reason"]}}, "did you mean reasons"),
        ({"show": ["totals"]}, "shows"),
    ],
)
def test_a_declaration_with_a_slip(tmp_path, treatment, message):
    with pytest.raises(DataError, match=message):
        load_experiment({"name": "t", "model": NOBODY, "treatment": treatment})


def test_a_role_or_stage_that_is_not_there():
    (problem,), _ = found(treatment={"withholds": {"decisions": ["persona"]}})
    assert "did you mean decision?" in problem


def test_the_line_of_the_file_is_named(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(f"name: own\nmodel: {NOBODY}\ntreatment:\n  withholds: [totals]\n")
    (problem,) = dry_run(load_experiment(path))["problems"]
    assert problem == "own.yaml line 3: plain, decision: totals is shown, expected it withheld"


PROMPTS = '''
import json
from intent.agents.client import Message
from intent.agents.prompts.sources import own_prompts
from intent.agents.prompts.wording import fill


class Outside:
    """Prompts of another package: {filled} is whether it fills them in as ours are."""

    name, languages = "outside", ("en",)

    def __init__(self, filled):
        self.filled = filled

    def check(self, plan):
        pass

    def render(self, view, plan, phase, inside=None):
        mine = view.payoffs_by_seat[view.seat - 1]
        text = fill("Seen: {forecast}. ", {"forecast": 3}, "outside") if self.filled else "Seen: 3. "
        return (Message("user", f"{text}You have {sum(mine)} points in all. A or B?"),)

    def say(self, phrase, plan, **values):
        return own_prompts().say(phrase, plan, **values)

    def remind(self, language, labels, parser="strict"):
        return "Again."

    def to_json(self):
        return json.dumps({"format": 1, "kind": "outside"})


def filled():
    return Outside(True)


def bare():
    return Outside(False)


FACTS = {"forecast": "belief"}
'''


def test_prompts_of_another_package_name_their_facts(tmp_path, monkeypatch):
    points = {
        "intent.prompts": "filled = outside:filled\nbare = outside:bare",
        "intent.prompt_facts": "outside = outside:FACTS",
    }
    install(tmp_path, monkeypatch, "outside", PROMPTS, points)
    treatment = {"shows": {"decision": ["belief"]}}
    assert not found(prompts="filled", treatment=treatment)[0]
    (problem,) = found(prompts="bare", treatment=treatment)[0]
    assert problem == "trial: plain, decision: belief is withheld, expected it shown"


def test_a_total_that_no_placeholder_names_is_found_by_its_value(tmp_path, monkeypatch):
    points = {"intent.prompts": "bare = outside:bare"}
    install(tmp_path, monkeypatch, "outside", PROMPTS, points)
    game = {"name": "odd", "kind": "reward", "payoffs": [[31, 7], [53, 11]]}
    (problem,) = found(prompts="bare", game=game, questions=["total_so_far"])[0]
    assert problem.startswith("trial: plain, question total_so_far: the prompt shows totals")


FRAGILE = """
from intent.agents.architectures.base import PlainAgent


class Fragile(PlainAgent):
    async def choose(self, view, ask, rng):
        if view.round == 2:
            raise RuntimeError("no such reply")
        return await super().choose(view, ask, rng)
"""


def test_an_agent_that_fails_in_rehearsal_is_noted_and_not_refused(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "fragile", FRAGILE, {"intent.agents": "fragile = fragile:Fragile"})
    values = {"name": "t", "model": NOBODY, "architecture": "fragile"}
    counts = dry_run(load_experiment(values), prompts_shown=0)
    assert "could not be rehearsed to the end: RuntimeError: no such reply" in counts["notes"]
    assert (counts["problems"], len(counts["matrix"])) == ([], 1)


DEAF = """
from intent.agents.agent import Decision
from intent.agents.architectures.base import PlainAgent


class Deaf(PlainAgent):
    async def choose(self, view, ask, rng):
        await ask(self._prompts.render(view, self._plan, "choose"))
        return Decision(None, "missing")
"""


def test_an_answer_in_a_form_of_ones_own_is_noted_and_not_refused(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "deaf", DEAF, {"intent.agents": "deaf = deaf:Deaf"})
    values = {"name": "t", "model": NOBODY, "grid": {"architecture": ["plain", "deaf"]}}
    counts = dry_run(load_experiment(values), prompts_shown=0)
    assert not counts["problems"]
    assert any("deaf, decision: none of the answers that were tried is read" in n for n in counts["notes"])
