"""Inspect logs: where the play is found, who plays it, and what damage costs."""

from __future__ import annotations

import json
import warnings
import zipfile

import inspect_logs
import pytest
from inspect_logs import SPEC, intent_sample, log_text, moves, sample, write_eval

from intent import play_experiment, read_log
from intent.base.errors import DataError, LimitError
from intent.logs.readers.inspect_eval import written_record


def read_samples(tmp_path, *samples, **options):
    path = tmp_path / "log.json"
    path.write_text(log_text(samples), encoding="utf-8")
    return read_log(path, **options)


@pytest.mark.parametrize("zstd", [True, False])
@pytest.mark.parametrize("header", [True, False])
def test_an_archive_is_read_whatever_packs_it(tmp_path, zstd, header):
    path = write_eval(
        tmp_path / "x.eval", [intent_sample("a"), intent_sample("a", epoch=2)], zstd=zstd, header=header
    )
    log = read_log(path)
    assert log.provenance["format"] == "inspect"
    assert log.games["game_id"].tolist() == ["pd-a-1", "pd-a-2"]
    assert log.games["repetition"].tolist() == [1, 2]
    assert log.trajectories().own.tolist()[:2] == [[1, 1, 0, 0], [1, 1, 1, 0]]
    assert any("status started" in note for note in log.provenance["notes"]) is not header


def test_samples_come_in_the_order_of_their_numbers(tmp_path):
    log = read_log(write_eval(tmp_path / "x.eval", [intent_sample(str(i)) for i in (10, 2, 1)]))
    assert log.games["sample"].astype(str).tolist() == ["1", "2", "10"]


def test_seats_are_played_by_who_is_said_or_the_evaluations_model(tmp_path):
    log = read_samples(tmp_path, intent_sample("a"))
    assert log.seats["model"].fillna("").tolist() == ["mock/m", ""]
    assert log.seats["strategy"].fillna("").tolist() == ["", "TFT"]


def test_roles_name_models(tmp_path):
    rounds = [{"actions": ["C", "D"]}, {"actions": ["D", "D"]}]
    play = sample("a", {"intent": {"players": ["red", "blue"], "rounds": rounds}})
    path = tmp_path / "log.json"
    path.write_text(log_text([play], model_roles={"blue": {"model": "mock/blue"}}))
    log = read_log(path, cooperate="C")
    assert log.seats[["role", "model"]].to_numpy().tolist() == [["red", "mock/m"], ["blue", "mock/blue"]]
    assert log.trajectories().own.tolist() == [[1, 0], [0, 0]]


def test_names_within_samples_are_no_subjects(tmp_path):
    log = read_samples(tmp_path, intent_sample("a"), intent_sample("b", metadata={"role": "buyer"}))
    assert log.seats["player"].isna().all()
    assert log.seats["sample_role"].tolist() == ["model", "tft"] * 2


ROUNDS = {
    "by seat": [{"actions": ["C", "D"], "payoffs": [0, 5]}, {"actions": ["D", "D"], "payoffs": [1, 1]}],
    "by player": [{"round": t, "choices": {"x": a, "y": b}, "scores": {"x": p, "y": q}}
                  for t, a, b, p, q in ((1, "C", "D", 0, 5), (2, "D", "D", 1, 1))],
    "by move": [{"round": t, "player": w, "decision": a, "points": p}
                for t, w, a, p in ((1, "x", "C", 0), (1, "y", "D", 5), (2, "x", "D", 1), (2, "y", "D", 1))],
}  # fmt: skip


@pytest.mark.parametrize("table", ROUNDS.values(), ids=ROUNDS)
@pytest.mark.parametrize("place", ["store", "metadata", "score"])
def test_a_table_of_moves_is_found_under_any_key(tmp_path, table, place):
    found = sample("a", {"Game:log": table} if place == "store" else {})
    found["metadata"] = {"history": table} if place == "metadata" else {}
    found["scores"] = {"s": {"value": 1, "metadata": {"play": table}}} if place == "score" else {}
    log = read_samples(tmp_path, found, cooperate="C:D")
    assert log.trajectories().own.tolist() == [[1, 0], [0, 0]]
    assert log.moves["payoff"].tolist() == [0, 5, 1, 1]


def test_a_mapping_names_fields(tmp_path):
    table = [{"turn": 1, "who": "x", "did": "C", "action": "ignored"}, {"turn": 1, "who": "y", "did": "D"}]
    log = read_samples(tmp_path, sample("a", {"t": table}), mapping="player=who,action=did", cooperate="C:D")
    assert log.trajectories().own.tolist() == [[1], [0]]


def test_metadata_and_arguments_are_conditions(tmp_path):
    log = read_samples(
        tmp_path, intent_sample("a", metadata={"topic": "trade", "persona": "kind", "deep": {"x": 1}})
    )
    assert log.conditions == ["task", "sample", "topic", "sample_persona", "rounds"]


def test_replies_come_from_the_messages_where_their_number_fits(tmp_path):
    talk = []
    for t, letter in enumerate("CCDD", 1):
        parts = [{"type": "reasoning", "reasoning": f"why {t}"}, {"type": "text", "text": f"I play {letter}"}]
        talk += [{"role": "user", "content": f"attachment://h{t}"}, {"role": "assistant", "content": parts}]
    held = {f"h{t}": f"Round {t}?" for t in range(1, 5)}
    log = read_samples(tmp_path, intent_sample("a", messages=talk, attachments=held))
    mine = log.moves[log.moves["seat"] == 1]
    assert mine["reply"].tolist() == ["I play C", "I play C", "I play D", "I play D"]
    assert mine["prompt"].tolist()[2] == "Round 3?"
    assert mine["reasoning"].tolist()[0] == "why 1"
    short = read_samples(tmp_path, intent_sample("a", messages=talk[2:], attachments=held))
    assert "reply" not in short.moves


def test_samples_without_play_are_rejected_with_their_reason(tmp_path):
    broken = sample("b", {}, error={"message": "Timeout\nat line 3"})
    log = read_samples(tmp_path, intent_sample("a"), broken, sample("c", {"notes": [1, 2]}))
    assert len(log) == 1
    assert "ended with Timeout at line 3, expected moves" in log.rejects["reason"][0]
    assert "no table of moves" in log.rejects["reason"][1]


def test_a_log_without_games_says_what_is_expected(tmp_path):
    with pytest.raises(DataError, match="under 'intent'"):
        read_samples(tmp_path, sample("c", {}))


def test_not_a_number_is_no_number(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(log_text([intent_sample("a")]).replace('"payoff": 5', '"payoff": NaN'), encoding="utf-8")
    assert read_log(path, cooperate="C").moves["payoff"].isna().sum() == 1


def test_half_a_surrogate_pair_is_shown(tmp_path):
    log = read_samples(tmp_path, intent_sample("a", metadata={"topic": "x\ud800"}))
    assert log.games["topic"].tolist() == ["x⟨U+D800⟩"]


def test_a_member_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("INTENT_LIMITS", "json_bytes=2000")
    path = write_eval(tmp_path / "x.eval", [intent_sample("a", output="x" * 50_000)])
    with pytest.raises(LimitError, match="more than 2,000 bytes"):
        read_log(path)


@pytest.mark.parametrize("damage", ["checksum", "cut", "no json", "no eval"])
def test_damaged_archives_are_errors_of_one_line(tmp_path, damage):
    path = write_eval(tmp_path / "x.eval", [intent_sample("a")])
    data = bytearray(path.read_bytes())
    if damage == "checksum":
        at = data.rindex(b"PK\x01\x02") + 16
        data[at] ^= 255
    elif damage == "cut":
        data[40:300] = bytes(260)
    else:
        text = b"[1" if damage == "no json" else json.dumps({"eval": 3}).encode()
        data = bytearray(inspect_logs.zstd_archive({"header.json": text}))
    path.write_bytes(bytes(data))
    with pytest.raises(DataError) as stopped:
        read_log(path)
    assert "\n" not in str(stopped.value)


def test_our_own_logs_are_not_taken_for_inspects(tmp_path):
    path = tmp_path / "own.json"
    path.write_text('{"version": 2, "moves": []}\n')
    with pytest.raises(DataError, match=r"intent_log|JSON"):
        read_log(path)
    assert moves("C", "D")[1] == {"round": 1, "seat": 2, "action": "D", "payoff": 5}


def played_sample(name, over=True, rounds=3, **more):
    """A sample as our own tasks leave it."""
    one = play_experiment({"game": "stag-hunt", "rounds": rounds, "model": "scripted/TFT"}).log
    record = written_record(one, over=over)
    record["games"]["game_id"] = name
    return sample(name, {"intent": record}, **more)


def played_log(tmp_path, *samples):
    path = tmp_path / "log.json"
    path.write_text(log_text(samples, metadata={"played_by": "intent"}), encoding="utf-8")
    return path


def test_games_of_our_tasks_are_read_as_they_were(tmp_path):
    log = read_log(played_log(tmp_path, played_sample("g1"), played_sample("g2", rounds=2)))
    assert log.games["game_id"].tolist() == ["g1", "g2"]
    assert log.games["run"].tolist() == ["r1", "r1"]
    assert log.games["rounds_played"].tolist() == [3, 2]
    assert log.seats["strategy"].tolist() == ["TFT"] * 4


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"limit": {"type": "message", "limit": 5}}, "by the limit message"),
        ({"error": {"message": "no answer\nat all"}}, "by no answer"),
        (
            {"error": {"message": "CancelledError('Cancelled via cancel scope 7f')"}},
            "by whoever cancelled the evaluation",
        ),
        ({}, "by the end of the evaluation"),
    ],
)
def test_a_game_that_was_stopped_is_a_reject(tmp_path, more, why):
    path = played_log(tmp_path, played_sample("g1"), played_sample("g2", over=False, **more))
    log = read_log(path)
    assert log.games["game_id"].tolist() == ["g1"]
    assert "was stopped after 3 of 3 rounds" in log.rejects["reason"].iloc[0]
    assert why in log.rejects["reason"].iloc[0]
    with pytest.raises(DataError, match="was stopped"):
        read_log(path, strict=True)


def test_a_damaged_game_of_our_tasks_is_a_reject_or_an_error(tmp_path):
    broken = played_sample("g2")
    broken["store"]["intent"]["moves"][0]["seat"] = 9
    log = read_log(played_log(tmp_path, played_sample("g1"), broken))
    assert "seat 9 is not listed" in log.rejects["reason"].iloc[0]
    other = played_sample("g2")
    other["store"]["intent"]["facts"]["columns"]["games"]["game"] = "boolean"
    with pytest.raises(DataError, match="before it was"):
        read_log(played_log(tmp_path, played_sample("g1"), other))


def test_a_sample_that_was_retried_stands_twice_and_the_last_counts(tmp_path):
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as archive:
        first = {"version": 2, "status": "success", "eval": {**SPEC, "metadata": {"played_by": "intent"}}}
        archive.writestr("header.json", json.dumps(first))
        for over in (False, True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                archive.writestr("samples/g1_epoch_1.json", json.dumps(played_sample("g1", over=over)))
    assert read_log(path).games["game_id"].tolist() == ["g1"]


def test_a_folder_of_logs_is_found_again_by_the_format_that_its_labels_name(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in ("a", "b"):
        write_eval(folder / f"{name}.eval", [intent_sample(name)])
    log = read_log(folder)
    again = read_log(folder, format=log.provenance["format"])
    assert log.provenance["format"] == "inspect"
    assert len(again) == 2
    assert again.moves.equals(log.moves)
