"""The engine on the monty interpreter: the same moves as elsewhere, and who is to blame."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator

import numpy as np
import pytest

from intent.arena.engines import engine_status, make_engine
from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules, Played
from intent.arena.sandbox.monty import MontyEngine
from intent.base.errors import MissingExtraError, UsageError
from intent.strategies.catalogue import strategy

monty = pytest.mark.skipif(engine_status()["monty"] is not None, reason="pydantic-monty is not installed")
kernel = pytest.mark.skipif(engine_status()["seccomp"] is not None, reason="the kernel cannot confine here")

PARTNER = Entrant("partner", automaton=strategy("RANDOM"))


def written(name: str, body: str) -> Entrant:
    return Entrant(name, "def strategy(self, opponent):\n" + textwrap.indent(textwrap.dedent(body), "    "))


@pytest.fixture(scope="module")
def ours() -> Iterator[MontyEngine]:
    with MontyEngine(workers=1) as engine:
        yield engine


@pytest.fixture(scope="module")
def theirs() -> Iterator[Engine]:
    with make_engine("seccomp", workers=1) as engine:
        yield engine


def of(engine: object, field: list[Entrant], rules: MatchRules, job: Job) -> Played | Fault:
    (result,) = engine.play(field, [job], rules)  # type: ignore[attr-defined]
    return result


@monty
def test_the_draws_are_those_of_numpys_legacy_generator(ours: MontyEngine) -> None:
    tosses = written("tosses", "return axl.Action.C if self._random.random() < 0.5 else axl.Action.D")
    rules = MatchRules(turns=4000)
    result = of(ours, [tosses, Entrant("still", automaton=strategy("ALLC"))], rules, Job(0, 1, (12,)))
    assert isinstance(result, Played)
    own = np.random.RandomState(int(np.random.RandomState(12).randint(0, 2**32 - 1, dtype="uint64")))
    np.testing.assert_array_equal(result.moves[0, 0], own.random_sample(4000) < 0.5)


IDIOMS = {
    "any stops at once": "c = any(self._random.random() < .5 for _ in range(4))\nc = not c",
    "all stops at once": "c = all(self._random.random() < .8 for _ in range(4))",
    "any over pairs": (
        "h = zip(self.history, opponent.history)\n"
        "c = any(self._random.random() < .1 and a == b for a, b in h)"
    ),
    "any over two": "c = any(self._random.random() < .2 for i in range(3) for j in range(i) if j != 1)",
    "next of a generator": (
        "h, r = opponent.history[::-1], self._random\n"
        "c = next((m == axl.Action.C for m in h if r.random() < .5), 1)"
    ),
    "a generator is used up": "g = (m for m in [1, 2, 3])\nnext(g)\nc = sum(g) == 5 and sum(g) == 0",
    "zip is used up": (
        "z = zip(self.history, opponent.history)\na = sum(1 for p in z)\nc = sum(1 for p in z) == 0"
    ),
    "map waits": "m = map(lambda x: x, [1, 2])\nc = next(m) == 1 and list(m) == [2]",
    "filter": "c = len(list(filter(lambda m: m == axl.Action.C, opponent.history))) % 2 == 0",
    "sets of moves": "c = not opponent.history or list(set(opponent.history))[0] == axl.Action.C",
    "most frequent": "h = opponent.history\nc = not h or max(set(h), key=h.count) == axl.Action.C",
    "most frequent of few": (
        "h = opponent.history[-4:]\nc = not h or max({m for m in h}, key=h.count) == axl.Action.C"
    ),
    "counts": (
        "h = opponent.history\nc = h.cooperations >= h.defections and h.count(axl.Action.D) == h.defections"
    ),
    "counts by name": "c = getattr(opponent.history, 'cooperations', 0) >= self.defections",
    "own counter": (
        "self.defections_seen = getattr(self, 'defections_seen', 0) + 1\nc = self.defections_seen % 3"
    ),
    "flip": "c = opponent.history[-1].flip() == axl.Action.C if opponent.history else 1",
    "whole numbers": "c = self._random.randint(0, 7) > 3 or self._random.randint(2) == 0",
    "large numbers": "c = self._random.randint(0, 2 ** 40) % 2",
    "many numbers": "c = sum(self._random.randint(0, 3, size=5)) > 4 and self._random.random(2)[1] < .9",
    "choice": "c = self._random.choice([0, 1, 1]) and self._random.choice(5) > 0",
    "weighted choice": "c = self._random.choice([0, 1], p=[.3, .7])",
    "chances of 0 and 1 draw nothing": (
        "x = self._random.random_choice(0), self._random.random_choice(1)\nc = self._random.random() < .5"
    ),
    "scores": "c = self.score >= opponent.score",
    "total scores": (
        "a, b = self.total_scores(self.history, opponent.history)\nc = a == self.score and a >= b"
    ),
    "dictionary": (
        "d = {}\nfor m in opponent.history:\n    d[m] = d.get(m, 0) + 1\nc = d.get(axl.Action.C, 0) % 2"
    ),
    "nested": (
        "def rate(h, n=5):\n"
        "    return sum(m == axl.Action.C for m in h[-n:]) / n\n"
        "c = rate(opponent.history) > .4"
    ),
    "nonlocal": (
        "k = 0\ndef up():\n    nonlocal k\n    k += 1\nfor m in opponent.history:\n    up()\nc = k % 2"
    ),
    "walrus": "c = (n := len(self.history)) % 3 == 0 or n > 30",
    "try": "try:\n    c = opponent.history[5] == axl.Action.C\nexcept IndexError:\n    c = 0",
    "length": "c = len(self.history) < self.match_attributes['length'] - 3",
    "game": "c = self.match_attributes['game'].RPST()[1] == 5 or self._random.random() < .5",
    "slices": "h = opponent.history\nc = h[-3:] != [axl.Action.D] * 3 and h[:2][::-1] != self.history[1:3]",
}


@monty
@kernel
@pytest.mark.parametrize("idiom", IDIOMS)
def test_python_that_monty_lacks_plays_as_on_cpython(idiom: str, ours: MontyEngine, theirs: Engine) -> None:
    field = [written("idiom", f"{IDIOMS[idiom]}\nreturn axl.Action.C if c else axl.Action.D"), PARTNER]
    rules, job = MatchRules(turns=60, noise=0.1), Job(0, 1, (3,))
    expected, result = of(theirs, field, rules, job), of(ours, field, rules, job)
    assert isinstance(expected, Played), expected
    assert isinstance(result, Played), result
    np.testing.assert_array_equal(result.moves, expected.moves)


@monty
@kernel
def test_the_automata_of_the_catalogue_play_the_same(ours: MontyEngine, theirs: Engine) -> None:
    field = [Entrant(n, automaton=strategy(n)) for n in ("TFT", "WSLS", "RANDOM", "GRIM", "GTFT")]
    jobs = [Job(i, j, (4, 5)) for i in range(5) for j in range(5)]
    rules = MatchRules(turns=80, noise=0.1)
    expected = {r.job: r for r in theirs.play(field, jobs, rules)}
    for result in ours.play(field, jobs, rules):
        np.testing.assert_array_equal(result.moves, expected[result.job].moves)  # type: ignore[union-attr]


@monty
def test_a_fault_says_when(ours: MontyEngine) -> None:
    late = written("late", "return axl.Action.C if len(self.history) < 7 else 5")
    result = of(ours, [PARTNER, late], MatchRules(turns=20), Job(0, 1, (1, 2)))
    assert isinstance(result, Fault)
    assert (result.player, result.kind, result.repetition, result.turn) == (1, "value", 0, 7)
    assert result.reason == "returned 5, expected axl.Action.C or axl.Action.D"


@monty
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def strategy(self, opponent):\n    yield 1", "yield"),
        ("def strategy(self, opponent):\n    global x\n    x = 1", "line 2: 'global'"),
        ("def strategy(self, zz_sides):\n    return 1", "line 1: names that begin with 'zz_'"),
        ("def tactics(self, opponent):\n    return 1", "no function 'strategy'"),
        ("def strategy(self, opponent):\n    return (", "line 2"),
    ],
)
def test_what_a_session_cannot_have_is_refused(source: str, reason: str, ours: MontyEngine) -> None:
    result = of(ours, [Entrant("odd", source), PARTNER], MatchRules(turns=3), Job(0, 1, (1,)))
    assert isinstance(result, Fault)
    assert (result.player, result.kind) == (0, "refused")
    assert reason in result.reason


def test_a_missing_library_is_said_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    with pytest.raises(MissingExtraError, match=r"strategy-intent\[sandbox\]"):
        MontyEngine()


@monty
def test_a_closed_engine_plays_no_more() -> None:
    engine = MontyEngine(workers=1)
    engine.close()
    with pytest.raises(UsageError, match="closed"):
        list(engine.play([PARTNER], [Job(0, 0, (1,))], MatchRules()))


@monty
def test_an_interpreter_that_does_not_start_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONTY_BIN", "/nowhere/monty")
    with pytest.raises(UsageError, match="engine 'monty' does not start"):
        of(MontyEngine(workers=1), [PARTNER], MatchRules(turns=3), Job(0, 0, (1,)))
