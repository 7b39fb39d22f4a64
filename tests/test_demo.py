import pandas as pd
from play_logs import PD, log_of, match

import intent
from intent.demo import LOCAL_MODEL, STAND_IN, available, sample_log, samples, story
from intent.report.page import Grid


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


def test_the_story_has_results_by_opponent_and_recognisers_beside_the_ceiling():
    def of(opponent, a, b, strategies):
        return match(PD, a, b, model=[None, None], opponent=opponent), strategies

    games = [
        of("model", "CCCC", "CCCD", ("WSLS", "WSLS")),
        of("scripted/TFT", "CCDD", "CCCD", ("WSLS", "TFT")),
        of("scripted/ALLD", "DDDD", "CDDD", ("ALLD", "WSLS")),
    ]
    log = log_of(*(game for game, _ in games))
    strategies = [name for _, two in games for name in two]
    log = type(log)(log.games, log.seats.assign(strategy=strategies), log.moves)
    trained = [{"name": "forest", "accuracy": 0.97, "standard_error": 0.001, "ceiling": 0.98}]
    section = story(
        trained, {"forest": {"accuracy": 0.96}}, who="scripted/WSLS@0.1", log=log, labels=intent.label(log)
    )
    played, recognisers = (block for block in section.blocks if isinstance(block, Grid))
    assert [(row[0], row[2], row[3], row[4], row[5]) for row in played.rows] == [
        ("itself", "1", "8", "88", "88"),
        ("TFT", "1", "4", "50", "75"),
        ("ALLD", "1", "4", "25", "0"),
    ]
    assert recognisers.rows[0] == ("forest", "97.00", "± 0.10", "98.00", "96.00")
    assert any("forest misses it by 1.0 points" in getattr(block, "text", "") for block in section.blocks)
