"""A benchmark from the command line to its last table, and every other command that reads its log."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from intent.cli.main import main
from intent.gamma.catalogue import GAMMA_GAMES

pytestmark = pytest.mark.slow

MODELS = ("scripted/asked:RANDOM", "scripted/equilibrium")


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("bench") / "run"
    models = [word for model in MODELS for word in ("-m", model)]
    with pytest.raises(SystemExit) as done:
        main(
            [
                "bench",
                "gamma",
                "run",
                *models,
                "--rounds",
                "8",
                "--repetitions",
                "2",
                "--no-track",
                "-o",
                str(folder),
            ]
        )
    assert not done.value.code
    return folder


def json_of(capsys: pytest.CaptureFixture[str], *words: object) -> dict:
    """The object that a command prints."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as done:
        main([*map(str, words), "--json"])
    assert not done.value.code
    return json.loads(capsys.readouterr().out)


def test_the_folder_has_tables_and_figures(run):
    made = {str(path.relative_to(run)) for path in run.rglob("*") if path.is_file()}
    assert {"scores.csv", "means.csv", "leaderboard.md", "leaderboard.json"} < made
    assert {f"figures/play_{game}.png" for game in GAMMA_GAMES} < made
    assert "figures/leaderboard.png" in made


def test_scores_and_leaderboard_agree_with_those_of_the_run(run, capsys):
    scores = json_of(capsys, "bench", "gamma", "score", run)["scores"]
    assert [(row["game"], row["run"]) for row in scores[:2]] == [("guessing", 1), ("bar", 1)]
    assert len(scores) == 2 * 2 * 8
    again = json_of(capsys, "bench", "gamma", "leaderboard", run)["leaderboard"]
    own = json.loads((run / "leaderboard.json").read_text())["leaderboard"]
    assert sorted(one["overall"]["mean"] for one in again) == pytest.approx(
        sorted(one["overall"]["mean"] for one in own)
    )


def test_theory_beats_chance_where_it_should(run, capsys):
    found = json_of(capsys, "bench", "gamma", "analyse", run, "--by", "model", "--samples", 200)
    regret = {(row["game"], row["group"]["model"]): row["regret"]["estimate"] for row in found["regret"]}
    assert all(
        regret[game, "scripted/equilibrium"] == 0 for game in ("guessing", "diner", "public_goods", "pirate")
    )
    assert all(
        regret[game, "scripted/asked:RANDOM"] > 0 for game in ("guessing", "diner", "public_goods", "pirate")
    )


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("contributors", "--where", "game=public_goods", "--by", "model", "--bootstrap", 20), "groups"),
        (
            ("sfem", "--where", "game=diner", "--others", "count", "--strategies", "ALLC,ALLD,TFT>=5"),
            "groups",
        ),
        (("metrics", "--where", "game=diner", "--others", "majority"), "n"),
        (("label", "--where", "game=diner", "--others", "majority"), "statuses"),
        (("validate",), "n_games"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_other_commands_read_its_log(run, capsys, words, key):
    assert key in json_of(capsys, words[0], run, *words[1:])
