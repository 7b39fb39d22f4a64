"""Whole tournaments: settings of files, folders that resume, results that do not depend on how."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from intent.arena.field import stage
from intent.arena.tournament.tournament import tournament
from intent.base import codebook
from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.logs.stores import read_gamelog

SAMPLES = Path(__file__).resolve().parents[2] / "datasets" / "samples" / "written_strategies"
QUICK = {"against": "ALLC,ALLD,TFT,RANDOM", "turns": 20, "figures": False}


def lasting(result):
    return {k: v for k, v in result.to_dict().items() if k not in ("seconds", "path")}


def sandbox():
    from intent.arena.engines import engine_status

    if engine_status()["seccomp"] is not None:
        pytest.skip(f"no seccomp here: {engine_status()['seccomp']}")


def test_the_object_is_that_of_the_codebook():
    found = tournament(**QUICK).to_dict()
    assert list(found) == list(codebook.JSON_OBJECTS["tournament"])
    assert found["repetitions"] == 20
    assert found["n"] == 4
    assert found["matches"] == 200
    assert found["engine"] == "automata"
    assert json.dumps(found, allow_nan=False)


def test_figures_of_another_kind_take_the_place_of_earlier_ones(tmp_path):
    for image in ("png", "svg"):
        tournament(**{**QUICK, "figures": True}, output=tmp_path / "t", image=image)
    assert {path.name for path in (tmp_path / "t").glob("*.*g")} == {"standings.svg", "head_to_head.svg"}
    with pytest.raises(UnknownNameError, match="image"):
        tournament(**QUICK, image="gif")


def test_one_repetition_where_nothing_is_random():
    assert tournament(against="ALLC,TFT", turns=5).to_dict()["repetitions"] == 1


def test_a_folder_has_everything(tmp_path):
    result = tournament(**{**QUICK, "figures": True}, output=tmp_path / "t", label="bayes-canonical4")
    names = {path.name for path in (tmp_path / "t").iterdir()}
    expected = "standings pairs head_to_head_payoff head_to_head_cooperation labels label_shares"
    assert {f"{name}.csv" for name in expected.split()} <= names
    assert {"tournament.json", "moves.sqlite", "log", "standings.png", "head_to_head.png"} <= names
    assert len(read_gamelog(tmp_path / "t" / "log")) == 10
    header, rows = result.label_rows()
    assert rows[1][0] == "ALLD"
    assert dict(zip(header, rows[1], strict=True))["ALLD"] == 1


def test_a_folder_is_gone_on_with_and_the_result_is_the_same(tmp_path):
    folder = tmp_path / "t"
    tournament(**{**QUICK, "against": "ALLC,RANDOM"}, output=folder)
    assert lasting(tournament(**QUICK, output=folder)) == lasting(
        tournament(**QUICK, output=tmp_path / "new")
    )
    one, other = (pd.read_csv(path / "pairs.csv") for path in (folder, tmp_path / "new"))
    assert one.equals(other)
    assert read_gamelog(folder / "log").equals(read_gamelog(tmp_path / "new" / "log"))


def test_another_folder_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("x")
    with pytest.raises(OutputError, match="holds no tournament"):
        tournament(**QUICK, output=tmp_path)


def test_a_log_that_is_not_asked_for_goes(tmp_path):
    tournament(**QUICK, output=tmp_path / "t")
    tournament(**QUICK, output=tmp_path / "t", log="none")
    assert not (tmp_path / "t" / "log").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "no strategies: give files"),
        ({"against": "TFT", "log": "some"}, "--log 'some'"),
        ({"against": "TFT", "label": "bayes-canonical4"}, "--label needs the log"),
        ({"against": "TFT", "singles": True}, "--singles goes with --agents"),
        ({"against": "TFT", "agents": True}, "no strategy has an attitude"),
        ({"against": "TFT", "noise": 0.7}, "noise 0.7"),
        ({"against": "TFT", "game": "public-goods"}, "no symmetric game"),
        ({"against": "TFT", "game": "matching-pennies"}, "no symmetric game"),
    ],
)
def test_what_makes_no_tournament_is_said(settings, message):
    with pytest.raises(UsageError, match=message):
        tournament(**settings)


class TestStage:
    def entrants(self, **facts):
        from intent.arena.entrant import Entrant

        return [Entrant(f"s{i}", source="x", **{k: v[i] for k, v in facts.items()}) for i in range(2)]

    def test_files_say_game_turns_and_noise(self):
        game, rules, notes = stage(self.entrants(game=("chicken",) * 2, turns=(50, 50), noise=(0.1, 0.1)))
        assert (game.name, rules.turns, rules.noise, notes) == ("chicken", 50, 0.1, [])

    def test_two_names_of_one_game_agree(self):
        assert stage(self.entrants(game=("stag", "stag-hunt-r4")))[0].name == "stag-hunt-r4"

    def test_what_is_asked_for_wins_and_is_noted(self):
        game, rules, notes = stage(self.entrants(noise=(0.1, 0.1)), noise=0.0, game="stag")
        assert (game.name, rules.noise) == ("stag-hunt-r4", 0)
        assert notes == ["some strategies were written for noise 0.1, played with 0"]

    def test_files_that_disagree_need_a_word(self):
        with pytest.raises(UsageError, match="written for turns 50 and 60; say which with --turns"):
            stage(self.entrants(turns=(50, 60)))


def test_written_strategies_by_attitude():
    sandbox()
    result = tournament([SAMPLES / "default.py"], turns=30, repetitions=2)
    found = result.to_dict()
    assert list(found["head_to_head"]["payoff"]) == ["Aggressive", "Cooperative", "Neutral"]
    assert found["n"] == 24
    assert not found["faults"]
    assert not found["left_out"]
    assert {row["file"] for row in found["standings"]} == {"default.py"}
    ends = found["intervals"]["cooperation"]["Neutral"]["Aggressive"]
    assert ends["low"] <= found["head_to_head"]["cooperation"]["Neutral"]["Aggressive"] <= ends["high"]
    assert found["head_to_head"]["cooperation"]["Cooperative"]["Cooperative"] > 0.9


def test_any_number_of_workers_gives_the_same():
    sandbox()
    settings = {"against": "humans", "turns": 40, "noise": 0.05, "repetitions": 3}
    assert lasting(tournament(**settings, workers=1)) == lasting(tournament(**settings, workers=3))


def test_who_fails_is_named_and_left_out(tmp_path):
    sandbox()
    bad = tmp_path / "bad.py"
    bad.write_text("def late_error(self, opponent):\n    return [][len(self.history)]\n")
    found = tournament([bad], against="ALLC,TFT", turns=20).to_dict()
    (out,) = found["left_out"]
    assert out["name"] == "late_error"
    assert "error" in out["reason"]
    assert {row["name"] for row in found["standings"]} == {"ALLC", "TFT"}
    assert {fault["kind"] for fault in found["faults"]} == {"error"}


def test_where_all_fail_nothing_is_claimed(tmp_path):
    sandbox()
    tournament(against="ALLC,TFT", turns=20, output=tmp_path / "t", label="bayes-canonical4")
    bad = tmp_path / "bad.py"
    bad.write_text("def bad(self, opponent):\n    return [][len(self.history)]\n")
    result = tournament([bad], turns=20, output=tmp_path / "t", label="bayes-canonical4")
    assert (result.standings, result.n_matches, result.label_rows()) == ([], 0, None)
    left = {path.name for path in (tmp_path / "t").iterdir()}
    assert not left & {"log", "labels.csv", "label_shares.csv", "standings.png", "head_to_head.png"}


@pytest.mark.slow
def test_killed_and_resumed_is_as_if_never_ended(tmp_path):
    sandbox()
    settings = {"turns": 1000, "noise": 0.1, "repetitions": 3, "figures": False}
    folder = tmp_path / "killed"
    code = (
        "from intent.arena.tournament.tournament import tournament\n"
        f"tournament([{str(SAMPLES / 'default.py')!r}], output={str(folder)!r}, workers=2, **{settings!r})\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code])
    wal = folder / "moves.sqlite-wal"
    deadline = time.monotonic() + 60
    while not (wal.is_file() and wal.stat().st_size > 100_000) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert not (folder / "tournament.json").exists()
    resumed = tournament([SAMPLES / "default.py"], output=folder, **settings)
    whole = tournament([SAMPLES / "default.py"], output=tmp_path / "whole", **settings)
    assert lasting(resumed) == lasting(whole)
    assert read_gamelog(folder / "log").equals(read_gamelog(tmp_path / "whole" / "log"))


def test_agents_among_others(tmp_path):
    sandbox()
    settings = {"against": "ALLC,TFT", "turns": 20, "repetitions": 4, "agents": True, "log": "all"}
    found = tournament([SAMPLES / "default.py"], output=tmp_path / "t", **settings)
    facts = found.to_dict()
    assert list(facts["head_to_head"]["payoff"]) == ["Aggressive", "Cooperative", "Neutral", "ALLC", "TFT"]
    assert (facts["n"], facts["matches"], facts["intervals"]) == (5, 15 * 4, None)
    log = read_gamelog(tmp_path / "t" / "log")
    assert len(log) == 15 * 4
    assert set(log.seats["player"]) == set(facts["head_to_head"]["payoff"])
    assert log.seats["strategy"].nunique() > 8
    again = tournament([SAMPLES / "default.py"], **settings)
    assert lasting(again) == lasting(found)


def test_one_path_is_enough_and_a_fault_against_oneself_says_so(tmp_path):
    sandbox()
    bad = tmp_path / "bad.py"
    bad.write_text("def bad(self, opponent):\n    # no history in round 1\n    return opponent.history[-1]\n")
    (out,) = tournament(str(bad), against="TFT", turns=5).to_dict()["left_out"]
    assert out["reason"].startswith("error against itself in round 1: line 2 of its code: IndexError")
