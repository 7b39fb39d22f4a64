"""Labels of a tournament's log: written some games at a time, as from memory."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from intent.arena.tournament.tournament import tournament
from intent.base.tables import read_table
from intent.recognise.labels.label import label_log

FIELD = {"against": "ALLC,ALLD,TFT,RANDOM", "turns": 12, "noise": 0.05, "repetitions": 6, "figures": False}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("played") / "t"
    tournament(**FIELD, log="all", label="bayes-canonical4", output=path)
    return path


def test_files_are_those_of_labels_in_memory(folder, tmp_path):
    labels = label_log(folder / "log", "bayes-canonical4", eps=0.05)
    written = labels.write(tmp_path / "labels.csv")
    assert (folder / "labels.csv").read_bytes() == written.read_bytes()
    ours, theirs = (
        json.loads((path / "labels.csv.meta.json").read_text(encoding="utf8")) for path in (folder, tmp_path)
    )
    assert ours["summary"].pop("mean_posterior") == pytest.approx(theirs["summary"].pop("mean_posterior"))
    assert ours == theirs
    outcome = labels.table()["label"].astype(object).fillna(labels.table()["status"].astype(object))
    shares, facts = read_table(folder / "label_shares.csv")
    expected = pd.crosstab(labels.table()["strategy"], outcome, normalize="index")
    assert facts["recogniser"] == "bayes-canonical4"
    assert shares["strategy"].tolist() == ["ALLC", "ALLD", "TFT", "RANDOM"]
    for name, row in shares.set_index("strategy").iterrows():
        assert row.drop("n").to_dict() == expected.loc[name].to_dict()
