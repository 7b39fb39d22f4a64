"""From a log to estimated shares: subjects, groups, counts beside them, notes, files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sfem_logs import two_treatments

from intent import GameLog, label, sfem
from intent.base import codebook
from intent.base.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.base.statistics import cluster_codes
from intent.base.tables import read_table
from intent.estimate.shares import estimate
from intent.logs.gamelog import concat_logs
from intent.strategies.sets import strategy_set

ROOT = Path(__file__).resolve().parent.parent.parent

PROMISED = [
    "group",
    "n_subjects",
    "n_choices",
    "log_likelihood",
    "aic",
    "bic",
    "icl",
    "tremble",
    "gamma",
    "shares",
    "best",
    "match",
]


@pytest.fixture(scope="module")
def log():
    return two_treatments()


@pytest.fixture(scope="module")
def by_treatment(log):
    return sfem(log, "ALLC,ALLD,TFT", by="treatment", bootstrap=50)


def test_shares_are_recovered_by_group(by_treatment):
    calm, harsh = by_treatment.fits
    assert by_treatment.values == (("calm",), ("harsh",))
    assert [share.estimate for share in calm.shares] == pytest.approx([0.5, 0, 0.5], abs=0.03)
    assert [share.estimate for share in harsh.shares] == pytest.approx([0, 1, 0], abs=0.03)
    assert calm.tremble[0].estimate == pytest.approx(0.05, abs=0.01)
    assert harsh.best == "ALLD"


def test_the_json_object_keeps_its_promise(by_treatment):
    found = by_treatment.to_dict()
    promised = [*codebook.JSON_OBJECTS["sfem"], *codebook.JSON_EXTRAS["sfem"]]
    assert list(found) == [key for key in promised if key not in ("explained", "baselines")]
    assert [test["tested"] for test in found["tests"]] == ["shares and tremble", "shares", "tremble"]
    for group in found["groups"]:
        assert set(PROMISED) <= set(group)
        assert all(key in codebook.JSON_OBJECTS["sfem"]["groups"] for key in group)
        for share in group["shares"].values():
            assert list(share) == ["estimate", "se", "low", "high"]
    json.dumps(found, allow_nan=False)
    assert [g["group"] for g in found["groups"]] == [{"treatment": "calm"}, {"treatment": "harsh"}]


def test_each_strategy_may_have_its_own_tremble(log):
    group = sfem(log, "ALLC,ALLD,TFT", tremble="strategy").to_dict()["groups"][0]
    assert list(group["tremble"]) == list(group["gamma"]) == ["ALLC", "ALLD", "TFT"]
    assert list(group["tremble_interval"]["TFT"]) == ["se", "low", "high"]


def test_groups_fit_apart_or_with_one_tremble(log, by_treatment):
    alone = sfem(log, "ALLC,ALLD,TFT", where={"treatment": ["calm"]})
    assert alone.fits[0].log_likelihood == pytest.approx(by_treatment.fits[0].log_likelihood)
    pooled = sfem(log, "ALLC,ALLD,TFT", by="treatment", tremble="pooled")
    assert len({fit.tremble[0].estimate for fit in pooled.fits}) == 1


def test_a_player_is_one_subject_with_all_its_games():
    log = two_treatments(players=True)
    result = sfem(log, "ALLC,ALLD,TFT")
    assert (result.fits[0].n_subjects, result.unit) == (60, "all games of one player")
    seats = sfem(log, "ALLC,ALLD,TFT", subject=["game_id", "seat"])
    assert (seats.fits[0].n_subjects, seats.unit) == (120, "one seat of one game")
    assert result.fits[0].n_choices == seats.fits[0].n_choices == 2400


def test_a_seat_without_a_player_is_a_subject_of_its_own():
    log = two_treatments(players=True)
    log.seats.loc[log.seats["player"].isin(["ALLC0", "TFT0"]), "player"] = None
    assert sfem(log).fits[0].n_subjects == 62


def test_a_player_in_two_groups_is_told(log):
    played = two_treatments(players=True)
    played.games["half"] = np.arange(len(played)) % 2
    result = sfem(played, by="half")
    n = sum(fit.n_subjects for fit in result.fits)
    assert (f"{n - 60} of them play in several groups" in " ".join(result.notes)) == (n > 60)


def test_labels_of_groups_are_exchanged_within_a_player_of_several():
    played = two_treatments(players=True)
    played.games["half"] = np.arange(len(played)) % 2
    result = sfem(played, "ALLC,TFT,ALLD", by="half", bootstrap=39, seed=4)
    X = played.trajectories()
    alone = estimate(
        X,
        cluster_codes(X.keys, ["player"]),
        strategy_set("ALLC,TFT,ALLD"),
        groups=X.keys["half"].to_numpy(dtype=int),
        bootstrap=39,
        rng=np.random.default_rng(4),
    )
    assert len(result.posteriors()) > 60
    assert result.tests[0].p_permutation == alone.tests[0].p_permutation


def test_the_bootstrap_resamples_games_of_seats_and_given_clusters(log):
    assert sfem(log).config["cluster"] == ["game_id"]
    assert sfem(two_treatments(players=True)).config["cluster"] == []
    with pytest.raises(UsageError, match="a subject has games in several clusters of game_id"):
        sfem(two_treatments(players=True), cluster="game_id")


def test_estimates_stand_beside_counted_labels(log, by_treatment):
    labels = label(log)
    table = by_treatment.table().set_index(["treatment", "strategy"])
    assert table.loc[("harsh", "ALLD"), "counted_best"] > 0.9
    assert table.loc[("calm", "TFT"), "counted_confident"] <= table.loc[("calm", "TFT"), "counted_best"]
    given = sfem(log, by="treatment", labels=labels).groups[0].counted
    calm = labels[labels["treatment"] == "calm"]
    assert given.n == len(calm)
    assert given.best["TFT"] == pytest.approx((calm["best"] == "TFT").mean())
    assert given.confident["TFT"] == pytest.approx((calm["label"] == "TFT").mean())
    assert given == sfem(log, by="treatment").groups[0].counted


def test_labels_of_another_log_are_refused(log):
    labels = label(log)
    with pytest.raises(DataError, match="holds none of the 120 trajectories"):
        sfem(log, labels=labels.assign(game_id="x" + labels["game_id"], seat=range(120)))
    with pytest.raises(DataError, match="no column 'best'"):
        sfem(log, labels=labels.drop(columns="best"))


def test_memory_is_that_of_the_set_unless_said(log):
    assert sfem(log, "rr20").config["memory"] == ["intended"]
    assert sfem(log, "rr20", memory="realised").config["memory"] == ["realised"]
    assert sfem(log).config["memory"] == ["realised"]


def test_hidden_intentions_are_estimated_but_not_counted(log):
    found = sfem(log, "TFT,GTFT,ALLD", memory="intended")
    assert [group.counted for group in found.groups] == [None]


def test_selection_drops_what_nobody_plays(log):
    kept = sfem(log, "df2011", select="bic").fits[0].names
    assert {"ALLC", "TFT", "ALLD"} <= set(kept)
    assert len(kept) < 6


def test_posteriors_name_the_subjects(by_treatment):
    table = by_treatment.posteriors()
    assert list(table)[:6] == ["game_id", "seat", "treatment", "n_trajectories", "best", "confidence"]
    assert len(table) == 120
    assert np.allclose(table[["p_ALLC", "p_ALLD", "p_TFT"]].sum(axis=1), 1)
    assert set(table.loc[table["treatment"] == "harsh", "best"]) == {"ALLD"}


def test_posteriors_of_nameless_players_name_their_seats_once():
    log = two_treatments(players=True)
    log.seats.loc[log.seats["player"].isin(["ALLC0", "TFT0"]), "player"] = None
    table = sfem(log, subject="player", by="seat").posteriors()
    assert list(table)[:4] == ["player", "seat", "game_id", "n_trajectories"]
    assert len(table) == 62


def test_files_say_how_they_came_about(by_treatment, tmp_path):
    for name in ("shares.csv", "shares.parquet", "shares.json", "shares.svg"):
        by_treatment.write(tmp_path / name)
    table, facts = read_table(tmp_path / "shares.csv")
    assert len(table) == 6
    assert (facts["tremble"], facts["by"], facts["bootstrap"]) == ("common", ["treatment"], 50)
    stored = json.loads((tmp_path / "shares.json").read_text(encoding="utf8"))
    assert set(stored) == {"groups", "tests", "unit", "unit_line", "notes", "config"}
    assert stored["groups"][1]["counted"]["n"] == 40
    assert stored["tests"][0]["groups"] == [["calm"], ["harsh"]]
    written = by_treatment.write_posteriors(tmp_path / "who.parquet")
    pd.testing.assert_frame_equal(read_table(written)[0], by_treatment.posteriors(), check_dtype=False)
    with pytest.raises(OutputError, match="exists"):
        by_treatment.write(tmp_path / "shares.csv")


def test_the_same_seed_gives_the_same(log, by_treatment):
    again = sfem(log, "ALLC,ALLD,TFT", by="treatment", bootstrap=50)
    assert again.to_dict() == by_treatment.to_dict()


def test_tests_between_groups_in_words(by_treatment, log):
    assert by_treatment.sentences()[0].startswith("Shares and tremble differ by treatment: likelihood ratio")
    assert sfem(log).sentences() == []


def test_notes_warn_of_what_the_numbers_hide(log):
    notes = " ".join(sfem(log, "ALLC,ALLD,TFT", by="treatment").notes)
    assert "lie on the boundary and have no error; --bootstrap 1000 gives intervals" in notes
    sessions = two_treatments()
    sessions.games["session"] = np.arange(len(sessions)) % 4
    notes = sfem(sessions, "ALLC,ALLD,TFT", by="treatment", cluster="session").notes
    assert "fewer than 5 sessions in calm, harsh: their intervals are unreliable" in notes
    few = two_treatments(each=4)
    assert "fewer than 5 subjects per parameter" in " ".join(sfem(few).notes)
    few.games["game"] = np.resize(["stag-hunt", "prisoner-dilemma"], len(few))
    assert "play of 2 games is pooled (prisoner-dilemma, stag-hunt)" in " ".join(sfem(few).notes)


def test_strategies_that_play_alike_are_named(log):
    silent = two_treatments(rounds=1)
    result = sfem(silent, "ALLC,TFT,ALLD")
    assert "does not tell ALLC and TFT apart" in " ".join(result.notes)
    assert [set(ridge) for ridge in result.fits[0].ridge] == [{"ALLC", "TFT"}]


def test_play_that_cannot_be_used_is_counted(log):
    undecidable = two_treatments(seed=2)
    undecidable.games["cooperative_action"] = None
    undecidable.moves["cooperated"] = None
    for name in ("games", "seats", "moves"):
        table = getattr(undecidable, name)
        table["game_id"] = "u" + table["game_id"].astype(str)
    both = concat_logs([log, GameLog(undecidable.games, undecidable.seats, undecidable.moves)])
    result = sfem(both)
    assert result.fits[0].n_subjects == 120
    assert "120 games are left out: no cooperative action" in result.notes
    with pytest.raises(UsageError, match=r"no play to estimate from in 120 games \(120 games: no coop"):
        sfem(GameLog(undecidable.games, undecidable.seats, undecidable.moves))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tremble": "per-group"}, "unknown tremble 'per-group'"),
        ({"memory": "perfect"}, "unknown memory"),
        ({"select": "bics"}, "unknown criterion 'bics'; did you mean bic"),
        ({"by": "treatmnt"}, "unknown column 'treatmnt'; did you mean treatment"),
        ({"subject": "session"}, "unknown column 'session'"),
        ({"strategies": "df2012"}, "did you mean df2011"),
    ],
)
def test_unknown_names(log, settings, message):
    with pytest.raises(UnknownNameError, match=message):
        sfem(log, **settings)


@pytest.mark.parametrize("settings", [{"bootstrap": -1}, {"bootstrap": 1}, {"level": 1.0}])
def test_settings_that_cannot_be(log, settings):
    with pytest.raises(UsageError, match="expected"):
        sfem(log, **settings)


@pytest.mark.data
def test_the_public_log_gives_what_the_page_says(data_dir):
    page = (ROOT / "docs" / "ten_rounds.md").read_text(encoding="utf-8")
    setting = ["model", "language", "payoff_type", "horizon_known", "source_game_id"]
    found = sfem(
        data_dir / "fairgame" / "results.csv.gz",
        "canonical4",
        by="model",
        cluster=setting,
        where={"game": ["prisoner-dilemma"]},
    )
    rows = [line.split("|") for line in page.splitlines() if " ± " in line and ", counted" in line]
    assert len(rows) == len(found.groups) == 3
    for row, group in zip(rows, found.groups, strict=True):
        tremble, counted = group.fit.tremble[0], group.counted.best
        assert row[2].split() == [f"{tremble.estimate:.3f}"[1:], "±", f"{tremble.se:.3f}"[1:]]
        for cell, name, share in zip(row[3:], group.fit.names, group.fit.shares, strict=False):
            said = cell.split()
            assert float(said[0]) == pytest.approx(100 * share.estimate, abs=0.6)
            assert float(said[-1]) == pytest.approx(100 * counted[name], abs=0.6)
