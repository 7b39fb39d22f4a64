"""The key that salts come from: one for each user, drawn once, and never one that others know."""

import os
import subprocess
import sys

import pytest

from intent.arena.entrant import Entrant
from intent.arena.streams import Salt, key_file, user_key
from intent.base.errors import DataError, UsageError
from intent.strategies.catalogue import strategy

FIELD = (Entrant("TFT", automaton=strategy("TFT")),)
posix = pytest.mark.skipif(os.name != "posix", reason="modes of files")
ASK = "from intent.arena.streams import user_key; k = user_key(); print(k.secret.hex(), k.unkept)"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


@posix
def test_it_is_drawn_once_and_is_private(home):
    first = user_key()
    assert user_key() == first
    assert not first.unkept
    assert len(first.secret) == 32
    assert key_file().stat().st_mode & 0o777 == 0o600
    assert key_file().parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in key_file().parent.iterdir()] == ["arena.key"]


def test_processes_that_begin_together_get_the_same(home):
    many = [subprocess.Popen([sys.executable, "-c", ASK], stdout=subprocess.PIPE) for _ in range(6)]
    assert len({one.communicate()[0] for one in many}) == 1


@pytest.mark.parametrize("text", ["", "7e" * 31, "7e" * 33, "no key", "\0" * 64, "é" * 64])
def test_a_broken_key_is_refused_in_one_line(home, text):
    user_key()
    key_file().write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"arena\.key: no key of 32 bytes in hexadecimal; delete it") as error:
        user_key()
    assert "\n" not in str(error.value)


@posix
def test_a_key_that_others_may_read_is_refused(home):
    user_key()
    key_file().chmod(0o644)
    with pytest.raises(DataError, match=r"others may read this key \(mode 0644, expected 0600\)"):
        user_key()


@posix
def test_a_key_that_is_elsewhere_is_refused(home, tmp_path):
    user_key()
    key_file().rename(tmp_path / "theirs")
    key_file().symlink_to(tmp_path / "theirs")
    with pytest.raises(DataError, match="a link, expected a file"):
        user_key()


@posix
def test_a_folder_that_others_may_enter_is_closed(home):
    user_key()
    key_file().parent.chmod(0o777)
    user_key()
    assert key_file().parent.stat().st_mode & 0o777 == 0o700


def test_where_it_cannot_be_kept_the_salt_says_so(home):
    (home / "intent").write_text("a file in the way")
    salt = Salt.of_field(FIELD, 0)
    assert salt == Salt.of_field(FIELD, 0)
    assert salt.replay.startswith(f"only --salt {salt.hex} plays the same matches again: ")
    assert "arena.key cannot be kept" in salt.replay
    assert "XDG_STATE_HOME=FOLDER" in salt.replay
    assert "\n" not in salt.replay


def test_a_home_that_is_not_there_is_not_made(monkeypatch, tmp_path):
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    assert key_file() is None
    assert "no home folder" in user_key().unkept
    assert not list(tmp_path.iterdir())


def test_a_relative_state_home_counts_as_none(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert key_file() == tmp_path / ".local" / "state" / "intent" / "arena.key"


@pytest.mark.parametrize("text", ["", "12", "x" * 64, "7e" * 33])
def test_a_salt_that_is_none_is_refused(text):
    with pytest.raises(UsageError, match="expected 64 hexadecimal digits"):
        Salt.from_hex(text)


def test_a_salt_is_read_as_it_is_told():
    salt = Salt.of_field(FIELD, 3)
    again = Salt.from_hex(salt.hex)
    assert again.secret == salt.secret
    assert salt.hex in again.replay
    assert salt.hex not in repr(salt)
