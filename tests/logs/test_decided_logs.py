"""Decisions beside what was played: tables, stores, readers, pieces."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from chunked_logs import chunked

from intent import GameLog, generate, label, read_log, sfem
from intent.logs.readers.compact import write_compact
from intent.logs.reading import open_source
from intent.logs.redaction import Redaction, redact_log
from intent.logs.stores import read_gamelog, write_log
from intent.recognise.labels.label import label_to

COLUMNS = ["own", "other", "decided", "evidence", "implementation_error"]


@pytest.fixture(scope="module")
def log():
    """Sixty games, an error of one eighth in two of three, decisions recorded in half of these."""
    log = generate("ALLC,ALLD,TFT,GRIM2", 60, rounds=(3, 7), eps=0.1, seed=4)
    number = log.moves["game_id"].cat.codes.to_numpy()
    flipped = np.random.default_rng(0).random(len(number)) < 0.125
    decided = (log.moves["cooperated"] ^ flipped).where(number % 3 == 1)
    games = log.games.assign(implementation_error=np.where(np.arange(60) % 3, 0.125, 0.0))
    return GameLog(games, log.seats.assign(focal=True), log.moves.assign(decided=decided))


def same(X, Y):
    return all(np.array_equal(getattr(X, c), getattr(Y, c)) for c in COLUMNS)


def test_what_is_recorded_and_what_is_not(log):
    X = log.trajectories()
    kind = np.arange(60).repeat(2) % 3
    assert (X.implementation_error == np.where(kind == 2, 0.125, 0.0)).all()
    assert (X.decided == X.own)[kind != 1].all()
    assert (X.decided != X.own)[kind == 1].mean() > 0.05
    assert X.keys["implementation_error"].tolist() == np.where(kind, 0.125, 0.0).tolist()


def test_a_decision_counts_in_the_step_that_counts():
    games = pd.DataFrame({"game_id": ["g"], "n_players": 2, "rounds_played": 1, "repetition": 1})
    seats = pd.DataFrame({"game_id": "g", "seat": [1, 2], "focal": True})
    moves = pd.DataFrame(
        {"game_id": "g", "round": 1, "step": [1, 2, 1], "seat": [1, 1, 2], "status": "parsed"}
    )
    moves = moves.assign(cooperated=[True, False, True], decided=[False, False, None])
    X = GameLog(games, seats, moves).trajectories()
    assert (X.own.tolist(), X.decided.tolist()) == ([[1], [1]], [[0], [1]])


@pytest.mark.parametrize("suffix", ["", ".zip", ".jsonl", ".csv.zip"])
def test_every_store_keeps_them(log, tmp_path, suffix):
    back = read_gamelog(write_log(log, tmp_path / f"log{suffix}"))
    assert back.equals(log)
    assert same(back.trajectories(), log.trajectories())


def test_the_compact_form_keeps_them(log, tmp_path):
    write_compact(log, tmp_path / "c.parquet")
    back = read_log(tmp_path / "c.parquet")
    assert same(back.trajectories(), log.trajectories())
    write_compact(back, tmp_path / "d.parquet")
    assert same(read_log(tmp_path / "d.parquet").trajectories(), log.trajectories())


def test_decisions_that_were_all_played_are_recorded_all_the_same(log, tmp_path):
    moves = log.moves.assign(decided=log.moves["cooperated"])
    write_compact(GameLog(log.games, log.seats, moves), tmp_path / "c.parquet")
    X = read_log(tmp_path / "c.parquet").trajectories()
    assert (X.decided, X.implementation_error) == (None, None)


@pytest.mark.parametrize("form", ["compact", "folder"])
def test_pieces_are_the_whole(log, tmp_path, form):
    path = tmp_path / "log.parquet"
    if form == "compact":
        write_compact(log, path)
    else:
        chunked(log, path, [0, 20, 45, 60])
    parts = [piece.read().X for piece in open_source(path).pieces(30)]
    X = log.trajectories()
    found = {c: np.concatenate([_full(part, c, X.shape[1]) for part in parts]) for c in COLUMNS}
    assert all(np.array_equal(found[c], getattr(X, c)) for c in COLUMNS)


def _full(X, column, rounds):
    X = X.lengthened(rounds)
    values = X.decisions if column == "decided" else getattr(X, column)
    return np.zeros(len(X)) if values is None else values


@pytest.mark.parametrize("recorded", [True, False])
def test_shares_and_labels_of_pieces_are_those_of_the_whole(log, tmp_path, recorded):
    if recorded:
        log = log.where({"game_id": log.games["game_id"][1::3].tolist()})
    path = chunked(log, tmp_path / "log", [0, len(log) // 2, len(log)])
    whole, pieces = sfem(log, strategies="ALLC,ALLD,TFT,GRIM2"), sfem(path, strategies="ALLC,ALLD,TFT,GRIM2")
    assert whole.fits[0].log_likelihood == pieces.fits[0].log_likelihood
    label_to(path, tmp_path / "labels.parquet", piece=30)
    pieced, whole_table = pd.read_parquet(tmp_path / "labels.parquet"), label(log)
    for column in ("best", "status", "n_deviations", "fit_p", "confidence"):
        assert pieced[column].astype(str).tolist() == whole_table[column].astype(str).tolist()


def test_a_tidy_table_says_decisions_in_the_words_of_its_actions(tmp_path):
    text = "id,game,t,act,meant,e\na,1,1,c,c,0.125\nb,1,1,d,c,0.125\na,1,2,c,d,0.125\nb,1,2,d,NA,0.125\n"
    (tmp_path / "t.csv").write_text(text)
    mapping = "player=id,round=t,action=act,decided=meant,implementation_error=e"
    X = read_log(tmp_path / "t.csv", mapping=mapping, cooperate="c").trajectories()
    assert (X.own.tolist(), X.decided.tolist()) == ([[1, 1], [0, 0]], [[1, 0], [1, 0]])
    assert X.keys["implementation_error"].tolist() == [0.125, 0.125]
    (tmp_path / "t.csv").write_text(text.replace("c,c,", "c,x,"))
    log = read_log(tmp_path / "t.csv", mapping=mapping, cooperate="c:d")
    assert log.rejects["reason"].tolist() == ["meant is 'x', expected c or d"]


def test_an_error_that_is_no_probability_is_rejected(tmp_path):
    (tmp_path / "t.csv").write_text(
        "game,player,round,action,implementation_error\n1,a,1,C,0.7\n1,b,1,D,0.1\n"
    )
    log = read_log(tmp_path / "t.csv", cooperate="C")
    assert log.rejects["reason"].tolist() == [
        "implementation_error is '0.7', expected a probability below .5"
    ]


def test_a_wide_table_has_a_column_for_each_player(tmp_path):
    text = "round,player1,player2,answer1,answer2,decided1,decided2\n1,p,q,J,F,J,J\n2,p,q,F,F,,F\n"
    (tmp_path / "w.csv").write_text(text)
    X = read_log(tmp_path / "w.csv", cooperate="J").trajectories()
    assert (X.own.tolist(), X.decided.tolist()) == ([[1, 0], [0, 0]], [[1, 0], [1, 0]])


def test_redaction_leaves_decisions(log):
    assert redact_log(log, Redaction(("all",))).moves["decided"].equals(log.moves["decided"])
