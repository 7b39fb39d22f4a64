"""Studies that are played out: moves by rules in words, who is met, what is alike, what is independent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import UsageError
from intent.comparison.planned_studies import COUNTS, Design, play_studies, study_tests
from intent.estimate.design_units import design_units
from intent.play.corpora import Recorded, opponent
from intent.strategies.catalogue import strategy

NAMES = ("ALLC", "ALLD", "TFT", "WSLS", "RANDOM")
EQUAL = (0.25, 0.25, 0.25, 0.25, 0.0)
PLAN = Design(tuple(strategy(n) for n in NAMES), EQUAL, EQUAL, (0.0, 0.0), 4)
MORE = (0.1, 0.1, 0.7, 0.1, 0.0)


def correlated(kind, pairs):
    """Correlation of two draws, from how often they are the same: 1 / 4 where they are independent."""
    a, b = kind[pairs].T
    return ((a == b).mean() - 0.25) / 0.75


def test_players_follow_their_rules(rng):
    played = play_studies(PLAN, 200, 1, rng)
    own, other = played.X.own, played.X.other
    tft, alld = played.kind == 2, played.kind == 1
    assert (own[tft, 0] == 1).all()
    assert (own[tft, 1:] == other[tft, :-1]).all()
    assert not own[alld].any()
    np.testing.assert_array_equal(own[::2], other[1::2])


def test_groups_have_their_shares_and_noise(rng):
    design = replace(PLAN, second=MORE, eps=(0.0, 0.2))
    played = play_studies(design, 2000, 1, rng)
    second = np.arange(8000) >= 4000
    assert (played.kind[second] == 2).mean() == pytest.approx(0.7, abs=0.03)
    assert (played.kind[~second] == 2).mean() == pytest.approx(0.25, abs=0.03)
    defectors = played.kind == 1
    assert played.X.own[defectors & second].mean() == pytest.approx(0.2, abs=0.03)
    assert not played.X.own[defectors & ~second].any()


def test_named_opponents_are_met(rng):
    design = replace(PLAN, opponent=opponent("ALLD"), seats=1)
    played = play_studies(design, 50, 2, rng)
    assert len(played.X) == 200
    assert not played.X.other.any()
    moves = np.array([[1, 0, 1, -1]], dtype=np.int8)
    played = play_studies(replace(design, opponent=Recorded(moves)), 5, 1, rng)
    np.testing.assert_array_equal(played.X.other, moves.repeat(10, axis=0))


def test_seats_conditions_and_subjects_are_alike_as_the_design_says(rng):
    kind = play_studies(replace(PLAN, alike=0.5), 4000, 1, rng).kind
    assert correlated(kind, np.arange(16000).reshape(-1, 2)) == pytest.approx(0.5, abs=0.03)
    kind = play_studies(replace(PLAN, repeats=2, spread=0.3), 8000, 1, rng).kind
    first = np.arange(0, 32000, 4)
    assert correlated(kind, np.stack([first, first + 3], axis=1)) == pytest.approx(0.3, abs=0.04)
    played = play_studies(replace(PLAN, returns=5), 50, 3, rng)
    assert (np.bincount(played.subject) == 5).all()
    for subject in range(20):
        assert len(set(played.kind[played.subject == subject])) == 1


@pytest.mark.parametrize(
    ("more", "kind"),
    [({}, "game"), ({"repeats": 5}, "condition"), ({"returns": 5}, "player"), ({"repeats": 10}, "game")],
)
def test_the_unit_is_the_one_that_is_read_off_the_design(more, kind, rng):
    design = replace(PLAN, **more)
    played = play_studies(design, 30, 1, rng)
    games = np.arange(60).repeat(2)
    table = pd.DataFrame({"game_id": games, "seat": np.tile([1, 2], 60), "group": games // 30})
    if design.returns > 1:
        table["player"] = played.subject
    else:
        table["story"] = games // design.repeats
    unit = design.unit(30)
    known = design_units(table, ["group"]).unit
    assert unit.kind == known.kind == kind
    subjects = np.unique(played.subject, return_index=True)[1]
    assert len(set(zip(unit.codes, known.codes[subjects], strict=True))) == unit.n == known.n


@pytest.mark.parametrize("count", COUNTS)
def test_a_large_difference_is_seen_and_none_is_not(count, rng):
    design = replace(PLAN, second=MORE, eps=(0.05, 0.05), rounds=10, count=count)
    seen = study_tests(play_studies(design, 80, 5, rng), 2, rng)
    assert seen[:, 0].mean() == 1
    if count == "estimate":
        assert seen[:, 1].mean() == pytest.approx(0.45, abs=0.1)
    else:
        assert 0.1 < seen[:, 1].mean() < 0.45
    assert np.isnan(seen[:, 2:]).all() == (count == "estimate")
    none = study_tests(play_studies(replace(design, second=EQUAL), 80, 10, rng), 2, rng)
    assert none[:, 0].sum() <= 4


def test_designs_that_cannot_be():
    with pytest.raises(UsageError, match="--seats 2 against TFT"):
        replace(PLAN, opponent=opponent("TFT"))
    with pytest.raises(UsageError, match="neither --repeats nor --icc"):
        replace(PLAN, returns=2, repeats=3)


def test_rows_are_worth_less_where_they_are_alike():
    assert replace(PLAN, alike=0.5).design_effect == 1.5
    assert replace(PLAN, repeats=10, spread=0.25).design_effect == pytest.approx(5.75)
    assert replace(PLAN, returns=4).design_effect == 4
    assert replace(PLAN, repeats=10).whole(31) == 40
