"""Behaviour metrics, against golden values and their definitions taken one trajectory at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from metrics_in_words import IN_WORDS, value

from intent.base.errors import DataError
from intent.behaviour import measures as behaviour
from intent.behaviour.measures import METRICS

SIX = ("cooperation_rate", "niceness", "troublemaking", "retaliation", "forgiveness", "emulation")


def play(text: str) -> np.ndarray:
    return np.array([[{"C": 1, "D": 0}.get(x, -1) for x in text]], dtype=np.int8).reshape(1, len(text))


def measured(own: str, other: str) -> dict[str, tuple[float, int]]:
    found = {name: metric(play(own), play(other)) for name, metric in METRICS.items()}
    return {name: (float(m.value[0]), int(m.occasions[0])) for name, m in found.items()}


@pytest.mark.parametrize(
    ("own", "other", "six"),
    [
        ("C" * 10, "D" * 10, (1, 1, 0, 0, 0.9, 0)),
        ("D" * 10, "D" * 10, (0, 0, 1, 1, 0, 1)),
        ("D" * 10, "C" * 10, (0, 0, 1, 0, 0, 0)),
        ("C" * 10, "C" * 10, (1, 1, 0, 0, 0, 1)),
    ],
    ids=["ALLC-ALLD", "ALLD-ALLD", "ALLD-ALLC", "TFT-TFT"],
)
def test_golden_values(own, other, six):
    found = measured(own, other)
    assert [found[name][0] for name in SIX] == pytest.approx(six)


def test_denominators_tell_never_from_no_occasion():
    assert measured("CCC", "CCC")["retaliation"] == (0, 0)
    assert measured("CCC", "DDD")["retaliation"] == (0, 2)
    assert measured("CCC", "CCC")["forgiveness"] == (0, 0)
    assert measured("C", "C")["emulation"] == (0, 0)


def test_defecting_in_the_same_round_is_not_nice():
    assert measured("D", "D")["niceness"][0] == 0
    assert measured("CD", "DD")["niceness"][0] == 1
    assert measured("CD", "CD")["niceness"][0] == 0


def test_a_grudge_is_an_episode_and_refused_offers_are_penalties():
    # The grudge of round 1 lasts; the offers of rounds 2 and 3 are refused; round 5 forgives.
    assert measured("CDDDC", "DCCDC")["forgiveness"] == (pytest.approx(1 / 3), 3)
    # An offer answered by cooperation is no penalty; a defection in the last round begins a grudge.
    assert measured("CDCC", "DCCD")["forgiveness"] == (pytest.approx(1 / 2), 2)


@pytest.mark.parametrize(
    ("metric", "own", "other", "counts"),
    [
        ("cooperation_rate", "C.D", "CCC", (1 / 2, 2)),
        ("niceness", ".D", "CD", (0, 1)),
        ("niceness", "CCD", "C.C", (0, 1)),
        ("niceness", ".CD", "DCC", (1, 1)),
        ("troublemaking", ".D", "DC", (0, 0)),
        ("troublemaking", "C.D", "CCC", (1 / 2, 2)),
        ("retaliation", "C.", "DC", (0, 0)),
        ("retaliation", ".CD", "CDC", (0, 0)),
        ("forgiveness", "C.C", "DCC", (1, 1)),
        ("forgiveness", "C.D", "DCC", (0, 2)),
        ("emulation", "C.C", "C.C", (0, 0)),
    ],
)
def test_an_unknown_move_gives_no_occasion(metric, own, other, counts):
    assert measured(own, other)[metric] == pytest.approx(counts)


def test_nothing_is_known_of_who_never_moved():
    found = {name: metric(play("..."), play("CDC")) for name, metric in METRICS.items()}
    assert all(np.isnan(m.value[0]) for m in found.values())
    assert found["niceness"].occasions[0] == 0


@given(
    st.tuples(st.integers(0, 5), st.integers(0, 12)).flatmap(
        lambda shape: st.tuples(*[arrays(np.int8, shape, elements=st.integers(-1, 1))] * 2)
    )
)
def test_arrays_say_what_the_words_say(both):
    own, other = both
    for name, metric in METRICS.items():
        found = metric(own, other)
        for i in range(len(own)):
            words = IN_WORDS[name](own[i].tolist(), other[i].tolist())
            assert (found.hits[i], found.occasions[i]) == words, name
            if (own[i] >= 0).any():
                assert found.value[i] == pytest.approx(value(words))


@given(st.tuples(*[arrays(np.int8, (3, 8), elements=st.integers(0, 1))] * 2))
def test_padding_a_shorter_game_changes_nothing(both):
    padded = [np.pad(x, ((0, 0), (0, 4)), constant_values=-1) for x in both]
    for metric in (*METRICS.values(), behaviour.mutual_cooperation, behaviour.end_effect):
        short, long = metric(*both), metric(*padded)
        np.testing.assert_array_equal(short.value, long.value)
        np.testing.assert_array_equal(short.occasions, long.occasions)


def test_end_effect_needs_four_rounds():
    assert behaviour.end_effect(play("CCDD"), play("CCCC")).value[0] == -1
    assert np.isnan(behaviour.end_effect(play("CDD"), play("CCC")).value[0])
    late = behaviour.end_effect(play("CDCC.."), play("CCCC.."), np.array([6]))
    assert (np.isnan(late.value[0]), late.occasions[0]) == (True, 0)


def test_mutual_cooperation_and_first_move_are_unknown_where_nothing_is_known():
    assert behaviour.mutual_cooperation(play("CC"), play("CD")).value[0] == 0.5
    assert np.isnan(behaviour.mutual_cooperation(play("C."), play(".C")).value[0])
    assert behaviour.first_move(play("DC"), play("CC")).value[0] == 0
    assert np.isnan(behaviour.first_move(play(".C"), play("CC")).value[0])


def test_shapes_must_agree():
    with pytest.raises(DataError, match="expected"):
        behaviour.niceness(play("CC"), play("C"))
