"""What an export leaves out is in no byte of it."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from intent.base import codebook
from intent.base.errors import DataError, UnknownNameError
from intent.logs.gamelog import GameLog
from intent.logs.redaction import KINDS, Pseudonyms, Redaction, read_key, redact_calls, redact_log
from intent.logs.stores import read_gamelog, write_log

SECRETS = {
    "message": "let us share the golden apples",
    "private_thought": "I despise the other one",
    "reasoning": "first I weigh the penalties",
    "reply": "golden apples for you and OptionA",
    "prompt": "You are in a dark cellar",
    "details": "transcript of the dark cellar",
    "diary": "my neighbour Olga snores",
}
SUBJECTS = ("maria@example.org", "ivan@example.org")


def told_log() -> GameLog:
    """Two games of two people, with a text of every kind in every move."""
    games = [{"game_id": f"{who}-lab", "n_players": 2, "rounds_played": 2, "repetition": 1, "session": "s77"}
             for who in SUBJECTS]  # fmt: skip
    seats, rows = [], []
    for game in games:
        for seat, who in enumerate(SUBJECTS, 1):
            seats.append(
                {"game_id": game["game_id"], "seat": seat, "player": who, "focal": True, "login": who}
            )
            for t in (1, 2):
                texts = {
                    k: json.dumps({"said": v}) if k == "details" else f"{v} {t}" for k, v in SECRETS.items()
                }
                move = {"game_id": game["game_id"], "round": t, "step": 1, "seat": seat, "action": "OptionA"}
                rows.append({**move, "status": "parsed", "cooperated": True, **texts})
    asked = pd.DataFrame(
        [{"game_id": games[0]["game_id"], "round": 1, "seat": 1, "question": "q", "answer": "six apples"}]
    )
    facts = {
        "experiment": {"persona_texts": {"x": "in a dark cellar"}},
        "source": "/home/maria/log.csv",
        "seed": 1,
    }
    return GameLog(pd.DataFrame(games), pd.DataFrame(seats), pd.DataFrame(rows), asked, provenance=facts)


def written(path: Path) -> bytes:
    """All bytes of a log, unpacked: members of archives and folders, values and metadata of Parquet files."""
    files = [path] if path.is_file() else sorted(path.iterdir())
    found = b""
    for file in files:
        data = file.read_bytes()
        if file.name.endswith(".gz"):
            data = gzip.decompress(data)
        if file.name.endswith(".zip"):
            with zipfile.ZipFile(file) as archive:
                data = b"".join(archive.read(name) for name in archive.namelist())
        if file.name.endswith(".parquet"):
            facts = pq.read_metadata(file)
            groups = [facts.row_group(i).column(j).statistics for i in range(facts.num_row_groups)
                      for j in range(facts.num_columns)]  # fmt: skip
            data += f"{facts.metadata} {groups} {pq.read_table(file).to_pylist()}".encode()
        found += data
    return found


@pytest.mark.parametrize("name", ["log", "log.zip", "log.jsonl", "log.jsonl.gz", "log.csvs", "log.csv.zip"])
@pytest.mark.parametrize("mark", ["length", "hash", "null"])
def test_no_redacted_text_is_left_in_any_byte(tmp_path, name, mark):
    log = redact_log(told_log(), Redaction(("all",), mark, b"k" * 16))
    data = written(write_log(Pseudonyms(b"k" * 16).log(log), tmp_path / name))
    for secret in (*SECRETS.values(), *SUBJECTS, "apples", "cellar", "maria", "s77"):
        assert secret.encode() not in data
    assert b"OptionA" in data


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_takes_along_what_repeats_it(kind):
    log = redact_log(told_log(), Redaction((kind,)))
    column = {"messages": "message", "private": "private_thought", "replies": "reply", "prompts": "prompt"}
    wanted = SECRETS[column.get(kind, "reasoning")]
    assert wanted not in log.moves.to_csv()
    assert "experiment" not in log.provenance


def test_length_hash_and_null():
    texts = pd.Series(["abc", "abc", "abd", "", None])
    assert Redaction(("all",)).marked(texts).tolist()[:4] == ["⟨redacted 3 characters⟩"] * 3 + [""]
    hashed = Redaction(("all",), "hash", b"key").marked(texts)
    assert hashed[0] == hashed[1] != hashed[2]
    assert hashed[0] != Redaction(("all",), "hash", b"other").marked(texts)[0]
    assert Redaction(("all",), "null").marked(texts).isna().tolist() == [True, True, True, False, True]


def test_a_redacted_log_is_a_log_and_says_what_is_gone(tmp_path):
    log = redact_log(told_log(), Redaction(("messages",)))
    again = read_gamelog(write_log(log, tmp_path / "log"))
    assert again.equals(log)
    told = again.provenance["redaction"]
    assert (told["kinds"], told["mark"]) == (["messages"], "length")
    assert told["columns"]["moves"] == ["message", "reply", "prompt", "details"]
    assert again.trajectories().own.tolist() == told_log().trajectories().own.tolist()


def test_references_to_calls_stay(tmp_path):
    log = told_log()
    ids = log.moves["game_id"].astype(str)
    kept = GameLog(log.games, log.seats, log.moves.assign(reply=ids + "/1/2/1", prompt=ids + "/x"))
    moves = redact_log(kept, Redaction(("all",))).moves
    assert moves["reply"].equals(kept.moves["reply"])
    assert moves["prompt"].str.startswith("⟨redacted").all()
    renamed = Pseudonyms(b"k" * 16).log(kept).moves
    assert (renamed["reply"] == renamed["game_id"].astype(str) + "/1/2/1").all()


def test_columns_of_calls_that_need_a_value_keep_one():
    call = {c.name: "words" if c.kind == "string" else 1 for c in codebook.CALLS}
    table = redact_calls(pd.DataFrame([call]), Redaction(("all",), "null"))
    assert table[["body", "text"]].to_numpy().tolist() == [["", ""]]
    assert table[["reasoning", "tool_calls", "failures"]].isna().all().all()
    assert table["model"].tolist() == ["words"]


def test_pseudonyms_are_the_same_wherever_a_name_stands_and_models_keep_theirs():
    log = told_log()
    seats = log.seats.assign(model=["m", None, None, None])
    seats.loc[0, "player"] = "m"
    found = Pseudonyms(b"k" * 16).log(GameLog(log.games, seats, log.moves)).seats
    assert found["player"][0] == "m"
    assert found["player"][1] == found["player"][3] != found["player"][2]
    assert found["login"].tolist()[1::2] == found["player"].tolist()[1::2]


def test_one_key_gives_the_same_pseudonyms_and_another_does_not(tmp_path):
    (tmp_path / "key").write_bytes(b"0123456789abcdef\n")
    key = read_key(tmp_path / "key")
    names = [Pseudonyms(k).name("s", "ann") for k in (key, key, read_key(None), read_key(None))]
    assert names[0] == names[1]
    assert len(set(names)) == 3
    (tmp_path / "short").write_bytes(b"0123")
    with pytest.raises(DataError, match="expected 16 to"):
        read_key(tmp_path / "short")


def test_unknown_texts_are_refused_and_the_play_cannot_be_redacted():
    for name in ("mesages", "action", "round", "game_id"):
        with pytest.raises(UnknownNameError):
            redact_log(told_log(), Redaction((name,)))
    with pytest.raises(UnknownNameError):
        Redaction(("all",), "rot13")


def test_a_column_can_be_named():
    log = redact_log(told_log(), Redaction(("diary", "login"), "null"))
    assert log.moves["diary"].isna().all()
    assert log.seats["login"].isna().all()
    assert log.moves["message"].notna().all()
