"""One log, several recognisers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from printed import printed
from typer.testing import CliRunner

from intent import GameLog, generate, label
from intent.base import codebook
from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.base.tables import read_table
from intent.behaviour.agreement import agree
from intent.cli.app import app
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.models import resolve_names
from intent.recognise.recogniser import save_recogniser
from intent.recognise.rules import RulesRecogniser


@pytest.fixture(scope="module")
def log() -> GameLog:
    return generate(n=200, eps=0.1, seed=4)


@pytest.fixture(scope="module")
def result(log):
    return agree(log, "bayes,logistic", bootstrap=200)


def test_names_and_kinds():
    assert resolve_names("forest, bayes") == ["forest-canonical4", "bayes-canonical4"]
    assert resolve_names("forest,bayes-canonical6") == ["forest-canonical6", "bayes-canonical6"]
    assert resolve_names("bayes-canonical4,bayes-canonical5") == ["bayes-canonical4", "bayes-canonical5"]


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ("bayes,hybrid", UsageError, "intent train canonical4-general -m hybrid -o FOLDER"),
        ("bayes,rules-canonical4,bayes-canonical6", UsageError, "bayes could mean bayes-canonical4 or"),
        ("bayes,bayes-canonical4", UsageError, "named twice"),
        ("bayes,", UsageError, "expected at least two"),
        ("bayes,forrest", UnknownNameError, "did you mean forest"),
    ],
)
def test_names_that_mean_nothing(words, error, message):
    with pytest.raises(error, match=message):
        resolve_names(words)


def test_the_table_holds_what_each_one_says(log, result):
    table, alone = result.table(), label(log, "logistic-canonical4")
    assert table["best_logistic-canonical4"].tolist() == alone["best"].tolist()
    assert np.array_equal(table["confidence_logistic-canonical4"], alone["confidence"])
    same = table["best_logistic-canonical4"] == table["best_bayes-canonical4"]
    assert (table["unanimous"] == same).all()
    assert table["majority"].isna().tolist() == (~same).tolist()
    assert (table["n_distinct"] == np.where(same, 1, 2)).all()
    assert table["exact_status"].tolist() == label(log)["status"].tolist()
    assert table["strategy"].tolist() == alone["strategy"].tolist()


def test_the_summary_is_the_contract_and_adds_up(result):
    found = result.to_dict()
    assert found.keys() == codebook.JSON_OBJECTS["agreement"].keys()
    assert sum(found["distinct"].values()) == found["n"] == 200
    assert sum(part["n"] for part in found["by_status"].values()) == 200
    (pair,) = found["pairs"]
    assert sum(cell["n"] for cell in pair["differ"]) == found["distinct"]["2"]
    assert pair["agreement"] == found["unanimous"]["estimate"]
    assert found["fleiss_kappa"]["low"] <= found["fleiss_kappa"]["estimate"]


def test_different_classes_are_compared_over_the_union_with_a_word(log):
    found = agree(log, "bayes-canonical4,bayes-canonical6", bootstrap=10)
    assert found.agreement.classes == ("ALLC", "ALLD", "TFT", "WSLS", "GTFT", "GRUDGER", "RANDOM")
    alone = agree(log, "bayes-canonical4,bayes-canonical6", bootstrap=10, background=False)
    assert alone.agreement.classes == ("ALLC", "ALLD", "TFT", "WSLS", "GTFT", "GRUDGER")
    assert found.notes == (
        "bayes-canonical4 cannot say GTFT, GRUDGER, which others can: there it disagrees by construction",
    )


def test_one_that_is_silent_names_none(log):
    found = agree(log, {"a": BayesRecogniser().fit(), "rules": RulesRecogniser().fit()}, bootstrap=10)
    silent = (label(log)["rule_labels"].map(len) == 0).to_numpy()
    assert silent.any()
    assert found.table()["best_rules"].isna().tolist() == silent.tolist()
    assert found.agreement.classes[-1] == "none"
    assert f"rules names none for {silent.sum()}" in found.notes[0]


def test_saved_recognisers_go_by_the_name_of_their_folder(log, tmp_path):
    one = save_recogniser(BayesRecogniser(eps=0.01).fit(), tmp_path / "a" / "bayes")
    two = save_recogniser(BayesRecogniser(eps=0.2).fit(), tmp_path / "b" / "bayes")
    assert agree(log, [str(one), "bayes-canonical4"], bootstrap=10).agreement.names[0] == "bayes"
    assert agree(log, [str(one), str(two)], bootstrap=10).agreement.names == (str(one), str(two))


def test_files(result, tmp_path):
    image = result.write(tmp_path / "a.png").read_bytes()
    assert image == result.write(tmp_path / "b.png").read_bytes()
    table, origin = read_table(result.write(tmp_path / "a.csv"))
    assert len(table) == 200
    assert origin["recognisers"]["bayes-canonical4"] == ["ALLC", "ALLD", "TFT", "WSLS"]
    assert json.loads(result.write(tmp_path / "a.json").read_text())["config"]["kind"] == "agreement"
    with pytest.raises(OutputError, match=r"suffix '.gif'"):
        result.write(tmp_path / "a.gif")


@pytest.fixture(scope="module")
def file(log, tmp_path_factory):
    from intent.logs.stores import write_log

    return str(write_log(log, tmp_path_factory.mktemp("log") / "log.jsonl"))


def intent(*words):
    return CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)


def test_the_command(file, tmp_path):
    done = intent("label", file, "-r", "bayes,logistic", "--json", "-o", tmp_path / "a.parquet")
    assert printed(done.stdout).keys() == codebook.JSON_OBJECTS["agreement"].keys()
    shown = intent("label", file, "-r", "bayes,logistic").stdout
    assert "Cohen kappa" in shown
    assert "of all disagreement" in shown
    with pytest.raises(UsageError, match="--eps belongs to a single recogniser"):
        intent("label", file, "-r", "bayes,logistic", "--eps", "0.1")
    with pytest.raises(OutputError, match="exists"):
        intent("label", file, "-r", "bayes,logistic", "-o", tmp_path / "a.parquet")


@pytest.mark.parametrize("rules", ["expand", "priority"])
def test_hybrid_labels_beside_those_of_the_recogniser(file, tmp_path, rules):
    path = tmp_path / "labels.csv"
    shown = intent("label", file, "--hybrid", "--rules", rules, "-o", path).stdout
    assert "hybrid labels come from: model" in shown
    table, origin = read_table(path)
    assert origin["hybrid"] == {"threshold": 0.9, "rules": rules}
    sure = (table["confidence"] >= 0.9) & (table["best"] != "RANDOM")
    assert table["hybrid_labels"][sure].map(list).tolist() == [[b] for b in table["best"][sure]]
    assert set(table["hybrid_source"][~sure]) <= {"rules", "none"}
    with pytest.raises(UnknownNameError, match="unknown mode of rules 'all'"):
        intent("label", file, "--hybrid", "--rules", "all")


@pytest.mark.data
@pytest.mark.slow
def test_on_the_public_log_recognisers_differ_where_strategies_tie(data_dir):
    source = data_dir / "fairgame" / "results.csv.gz"
    where = {"game": ["prisoner-dilemma"]}
    found = agree(source, "bayes,forest,logistic", where=where, bootstrap=100).agreement
    assert (found.n, found.n_untied) == (5400, 4504)
    assert found.unanimous.estimate == pytest.approx(0.858, abs=0.01)
    assert found.untied.estimate > 0.95
    assert found.tied_share == pytest.approx(0.93, abs=0.02)
