"""Shares of people: published ones come out of the choices, stored ones are what the script estimates."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pandas as pd
import pytest

import intent
from intent.estimate.baselines import baselines

BASELINES = Path(__file__).resolve().parents[2] / "datasets" / "baselines"


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(BASELINES / "estimate.py"))


@pytest.mark.data
def test_stored_shares_are_those_of_the_choices(script, data_dir):
    rows = json.loads((BASELINES / "human_shares.json").read_text(encoding="utf-8"))["baselines"]
    stored = [row for row in rows if row["how"] == "re-estimated"]
    estimated = list(script["estimates"](data_dir))
    assert [row["name"] for row in estimated] == [row["name"] for row in stored]
    for one, other in zip(estimated, stored, strict=True):
        for key in ("shares", "se"):  # the last digit may be rounded otherwise elsewhere
            assert one.pop(key) == pytest.approx(other.pop(key), abs=1.01e-4), one["name"]
        assert one.pop("tremble") == pytest.approx(other.pop("tremble"), abs=1.01e-4)
        assert one == other


@pytest.mark.data
def test_dal_bo_and_frechettes_table_comes_out_of_their_choices(script, data_dir):
    """All 36 shares of their Table 7, to the printed digit."""
    anew = {b.people: b for b in baselines(["df2011:df2011"])}
    for published in baselines(["df2011"]):
        estimated = anew[published.name].beside(published.strategies)
        for name, printed, _ in published.shares:
            assert estimated[name] == pytest.approx(printed, abs=0.0055), (published.name, name)
        assert (published.n_subjects, published.n_choices) == (
            anew[published.name].n_subjects,
            anew[published.name].n_choices,
        )


@pytest.mark.data
def test_romero_and_rosokhas_example_comes_out_of_their_choices(script, data_dir, tmp_path):
    """All 20 shares, the tremble and the log-likelihood that their notebook prints, to its four decimals."""
    study = script["STUDIES"]["rr2018"]
    study.tidy(pd.read_csv(data_dir / study.file)).to_csv(tmp_path / "choices.csv", index=False)
    mapping = {name: name for name in ("player", "game", "round", "action", "other")}
    log = intent.read_log(tmp_path / "choices.csv", mapping=mapping, cooperate="C")
    (fitted,) = intent.sfem(log, "rr20", test=False).to_dict()["groups"]
    (published,) = baselines(["rr2018-example"])
    for name, printed, _ in published.shares:
        assert fitted["shares"][name]["estimate"] == pytest.approx(printed, abs=1.01e-4), name
    assert fitted["log_likelihood"] == pytest.approx(-3871.8297, abs=1e-4)
    assert fitted["tremble"] == pytest.approx(published.tremble, abs=1e-4)
    assert (fitted["n_subjects"], fitted["n_choices"]) == (published.n_subjects, published.n_choices)


@pytest.mark.data
def test_the_others_moves_of_akatas_people_follow_from_scores(script, data_dir):
    """One score contradicts the move; the file's column of coordination is both D, but in 19 rounds."""
    study = script["STUDIES"]["akata2025"]
    raw = pd.read_csv(data_dir / study.file).query("game == 'PD'")
    tidy = study.tidy(raw)
    assert tidy["other"].isna().sum() == 1
    both_defect = (tidy["action"] == "D") & (tidy["other"] == "D")
    assert (both_defect != (raw["coordination"] == 1)).sum() == 19
    assert tidy.groupby("player")["round"].max().eq(10).all()
