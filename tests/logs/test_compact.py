from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from intent import generate, read_log
from intent.base.errors import DataError, LimitError, OutputError, UsageError
from intent.base.tables import METADATA_KEY
from intent.logs.compact import CompactWriter, is_compact, open_compact
from intent.logs.gamelog import GameLog
from intent.logs.readers import compact
from intent.logs.readers.compact import write_compact
from intent.play.dataset import make_spec
from intent.play.generate import generate_to


def by_hand(path, own, other, metadata=None, **columns):
    """A compact file as somebody else would write it."""
    n = len(own)
    columns = {"game_id": [f"g{i}" for i in range(n)], "seat": [1] * n, **columns}
    table = pa.table({**columns, "own": own, "other": other})
    if metadata is not None:
        table = table.replace_schema_metadata({METADATA_KEY: metadata})
    pq.write_table(table, path)
    return path


def test_generated_play_is_the_same_in_both_forms(tmp_path):
    spec = make_spec({"n": 300, "rounds": (4, 6), "eps": (0, 0.2), "seed": 3, "opponent": "TFT=1,random=1"})
    result = generate_to(tmp_path / "play.parquet", spec, form="compact")
    assert result["n_games"] == 300
    log, plain = read_log(tmp_path / "play.parquet"), generate(**spec.model_dump(exclude={"name"}))
    X, Y = log.trajectories(), plain.trajectories()
    assert np.array_equal(X.own, Y.own)
    assert np.array_equal(X.other, Y.other)
    assert X.keys.columns.tolist() == Y.keys.columns.tolist()
    pd.testing.assert_frame_equal(X.keys, Y.keys, check_dtype=False)
    moves = ["round", "seat", "action", "cooperated", "payoff", "status"]
    pd.testing.assert_frame_equal(
        log.moves[moves].astype({"action": str, "status": str}),
        plain.moves[moves].astype({"action": str, "status": str}),
        check_dtype=False,
    )
    assert log.provenance["spec"]["seed"] == 3
    assert open_compact(tmp_path / "play.parquet").rounds == 6


def test_unknown_moves_and_defaults_survive(tmp_path):
    log = generate(n=6, rounds=4, eps=0.1, seed=1)
    moves = log.moves.assign(status=log.moves["status"].astype(str))
    moves.loc[3, ["cooperated", "action", "status"]] = [pd.NA, None, "missing"]
    moves.loc[8, "status"] = "defaulted"
    damaged = GameLog(log.games, log.seats, moves)
    assert write_compact(damaged, tmp_path / "c.parquet") == 6
    X, Y = read_log(tmp_path / "c.parquet").trajectories(), damaged.trajectories()
    assert np.array_equal(X.own, Y.own)
    assert np.array_equal(X.other, Y.other)
    assert np.array_equal(X.evidence, Y.evidence)
    assert not open_compact(tmp_path / "c.parquet").complete


def test_somebody_elses_file_needs_no_metadata(tmp_path):
    path = by_hand(
        tmp_path / "c.parquet", [[1, 0, None], [1]], [[True, False, True], [False]], mood=["a", "b"]
    )
    facts = open_compact(path)
    assert (facts.rounds, facts.complete, facts.n) == (3, False, 2)
    log = read_log(path)
    assert log.provenance["format"] == "compact"
    X = log.trajectories()
    assert X.own.tolist() == [[1, 0, -1], [1, -1, -1]]
    assert X.other.tolist() == [[1, 0, 1], [0, -1, -1]]
    assert X.keys["mood"].tolist() == ["a", "b"]
    assert log.moves["status"].tolist().count("missing") == 1


def test_a_row_without_marks_of_evidence_has_none_that_does_not_count(tmp_path):
    path = by_hand(tmp_path / "c.parquet", [[1, 0], [1]], [[1, 1], [0]], evidence=[[True, False], None])
    assert read_log(path).trajectories().evidence.tolist() == [[True, False], [True, False]]


def test_both_seats_of_a_game(tmp_path):
    path = by_hand(
        tmp_path / "c.parquet",
        [[1, 0], [1, 1]],
        [[1, 1], [1, 0]],
        game_id=[7, 7],
        seat=[1, 2],
        model=["a", "b"],
    )
    log = read_log(path)
    assert len(log) == 1
    assert log.games["game_id"].tolist() == ["7"]
    assert log.trajectories().keys["model"].tolist() == ["a", "b"]


def test_a_folder_of_parts(tmp_path):
    (tmp_path / "corpus").mkdir()
    for i in (1, 2):
        by_hand(tmp_path / "corpus" / f"part-{i}.parquet", [[1, 0]], [[0, 0]], game_id=[f"g{i}"])
    assert is_compact(tmp_path / "corpus")
    assert read_log(tmp_path / "corpus").trajectories().keys["game_id"].tolist() == ["g1", "g2"]


@pytest.mark.parametrize(
    ("own", "other", "columns", "message"),
    [
        ([[1], [1, 0]], [[1], [1]], {}, "game g1: 2 own moves and 1 of the other"),
        ([[1, 2]], [[1, 1]], {}, "numbers other than 1"),
        ([["C"]], [["D"]], {}, "lists of string"),
        ([None, [1]], [[1], [1]], {}, "without a list"),
        ([[1]], [[1]], {"seat": [3]}, "seat other than 1 and 2"),
        ([[1]], [[1]], {"seat": ["1"]}, "'seat' holds string"),
        ([[1]], [[1]], {"x": [{"a": 1}]}, "'x' holds struct"),
        ([[1], [1]], [[1], [1]], {"game_id": ["a", "a"]}, "stands twice"),
        ([[1], [0]], [[1], [1]], {"game_id": ["a", "a"], "seat": [1, 2]}, "different moves"),
        ([[1]] * 3, [[1]] * 3, {"game_id": ["a", "b", "a"]}, "comes back after other games"),
        ([[1]], [[1]], {"n_players": [2]}, "'n_players' may not stand"),
        (
            [[1], [1]],
            [[1], [1]],
            {"game_id": ["a"] * 2, "seat": [1, 2], "x": [1, 2]},
            "differs between its seats",
        ),
        ([[1]], [[1]], {"payoffs": ['{"C,C": 1, "C,D": 2}']}, "payoffs"),
    ],
)
def test_what_is_no_compact_log_is_said_in_one_line(tmp_path, own, other, columns, message):
    path = by_hand(tmp_path / "c.parquet", own, other, **columns)
    with pytest.raises(DataError, match=message) as stopped:
        read_log(path)
    assert "\n" not in str(stopped.value)
    assert str(stopped.value).startswith("c.parquet")


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (b"{", "not readable"),
        (b'{"version": 3}', "version 3, expected 1 to 2"),
        (b'{"constants": {"a": [1]}}', "constants"),
        (b'{"constants": {"a": NaN}}', "constants"),
        (b'{"constants": {"a": 1000000000000000000000}}', "constants"),
        (b'{"constants": {"game_id": "a"}}', "constants name 'game_id'"),
        (b'{"rounds": "many"}', "expected a whole number"),
        (b'{"rounds": 1}', "expected at most 1"),
        (b'{"rounds": 1000000000}', "rounds, expected at most"),
        (b'{"kind": "labels"}', "expected of a compact_log"),
    ],
)
def test_metadata_are_checked(tmp_path, metadata, message):
    path = by_hand(tmp_path / "c.parquet", [[1, 0]], [[1, 0]], metadata)
    with pytest.raises(DataError, match=message):
        read_log(path)


def test_a_log_too_long_for_tables_of_moves_says_who_reads_it(tmp_path, monkeypatch):
    path = by_hand(tmp_path / "c.parquet", [[1, 0]], [[1, 0]])
    monkeypatch.setattr(compact, "LIMIT_MOVES", 1)
    with pytest.raises(LimitError, match="sfem and sweep read such a log piece by piece"):
        read_log(path)


def test_row_groups_and_long_games_are_bounded(tmp_path, monkeypatch):
    path = by_hand(tmp_path / "c.parquet", [[1] * 9, [1]], [[1] * 9, [1]])
    monkeypatch.setenv("INTENT_LIMITS", "row_group_values=10")
    with pytest.raises(LimitError, match="one very long game"):
        read_log(path)
    monkeypatch.setenv("INTENT_LIMITS", "row_group_values=9")
    with pytest.raises(LimitError, match="a row group of 10 moves"):
        read_log(path)


def write(path, *chunks, stop=None):
    moves = np.ones((1, 2), dtype=np.int8)
    with CompactWriter(path) as writer:
        for chunk in chunks:
            writer.write(pa.table({"game_id": chunk.pop("game_id"), "seat": [1], **chunk}), moves, moves)
        if stop:
            raise stop


def test_writing_breaks_off_without_a_trace(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "c.parquet", {"game_id": ["a"]}, stop=KeyboardInterrupt)
    with pytest.raises(OutputError, match="no row"):
        write(tmp_path / "c.parquet")
    assert list(tmp_path.iterdir()) == []


def test_chunks_of_other_columns_are_refused(tmp_path):
    with pytest.raises(OutputError, match="columns game_id"):
        write(tmp_path / "c.parquet", {"game_id": ["a"]}, {"game_id": ["b"], "x": [1]})


def test_options_of_other_formats_are_refused(tmp_path):
    path = by_hand(tmp_path / "c.parquet", [[1]], [[1]])
    with pytest.raises(UsageError, match="says itself what cooperate"):
        read_log(path, cooperate="C")


def test_a_log_without_rows_is_refused_in_one_line(tmp_path):
    kinds = {"own": pa.array([], pa.list_(pa.bool_())), "other": pa.array([], pa.list_(pa.bool_()))}
    path = by_hand(tmp_path / "none.parquet", **kinds)
    with pytest.raises(DataError, match="no rows, expected at least one seat"):
        read_log(path)
