"""What prompts say to agents of each architecture: roles, requests, thoughts, totals, questions."""

from __future__ import annotations

import hashlib
import itertools
import json
import re

import pytest
from prompt_plans import plan, view

from intent.agents.client import Settings
from intent.agents.plan import GamePlan, SeatPlan
from intent.agents.prompts.prompt_set import Inside
from intent.agents.prompts.sources import PHRASES_OF, REQUESTS_OF, load_prompts, needs, prompts_from_json
from intent.agents.prompts.wording import CONDITIONS, INSIDE_PHRASES, PHRASES
from intent.base.errors import PromptError
from intent.games.game import MatrixGame

PROMPTS = load_prompts("intent")
ODD = MatrixGame.symmetric("odd", ("OptionA", "OptionB"), 37, 41, 43, 47, "penalty")
DISTINCT = ("37", "41", "43", "47")

DIGESTS = {
    "en": "8751a071853ef8e6",
    "fr": "3b1dbdd5d798d5de",
    "ar": "fdfcdf1e2baa1866",
    "zh": "d08724502ca81385",
    "vi": "70e4004151c197f4",
}


def played_by(architecture: str, game: str = "prisoner-dilemma", **changes) -> GamePlan:
    """A plan whose first seat is a model of an architecture."""
    stage = changes.pop("stage", None)
    seat = {name: changes.pop(name) for name in ("options", "attitude", "settings") if name in changes}
    made = plan(game, **({"stage": stage} if stage else {}), **changes)
    first = SeatPlan(player="openai/x", name="Ann", architecture=architecture, **seat)
    return made.model_copy(update={"seats": (first, *made.seats[1:])})


def rendered(made, moves="", seat=1, phase="choose", message=None, **inside) -> str:
    """All messages of a prompt, joined."""
    if "blocks" in inside:
        inside["blocks"] = frozenset(inside["blocks"])
    messages = PROMPTS.render(view(made, moves, seat, message), made, phase, Inside(**inside))
    return "\n---\n".join(message.content for message in messages)


@pytest.mark.parametrize("language", DIGESTS)
def test_prompts_of_plain_agents_are_those_of_older_runs(language):
    digest = hashlib.sha256()
    for game, framing, phase in itertools.product(
        ("prisoner-dilemma", "stag-hunt", "public-goods"),
        ("plain", "prison", "business"),
        ("message", "choose"),
    ):
        made = plan(game, language, framing=framing, communication="sequential", memory=2, chance=30)
        n = made.stage().n_players
        moves = f"{'A' * n} {'B' * n} A{'-' * (n - 1)}"
        digest.update(rendered(made, moves, phase=phase, message="hi").encode())
    assert digest.hexdigest()[:16] == DIGESTS[language]


@pytest.mark.parametrize("architecture", ["plain", *REQUESTS_OF])
@pytest.mark.parametrize("game", ["prisoner-dilemma", "stag-hunt", "public-goods"])
@pytest.mark.parametrize("talk", ["none", "simultaneous"])
def test_every_architecture_has_words(architecture, game, talk):
    if architecture == "informed" and game == "public-goods":
        pytest.skip("an informed player has one other")
    framing = "years" if game == "prisoner-dilemma" else "business"
    questions = ("opponent_next", "rounds_so_far", "extremes", "total_so_far", "opponent_type")
    for attitude, constrained in (("compute", False), ("cooperate", True)):
        PROMPTS.check(
            played_by(
                architecture,
                game,
                framing=framing,
                communication=talk,
                questions=questions,
                totals="all",
                attitude=attitude,
                settings=Settings(constrained=constrained),
            )
        )


def test_tables_of_needs_name_what_there_is():
    for ways in REQUESTS_OF.values():
        assert {request for requests in ways.values() for request in requests} - {""} <= CONDITIONS.keys()
    assert {phrase for phrases in PHRASES_OF.values() for phrase in phrases} <= INSIDE_PHRASES.keys()


def test_a_decider_is_told_all_but_the_payoffs():
    made = played_by("debate", stage=ODD)
    assert (
        PROMPTS.render(view(made, "AB BB"), made, "choose", Inside("decider", "debate"))[0].role == "system"
    )
    assert rendered(made, "AB -B", role="decider", request="debate") == (
        "You are Ann. The other players: Bob.\n"
        "\n"
        "All of you play a game that proceeds in rounds. An adviser helps you.\n"
        "In every round, each player chooses one of these options: OptionA or OptionB. All choose at the "
        "same time, without knowing what the others choose.\n"
        "\n"
        "What each player gets in a round depends on all choices. Your adviser assists you: you debate "
        "with your adviser which decision is the best for you, at least once before you decide.\n"
        "The lower a penalty, the better for you. Your goal is to make your total penalty over all rounds as "
        "low as possible.\n"
        "Number of rounds: 10.\n"
        "\n"
        "Rules of the debate:\n"
        "- Give your own opinion and your reasons.\n"
        "- Write for yourself only. Never write what your adviser says or might say, nor later turns of the "
        "debate.\n"
        '- Right: "That is a good reason, and yet …" Wrong: "Client: Then I do so. Adviser: Good."'
        "\n---\n"
        "All rounds so far:\n"
        "Round 1: you chose OptionA; Bob chose OptionB.\n"
        "Round 2: you made no valid choice; Bob chose OptionB.\n"
        "\n"
        "This is round 3.\n"
        "Debate with your adviser which decision is best for you in this round. Each of you gives an own "
        "opinion with reasons, in at most three sentences at a time, and neither writes for the other. Once "
        "you have made up your mind, end with a line of this form, with the name of the "
        "option:\n"
        "DECISION: <option>\n"
        "Your adviser speaks first."
    )


@pytest.mark.parametrize("framing", ["plain", "prison", "business", "years"])
@pytest.mark.parametrize("totals", ["shown", "all"])
def test_no_payoff_is_in_any_prompt_of_a_decider(framing, totals):
    made = played_by("debate", stage=ODD, framing=framing, totals=totals, questions=("total_so_far",))
    wanted = [need.inside for need in needs(made, made.seats[0])]
    deciders = [inside for inside in wanted if inside.role == "decider"]
    assert len(deciders) == 4
    for inside in deciders:
        messages = PROMPTS.render(view(made, "AB BB BA"), made, "choose", inside)
        numbers = re.findall(r"\d+", " ".join(message.content for message in messages))
        assert {int(n) for n in numbers} <= {1, 2, 3, 4, 10}
    assert all(payoff in rendered(made, role="assistant", request="debate") for payoff in DISTINCT)


def test_an_assistant_speaks_of_its_client():
    made = played_by("debate", stage=ODD, named_first="other")
    system, user = rendered(
        made, "AB", role="assistant", request="debate", blocks=["advise"], values={"advised": "OptionB"}
    ).split("\n---\n")
    assert (
        "- If Bob chooses OptionA and Ann chooses OptionB, Bob gets a penalty of 41 and Ann gets a" in system
    )
    assert "You are to advise Ann to choose OptionB." in system
    assert "best choice" not in system
    assert "Number of rounds" not in system
    assert "Round 1: Bob chose OptionB (penalty: 43); Ann chose OptionA (penalty: 41)." in user
    assert "DECISION" not in system + user


def test_all_that_a_public_agent_writes_is_public():
    made = played_by("public", questions=("rounds_so_far",))
    for request in ("explain", "write_public"):
        text = rendered(made, "AB", request=request, blocks=["public"])
        assert "public" in text
        assert "private" not in text
        assert "{" not in text


def test_private_thoughts_are_asked_for_in_double_braces():
    for request in ("deliberate", "communicate_private"):
        assert "{{ like this }}" in rendered(played_by("private"), request=request, blocks=["private"])
    text = rendered(played_by("private"), request="think_option", values={"thought_option": "OptionB"})
    assert "about choosing OptionB in this round" in text


def test_own_thoughts_stand_in_the_rounds_that_are_shown():
    made, thoughts = played_by("private", memory=2), {1: "first", 2: "sec\nond", 3: "third"}
    text = rendered(made, "AB BB AA", thoughts=thoughts)
    assert 'Round 2: you thought in private: "sec ond"; you chose OptionB (penalty: 2);' in text
    assert "third" in text
    assert "first" not in text
    for role in ("decider", "assistant"):
        assert "third" not in rendered(made, "AB BB AA", role=role, request="debate", thoughts=thoughts)


def test_totals_of_all_rounds_whatever_is_shown():
    assert "Total penalty in all rounds so far: 8 (you); 18 (Bob)." in rendered(
        plan(memory=1, totals="all"), "AB BB AA"
    )
    hidden = rendered(plan(memory=0, totals="all"), "AB BB")
    assert "Earlier rounds are not shown.\nTotal penalty in all rounds so far: 2 (you); 12 (Bob)." in hidden
    assert "Total" not in rendered(plan(memory=0), "AB BB")


def test_penalties_told_as_years_in_prison():
    text = rendered(plan("dilemma", stage=ODD, framing="years"), "AB")
    assert "the years in prison are 41 for you and 43 for Bob." in text
    assert "The fewer years in prison, the better for you." in text
    assert "you chose OptionA (years in prison: 41)" in text
    assert "penalty" not in text
    with pytest.raises(
        PromptError, match="framing 'years' has words for payoffs that are a penalty, stag-hunt"
    ):
        PROMPTS.check(plan("stag-hunt", framing="years"))
    with pytest.raises(PromptError, match="public_goods_en: unknown framing 'years'"):
        PROMPTS.check(plan("public-goods", framing="years"))


def test_a_question_is_asked_without_the_number_of_the_round():
    values = {"question": "How many rounds?", "answer_form": PROMPTS.say("answer_form", plan())}
    lines = rendered(plan(), "AB BB", request="question", values=values).splitlines()
    assert "This is round 3." not in lines
    assert lines[-3:] == [
        "Answer a question about the game: How many rounds?",
        "Think about it. Then end with a line of this form:",
        "ANSWER: <your answer>",
    ]


def test_phrases_are_said_with_what_the_plan_tells():
    made = plan(framing="years", listed_first="OptionB")
    assert PROMPTS.say("argument_sucker", made) == (
        "your years in prison if you choose OptionB and the other chooses OptionA"
    )
    assert "OptionB or OptionA." in PROMPTS.say("decide_now", made)
    assert "Left or Right" in PROMPTS.say("remind_decision", made, options=["Left", "Right"])
    assert 'CALL: {"name": "phone", "arguments": {…}}' in PROMPTS.say(
        "tool_protocol", made, tool_name="phone", tool_description="{x}", tool_arguments="y"
    )
    with pytest.raises(
        PromptError, match=r"argument_sucker\}: no value for placeholder \{cooperate\}|{defect}"
    ):
        PROMPTS.say("argument_sucker", plan("battle-sexes"))
    with pytest.raises(PromptError, match=r"no phrase \{nothing\}"):
        PROMPTS.say("nothing", made)


def test_an_architecture_without_words_is_refused_before_the_run(tmp_path):
    text = "{name} {choose}: [{options}?]{deliberate}: [{{{{think}}}} {options}?]"
    (tmp_path / "two_players_en.txt").write_text(text)
    theirs = load_prompts(tmp_path)
    theirs.check(played_by("private"))
    theirs.check(played_by("debate"))
    with pytest.raises(PromptError, match=r"two_players_en: no block \{think_option\}"):
        theirs.check(played_by("private", settings=Settings(constrained=True)))
    with pytest.raises(PromptError, match=r"two_players_en: no block \{choose_tool_prompted\}"):
        theirs.check(played_by("tool", options={"protocol": "prompted"}))
    with pytest.raises(PromptError, match=r"two_players_en: no block \{question\}"):
        theirs.check(played_by("plain", questions=("extremes",)))
    with pytest.raises(PromptError, match=r"no block \{think\}, which is asked for"):
        theirs.render(view(plan()), plan(), "choose", Inside(request="think"))


def test_prompts_saved_before_there_were_architectures_load_and_serve_plain_agents():
    table = json.loads(PROMPTS.to_json())
    for texts in table["languages"].values():
        texts["templates"] = {
            k: v for k, v in texts["templates"].items() if k in ("two_players", "public_goods")
        }
        texts["phrases"] = {
            k: v for k, v in texts["phrases"].items() if k in PHRASES and k not in INSIDE_PHRASES
        }
    older = prompts_from_json(json.dumps(table))
    older.check(played_by("plain"))
    with pytest.raises(PromptError, match="phrases_en: no outcome_assistant_self_first"):
        older.check(played_by("debate"))
    assert prompts_from_json(older.to_json()) == older
