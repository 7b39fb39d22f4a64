"""Comparisons that go back to the log: quality of moves, estimated shares, sensitivity, indices."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from intent import generate
from intent.base.errors import DataError, UsageError
from intent.comparison.compare import compare
from intent.estimate.sfem import sfem
from intent.logs.stores import write_log
from intent.recognise.labels.label import label_log


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A log of two treatments as a file, and its labels."""
    root = tmp_path_factory.mktemp("compared")
    log = generate("ALLC,TFT,ALLD", 60, rounds=10, eps=0.05, seed=1)
    focal = log.seats[log.seats["focal"]].set_index("game_id")["strategy"]
    log.games["treatment"] = ["harsh" if focal[g] == "ALLD" else "calm" for g in log.games["game_id"]]
    status = log.moves["status"].astype(object)
    log.moves["status"] = status.where(log.moves.index != log.moves.index[0], "defaulted").astype("category")
    write_log(log, root / "log")
    label_log(root / "log", keep_defaulted=True).write(root / "labels.parquet")
    return root


def quick(source, by="treatment", **settings):
    return compare(source, by, **{"bootstrap": 20, "permutations": 19, **settings})


def test_labels_know_the_quality_of_their_moves(folder):
    groups = quick(folder / "labels.parquet").to_dict()["groups"]
    assert sum(group["quality"]["defaulted"] for group in groups) > 0
    assert [group["quality"]["missing"] for group in groups] == [0, 0]
    assert [group["quality"]["refused"] for group in groups] == [None, None]


def test_a_log_is_compared_as_its_labels_are(folder):
    found = quick(folder / "log", keep_defaulted=True)
    assert found.to_dict() == quick(folder / "labels.parquet").to_dict()
    assert quick(folder / "log", metric="cooperation_rate").comparison.metric == "cooperation_rate"


def test_games_without_rows_are_said(tmp_path):
    log = generate("ALLC,TFT", 20, rounds=10, seed=1)
    log.games["treatment"] = ["a", "b"] * 10
    log.games.loc[:4, "cooperative_action"] = None
    log.moves["cooperated"] = log.moves["cooperated"].where(
        ~log.moves["game_id"].isin(log.games["game_id"][:5])
    )
    note = "5 games of the log have no rows: no cooperative action"
    assert note in quick(log).notes
    write_log(log, tmp_path / "log")
    label_log(tmp_path / "log").write(tmp_path / "labels.parquet")
    assert note in quick(tmp_path / "labels.parquet").notes


def test_without_the_log_quality_is_null_and_said(folder, tmp_path):
    table = pd.read_parquet(folder / "labels.parquet")
    table.to_csv(tmp_path / "labels.csv", index=False)
    found = quick(tmp_path / "labels.csv")
    assert {group["quality"] for group in found.to_dict()["groups"]} == {None}
    assert "does not say which log it was made from" in " ".join(found.notes)
    assert "shares are estimated from posteriors at their noise" in " ".join(found.notes)
    found = quick(tmp_path / "labels.csv", log=folder / "log")
    assert all(group["quality"] for group in found.to_dict()["groups"])
    without = table.drop(columns=[c for c in table.columns if c.startswith("p_")])
    without.to_csv(tmp_path / "bare.csv", index=False)
    with pytest.raises(DataError, match="no column 'p_<STRATEGY>'"):
        quick(tmp_path / "bare.csv", count="posterior")
    with pytest.raises(UsageError, match=r"an estimate of shares needs the log .*--log PATH.*--count status"):
        quick(tmp_path / "bare.csv")


def test_another_log_is_refused(folder, tmp_path):
    write_log(generate("TFT", 2, rounds=3, seed=2), tmp_path / "other")
    with pytest.raises(DataError, match=r"^other is not the log that the table was made from: sha256"):
        quick(folder / "labels.parquet", log=tmp_path / "other")


def test_estimated_shares_are_those_of_sfem(folder):
    found = quick(folder / "labels.parquet").to_dict()
    expected = sfem(folder / "log", by="treatment", keep_defaulted=True).to_dict()
    assert found["count"] == "estimate"
    for group, fit in zip(found["groups"], expected["groups"], strict=True):
        assert group["n"] == fit["n_subjects"]
        for name, share in group["shares"].items():
            assert share["estimate"] == pytest.approx(fit["shares"][name]["estimate"], abs=1e-6)
            assert share["low"] <= share["estimate"] <= share["high"]
    assert {test["test"] for test in found["tests"]} == {"likelihood_ratio"}


def test_the_headline_is_the_sentence_for_a_paper(folder):
    result = quick(folder / "labels.parquet")
    (head,) = result.to_dict()["headline"]
    assert (head["factor"], head["unit"], head["test"]) == ("treatment", "games", "likelihood_ratio")
    assert head["sentence"] == result.paper_sentences()[0]
    assert head["sentence"].startswith(
        "The shares of strategies differ by treatment in these conditions (60 trajectories in 60 games"
    )
    assert "with games as units" in head["sentence"]
    assert "against its distribution with games as independent units" in result.methods()


def test_a_test_that_is_shown_twice_has_one_p(folder):
    alone = quick(folder / "labels.parquet").headline()[0]
    beside = quick(folder / "labels.parquet", "treatment,seat").headline()[0]
    assert (alone.factor, alone.p) == (beside.factor, beside.p)


def test_a_gate_counts_labels(folder):
    assert quick(folder / "labels.parquet", gate="trajectory").comparison.count == "status"
    with pytest.raises(UsageError, match="which would bias an estimate"):
        quick(folder / "labels.parquet", gate="game", count="estimate")


def test_random_competes_unless_it_may_not(folder):
    shares = quick(folder / "labels.parquet").to_dict()["groups"][0]["shares"]
    assert list(shares) == ["ALLC", "ALLD", "TFT", "WSLS", "RANDOM"]
    without = quick(folder / "labels.parquet", background=False).to_dict()["groups"][0]["shares"]
    assert list(without) == ["ALLC", "ALLD", "TFT", "WSLS"]


def test_strategies_that_play_does_not_tell_apart_are_named_together():
    log = generate("ALLC,TFT", 60, rounds=10, eps=0.0, opponent="ALLC", seed=1)
    log.games["treatment"] = ["a", "b"] * 30
    found = quick(log)
    text = " ".join([*found.notes, *found.paper_sentences(), *found.comparison.notes])
    assert "does not tell ALLC and TFT and WSLS apart" in text
    assert not found.comparison.tests
    assert "no test by treatment: play does not vary within the groups" in found.notes


def test_findings_say_who_cooperates_more(folder):
    result = quick(folder / "labels.parquet")
    (line,) = result.finding_sentences()
    assert line.startswith("Cooperation is more frequent with treatment calm than with treatment harsh")
    assert result.to_dict()["findings"][0]["levels"] == ["calm", "harsh"]


def test_counted_statuses_stand_beside_those_of_coins(folder):
    (line,) = [n for n in quick(folder / "labels.parquet", count="status").notes if "fair coins" in n]
    assert "would be confident (" in line


def test_membership_is_regressed_in_the_mixture(folder):
    model = quick(folder / "labels.parquet", model=True).extras.model
    assert model.terms[0].p < 0.001
    adjusted = {(m.level, m.outcome): m.estimate for m in model.margins}
    assert adjusted["harsh", "ALLD"] > 0.9


def test_sensitivity_starts_from_the_labels_as_they_are(folder):
    found = quick(folder / "labels.parquet", sensitivity=True, count="status").to_dict()
    first = found["sensitivity"][0]
    sizes = [group["n"] for group in found["groups"]]
    for name, share in first["shares"].items():
        weighted = sum(g["shares"][name]["estimate"] * g["n"] for g in found["groups"]) / sum(sizes)
        assert share == pytest.approx(weighted)
    assert len(found["sensitivity"]) == 16


def test_a_model_and_human_baselines_are_set_beside(folder):
    found = quick(folder / "labels.parquet", model=True, baseline="df2011-d75-r48")
    payload = json.loads(json.dumps(found.to_dict(), default=str))
    assert payload["model"]["terms"][0]["term"] == "treatment"
    assert payload["baselines"][0]["shares"]["TFT"]["estimate"] == 0.56
    header, rows = found.rows()
    assert rows[-1][0] == "humans: df2011-d75-r48"
    assert rows[-1][header.index("TFT")] == "56.0"
    assert "GRIM, T2 competed there (36% of its shares)" in " ".join(found.notes)


def test_a_baseline_of_the_same_set_needs_no_note(folder):
    result = quick(folder / "labels.parquet", baseline="akata2025")
    assert [b["name"] for b in result.to_dict()["baselines"]] == [
        "akata2025-plain:canonical4",
        "akata2025-scot:canonical4",
    ]
    assert "competed" not in " ".join(result.notes)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"interactions": ["a:b"]}, "^--interactions belong to a model"),
        ({"interactions": ["a:b"], "model": True}, "expected factors of --by"),
        ({"within": "auto,treatment", "count": "status"}, "expected columns, or auto or none alone"),
        ({"indices": True, "by": "treatment,seat"}, "expected one --by COLUMN"),
        ({"log": "elsewhere", "table": "log"}, "a log is compared itself"),
    ],
)
def test_what_cannot_be_is_said(folder, settings, message):
    source = folder / settings.pop("table", "labels.parquet")
    with pytest.raises(UsageError, match=message):
        quick(source, **settings)


def test_blocks_name_what_is_held_equal(folder):
    table = pd.read_parquet(folder / "labels.parquet").assign(game_id=lambda t: t["game_id"].astype(str))
    table.insert(2, "language", ["en", "fr", "en"] * (len(table) // 3))
    (one,) = quick(table, "treatment", count="status").comparison.within
    assert (one.factor, one.columns, one.n_blocks) == ("treatment", ("language",), 2)
    assert quick(table, "treatment", within="none").comparison.within == ()


@pytest.mark.data
def test_what_the_public_log_does_not_allow_to_say(data_dir):
    path = data_dir / "fairgame" / "results.csv.gz"
    where = {"game": ["prisoner-dilemma"], "language": ["en"], "payoff_type": ["conventional"]}
    found = quick(path, "persona", where=where, count="status")
    assert found.confounds == (
        "persona and seat go together (Cramér's V = 0.33): compare persona at equal seat (see --within)",
        "no game has persona selfish in seat 1 against cooperative in seat 2: there seat and persona cannot "
        "be told apart",
    )
    assert found.comparison.within[0].columns == ("seat", "model", "horizon_known")
