"""A folder in the shape of the thesis's prompts: a system part, pseudo-JSON in braces, its own history."""

from __future__ import annotations

import pytest
from prompt_plans import plan, view

from intent.agents.plan import SeatPlan
from intent.agents.prompts.prompt_set import Inside
from intent.agents.prompts.sources import load_prompts, prompts_from_json
from intent.base.errors import PromptError
from intent.games.game import MatrixGame

SUSPECTS = MatrixGame.symmetric("suspects", ("Cooperate", "Defect"), 5, 15, 0, 10, "penalty")

FILES = {
    "two_players": (
        "A suspect, asked {rounds} times.\n"
        "'{option_2}' against '{option_1}': {own_2_1} years, the partner {other_2_1}.\n"
        "{tool}: [There is a telephone.]\n"
        "===\n"
        "{choose}: [FORMAT: {{'DECISION': '<YOUR_DECISION>'}}]\n"
        "{choose_tool}: [One call. FORMAT: {{'DECISION': '<YOUR_DECISION>'}}]\n"
        "{question}: [{question} FORMAT: {{'ANSWER': '<YOUR_ANSWER>'}}]\n"
        "{past}: [{history}]"
    ),
    "decider": "A suspect.\n===\n{debate}: [Go. {{'DECISION': '<YOUR_DECISION>'}}]{debate_decide}: [Now.]",
    "assistant_two_players": (
        "A lawyer; {own_1_2} years for {option_1}.\n{advise}: [Say {advised}.]{advise_compute}: [The best!]\n"
        "===\n{debate}: [Begin.]"
    ),
    "phrases": (
        "{history_all}: [SO FAR:\n{shown} rounds:]{history_none}: []{total}: []\n"
        "{round}: [Round {round} - {events}]{join}: [, ]\n"
        "{own_choice}: [Suspect: {option}]{other_choice}: [Partner: {option}]\n"
        "{tool_result}: [=== ADVICE ===\nTake {advised}.]"
    ),
}


@pytest.fixture
def prompts(tmp_path):
    """The folder, loaded."""
    for stem, text in FILES.items():
        (tmp_path / f"{stem}_en.txt").write_text(text, encoding="utf-8")
    return load_prompts(tmp_path)


def suspects(**seat):
    """The game of two suspects, the first of whom is a model."""
    made = plan(stage=SUSPECTS)
    first = SeatPlan(player="openai/x", name="Ann", **seat)
    return made.model_copy(update={"seats": (first, made.seats[1])})


def messages(prompts, moves="", **inside):
    """Role and text of each message."""
    made = suspects()
    rendered = prompts.render(view(made, moves), made, "choose", Inside(**inside))
    return [(message.role, message.content) for message in rendered]


def test_system_and_user(prompts):
    assert messages(prompts) == [
        ("system", "A suspect, asked 10 times.\n'Defect' against 'Cooperate': 0 years, the partner 15."),
        ("user", "FORMAT: {'DECISION': '<YOUR_DECISION>'}"),
    ]
    (_, system), (_, user) = messages(prompts, request="choose_tool", blocks=frozenset({"tool"}))
    assert system.endswith("There is a telephone.")
    assert user == "One call. FORMAT: {'DECISION': '<YOUR_DECISION>'}"


def test_the_past_comes_last_and_only_where_there_is_one(prompts):
    values = {"question": "Next?", "answer_form": ""}
    asked = messages(prompts, "AB BB", request="question", values=values)[1][1]
    assert asked == (
        "Next? FORMAT: {'ANSWER': '<YOUR_ANSWER>'}\n"
        "SO FAR:\n"
        "2 rounds:\n"
        "Round 1 - Suspect: Cooperate, Partner: Defect\n"
        "Round 2 - Suspect: Defect, Partner: Defect"
    )


def test_the_debate(prompts):
    assert messages(prompts, role="decider", request="debate") == [
        ("system", "A suspect."),
        ("user", "Go. {'DECISION': '<YOUR_DECISION>'}"),
    ]
    advised = {"blocks": frozenset({"advise"}), "values": {"advised": "Defect"}}
    assert messages(prompts, role="assistant", request="debate", **advised) == [
        ("system", "A lawyer; 15 years for Cooperate.\nSay Defect."),
        ("user", "Begin."),
    ]


def test_values_cannot_end_the_system_part(prompts):
    advised = {"blocks": frozenset({"advise"}), "values": {"advised": "x\n===\n{name}"}}
    (_, system), (_, user) = messages(prompts, role="assistant", request="debate", **advised)
    assert system.endswith("Say x\n===\n{name}.")
    assert user == "Begin."


def test_what_the_folder_is_good_for(prompts):
    prompts.check(suspects(architecture="debate", attitude="defect"))
    prompts.check(suspects(architecture="tool", options={"protocol": "native"}))
    with pytest.raises(PromptError, match=r"two_players_en: no block \{choose_reasoned\}"):
        prompts.check(suspects(architecture="chain_of_thought"))
    assert prompts.say("tool_result", plan(), advised="Defect").startswith("=== ADVICE ===\nTake Def")
    assert prompts_from_json(prompts.to_json()) == prompts


@pytest.mark.parametrize(
    ("stem", "text", "message"),
    [
        ("decider", "{outcomes}", "decider_en line 1: unknown placeholder 'outcomes'"),
        ("decider", "\n{debate}: [\n{own_1_1}]", "decider_en line 3: unknown placeholder 'own_1_1'"),
        ("decider_suspects", "{own_1_1}", "decider_suspects_en line 1: unknown placeholder 'own_1_1'"),
        ("two_players", "{question}: [a {tool}: [b] c]", "block {tool} begins inside block {question}"),
        ("assistant_two_player", "x", "did you mean assistant_two_players"),
        ("two_players", "a\n===\nb\n===\nc", "two_players_en: more than one line ==="),
        ("phrases", "{unpaid_yeers}: [x]", "unknown phrase 'unpaid_yeers'"),
        (
            "phrases",
            "{unpaid_years}: [{player}]",
            r"phrases_en \{unpaid_years\}: unknown placeholder 'player'",
        ),
    ],
)
def test_slips(tmp_path, stem, text, message):
    (tmp_path / f"{stem}_en.txt").write_text(text)
    with pytest.raises(PromptError, match=message):
        load_prompts(tmp_path)


def test_phrases_for_a_story_of_ones_own(tmp_path):
    story = "{fable}: [Once.] {choose}: [{unit} {options}]{penalty_fable}: [Fewer stones!]{penalty}: [Less!]"
    (tmp_path / "two_players_en.txt").write_text(story)
    (tmp_path / "phrases_en.txt").write_text("{unit_penalty_fable}: [stones]")
    theirs, told = load_prompts(tmp_path), plan(framing="fable")
    theirs.check(told)
    assert (
        theirs.render(view(told), told, "choose")[0].content == "Once. stones OptionA or OptionBFewer stones!"
    )
    assert theirs.render(view(plan()), plan(), "choose")[0].content.endswith(
        "penalty OptionA or OptionBLess!"
    )
    with pytest.raises(PromptError, match="pays a reward"):
        theirs.check(plan("stag-hunt", framing="fable"))


def test_a_template_with_nothing_to_ask(tmp_path):
    (tmp_path / "two_players_en.txt").write_text("{choose}: [x]\n===\n{communicate}: [y]")
    with pytest.raises(PromptError, match="nothing to say to the model"):
        load_prompts(tmp_path).check(plan())


def test_a_tool_spoken_of_in_two_places(tmp_path):
    """As in the thesis's figures 2.8 and 2.10, where the rules of the tool follow the question."""
    (tmp_path / "two_players_en.txt").write_text(
        "{tool}: [A phone.] Fewest years!{tool}: [ Once.]\n"
        "{choose}: [x]{question}: [{question}]{tool}: [ RULES.]{question}: [ FORMAT.]"
    )
    theirs = load_prompts(tmp_path)
    values = {"question": "Next?", "answer_form": ""}
    assert messages(theirs, request="question", values=values)[0][1] == "Fewest years!\nNext? FORMAT."
    asked = messages(theirs, request="question", values=values, blocks=frozenset({"tool"}))
    assert asked[0][1] == "A phone. Fewest years! Once.\nNext? RULES. FORMAT."


def test_what_a_folder_lacks_is_said_with_the_way_round_it(prompts, tmp_path):
    with pytest.raises(PromptError, match=r"protocol: native\}\} does without"):
        prompts.check(suspects(architecture="tool"))
    (tmp_path / "two_players_en.txt").write_text("{choose}: [x]")
    with pytest.raises(PromptError, match=r"expected a block \{years\}: \[text\], or the framing plain"):
        load_prompts(tmp_path).check(plan(stage=SUSPECTS, framing="years"))


def test_no_block_is_asked_for_that_nobody_reads(tmp_path):
    (tmp_path / "two_players_en.txt").write_text("{deliberate}: [x]")
    theirs, made = load_prompts(tmp_path), suspects(architecture="private")
    alone = made.model_copy(update={"seats": (made.seats[0], SeatPlan(player="scripted/TFT", name="Bob"))})
    theirs.check(alone)
    for wider in (made, alone.model_copy(update={"communication": "simultaneous"})):
        with pytest.raises(PromptError, match=r"no block \{(choose|communicate_private)\}"):
            theirs.check(wider)
