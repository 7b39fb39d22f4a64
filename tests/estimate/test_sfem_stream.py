"""Shares of a log read piece by piece: those of the log read at once, digit for digit."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from chunked_logs import chunked

from intent import GameLog, generate, label, read_log, sfem
from intent.base.errors import UnknownNameError, UsageError
from intent.base.tables import read_table, write_table
from intent.estimate.stream import Memory
from intent.logs.readers.compact import write_compact


def played(n=60, *, gaps=True, rounds=(3, 7)):
    """Games with two focal seats, models by seat or by game, players with several games, sessions."""
    log = generate("ALLC,ALLD,TFT,GRIM", n, rounds=rounds, eps=0.1, seed=4)
    games, seats, moves = log.games.copy(), log.seats.copy(), log.moves.copy()
    order = pd.Series(np.arange(n), index=games["game_id"].astype(str))
    games["treatment"] = np.where(np.arange(n) % 3, "calm", "harsh")
    games["session"] = np.arange(n) // 6
    number = seats["game_id"].astype(str).map(order).to_numpy()
    seat = seats["seat"].to_numpy()
    seats["focal"] = True
    seats["model"] = np.where((seat == 1) | (number % 4 == 0), "alpha", "beta")
    seats["player"] = [f"s{g // 6}p{(g + 5 * s) % 4}" for g, s in zip(number, seat, strict=True)]
    if gaps:
        draw = np.random.default_rng(0).random(len(moves))
        missing = draw < 0.08
        moves["status"] = np.where(missing, "missing", np.where(draw > 0.93, "defaulted", "parsed"))
        moves.loc[missing, "cooperated"] = pd.NA
        moves.loc[missing, "action"] = None
        silent = (moves["game_id"].astype(str) == str(games["game_id"].iloc[4])) & (moves["seat"] == 1)
        moves.loc[silent, "status"] = "defaulted"
    return GameLog(games, seats, moves)


def without(log, column):
    games, seats = (table.drop(columns=column, errors="ignore") for table in (log.games, log.seats))
    return GameLog(games, seats, log.moves)


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """Paths of the same logs: whole or with gaps, with players or without, compact or as a folder."""
    root = tmp_path_factory.mktemp("logs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("intent.logs.compact.ROWS", 20)
        found = {}
        for name, log in {
            "complete": without(played(gaps=False, rounds=5), "player"),
            "gaps": without(played(), "player"),
            "players": played(),
        }.items():
            write_compact(log, root / f"{name}.parquet")
            found[name] = root / f"{name}.parquet"
            found[f"{name} folder"] = chunked(log, root / name, (0, 7, 8, 30, 60))
    return found


def streamed(path, size=10, **settings):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("intent.estimate.stream.PIECE", size)
        patch.setattr("intent.estimate.stream._LARGER", 1)
        return sfem(path, **{"strategies": "canonical4", "seed": 3, **settings})


read_once = cache(read_log)


def at_once(path, **settings):
    return sfem(read_once(path), **{"strategies": "canonical4", "seed": 3, **settings})


def assert_same(mine, theirs):
    assert mine is not None
    assert mine.to_dict() == theirs.to_dict()
    assert (mine.by, mine.values, mine.tests) == (theirs.by, theirs.values, theirs.tests)
    assert mine.config == theirs.config
    assert mine.notes == theirs.notes
    for a, b in zip(mine.fits, theirs.fits, strict=True):
        assert np.array_equal(a.patterns, b.patterns)
        assert np.array_equal(a.weights, b.weights)
        assert (a.iterations, a.gradient, a.n_units) == (b.iterations, b.gradient, b.n_units)
    assert [group.counted for group in mine.groups] == [group.counted for group in theirs.groups]


CASES = {
    "seats": {},
    "treatments": {"by": "treatment", "bootstrap": 8},
    "crossed within games": {"by": "model", "bootstrap": 8},
    "two columns": {"by": ("treatment", "seat"), "bootstrap": 3},
    "own trembles": {"strategies": "ALLD,TFT,GRIM", "by": "seat", "bootstrap": 3, "tremble": "strategy"},
    "pooled": {"by": "model", "tremble": "pooled", "bootstrap": 5},
    "selected": {"by": "treatment", "select": "bic", "bootstrap": 3},
    "sessions": {"cluster": "session", "by": "model", "bootstrap": 8},
    "whole games": {"subject": "game_id", "by": "seat", "bootstrap": 8},
    "some": {"where": {"treatment": ["calm"], "model": ["alpha"]}},
    "intended": {"memory": "intended", "strategies": "TFT,GTFT,WSLS"},
    "defaults kept": {"keep_defaulted": True},
}


@pytest.mark.parametrize(
    ("log", "case"),
    [
        *(("gaps", case) for case in CASES),
        *(("complete", case) for case in ("seats", "crossed within games", "sessions")),
        *(("gaps folder", case) for case in ("seats", "treatments", "some", "defaults kept")),
    ],
)
def test_a_log_in_pieces_gives_what_it_gives_at_once(logs, log, case):
    assert_same(streamed(logs[log], **CASES[case]), at_once(logs[log], **CASES[case]))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"by": "model", "bootstrap": 8},
        {"by": "model", "cluster": "session", "bootstrap": 8},
        {"cluster": "session", "tremble": "strategy"},
        {"subject": ["session", "seat"], "by": "treatment", "tremble": "pooled", "bootstrap": 5},
    ],
)
@pytest.mark.parametrize("log", ["players", "players folder"])
def test_players_have_their_games_in_several_pieces(logs, log, settings):
    assert_same(streamed(logs[log], **settings), at_once(logs[log], **settings))


def test_a_seat_without_a_player_stays_alone(tmp_path):
    log = played()
    log.seats.loc[log.seats["player"].isin(["s0p0", "s4p2", "s7p3"]), "player"] = None
    write_compact(log, tmp_path / "c.parquet")
    for settings in ({"by": "model", "bootstrap": 5}, {"cluster": "session", "bootstrap": 10}):
        found = at_once(tmp_path / "c.parquet", **settings)
        assert sum(fit.n_subjects for fit in found.fits) > 40
        assert_same(streamed(tmp_path / "c.parquet", **settings), found)


@pytest.mark.parametrize("size", [1, 33, 1 << 17])
def test_the_size_of_pieces_changes_nothing(logs, size):
    settings = {"by": "model", "bootstrap": 5}
    found = at_once(logs["gaps"], **settings)
    assert_same(streamed(logs["gaps"], size=size, **settings), found)


def test_the_number_of_workers_changes_nothing(logs):
    settings = {"by": "treatment", "bootstrap": 5}
    assert_same(streamed(logs["players"], workers=2, **settings), at_once(logs["players"], **settings))


def test_players_can_be_named_after_all(logs):
    found = streamed(logs["players"], by="model")
    assert found.fits[0].posterior is None
    pd.testing.assert_frame_equal(found.posteriors(), at_once(logs["players"], by="model").posteriors())


@pytest.mark.parametrize(
    "settings", [{"by": ("model", "treatment")}, {"select": "aic", "where": {"seat": ["2"]}}]
)
def test_posteriors_are_written_in_pieces(logs, tmp_path, monkeypatch, settings):
    found, whole = streamed(logs["gaps"], **settings), at_once(logs["gaps"], **settings)
    monkeypatch.setattr(Memory, "chunk", None)
    mine, facts = read_table(found.write_posteriors(tmp_path / "mine.parquet"))
    theirs, said = read_table(whole.write_posteriors(tmp_path / "theirs.parquet"))
    pd.testing.assert_frame_equal(mine, theirs, check_exact=True, check_dtype=False)
    assert facts == said
    lines = [
        result.write_posteriors(tmp_path / name) for result, name in ((found, "a.csv"), (whole, "b.csv"))
    ]
    assert lines[0].read_text() == lines[1].read_text()


def test_the_front_door_reads_in_pieces(logs, monkeypatch):
    monkeypatch.setattr(Memory, "chunk", None)
    assert sfem(logs["players"]).fits[0].n_subjects == 40
    assert sfem(str(logs["gaps folder"]), by="model").values == (("alpha",), ("beta",))


def test_what_needs_all_rows_is_left_to_memory(logs, tmp_path):
    path = write_table(label(read_log(logs["gaps"])), tmp_path / "labels.parquet", {})
    for settings in ({"others": "count"}, {"labels": path}):
        found = streamed(logs["gaps"], **settings)
        assert found.fits[0].posterior is not None
        assert_same(found, at_once(logs["gaps"], **settings))


def test_errors_are_those_of_the_log_at_once(logs, monkeypatch):
    for settings, error, said in (
        ({"by": "colour"}, UnknownNameError, "unknown column 'colour'"),
        ({"cluster": "game_id"}, UsageError, "a subject has games in several clusters of game_id"),
        ({"strategies": "TFT,TFT"}, Exception, "strategy listed twice: TFT"),
    ):
        for way in (streamed, at_once):
            with pytest.raises(error, match=said):
                way(logs["players"], **settings)
    with pytest.raises(UsageError, match=r"no game left of 60 .* treatment has calm, harsh"):
        sfem(logs["gaps"], where={"treatment": ["none"]})
    monkeypatch.setattr("intent.estimate.stream._FEW", 10)
    with pytest.raises(UsageError, match="no game of 120 rows is left that meets the conditions"):
        sfem(logs["gaps"], where={"treatment": ["none"]})


def test_a_game_holds_players_and_seats_without_one(tmp_path):
    log = played(30)
    log.seats["player"] = [f"p{i}" for i in range(len(log.seats))]
    log.seats.loc[::4, "player"] = None
    write_compact(log, tmp_path / "c.parquet")
    settings = {"cluster": "game_id", "by": "model", "bootstrap": 5}
    assert_same(streamed(tmp_path / "c.parquet", **settings), at_once(tmp_path / "c.parquet", **settings))


def test_groups_without_a_value_and_of_numbers(tmp_path):
    log = played(30)
    log.seats["persona"] = np.where(np.arange(len(log.seats)) % 3, "kind", None)
    log.games["dose"] = pd.array([i % 3 if i % 4 else None for i in range(len(log))], dtype="Int64")
    write_compact(log, tmp_path / "c.parquet")
    found = at_once(tmp_path / "c.parquet", by=["persona", "dose"])
    assert found.values[-1] == ("(none)", "(none)")
    mine = streamed(tmp_path / "c.parquet", by=["persona", "dose"], subject=("game_id", "seat"))
    theirs = at_once(tmp_path / "c.parquet", by=["persona", "dose"], subject=("game_id", "seat"))
    assert_same(mine, theirs)
    for result, name in ((mine, "a.csv"), (theirs, "b.csv")):
        result.write_posteriors(tmp_path / name)
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
