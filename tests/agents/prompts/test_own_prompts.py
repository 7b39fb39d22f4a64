"""What our prompts say, to the letter, and what they refuse."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_plans import plan, view

from intent.agents.plan import ReplyRules, SeatPlan
from intent.agents.prompts.prompt_set import legible
from intent.agents.prompts.sources import OwnPrompts, load_prompts, own_prompts, prompts_from_json
from intent.agents.prompts.wording import LANGUAGES
from intent.base.errors import PromptError
from intent.base.wording import number_text, sum_text
from intent.games.game import MatrixGame
from intent.play.referee import Referee

PROMPTS = load_prompts("intent")


def text(made, moves="", seat=1, phase="choose", **more) -> str:
    """The rendered prompt."""
    return PROMPTS.render(view(made, moves, seat, **more), made, phase)[0].content


def tail(made, *args, **more) -> list[str]:
    """The lines from the history on."""
    lines = text(made, *args, **more).splitlines()
    return lines[
        next(
            i for i, line in enumerate(lines) if line.startswith(("No ", "All ", "The latest", "Earlier "))
        ) :
    ]


def test_a_whole_prompt_of_round_3():
    assert text(plan(), "AB BB") == (
        "You are Ann. The other player is Bob.\n"
        "You are a cooperative person.\n"
        "\n"
        "You and Bob play a game that proceeds in rounds.\n"
        "In every round, each of you chooses one of these options: OptionA or OptionB. You choose at the "
        "same "
        "time, without knowing what the other chooses.\n"
        "\n"
        "The outcome of a round depends on both choices:\n"
        "- If you choose OptionA and Bob chooses OptionA, you get a penalty of 6 and Bob gets a penalty "
        "of 6.\n"
        "- If you choose OptionA and Bob chooses OptionB, you get a penalty of 0 and Bob gets a penalty "
        "of 10.\n"
        "- If you choose OptionB and Bob chooses OptionA, you get a penalty of 10 and Bob gets a penalty "
        "of 0.\n"
        "- If you choose OptionB and Bob chooses OptionB, you get a penalty of 2 and Bob gets a penalty "
        "of 2.\n"
        "\n"
        "The lower a penalty, the better for you. Your goal is to make your total penalty over all "
        "rounds as low "
        "as possible.\n"
        "Number of rounds: 10.\n"
        "\n"
        "All rounds so far:\n"
        "Round 1: you chose OptionA (penalty: 0); Bob chose OptionB (penalty: 10).\n"
        "Round 2: you chose OptionB (penalty: 2); Bob chose OptionB (penalty: 2).\n"
        "Total penalty in these rounds: 2 (you); 12 (Bob).\n"
        "\n"
        "This is round 3.\n"
        "Choose one option: OptionA or OptionB. Answer with the name of the option only, without any "
        "explanation."
    )


@pytest.mark.parametrize("game", ["prisoner-dilemma", "public-goods"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_never_changes_stands_first(game, language):
    made = plan(game, language)
    n = made.stage().n_players
    first, later = text(made), text(made, f"{'A' * n} {'B' * n}")
    same = next(i for i, (a, b) in enumerate(zip(first, later, strict=False)) if a != b)
    assert same > 0.7 * len(first)
    assert first.splitlines()[-1] == later.splitlines()[-1]


def test_each_seat_reads_its_own_payoffs():
    stage = MatrixGame("asymmetric", ("Up", "Down"), (((1, 2), (3, 4)), ((5, 6), (7, 8))), "reward")
    made = plan(stage=stage)
    assert "If you choose Up and Bob chooses Down, you get a reward of 3 and Bob gets a reward of 4." in text(
        made
    )
    assert "If you choose Up and Ann chooses Down, you get a reward of 6 and Ann gets a reward of 5." in text(
        made, seat=2
    )


def test_order_of_options_and_of_names():
    made = plan(listed_first="OptionB", named_first="other")
    lines = text(made, "AB").splitlines()
    assert [line for line in lines if line.startswith("- ")] == [
        "- If Bob chooses OptionB and you choose OptionB, Bob gets a penalty of 2 and you get a penalty "
        "of 2.",
        "- If Bob chooses OptionB and you choose OptionA, Bob gets a penalty of 10 and you get a penalty "
        "of 0.",
        "- If Bob chooses OptionA and you choose OptionB, Bob gets a penalty of 0 and you get a penalty "
        "of 10.",
        "- If Bob chooses OptionA and you choose OptionA, Bob gets a penalty of 6 and you get a penalty "
        "of 6.",
    ]
    assert "Round 1: Bob chose OptionB (penalty: 10); you chose OptionA (penalty: 0)." in lines
    assert text(made).count("OptionB or OptionA") == 2
    pool = text(plan("public-goods", listed_first="OptionB"))
    assert pool.index("- OptionB: you pay nothing") < pool.index("- OptionA: you pay 10")


def test_horizons():
    assert "Number of rounds: 10." in text(plan())
    unknown = text(plan("stag-hunt", horizon_known=False))
    assert "Number of rounds" not in unknown
    assert "probability" not in unknown
    assert "the probability that another round follows is 0.95." in text(plan(continuation=0.95))
    assert "follows" not in text(plan(continuation=0.95, horizon_known=False))


def test_a_template_that_keeps_errors_from_its_players_is_refused():
    wordings = own_prompts().wordings
    silent = {stem: re.sub(r"\{errors\}: .*\n", "", t) for stem, t in wordings["en"].templates.items()}
    prompts = OwnPrompts("mine", {**wordings, "en": replace(wordings["en"], templates=silent)})
    prompts.check(plan())
    with pytest.raises(PromptError, match=r"two_players_en: no block \{errors\}, expected one to tell"):
        prompts.check(plan(implementation_error=0.1))


def test_personas():
    assert "You are a cooperative person." in text(plan())
    assert "You are a tired judge." in text(plan(personas=("a tired judge", "x", "x")))
    assert "You are a" not in text(plan(personas=(None, "selfish", "selfish")))
    seats = (SeatPlan(player="human", name="Ann", persona="mine", persona_text="moi"), plan().seats[1])
    assert "You are moi." in text(plan(seats=seats))


def test_what_is_told_of_the_others_personas():
    made = plan("public-goods", chance=30)
    assert "Bob is a selfish person with a probability of 30%.\nCleo is a selfish person with" in text(made)
    assert "probability" not in text(plan("public-goods"))
    assert "probability" not in text(plan(chance=30, personas=("selfish", None, None)))


def test_no_past():
    assert tail(plan())[0] == "No round has been played yet."
    assert tail(plan(memory=0), "AA")[0] == "Earlier rounds are not shown."


def test_memory_limits_lines_and_totals():
    assert tail(plan(memory=1), "AB BB")[:3] == [
        "The latest rounds (at most 1 are shown):",
        "Round 2: you chose OptionB (penalty: 2); Bob chose OptionB (penalty: 2).",
        "Total penalty in these rounds: 2 (you); 2 (Bob).",
    ]


def test_missing_moves_are_said():
    assert tail(plan(), "A- --")[1:4] == [
        "Round 1: you chose OptionA; Bob made no valid choice; no penalty was counted.",
        "Round 2: you made no valid choice; Bob made no valid choice; no penalty was counted.",
        "Total penalty in these rounds: 0 (you); 0 (Bob).",
    ]


def talking(communication="sequential", **changes):
    """A plan with messages, and the referee after a round in which only the first player spoke."""
    made = plan(communication=communication, **changes)
    referee = Referee(made.stage(), made.horizon(), communication=communication)
    referee.speak(1, "Let us\nboth choose\tOptionB.")
    referee.speak(2, None)
    for seat in (1, 2):
        referee.submit(seat, "OptionB")
    return made, referee


def test_messages_of_the_past_and_of_this_round():
    made, referee = talking()
    referee.speak(1, "Again?")
    seen = PROMPTS.render(referee.view(2), made, "message")[0].content.splitlines()
    assert seen[-6:] == [
        'Round 1: you wrote no message; Ann wrote: "Let us both choose OptionB."; '
        "you chose OptionB (penalty: 2); Ann chose OptionB (penalty: 2).",
        "Total penalty in these rounds: 2 (you); 2 (Ann).",
        "",
        "This is round 2.",
        'Messages in this round: Ann wrote: "Again?".',
        "Write your message to Ann for this round. Answer with the text of the message only.",
    ]
    referee.speak(2, "Yes.")
    asked = PROMPTS.render(referee.view(1), made, "choose")[0].content.splitlines()
    assert asked[-2] == 'Messages in this round: you wrote: "Again?"; Bob wrote: "Yes.".'
    assert asked[-1].startswith("Choose one option")


def test_how_messages_are_exchanged_is_said():
    assert "one after the other. Messages are not binding" in text(plan(communication="sequential"))
    assert "at the same time. Messages are not binding" in text(plan(communication="simultaneous"))
    assert "message" not in text(plan())


def test_answers_as_json():
    last = text(plan(reply=ReplyRules(parser="json"))).splitlines()[-1]
    assert last.endswith('without any explanation: {"choice": "OptionA"} or {"choice": "OptionB"}')


def test_worked_examples_of_the_pool():
    lines = text(plan("public-goods(2.9)")).splitlines()
    assert [line for line in lines if line.startswith("- If")] == [
        "- If all players choose OptionA: the pool holds 30, each player receives 29, and the reward of each "
        "player is 19.",
        "- If only you choose OptionA: the pool holds 10, each player receives 9.66666666667, and your "
        "reward is "
        "-0.333333333333.",
        "- If nobody chooses OptionA: the reward of each player is 0.",
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (6.0, "6"),
        (6 * 0.1, "0.6"),
        (10 / 3, "3.33333333333"),
        (-0.0, "0"),
        (1e-7, "1e-07"),
        (1e20, "1e+20"),
        (0.1, "0.1"),
    ],
)
def test_numbers(value, expected):
    assert number_text(value) == expected


def test_sums_have_no_dust():
    assert sum_text([0.1] * 10) == "1"


@given(
    st.text(max_size=200)
    | st.sampled_from(["{history}", "{intro}: [x]", "]", "}}", "\ud800", "\0", "\u202e"])
)
def test_a_message_is_text_whatever_it_says(message):
    for language in LANGUAGES:
        made = plan(language=language, communication="simultaneous")
        for phase in ("message", "choose"):
            expected = text(made, "AB", phase=phase, message="MARK").replace("MARK", legible(message))
            got = text(made, "AB", phase=phase, message=message)
            assert got == expected
            got.encode()


def test_long_messages_are_cut():
    assert legible("a" * 1_000_000) == "a" * 4000 + "…"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"language": "de"}, "unknown language 'de'"),
        ({"framing": "prisson"}, "unknown framing 'prisson'; did you mean prison"),
        ({"framing": "choose"}, "unknown framing 'choose'"),
        ({"listed_first": "OptionC"}, "listed_first 'OptionC' is not one of OptionA, OptionB"),
    ],
)
def test_check_refuses_what_cannot_be_said(changes, message):
    with pytest.raises(PromptError, match=message):
        PROMPTS.check(plan(**changes))


def test_check_refuses_players_of_one_name():
    seat = plan().seats[0]
    with pytest.raises(PromptError, match="expected different names"):
        PROMPTS.check(plan(seats=(seat, seat)))


@pytest.mark.parametrize("game", ["prisoner-dilemma", "battle-sexes", "matching-pennies", "public-goods"])
@pytest.mark.parametrize("talk", ["none", "sequential", "simultaneous"])
def test_check_accepts_what_can(game, talk):
    for framing in ("plain", "prison", "business"):
        PROMPTS.check(plan(game, "vi", framing=framing, communication=talk))


def test_saved_prompts_are_equal_and_render_alike():
    saved = PROMPTS.to_json()
    again = prompts_from_json(saved)
    made = plan(language="ar")
    assert again == PROMPTS
    assert again.to_json() == saved
    assert again.render(view(made), made, "choose") == PROMPTS.render(view(made), made, "choose")


@pytest.mark.parametrize("bad", ["", "[]", "{}", '{"format": 2}', '{"format": 1, "kind": "x"}', "[" * 10**5])
def test_what_is_no_saved_prompt_is_refused(bad):
    with pytest.raises(PromptError, match="saved prompts"):
        prompts_from_json(bad)
