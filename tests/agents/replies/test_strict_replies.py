"""The strict parser: a label with decoration, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.replies import read_reply

AB = ("OptionA", "OptionB")
SETS = [AB, ("合作", "背叛"), ("خيار أ", "خيار ب"), ("Lựa chọn A", "Lựa chọn B"), ("1", "-1"), ("A", "A+")]


@pytest.mark.parametrize(
    "reply",
    [
        "OptionA",
        "  optiona\n",
        "Option A",
        "OPTION\u00a0A.",
        "**OptionA**",
        "`Option A`",
        "“OptionA”",
        "«\u202fOptionA\u202f»",
        "「OptionA」。",
        "(OptionA)",
        "# OptionA",
        "- OptionA",
        "```text\nOptionA\n```",
        "ＯｐｔｉｏｎＡ！",
        "\u200fOptionA\u200e",
        "Opt\u200bionA\ufeff",
    ],
)
def test_a_decorated_label_is_read(reply):
    assert read_reply(reply, AB).action == "OptionA"


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "an empty reply"),
        ("hello", "names none of OptionA, OptionB"),
        ("Answer: OptionA", "more than a label: names OptionA among other words"),
        ("not OptionA", "more than a label: names OptionA among other words"),
        ("OptionA?", "more than a label: names OptionA among other words"),
        ("~~OptionA~~", "more than a label: names OptionA among other words"),
        ("OptionA OptionA", "more than a label: names OptionA among other words"),
        ("OptionA or OptionB", "names OptionA and OptionB, expected one of them"),
    ],
)
def test_what_is_more_than_a_label_is_refused(reply, why):
    reading = read_reply(reply, AB)
    assert (reading.action, reading.why) == (None, why)


@pytest.mark.parametrize("labels", SETS)
@given(data=st.data())
def test_any_decoration_is_taken_off(labels, data):
    label = data.draw(st.sampled_from(labels))
    marks = st.text(st.sampled_from(" \n\t\u200b\u200f\u2066*_`\"'“”«»「」()[]"), max_size=6)
    assert read_reply(data.draw(marks) + label + data.draw(marks), labels).action == label


@given(st.text(), st.text(), st.text(), st.permutations(AB))
def test_a_reply_with_both_labels_is_refused(before, between, after, two):
    assert read_reply(f"{before}{two[0]}{between}{two[1]}{after}", AB).action is None


@pytest.mark.parametrize("parser", ["strict", "json", "fairgame"])
@given(text=st.text(), labels=st.lists(st.text(min_size=1), min_size=2, max_size=4, unique=True))
def test_nothing_raises(parser, text, labels):
    reading = read_reply(text, labels, parser)
    assert (reading.action in labels) == (reading.why is None)


@pytest.mark.parametrize(
    "labels", [AB, ("A", "a"), ("A", "A."), ("1", "-1"), ("A", "AB"), ("?", "!"), ("x",)]
)
def test_every_label_reads_as_itself(labels):
    assert [read_reply(label, labels).action for label in labels] == list(labels)


def test_decoration_of_a_label_itself_is_required():
    assert read_reply('"-1"', ("1", "-1")).action == "-1"
    assert read_reply("1", ("5", "-1")).action is None


def test_a_label_inside_a_longer_one_is_not_named_by_it():
    why = read_reply("I take Option10", ("Option1", "Option10")).why
    assert why == "more than a label: names Option10 among other words"
