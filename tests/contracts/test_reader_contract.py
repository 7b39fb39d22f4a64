"""What every reader must do. A new row of the registry needs a sample here, and this suite runs for it."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from inspect_logs import intent_sample, log_text

from intent import generate, read_log
from intent.base.errors import DataError, OutputError
from intent.logs.readers import READERS
from intent.logs.readers.compact import write_compact
from intent.logs.stores import read_gamelog, write_log

FAIRGAME_HEAD = (
    "game_id;language;n_rounds_is_known;max_rounds;played_rounds;agents_communicate;"
    "agent1_name;agent1_llm;agent1_personality;agent1_knows_opponent_with_prob;agent1_strategies;agent1_scores;"
    "agent1_messages;agent2_name;agent2_llm;agent2_personality;agent2_knows_opponent_with_prob;"
    "agent2_strategies;agent2_scores;agent2_messages;game;payoff_type\n"
)


def fairgame_row(number: int, actions: str = "['OptionA', 'OptionB']") -> str:
    one = f"agent1;m;selfish;0.0;{actions};[0, 2];[]"
    two = "agent2;m;cooperative;0.0;['OptionB', 'OptionB'];[10, 2];[]"
    return f"game_{number};en;True;2;2;False;{one};{two};prisoner-dilemma;conventional\n"


@dataclass(frozen=True)
class Sample:
    """A file of three games of one format, the options it needs, and a row that cannot be read."""

    name: str
    text: str = ""
    bad_row: str = ""
    options: tuple[tuple[str, str], ...] = ()
    cooperated: int = 0


SAMPLES = {
    "fairgame": Sample(
        "results.csv",
        FAIRGAME_HEAD + "".join(fairgame_row(i) for i in range(3)),
        fairgame_row(9, "['OptionA', 'OptionX']"),
        cooperated=9,
    ),
    "tidy": Sample(
        "long.csv",
        "game,round,player,action\n"
        + "".join(
            f"{g},{t},{p},{'left' if t == 1 else 'right'}\n" for g in "abc" for t in (1, 2) for p in "xy"
        ),
        "a,two,x,left\n",
        (("cooperate", "left"),),
        cooperated=6,
    ),
    "pairs": Sample(
        "wide.csv",
        "round,player1,player2,answer1,answer2,points1,points2\n"
        + "1,x,y,J,J,8,8\n2,x,y,J,F,0,10\n1,x,z,F,J,10,0\n2,x,z,F,F,5,5\n1,y,z,J,J,8,8\n",
        "two,y,z,J,J,8,8\n",
        cooperated=6,
    ),
    "otree": Sample(
        "pd.csv",
        "participant.code,player.id_in_group,player.payoff,player.cooperate,group.id_in_subsession,"
        "subsession.round_number,session.code\n"
        + "".join(
            f"{pair[s]},{s + 1},{8 if t == 1 else 5},{2 - t},{g},{t},s1\n"
            for g, pair in enumerate(("ab", "cd", "ef"), start=1)
            for t in (1, 2)
            for s in (0, 1)
        ),
        "a,one,5,0,1,3,s1\n",
        (("cooperate", "1"),),
        cooperated=6,
    ),
    "import": Sample(
        "supergames.csv",
        "subject,supergame,period,myMove,opponentMove\n"
        + "".join(f"s{i},{g},{t},{'CD'[t == 3]},C\n" for i in (1, 2, 3) for g in (1,) for t in (1, 2, 3)),
        "s1,1,x,C,D\n",
        cooperated=15,
    ),
    "inspect": Sample("log.json", log_text([intent_sample(name) for name in "abc"]), cooperated=15),
    "gamelog": Sample("log.jsonl", cooperated=-1),
    "compact": Sample("corpus.parquet", cooperated=-1),
    "runs": Sample("runs", cooperated=-1),
}


def test_every_reader_has_a_sample():
    assert READERS.keys() == SAMPLES.keys()


@pytest.fixture(params=sorted(SAMPLES))
def kind(request) -> str:
    return str(request.param)


@pytest.fixture
def file(kind: str, tmp_path: Path) -> Path:
    sample = SAMPLES[kind]
    path = tmp_path / sample.name
    if kind == "compact":
        write_compact(generate(n=3, rounds=2, seed=1), path)
    elif kind == "gamelog":
        write_log(generate(n=3, rounds=2, seed=1), path)
    elif kind == "runs":
        path.mkdir()
        for name, n in (("a", 2), ("b", 1)):
            write_log(generate(n=n, rounds=2, seed=n), path / name)
    else:
        path.write_text(sample.text, encoding="utf8")
    return path


def options(kind: str) -> dict[str, str]:
    return dict(SAMPLES[kind].options)


def test_the_format_is_recognised_and_told(kind, file):
    log = read_log(file, **options(kind))
    assert log.provenance["format"] == kind
    if not file.is_dir():
        assert log.provenance["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert log.provenance["source"] == str(file)


def test_three_games_with_all_their_moves(kind, file):
    log = read_log(file, **options(kind))
    assert len(log) == 3
    assert log.games["game_id"].is_unique
    assert (log.games["n_players"] == 2).all()
    assert len(log.rejects) == 0
    if SAMPLES[kind].cooperated >= 0:
        assert int(log.moves["cooperated"].sum()) == SAMPLES[kind].cooperated


def test_reading_twice_gives_the_same_log(kind, file):
    assert read_log(file, **options(kind)).equals(read_log(file, format=kind, **options(kind)))


def test_gzipped_files_are_read_as_they_are(kind, file, tmp_path):
    if kind in ("compact", "runs"):
        pytest.skip("Parquet is packed already, and a folder is no file")
    packed = tmp_path / f"{file.name}.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    packed_log, plain = read_log(packed, **options(kind)), read_log(file, **options(kind))
    assert packed_log.trajectories().own.tolist() == plain.trajectories().own.tolist()


def test_what_was_read_can_be_stored(kind, file, tmp_path):
    log = read_log(file, **options(kind))
    assert read_gamelog(write_log(log, tmp_path / "store")).equals(log)


def test_a_bad_row_is_listed_with_its_line_and_the_rest_goes_on(kind, file):
    sample = SAMPLES[kind]
    if not sample.bad_row:
        pytest.skip("no row of text: damage is tested with the stores, or with the reader")
    file.write_text(sample.text + sample.bad_row, encoding="utf8")
    log = read_log(file, **options(kind))
    assert len(log) == 3
    (reject,) = log.rejects.to_dict("records")
    assert reject["line"] == sample.text.count("\n") + 1
    assert any(word in reject["reason"] for word in ("expected", "is not one of"))
    with pytest.raises(DataError, match=f"line {reject['line']}"):
        read_log(file, strict=True, **options(kind))


def test_an_empty_file_and_a_missing_one(kind, file):
    if file.is_dir():
        shutil.rmtree(file)
    file.write_bytes(b"")
    for path in (file, file.with_name("nowhere.csv")):
        with pytest.raises((DataError, OutputError)) as stopped:
            read_log(path, format=kind, **options(kind))
        assert "\n" not in str(stopped.value)


def saved_folder(folder: Path) -> Path:
    """A folder of three games as GAMA-Bench saves them, nested by game: read by a reader of an upper room."""
    parameters = {"player_num": 2, "home": 5, "min": 0, "max": 10, "ratio": 0.6, "mode": "implicit"}
    rounds = [{"responses": ["go", "stay"], "go_num": 1}, {"responses": ["stay", "stay"], "go_num": 0}]
    for run in (1, 2, 3):
        path = folder / "bar_game" / f"m_bar_game_implicit_v1_{run}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        meta = {**parameters, "version": "v1", "models": "m"}
        path.write_text(json.dumps({"meta": meta, "round_records": rounds}), encoding="utf8")
    return folder


def test_a_folder_of_files_is_a_log_by_the_same_contract(tmp_path):
    folder = saved_folder(tmp_path / "raw")
    log = read_log(folder)
    assert (log.provenance["format"], log.provenance["source"]) == ("gamabench", str(folder))
    assert len(log) == 3
    assert log.games["game_id"].is_unique
    assert len(log.moves) == 12
    assert len(log.rejects) == 0
    assert log.equals(read_log(folder, format="gamabench"))
    assert read_gamelog(write_log(log, tmp_path / "store")).equals(log)
    before = log.provenance["sha256"]
    (folder / "bar_game" / "m_bar_game_implicit_v1_3.json").write_text("{", encoding="utf8")
    damaged = read_log(folder)
    assert damaged.provenance["sha256"] != before
    assert len(damaged) == 2
    (reject,) = damaged.rejects.to_dict("records")
    assert reject["file"] == "bar_game/m_bar_game_implicit_v1_3.json"
    assert "expected" in reject["reason"]
    with pytest.raises(DataError, match=r"m_bar_game_implicit_v1_3\.json"):
        read_log(folder, strict=True)
