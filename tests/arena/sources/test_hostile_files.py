"""Files whose makers mean harm: nothing is lost but what is theirs, and nothing takes long or much."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.arena.sources.gate import gate, problems
from intent.arena.sources.parser import MAX_WORDS, words_of
from intent.arena.sources.reader import read_strategies, strategies_in
from intent.base.errors import DataError, StrategyError

FINE = "def fine(self, opponent):\n    return axl.Action.C\n"
HUGE = "0x" + "f" * 6_000


@pytest.mark.parametrize(
    ("default", "shown"), [("-" * 1_500 + "1", "..."), ("a" + ".a" * 1_500, "..."), (HUGE, "...")]
)
def test_what_cannot_be_written_down_is_refused_alone(tmp_path: Path, default: str, shown: str) -> None:
    (tmp_path / "set.py").write_text(f"def bad(self, opponent, x={default}): pass\n{FINE}")
    found = read_strategies([tmp_path])
    assert [e.name for e in found.entrants] == ["fine"]
    assert found.failed[0].reason == f"takes ({shown}), expected (self, opponent)"


@pytest.mark.parametrize("line", [f"return {HUGE}", f"opponent.x[{HUGE}] = 1", f"x = {HUGE}j"])
def test_a_number_too_long_to_print_is_a_reason(line: str) -> None:
    source = f"def strategy(self, opponent):\n    {line}\n    return axl.Action.C\n"
    with pytest.raises(StrategyError):
        gate(source)
    assert all(len(said) < 200 for said in problems(source))


def test_huge_facts_are_none(tmp_path: Path) -> None:
    facts = "".join(f"    {name} = {HUGE}\n" for name in ("name", "rounds", "noise", "attitude", "game"))
    method = "    def strategy(self, opponent):\n        return axl.Action.C\n"
    (tmp_path / "set.py").write_text(f"class A(P):\n{facts}{method}")
    (one,) = read_strategies([tmp_path]).entrants
    assert (one.name, one.turns, one.noise, one.group, one.game) == ("A", None, None, None, None)


@pytest.mark.parametrize("game", [r"\x1b[2J", "x" * 81, r"a\nb"])
def test_a_game_that_is_no_name_is_none(game: str) -> None:
    method = "    def strategy(self, opponent):\n        return axl.Action.C\n"
    (one,), _ = strategies_in(f'class A(P):\n    game = "{game}"\n{method}', Path("set.py"))
    assert one.entrant is not None
    assert one.entrant.game is None


def test_lines_without_end_above_a_strategy() -> None:
    (one,), _ = strategies_in("x = 1\n" + "\n" * 200_000 + FINE, Path("set.py"))
    assert (one.name, one.origin) == ("fine", "set.py line 200002")


@pytest.mark.parametrize("exact", [True, False])
def test_comments_without_end_are_cut(exact: bool) -> None:
    lines = ["#   aaaaaa"] * 200_000
    words = words_of(lines, exact=exact)
    assert MAX_WORDS - 1 <= len(words) <= MAX_WORDS
    assert words.endswith("…")
    kept = ["# " + "a" * 999] * 19
    assert "…" not in words_of(kept, exact=exact)


def test_a_file_of_too_many_parts_is_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "many.py").write_text("0\n" * 300_001)
    (tmp_path / "set.py").write_text(FINE)
    found = read_strategies([tmp_path])
    assert [e.name for e in found.entrants] == ["fine"]
    assert "more than 600,000 words and signs" in found.failed[0].reason


@pytest.mark.parametrize("name", [b"\x1b[31mred.py", b"two\nlines.py", b"no\xfftext.py"])
def test_names_of_files_are_printable(tmp_path: Path, name: bytes) -> None:
    folder = bytes(tmp_path)
    with open(folder + b"/" + name, "w") as file:
        file.write("def strategy(self, opponent):\n    return axl.Action.C\ndef b(self, opponent): pass\n")
    found = read_strategies([tmp_path])
    (one,), (lost,) = found.entrants, found.failed
    said = (one.name, one.origin, lost.name, lost.origin, lost.path, found.files[0].path)
    assert all(text.isprintable() for text in said)
    assert "\N{REPLACEMENT CHARACTER}" in one.name


def test_a_path_that_cannot_be_is_an_error() -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_strategies(["x" * 300])
    with pytest.raises(DataError, match="cannot be read"):
        read_strategies(["a\0b"])
