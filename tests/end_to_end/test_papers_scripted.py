"""Both papers from experiment file to tables and figures, with an artificial model whose play is known."""

from __future__ import annotations

import json
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from intent.cli.main import main
from intent.logs.readers import read_log
from intent.runner.experiment.file import load_experiment
from intent.runner.play import play
from intent.runner.run import Run

pytestmark = pytest.mark.slow

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
MODEL = "scripted/agreeable"
SIX = {"cooperation_rate", "niceness", "troublemaking", "retaliation", "forgiveness", "emulation"}


def command(capsys: pytest.CaptureFixture[str], *words: str | Path) -> dict[str, Any]:
    """What a command prints as JSON."""
    with pytest.raises(SystemExit) as done:
        main([*map(str, words), "--json"])
    assert done.value.code == 0
    return dict(json.loads(capsys.readouterr().out))


def results(run: Path, paper: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What one command makes of a run folder."""
    made = command(capsys, "results", run, "--paper", paper, "--bootstrap", "1000", "-o", folder)
    assert all((folder / one["file"]).stat().st_size for one in (*made["tables"], *made["figures"]))
    return made


@pytest.mark.exhaustive
def test_the_grid_of_the_thesis(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experiment = load_experiment(EXPERIMENTS / "agent_architectures/scripted.yaml", models=[MODEL], after={})
    played = play(experiment, tmp_path / "run")
    assert (played.summary["state"], played.summary["readable"], played.summary["calls"]) == (
        "finished",
        1,
        17_550,
    )
    assert Run.open(tmp_path / "run").check() == []
    made = results(tmp_path / "run", "agent_architectures", tmp_path / "o", capsys)
    assert made["skipped"] == []
    assert {one["hypothesis"]: one["verdict"] for one in made["verdicts"]} == {
        "HT1": "supported",
        "HT2": "supported",
        **dict.fromkeys(("HT3", "HD1", "HD2", "HD3"), "undecided"),
    }

    games = pd.read_csv(tmp_path / "o" / "games.csv", keep_default_na=False, na_values=[""])
    cells = set(product(("ALLC", "ALLD", "TFT"), (10, 20), ("dilemma", "delight", "confusion")))
    assert len(games) == 126
    for _, group in games.groupby(["Arch", games["Att"].fillna("none")]):
        assert set(group[["OppStr", "NR", "Game"]].itertuples(index=False, name=None)) == cells
    rate = games.groupby(["Arch", "Att", "Game"])["CR"]
    assert rate.min()["tool", "cooperate"].eq(1).all()
    assert rate.max()["debate", "defect"].eq(0).all()
    assert (rate.max()["tool", "compute", "dilemma"], rate.min()["tool", "compute", "delight"]) == (0, 1)
    assert 0 < rate.mean()["tool", "compute", "confusion"] < 1
    assert games[["CR2", "CR3M", "CR3m", "CR4"]].eq(1).all(axis=None)
    assert games.groupby("NR")["CR1"].max().to_dict() == {10: 0.9, 20: 0.95}
    assert games[games["Arch"] == "tool"][["adherence", "tool_use"]].eq(1).all(axis=None)

    fits = pd.read_csv(tmp_path / "o" / "sfem.csv").set_index("architecture")
    assert (fits.loc["tool", "best"], fits.loc["tool", "match"]) == ("ALLD", pytest.approx(2 / 3))
    assert fits.loc["tool", ["share_ALLC", "share_ALLD"]].tolist() == pytest.approx([1 / 3, 2 / 3])
    importances = pd.read_csv(tmp_path / "o" / "importances.csv")
    assert set(importances[["architecture", "target"]].itertuples(index=False, name=None)) == set(
        product(("tool", "debate"), SIX)
    )
    assert set(importances["feature"]) == {"attitude", "opponent", "rounds", "game"}
    drawn = {one["name"] for one in made["figures"]}
    assert {f"shap_{kind}_{of}" for kind in ("bars", "violins") for of in ("tool", "debate")} < drawn

    table = tmp_path / "metrics.parquet"
    assert command(capsys, "metrics", tmp_path / "run", "-o", table)["n"] == 252
    told = command(
        capsys,
        *("explain", table, "--target", "cooperation_rate", "--features", "attitude,opponent,rounds,game"),
        *("--where", "architecture=tool", "--seeds", "3"),
    )
    assert (told["n"], told["ranking"][0]["feature"]) == (54, "attitude")


def test_the_paper_on_private_deliberation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experiment = load_experiment(
        EXPERIMENTS / "private_deliberation/paper.yaml",
        models=[MODEL],
        repetitions=3,
        settings={"seeded": True},
    )
    played = play(experiment, tmp_path / "run")
    assert (played.summary["state"], played.summary["n_games"], played.summary["readable"]) == (
        "finished",
        99,
        1,
    )
    assert Run.open(tmp_path / "run").check() == []
    thoughts_stay_private(tmp_path / "run")

    made = results(tmp_path / "run", "private_deliberation", tmp_path / "o", capsys)
    assert [one["name"] for one in made["skipped"]] == ["H1"]  # no `intent sampling` beside it
    assert {"figure 3", "figure 4", "figure 6", "figure 7a, 7b", "figure 8a", "figure 9", "table 2"} <= {
        one["published"] for one in (*made["tables"], *made["figures"])
    }
    over = pd.read_csv(tmp_path / "o" / "cooperation_over_x.csv")
    kinds = ("TFT", "private", "public")
    pairs = [f"{one} v {other}" for one, other in combinations_with_replacement(kinds, 2)]
    assert set(over[["x", "agents"]].itertuples(index=False, name=None)) == set(
        product((1, 2.9, 3.1, 10), pairs)
    )
    assert over[over["agents"] == "TFT v TFT"]["estimate"].eq(1).all()
    lengths = pd.read_csv(tmp_path / "o" / "text_lengths.csv")
    private = lengths[lengths["text"] == "private"].groupby("agent")["estimate"]
    assert private.min()["private"] > 0 == private.max()["public"]
    deceived = pd.read_csv(tmp_path / "o" / "deception.csv").groupby("measure")["estimate"]
    assert (deceived.min()["announces"], deceived.max()["deceptive"]) == (1, 0)
    utilities = pd.read_csv(tmp_path / "o" / "utilities.csv")
    assert set(utilities.loc[utilities["payoffs"] == "inferred", "game"]) == {
        *("chicken", "head-tail", "battle-sexes-2-1"),
    }


def thoughts_stay_private(run: Path) -> None:
    """Agents read their private thoughts again, and public agents none of them."""
    log, calls = read_log(run), Run.open(run).calls()
    kinds = log.seats.set_index(["game_id", "seat"])["architecture"]
    told = calls.groupby(["game_id", "seat"], observed=True)["body"].agg("\n".join)
    thoughts = log.moves[log.moves["private_thought"].notna()]
    again = 0
    for move in thoughts.itertuples():
        here, there = (move.game_id, move.seat), (move.game_id, 3 - move.seat)
        again += move.private_thought in told[here]
        assert kinds[there] == "private" or move.private_thought not in told.get(there, "")
    assert again > 0.5 * len(thoughts) > 500
