"""Private text: whatever may stand in private braces is not public, and the rest is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.agents.architectures.deliberation import CLOSING, OPENING, split_private
from intent.base.replies import read_decision


@pytest.mark.parametrize(
    ("reply", "public", "private"),
    [
        ("{{s}} p", "p", "s"),
        ("p {{s}}", "p", "s"),
        ("p {{s}} q {{t}}", "p  q", "s\n\nt"),
        ("{{s {{t}} u}} p", "p", "s {{t}} u"),
        ("{ {s} } p", "p", "s"),
        ("{\n{s}\n} p", "p", "s"),
        ("{\u200b{s}\u200b} p", "p", "s"),
        ("{{{s}}} p", "p", "s"),
        ("{s} p", "p", "s"),
        ("｛｛s｝｝ p ❴❴t❵❵", "p", "s\n\nt"),
        ("&lbrace;&#123;s&#125;&rcub; p", "p", "&lbrace;&#123;s&#125;&rcub;"),
        ("<private>s</private> p", "p", "<private>s</private>"),
        ("no braces", "no braces", ""),
        ("", "", ""),
    ],
)
def test_braces_of_all_shapes(reply, public, private):
    found = split_private(reply)
    assert (found.public, found.private, found.unbalanced) == (public, private, False)


@pytest.mark.parametrize(
    ("reply", "public"),
    [
        ("p {{s", "p"),
        ("p {{s} t", "p"),
        ("{{{s}} t", ""),
        ("s}} p", "p"),
        ("s {{t}}} p", "p"),
        ("s {t}} p", "p"),
        ("s}} t}} p", "p"),
        ("s }} {{ t", ""),
        ("{{s ⦄ t", ""),
    ],
)
def test_after_an_open_brace_and_before_a_stray_one_all_is_private(reply, public):
    found = split_private(reply)
    assert (found.public, found.unbalanced) == (public, True)
    assert "s" in found.private


@pytest.mark.parametrize(
    "stated",
    [
        '{"DECISION": "OptionA"}',
        "{'DECISION': 'OptionA'}",
        "{ “decision” : “OptionA” }",
        '```json\n{\n  "DECISION": "OptionA"\n}\n```',
        "{DECISION: OptionA}",
    ],
)
def test_a_decision_in_single_braces_is_public(stated):
    found = split_private(f"{{{{OptionB pays more.}}}}\nI choose OptionA.\n{stated}")
    assert found.public == f"I choose OptionA.\n{stated}"
    assert read_decision(found.public, ("OptionA", "OptionB")).action == "OptionA"


@pytest.mark.parametrize(
    "stated",
    [
        '{{"DECISION": "OptionA"}}',
        '{{s {"DECISION": "OptionA"} t}}',
        '{"plan": "s", "DECISION": "OptionA"}',
        '{"DECISION": "OptionA", "why": "s"}',
        '{"DECISION": {"why": "s"}}',
        "{{s\nDECISION: OptionA",
        "DECISION: OptionA}}",
    ],
)
def test_a_decision_in_private_text_is_none(stated):
    assert split_private(stated).public == ""


HEADINGS = [
    ("Private thoughts", "Public thoughts"),
    ("PRIVATE THOUGHTS (inside double curly brackets)", "PUBLIC THOUGHTS"),
    ("**Private Thoughts", "**Public Thoughts"),
    ("### 1. Inner monologue", "### 2. Public message"),
    ("[Private]", "[Public]"),
    ("Pensées privées ", "Pensées publiques "),
    ("Réflexions secrètes", "Texte public"),
    ("الأفكار الخاصة", "الأفكار العلنية"),
    ("私人想法", "公开想法"),
    ("不公开的想法", "公开发言"),
    ("Suy nghĩ riêng tư", "Suy nghĩ công khai"),
    ("My private thoughts", "My public text"),
    ("Mes pensées privées ", "2. Votre texte public "),
    ("أفكاري الخاصة", "نصي العلني"),
    ("我的私下想法", "我的公开文字"),
    ("Những suy nghĩ riêng", "Đoạn văn công khai"),
]


@pytest.mark.parametrize(("hidden", "shown"), HEADINGS)
@pytest.mark.parametrize("colon", [":", "：", ":**"])
def test_headings_tell_private_from_public_without_braces(hidden, shown, colon):
    found = split_private(
        f"Sure.\n{hidden}{colon} I shall defect.\nYes.\n\n{shown}{colon} Let us trade.\nDECISION: A"
    )
    assert found.public == "Let us trade.\nDECISION: A"
    assert "I shall defect.\nYes." in found.private


@pytest.mark.parametrize(
    ("reply", "public"),
    [
        ("Private thoughts:\n{{s}}\n\nPublic thoughts:\np", "p"),
        ("Private thoughts:\n{{s}}\np", "p"),
        ("**Private thoughts**\n{{s}} p", "p"),
        ("Private thoughts: s\nno heading follows", ""),
        ("Hello. My private thoughts: s", "Hello. My"),
        ("Private thoughts: in my public thoughts: s", ""),
        ("{{s\nPublic thoughts: t}} p", "p"),
        ("{{Private thoughts: s}} p", "p"),
        ("s without a mark\nPublic thoughts: p", "p"),
        ("Public thoughts: p\nPrivate thoughts: s", "p"),
        ("{{s}} t\nPublic thoughts: p\nPrivate thoughts: {{u}} v\nPublic thoughts: q", "p\n q"),
    ],
)
def test_headings_and_braces_together(reply, public):
    assert split_private(reply).public == public


def by_hand(text: str) -> str:
    """What is public where braces are all there is: each character looked at by itself."""

    def open_after(part: str) -> int:
        return sum((c in OPENING) - (c in CLOSING) for c in part)

    public, start = "", 0
    depth = 0
    for at, char in enumerate(text):
        depth += (char in OPENING) - (char in CLOSING)
        if depth < 0:
            depth, start = 0, at + 1
    for at in range(start, len(text)):
        if text[at] not in OPENING + CLOSING and open_after(text[start:at]) == 0:
            public += text[at]
    return public.strip()


@given(st.text(alphabet="ab \n{}｛❵", max_size=60))
def test_counting_equals_looking_at_each_character(text):
    assert split_private(text).public == by_hand(text)


@given(st.text(max_size=200), st.text(alphabet="{}｛｝ \n\u200bx", max_size=40))
def test_public_text_is_public_when_split_again(text, braces):
    found = split_private(text[:100] + braces + text[100:])
    assert not any(c in found.public for c in "｛｝")
    assert len(found.public) <= len(text) + len(braces)


LABELS = ("OptionA", "OptionB")


@pytest.mark.parametrize(
    ("reply", "public"),
    [
        ("{Choice: betray them} Trust me.", "Trust me."),
        ('{"action": "lie to them"} Trust me.', "Trust me."),
        ('Trust me. {"DECISION": "option a"}', 'Trust me. {"DECISION": "option a"}'),
        ("{DECISION: **OptionB**}", "{DECISION: **OptionB**}"),
    ],
)
def test_of_objects_only_those_with_a_label_are_public(reply, public):
    assert split_private(reply, LABELS).public == public


@pytest.mark.parametrize(
    "pattern",
    [
        "{",
        "}",
        "{}",
        "{ ",
        "{{}}",
        '{"decision": ',
        "{decision: a " + " " * 60,
        "private thoughts (",
        "- ",
        "\n",
        "&#123;",
    ],
)
def test_a_megabyte_of_anything_is_read(pattern):
    found = split_private(pattern * (1_000_000 // len(pattern)))
    assert len(found.public) <= 1_000_000
