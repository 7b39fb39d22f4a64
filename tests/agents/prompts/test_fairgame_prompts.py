"""FAIRGAME's templates: blocks, placeholders and history as upstream, on the public files too."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_plans import plan, view

from intent.agents.plan import ReplyRules, SeatPlan
from intent.agents.prompts.fairgame import fairgame_prompts, stem_of, weights_of
from intent.agents.prompts.prompt_set import Inside
from intent.agents.prompts.sources import prompts_from_json
from intent.base.errors import PromptError
from intent.games.catalogue import game as named
from intent.play.referee import Referee

TEXT = (
    "{currentPlayerName} v {opponent1}\n{intro}: [I am {personality}.]\n"
    "{opponentIntro}: [{opponentPersonalityProbability}% {opponentPersonality}]\n{gameLength}: "
    "[{nRounds} rounds]\n"
    "{currentRound} {strategy1} {strategy2} {weight1} {weight2} {weight3} {weight4}\n{history}\n"
    "{communicate}: [Talk.]{choose}: [Choose.]"
)
WEIGHTS = (6, 10, 0, 2)
STEMS = ("prisoner_dilemma", "snow_drift", "stag_hunt", "harmony_game", "battle_sexes")


def made(text: str = TEXT, **more):
    """Prompts of one English template."""
    return fairgame_prompts(None, weights=more.pop("weights", WEIGHTS), templates={"en": text}, **more)


def rendered(prompts, of, moves="", seat=1, phase="choose", **more) -> str:
    """The rendered prompt."""
    return prompts.render(view(of, moves, seat, **more), of, phase)[0].content


def test_a_prompt_to_the_letter():
    assert rendered(made(), plan(chance=30), "AB") == (
        "Ann v Bob\nI am cooperative.\n30% selfish\n10 rounds\n2 OptionA OptionB 6 10 0 2\n"
        "{'round_1': {'Ann': {'strategy': 'OptionA', 'score': 0}, 'Bob': {'strategy': 'OptionB', "
        "'score': 10}}}\n"
        "Choose."
    )


def test_blocks_that_are_dropped_leave_their_line():
    of = plan(personas=("None", None, None), horizon_known=False)
    assert rendered(made(), of, phase="message") == "Ann v Bob\n\n\n\n1 OptionA OptionB 6 10 0 2\n{}\nTalk."


def test_numbered_and_unnumbered_opponents():
    of = plan("public-goods", chance=40, personas=("cooperative", "selfish", None))
    text = (
        "{opponentIntro}: [{opponentPersonality2} {opponentPersonalityProbability2} {opponentPersonality}]"
        "{opponent2}"
    )
    assert rendered(made(text, weights=()), of) == "None 40 selfishCleo"
    assert rendered(made(text, weights=()), of, seat=2) == "None 40 cooperativeCleo"


def test_the_chance_is_that_of_the_player_it_is_about():
    seats = tuple(
        s.model_copy(update={"opponent_persona_probability": p})
        for s, p in zip(plan().seats, (70, 0), strict=True)
    )
    of = plan(seats=seats)
    assert "70% cooperative" in rendered(made(), of, seat=2)
    assert "%" not in rendered(made(), of, seat=1)


def test_history_is_the_text_of_a_python_dictionary():
    text = rendered(made("{history}"), plan(), "AB B-", message="it's {history}")
    assert ast.literal_eval(text) == {
        "round_1": {
            "Ann": {"message": "it's {history}", "strategy": "OptionA", "score": 0},
            "Bob": {"message": "it's {history}", "strategy": "OptionB", "score": 10},
        },
        "round_2": {
            "Ann": {"message": "it's {history}", "strategy": "OptionB", "score": None},
            "Bob": {"message": "it's {history}", "strategy": None, "score": None},
        },
    }
    assert text == repr(ast.literal_eval(text))


def test_messages_of_this_round_stand_in_the_history():
    of = plan(communication="sequential")
    referee = Referee(of.stage(), of.horizon(), communication="sequential")
    referee.speak(1, "hello")
    assert made("{history}").render(referee.view(2), of, "message")[0].content == (
        "{'round_1': {'Ann': {'message': 'hello'}}}"
    )


def test_memory_limits_the_history():
    assert list(ast.literal_eval(rendered(made("{history}"), plan(memory=1), "AB BB"))) == ["round_2"]


def test_numbers_are_those_of_the_config():
    scaled = plan(stage=named("prisoner-dilemma").scaled(0.1))
    weights = tuple(float(w) * 0.1 for w in WEIGHTS)
    text = rendered(made("{weight1} {weight2} {history}", weights=weights), scaled, "AA")
    assert text.startswith("0.6000000000000001 1.0 {")
    assert text.count("0.6000000000000001") == 3
    assert rendered(made("{weight2}", weights=(6.0, 10.0, 0.0, 2.0)), plan()) == "10.0"
    assert (
        rendered(made("{weight1} {weight2}", weights=((0, 0, 1), (0, 1, 2))), scaled)
        == "0.6000000000000001 1"
    )


def test_public_goods_numbers_are_not_rounded():
    text = (
        "{contributionCost} {multiplicationFactor} {numAgents} {totalIfAllContribute} "
        "{payoffIfAllContribute} "
        "{netGainIfAllContribute} {soloContributionReturn} {soloContributionNet} {history}"
    )
    of = plan("public-goods")
    got = rendered(made(text, weights=()), of, "AAB")
    assert got.startswith("10 2.0 3 30 20.0 10.0 6.666666666666667 -3.333333333333333 {")
    assert "'score': 3.333333333333334}" in got
    assert "'score': 13.333333333333334}" in got


@given(st.text(max_size=200) | st.sampled_from(["{history}", "{intro}: [x]", "]", "\ud800", "'\"\\"]))
def test_a_message_is_text_whatever_it_says(message):
    of = plan(communication="simultaneous")
    expected = rendered(made(), of, "AB", message="MARK").replace("'MARK'", repr(message))
    got = rendered(made(), of, "AB", message=message)
    assert got == expected
    got.encode()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"framing": "prison"}, "no words for framing 'prison'"),
        ({"named_first": "other"}, "no words for named_first"),
        ({"listed_first": "OptionB"}, "no words for listed_first 'OptionB'"),
        ({"reply": ReplyRules(parser="json")}, "no words for replies as JSON"),
        ({"continuation": 0.9}, "no words for a continuation probability"),
        ({"implementation_error": 0.1}, "no words for an implementation error"),
        ({"totals": "all"}, "no words for totals of all rounds"),
        ({"questions": ("extremes",)}, "no words for comprehension questions"),
        (
            {"seats": tuple(SeatPlan(player="openai/x", name=n, architecture="debate") for n in "AB")},
            "prompts fairgame: FAIRGAME's templates have no words for architecture 'debate'",
        ),
        ({"language": "fr"}, "no promptTemplate_fr.txt or .rtf; languages there: en"),
        ({"game": "prisoner-dilemma-harsh"}, "the game pays 5.0, which is none of its weights"),
    ],
)
def test_check_refuses_what_the_template_cannot_say(changes, message):
    with pytest.raises(PromptError, match=message):
        made().check(plan(**changes))


@pytest.mark.parametrize("inside", [Inside(request="think"), Inside("assistant")])
def test_plain_agents_only(inside):
    with pytest.raises(PromptError, match=r"no words for (think|role assistant)"):
        made().render(view(plan()), plan(), "choose", inside)
    assert made().render(view(plan()), plan(), "choose", Inside()) == made().render(
        view(plan()), plan(), "choose"
    )
    assert made().say("or", plan(language="de")) == " or "


def test_check_refuses_a_message_phase_without_its_block():
    with pytest.raises(PromptError, match=r"no block \{communicate\}"):
        made("{history} {choose}: [x]").check(plan(communication="sequential"))


def test_check_refuses_labels_that_are_not_the_actions():
    right, wrong = ({"en": labels} for labels in (("OptionB", "OptionA"), ("Left", "Right")))
    made(strategies=right).check(plan())
    assert "1 OptionB OptionA" in rendered(made(strategies=right), plan())
    with pytest.raises(PromptError, match="strategies Left, Right, expected the actions OptionA, OptionB"):
        made(strategies=wrong).check(plan())


def test_an_unknown_placeholder_is_named():
    with pytest.raises(
        PromptError, match=r"promptTemplate_en: no value for placeholder \{weigth1\}; did you mean"
    ):
        made("{weigth1}").check(plan())


@pytest.mark.parametrize(
    ("game", "stem"),
    [
        ("prisoner-dilemma-harsh", "prisoner_dilemma"),
        ("Prisoner's Dilemma", "prisoner_dilemma"),
        ("Battle of sexes", "battle_sexes"),
        ("public-goods(1.1)", "public_goods_game"),
        ("stag_hunt", "stag_hunt"),
    ],
)
def test_templates_are_found_by_the_name_of_the_game(game, stem):
    assert stem_of(game, [*STEMS, "public_goods_game"], "x") == stem
    with pytest.raises(PromptError, match="unknown template"):
        stem_of("chicken", STEMS, "x")


def test_a_folder_cannot_be_left_by_the_name_of_a_template(tmp_path):
    (tmp_path / "a_en.txt").write_text("{currentPlayerName}")
    with pytest.raises(PromptError, match="unknown template"):
        fairgame_prompts(tmp_path, "../a")


def test_saved_prompts_are_equal():
    prompts = made(strategies={"en": ["OptionA", "OptionB"]}, weights=(6, 2.5, (0, 1, 2)))
    assert prompts_from_json(prompts.to_json()) == prompts
    assert prompts_from_json(prompts.to_json()).to_json() == prompts.to_json()


@pytest.mark.parametrize("bad", [True, "6", (0, 0), (2, 0, 1), (0, 0, 3)])
def test_weights_are_numbers_or_cells(bad):
    assert made(weights=([0, 0, 1], 2.5)).weights == ((0, 0, 1), 2.5)
    with pytest.raises(PromptError, match="expected a number, or two actions"):
        made(weights=(bad,))


def test_weights_that_do_not_fit():
    with pytest.raises(PromptError, match="payoffMatrix does not fit together"):
        weights_of({"weights": {"weight1": 6}})


def test_a_reminder_is_there_in_any_language():
    assert "请" in made().remind("cn", ("A", "B"))
    assert "Answer with" in made().remind("de", ("A", "B"))
