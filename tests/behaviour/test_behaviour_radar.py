"""The four measures of the radar: by hand, against loops over cells, and what cannot be computed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from play_logs import PD, log_of, match, public_goods_games, scaled_games

from intent.behaviour.indices import AXES, behaviour_radar, outcome_of
from intent.behaviour.play_table import played
from intent.games.catalogue import game


def values(radar, **where):
    table = radar.table
    for column, value in where.items():
        table = table[table[column] == value]
    return dict(zip(table["axis"], table["value"], strict=True))


def test_by_hand():
    log = log_of(
        *[match(PD, own, own, language="en", repetition=i) for i, own in ((1, "CC"), (2, "DD"))],
        *[match(PD, own, own, language="vi", repetition=i) for i, own in ((1, "CD"), (2, "CD"))],
    )
    found = values(behaviour_radar(played(log)))
    # Normalised penalties: CC .2, DD .6, CD .4; both seats alike.
    assert found["IV"] == pytest.approx((np.var([0.2, 0.6], ddof=1) + 0) / 2)
    assert found["CI"] == pytest.approx(0)
    assert found["VR"] == pytest.approx((0 + 0 + 0.2 + 0.2) / 4)
    assert np.isnan(found["SP"])


def test_against_loops_over_cells(rng):
    table = played(scaled_games(rng, repetitions=3))
    radar = behaviour_radar(table, stakes="scale")
    x, volatility = {}, {}
    for (game_id, seat), rows in table.groupby(["game_id", "seat"], observed=True):
        first = rows.iloc[0]
        persona = tuple(table[table["game_id"] == game_id].drop_duplicates("seat")["persona"])
        key = (first["model"], first["scale"], first["language"], seat, persona, first["repetition"])
        x[key], volatility[key] = rows["normalised"].mean(), rows["normalised"].std(ddof=0)
    others = sorted({key[3:5] for key in x})
    for model, scale in product("AB", (0.1, 1.0, 10.0)):

        def mean(s, language, cell, model=model):
            return np.mean([x[model, s, language, *cell, r] for r in (1, 2, 3)])

        reps = [[x[model, scale, lang, *c, r] for r in (1, 2, 3)] for lang in ("en", "vi") for c in others]
        expected = {
            "IV": np.mean([np.var(v, ddof=1) for v in reps]),
            "CI": np.mean([np.std([mean(scale, lang, c) for lang in ("en", "vi")]) for c in others]),
            "VR": np.mean([v for k, v in volatility.items() if k[:2] == (model, scale)]),
            "SP": np.mean(
                [
                    np.std([mean(s, lang, c) for s in (0.1, 1.0, 10.0)])
                    for lang in ("en", "vi")
                    for c in others
                ]
            ),
        }
        assert values(radar, model=model, stakes=scale) == pytest.approx(expected)


def test_relative_values_are_over_the_largest_at_the_same_setting(rng):
    radar = behaviour_radar(played(scaled_games(rng)), stakes="scale")
    assert radar.axes == [*AXES]
    for _, part in radar.table.groupby(["stakes", "axis"]):
        assert part["relative"].max() == 1.0
        assert part["relative"].tolist() == pytest.approx((part["value"] / part["value"].max()).tolist())


def test_chance_is_what_repetitions_alone_give(rng):
    # No language makes a difference here: CI is about its chance value, far from that of a real difference.
    table = played(scaled_games(rng, models=("A",), repetitions=40))
    found = behaviour_radar(table, stakes="scale").table.query("axis == 'CI'")
    assert found["value"].mean() == pytest.approx(found["chance"].mean() * np.sqrt(2 / np.pi), rel=0.35)


def test_alike_models_have_no_variability_not_an_error():
    log = log_of(*[match(PD, "CC", "CC", model=m, language="en", repetition=i) for m in "AB" for i in (1, 2)])
    radar = behaviour_radar(played(log))
    part = radar.table[radar.table["axis"] == "IV"]
    assert part["relative"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("matches", "axis", "reason"),
    [
        ([match(PD, "CD", "CC", model=m) for m in "AB"], "IV", "no cell has two repetitions"),
        (
            [match(PD, "CD", "CC", model=m, language="en") for m in "AB"],
            "CI",
            "all games are in one language",
        ),
        ([match(PD, "C", "C", model=m) for m in "AB"], "VR", "no game has two rounds"),
        ([match(PD, "CD", "CC", model=m) for m in "AB"], "SP", "there is one payoff setting"),
        ([match(PD, "CD", "CC") for _ in range(2)], "VR", "one model has no other"),
        (
            [match(PD, "CD", "CC", model=m) for m in "AAB"],
            "IV",
            "it is not known for all models",
        ),
    ],
)
def test_what_cannot_be_computed_is_said(matches, axis, reason):
    radar = behaviour_radar(played(log_of(*matches)))
    assert reason in radar.missing[axis]
    assert axis not in radar.axes
    if reason.startswith(("no", "all", "there")):
        assert np.isnan(values(radar, model=radar.table["model"].iloc[0])[axis])


def test_outcome_is_the_payoff_of_scaled_copies_only(rng):
    harsh = game("prisoner-dilemma-harsh")
    assert outcome_of(played(scaled_games(rng))) == "payoff"
    assert outcome_of(played(log_of(match(PD, "C", "C"), match(harsh, "C", "C")))) == "cooperation"
    assert outcome_of(played(public_goods_games(rng))) == "cooperation"
    assert outcome_of(played(log_of(match(game("battle-sexes"), "C", "D")))) == "payoff"


def test_exchanging_labels_and_seats_changes_nothing(rng):
    log = scaled_games(rng)
    before = behaviour_radar(played(log), stakes="scale").table
    log.moves["seat"] = 3 - log.moves["seat"]
    log.seats["seat"] = 3 - log.seats["seat"]
    after = behaviour_radar(played(log), stakes="scale").table
    assert after["value"].tolist() == pytest.approx(before["value"].tolist())


def test_a_column_that_follows_from_language_or_stakes_is_no_condition_of_its_own(rng):
    log = scaled_games(rng)
    before = behaviour_radar(played(log), stakes="scale").table
    log.games["wording"] = "prompts in " + log.games["language"]
    log.games["table"] = "times " + log.games["scale"].astype(str)
    assert behaviour_radar(played(log), stakes="scale").table.equals(before)
