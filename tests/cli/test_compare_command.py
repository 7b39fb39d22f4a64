"""``intent compare`` as a user types it."""

from __future__ import annotations

import json

import pytest
import typer
from simulated_labels import simulated
from typer.testing import CliRunner

from intent.base.errors import OutputError, UsageError
from intent.base.tables import write_table
from intent.cli.app import job_command
from intent.comparison.requests import CompareRequest

FEW = ("--bootstrap", "50", "--permutations", "19")


@pytest.fixture
def file(rng, tmp_path):
    return str(write_table(simulated(60, rng), tmp_path / "labels.parquet", {}))


def intent_compare(*arguments: str):
    app = typer.Typer()
    app.command("compare")(job_command(CompareRequest))
    return CliRunner().invoke(app, [*arguments, *FEW], catch_exceptions=False)


def test_json_is_all_that_is_printed(file):
    result = intent_compare(file, "--by", "model", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["by"] == ["model"]
    assert {t["factor"] for t in found["tests"]} == {"model"}


def test_people_get_a_table_and_sentences(file):
    result = intent_compare(file, "--by", "model", "--by", "persona")
    assert "Estimated shares in %, with 95 % intervals" in result.stdout
    assert "unit of independence: the condition, 15 conditions; 60 games repeat 15" in result.stdout
    assert "shares differ by model × persona: likelihood ratio " in result.stdout
    assert "; in these conditions likelihood ratio " in result.stdout
    assert result.stdout.count("cooperative") == 3
    counted = intent_compare(file, "--by", "model", "--count", "status", "--cluster", "game_id").stdout
    assert "Counted labels in %, with 95 % intervals" in counted
    assert "shares differ by model: permutation of games within blocks p" in counted


def test_a_metric_and_conditions(file):
    result = intent_compare(
        file, "--by", "model", "--metric", "cooperation_rate", "--where", "model=A", "--json"
    )
    (group,) = json.loads(result.stdout)["groups"]
    assert (group["group"], group["n"]) == ({"model": "A"}, 40)


def test_pairs_are_a_table(file):
    result = intent_compare(file, "--by", "model", "--pairwise")
    assert "Pairs of groups, the deciding test of each" in result.stdout
    assert (
        max(map(len, result.stdout.partition("Pairs of groups")[2].partition("\n\n")[0].splitlines())) < 100
    )
    assert "Pairs of groups" not in intent_compare(file, "--by", "model").stdout


def test_the_table_that_is_read_is_no_output(file):
    with pytest.raises(OutputError, match="it is the table that is read"):
        intent_compare(file, "--by", "model", "-o", file, "--overwrite")


def test_several_outputs_at_once(file, tmp_path):
    result = intent_compare(
        file, "--by", "model", "-o", f"{tmp_path}/r.csv", "-o", f"{tmp_path}/r.png", "--json"
    )
    assert (tmp_path / "r.csv").read_text().startswith("model,n,n_effective,outcome,estimate,low,high,se\n")
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    json.loads(result.stdout)


def test_the_same_seed_prints_the_same(file):
    first, second, other = (
        intent_compare(file, "--by", "model", "--seed", s, "--json").stdout for s in "778"
    )
    assert first == second != other


def test_outputs_are_checked_before_the_work(tmp_path):
    (tmp_path / "r.png").touch()
    for name, message in (("r.png", "exists"), ("r.txt", "suffix")):
        with pytest.raises(OutputError, match=message):
            intent_compare(str(tmp_path / "no-such-file.csv"), "-o", str(tmp_path / name))
    with pytest.raises(UsageError, match="expected COLUMN=VALUE"):
        intent_compare("labels.csv", "--where", "model")


def test_baselines_are_listed_without_a_file():
    assert "df2011-d75-r48" in intent_compare("--baseline", "list").stdout
    assert json.loads(intent_compare("--baseline", "list", "--json").stdout)["baselines"][0]["citation"]
    with pytest.raises(UsageError, match="nothing to compare, expected FILE"):
        intent_compare("--by", "model")


def test_methods_and_works_are_written(file, tmp_path):
    methods, works = tmp_path / "methods.txt", tmp_path / "works.bib"
    result = intent_compare(
        file, "--by", "model", "--methods", str(methods), "--bib", str(works), "-o", f"{tmp_path}/t.tex"
    )
    assert "For a paper: " in result.stdout
    assert methods.read_text(encoding="utf-8").startswith(
        "Shares of strategies among ALLC, ALLD, TFT, WSLS were"
    )
    assert works.read_text(encoding="utf-8").startswith("@article{dalbo2011")
    assert (tmp_path / "t.tex").read_text(encoding="utf-8").startswith("% \\usepackage{booktabs,graphicx}")
    with pytest.raises(OutputError, match="exists"):
        intent_compare(file, "--by", "model", "--methods", str(methods))
    assert "Methods. " in intent_compare(file, "--by", "model", "--methods", "-").stdout


def test_names_of_groups_obey_no_terminal(rng, tmp_path):
    table = simulated(60, rng)
    table["model"] = table["model"].replace("A", "A\x1b[31m")
    result = intent_compare(str(write_table(table, tmp_path / "l.parquet", {})), "--by", "model")
    assert "\x1b" not in result.stdout


def test_the_list_of_baselines_is_written_as_a_table(tmp_path):
    intent_compare("--baseline", "list", "-o", str(tmp_path / "people.csv"))
    assert (
        (tmp_path / "people.csv")
        .read_text("utf8")
        .startswith("name,citation,doi,licence,game,treatment,how,")
    )
    with pytest.raises(OutputError, match="has no figure"):
        intent_compare("--baseline", "list", "-o", str(tmp_path / "people.png"))
