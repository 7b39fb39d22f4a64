"""Archives through the door."""

from __future__ import annotations

import zipfile

import pytest
from inspect_logs import intent_sample, write_eval, zstd_archive

from intent import read_log
from intent.base.binary import Archive, write_zip
from intent.base.errors import DataError, LimitError


def test_members_are_read_whatever_packs_them(tmp_path):
    write_zip(tmp_path / "x.zip", {"a": b"1" * 100, "b": b""}, packed=True)
    for source in (
        tmp_path / "x.zip",
        (tmp_path / "x.zip").read_bytes(),
        zstd_archive({"a": b"1" * 100, "b": b""}),
    ):
        with Archive(source) as archive:
            assert {name: archive.read(name) for name in archive.names} == {"a": b"1" * 100, "b": b""}


def test_what_all_members_unpack_to_is_bounded_together(tmp_path, monkeypatch):
    monkeypatch.setenv("INTENT_LIMITS", "unpacked_bytes=250")
    write_zip(tmp_path / "x.zip", dict.fromkeys("abc", b"1" * 100), packed=True)
    with pytest.raises(LimitError, match=r"x\.zip: its members unpack to 300 bytes, expected at most 250"):
        Archive(tmp_path / "x.zip")


def test_a_member_that_says_less_than_it_holds_is_not_unpacked():
    data = zstd_archive({"a": b" " * 10_000_000})
    at = data.rindex(b"PK\x01\x02") + 24
    archive = Archive(data[:at] + b"\x05\0\0\0" + data[at + 4 :])
    with archive, pytest.raises(DataError, match="a unpacks to another size than the archive says"):
        archive.read("a")


def test_an_archive_is_opened_once_for_all_its_samples(tmp_path, monkeypatch):
    opened = []
    whole = zipfile.ZipFile.__init__
    monkeypatch.setattr(
        zipfile.ZipFile, "__init__", lambda self, *a, **k: (opened.append(1), whole(self, *a, **k))[1]
    )
    for n in (5, 20):
        opened.clear()
        assert (
            len(read_log(write_eval(tmp_path / f"{n}.eval", [intent_sample(str(i)) for i in range(n)]))) == n
        )
        assert len(opened) <= 3
