"""Logs, labels and tables on object storage are those on disk; what goes wrong is a line without a key."""

from __future__ import annotations

import json
import logging

import pandas as pd
import pyarrow.parquet as pq
import pytest

import intent
from intent.base import remote
from intent.base.errors import DataError, IntentError, OutputError, UsageError
from intent.base.files import path_of
from intent.base.outputs import claim
from intent.base.tables import read_table
from intent.comparison.compare import compare
from intent.estimate.sfem import sfem
from intent.logs.readers.reader import read_log
from intent.logs.reading import log_behind
from intent.logs.stores import write_log
from intent.play.dataset import make_spec
from intent.play.generate import generate_to
from intent.recognise.labels.label import label_to
from tests.object_storage import KEY, SECRET, bucket_server, refusing_server, use

SPEC = make_spec({"n": 600, "seed": 4})


@pytest.fixture(scope="module")
def server():
    with bucket_server() as address:
        yield address


@pytest.fixture
def bucket(server, monkeypatch):
    use(monkeypatch, server)
    import fsspec

    files = fsspec.filesystem("s3", use_listings_cache=False)
    yield files
    for name in files.find("bucket"):
        files.rm(name)


@pytest.mark.parametrize(("form", "name"), [("compact", "games.parquet"), ("tables", "games")])
def test_labels_there_are_those_here(bucket, tmp_path, form, name):
    generate_to(tmp_path / name, SPEC, form=form)
    generate_to(f"s3://bucket/{name}", SPEC, form=form)
    here = label_to(tmp_path / name, tmp_path / "labels.parquet", piece=100)
    there = label_to(f"s3://bucket/{name}", "s3://bucket/labels.parquet", piece=100)
    assert there.summary == here.summary
    pd.testing.assert_frame_equal(read_table("s3://bucket/labels.parquet")[0], here.table())
    _, facts = read_table("s3://bucket/labels.parquet")
    assert facts["log"]["source"] == f"s3://bucket/{name}"
    assert facts["log"]["sha256"] is None
    assert len(facts["log"]["listing_sha256"]) == 64


def test_parts_of_a_compact_log_are_read_piece_by_piece(bucket, tmp_path):
    generate_to(tmp_path / "whole.parquet", make_spec({"n": 120, "seed": 2}), form="compact")
    whole = pq.read_table(tmp_path / "whole.parquet")
    for number in range(3):
        pq.write_table(whole.slice(80 * number, 80), tmp_path / f"{number}.parquet")
        bucket.put_file(str(tmp_path / f"{number}.parquet"), f"bucket/parts/{number}.parquet")
    labels = label_to("s3://bucket/parts", None, piece=10)
    assert labels.summary["n"] == 120


def test_a_log_read_at_once_is_the_log(bucket, tmp_path):
    log = intent.generate("TFT,ALLD", 20, seed=3)
    write_log(log, "s3://bucket/log")
    again = read_log("s3://bucket/log")
    pd.testing.assert_frame_equal(again.moves, read_log(write_log(log, tmp_path / "log")).moves)
    assert intent.label("s3://bucket/log", per="game").shape[0] == 20


def test_estimates_and_comparisons_read_it(bucket):
    generate_to("s3://bucket/games.parquet", SPEC, form="compact")
    label_to("s3://bucket/games.parquet", "s3://bucket/labels.parquet")
    assert sfem("s3://bucket/games.parquet", bootstrap=5).groups
    compared = compare("s3://bucket/labels.parquet", by=["strategy"], count="status")
    assert len(compared.fields()["groups"]) == 4


def test_what_is_there_is_not_replaced_unless_asked(bucket):
    spec = make_spec({"n": 8, "seed": 1})
    generate_to("s3://bucket/log", spec)
    with pytest.raises(OutputError, match="s3://bucket/log exists; choose another path or give --overwrite"):
        generate_to("s3://bucket/log", spec)
    bucket.pipe("bucket/log/stray.parquet", b"old")
    generate_to("s3://bucket/log", make_spec({"n": 12, "seed": 1}), overwrite=True)
    assert len(read_log("s3://bucket/log").games) == 12
    assert not bucket.exists("bucket/log/stray.parquet")
    bucket.pipe("bucket/theirs/x.txt", b"somebody's")
    with pytest.raises(OutputError, match="it is not ours"):
        generate_to("s3://bucket/theirs", spec, overwrite=True)


def test_an_interrupted_command_leaves_nothing(bucket):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate_to("s3://bucket/log", SPEC, update=stop)
    generate_to("s3://bucket/games.parquet", SPEC, form="compact")
    with pytest.raises(KeyboardInterrupt):
        label_to("s3://bucket/games.parquet", "s3://bucket/labels.parquet", update=stop)
    assert bucket.find("bucket") == ["bucket/games.parquet"]


@pytest.mark.parametrize(
    ("job", "words"),
    [
        (lambda: intent.label("s3://nowhere/games"), "no such bucket: nowhere"),
        (lambda: intent.label("s3://bucket/games"), "no such file: s3://bucket/games"),
        (
            lambda: generate_to("s3://nowhere/log", SPEC),
            "cannot write s3://nowhere/log: no such bucket: nowhere",
        ),
    ],
)
def test_missing_places_are_a_line(bucket, job, words):
    with pytest.raises((DataError, OutputError), match=words):
        job()


def test_what_is_not_supported_is_a_line(bucket, tmp_path):
    bucket.pipe("bucket/games.csv", b"a,b\n1,2\n")
    bucket.pipe("bucket/folder/x.csv", b"a,b\n1,2\n")
    for place in ("games.csv", "folder"):
        with pytest.raises(UsageError, match="must be on this machine; from object storage are read compact"):
            read_log(f"s3://bucket/{place}")
    with pytest.raises(OutputError, match="a folder to write into must be on this machine"):
        claim("s3://bucket/figures", into=True)
    experiment = {"name": "x", "model": "scripted/uniform", "rounds": 2}
    with pytest.raises(IntentError, match="must be on this machine"):
        intent.play_experiment(experiment, "s3://bucket/run")


def test_a_damaged_file_is_a_line(bucket):
    bucket.pipe("bucket/games.parquet", b"PAR1" + b"x" * 100)
    with pytest.raises(DataError, match=r"games\.parquet"):
        intent.label("s3://bucket/games.parquet")


def test_denied_and_without_keys_and_unreachable(monkeypatch, server, tmp_path):
    with refusing_server() as address:
        use(monkeypatch, address)
        with pytest.raises(DataError, match="cannot read s3://bucket/games: denied"):
            intent.label("s3://bucket/games")
        with pytest.raises(OutputError, match="cannot write s3://bucket/log: denied"):
            generate_to("s3://bucket/log", SPEC)
    monkeypatch.setenv("HOME", str(tmp_path))
    use(monkeypatch, server, keys=False)
    with pytest.raises(DataError, match="no keys; set AWS_ACCESS_KEY_ID"):
        intent.label("s3://bucket/games")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    use(monkeypatch, "http://127.0.0.1:9")
    with pytest.raises(DataError, match="nobody answers at the address of the storage"):
        intent.label("s3://bucket/games")


def test_no_key_is_written_anywhere(bucket, caplog, capfd):
    with caplog.at_level(logging.DEBUG, logger="intent"):
        generate_to("s3://bucket/games.parquet", make_spec({"n": 8, "seed": 1}), form="compact")
        label_to("s3://bucket/games.parquet", "s3://bucket/labels.parquet")
    out = capfd.readouterr()
    written = [bucket.cat(name) for name in bucket.find("bucket")]
    texts = [out.out, out.err, *(record.getMessage() for record in caplog.records)]
    texts += [blob.decode("latin-1") for blob in written] + [
        json.dumps(read_table("s3://bucket/labels.parquet")[1])
    ]
    assert not any(key in text for key in (KEY, SECRET) for text in texts)


def test_who_is_contacted_is_said_first(bucket, caplog, server):
    remote.forget()
    with caplog.at_level(logging.INFO, logger="intent.contacts"):
        assert not path_of("s3://bucket/none").exists()
    assert caplog.messages == [f"contacts {server.removeprefix('http://')} (object storage, bucket bucket)"]


def test_a_log_there_is_followed_from_its_own_bucket_only(bucket, tmp_path, caplog):
    """A table of a stranger may name any address: nobody is contacted for it."""
    generate_to("s3://bucket/games", make_spec({"n": 8, "seed": 1}))
    label_to("s3://bucket/games", "s3://bucket/labels.parquet")
    facts = read_table("s3://bucket/labels.parquet")[1]
    assert log_behind(facts, beside=path_of("s3://bucket/labels.parquet")).log is not None
    remote.forget()
    with caplog.at_level(logging.INFO, logger="intent.contacts"):
        behind = log_behind(facts, beside=tmp_path / "labels.parquet")
        assert "say which with --log s3://" in behind.why
        elsewhere = {**facts, "log": {**facts["log"], "source": "s3://another/games"}}
        assert log_behind(elsewhere, beside=path_of("s3://bucket/labels.parquet")).log is None
    assert not caplog.messages
    changed = {**facts, "log": {**facts["log"], "listing_sha256": "0" * 64}}
    assert "is not the log" in log_behind(changed, beside=path_of("s3://bucket/labels.parquet")).why


def test_processes_read_it_too(bucket):
    generate_to("s3://bucket/games", SPEC)
    one = label_to("s3://bucket/games", "s3://bucket/one.parquet", piece=100)
    two = label_to("s3://bucket/games", "s3://bucket/two.parquet", piece=100, workers=2)
    assert one.summary == two.summary
    assert bucket.cat("bucket/one.parquet") == bucket.cat("bucket/two.parquet")
