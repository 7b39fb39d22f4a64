"""``intent metrics`` as a user types it."""

from __future__ import annotations

import json

import pytest
import typer
from play_logs import log_of, match
from printed import printed
from typer.testing import CliRunner

from intent import read_log
from intent.base import codebook
from intent.base.errors import OutputError
from intent.base.tables import read_table
from intent.behaviour.requests import MetricsRequest
from intent.cli.app import job_command
from intent.games.catalogue import game
from intent.logs.readers.compact import write_compact
from intent.logs.stores import write_log


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("logs") / "log.parquet"
    stage = game("prisoner-dilemma")
    plays = [("CDCD", "DDCC", "a"), ("CCCC", "CCCD", "a"), ("DDDD", "CDDD", "b"), ("CDDC", "CCDD", "b")]
    write_log(log_of(*(match(stage, x, y, model=m) for x, y, m in plays)), path)
    return str(path)


def intent_metrics(*arguments: str):
    app = typer.Typer()
    app.command("metrics")(job_command(MetricsRequest))
    return CliRunner().invoke(app, [*arguments], catch_exceptions=False)


def test_a_terminal_shows_the_first_groups_and_a_file_all(tmp_path):
    stage = game("prisoner-dilemma")
    log = write_log(
        log_of(*(match(stage, "CD", "DC", model=f"m{k:02}") for k in range(12))), tmp_path / "l.parquet"
    )
    target = tmp_path / "means.json"
    shown = intent_metrics(str(log), "--by", "model", "-o", str(target), "--bootstrap", "10")
    assert "m09" in shown.stdout
    assert "m10" not in shown.stdout
    assert "2 further groups are not printed" in shown.stderr
    assert len(json.loads(target.read_text())["groups"]) == 12


def test_json_is_all_that_is_printed(file, tmp_path):
    target = tmp_path / "metrics.parquet"
    result = intent_metrics(file, "-o", str(target), "--by", "model", "--json")
    found = printed(result.stdout)
    assert list(found) == list(codebook.JSON_OBJECTS["metrics"])
    assert (found["path"], found["n"], found["by"]) == (str(target), 8, ["model"])
    assert len(read_table(target)[0]) == 8


def test_people_get_both_means(file):
    result = intent_metrics(file, "--where", "model=a", "--bootstrap", "50")
    assert "4 trajectories of 2 games, with 95 % intervals" in result.stdout
    assert "mean of these" in result.stdout
    assert "retaliation" in result.stdout


def test_outputs_are_checked_before_the_work(file, tmp_path):
    with pytest.raises(OutputError, match="suffix"):
        intent_metrics(file, "-o", str(tmp_path / "metrics.png"))


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_compact_log_gives_the_same_whether_its_table_can_be_streamed(file, tmp_path, suffix):
    compact = tmp_path / "compact.parquet"
    write_compact(read_log(file), compact)
    target, means = tmp_path / f"metrics.{suffix}", tmp_path / "means.json"
    outputs = ("-o", str(target), "-o", str(means))
    shown = intent_metrics(str(compact), "--by", "model", "--bootstrap", "20", "--json", *outputs)
    said, kept = json.loads(shown.stdout), json.loads(means.read_text())
    assert said["path"] == str(target)
    assert said["groups"] == kept["groups"]
    assert len(read_table(target)[0]) == said["n"] == 8
    with pytest.raises(OutputError, match="exists"):
        intent_metrics(str(compact), *outputs[:2])
