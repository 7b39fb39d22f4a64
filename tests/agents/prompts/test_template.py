"""The template language, against `str.format` and the regular expression that it stands for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.agents.prompts.wording import (
    DROPPED,
    block_tags,
    blocks,
    fill,
    keep_blocks,
    line_of,
    nested_block,
    placeholders,
    resolve_blocks,
    tidy,
)
from intent.base.errors import PromptError

TAGS = ("intro", "choose")
fragments = st.lists(
    st.sampled_from(["{intro}", "{choose}", ": [", ":[", ":\n [", "]", "[", "a", "\n", "{x}", "}: ["]),
    max_size=14,
).map("".join)


def by_definition(text: str, kept: set[str]) -> str:
    """Blocks as FAIRGAME defines them."""
    for tag in TAGS:
        found = re.search(rf"\{{{tag}\}}:\s*\[(.*?)\]", text, flags=re.DOTALL)
        if found:
            text = text.replace(found.group(0), found.group(1) if tag in kept else "")
    return text


@given(fragments, st.sets(st.sampled_from(TAGS)))
def test_blocks_are_those_of_the_definition(text, kept):
    assert keep_blocks(text, kept, TAGS) == by_definition(text, kept)


@given(st.lists(st.sampled_from(["{x}", "{y}", "{{", "}}", "a", " ", "é", "\n"])).map("".join))
def test_placeholders_are_filled_as_by_format(text):
    values = {"x": 6, "y": "{x} }} {{"}
    assert fill(text, values, "t") == text.format(**values)


def test_values_are_never_looked_at_again():
    assert fill("{said}.", {"said": "{history} {intro}: [x] }}"}, "t") == "{history} {intro}: [x] }}."


@pytest.mark.parametrize(
    "bad", ["{x.__class__}", "{x[0]}", "{x!r}", "{x:>9}", "{}", "{0}", "{ x }", "{x", "x}"]
)
def test_nothing_but_names_is_a_placeholder(bad):
    with pytest.raises(PromptError, match=r"^pd_en line 2: .*is no placeholder"):
        fill(f"fine\n{bad}", {"x": object()}, "pd_en")


def test_an_unknown_placeholder_is_named_with_the_nearest():
    with pytest.raises(
        PromptError, match=r"^pd_en: no value for placeholder \{wieght1\}; did you mean \{weight1\}"
    ):
        fill("{wieght1}", {"weight1": 6, "strategy1": "A"}, "pd_en")


def test_the_first_bracket_ends_a_block():
    assert keep_blocks("{intro}: [a [b] c]", {"intro"}, TAGS) == "a [b c]"


def test_only_copies_that_are_the_same_go_with_the_first():
    text = "{intro}: [a] {intro}: [a] {intro}: [b]"
    assert keep_blocks(text, {"intro"}, TAGS) == "a a {intro}: [b]"


def test_our_own_blocks_may_share_a_tag():
    text = "{intro}: [a] {choose}: [b] {intro}: [c] {open}: [d"
    assert resolve_blocks(text, {"intro"}, "-") == "a - c {open}: [d"
    assert resolve_blocks("{intro}:\n [a {x}]", {"intro"}) == "a {x}"


def test_a_block_within_a_block_and_the_line_of_a_placeholder():
    assert nested_block("{a}: [1] {b}: [2 {c}: [3] 4]") == ("b", "c")
    assert nested_block("{a}: [{b} {c}:]") is None
    assert (line_of("x\n{a} {b}\n{b}", "b"), line_of("{{b}}", "b")) == (2, None)


def test_tags_and_placeholders_in_order():
    assert block_tags("{b}: [x {a} y]{c}:[z]{b}: [2]{d}: [open") == ("b", "c")
    assert placeholders("{b} {{no}} {a} {b}", "t") == ("b", "a", "b")


def test_a_file_of_blocks():
    assert blocks("{a}: [1]\n\n{b}: [ 2 ]", "f") == {"a": "1", "b": " 2 "}
    for wrong in ("{a}: [1] stray", "stray {a}: [1]", "{a}: [1] {a}: [1]", "{a}: [1"):
        with pytest.raises(PromptError):
            blocks(wrong, "f")


def test_lines_of_dropped_blocks_go():
    text = keep_blocks("one\n{a}: [x]\n{b}: [y]\n\n\ntwo {a}: [x]end", set(), ("a", "b"), DROPPED)
    assert tidy(text) == "one\n\ntwo end"


def test_a_prompt_has_a_bounded_size():
    with pytest.raises(PromptError, match="8,000,000"):
        fill("{x}" * 100, {"x": "a" * 1_000_000}, "t")


def test_hostile_blocks_take_linear_time():
    assert keep_blocks("{intro}: [" * 19_000, {"intro"}, TAGS) == "{intro}: [" * 19_000
