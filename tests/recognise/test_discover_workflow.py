"""From a log to states, shares by group and files; and the command."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from printed import printed

from intent.base import codebook
from intent.base.errors import UnknownNameError, UsageError
from intent.base.tables import read_table
from intent.cli.main import main
from intent.recognise.discovery import discover, parse_states

TIDY = "id,round,player,move,other,model\n"


@pytest.fixture
def log(tmp_path):
    """A CSV of 40 players of ten rounds: model "stern" nearly always defects, "mild" copies the other."""
    rng = np.random.default_rng(0)
    lines = []
    for game in range(40):
        other = rng.integers(0, 2, 10)
        for t in range(10):
            wants = 0 if game % 2 else (1 if t == 0 else other[t - 1])
            own = wants ^ int(rng.random() < 0.03)
            names = "stern" if game % 2 else "mild"
            lines.append(f"g{game},{t + 1},p{game},{'DC'[own]},{'DC'[other[t]]},{names}\n")
    path = tmp_path / "play.csv"
    path.write_text(TIDY + "".join(lines))
    return path


READING = {
    "mapping": "game=id,round=round,player=player,action=move,other=other",
    "cooperate": "C",
    "format": "tidy",
}


@pytest.fixture
def discovery(log):
    return discover(log, states="2", by="model", starts=4, **READING)


def test_the_object_has_the_keys_of_the_codebook(discovery):
    payload = discovery.to_dict()
    assert list(payload) == list(codebook.JSON_OBJECTS["discover"])
    json.dumps(payload, allow_nan=False)
    assert (payload["n"], payload["n_games"], payload["n_moves"]) == (40, 40, 400)


def test_models_are_told_apart_by_their_states(discovery):
    groups = {g["group"]["model"]: g["shares"] for g in discovery.to_dict()["groups"]}
    stern = max(groups["stern"], key=groups["stern"].get)
    assert groups["stern"][stern] > 0.8
    assert groups["mild"][stern] < 0.4
    assert all(sum(shares.values()) == pytest.approx(1) for shares in groups.values())


def test_shares_of_play_are_those_of_the_trajectories(discovery):
    table = discovery.table()
    assert list(table.filter(like="share_")) == ["share_1", "share_2"]
    shares = [state["share"] for state in discovery.to_dict()["states"]]
    assert np.allclose(table[["share_1", "share_2"]].mean(), shares)
    assert shares[0] >= shares[1]


@pytest.mark.parametrize("name", ["states.png", "states.csv", "states.parquet", "states.json"])
def test_files_hold_what_their_suffix_says(discovery, tmp_path, name):
    target = discovery.write(tmp_path / name)
    if name.endswith(".json"):
        assert json.loads(target.read_text())["config"]["seed"] == 0
    elif name.endswith(".png"):
        assert target.read_bytes() == discovery.write(tmp_path / "again.png").read_bytes()
    else:
        table, facts = read_table(target)
        assert len(table) == 40
        assert facts["kind"] == "discovery"


@pytest.mark.parametrize("text", ["0", "3-2", "1-99", "two", ""])
def test_numbers_of_states_that_cannot_be(text):
    with pytest.raises(UsageError, match="expected a number or a range"):
        parse_states(text)


def test_wrong_settings_are_named(log):
    with pytest.raises(UsageError, match="--symbols 12, expected 10 or 14"):
        discover(log, symbols=12, **READING)
    with pytest.raises(UnknownNameError, match="model"):
        discover(log, by="modle", **READING)


OPTIONS = ["--format", "tidy", "--map", READING["mapping"], "--cooperate", "C", "--states", "1-2"]


def run(*arguments):
    with pytest.raises(SystemExit) as end:
        main(["discover", *map(str, arguments)])
    return end.value.code


def test_command_prints_one_object(log, capsys):
    assert run(log, *OPTIONS, "--starts", 2, "--json") == 0
    payload = printed(capsys.readouterr().out)
    assert list(payload) == list(codebook.JSON_OBJECTS["discover"])
    assert [c["n_states"] for c in payload["candidates"]] == [1, 2]


def test_command_prints_tables_and_writes_files(log, tmp_path, capsys):
    target = tmp_path / "shares.parquet"
    assert run(log, *OPTIONS, "--starts", 2, "--by", "model", "-o", target) == 0
    out = capsys.readouterr().out
    assert "40 trajectories of 40 games, 400 moves" in out
    assert "nearest strategies" in out
    assert "stern" in out
    assert len(pd.read_parquet(target)) == 40
    assert run(log, *OPTIONS, "-o", target) == 2
    assert "exists" in capsys.readouterr().err


def test_command_never_writes_over_the_log(log, capsys):
    assert run(log, *OPTIONS, "-o", log, "--overwrite") == 2
    assert "it is the table that is read" in capsys.readouterr().err


@pytest.mark.data
def test_states_of_the_public_log_are_more_than_one(data_dir):
    log = data_dir / "fairgame" / "results.csv.gz"
    found = discover(log, states="1-2", starts=2, by="model", where={"game": ["prisoner-dilemma"]})
    payload = found.to_dict()
    assert payload["n_states"] == 2
    assert payload["n_moves"] == 54_000
    assert len(payload["groups"]) == 3
