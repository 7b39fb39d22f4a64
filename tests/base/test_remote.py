"""Addresses of object storage: what they are, and what is refused before anybody is contacted."""

from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path

import pytest

from intent.base.errors import MissingExtraError, UsageError
from intent.base.files import is_remote, path_of, remote, require_file
from intent.base.masking import redact
from intent.base.outputs import claim
from intent.base.remote import RemotePath
from intent.recognise.labels.request import LabelRequest


@pytest.mark.parametrize(
    "said", ["s3://bucket/a/b.parquet", Path("s3://bucket/a/b.parquet"), "s3a://bucket/a//b.parquet"]
)
def test_an_address_is_a_path(said):
    path = path_of(said)
    assert isinstance(path, RemotePath)
    assert (str(path), path.key, path.name, path.suffix) == (
        "s3://bucket/a/b.parquet",
        "bucket/a/b.parquet",
        "b.parquet",
        ".parquet",
    )
    assert str(path.parent / "c") == "s3://bucket/a/c"
    assert path.with_name("d").key == "bucket/a/d"
    assert path_of(path) is path
    for again in (copy.deepcopy(path), pickle.loads(pickle.dumps(path))):  # noqa: S301 - our own bytes
        assert isinstance(again, RemotePath)
        assert again == path


@pytest.mark.parametrize(
    "said", ["games", "./s3/x", "C:/games", "a:b/c", Path("/tmp/s3:/x"), "openai/x@http://h:1/v1"]
)
def test_other_paths_are_of_this_machine(said):
    assert not is_remote(said)
    assert type(path_of(said)) is type(Path())


def test_settings_of_a_job_become_paths_and_servers_stay_texts():
    request = LabelRequest(log="s3://bucket/games", output=Path("s3://bucket/labels.parquet"))
    assert isinstance(request.log, RemotePath)
    assert str(request.output) == "s3://bucket/labels.parquet"
    assert remote("http://127.0.0.1:5000") == "http://127.0.0.1:5000"


SECRETS = [
    "s3://AKIAABCDEFGH:VerySecretKey1234@bucket/games",
    Path("s3://AKIAABCDEFGH:VerySecretKey1234@bucket/games"),
    "s3://VerySecretKey1234@bucket/games",
    "s3://bucket/games?X-Amz-Signature=VerySecretKey1234&X-Amz-Credential=AKIAABCDEFGH",
    "https://user:VerySecretKey1234@host/games.parquet",
    "gs://user:VerySecretKey1234@bucket/x",
]


@pytest.mark.parametrize("said", SECRETS)
def test_no_key_of_an_address_is_said(said):
    with pytest.raises(UsageError, match="an address with a user, key or query in it") as caught:
        path_of(said)
    assert "VerySecret" not in str(caught.value)
    assert "AKIA" not in str(caught.value)
    assert "VerySecretKey1234" not in redact("a library says VerySecretKey1234 again")
    if str(said).startswith("s3"):
        with pytest.raises(UsageError, match="an address with a user"):
            LabelRequest(log=said)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("gs://bucket/x", r"gs://bucket/x: expected a path of this machine, or s3://BUCKET/"),
        ("https://host/x.csv", "expected a path of this machine"),
        ("s3://", "expected s3://BUCKET/KEY"),
        ("s3://bucket/../x", "expected s3://BUCKET/KEY"),
        ("s3://bucket/*.parquet", "without patterns"),
    ],
)
def test_what_is_no_place_is_a_line(said, words):
    with pytest.raises(UsageError, match=words):
        path_of(said)


def test_a_missing_library_says_what_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    for use in (require_file, claim):
        with pytest.raises(MissingExtraError) as caught:
            use("s3://bucket/x")
        assert str(caught.value).endswith("is not installed; run: pip install 'strategy-intent[cloud]'")
