"""The analysis of gamma-bench runs: what is compared with what, files, and the command."""

import json

import numpy as np
import pytest
from course_logs import at_random, course_log, equilibrium
from typer.testing import CliRunner

from intent.base import codebook
from intent.base.errors import DataError, UnknownNameError
from intent.cli.app import app
from intent.gamma.bench.analysis import analyse
from intent.gamma.catalogue import gamma_game
from intent.gamma.stories import relabelled
from intent.logs.gamelog import GameLog
from intent.logs.readers import read_log
from intent.logs.stores import write_log

NAMES = ("guessing", "diner", "pirate")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two players, one at random, one by the book, three repetitions, each also as a story."""
    rng = np.random.default_rng(4)
    games, policies = [], {"book": equilibrium, "dice": at_random}
    for name in NAMES:
        for repetition in range(1, 4):
            plain = gamma_game(name, n_players=4)
            games += [(game, {"repetition": repetition}) for game in (plain, relabelled(plain))]
    path = tmp_path_factory.mktemp("logs")
    for model, policy in policies.items():
        told = [(game, {**columns, "seat_model": model}) for game, columns in games]
        write_log(course_log(told, policy, 4, rng), path / model)
    return path


@pytest.fixture(scope="module")
def analysis(folder):
    return analyse([folder / "book", folder / "dice"], samples=200)


def test_models_are_compared_in_pairs(analysis):
    found = {one.game: one for one in analysis.differences}
    assert list(found) == [*NAMES, "overall"]
    assert all(
        one.difference.paired and (one.first, one.second) == ("book", "dice") for one in found.values()
    )
    assert found["diner"].difference.n == (6, 6)
    assert found["diner"].difference.estimate > 20


def test_runs_of_another_seed_share_no_luck(folder, tmp_path):
    for seed, model in enumerate(("book", "dice")):
        log = read_log(folder / model)
        seeded = GameLog(log.games, log.seats, log.moves, log.questions, provenance={"seed": seed})
        write_log(seeded, tmp_path / model)
    found = analyse([tmp_path / "book", tmp_path / "dice"], samples=200)
    assert {one.difference.paired for one in found.differences} == {False}
    assert {one.difference.paired for one in found.contamination} == {True}


def test_an_analysis_shows_itself_in_a_line(analysis):
    assert repr(analysis).startswith("<Analysis by model: 36 scores, ")


def test_stories_are_compared_with_their_originals(analysis):
    book = {one.game: one for one in analysis.contamination if one.within == (("model", "book"),)}
    assert (book["guessing"].first, book["guessing"].second) == ("original", "story")
    assert book["overall"].difference.estimate == pytest.approx(0)
    assert book["overall"].difference.paired


def test_regret_and_levels_are_by_model(analysis):
    regret = {(row["group"]["model"], row["game"]): row for row in analysis.regret}
    assert regret["book", "diner"]["regret"]["estimate"] == 0
    assert regret["dice", "diner"]["relative"]["estimate"] > 0.2
    assert regret["dice", "diner"]["n_games"] == 6
    levels = {row["group"]["model"]: row for row in analysis.levels}
    assert levels["book"]["shares"]["equilibrium"] == pytest.approx(1)
    assert (levels["book"]["first_mean"], levels["book"]["human_mean"]) == (0, 36.73)


def test_a_single_game_has_no_interval_and_no_tau_of_one_has_no_error(folder):
    found = analyse([folder / "book"], samples=100, where={"game_id": ["g0"]})
    (row,) = found.regret_table().rows
    assert row[2:] == ["0", "0%", "100%", 16, 1]
    (row,) = found.level_table().rows
    assert row[3:7] == ["0.0", "36.7", "10.00", "–"]


def test_people_go_by_their_name(folder, tmp_path):
    log = read_log(folder / "book")
    seats = log.seats.assign(model=None, strategy=None, player="human")
    write_log(GameLog(log.games, seats, log.moves), tmp_path / "log")
    assert {row["group"]["model"] for row in analyse([tmp_path / "log"], samples=100).regret} == {"human"}


def test_what_a_reader_should_know_is_said(analysis):
    assert any("6 pairs" in note or "3 pairs" in note for note in analysis.notes)
    assert any("harder to read" in note for note in analysis.notes)


def test_the_object_is_the_one_of_the_codebook(analysis):
    assert list(analysis.to_dict()) == list(codebook.JSON_OBJECTS["bench_analyse"])
    json.dumps(analysis.to_dict(), allow_nan=False)


def test_the_folder_has_all_tables(analysis, tmp_path):
    wrote = analysis.write(tmp_path / "out")
    assert {path.name for path in wrote} >= {"analysis.json", "differences.csv", "moves.csv", "levels.csv"}
    assert all(path.is_file() for path in wrote)


def test_saved_games_share_no_luck(tmp_path):
    for model, total in (("a", 95), ("b", 120)):
        for run in range(3):
            meta = {
                "name_exp": "x",
                "player_num": 10,
                "golds": 100,
                "round_id": 1,
                "version": "v1",
                "models": model,
            }
            game = {"meta": meta, "round_records": [{"total_proposal": total}], "player_data": []}
            (tmp_path / f"{model}_v1_{run}.json").write_text(json.dumps(game))
    found = analyse(sorted(tmp_path.iterdir()), samples=100)
    (one,) = found.differences
    assert (one.difference.paired, one.difference.p, one.difference.estimate) == (False, 0.1, 15)
    assert not found.regret


def test_games_that_cannot_be_have_no_regret(folder, tmp_path):
    log = read_log(folder / "book")
    moves = log.moves.assign(action=log.moves["action"].astype(object))
    moves.loc[moves["game_id"] == "g0", "action"] = "101"
    write_log(GameLog(log.games, log.seats, moves), tmp_path / "log")
    found = analyse([tmp_path / "log"], samples=100)
    assert {row["n_games"] for row in found.regret} == {5, 6}
    assert any(note.startswith("left out: ") and "g0" in note for note in found.notes)


def test_what_cannot_be_is_refused(folder):
    with pytest.raises(UnknownNameError, match="colour"):
        analyse([folder / "book"], by="colour")
    with pytest.raises(DataError):
        analyse([folder / "nothing"])


def test_the_command_prints_one_object(folder, tmp_path):
    arguments = ["bench", "gamma", "analyse", str(folder / "book"), str(folder / "dice"), "--samples", "100"]
    ran = CliRunner().invoke(app, [*arguments, "--json"])
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["n"] == 36
    shown = CliRunner().invoke(app, [*arguments, "-o", str(tmp_path / "out")])
    assert "original less story" in shown.stdout
    assert (tmp_path / "out" / "regret.csv").is_file()
