"""``--json`` of metrics, explain, results and sampling: the keys of the codebook, no more and no fewer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from deliberation_logs import deliberation, liar, log_with
from printed import printed as printed_object

from intent.base import codebook
from intent.cli.main import main
from intent.logs.stores import write_log

AB = ("OptionA", "OptionB")
INTERVAL = {"estimate", "low", "high"}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    games = [
        deliberation("prisoner-dilemma-deliberation", [(liar(k % 2, AB), liar(1, AB))] * 3, repetition=k)
        for k in range(6)
    ]
    asked = [("game_0", r, 1, "private", "public") for r in (1, 2, 3)]
    path = tmp_path_factory.mktemp("json") / "log.parquet"
    write_log(log_with(*games, types=asked), path)
    return path


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: object) -> dict[str, Any]:
        with pytest.raises(SystemExit) as done:
            main([*map(str, arguments), "--json"])
        assert done.value.code == 0
        return printed_object(capsys.readouterr().out)

    return run


def documented_names(command: str, key: str) -> set[str]:
    """The names that the codebook lists for the items of a list; what stands in brackets explains them."""
    text = codebook.JSON_OBJECTS[command][key]
    while "(" in text:
        text = re.sub(r"\([^()]*\)", "", text)
    listed = text.removeprefix("list of ").replace(" and ", ", ")
    return {name.strip().partition(":")[0] for name in listed.split(",") if name.strip()}


def test_metrics(log: Path, tmp_path: Path, printed: Any) -> None:
    found = printed("metrics", log, "-o", tmp_path / "m.parquet", "--by", "architecture", "--bootstrap", 20)
    assert list(found) == list(codebook.JSON_OBJECTS["metrics"])
    metric = {*INTERVAL, "n", "estimate_with_occasion"}
    for group in found["groups"]:
        metrics = {name: value for name, value in group.items() if name not in ("group", "n", "n_games")}
        assert {"cooperation_rate", "forgiveness", "deception"} <= set(metrics)
        assert all(set(value) == metric for value in metrics.values())
    (answers,) = (q for q in found["questions"] if q["n"])
    assert set(answers) == {"group", "question", "n", "correct", "misunderstood"}
    assert set(answers["correct"]) == set(answers["misunderstood"]) == INTERVAL


def test_explain(log: Path, tmp_path: Path, printed: Any) -> None:
    printed("metrics", log, "-o", tmp_path / "m.csv", "--bootstrap", 2)
    options = [tmp_path / "m.csv", "--features", "architecture,repetition", "--seeds", 2]
    one = printed("explain", *options, "--target", "cooperation_rate")
    assert list(one) == list(codebook.JSON_OBJECTS["explain"])
    assert all(set(feature) == documented_names("explain", "ranking") for feature in one["ranking"])
    assert set(one["stability"]) == {"seeds", "rank_correlation", "r2_in", "r2_out"}
    several = printed("explain", *options, "--target", "all")
    assert set(several) == set(codebook.JSON_EXTRAS["explain"])
    assert all(set(part) == {"group", *codebook.JSON_OBJECTS["explain"]} for part in several["explanations"])


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["agent_architectures", "private_deliberation"])
def test_results(paper: str, log: Path, tmp_path: Path, printed: Any) -> None:
    found = printed("results", log, "--paper", paper, "-o", tmp_path / "r", "--bootstrap", 20)
    assert list(found) == list(codebook.JSON_OBJECTS["results"])
    for key in ("tables", "figures", "verdicts"):
        assert found[key]
        assert all(set(item) == documented_names("results", key) for item in found[key])
    assert all(set(item) == {"name", "why"} for item in found["skipped"])


def test_sampling(tmp_path: Path, printed: Any) -> None:
    said = " ".join(str(k % 10) for k in range(100))
    options = ["-m", f"scripted/says:{said}", "--distributions", "poisson(4)", "-o", tmp_path / "s"]
    found = printed("sampling", *options)
    assert list(found) == list(codebook.JSON_OBJECTS["sampling"])
    (facts,) = found["distributions"]
    assert set(facts) == documented_names("sampling", "distributions")
