"""Halves of surrogate pairs, which JSON can spell and no file can hold, are text like any other."""

import json

import pytest
from play_logs import PD, log_of, match

import intent
from intent.base.files import encodable, encodable_parts, json_value
from intent.base.tables import read_table
from intent.logs.gamelog import GameLog
from intent.logs.stores import write_log


def test_halves_are_spelled_out_and_pairs_are_not():
    assert encodable("a\ud800b\udfff") == "a⟨U+D800⟩b⟨U+DFFF⟩"
    assert encodable("\U0001f600 é") == "\U0001f600 é"
    assert encodable_parts({"\ud800": ["\udc00", 1, None]}) == {"⟨U+D800⟩": ["⟨U+DC00⟩", 1, None]}


@pytest.mark.parametrize(
    ("raw", "value"),
    [(b'"\\ud83d\\ude00"', "\U0001f600"), (b'"\\\\ud800"', "\\ud800"), ('["\\uD800"]', ["⟨U+D800⟩"])],
)
def test_values_of_json(raw, value):
    assert json_value(raw) == value


def test_a_log_loses_nothing_to_them(tmp_path):
    log = log_of(match(PD, "CDC", "CCD", model=["HALF", "beta"]), match(PD, "DD", "CD"))
    said = GameLog(log.games, log.seats, log.moves.assign(message="HALF"))
    path = write_log(said, tmp_path / "log.jsonl")
    path.write_text(path.read_text().replace("HALF", "x\\ud800"))
    read = intent.read_log(path)
    assert len(read) == 2
    assert len(read.rejects) == 0
    assert set(read.moves["message"]) == {"x⟨U+D800⟩"}
    assert read.seats["model"].iloc[0] == "x⟨U+D800⟩"
    again = write_log(read, tmp_path / "again.jsonl")
    assert intent.read_log(again).tables()["moves"].equals(read.tables()["moves"])


def test_a_table_of_results_loses_nothing_to_them(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({"game_id": "g\udc00", "best": "\U0001f600"}) + "\n")
    table, _ = read_table(path)
    assert table.to_dict("records") == [{"game_id": "g⟨U+DC00⟩", "best": "\U0001f600"}]
