"""Figures of result tables: told by columns, alike whatever the file, refused in one line."""

from __future__ import annotations

import gzip

import numpy as np
import pandas as pd
import pytest
from play_logs import scaled_games

from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.base.tables import write_table
from intent.behaviour.metrics import metrics
from intent.comparison.compare import compare
from intent.logs.stores import write_log
from intent.recognise.labels.label import label_log
from intent.report.figure_makers import TABLES, of_tables, table_kind
from intent.report.figures import figures

FEW = {"bootstrap": 20}
SMALL = {
    "bins": pd.DataFrame(
        {"class": "(most probable)", "bin": [1, 2], "low": [0.3, 0.8], "high": [0.8, 1.0], "n": 50}
    ).assign(confidence=[0.6, 0.95], accuracy=[0.55, 0.96]),
    "cells": pd.DataFrame(
        {"recogniser": ["a", "a", "b", "b"], "rounds": [5, 10, 5, 10], "noise": 0.1}
    ).assign(
        set="canonical4", opponent="random", regret_known=[0.0, 0.01, 0.1, 0.2], regret_known_se=0.01, n=500
    ),
    "importance": pd.DataFrame({"target": "niceness", "n": 9, "feature": ["model", "persona"]}).assign(
        mean_abs_shap=[0.2, 0.1], share=[0.67, 0.33], rank_low=None, rank_high=None, r2_in=0.9, r2_out=0.5
    ),
    "paths": pd.DataFrame({"start": "s", "run": [1, 1, 2, 2, 2], "step": [0, 4, 0, 1, 9]}).assign(
        n_TFT=[2, 4, 2, 3, 4], n_ALLD=[2, 0, 2, 1, 0]
    ),
    "equilibria": pd.DataFrame({"start": "s", "name": ["TFT", "ALLD"], "individuals": 2}).assign(
        initial=0.5, runs=9, share=[0.9, 0.1], low=0.0, high=1.0, verdict="compatible", fixation=[0.8, None]
    ),
    "matrix": pd.DataFrame({"against": ["TFT", "ALLD"], "TFT": [3.0, 1.1], "ALLD": [0.9, 1.0]}),
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A file of every kind of table."""
    folder = tmp_path_factory.mktemp("tables")
    write_log(scaled_games(np.random.default_rng(2), repetitions=1), folder / "log")
    label_log(folder / "log").write(folder / "labels.parquet")
    metrics(folder / "log", bootstrap=20).write(folder / "metrics.parquet")
    quick = {"bootstrap": 20, "permutations": 20}
    compare(folder / "labels.parquet", "scale", **quick).write(folder / "shares.csv")
    compare(folder / "metrics.parquet", "model", metric="niceness", **quick).write(folder / "means.csv")
    shares = pd.DataFrame({"model": "a", "n_subjects": 9, "strategy": ["TFT", "ALLD"]})
    SMALL["estimates"] = shares.assign(estimate=[0.7, 0.3], low=0.1, high=[0.9, None], tremble=0.1)
    for kind, table in SMALL.items():
        write_table(table, folder / f"{kind}.csv", {"by": ["model"]} if kind == "estimates" else {})
    return {path.name.split(".")[0]: path for path in folder.iterdir() if path.suffix in (".csv", ".parquet")}


@pytest.mark.parametrize("kind", [kind.name for kind in TABLES])
def test_every_kind_is_known_and_drawn(tables, tmp_path, kind):
    assert table_kind(tables[kind]) == kind
    found = figures(tables[kind], (), tmp_path, by=("model",) if kind in ("labels", "metrics") else (), **FEW)
    drawn = {figure["name"] for figure in found.figures}
    assert drawn | {one["name"] for one in found.skipped} == {
        n for n, f in of_tables().items() if kind in f.needs
    }
    assert drawn >= {n for n, f in of_tables().items() if kind in f.needs} - {"ribbons", "simplex"}
    for figure in found.figures:
        assert (tmp_path / figure["file"]).stat().st_size > 5000
        assert len(pd.read_csv(tmp_path / figure["table"]))


def test_a_log_is_no_table(tables, tmp_path):
    log = tables["labels"].parent / "log"
    assert table_kind(log) is None
    tidy = tmp_path / "tidy.csv"
    tidy.write_text("game_id,round,player,action\n1,1,a,C\n")
    assert table_kind(tidy) is None
    assert figures(log, ["cooperation"], tmp_path / "out", **FEW).of_log
    with pytest.raises(DataError, match=r"tidy\.csv"):
        figures(tidy)


def test_a_packed_table_is_the_same(tables, tmp_path):
    packed = tmp_path / "cells.csv.gz"
    packed.write_bytes(gzip.compress(tables["cells"].read_bytes()))
    assert table_kind(packed) == "cells"
    assert figures(packed, ["regret"], tmp_path / "out").figures[0]["name"] == "regret"


@pytest.mark.parametrize("head", [b"", b"\x1f\x8b\x08\x00broken", b"\xff\xfe\x00", b'"' * 100, b"[" * 2000])
def test_a_broken_head_is_no_table(tmp_path, head):
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        (tmp_path / name).write_bytes(head)
        assert table_kind(tmp_path / name) is None


def test_what_is_asked_in_vain(tables, tmp_path):
    with pytest.raises(UsageError, match="'simplex' needs a table of labels, got one of metrics"):
        figures(tables["metrics"], ["simplex"], tmp_path)
    with pytest.raises(UnknownNameError, match="did you mean simplex"):
        figures(tables["labels"], ["simplx"], tmp_path)
    with pytest.raises(UsageError, match="--by does not apply to a table of shares"):
        figures(tables["shares"], ["bars"], tmp_path, by="model")
    with pytest.raises(UsageError, match="no rows left of"):
        figures(tables["labels"], ["bars"], tmp_path, where={"model": ["nobody"]})
    with pytest.raises(UsageError, match="ribbons run over an ordered column"):
        figures(tables["labels"], ["ribbons"], tmp_path, by="language", where={"language": ["en"]})


def test_the_same_table_gives_the_same_bytes(tables, tmp_path):
    for name in ("a", "b"):
        figures(tables["labels"], ["bars", "simplex"], tmp_path / name, by="model", image="svg", **FEW)
    for name in ("bars.svg", "simplex.svg"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_caption_made_from_a_table_claims_no_difference(tables, tmp_path):
    figures(tables["labels"], ["bars"], tmp_path, by="model", image="svg", **FEW)
    assert "chi-square" not in (tmp_path / "bars.svg").read_text(encoding="utf-8")
