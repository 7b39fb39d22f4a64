"""What commits a player to an action, and what only sounds like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.announcements import announced_action, intended_action

AB = ("OptionA", "OptionB")


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("I will choose Option A.", AB, "OptionA"),
        ("I'll go with **OptionB** this round", AB, "OptionB"),
        ("My choice is 'option a', and I hope you take Option B.", AB, "OptionA"),
        ("I choose A or whatever.", AB, None),
        ("I will choose Option A rather than Option B.", AB, "OptionA"),
        ("I will choose either Option A or Option B.", AB, None),
        ("I will choose Option A. In the end I choose Option B.", AB, None),
        ("I will not choose Option B.", AB, None),
        ("I won't choose Option B.", AB, None),
        ("If you defect I will choose Option B.", AB, None),
        ("Next round I will choose Option B.", AB, None),
        ("You will choose Option B.", AB, None),
        ("Option A is best for both of us.", AB, None),
        ("I will choose a good option.", AB, None),
        ("I'm going to choose action A", AB, "OptionA"),
        ("Let us meet. DECISION: OptionA", AB, None),
        ("I will choose Option A. Trust me. DECISION: Option B", AB, "OptionA"),
        ("I'm sticking with OptionA; I hope you do the same.", AB, "OptionA"),
        ("My choice for this iteration is Option A, as it benefits us both.", AB, "OptionA"),
        ("I will keep choosing Option A as long as you do.", AB, None),
        ('You said "I will choose Option A" and then you did not. I choose Option B.', AB, "OptionB"),
        ('"I will choose Option A."', AB, "OptionA"),
        ("Tu as dit « je choisirai OptionA » ; je choisis OptionB.", AB, "OptionB"),
        ("Je choisirai OptionA tant que tu coopères.", AB, None),
        ("Tôi sẽ chọn OptionA miễn là bạn cũng vậy.", AB, None),
        ("只要你合作，我会选择OptionA。", AB, None),
        ("سأختار OptionA طالما تعاونت.", AB, None),
        ("I will choose Option B.\nDECISION: OptionA", AB, "OptionB"),
        ("I will hunt the Stag today", ("Stag", "Hare"), "Stag"),
        ("I will swerve, do not dare", ("Swerve", "Dare"), "Swerve"),
        ("I will play Swerve, do not Dare", ("Swerve", "Dare"), "Swerve"),
        ("Je choisis l'option A, faites de même.", AB, "OptionA"),
        ("Je vais jouer OptionB.", AB, "OptionB"),
        ("Je ne choisis pas l'Option A.", AB, None),
        ("Si vous trahissez, je choisirai l'Option B.", AB, None),
        ("Tôi sẽ chọn OptionA.", AB, "OptionA"),
        ("Tôi không chọn OptionA.", AB, None),
        ("Nếu bạn chọn OptionB thì tôi sẽ chọn OptionB.", AB, None),
        ("我会选择OptionA。", AB, "OptionA"),
        ("我选择“合作”，希望你也一样。", ("合作", "背叛"), "合作"),
        ("我不会选择OptionA。", AB, None),
        ("如果你背叛，我会选择背叛。", ("合作", "背叛"), None),
        ("سأختار OptionB في هذه الجولة.", AB, "OptionB"),
        ("لن سأختار OptionB", AB, None),
        ("إذا اخترت OptionA سأختار OptionB", AB, None),
        ("سأختار تعاون", ("تعاون", "خيانة"), "تعاون"),
        ("I mean to choose OptionB and say so.", AB, "OptionB"),
        ("I will say that I choose OptionB.", AB, None),
        ("", AB, None),
        (None, AB, None),
    ],
)
def test_announced(text: str | None, labels: tuple[str, str], expected: str | None) -> None:
    assert announced_action(text, labels) == expected


def test_the_last_commitment_is_the_intention() -> None:
    thought = (
        "Option A: it would be safe, and I will choose Option A perhaps. Option B pays more. "
        "I could say that I will choose Option A, hoping that they choose Option A. "
        "However, I will actually choose Option B."
    )
    assert intended_action(thought, AB) == "OptionB"
    assert intended_action("我会假装选择OptionA，但我实际上会选择OptionB。", AB) == "OptionB"
    assert intended_action("I'll publicly promise Option A. My real choice is Option B.", AB) == "OptionB"
    assert intended_action('I will write "I will choose Option A" and pick Option B.', AB) == "OptionB"
    assert intended_action("I will tell them that I will choose Option A.", AB) is None


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    assert announced_action(text, AB) in {None, *AB}


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("I will choose action A. I think that it is best for both of us to take option A.", "OptionA"),
        ("I choose Option B. Although penalised, my opponent has always chosen Option B.", "OptionB"),
        ('"I will choose OptionA."', "OptionA"),
        ('I will choose "OptionA".', "OptionA"),
        ('"I will choose OptionA" is what you wrote. I will choose OptionB.', "OptionB"),
        ('You: "I will choose OptionA".', None),
        ("Elegiré OptionA.", None),
        ("Ich werde OptionB nehmen.", None),
        ("", None),
    ],
)
def test_what_stands_in_quotation_marks_or_another_language_is_no_announcement(text, action):
    assert announced_action(text, ("OptionA", "OptionB")) == action
