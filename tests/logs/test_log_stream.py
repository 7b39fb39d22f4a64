from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from intent import GameLog, generate, read_log
from intent.base.errors import DataError, UnknownNameError
from intent.logs.readers.compact import write_compact
from intent.logs.reading import open_source
from intent.logs.stores import ParquetLogWriter


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Rows of a compact log: games of two rows, and some of one."""
    path = tmp_path_factory.mktemp("log") / "log.parquet"
    log = generate(n=40, rounds=(3, 6), eps=0.2, seed=1)
    write_compact(GameLog(log.games, log.seats.assign(focal=True), log.moves), path)
    rows = pq.read_table(path)
    alone = rows.column("seat").to_numpy() == 2
    alone &= np.arange(len(rows)) % 3 == 0
    return rows.filter(pa.array(~alone))


def folder(path, table, cuts):
    """The rows as parts of a folder, each in row groups of some rows."""
    path.mkdir()
    start = 0
    for i, (n, size) in enumerate(cuts):
        pq.write_table(table.slice(start, n), path / f"{i}.parquet", row_group_size=size)
        start += n
    return path


@pytest.mark.parametrize("cuts", [[(100, 7)], [(31, 5), (100, 3)], [(2, 1), (1, 1), (100, 200)]])
@pytest.mark.parametrize("size", [1, 8, 1000])
def test_no_game_is_in_two_pieces_and_none_is_lost(tmp_path, table, cuts, size):
    path = folder(tmp_path / "log", table, cuts)
    whole = read_log(path)
    pieces = list(open_source(path).pieces(size))
    plays, logs = [p.read() for p in pieces], [p.games() for p in pieces]
    seen = [g for log in logs for g in log.games["game_id"]]
    assert seen == whole.games["game_id"].tolist()
    keys = pa.concat_tables([p.keys for p in plays if len(p.keys)]).to_pandas()
    assert keys["game_id"].tolist() == table.column("game_id").to_pandas().astype(str).tolist()
    for play, log in zip(plays, logs, strict=True):
        assert list(dict.fromkeys(play.keys.column("game_id").to_pylist())) == log.games["game_id"].tolist()
    moves = pd.concat([log.moves.astype({"game_id": str}) for log in logs if len(log)], ignore_index=True)
    expected = whole.moves.astype({"game_id": str})
    pd.testing.assert_frame_equal(moves, expected, check_dtype=False, check_categorical=False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows.take([0, 0, *range(1, len(rows))]), "a seat stands twice"),
        (
            lambda rows: rows.set_column(
                rows.column_names.index("own"), "own", pa.array([o[::-1] for o in rows["own"].to_pylist()])
            ),
            "the two rows tell different moves",
        ),
    ],
)
def test_rows_of_a_game_that_contradict_each_other_are_an_error(tmp_path, table, change, said):
    path = folder(tmp_path / "log", change(table), [(200, 3)])
    with pytest.raises(DataError, match=said):
        [piece.read() for piece in open_source(path).pieces(50)]


@pytest.mark.parametrize("size", [3, 50])
@pytest.mark.parametrize("back", [1, 20])
def test_a_game_that_comes_back_is_an_error_in_the_same_piece_and_later(tmp_path, table, back, size):
    order = [0, *range(2, 2 + back), 1, *range(2 + back, len(table))]
    path = folder(tmp_path / "log", table.take(order), [(200, 3)])
    with pytest.raises(DataError, match="comes back after other games"):
        read_log(path)
    with pytest.raises(DataError, match="comes back after other games"):
        [piece.read() for piece in open_source(path).pieces(size)]


def test_games_in_no_order_are_read(tmp_path, table):
    codes = np.unique(table.column("game_id").to_numpy(), return_inverse=True)[1]
    order = np.argsort(np.random.default_rng(0).permutation(codes.max() + 1)[codes], kind="stable")
    path = folder(tmp_path / "log", table.take(order), [(200, 3)])
    assert sum(len(piece.games()) for piece in open_source(path).pieces(8)) == codes.max() + 1


def test_a_condition_holds_in_the_pieces_of_both_kinds(tmp_path):
    log = generate(n=30, rounds=4, eps=0.1, seed=3)
    log.games["topic"] = np.where(np.arange(30) < 10, "a", "b")
    write_compact(log, tmp_path / "log.parquet")
    with ParquetLogWriter(tmp_path / "log", provenance={}) as writer:
        writer.write(log)
    for path in (tmp_path / "log.parquet", tmp_path / "log"):
        (piece,) = open_source(path, where={"topic": ["a"]}).pieces(1000)
        assert len(piece.games()) == piece.read().games.n == 10
        (none,) = open_source(path, where={"topic": ["c"]}).pieces(1000)
        assert len(none.games()) == len(none.read().keys) == 0
        with pytest.raises(UnknownNameError):
            open_source(path, where={"tpoic": ["a"]})


def swapped(table):
    """The rows with those of a game in the other order."""
    order = np.arange(len(table))
    first = np.flatnonzero(np.diff(table.column("seat").to_numpy()) == 1)
    order[first], order[first + 1] = first + 1, first
    return table.take(order)


def test_rows_of_a_game_come_in_the_order_of_seats(tmp_path, table):
    path = folder(tmp_path / "log", swapped(table), [(200, 7)])
    keys = pa.concat_tables([p.read().keys for p in open_source(path).pieces(1)]).to_pandas()
    whole = read_log(path).trajectories().keys
    assert keys[["game_id", "seat"]].values.tolist() == whole[["game_id", "seat"]].values.tolist()


@pytest.mark.parametrize("values", [["en", "vn"], [None, "en"], [0.5, None], [1, 2]])
def test_what_describes_a_game_is_the_same_in_both_rows(tmp_path, table, values):
    rows = table.append_column("language", pa.array([values[s - 1] for s in table["seat"].to_pylist()]))
    path = folder(tmp_path / "log", rows, [(200, 7)])
    for read in (lambda: [p.read() for p in open_source(path).pieces(1)], lambda: read_log(path)):
        with pytest.raises(DataError, match="'language' differs between its seats"):
            read()


@pytest.mark.parametrize("changed", ["first", "second"])
@pytest.mark.parametrize("kind", [None, pa.int64(), pa.float64(), pa.duration("s")])
def test_parts_that_describe_their_rows_in_other_ways_are_read_at_once(
    tmp_path, table, kind, changed, monkeypatch
):
    rows = table.append_column("level", pa.array(np.repeat("a", len(table))))
    other = table if kind is None else table.append_column("level", pa.nulls(len(table), kind))
    path = folder(tmp_path / "log", rows, [(30, 7), (30, 7)])
    start, name = (0, "0.parquet") if changed == "first" else (30, "1.parquet")
    pq.write_table(other.slice(start, 30), path / name)
    assert open_source(path) is None
    monkeypatch.setattr("intent.logs.readers.compact.LIMIT_MOVES", 10)
    with pytest.raises(DataError, match="parquet: column 'level'"):
        open_source(path)


def test_texts_may_be_of_several_types_in_the_parts_of_a_log(tmp_path, table):
    rows = table.filter(pa.array(table.column("seat").to_numpy() == 1))
    path = folder(tmp_path / "log", rows, [(10, 3)] * 4)
    text = pa.array(np.repeat("a", 10))
    for i, values in enumerate(
        (pa.nulls(10), text, text.cast(pa.large_string()), text.cast(pa.string_view()))
    ):
        part = rows.slice(10 * i, 10).append_column("topic", values)
        pq.write_table(part, path / f"{i}.parquet", row_group_size=3)
    pieces = [p.read().keys.column("topic").to_pylist() for p in open_source(path).pieces(1)]
    assert [value for piece in pieces for value in piece] == [None] * 10 + ["a"] * 30


@pytest.mark.parametrize(("values", "wanted"), [([None, True, False], "true"), ([None, 1, 2], "1")])
def test_a_condition_on_truth_values_or_numbers_beside_nulls(tmp_path, table, values, wanted):
    codes = np.unique(table.column("game_id").to_numpy(), return_inverse=True)[1]
    rows = table.append_column("level", pa.array([values[code % 3] for code in codes]))
    path = folder(tmp_path / "log", rows, [(200, 7)])
    kept = [p.read().games.n for p in open_source(path, where={"level": [wanted]}).pieces(1)]
    assert sum(kept) == len(read_log(path).where({"level": [wanted]})) > 0
