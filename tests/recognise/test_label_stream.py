from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from chunked_logs import chunked

from intent import GameLog, generate, label
from intent.base import codebook
from intent.base.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.base.tables import read_table
from intent.logs.chunks import open_folder
from intent.logs.compact import CompactWriter, open_compact
from intent.logs.compact_chunks import CompactSource
from intent.logs.readers.compact import write_compact
from intent.play.dataset import make_spec
from intent.play.generate import generate_to
from intent.recognise.labels.label import IN_ONE_PROCESS, label_log, label_to


def corpus(path, n=900, rounds=6, **changes):
    """Play of few rounds: fair coins in its situations are counted, 2^rounds of each."""
    spec = make_spec({"n": n, "rounds": rounds, "eps": 0.1, "seed": 2, **changes})
    return generate_to(path, spec, form="compact")["path"]


def assert_same(path, table, exact=True):
    read, facts = read_table(path)
    assert read.columns.tolist() == table.columns.tolist()
    for column in table:
        mine, theirs = read[column], table[column]
        if isinstance(theirs.dtype, pd.CategoricalDtype):
            theirs = theirs.astype("str")
        if theirs.dtype == object and theirs.map(lambda cell: isinstance(cell, list)).any():
            assert mine.map(list).tolist() == theirs.tolist()
        else:
            exactly = exact or not pd.api.types.is_float_dtype(theirs.dtype)
            pd.testing.assert_series_equal(mine, theirs, check_dtype=False, check_exact=exactly)
    return facts


def gappy(n=60):
    """Games of different length with missing and defaulted moves."""
    log = generate(n=n, rounds=(3, 7), eps=0.1, seed=4)
    draw = np.random.default_rng(0).random(len(log.moves))
    moves = log.moves.assign(status=log.moves["status"].astype(str))
    missing = draw < 0.1
    moves.loc[missing, "cooperated"] = pd.NA
    moves.loc[missing, "action"] = None
    moves["status"] = np.where(missing, "missing", np.where(draw > 0.9, "defaulted", "parsed"))
    return GameLog(log.games, log.seats, moves)


@pytest.mark.parametrize(
    ("recogniser", "settings", "rounds"),
    [
        ("bayes-canonical4", {}, (5, 7)),
        ("bayes-canonical6", {"eps": 0.1}, (5, 7)),
        ("bayes-canonical4", {"eps": "integrate"}, (5, 7)),
        (
            "bayes-canonical4",
            {"prior": {"ALLC": 0.7, "TFT": 0.1, "WSLS": 0.1, "ALLD": 0.1}, "background": True},
            (5, 7),
        ),
        ("logistic-canonical4", {"threshold": 0.6, "alpha": 0.2}, (8, 10)),  # more tosses than are counted
    ],
)
def test_rows_and_counts_are_those_of_the_log_at_once(tmp_path, recogniser, settings, rounds):
    log = corpus(tmp_path / "c.parquet", rounds=rounds)
    once = label_log(log, recogniser, **settings)
    streamed = label_to(log, tmp_path / "l.parquet", recogniser, **settings)
    facts = assert_same(streamed.path, once.table(), exact=recogniser != "logistic-canonical4")
    if recogniser == "logistic-canonical4":
        assert streamed.summary["mean_posterior"] == pytest.approx(once.summary["mean_posterior"])
        once.summary["mean_posterior"] = streamed.summary["mean_posterior"]
    assert streamed.summary == once.summary
    assert streamed.provenance.keys() == once.provenance.keys()
    assert facts == {"summary": streamed.summary, **streamed.provenance}
    assert {k: v for k, v in streamed.provenance.items() if k != "changed_by_integrating_eps"} == {
        k: v for k, v in once.provenance.items() if k != "changed_by_integrating_eps"
    }


def test_any_size_of_pieces_and_any_number_of_workers(tmp_path, monkeypatch):
    monkeypatch.setattr("intent.logs.compact.ROWS", 100)
    log = corpus(tmp_path / "c.parquet")
    whole = label_to(log, tmp_path / "whole.parquet", piece=1 << 17)
    once = label_log(log)
    assert whole.changed == once.changed
    for piece in (1, 250):
        part = label_to(log, tmp_path / f"{piece}.parquet", piece=piece)
        assert_same(part.path, once.table())
        assert part.summary == whole.summary
    spread = label_to(log, tmp_path / "two.parquet", piece=250, workers=2)
    assert_same(spread.path, once.table())
    assert spread.summary == whole.summary
    assert (tmp_path / "two.parquet").read_bytes() == (tmp_path / "250.parquet").read_bytes()
    assert label_to(log, None).summary == whole.summary


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("eps", [0.05, "integrate"])
def test_unknown_and_defaulted_moves(tmp_path, keep, eps):
    log = gappy(24)
    write_compact(log, tmp_path / "c.parquet")
    folder = chunked(log, tmp_path / "play", (0, 7, 8, 24))
    for source in (tmp_path / "c.parquet", folder):
        path = label_to(
            source, tmp_path / f"{source.stem}.l.parquet", keep_defaulted=keep, eps=eps, piece=10
        ).path
        assert_same(path, label(source, keep_defaulted=keep, eps=eps))


def test_a_parquet_folder_is_read_by_its_row_groups(tmp_path):
    log = generate(n=90, eps=0.1, seed=5)
    folder = chunked(log, tmp_path / "play", (0, 30, 60, 90))
    source = open_folder(folder)
    assert (source.sizes, source.rounds, source.complete) == ((30, 30, 30), 10, True)
    streamed = label_to(folder, tmp_path / "l.parquet", piece=30)
    once = label_log(folder)
    assert_same(streamed.path, once.table())
    assert streamed.summary == once.summary
    assert streamed.provenance == once.provenance
    assert streamed.changed == once.changed


def test_a_folder_whose_tables_do_not_go_together_is_read_at_once(tmp_path):
    log = generate(n=6, seed=5)
    folder = chunked(log, tmp_path / "play", (0, 3, 6))
    seats = pq.read_table(folder / "seats.parquet")
    pq.write_table(seats, folder / "seats.parquet")
    assert open_folder(folder) is None
    assert_same(label_to(folder, tmp_path / "l.parquet").path, label(folder))


def test_conditions(tmp_path):
    log = corpus(tmp_path / "c.parquet", opponent="TFT=1,random=1")
    where = {"strategy": ["TFT", "WSLS"], "opponent": ["TFT"]}
    streamed = label_to(log, tmp_path / "l.parquet", where=where)
    assert_same(streamed.path, label(log, where=where))
    with pytest.raises(UnknownNameError, match="did you mean opponent"):
        label_to(log, tmp_path / "n.parquet", where={"oponent": ["x"]})
    for settings in ({}, {"eps": "estimate"}):
        with pytest.raises(UsageError, match="no game left of 900"):
            label_to(log, tmp_path / "n.parquet", where={"strategy": ["x"]}, **settings)


def test_games_without_a_known_move_are_counted(tmp_path):
    log = generate(n=8, seed=1)
    X = log.trajectories()
    own, other = X.own.copy(), X.other.copy()
    own[3], other[3] = -1, -1
    keys = pa.table({"game_id": X.keys["game_id"].astype(str).tolist(), "seat": [1] * 8})
    with CompactWriter(tmp_path / "c.parquet") as writer:
        writer.write(keys, own, other)
    streamed = label_to(tmp_path / "c.parquet", tmp_path / "l.parquet")
    assert (
        streamed.summary["skipped"]
        == {"no readable move": 1}
        == label_log(tmp_path / "c.parquet").summary["skipped"]
    )
    assert streamed.summary["n"] == 7


FIRST_PASSES = [
    {"eps": "estimate"},
    {"eps": "estimate", "eps_by": ["opponent", "eps"]},
    {"prior": "sfem"},
    {"conformal": 0.9},
    {"conformal": 0.8, "eps": "estimate", "eps_by": ["strategy"]},
]


@pytest.mark.parametrize(
    ("settings", "workers"),
    [
        *((settings, 1) for settings in FIRST_PASSES),
        *(pytest.param(FIRST_PASSES[k], 2, marks=pytest.mark.exhaustive) for k in (0, 1, 3)),
        (FIRST_PASSES[2], 2),
        (FIRST_PASSES[4], 2),  # all that the marked ones ask for
    ],
)
def test_what_needs_all_play_makes_a_first_pass(tmp_path, monkeypatch, settings, workers):
    monkeypatch.setattr("intent.logs.compact.ROWS", 60)
    log = corpus(tmp_path / "c.parquet", n=200, opponent="TFT=1,random=1")
    once = label_log(log, **settings)
    streamed = label_to(log, tmp_path / "labels.parquet", piece=60, workers=workers, **settings)
    assert streamed.frame is None
    assert not streamed.notes
    assert_same(streamed.path, once.table())
    assert streamed.summary == once.summary
    assert streamed.provenance == once.provenance


def test_what_is_no_parquet_file_or_of_players_is_labelled_at_once(tmp_path):
    log = corpus(tmp_path / "c.parquet", n=200, rounds=10)
    labels = label_to(log, tmp_path / "l.csv", eps="estimate", workers=2)
    assert labels.provenance["eps"] == pytest.approx(0.1, abs=0.02)
    assert len(read_table(labels.path)[0]) == 200
    assert labels.notes == (IN_ONE_PROCESS,)
    with pytest.raises(UsageError, match="needs the names of players"):
        label_to(log, tmp_path / "l.parquet", per="player")


def test_the_counts_alone_have_no_rows(tmp_path):
    labels = label_to(corpus(tmp_path / "c.parquet", n=40), None)
    with pytest.raises(UsageError, match="the rows were not kept"):
        labels.table()


def test_an_interrupted_run_leaves_nothing(tmp_path):
    log = corpus(tmp_path / "c.parquet")

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        label_to(log, tmp_path / "l.parquet", update=stop)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["c.parquet"]
    with pytest.raises(OutputError, match="it is the log that is read"):
        label_to(log, log, overwrite=True)


def test_facts_that_the_rows_belie_stop_the_work(tmp_path, monkeypatch):
    write_compact(gappy(), tmp_path / "c.parquet")
    log = dataclasses.replace(open_compact(tmp_path / "c.parquet"), complete=True)
    with pytest.raises(DataError, match="log is complete"):
        next(CompactSource(log, {}).pieces(10)).read()


def test_summary_is_the_contract(tmp_path):
    assert label_to(corpus(tmp_path / "c.parquet", n=40), None).summary.keys() == {
        *codebook.JSON_OBJECTS["label"],
        "n_rows",
        "coin",
    }


@pytest.mark.parametrize("where", [{"topic": ["a"]}, {"model": ["m1"]}, {"topic": ["b"], "model": ["m2"]}])
def test_a_folder_is_labelled_piece_by_piece_under_conditions(tmp_path, where):
    log = gappy()
    seats = log.seats.assign(model=np.where(np.arange(len(log.seats)) % 4 < 2, "m1", "m2"))
    games = log.games.assign(topic=np.where(np.arange(len(log.games)) < 20, "a", "b"))
    path = chunked(GameLog(games, seats, log.moves), tmp_path / "log", [0, 15, 40, 60])
    pieces = label_to(path, tmp_path / "l.parquet", where=where, piece=1)
    whole = label_log(path, "bayes-canonical4", where=where)
    assert pieces.frame is None
    assert_same(pieces.path, whole.table())
    assert pieces.summary == whole.summary
