"""``--map FILE.yaml`` from untrusted hands."""

from __future__ import annotations

import pytest

from intent.base.errors import DataError, LimitError
from intent.logs.readers.reader import parse_mapping

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcdefg", "bcdefgh", strict=True)
)


def mapping(tmp_path, text):
    (tmp_path / "m.yaml").write_bytes(text.encode())
    return parse_mapping(str(tmp_path / "m.yaml"))


def test_every_value_is_the_text_of_a_column(tmp_path):
    text = (
        "player: 2020-01-01\nround: 007\ngame: yes\naction: " + "9" * 5000 + "\nby: [1.50, no, 2020-01-02]\n"
    )
    found = mapping(tmp_path, text)
    assert found == {
        "player": "2020-01-01",
        "round": "007",
        "game": "yes",
        "action": "9" * 5000,
        "by": "1.50+no+2020-01-02",
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("player: [a]", "m.yaml line 1: player is"),
        ("player:\n", "m.yaml line 1: player is"),
        ("by: [[a]]", "m.yaml line 1: by is"),
        ("- a", "m.yaml: holds a list"),
        ("player: !!python/name:os.system ''", "m.yaml line 1: not readable as YAML"),
        ("player: a\nplayer: b", "m.yaml line 2: key 'player' stands there twice"),
        ("a: &a [*a]", "m.yaml line 1: an alias that holds itself"),
        ("player: a\0", "m.yaml line 1: binary data"),
    ],
)
def test_what_is_no_mapping_is_one_line(tmp_path, text, says):
    with pytest.raises(DataError, match=f"^{says}".replace("[", r"\[")):
        mapping(tmp_path, text)


def test_an_alias_bomb_is_refused(tmp_path):
    with pytest.raises(LimitError, match=r"m\.yaml.*more than 100,000 values"):
        mapping(tmp_path, BOMB)
