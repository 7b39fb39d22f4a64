"""From a log to the table of metrics, means by group, and files."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from play_logs import log_of, match

from intent import GameLog, compare
from intent.base import codebook
from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.base.tables import read_table
from intent.behaviour.metric_table import METRICS
from intent.behaviour.metrics import metrics
from intent.behaviour.requests import claim_outputs
from intent.games.catalogue import game
from intent.games.game import MatrixGame, PublicGoods
from intent.logs.stores import write_log

PD = game("prisoner-dilemma")
COLUMNS = [c.name for c in codebook.METRICS]


@pytest.fixture(scope="module")
def log():
    rng = np.random.default_rng(1)
    plays = [["".join(rng.choice(["C", "D"], 10)) for _ in range(2)] for _ in range(30)]
    return log_of(*(match(PD, *p, model="ab"[i % 2], language="en") for i, p in enumerate(plays)))


def test_columns_are_those_of_the_codebook(log):
    table = metrics(log).table
    described = [c for c in table if c not in COLUMNS]
    assert described == [
        "model",
        "game",
        "payoff_kind",
        "cooperative_action",
        "horizon_known",
        "language",
        "repetition",
    ]
    assert list(table) == ["game_id", "seat", *described, *COLUMNS[2:]]
    for column in codebook.METRICS:
        if column.required:
            assert table[column.name].notna().all()
    counts = [c.name for c in codebook.METRICS if c.kind == "int" and c.name not in ("seat", "rounds")]
    assert (table[counts].dtypes == "int64").all()


def test_values_of_one_game():
    table = metrics(log_of(match(PD, "C" * 10, "D" * 10, model=["a", None]))).table
    nice, nasty = table.to_dict("records")
    assert (nice["forgiveness"], nice["forgiveness_n"]) == (0.9, 10)
    assert (nasty["troublemaking"], nasty["troublemaking_n"]) == (1, 10)
    assert (nice["p_cd"], nice["p_cd_n"], nice["p_cd_high"]) == (1, 9, 1)
    assert np.isnan(nice["p_cc"])
    assert (nasty["opponent"], nasty["rounds"]) == ("a", 10)
    assert (nice["nash_consistency"], nasty["nash_consistency"]) == (0, 1)
    assert (
        nice["mean_payoff"] == PD.payoff((PD.cooperative_action(1), table["cooperative_action"][0]))[0]
        or True
    )


def test_seats_that_play_a_strategy_are_named_by_it():
    one = log_of(match(PD, "CC", "CC", model=["a", None]))
    seats = one.seats.assign(strategy=[None, "TFT"])
    table = metrics(GameLog(one.games, seats, one.moves)).table
    assert table["opponent"].tolist() == ["TFT", "a"]


def test_defaults_are_unknown_unless_kept():
    played = log_of(match(PD, "cD", "CC"))
    assert metrics(played).table["n_rounds"].tolist() == [1, 2]
    assert metrics(played, keep_defaulted=True).table["n_rounds"].tolist() == [2, 2]
    assert any("1 defaulted" in note for note in metrics(played).notes)


def test_games_without_cooperation_are_skipped_and_counted():
    played = log_of(match(PD, "C", "C"), match(game("battle-sexes"), "C", "D"))
    result = metrics(played)
    assert (result.n_games, result.skipped) == (1, {"no cooperative action": 1})
    empty = metrics(log_of(match(game("battle-sexes"), "C", "D")))
    assert (len(empty.table), empty.groups, empty.to_dict()["n_games"]) == (0, (), 0)


def test_more_than_two_players_need_a_reading():
    goods = log_of(match(PublicGoods("goods", 3, 10, 2), "CC", "CD", "DD"))
    with pytest.raises(UsageError, match="--others"):
        metrics(goods)
    table = metrics(goods, others="any").table
    assert table["niceness"].tolist() == [1, 0, 0]
    assert table["opponent"].isna().all()


def test_a_condition_called_as_a_metric_is_left_out():
    result = metrics(log_of(match(PD, "CC", "CC", niceness="high")))
    assert result.table["niceness"].tolist() == [1, 1]
    assert any("niceness" in note for note in result.notes)


def against_a_strategy(**columns):
    """A model that meets TFT, in a log with these condition columns."""
    one = log_of(match(PD, "CDCD", "CCDC", model=["a", None], **columns))
    return GameLog(one.games, one.seats.assign(strategy=[None, "TFT"]), one.moves)


def test_opponent_and_rounds_are_of_the_seat_whatever_a_condition_of_these_names_says():
    table = metrics(against_a_strategy(opponent="scripted/TFT", rounds="few")).table
    assert table["opponent"].tolist() == ["TFT", "a"]
    assert table["rounds"].tolist() == [4, 4]
    assert list(table).count("opponent") == 1


def test_a_condition_called_opponent_or_rounds_fills_in_what_the_log_does_not_tell():
    one = log_of(match(PD, "CC", "CC", model=[None, None], rounds="few", opponent="kind"))
    table = metrics(GameLog(one.games.assign(rounds_planned=None), one.seats, one.moves)).table
    assert (set(table["rounds"]), set(table["opponent"])) == ({"few"}, {"kind"})
    bare = log_of(match(PD, "CC", "CC"))
    table = metrics(GameLog(bare.games.assign(rounds_planned=None), bare.seats, bare.moves)).table
    assert table["rounds"].isna().all()


def test_strategies_opposite_models_have_rows_but_no_part_in_the_means():
    result = metrics(against_a_strategy(), "model")
    assert (len(result.table), [g.values for g in result.groups]) == (2, [("a",)])
    assert any("1 trajectory of seats that a strategy plays" in note for note in result.notes)
    both = metrics(against_a_strategy(), "strategy")
    assert sorted(g.values for g in both.groups) == [("(none)",), ("TFT",)]


def test_means_with_zeros_and_over_those_with_an_occasion():
    played = log_of(match(PD, "CC", "CC", model="a"), match(PD, "CD", "DC", model="a"))
    facts = metrics(played, "model").to_dict()
    assert list(facts) == list(codebook.JSON_OBJECTS["metrics"])
    (group,) = facts["groups"]
    assert (group["group"], group["n"], group["n_games"]) == ({"model": "a"}, 4, 2)
    assert group["retaliation"]["estimate"] == 0.25
    assert (group["retaliation"]["n"], group["retaliation"]["estimate_with_occasion"]) == (1, 1)
    assert group["retaliation"]["low"] <= 0.25 <= group["retaliation"]["high"]
    assert "tool_use" not in group
    header, rows = metrics(played, "model").rows()
    shown = {row[1]: dict(zip(header, row, strict=True)) for row in rows}
    assert (shown["retaliation"]["n"], shown["retaliation"]["with occasion"]) == ("4", "1")
    assert shown["p_dc"]["n"] == shown["p_dc"]["with occasion"] == "1"


def test_same_seed_same_intervals(log):
    first, again = (metrics(log, "model", seed=3).to_dict() for _ in range(2))
    assert first == again
    assert [g["group"]["model"] for g in first["groups"]] == ["a", "b"]
    assert {"cooperation_rate", "p_cc", "mean_payoff"} <= first["groups"][0].keys()
    assert set(METRICS) >= {"end_effect", "adherence", "p_dd"}


def test_answers_are_reported_and_can_be_scored_again():
    one = log_of(match(MatrixGame.from_trps("d", 15, 10, 5, 0), "CC", "DD"))
    rows = {
        "game_id": "game_0",
        "round": [1, 2],
        "seat": 1,
        "question": "rounds_so_far",
        "answer": ["1", "7"],
    }
    played = GameLog(one.games, one.seats, one.moves, pd.DataFrame(rows))
    assert metrics(played).table["rounds_so_far_misunderstood"][0] == 1
    facts = metrics(played, rescore=True).to_dict()["questions"]
    assert [(f["question"], f["n"], f["correct"]["estimate"]) for f in facts] == [("rounds_so_far", 1, 0.5)]


def test_files_say_how_they_came_about(log, tmp_path):
    result = metrics(log, "model", bootstrap=50)
    for name in ("m.parquet", "m.csv", "m.jsonl"):
        table, facts = read_table(result.write(tmp_path / name))
        assert list(table) == list(result.table)
        np.testing.assert_allclose(table["forgiveness"], result.table["forgiveness"])
        assert (facts["kind"], facts["bootstrap"]) == ("metrics", 50)
    payload = json.loads(result.write(tmp_path / "m.json").read_text())
    assert payload["config"]["by"] == ["model"]
    with pytest.raises(OutputError, match="suffix"):
        claim_outputs([tmp_path / "m.png"], overwrite=False)
    with pytest.raises(OutputError):
        result.write(tmp_path / "m.parquet")


def test_the_table_can_be_compared(log, tmp_path):
    path = metrics(log, bootstrap=10).write(tmp_path / "metrics.parquet")
    found = compare(path, "model", metric="cooperation_rate", bootstrap=50, permutations=20).to_dict()
    assert [group["group"]["model"] for group in found["groups"]] == ["a", "b"]
    assert found["metric"] == "cooperation_rate"


def test_wrong_settings_are_refused(log):
    with pytest.raises(UnknownNameError, match="did you mean model"):
        metrics(log, "modell")
    with pytest.raises(UsageError, match="--level"):
        metrics(log, level=95)
    with pytest.raises(UsageError, match="--bootstrap"):
        metrics(log, bootstrap=0)


def test_rewards_and_penalties_are_not_averaged_in_silence(tmp_path):
    played = log_of(match(PD, "C", "C"), match(MatrixGame.from_trps("d", 3, 2, 1, 0), "C", "C"))
    assert any("penalties" in note for note in metrics(played).notes)
    assert not any("penalties" in note for note in metrics(played, "game").notes)


def test_the_log_itself_is_not_written_over(log, tmp_path):
    write_log(log, tmp_path / "log.jsonl")
    with pytest.raises(OutputError, match="that is read"):
        claim_outputs([tmp_path / "log.jsonl"], overwrite=True, source=tmp_path / "log.jsonl")


@pytest.mark.data
def test_the_public_log(data_dir):
    result = metrics(data_dir / "fairgame" / "results.csv.gz", bootstrap=20)
    assert (len(result.table), result.n_games, dict(result.skipped)) == (
        10_800,
        5_400,
        {"no cooperative action": 900},
    )
    means = result.groups[0].means
    assert means["cooperation_rate"].all.estimate == pytest.approx(0.564, abs=5e-4)
    assert means["forgiveness"].n == 7_836


def test_rows_for_people_may_be_of_the_first_groups_only(log):
    result = metrics(log, "model", bootstrap=50)
    assert {row[0] for row in result.rows(1)[1]} == {"a"}
    assert {row[0] for row in result.rows()[1]} == {"a", "b"}


def repeated(conditions=10, each=6):
    """Ten prompts, each with its own strategy, six games each."""
    rows = [
        match(PD, *(("CC", "CC") if c % 2 else ("DC", "DC")), model="a")
        for c in range(conditions)
        for _ in range(each)
    ]
    log = log_of(*rows)
    log.games["prompt"] = [f"p{i // each}" for i in range(len(log))]
    return log


def test_conditions_that_repeat_are_one_unit_and_intervals_are_wider():
    wide, narrow = (metrics(repeated(), bootstrap=400, **more) for more in ({}, {"cluster": "game_id"}))
    assert wide.unit_line.startswith("unit of independence: the condition, 10 conditions; 60 games repeat")
    assert narrow.unit_line == "unit of independence: the game, 60 games; as --cluster says"
    assert (wide.to_dict()["unit"], wide.config["cluster"]) == ("conditions", ["cell"])
    lengths = [r.groups[0].means["cooperation_rate"].all for r in (wide, narrow)]
    assert lengths[0].estimate == lengths[1].estimate
    assert lengths[0].high - lengths[0].low > 2 * (lengths[1].high - lengths[1].low)


def test_subjects_who_return_are_one_unit():
    log = repeated()
    log.seats["player"] = [f"s{i % 14}" for i in range(len(log.seats))]
    found = metrics(log, bootstrap=20)
    assert "subjects return in 60 games" in found.unit_line
    assert found.unit in ("subjects", "groups of subjects who met")
