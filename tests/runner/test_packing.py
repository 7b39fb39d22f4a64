"""Packed texts: the same again, small where alike, refused where damaged."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import RunError
from intent.runner import store
from intent.runner.store import pack, unpack

TEXTS = st.none() | st.text(st.characters(codec=None), max_size=400)


@given(TEXTS, st.none() | st.binary(min_size=1, max_size=400))
def test_texts_come_back(text, base):
    assert unpack(pack(text, base), base) == text


def test_like_texts_take_little_room():
    first, second = ("x".join(map(str, range(500))) + end for end in ("one", "two"))
    assert len(pack(second, first.encode())) < 40 < len(pack(second)) / 10


@pytest.mark.parametrize(
    "kept", [b"nonsense", 3, zlib.compress(b"cut short" * 99)[:-4], zlib.compress(b"\xff")]
)
def test_damage_is_told(kept):
    with pytest.raises(RunError):
        unpack(kept)


def test_a_bomb_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(store, "LIMIT_TEXT", 1000)
    with pytest.raises(RunError, match="longer than"):
        unpack(zlib.compress(b"0" * 10_000))
