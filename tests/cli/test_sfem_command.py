"""``intent sfem`` as a user types it."""

from __future__ import annotations

import json

import pytest
import typer
from sfem_logs import two_treatments
from typer.testing import CliRunner

from intent.base.errors import OutputError
from intent.cli.app import job_command
from intent.estimate.requests import SfemRequest
from intent.logs.stores import write_log


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("logs") / "log.parquet"
    write_log(two_treatments(), path)
    return str(path)


def intent_sfem(*arguments: str):
    app = typer.Typer()
    app.command("sfem")(job_command(SfemRequest))
    return CliRunner().invoke(app, [*arguments], catch_exceptions=False)


def test_json_is_all_that_is_printed(file):
    result = intent_sfem(file, "--strategies", "df2011", "--by", "treatment", "--json")
    assert result.exit_code == 0
    groups = json.loads(result.stdout)["groups"]
    assert [g["group"] for g in groups] == [{"treatment": "calm"}, {"treatment": "harsh"}]
    assert list(groups[0]["shares"]) == ["ALLD", "ALLC", "GRIM", "TFT", "WSLS", "T2"]
    assert sum(share["estimate"] for share in groups[0]["shares"].values()) == pytest.approx(1)


def test_people_get_fits_and_shares_beside_counts(file):
    result = intent_sfem(file, "--by", "treatment", "--where", "treatment=calm")
    assert "80 subjects, each one seat of one game" in result.stdout
    assert "Shares in %, with standard errors and 95 % intervals" in result.stdout
    assert "counted: best" in result.stdout
    assert max(map(len, result.stdout.splitlines())) < 120
    assert "note: " in result.stderr


def test_several_outputs_at_once(file, tmp_path):
    names = ("shares.png", "shares.csv", "shares.json")
    outputs = [word for name in names for word in ("-o", str(tmp_path / name))]
    result = intent_sfem(file, *outputs, "--posteriors", str(tmp_path / "who.csv"), "--json")
    json.loads(result.stdout)
    assert (tmp_path / "shares.png").read_bytes().startswith(b"\x89PNG")
    assert len((tmp_path / "who.csv").read_text().splitlines()) == 121


def test_outputs_are_checked_before_the_work(file, tmp_path):
    for options, message in (
        (("-o", "shares.txt"), "suffix"),
        (("--posteriors", "who.png"), "posteriors are a table"),
        (("-o", file, "--overwrite"), "it is the table that is read"),
    ):
        with pytest.raises(OutputError, match=message):
            intent_sfem(file, *options)


def test_the_bootstrap_follows_the_seed(file):
    one, two, other = (
        intent_sfem(file, "--bootstrap", "20", "--seed", seed, "--json").stdout for seed in "778"
    )
    assert one == two != other
