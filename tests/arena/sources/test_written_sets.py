"""A set that is written down is one that is read back, whatever its words say."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategy_files import BUSY

from intent.arena.entrant import Entrant
from intent.arena.sources.gate import gate
from intent.arena.sources.parser import MAX_WORDS, clean_words, comment, words_of
from intent.arena.sources.reader import read_strategies
from intent.arena.sources.writer import manifest_path, read_manifest, set_text, write_set
from intent.base.errors import DataError, OutputError, StrategyError
from intent.strategies.catalogue import strategy

ALWAYS = "def strategy(self, opponent):\n    return axl.Action.C\n"
HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "\n\r\t\x0b\x0c\x00\x1b\x1c\x1d\x1e\x85\u2028\u2029\ufeff\u202e #'\"\\:\N{NO-BREAK SPACE}"
        ),
    ),
    max_size=300,
)


def entrants() -> tuple[Entrant, ...]:
    return (
        Entrant(
            "Aggressive_2", gate(BUSY), group="Aggressive", words="One.\n\n- two\n  - three", game="classic"
        ),
        Entrant("a/b c", ALWAYS, group="mixed", turns=10, noise=0.1, scored=False),
        Entrant("if", ALWAYS),
    )


def back(path: Path) -> tuple[Entrant, ...]:
    found = read_strategies([path])
    assert not found.failed
    return tuple(replace(e, origin="") for e in found.entrants)


def test_read_of_write_is_the_set(tmp_path: Path) -> None:
    path = write_set(
        tmp_path / "set.py",
        entrants(),
        facts={"model": "m", "strategies": {"if": {"attempt": 4}}},
        title="A set",
        ranks={"Aggressive": ["Aggressive_2", "if"]},
    )
    assert back(path) == entrants()
    assert read_strategies([path]).files[0].ranks == {"Aggressive": ("Aggressive_2", "if")}
    manifest = read_manifest(path)
    assert (manifest["file"], manifest["model"]) == ("set.py", "m")
    assert manifest["strategies"][2] == {
        "name": "if",
        "attitude": None,
        "digest": entrants()[2].digest,
        "attempt": 4,
    }


def test_a_game_is_the_one_that_its_author_meant(tmp_path: Path) -> None:
    ours = write_set(tmp_path / "ours.py", [Entrant("kind", ALWAYS, game="chicken")], facts={})
    assert back(ours)[0].game == "chicken"
    theirs = tmp_path / "theirs.py"
    theirs.write_text(ours.read_text().split("\n", 1)[1])
    assert back(theirs)[0].game == "chicken-t4"


@given(words=HOSTILE, title=HOSTILE, name=HOSTILE, group=HOSTILE)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_untrusted_words_stay_comments(tmp_path: Path, words: str, title: str, name: str, group: str) -> None:
    hostile = Entrant(name, ALWAYS, words=words, group=group or None, game=group or None)
    text = set_text((hostile, Entrant("other one", ALWAYS, words="- x\n  - y")), title=title)
    text.encode("utf8")
    tree = ast.parse(text)
    classes = [s for s in tree.body if isinstance(s, ast.ClassDef)]
    assert len(classes) == 3
    assert len(tree.body) == 4
    path = tmp_path / "hostile.py"
    path.write_text(text, "utf8", newline="\n")
    found = read_strategies([path])
    assert [(e.words, e.source) for e in found.entrants] == [
        (clean_words(words), ALWAYS),
        ("- x\n  - y", ALWAYS),
    ]


@given(HOSTILE)
def test_words_are_the_same_after_comments(words: str) -> None:
    lines = comment(words)
    assert all(line.startswith("#") and len(line.split("\n")) == 1 for line in lines)
    assert words_of(lines, exact=True) == clean_words(words) == clean_words(clean_words(words))


@given(st.text("ab cd\n", max_size=400))
def test_comments_are_wrapped(words: str) -> None:
    assert all(len(line) <= 80 or " " not in line[4:].strip() for line in comment(words))


def test_long_words_are_cut() -> None:
    assert len(clean_words("word " * MAX_WORDS)) <= MAX_WORDS


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(StrategyError, match="automaton"):
        set_text([Entrant("TFT", automaton=strategy("TFT"))])
    with pytest.raises(StrategyError, match="line 2: name open"):
        set_text([Entrant("x", "def strategy(self, opponent):\n    x = open('f')\n    return axl.Action.C")])
    with pytest.raises(StrategyError, match="two strategies named"):
        set_text([entrants()[2]] * 2)
    with pytest.raises(StrategyError, match="ranks of"):
        set_text([entrants()[2]], ranks={"x = 1; y": ["if"]})
    with pytest.raises(OutputError, match=r"expected \.py"):
        write_set(tmp_path / "set.txt", entrants(), facts={})
    path = write_set(tmp_path / "set.py", entrants(), facts={})
    with pytest.raises(OutputError, match="exists"):
        write_set(path, entrants(), facts={})
    write_set(path, entrants(), facts={}, overwrite=True)


def test_what_is_no_manifest(tmp_path: Path) -> None:
    path = tmp_path / "set.py"
    with pytest.raises(DataError, match="expected a manifest"):
        read_manifest(path)
    for text, said in (
        ("{", "no JSON"),
        ("[]", "no JSON object, expected a manifest"),
        ('{"format": "intent-strategies"}', "version"),
    ):
        manifest_path(path).write_text(text)
        with pytest.raises(DataError, match=said):
            read_manifest(path)
    assert json.loads("{}") == {}
