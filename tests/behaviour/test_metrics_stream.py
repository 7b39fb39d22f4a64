"""Metrics made piece by piece are those of the log read at once: rows, types, means, notes and facts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from chunked_logs import chunked
from play_logs import log_of, match

from intent import GameLog, generate
from intent.base.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.base.tables import read_table
from intent.behaviour.metrics import metrics, metrics_to
from intent.behaviour.metrics_pieces import Job, table_schema
from intent.games.catalogue import game
from intent.games.game import PublicGoods
from intent.logs.readers.compact import write_compact
from intent.logs.reading import open_source
from intent.logs.stores import write_log

PD = game("prisoner-dilemma")


@pytest.fixture(autouse=True)
def in_pieces(monkeypatch):
    """Logs as small as these would be measured at once."""
    monkeypatch.setattr("intent.behaviour.metrics.SEARCHED", 0)
    monkeypatch.setattr("intent.behaviour.metrics_pieces.PIECE", 1)


def in_memory(result):
    return "is not searched for" not in result.unit_line


def compact(log, path, rows=27, **columns):
    """The log in compact form, in row groups of some rows."""
    write_compact(log, path)
    table = pq.read_table(path)
    for name, values in columns.items():
        table = table.append_column(name, pa.array([values[i // 2 % len(values)] for i in range(len(table))]))
    pq.write_table(table, path, row_group_size=rows)
    return path


def assert_same(path, by, tmp_path, **settings):
    """Whole and in pieces, the metrics are equal; returns the streamed ones."""
    settings["cluster"] = "game_id"
    whole = metrics(path, by, bootstrap=50, **settings)
    target = tmp_path / "pieces.parquet"
    found = metrics_to(path, target, by, bootstrap=50, overwrite=True, **settings)
    assert found.streamed == target
    assert found.to_dict() == {**whole.to_dict(), "path": str(target)}
    assert found.notes == whole.notes
    table, facts = read_table(target)
    kept, kept_facts = read_table(whole.write(tmp_path / "whole.parquet", overwrite=True))
    pd.testing.assert_frame_equal(table, kept)
    assert facts == kept_facts
    return found


@pytest.fixture(scope="module")
def played():
    """Models of two games, some against strategies, all moves known."""
    log = generate(n=40, rounds=6, eps=0.2, seed=1)
    models = np.array(["a", "b", None, "a", None])[np.arange(80) % 5]
    kinds = np.where(np.arange(40) % 4 == 0, "penalty", "reward")
    games = log.games.assign(payoff_kind=kinds, language=[None] * 30 + ["en", "vn"] * 5)
    seats = log.seats.assign(focal=True, model=models, strategy=np.where(models == None, "TFT", None))  # noqa: E711
    return GameLog(games, seats, log.moves)


@pytest.fixture(scope="module")
def gappy(played):
    """The same with missing and defaulted moves, and games that end early."""
    draw = np.random.default_rng(0).random(len(played.moves))
    moves = played.moves.assign(status=played.moves["status"].astype(str))
    missing = draw < 0.1
    moves.loc[missing, ["cooperated", "action"]] = pd.NA, None
    moves["status"] = np.where(missing, "missing", np.where(draw > 0.9, "defaulted", "parsed"))
    moves = moves[(moves["game_id"].cat.codes % 3 > 0) | (moves["round"] < 5)]
    return GameLog(played.games, played.seats, moves)


@pytest.mark.parametrize("by", [(), "language,payoff_kind", "strategy", "opponent,first_move"])
def test_compact_log_that_knows_every_move(played, tmp_path, by):
    assert_same(compact(played, tmp_path / "log.parquet"), by, tmp_path)


@pytest.mark.parametrize(
    "where", [{"model": ["a"]}, {"language": ["en"]}, {"seat": ["2"], "payoff_kind": ["reward"]}]
)
def test_conditions(played, gappy, tmp_path, where):
    assert_same(compact(played, tmp_path / "log.parquet"), "model", tmp_path, where=where)
    assert_same(compact(gappy, tmp_path / "gaps.parquet"), "model", tmp_path, where=where)
    assert_same(chunked(gappy, tmp_path / "log", [0, 9, 31, 40]), "model", tmp_path, where=where)


@pytest.mark.parametrize("keep_defaulted", [False, True])
def test_logs_with_gaps(gappy, tmp_path, keep_defaulted):
    parts = chunked(gappy, tmp_path / "log", [0, 9, 31, 40])
    for path in (compact(gappy, tmp_path / "log.parquet"), parts):
        found = assert_same(path, "model,payoff_kind", tmp_path, keep_defaulted=keep_defaulted)
        assert any("missing" in note for note in found.notes)


@pytest.mark.parametrize("log", ["played", "gappy"])
def test_seats_out_of_order_and_games_of_one_row(log, tmp_path, request):
    path = compact(request.getfixturevalue(log), tmp_path / "log.parquet", rows=200)
    rows = pq.read_table(path)
    order = np.arange(len(rows)).reshape(-1, 2)[:, ::-1].ravel()
    order = order[np.arange(len(rows)) % 10 != 3]
    pq.write_table(rows.take(pa.array(order)), path, row_group_size=29)
    assert_same(path, "opponent", tmp_path)


def test_conditions_of_the_log_of_every_type(played, tmp_path):
    path = compact(played, tmp_path / "log.parquet", rows=200)
    rows = pq.read_table(path)
    number = np.arange(len(rows)) // 2
    for columns in (
        {
            "level": pa.array(number % 3, pa.int64(), mask=number < 15),
            "share": pa.array(number / 7, mask=number % 2 == 0),
            "sure": pa.array(number % 2 == 0, mask=number < 20),
            "niceness": pa.array(number),
            "empty": pa.array([""] * len(rows), mask=np.ones(len(rows), dtype=bool)),
        },
        {"short": pa.array(number % 3, pa.int8())},
    ):
        for name, values in columns.items():
            rows = rows.append_column(name, values)
        pq.write_table(rows, path, row_group_size=29)
        assert_same(path, "level", tmp_path)
        source, job = open_source(path), Job(("game_id", "seat", *rows.column_names[4:]), (), ())
        assert (table_schema(source, job) is None) == ("short" in columns)


def test_subjects_are_decided_by_the_whole_log(tmp_path):
    strategies = [match(PD, "CDC", "DDC", model=[None, None]) for _ in range(3)]
    models = [match(PD, "CCD", "DCC", model=["a", None]) for _ in range(3)]
    log = log_of(*strategies, *models, *strategies)
    for i, names in enumerate((["ALLD", "TFT"] * 9, [None, "TFT"] * 9)):
        one = GameLog(log.games, log.seats.assign(strategy=names), log.moves)
        paths = [
            compact(one, tmp_path / f"{i}.parquet", rows=4),
            chunked(one, tmp_path / f"{i}", [0, 3, 6, 9]),
        ]
        for path in paths:
            found = assert_same(path, (), tmp_path)
            assert found.groups[0].n == (3, 9)[i]  # the models, and then the people who met TFT, too
            assert any(f"{(15, 9)[i]} trajectories of seats" in note for note in found.notes)


def test_more_than_two_players(tmp_path):
    goods = PublicGoods("goods", 3, 10, 2)
    games = [match(goods, "CC", "CD", "DD"), match(PD, "CD", "DC"), match(goods, "CD", "DD", "DD")]
    path = chunked(log_of(*games), tmp_path / "log", [0, 1, 2, 3])
    assert_same(path, "game", tmp_path, others="majority")
    with pytest.raises(UsageError, match="--others"):
        metrics_to(path, None)


def test_games_without_cooperation_are_skipped(tmp_path):
    log = log_of(match(PD, "CD", "DC"), match(game("battle-sexes"), "CD", "DC"), match(PD, "CC", "CC"))
    found = assert_same(chunked(log, tmp_path / "log", [0, 1, 2, 3]), (), tmp_path)
    assert found.skipped == {"no cooperative action": 1}


def test_what_cannot_be_cut_is_read_at_once(played, tmp_path):
    path = compact(played, tmp_path / "log.parquet")
    assert not in_memory(metrics_to(path, None, bootstrap=20))
    assert in_memory(metrics_to(path, tmp_path / "n.csv", bootstrap=20))
    assert in_memory(metrics_to(path, None, rescore=True, bootstrap=20))
    found = metrics_to(path, tmp_path / "m.csv", "model", bootstrap=20)
    assert found.path == tmp_path / "m.csv"
    assert found.to_dict() == {**metrics(path, "model", bootstrap=20).to_dict(), "path": str(found.path)}
    write_log(played, tmp_path / "log.jsonl")
    assert in_memory(metrics_to(tmp_path / "log.jsonl", None, bootstrap=20))
    rounds = compact(played, tmp_path / "rounds.parquet", rounds=["few"])
    assert in_memory(metrics_to(rounds, None, bootstrap=20))


def test_errors_leave_nothing(played, tmp_path):
    path, target = (
        compact(played, tmp_path / "log.parquet", share=[i / 7 for i in range(40)]),
        tmp_path / "m.parquet",
    )
    with pytest.raises(UnknownNameError, match="modle"):
        metrics_to(path, target, "modle")
    with pytest.raises(UsageError, match="continuous"):
        metrics_to(path, target, "share")
    with pytest.raises(UsageError, match="no game left of 40"):
        metrics_to(path, target, where={"model": ["z"]})
    with pytest.raises(UnknownNameError, match="persona"):
        metrics_to(path, target, where={"persona": ["x"]})
    with pytest.raises(OutputError, match="expected a table"):
        metrics_to(path, tmp_path / "m.json")
    assert [p.name for p in tmp_path.iterdir()] == ["log.parquet"]


def test_rows_of_a_game_that_contradict_each_other(played, tmp_path):
    path = compact(played, tmp_path / "log.parquet")
    rows = pq.read_table(path)
    pq.write_table(rows.append_column("level", pa.array(np.arange(len(rows)))), path)
    with pytest.raises(DataError, match="column 'level' differs between its seats"):
        metrics_to(path, None)


def test_games_whose_end_no_move_tells(gappy, tmp_path):
    path = compact(gappy, tmp_path / "log.parquet")
    rows = pq.read_table(path)
    for name in ("own", "other", "evidence"):
        lists = [[*cells, None] if i > 60 else cells for i, cells in enumerate(rows[name].to_pylist())]
        rows = rows.set_column(rows.column_names.index(name), name, pa.array(lists))
    pq.write_table(rows.replace_schema_metadata(), path, row_group_size=29)
    assert_same(path, "model", tmp_path)


def test_games_without_a_known_move(gappy, tmp_path):
    path = compact(gappy, tmp_path / "log.parquet")
    rows = pq.read_table(path)
    for name in ("own", "other", "evidence"):
        lists = [[] if i < 4 else cells for i, cells in enumerate(rows[name].to_pylist())]
        rows = rows.set_column(rows.column_names.index(name), name, pa.array(lists))
    pq.write_table(rows.replace_schema_metadata(), path, row_group_size=29)
    assert assert_same(path, "model", tmp_path).skipped == {"no readable move": 2}


def test_means_in_memory_are_written_as_json_only(played, tmp_path):
    found = metrics_to(compact(played, tmp_path / "log.parquet"), None, bootstrap=20)
    assert found.path is None
    assert found.write(tmp_path / "m.json").exists()
    with pytest.raises(OutputError, match="only means are in memory"):
        found.write(tmp_path / "m.parquet")


def test_progress_is_told_by_rows(played, tmp_path):
    told = []
    path = compact(played, tmp_path / "log.parquet", rows=20)
    metrics_to(path, None, bootstrap=20, update=lambda done, total: told.append((done, total)))
    assert told == [(20, 80), (40, 80), (60, 80), (80, 80)]


def test_same_bytes_with_two_workers(played, tmp_path):
    path = compact(played, tmp_path / "log.parquet", rows=20)
    one, two = (metrics_to(path, tmp_path / f"{n}.parquet", "model", bootstrap=20, workers=n) for n in (1, 2))
    assert one.path.read_bytes() == two.path.read_bytes()
    assert {**one.to_dict(), "path": None} == {**two.to_dict(), "path": None}


def test_a_small_log_is_searched_for_what_repeats_a_long_one_says_that_it_is_not(
    played, tmp_path, monkeypatch
):
    path = compact(played, tmp_path / "log.parquet")
    assert (
        "; a log of more than 0 moves is not searched for" in metrics_to(path, None, bootstrap=20).unit_line
    )
    assert in_memory(metrics_to(path, None, cluster="cell", bootstrap=20))
    monkeypatch.undo()
    found = metrics_to(path, None, bootstrap=20)
    assert found.to_dict() == metrics(path, bootstrap=20).to_dict()
