"""From a table or file to a comparison and back to files."""

from __future__ import annotations

import gzip
import json
import os

import numpy as np
import pandas as pd
import pytest
from simulated_labels import labels, simulated

from intent.base.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.base.job import check_output
from intent.base.tables import read_table, write_table
from intent.comparison.compare import compare


@pytest.fixture
def table(rng):
    return simulated(60, rng)


def quick(table, by=(), **settings):
    counted = {} if {"metric", "count"} & set(settings) else {"count": "status"}
    return compare(
        table, by, **{"bootstrap": 50, "permutations": 19, "cluster": "game_id", **counted, **settings}
    )


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_a_file_gives_what_its_table_gives(table, tmp_path, suffix):
    path = write_table(table, tmp_path / f"labels{suffix}", {})
    for count in ("status", "posterior", "split"):
        read = quick(path, "model", count=count).table()
        pd.testing.assert_frame_equal(read, quick(table, "model", count=count).table())


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_names_that_look_like_numbers_or_nulls_keep_games_and_groups_apart(tmp_path, suffix):
    played = labels("CDCD", persona=["None", "NA", "7", "07"]).assign(game_id=["007", "007", "7", "7"])
    path = write_table(played, tmp_path / f"labels{suffix}", {})
    assert [g.values[0] for g in quick(path, "persona").comparison.groups] == ["07", "7", "NA", "None"]
    (group,) = quick(path).comparison.groups
    assert (group.n, group.n_clusters) == (4, 2)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_the_file_says_which_columns_are_strategies(tmp_path, suffix):
    table = labels("CDCD").assign(p_value=0.5)
    table = table[["game_id", "p_value", *sorted(set(table.columns) - {"game_id", "p_value"})]]
    facts = {"classes": ["ALLC", "ALLD", "TFT", "WSLS"]}
    found = quick(write_table(table, tmp_path / f"labels{suffix}", facts), count="posterior")
    assert found.comparison.outcomes == ("ALLC", "ALLD", "TFT", "WSLS")


def test_a_condition_that_begins_with_p_tells_repeats_apart():
    table = labels("CDCDCDCD", model=["A"] * 8, p_value=np.arange(8) // 2, repetition=np.arange(8) // 2)
    assert "repeated settings" not in " ".join(quick(table, "model").notes)


def test_a_result_shows_itself_in_one_line(table):
    assert repr(quick(table, "model")) == "<CompareResult: shares (count status) by model: A, B, C; n = 120>"


def test_columns_are_given_one_by_one_or_with_commas(table):
    expected = quick(table, ["model", "language"]).to_dict()
    assert quick(table, "model,language").to_dict() == expected
    assert quick(table, ["model,language"]).to_dict() == expected


def test_conditions_choose_rows(table):
    found = quick(table, "model", where={"model": ["A", "B"], "persona": "selfish"})
    assert [(g["group"]["model"], g["n"]) for g in found.to_dict()["groups"]] == [("A", 20), ("B", 20)]


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl"])
def test_compressed_text_gives_what_its_table_gives(table, tmp_path, name):
    path = write_table(table, tmp_path / name, {})
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    found = quick(packed, "model")
    pd.testing.assert_frame_equal(found.table(), quick(path, "model").table())
    assert found.config["source"] == f"{name}.gz"
    path.write_bytes(packed.read_bytes())
    assert quick(path, "model").to_dict() == found.to_dict()


def test_a_damaged_archive_is_one_clear_line(tmp_path):
    path = tmp_path / "labels.csv.gz"
    path.write_bytes(gzip.compress(b"model,n\n" * 99)[:-9])
    with pytest.raises(DataError, match=r"^labels.csv.gz: truncated gzip"):
        quick(path)


def test_players_of_several_games_are_the_unit_unless_games_are_named(table):
    played = table.assign(player=[f"p{i % 20}" for i in range(len(table))])
    assert "players return" in " ".join(quick(played, "model").notes)
    found = quick(played, "model", cluster=None)
    assert "the group of subjects who met, 10 groups of subjects who met" in found.unit_line()


def test_the_gate_sees_both_seats_even_if_conditions_keep_one():
    table = labels("CaDD", persona=["x", "y"] * 2)
    (group,) = quick(table, gate="game", where={"persona": "x"}).to_dict()["groups"]
    assert (group["n"], group["shares"]["ALLD"]["estimate"]) == (1, 1)


def test_clusters_other_than_games(table):
    by_game, by_model, free = (
        quick(table, cluster=c, count="posterior").comparison.groups[0] for c in ("game_id", "model", ())
    )
    assert (by_game.n_clusters, by_model.n_clusters, free.n_clusters) == (60, 3, 120)
    assert free.n_effective == pytest.approx(120)


def test_any_table_with_a_number_will_do(rng):
    table = pd.DataFrame({"city": ["x", "y"] * 10, "score": rng.normal(size=20), "won": [True, None] * 10})
    found = quick(table, "city", metric="score", cluster=None)
    assert found.unit_line().endswith("no column game_id says what belongs together")
    assert found.comparison.unit == "rows"
    won = quick(table, metric="won", cluster=None)
    assert won.to_dict()["groups"][0]["mean"]["estimate"] == 1
    assert "10 of 20 rows have no won and are left out" in won.notes


def test_notes_warn_of_few_games_and_of_repeats():
    table = labels("CDCDCDCD", model=["A"] * 8, repetition=np.arange(8) // 2)
    notes = " ".join(quick(table, "model").notes)
    assert "fewer than 5 games in A" in notes
    assert "in 2 of 2 repeated settings all repeats were played alike" in notes


def test_null_groups_have_a_name(table):
    found = quick(table.assign(persona=table["persona"].where(table["persona"] == "selfish")), "persona")
    assert [g["group"]["persona"] for g in found.to_dict()["groups"]] == ["selfish", "(none)"]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"by": "modle"}, UnknownNameError, "unknown column 'modle'; did you mean model"),
        ({"metric": "coperation_rate"}, UnknownNameError, "did you mean cooperation_rate"),
        ({"metric": "model"}, DataError, "column 'model' holds 'A', expected numbers"),
        ({"cluster": "games"}, UnknownNameError, "unknown column 'games'; did you mean game_id"),
        ({"where": {"langage": ["ar"]}}, UnknownNameError, "did you mean language"),
        ({"where": {"language": ["de"]}}, UsageError, r"no rows left of 120 \(language = de\)"),
        ({"by": "cooperation_rate"}, UsageError, "continuous number"),
        ({"level": 95}, UsageError, "^--level 95, expected between 0 and 1, such as 0.95$"),
        ({"bootstrap": 0}, UsageError, "^--bootstrap 0, expected at least 1$"),
        ({"permutations": -1}, UsageError, "^--permutations -1, expected 0 or more$"),
        ({"count": "argmax"}, UnknownNameError, "unknown count 'argmax'; known: estimate"),
    ],
)
def test_what_cannot_be_is_one_clear_line(table, settings, error, message):
    with pytest.raises(error, match=message):
        quick(table, **settings)


def test_infinite_and_absent_numbers_are_refused(table):
    with pytest.raises(DataError, match="'cooperation_rate' row 1 is infinite"):
        quick(table.assign(cooperation_rate=np.inf), metric="cooperation_rate")
    empty = table.assign(cooperation_rate=np.nan)
    with pytest.raises(UsageError, match=r"'cooperation_rate' has no value in any of 120 rows$"):
        quick(empty, metric="cooperation_rate")
    with pytest.raises(UsageError, match=r"in any of 40 rows \(model = A\)$"):
        quick(empty, metric="cooperation_rate", where={"model": "A"})


def test_a_missing_file_or_table_without_labels_is_refused(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        quick(tmp_path / "none.csv")
    with pytest.raises(DataError, match=r"no column 'status'.*intent label"):
        quick(pd.DataFrame({"game_id": ["g"], "model": ["A"]}), "model")


@pytest.mark.parametrize("name", ["r.csv", "r.parquet", "r.jsonl", "r.json", "r.png", "r.svg"])
def test_results_are_written_with_their_config_and_the_same_bytes(table, tmp_path, name):
    source = write_table(table, tmp_path / "labels.parquet", {})
    first = quick(source, "model", seed=3).write(tmp_path / name).read_bytes()
    assert quick(source, "model", seed=3).write(tmp_path / name, overwrite=True).read_bytes() == first
    with pytest.raises(OutputError, match="exists"):
        quick(source, "model").write(tmp_path / name)


def test_the_config_says_how_the_result_came_about(table, tmp_path):
    source = write_table(table, tmp_path / "labels.parquet", {})
    path = quick(source, "model", seed=3, where={"language": ["ar", "en"]}).write(tmp_path / "r.parquet")
    rows, config = read_table(path)
    assert len(rows) == 3 * 7
    assert (config["source"], config["seed"], config["where"]) == (
        "labels.parquet",
        3,
        {"language": ["ar", "en"]},
    )
    assert len(config["sha256"]) == 64
    written = json.loads(quick(source).write(tmp_path / "r.json").read_text("utf8"))
    assert written["config"]["bootstrap"] == 50


def test_a_companion_file_is_checked_before_the_work(tmp_path):
    (tmp_path / "r.csv.meta.json").touch()
    with pytest.raises(OutputError, match=r"r\.csv\.meta\.json exists"):
        check_output(tmp_path / "r.csv", overwrite=False)
    assert check_output(tmp_path / "r.csv", overwrite=True) == tmp_path / "r.csv"


@pytest.mark.parametrize("name", ["labels.csv", "labels.csv.meta.json", "link.csv"])
def test_the_table_that_is_read_is_never_written_over(table, tmp_path, name):
    source = write_table(table, tmp_path / "labels.csv", {})
    os.symlink(source, tmp_path / "link.csv")
    before = (tmp_path / name).read_bytes()
    with pytest.raises(OutputError, match="it is the table that is read"):
        check_output(tmp_path / name, overwrite=True, origin=source)
    with pytest.raises(OutputError, match="it is the table that is read"):
        quick(source).write(tmp_path / name, overwrite=True)
    assert (tmp_path / name).read_bytes() == before


def test_only_known_suffixes_are_taken(tmp_path):
    with pytest.raises(
        OutputError, match=r"suffix '.xlsx', expected a figure \(.png, .svg, .pdf\) or a table"
    ):
        check_output(tmp_path / "r.xlsx")
