from __future__ import annotations

import pytest

from intent import Trajectories
from intent.base.errors import RecogniserError
from intent.recognise.rules import RulesRecogniser
from intent.recognise.verdict import RULE_CLASSES, satisfied_rules


def rules(own, other, tolerance=0.1):
    hits = satisfied_rules(Trajectories.from_strings([own], [other]), tolerance)[0]
    return [name for name, hit in zip(RULE_CLASSES, hits, strict=True) if hit]


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [
        ("CCCCCCCCCC", "CCCCCCCCCC", ["ALLC", "TFT", "WSLS"]),
        ("CCCCCCCCCC", "CDCCCCCCCC", ["ALLC"]),
        ("DDDDDDDDDD", "CDCDCDCDCD", ["ALLD"]),
        ("DDDDDDDDDD", "CCCCCCCCCC", ["ALLD", "WSLS"]),
        ("CCDCCDDCCC", "CDCCDDCCCC", ["TFT"]),
        ("CCDDCCCCCC", "CDCDCCCCCC", ["WSLS"]),
        ("DCCCCCCCCC", "DCCCCCCCCC", ["WSLS"]),
        ("CDCDCDDCDC", "CCCCCCCCCC", []),
    ],
)
def test_ten_rounds_allow_no_mismatch(own, other, expected):
    assert rules(own, other) == expected


def test_longer_play_allows_a_tenth():
    other = "C" * 21
    assert "TFT" in rules("CDD" + "C" * 18, other)
    assert "TFT" not in rules("CDDD" + "C" * 17, other)


def test_tft_must_open_with_cooperation_and_wsls_need_not():
    assert rules("DC", "CC", 0.0) == []
    assert rules("DCC", "DCC", 0.0) == ["WSLS"]


def test_expand_shares_and_priority_chooses():
    both = Trajectories.from_strings(["CCC", "DDD", "CDC"], ["CCC", "CCC", "CCC"])
    expand = RulesRecogniser(mode="expand").fit().predict_proba(both)
    assert expand[0] == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    assert expand[2] == pytest.approx([0.25] * 4)
    assert RulesRecogniser(mode="priority").fit().predict(both[:2]).tolist() == ["ALLC", "ALLD"]


def test_missing_moves_are_no_mismatch_and_nothing_is_nothing():
    assert rules("C?C", "CCC") == ["ALLC", "TFT", "WSLS"]
    assert rules("???", "CCC") == []


def test_bad_parameters():
    with pytest.raises(RecogniserError, match="mode"):
        RulesRecogniser(mode="all").fit()
    with pytest.raises(RecogniserError, match="tolerance"):
        RulesRecogniser(tolerance=1.0).fit()
