"""Tables in memory are read as the files that they would write, wherever a log is taken."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import intent
from intent.base.errors import DataError, UsageError
from intent.behaviour.metrics import metrics
from intent.logs.delimited import Frame, read_delimited
from intent.logs.gamelog import Rejects
from intent.logs.readers.reader import READERS, Source, read_log

TIDY = "game,round,player,action\n" + "".join(
    f"{g},{t},{p},{'left' if t == 1 else 'right'}\n" for g in "abc" for t in (1, 2) for p in "xy"
)
PAIRS = (
    "round,player1,player2,answer1,answer2,points1,points2\n"
    "1,x,y,J,J,8,8\n2,x,y,J,F,0,10\n1,x,z,F,J,10,0\n2,x,z,F,F,5,5\n1,y,z,J,J,8,8\n"
)
FAIRGAME = (
    "game;agent1_name;agent1_strategies;agent1_scores;agent2_name;agent2_strategies;agent2_scores\n"
    "prisoner-dilemma;a;['OptionA', 'OptionB'];[0, 2];b;['OptionB', 'OptionB'];[10, 2]\n"
)
SCORES = {("C", "D"): (0, 5), ("C", "C"): (3, 3), ("D", "D"): (1, 1)}
LONG = "game_id,round,player,action,payoff,model,known\n" + "".join(
    f"g{g},{t},{p},{a},{v},m{g},{g == 1}\n"
    for g in (1, 2)
    for t, moves in enumerate(SCORES, start=1)
    for p, a, v in zip("xy", moves, SCORES[moves], strict=True)
)
REWARD = {"payoff_kind": "reward"}
SAMPLES: dict[str, tuple[str, dict[str, str]]] = {
    "tidy": (TIDY, {"cooperate": "left"}),
    "tidy with payoffs": (LONG, REWARD),
    "tidy with an action of a number": (TIDY.replace("left", "1").replace("right", "0"), {"cooperate": "1"}),
    "tidy with a missing number": (LONG.replace("g1,2,x,C,3", "g1,2,x,C,"), REWARD),
    "tidy with a bad row": (LONG + "g1,x,x,C,3,m1,True\n", REWARD),
    "pairs": (PAIRS, REWARD),
    "fairgame": (FAIRGAME, {}),
}


def same(one: intent.GameLog, other: intent.GameLog) -> None:
    """Two logs are the same but for the name of the file, which stands in what some readers call a game."""
    for name in ("games", "seats", "moves"):
        left, right = (
            getattr(log, name)
            .drop(columns="source", errors="ignore")
            .assign(game_id=lambda table: pd.factorize(table["game_id"])[0])
            for log in (one, other)
        )
        pd.testing.assert_frame_equal(left, right)
    assert one.rejects["reason"].tolist() == other.rejects["reason"].tolist()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_frame_is_read_as_the_file_that_it_writes(name, tmp_path):
    text, how = SAMPLES[name]
    frame = pd.read_csv(io.StringIO(text), sep=text[text.index("game") + 4] if name == "fairgame" else ",")
    file = tmp_path / "x.csv"
    frame.to_csv(file, index=False)
    of_frame, of_file = read_log(frame, **how), read_log(file, **how)
    same(of_frame, of_file)
    assert of_frame.provenance["format"] == of_file.provenance["format"]
    assert of_frame.provenance["source"] == "DataFrame"


def test_tables_of_arrow_and_indexes_and_categories():
    frame = pd.read_csv(io.StringIO(LONG))
    log = read_log(frame, **REWARD)
    same(log, read_log(pa.Table.from_pandas(frame), **REWARD))
    same(log, read_log(frame.set_index(["game_id", "round"]), **REWARD))
    same(log, read_log(frame.astype({"action": "category", "model": "category", "round": "Int64"}), **REWARD))
    joined = frame.rename(columns={"game_id": ("game", "id")}).rename(columns=str)
    assert set(Frame(joined).columns) > {"('game', 'id')"}
    several = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("own", "move"), ("round", "")]))
    assert list(Frame(several).columns) == ["own_move", "round"]


def test_cells_are_written_as_pandas_writes_them():
    frame = pd.DataFrame(
        {
            "f": [1.0, np.nan, 0.1],
            "b": [True, False, True],
            "o": ["x", None, 3],
            "d": pd.to_datetime(["2024-01-01", None, "2024-02-01"]),
            "i": pd.array([1, None, 3], dtype="Int64"),
            "c": pd.Categorical(["u", None, "v"]),
        }
    )
    cells = {name: column.to_pylist() for name, column in Frame(frame).columns.items()}
    assert cells == {
        "f": ["1.0", "", "0.1"],
        "b": ["True", "False", "True"],
        "o": ["x", "", "3"],
        "d": ["2024-01-01", "", "2024-02-01"],
        "i": ["1", "", "3"],
        "c": ["u", "", "v"],
    }


COLUMNS = {
    "s": st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=4),
    "f": st.floats(width=32).map(lambda x: x + 0.0) | st.none(),
    "i": st.integers(-(2**62), 2**62),
    "b": st.booleans(),
}


@settings(max_examples=40)
@given(rows=st.lists(st.fixed_dictionaries(COLUMNS), min_size=1, max_size=6))
def test_cells_of_any_frame_are_those_of_its_csv(rows, tmp_path_factory):
    frame = pd.DataFrame(rows)
    file = tmp_path_factory.mktemp("frames") / "x.csv"
    frame.to_csv(file, index=False)
    read = read_delimited(Source(file).text, Rejects(file))
    assert {k: v.to_pylist() for k, v in Frame(frame).columns.items()} == {
        k: v.to_pylist() for k, v in read.columns.items()
    }


def test_a_bad_row_is_named_by_its_place():
    frame = pd.read_csv(io.StringIO(LONG)).astype({"round": object})
    frame.loc[3, "round"] = "two"
    assert read_log(frame, **REWARD).rejects[["line", "text"]].to_numpy().tolist() == [
        [4, "g1,two,y,C,3,m1,True"]
    ]
    with pytest.raises(DataError, match=r"^DataFrame row 4: round is 'two'"):
        read_log(frame, strict=True, **REWARD)
    frame = pd.read_csv(io.StringIO(LONG))
    frame.loc[1, "model"] = "m" * 1_000_001
    assert read_log(frame, **REWARD).rejects["line"].tolist() == [2]


def test_what_is_no_log():
    with pytest.raises(UsageError, match="3, expected the path of a log, or a DataFrame"):
        read_log(3)
    with pytest.raises(DataError, match=r"^DataFrame: no rows"):
        read_log(pd.DataFrame({"round": [], "action": []}))
    with pytest.raises(DataError, match=r"^DataFrame: two columns are called 'a'"):
        read_log(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(DataError, match=r"^DataFrame: no column is known to hold moves, of a, b"):
        read_log(pd.DataFrame({"a": [1], "b": [2]}))


def test_the_hash_is_of_the_content():
    frame = pd.read_csv(io.StringIO(LONG))
    digest = Source(frame).sha256
    assert digest == Source(frame.copy()).sha256
    assert digest != Source(frame.assign(model="n")).sha256
    assert digest != Source(frame.rename(columns={"model": "llm"})).sha256


def test_every_job_that_takes_a_log_takes_a_frame():
    frame = pd.read_csv(io.StringIO(LONG))
    assert intent.label(frame, **REWARD)["game_id"].tolist() == ["g1", "g1", "g2", "g2"]
    assert (
        intent.label(frame.rename(columns={"action": "deed"}), mapping={"action": "deed"}, **REWARD).shape[0]
        == 4
    )
    assert intent.sfem(frame, bootstrap=0, **REWARD).to_dict()["groups"][0]["n_subjects"] > 0
    assert len(metrics(frame, **REWARD).table) == 4
    assert len(intent.compare(frame, by="model", bootstrap=20, **REWARD).to_dict()["groups"]) == 2
    assert len(READERS) >= 7
