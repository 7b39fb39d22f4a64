"""Questionnaires from a file to means."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest
from printed import printed
from typer.testing import CliRunner

from intent.base import codebook
from intent.base.errors import DataError, UsageError
from intent.cli.app import app
from intent.gamma.bench.questionnaire import put_questionnaire, read_items

SAMPLE = Path(__file__).resolve().parents[2] / "datasets" / "samples" / "everyday_choices.yaml"


def test_the_sample_is_asked_and_scored(tmp_path: Path) -> None:
    result = put_questionnaire(SAMPLE, "scripted/says:4", tmp_path / "q", repetitions=2)
    third = 10 / 3
    assert list(result.scores) == [
        {"subscale": name, "mean": pytest.approx(third), "sd": 0, "n": 2} for name in ("patience", "risk")
    ]
    assert (result.items, result.unread, result.refused, result.notes) == (6, 0, 0, ())
    assert json.loads((tmp_path / "q" / "questionnaire.json").read_text()) == result.to_dict()


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    first = put_questionnaire(SAMPLE, "scripted/uniform", tmp_path, repetitions=2, constrained=True)
    lines = (tmp_path / "replies.jsonl").read_text()
    assert put_questionnaire(SAMPLE, "scripted/uniform", tmp_path, repetitions=2, constrained=True) == first
    assert (tmp_path / "replies.jsonl").read_text() == lines
    assert len(lines.splitlines()) == 12


def test_what_cannot_be_read_is_counted_and_left_out(tmp_path: Path) -> None:
    result = put_questionnaire(SAMPLE, "scripted/says:often", tmp_path, repetitions=1, retries=1)
    assert (result.unread, result.refused) == (6, 12)
    assert result.scores[0] == {"subscale": "patience", "mean": None, "sd": None, "n": 0}
    assert "6 of 6 answers could not be read" in result.notes[0]


def test_items_of_a_table_are_those_of_a_list(tmp_path: Path) -> None:
    table = tmp_path / "items.csv"
    table.write_text('name,text,low,high,reversed,subscale\na,"One, two.",1,7,yes,s\n')
    listed = tmp_path / "items.yaml"
    listed.write_text('items: [{name: a, text: "One, two.", low: 1, high: 7, reversed: true, subscale: s}]')
    bare = tmp_path / "bare.yaml"
    bare.write_text('- {name: a, text: "One, two.", low: 1, high: 7, reversed: true, subscale: s}')
    assert read_items(table) == read_items(listed) == read_items(bare)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("i.yaml", "a: 1", "i.yaml: no list of items"),
        ("i.csv", "a,b\n1,2\n", "i.csv, item 1: unknown field 'a'"),
        ("i.csv", "name,text\na,x,y\n", "item 1: unknown field 'more'"),
        ("none.csv", None, "no such file"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        read_items(tmp_path / name)


def test_a_pipe_is_no_file_of_items(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "i.csv")
    with pytest.raises(DataError, match=r"i\.csv is neither a file nor a folder"):
        read_items(tmp_path / "i.csv")


def test_a_temperature_is_finite(tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_text("name,text\na,x\n")
    with pytest.raises(UsageError, match="temperature inf, expected a number from 0 on"):
        put_questionnaire(tmp_path / "i.csv", "scripted/says:3", tmp_path / "out", temperature=math.inf)


def test_the_command_prints_means_and_says_where_the_rest_is(tmp_path: Path) -> None:
    folder = str(tmp_path / "q")
    words = ["bench", "gamma", "questionnaire", str(SAMPLE), "-m", "scripted/says:4", "-o", folder]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert {"patience", "3.33", "0.00", "5"} <= set(done.stdout.split())
    assert done.stderr.endswith("q: replies.jsonl, answers.csv, questionnaire.json\n")
    done = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
    assert list(printed(done.stdout)) == list(codebook.JSON_OBJECTS["bench_questionnaire"])
