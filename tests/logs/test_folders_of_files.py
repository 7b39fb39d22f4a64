"""Folders of files alike are one table, with columns for what varies in their names."""

from __future__ import annotations

import itertools
import json
import os
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.base.errors import DataError, UsageError
from intent.logs.gamelog import Rejects
from intent.logs.importer.file_names import NamePattern, pattern_of_names
from intent.logs.importer.sources import folder_table
from intent.logs.readers import read_log

GRID = list(itertools.product(("gpt-4o", "claude-3.5-sonnet"), (1, 2), ("0.5", "1.0"), range(3)))
CSV = "round,player,action\n1,x,C\n1,y,D\n2,x,D\n2,y,D\n"
TREE = {"rounds": [{"round": t, "A": "C", "B": "D", "payoffs": [0, 5]} for t in (1, 2)]}
TEXTS = {".csv": CSV, ".json": json.dumps(TREE), ".jsonl": "\n".join(map(json.dumps, TREE["rounds"]))}


def fill(folder, suffix=".csv", text=CSV, nested=False):
    for model, version, temperature, number in GRID:
        name = f"{model}_pd_v{version}_t{temperature}_{number}{suffix}"
        path = folder / (name.replace("_pd_", "/", 1) if nested else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("suffix", TEXTS)
def test_names_become_columns(suffix, nested, tmp_path):
    folder = fill(tmp_path, suffix, TEXTS[suffix], nested)
    table = folder_table(folder, Rejects(folder))
    pattern = (
        "{model}/v{version}_t{temperature}_{repetition}"
        if nested
        else "{model}_pd_v{version}_t{temperature}_{repetition}"
    )
    assert table.pattern == pattern
    names = ("model", "version", "temperature", "repetition", "round", "player", "action")
    cells = list(zip(*(table.table.columns[name].to_pylist() for name in names), strict=True))
    assert len(cells) == len(GRID) * 4
    assert {row[:4] for row in cells} == {(m, str(v), t, str(k)) for m, v, t, k in GRID}
    assert any("is t the temperature?" in question for question in table.questions)
    rejects = Rejects(folder)
    again = folder_table(folder, rejects, table.pattern, table.plan)
    assert {k: v.to_pylist() for k, v in again.table.columns.items()} == {
        k: v.to_pylist() for k, v in table.table.columns.items()
    }
    assert not len(rejects)


def test_parquet_files(tmp_path):
    for number in range(3):
        table = pa.table({"round": [1, 2], "player": ["x", "x"], "action": ["C", "D"]})
        pq.write_table(table, tmp_path / f"seed{number}.parquet")
    table = folder_table(tmp_path, Rejects(tmp_path)).table
    assert table.columns["seed"].to_pylist() == ["0", "0", "1", "1", "2", "2"]
    assert table.line(0) is None


def test_a_row_knows_its_file_and_line(tmp_path):
    table = folder_table(fill(tmp_path), Rejects(tmp_path)).table
    file = table.columns["file"][6].as_py()
    assert (table.line(6), table.text(6)) == (4, f"{file}.csv: 2,x,D")


def test_what_is_no_table_is_listed_with_its_name(tmp_path):
    fill(tmp_path)
    (tmp_path / "README.md").write_text("what this is\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "cut.json").write_text("{")
    (tmp_path / "sheet.xlsx").write_bytes(b"PK\x03\x04")
    (tmp_path / "gpt-4o_pd_v1_t0.5_9.csv").write_text(CSV + "3,x\n")
    (tmp_path / "odd_name.csv").write_text(CSV)
    (tmp_path / ".hidden.csv").write_text(CSV)
    os.mkfifo(tmp_path / "pipe.csv")
    rejects = Rejects(tmp_path)
    table = folder_table(tmp_path, rejects)
    reasons = "\n".join(rejects.table(len(table.table))["reason"])
    for name, why in (
        ("README.md", "no column names"), ("empty.csv", "empty file"), ("other.csv", "no column action"),
        ("cut.json", "JSON, among files that are none"), ("sheet.xlsx", "save its sheet as CSV"),
        ("gpt-4o_pd_v1_t0.5_9.csv", "2 fields, expected 3"), ("odd_name.csv", "does not fit the pattern"),
        ("pipe.csv", "neither a file nor a folder"),
    ):  # fmt: skip
        assert any(line.startswith(f"{name}: ") and why in line for line in reasons.splitlines()), name
    assert len(table.files) == len(GRID) + 1
    assert "1 hidden files and folders are not read" in table.how


def test_links_out_of_the_folder_are_not_read(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    fill(folder)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "x.csv").write_text(CSV)
    (folder / "gpt-4o_pd_v1_t0.5_8.csv").symlink_to(tmp_path / "secret" / "x.csv")
    (folder / "more").symlink_to(tmp_path / "secret")
    (folder / "loop").symlink_to(folder)
    rejects = Rejects(folder)
    table = folder_table(folder, rejects)
    assert len(table.files) == len(GRID)
    assert len(rejects) == 3


def test_folders_that_hold_no_table(tmp_path):
    with pytest.raises(DataError, match="a folder without files"):
        folder_table(tmp_path, Rejects(tmp_path))
    (tmp_path / "a.md").write_text("x\n")
    with pytest.raises(DataError, match=r"not one of 1 rows can be read; the first: a\.md"):
        folder_table(tmp_path, Rejects(tmp_path))
    with pytest.raises(DataError, match="is no folder"):
        folder_table(tmp_path / "none", Rejects(tmp_path))


def test_bounds(tmp_path, monkeypatch):
    fill(tmp_path)
    monkeypatch.setenv("INTENT_LIMITS", "members=5")
    with pytest.raises(DataError, match="more than 5 files"):
        folder_table(tmp_path, Rejects(tmp_path))
    monkeypatch.setenv("INTENT_LIMITS", "unpacked_bytes=1000")
    with pytest.raises(DataError, match="tables of more than"):
        folder_table(tmp_path, Rejects(tmp_path))


def test_a_column_of_files_and_of_names(tmp_path):
    for model, inside in (("gpt-4", "gpt-4"), ("claude-3", "claude-3")):
        (tmp_path / f"{model}_1.csv").write_text(f"round,model,action\n1,{inside},C\n")
    columns = folder_table(tmp_path, Rejects(tmp_path)).table.columns
    assert "model" in columns
    assert "model_of_file" not in columns
    (tmp_path / "claude-3_1.csv").write_text("round,model,action\n1,opus,C\n")
    columns = folder_table(tmp_path, Rejects(tmp_path)).table.columns
    assert columns["model_of_file"].to_pylist() == ["claude-3", "gpt-4"]


def made(text, *values):
    return [text.format(*one) for one in itertools.product(*values)]


NAMES = {
    "{model}_{game}_v{version}_{repetition}": made(
        "{}_{}_v{}_{}", ("gpt-4o", "qwen2.5-7b"), ("prisoners_dilemma", "snowdrift"), (1, 2), (0, 1)
    ),
    "{language}/round_{round_kind}/seed{seed}": made(
        "{}/round_{}/seed{}", ("en", "vn"), ("known", "unknown"), (1, 7)
    ),
    "temp={temperature}/run-{repetition}": made("temp={}/run-{}", ("0", "0.7"), (1, 2)),
    "game{game_number}": made("game{}", range(252)),
    "{model}_{name_2?}_{repetition}": made("{}{}_{}", ("gpt-4", "o3-mini"), ("", "_cot", "_scot"), (1, 2)),
}


@pytest.mark.parametrize("pattern", NAMES)
def test_the_pattern_of_some_names(pattern):
    one, _, _ = pattern_of_names(NAMES[pattern])
    assert str(one) == pattern
    assert str(NamePattern.of_text(pattern)) == pattern
    values = [NamePattern.of_text(pattern).values(name) for name in NAMES[pattern]]
    assert values == [one.values(name) for name in NAMES[pattern]]
    assert None not in values


def test_an_optional_part_is_empty_where_a_name_lacks_it():
    pattern = NamePattern.of_text("{model}_{advice?}_{repetition}")
    assert pattern.values("gpt-4_cot_3") == {"model": "gpt-4", "advice": "cot", "repetition": "3"}
    assert pattern.values("gpt-4_3") == {"model": "gpt-4", "advice": "", "repetition": "3"}
    assert pattern.values("gpt-4_cot") is None
    assert pattern.values("a_b_c_3") is None


NO_PATTERNS = {
    "{a}_{a}": "names 'a' twice",
    "{a}{b}": "one {column} at its end",
    "x_y": "no {column}",
    "_".join(f"{{c{i}}}" for i in range(50)): "50 parts",
}


@pytest.mark.parametrize("text", NO_PATTERNS, ids=range(len(NO_PATTERNS)))
def test_a_pattern_that_is_none(text):
    with pytest.raises(UsageError, match=re.escape(NO_PATTERNS[text])):
        NamePattern.of_text(text)


LETTERS = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=40)


@settings(max_examples=60)
@given(names=st.lists(LETTERS, min_size=1, max_size=8))
def test_any_names_have_a_pattern_or_none(names):
    one, _, _ = pattern_of_names(names)
    if one is not None:
        for name in names:
            values = one.values(name)
            assert values is None or set(values) == set(one.columns)


FAIRGAME = (
    "game_id;language;n_rounds_is_known;max_rounds;played_rounds;agents_communicate;"
    "agent1_name;agent1_llm;agent1_personality;agent1_knows_opponent_with_prob;agent1_strategies;agent1_scores;"
    "agent1_messages;agent2_name;agent2_llm;agent2_personality;agent2_knows_opponent_with_prob;"
    "agent2_strategies;agent2_scores;agent2_messages;game;payoff_type\n"
    "game_0;en;True;2;2;False;agent1;m;selfish;0.0;['OptionA', 'OptionB'];[0, 2];[];"
    "agent2;m;cooperative;0.0;['OptionB', 'OptionB'];[10, 2];[];prisoner-dilemma;conventional\n"
)


def test_files_of_a_format_of_their_own_are_read_by_its_reader(tmp_path):
    for name in ("results_en_1", "results_vn_2"):
        (tmp_path / f"{name}.csv").write_text(FAIRGAME)
    (tmp_path / "results_en_3.csv").write_text("a;b\n1;2\n")
    (tmp_path / "LICENSE").write_text("anybody may\n")
    log = read_log(tmp_path)
    assert (log.provenance["format"], len(log), len(log.moves)) == ("fairgame", 2, 8)
    assert log.games["game_id"].str.startswith(("results_en_1/", "results_vn_2/")).all()
    assert log.rejects["reason"].tolist() == [
        "results_en_3.csv: no file of format fairgame, as others of the folder are"
    ]
    assert "2 of 4 files are read as one log, each of format fairgame" in log.provenance["notes"][0]
    with pytest.raises(DataError, match=r"results_en_3\.csv: no file of format"):
        read_log(tmp_path, strict=True)


def test_configurations_and_texts_may_stand_before_the_results(tmp_path):
    for name in ("configs", "templates"):
        (tmp_path / name).mkdir()
    (tmp_path / "configs" / "one.json").write_text('{"name": "Prisoner", "nRounds": 2, "languages": ["en"]}')
    (tmp_path / "templates" / "pd_en.txt").write_text("You play against {opponent1}.\n")
    (tmp_path / "results.csv").write_text(FAIRGAME)
    log = read_log(tmp_path)
    assert (log.provenance["format"], len(log)) == ("fairgame", 1)
    assert [reason.partition(":")[0] for reason in log.rejects["reason"]] == [
        "configs/one.json",
        "templates/pd_en.txt",
    ]


@pytest.mark.data
def test_a_folder_of_public_goods_is_one_log(data_dir):
    log = read_log(data_dir / "fairgame_public_goods" / "results")
    assert (len(log), len(log.rejects), log.games["run"].nunique()) == (108, 0, 4)
