"""A folder of runs is one log: every game, under its run's name, or a refusal that names the run."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from chunked_logs import chunked
from stub_runs import StubCaller, make, plans, play

import intent
from intent import GameLog, generate, read_log
from intent.base.errors import DataError, RefusedError, UnknownNameError, UsageError
from intent.logs.chunks import RunsSource
from intent.logs.reading import open_source
from intent.logs.run_folder import logs_below, natural_order
from intent.logs.stores import write_log
from intent.recognise.labels.request import LabelRequest


def of_people(log: GameLog, names, **conditions) -> GameLog:
    """The log with names of players, and conditions of its games."""
    seats = log.seats.assign(player=[names[i % len(names)] for i in range(len(log.seats))])
    return GameLog(log.games.assign(**conditions), seats, log.moves, provenance=log.provenance)


def games_of(log: GameLog, run: str) -> GameLog:
    return log.where({"run": [run]})


def moves_of(log: GameLog) -> list[tuple[object, ...]]:
    columns = ["round", "step", "seat", "action", "cooperated", "payoff", "status"]
    return list(
        log.moves[columns].astype(object).where(log.moves[columns].notna(), None).itertuples(index=False)
    )


@pytest.fixture
def folder(tmp_path):
    """Two logs and a nested one, whose games have the same names."""
    for name, seed, rounds in (("run-2", 1, 4), ("run-10", 2, 6), ("study/deep/x", 3, (2, 5))):
        (tmp_path / "runs" / name).parent.mkdir(parents=True, exist_ok=True)
        write_log(generate(n=5, rounds=rounds, seed=seed), tmp_path / "runs" / name)
    return tmp_path / "runs"


def test_all_games_are_there_under_the_names_of_their_runs(folder):
    log = read_log(folder)
    assert log.provenance["format"] == "runs"
    assert list(dict.fromkeys(log.games["run"])) == ["run-2", "run-10", "study/deep/x"]
    for name in ("run-2", "run-10", "study/deep/x"):
        own, part = read_log(folder / name), games_of(log, name)
        assert part.games["game_id"].tolist() == [f"{name}/{i}" for i in own.games["game_id"]]
        assert moves_of(part) == moves_of(own)
    assert log.provenance["notes"][0] == (
        "3 runs are read as one log, column run tells them apart: run-2, run-10, study/deep/x"
    )
    assert [row["n_games"] for row in log.provenance["runs"]] == [5, 5, 5]
    assert all(row["provenance"]["generator"] for row in log.provenance["runs"])


def test_numbers_in_names_are_in_their_order():
    assert sorted(["r10", "r9", "r1"], key=natural_order) == ["r1", "r9", "r10"]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_read_in_pieces_it_is_the_same(folder, size):
    whole = read_log(folder)
    X = whole.trajectories()
    source = open_source(folder)
    assert isinstance(source, RunsSource)
    assert (source.n, source.rounds, source.complete) == (15, 6, False)
    plays = [piece.read() for piece in source.pieces(size)]
    assert all(play.X.own.shape[1] == 6 for play in plays)
    np.testing.assert_array_equal(np.concatenate([play.X.own for play in plays]), X.own)
    np.testing.assert_array_equal(np.concatenate([play.X.other for play in plays]), X.other)
    keys = pa.concat_tables([play.keys for play in plays]).unify_dictionaries().to_pandas()
    assert list(keys.columns) == list(X.keys.columns)
    pd.testing.assert_frame_equal(
        keys.astype(object), X.keys.astype(object), check_dtype=False, check_index_type=False
    )


def test_pieces_are_of_one_run_each(folder, tmp_path):
    chunked(generate(n=40, rounds=3, seed=9), folder / "large", [0, 10, 20, 30, 40])
    pieces = list(open_source(folder).pieces(10))
    assert [piece.n for piece in pieces] == [10, 10, 10, 10, 5, 5, 5]
    assert [piece.path.name for piece in pieces] == ["large"] * 4 + ["run-2", "run-10", "x"]


def test_games_without_labels_are_counted_once_per_game_in_pieces(folder):
    sexes = generate(n=3, rounds=3, seed=4)
    silent = GameLog(
        sexes.games.assign(cooperative_action=None), sexes.seats, sexes.moves.assign(cooperated=None)
    )
    for name in ("a", "b"):
        write_log(GameLog(silent.games.assign(wave=name), silent.seats, silent.moves), folder / name)
    read_at_once = intent.label(folder, coin=False)
    output = folder.parent / "labels.parquet"
    in_pieces = LabelRequest(log=folder, output=output, rows=False, coin=False).run()
    assert in_pieces.summary["skipped"] == {"no cooperative action": 6}
    assert len(pd.read_parquet(output)) == len(read_at_once) == 15


def test_labels_shares_and_metrics_are_those_of_the_whole(folder, tmp_path):
    whole = read_log(folder)
    assert set(intent.label(folder, coin=False)["run"]) == {"run-2", "run-10", "study/deep/x"}
    at_once, of_folder = intent.sfem(whole, by="run"), intent.sfem(folder, by="run")
    assert str(at_once.to_dict()["groups"]) == str(of_folder.to_dict()["groups"])
    assert any("3 runs are read as one log" in note for note in of_folder.notes)
    compared = intent.compare(folder, by="run").to_dict()
    assert {row["group"]["run"] for row in compared["groups"]} == set(whole.games["run"])


def test_where_can_choose_runs(folder):
    one = read_log(folder / "run-10")
    source = open_source(folder, where={"run": ["run-10"]})
    logs = [piece.games() for piece in source.pieces(1000)]
    assert sum(len(log) for log in logs) == len(one)
    with pytest.raises(UnknownNameError, match="colour"):
        open_source(folder, where={"colour": ["red"]})


def test_conditions_that_runs_do_not_share_are_null_elsewhere_and_have_one_type(tmp_path):
    first, second = (generate(n=3, rounds=3, seed=seed) for seed in (1, 2))
    write_log(of_people(first, ["ann", "1"], dose=1, arm="x", on=True), tmp_path / "runs" / "a")
    named = of_people(second, ["ann", "1"], dose=[0.5, 1.5, None], temperature=0.7, arm=[1, 2, 3])
    colour = ["red", "blue"] * 3
    write_log(GameLog(named.games, named.seats.assign(on=colour), named.moves), tmp_path / "runs" / "b")
    log = read_log(tmp_path / "runs")
    assert log.games["dose"].tolist()[:5] == [1.0, 1.0, 1.0, 0.5, 1.5]
    assert log.games["arm"].tolist() == ["x", "x", "x", "1", "2", "3"]
    assert log.games["temperature"].isna().tolist() == [True] * 3 + [False] * 3
    assert log.seats["on"].tolist() == ["True"] * 6 + colour
    assert "on" not in log.games
    assert log.seats["player"].tolist()[:2] == ["ann", "a/1"]
    assert log.seats["player"].tolist()[6:8] == ["ann", "b/1"]
    assert "one subject in several runs, by the same name: ann" in log.provenance["notes"]
    assert "players that are but numbers are other people in every run: 1" in log.provenance["notes"]
    keys = pa.concat_tables([p.read().keys for p in open_source(tmp_path / "runs").pieces(2)])
    expected = log.trajectories().keys
    frame = keys.unify_dictionaries().to_pandas()
    assert list(frame) == list(expected)
    for column in frame:
        left, right = frame[column].astype(object), expected[column].astype(object)
        assert left.where(left.notna(), None).tolist() == right.where(right.notna(), None).tolist(), column


def test_a_log_of_several_runs_keeps_them_apart(tmp_path, folder):
    write_log(read_log(folder), tmp_path / "all" / "merged")
    write_log(generate(n=2, rounds=3, seed=8), tmp_path / "all" / "new.jsonl")
    log = read_log(tmp_path / "all")
    expected = ["merged/run-2", "merged/run-10", "merged/study/deep/x", "new.jsonl"]
    assert list(dict.fromkeys(log.games["run"])) == expected
    assert open_source(tmp_path / "all") is None  # JSON lines are read at once


def test_the_hash_is_over_all_runs(folder):
    before = read_log(folder).provenance["sha256"]
    assert read_log(folder).provenance["sha256"] == before
    (folder / "labels.parquet").write_bytes(b"beside them")
    assert read_log(folder).provenance["sha256"] == before
    write_log(generate(n=5, rounds=6, seed=4), folder / "run-10", overwrite=True)
    assert read_log(folder).provenance["sha256"] != before


def test_a_copy_is_read_once_and_named(folder):
    n = len(read_log(folder))
    shutil.copytree(folder / "run-2", folder / "backup")
    log = read_log(folder)
    assert len(log) == n
    copy = "run-2 holds the same games as backup, move for move: it is read once"
    assert copy in log.provenance["notes"]
    assert open_source(folder).n == n
    assert copy in intent.label(folder, coin=False).attrs["notes"]


@pytest.mark.parametrize("name", ["games.parquet", "log.json", "moves.parquet"])
def test_a_broken_log_is_named_and_nothing_is_read(folder, name):
    (folder / "run-10" / name).write_bytes(b"rubbish")
    with pytest.raises(DataError, match=r"runs/run-10 cannot be read .*move it out of runs"):
        read_log(folder)


def test_what_lies_beside_is_named(folder, tmp_path):
    (folder / "notes.md").write_text("x")
    (folder / "figures").mkdir()
    (folder / "figures" / "a.png").write_bytes(b"x")
    (folder / "link").symlink_to(tmp_path)
    notes = read_log(folder).provenance["notes"]
    assert "neither run nor log of ours, and left aside: figures/, link (a link), notes.md" in notes


def test_a_log_is_no_folder_of_runs_and_neither_is_an_empty_one(folder, tmp_path):
    assert logs_below(folder / "run-2").logs == ()
    (tmp_path / "nothing").mkdir()
    assert logs_below(tmp_path / "nothing").logs == ()
    with pytest.raises(DataError, match="a folder without files"):
        read_log(tmp_path / "nothing")
    with pytest.raises(UsageError, match="say what cooperate would say"):
        read_log(folder, cooperate="C")


def test_runs_are_read_whether_over_or_not(tmp_path):
    root = tmp_path / "runs"
    root.mkdir()
    done = make(root / "done", plans(3))
    play(done)
    write_log(done.log(), root / "done" / "log")
    half = make(root / "half", plans(4, columns={"lambda": 0.2}))

    def stop(n):
        if n > 12:
            raise RefusedError("no more")

    play(half, StubCaller(before=stop), window=1)
    make(root / "begun", plans(2, columns={"lambda": 0.3}))
    log = read_log(root)
    finished = half.status().finished
    assert 0 < finished < 4
    assert log.games["run"].value_counts().to_dict() == {"done": 3, "half": finished}
    notes = log.provenance["notes"]
    assert f"run half is not over: {finished} of 4 games are finished, and these are read" in notes
    assert "run begun is not over: 0 of 2 games are finished, and these are read" in notes
    references = log.moves["reply"].dropna()
    assert (
        references.str.rsplit("/", n=3).str[0] == log.moves["game_id"].astype(str)[references.index]
    ).all()
    assert open_source(root) is None
    shutil.rmtree(root / "half")
    shutil.rmtree(root / "begun")
    assert open_source(root).n == 3


def test_a_run_that_cannot_be_read_is_named(tmp_path):
    root = tmp_path / "runs"
    root.mkdir()
    for name, value in (("a", 0.1), ("b", 0.2)):
        run = make(root / name, plans(2, columns={"lambda": value}))
        play(run)
        write_log(run.log(), root / name / "log")
    (root / "b" / "run.json").write_text("{")
    with pytest.raises(DataError, match=r"runs/b cannot be read"):
        read_log(root)
    (root / "b" / "run.json").write_text(json.dumps({"intent_run": 1, "run": "x"}))
    (root / "b" / "run.sqlite").unlink()
    assert len(read_log(root)) == 4
    shutil.rmtree(root / "b" / "log")
    with pytest.raises(DataError, match=r"runs/b cannot be read .*without a log"):
        read_log(root)


def test_one_run_at_two_stages_would_count_games_twice(tmp_path):
    root = tmp_path / "runs"
    root.mkdir()
    run = make(root / "a", plans(3))
    play(run)
    shutil.copytree(root / "a", root / "b")
    write_log(run.log(), root / "a" / "log")
    first = run.log().where({"repetition": ["1"]})
    write_log(first, root / "b" / "log")
    (root / "b" / "run.sqlite").unlink()
    with pytest.raises(DataError, match="b and a are one run"):
        read_log(root)
