"""`intent explain`: from a table to JSON, tables and figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from intent.base import codebook
from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.behaviour.explain import BEHAVIOUR, explain
from intent.cli.main import main

FEATURES = "attitude,opponent,rounds"


@pytest.fixture
def metrics() -> pd.DataFrame:
    """108 games in which the advice decides for model a, and nothing for model b, who always defects."""
    cells = pd.MultiIndex.from_product(
        [["a", "b"], ["cooperate", "defect", "compute"], ["ALLC", "ALLD", "TFT"], [10, 20], range(3)],
        names=["model", "attitude", "opponent", "rounds", "repetition"],
    ).to_frame(index=False)
    rate = np.where((cells["model"] == "a") & (cells["attitude"] == "cooperate"), 1.0, 0.0)
    cells["game_id"] = [f"g{i}" for i in range(len(cells))]
    cells["forgiveness_n"] = np.where(cells["opponent"] == "ALLC", 0, 3)
    return cells.assign(**dict.fromkeys(BEHAVIOUR, rate))


def test_one_target_is_one_object_of_the_codebook(metrics: pd.DataFrame) -> None:
    found = explain(metrics, features=FEATURES, where={"model": ["a"]}, seeds=2).to_dict()
    assert set(found) == set(codebook.JSON_OBJECTS["explain"])
    first = found["ranking"][0]
    assert set(first) == {"feature", "mean_abs_shap", "share", "rank_low", "rank_high", "levels"}
    assert first["feature"] == "attitude"
    assert set(first["levels"]["cooperate"]) == {"mean_shap", "mean_target", "n"}
    assert found["r2_out"] > 0.9


def test_groups_and_targets_are_a_list_and_a_constant_metric_says_so(metrics: pd.DataFrame) -> None:
    found = explain(metrics, "all", FEATURES, by="model", seeds=1).to_dict()
    assert set(found) == set(codebook.JSON_EXTRAS["explain"])
    assert len(found["explanations"]) == 12
    b = next(one for one in found["explanations"] if one["group"] == {"model": "b"})
    assert b["r2_in"] is None
    assert "nothing to explain" in b["notes"][0]


def test_rows_without_an_occasion_may_be_left_out(metrics: pd.DataFrame) -> None:
    kept = explain(metrics, "forgiveness", FEATURES, seeds=1).to_dict()
    left = explain(metrics, "forgiveness", FEATURES, seeds=1, with_occasion=True).to_dict()
    assert (kept["n"], left["n"]) == (108, 72)
    assert "36 of 108 rows gave forgiveness no occasion: counted" in kept["notes"][0]
    assert "left out" in left["notes"][0]


def test_seats_that_a_strategy_plays_are_left_out_and_counted(metrics: pd.DataFrame) -> None:
    strategies = metrics.assign(model=None, strategy="TFT", attitude=None, cooperation_rate=0.5)
    table = pd.concat([metrics.assign(strategy=None), strategies], ignore_index=True)
    found = explain(table, features=FEATURES, seeds=1).to_dict()
    assert found["n"] == 108
    assert found["notes"][0] == "108 rows of seats that a strategy plays are left out"
    assert explain(table, features=f"{FEATURES},strategy", seeds=1).to_dict()["n"] == 216
    assert explain(table, features=FEATURES, where={"strategy": ["TFT"]}, seeds=1).to_dict()["n"] == 108


def test_rows_without_a_value_are_not_said_to_be_counted(metrics: pd.DataFrame) -> None:
    table = metrics.assign(
        forgiveness=np.where(metrics["opponent"] == "ALLC", np.nan, metrics["forgiveness"])
    )
    (note,) = explain(table, "forgiveness", FEATURES, seeds=1).to_dict()["notes"]
    assert note == "36 of 108 rows have no forgiveness and are left out"


def test_what_cannot_be_explained_is_one_line(metrics: pd.DataFrame) -> None:
    with pytest.raises(UnknownNameError, match="did you mean cooperation_rate"):
        explain(metrics, "cooperation")
    with pytest.raises(UsageError, match="target and a feature"):
        explain(metrics, "rounds", "rounds")
    with pytest.raises(DataError, match="'cooperate', expected numbers"):
        explain(metrics, "attitude", "rounds")
    with pytest.raises(UsageError, match="no rows left"):
        explain(metrics, features=FEATURES, where={"model": ["c"]})


def test_the_command_writes_tables_and_figures(
    metrics: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics.to_csv(tmp_path / "m.csv", index=False)
    options = ["--features", FEATURES, "--by", "model", "-t", "niceness", "-t", "cooperation_rate"]
    with pytest.raises(SystemExit) as done:
        main(
            [
                "explain",
                str(tmp_path / "m.csv"),
                *options,
                "--seeds",
                "1",
                "-o",
                str(tmp_path / "o"),
                "--json",
            ]
        )
    assert done.value.code == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["explanations"]) == 4
    assert sorted(
        p.name for p in (tmp_path / "o").iterdir() if "meta" not in p.name and p.suffix != ".txt"
    ) == [
        "explain.json",
        "importance.csv",
        "levels.csv",
        "shap_bars.png",
        "shap_violins.png",
    ]
    assert len(pd.read_csv(tmp_path / "o" / "importance.csv")) == 12
