"""``intent contributors`` and ``intent sfem --others count``, from logs to tables, figures and commands."""

from __future__ import annotations

import json

import numpy as np
import pytest
import typer
from contribution_logs import binary_log, threshold_play, token_log
from typer.testing import CliRunner

from intent.base import codebook
from intent.base.errors import OutputError, UsageError
from intent.cli.app import job_command
from intent.estimate.contributors import contributors
from intent.estimate.requests import ContributorsRequest, SfemRequest
from intent.estimate.sfem import sfem
from intent.logs.gamelog import concat_logs
from intent.logs.stores import write_log
from intent.strategies.catalogue import strategy

command, sfem_command = job_command(ContributorsRequest), job_command(SfemRequest)


def tokens(rng, games=6, rounds=12):
    """Seat 1 gives nothing, 2 gives 12, 3 half of what the others gave, 4 anything."""
    found = []
    for _ in range(games):
        played = [[0, 12, 5, int(rng.integers(21))]]
        for _ in range(rounds - 1):
            last = played[-1]
            played.append([0, 12, round((sum(last) - last[2]) / 3), int(rng.integers(21))])
        found.append(played)
    return token_log(found)


def binary(rng):
    table = [(strategy("ALLD"), 1), (strategy("TFT"), 1), (strategy("TFT"), 2)]
    return binary_log(threshold_play([table] * 30, 10, 0.05, rng))


@pytest.fixture(scope="module")
def typed():
    return contributors(tokens(np.random.default_rng(3)), by="seat", bootstrap=50)


def test_types_by_seat(typed):
    best = [max(g.estimated, key=lambda k, g=g: g.estimated[k].estimate) for g in typed.groups]
    assert best == ["free_rider", "unconditional", "conditional", "other"]
    assert (typed.table.loc[typed.table["seat"] == 3, "slope"] > 0.8).all()


def test_the_table_is_that_of_the_codebook(typed):
    columns = list(typed.table.columns)
    ours = [c.name for c in codebook.CONTRIBUTORS]
    assert [c for c in columns if c in ours] == ours
    posterior = typed.table[[c for c in columns if c.startswith("p_")]]
    assert posterior.sum(axis=1).to_numpy() == pytest.approx(1)
    assert list(typed.to_dict()) == list(codebook.JSON_OBJECTS["contributors"])


def test_same_seed_same_result():
    log = tokens(np.random.default_rng(5))
    assert contributors(log, seed=1).to_dict() == contributors(log, seed=1).to_dict()


def test_a_player_of_several_games_is_one_subject():
    log = tokens(np.random.default_rng(5))
    log.seats["player"] = log.seats["seat"].map(lambda seat: f"p{seat}")
    found = contributors(log)
    assert found.table["n_trajectories"].tolist() == [6] * 4
    assert found.table["n_rounds"].tolist() == [66] * 4


def test_the_strategy_method_answers_the_same_round():
    # A table of intentions as a log: the others' mean is given, the answer comes in the same round.
    given = [[[round(x / 2), x, x, x]] for x in range(21)]
    log = token_log([[row[0] for row in given]])
    found = contributors(log, same_round=True)
    assert found.table["type"].tolist()[0] == "conditional"
    assert found.table["slope"].iloc[0] == pytest.approx(0.5, abs=0.02)


def test_what_cannot_be_read(rng):
    with pytest.raises(UsageError, match="no contributions in 1 games"):
        contributors(token_log([[[1, 2], [2, 1]]], None))
    mixed = concat_logs([token_log([[[1, 2]] * 9]), binary_log([[[1, 0]] * 9])])
    with pytest.raises(UsageError, match="all or nothing"):
        contributors(mixed)


def test_figures_show_something(typed, tmp_path):
    from matplotlib.image import imread

    image = np.asarray(imread(typed.write(tmp_path / "types.png")))[..., :3]
    assert 0.01 < (image.min(axis=2) < 0.9).mean() < 0.5
    border = np.concatenate([image[:, 0], image[:, -1], image[0], image[-1]])
    assert border.min() > 0.9, "nothing is cut off at the edge"


def run(function, *arguments):
    app = typer.Typer()
    app.command()(function)
    return CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)


@pytest.fixture
def file(tmp_path, rng):
    return write_log(binary(rng), tmp_path / "log.parquet") or tmp_path / "log.parquet"


def test_commands_print_one_object(file, tmp_path):
    table, shares = tmp_path / "types.csv", tmp_path / "shares.json"
    result = run(command, file, "--by", "seat", "-o", table, "--json")
    assert [g["group"] for g in json.loads(result.stdout)["groups"]] == [{"seat": s} for s in (1, 2, 3)]
    assert len(table.read_text().splitlines()) == 91
    result = run(sfem_command, file, "--others", "count", "--by", "seat", "-o", shares, "--json")
    found = [
        max(g["shares"], key=lambda n, g=g: g["shares"][n]["estimate"])
        for g in json.loads(result.stdout)["groups"]
    ]
    assert found == ["ALLD", "TFT>=1", "TFT>=2"]
    assert json.loads(shares.read_text())["config"]["others"] == "count"


def test_people_get_tables_and_what_is_unclear(file):
    result = run(command, file)
    assert "90 subjects, each one seat of one game" in result.stdout
    assert "ambiguous: " in result.stdout
    assert max(map(len, result.stdout.splitlines())) < 120


def test_outputs_are_checked_before_the_work(file, tmp_path):
    with pytest.raises(OutputError, match="suffix"):
        run(command, file, "-o", tmp_path / "types.txt")


def test_who_contributed_is_asked_of_counted_others_alone(rng):
    with pytest.raises(UsageError, match="--others count"):
        sfem(binary(rng), others="any", contributes_from=0.5)


def test_amounts_make_contributors(rng):
    shares = [sfem(tokens(rng), "ALLC,ALLD", others="count", contributes_from=x).to_dict() for x in (0, 0.7)]
    first, second = (s["groups"][0]["shares"]["ALLC"]["estimate"] for s in shares)
    assert first > 0.5 > second
