"""Words that turn a sentence against a name, and where their two readers differ."""

from __future__ import annotations

import pytest

from intent.base.announcements import DENIALS, NEGATIONS, either


@pytest.mark.parametrize(
    "said", ["i won't take", "it is not", "je ne prends pas", "tôi không chọn", "我不选", "لن اختار"]
)
def test_both_know_the_plain_words(said):
    assert either(NEGATIONS).search(said)
    assert either(DENIALS).search(said)


@pytest.mark.parametrize("said", ["hardly", "n’est", "sans", "chưa", "未", "غير"])
def test_doubt_denies_and_does_not_negate(said):
    assert either(DENIALS).search(said)
    assert not either(NEGATIONS).search(said)


@pytest.mark.parametrize("said", ["knot", "nothing", "passer", "know"])
def test_words_are_whole(said):
    assert not either(DENIALS).search(said)
