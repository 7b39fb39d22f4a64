"""Files of strategies are read as they are published, as bare functions, and in pieces where broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from strategy_files import BUSY, PUBLISHED, published

from intent.arena.sources.gate import gate
from intent.arena.sources.reader import MAX_FILE, StrategySet, read_strategies
from intent.base.errors import DataError, LimitError

C = "    return axl.Action.C\n"


def read(folder: Path, **files: str) -> StrategySet:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, "utf8")
    return read_strategies([folder / f"{name}.py" for name in files])


def test_the_published_format(tmp_path: Path) -> None:
    found = read(tmp_path, published_set=PUBLISHED)
    first, busy, noisy = found.entrants
    assert not found.failed
    assert (first.name, first.group, first.game, first.turns, first.noise) == (
        "Aggressive_1",
        "Aggressive",
        "classic",
        1000,
        0.0,
    )
    assert first.words == (
        "Strike first and do the opposite of what the other did, so that it never knows where it stands.\n\n"
        "1. Begin with D.\n2. Then flip."
    )
    line = next(i for i, text in enumerate(PUBLISHED.split("\n"), 1) if text.startswith("class Aggressive_1"))
    assert first.origin == f"published_set.py line {line}"
    assert first.source.startswith("def strategy(self, opponent):\n    if not self.history:\n")
    assert busy.source == gate(BUSY)
    assert busy.draws
    assert (noisy.noise, noisy.scored) == (0.1, True)
    (facts,) = found.files
    assert (facts.n, facts.ok) == (3, 3)
    assert facts.ranks == {"Aggressive": ("Aggressive_1",), "Neutral": ("Neutral_1",)}


def test_functions_and_classes_of_others(tmp_path: Path) -> None:
    text = (
        "from axelrod.action import Action\n\nC, D = Action.C, Action.D\n\n"
        "# Kind.\ndef kind(self, opponent):\n    return C\n\n"
        f"def strategy(self, opponent):\n    '''The file's own.'''\n{C}\n"
        "def helper(x):\n    return x\n\n"
        "class Tough(Player):\n    '''Never gives in.'''\n    name = 'Tough one'\n"
        "    attitude = 'aggressive'\n"
        "    classifier = {'stochastic': False}\n\n    def strategy(self, opponent: Player) -> Action:\n"
        "        return D\n\n"
        "class Neutral_9(LLM_Strategy):\n    def strategy(self, other):\n        return other.history[-1]\n"
    )
    kind, own, tough, neutral = read(tmp_path, mine=text).entrants
    assert (kind.name, kind.words, kind.source) == ("kind", "Kind.", "def strategy(self, opponent):\n" + C)
    assert (own.name, own.words) == ("mine", "The file's own.")
    assert (tough.name, tough.group, tough.words, tough.scored) == (
        "Tough one",
        "Aggressive",
        "Never gives in.",
        False,
    )
    assert (neutral.group, neutral.scored) == ("Neutral", True)
    assert "return opponent.history[-1]" in neutral.source


def test_each_refusal_has_its_reason_and_loses_no_other(tmp_path: Path) -> None:
    text = (
        "class A(P):\n  def __init__(self): pass\n  def strategy(self, opponent): return axl.Action.C\n"
        "class B(P):\n  threshold = 3\n  def strategy(self, opponent):\n"
        "    return axl.Action.C if self.threshold else axl.Action.D\n"
        "class E(P):\n  x = 1\n"
        "class F(P):\n  def strategy(self, opponent):\n    import os\n    return os.getcwd()\n"
        f"def late(history):\n{C}"
        f"def good(self, opponent):\n{C}"
        f"def good(self, opponent):\n{C}"
    )
    found = read(tmp_path, bad=text)
    assert [e.name for e in found.entrants] == ["good"]
    reasons = {f.name: f.reason for f in found.failed}
    assert "line 13: os.getcwd is not there" in reasons.pop("F")
    assert reasons == {
        "A": "methods besides strategy: __init__; expected strategy alone",
        "B": "reads threshold of the class; expected attributes set in strategy",
        "E": "no method strategy(self, opponent)",
        "late": "takes (history), expected (self, opponent)",
        "good (2)": "a second strategy of this name in bad.py",
    }


def test_a_broken_class_is_left_out_alone(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        cut=PUBLISHED
        + "\n\nclass Neutral_2(LLM_Strategy):\n  def strategy(self,\n\n\n"
        + published("Neutral_3", "NEUTRAL", "return axl.Action.C", words="After the break."),
    )
    (broken,) = found.failed
    line = int(broken.origin.rpartition(" ")[2])
    assert (broken.name, broken.reason.partition(":")[0]) == ("Neutral_2", f"line {line + 1}")
    assert [e.name for e in found.entrants][-1] == "Neutral_3"
    assert found.entrants[-1].words == "After the break."
    assert found.entrants[0] == read(tmp_path, cut=PUBLISHED).entrants[0]


def test_stems_go_in_front_only_where_names_clash(tmp_path: Path) -> None:
    one = f"def same(self, opponent):\n{C}\ndef mine(self, opponent):\n{C}\nX_ranks = ['same', 'mine']\n"
    found = read(tmp_path, a=one, b=f"def same(self, opponent):\n{C}")
    assert [e.name for e in found.entrants] == ["a/same", "mine", "b/same"]
    assert found.files[0].ranks == {"X": ("a/same", "mine")}
    assert [e.name for e in read_strategies([tmp_path]).entrants] == ["a/same", "mine", "b/same"]
    assert len(read_strategies([tmp_path, tmp_path / "a.py"]).entrants) == 3


def test_stems_of_two_folders(tmp_path: Path) -> None:
    for folder in ("p", "q"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text(f"def same(self, opponent):\n{C}")
    found = read_strategies([tmp_path / "p", tmp_path / "q"])
    assert [e.name for e in found.entrants] == ["p/a/same", "q/a/same"]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\xff\xfe\x00", "no UTF-8 at byte 0"),
        (b"x = (", "line 1: no Python"),
        (b"x = 1\0", "null bytes"),
        (b"x = " + b"-" * 100_000 + b"1", "nested too deeply"),
        (b"#" * (MAX_FILE + 1), "more than 4 MB"),
    ],
)
def test_a_file_that_cannot_be_read_loses_no_other(tmp_path: Path, raw: bytes, reason: str) -> None:
    (tmp_path / "bad.py").write_bytes(raw)
    (tmp_path / "good.py").write_text(f"def fine(self, opponent):\n{C}")
    found = read_strategies([tmp_path])
    (failed,) = found.failed
    assert (failed.name, [e.name for e in found.entrants]) == ("bad", ["fine"])
    assert reason in failed.reason
    assert "\n" not in failed.reason


def test_deep_code_fails_alone(tmp_path: Path) -> None:
    deep = "def deep(self, opponent):\n    return " + "not " * 500 + "axl.Action.C\n"
    found = read(tmp_path, deep=deep + f"def fine(self, opponent):\n{C}")
    assert [e.name for e in found.entrants] == ["fine"]
    assert "levels deep" in found.failed[0].reason


def test_bounds_and_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read_strategies([tmp_path / "none.py"])
    with pytest.raises(DataError, match=r"no \.py file"):
        read_strategies([tmp_path])
    with pytest.raises(DataError, match=r"no strategy in empty\.py"):
        read(tmp_path, empty="x = 1\n")
    half = "".join(f"def s{i}(self, opponent):\n{C}" for i in range(3))
    assert len(read(tmp_path, half=half).entrants) == 3
    many = "".join(f"def s{i}(self, opponent):\n{C}" for i in range(2_001))
    with pytest.raises(LimitError, match=r"more than 2,000 strategies"):
        read(tmp_path, many=many)


def test_what_was_mended_is_said(tmp_path):
    (tmp_path / "a.py").write_text("def as_is(self, opponent):\n    return axl.Action.C\n")
    (tmp_path / "b.py").write_text("def slip(self, opponent):\n    import os\n    return axl.Action.C\n")
    found = read_strategies([tmp_path])
    assert (found.mended, [note.rpartition(": ")[2] for note in found.notes]) == (("slip",), ["slip"])
    assert read_strategies([tmp_path / "a.py"]).notes == ()
