"""The same program moves the same: on every engine, on any number of workers, and again."""

from __future__ import annotations

import ast
import textwrap
import types
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cache

import numpy as np
import pytest
from random_programs import occurrences, program

from intent.arena.engines import engine_status, make_engine
from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules, Played, flips_text, match_draws
from intent.arena.sandbox import normal_form
from intent.arena.sandbox import runtime as views
from intent.arena.sandbox.confined import player_spec, unpack_moves
from intent.arena.sandbox.names import OWN_METHODS, PARTS, TYPE_METHODS, readable
from intent.arena.sandbox.runtime import Rules, Seating, play_match
from intent.arena.sources.gate import gate, problems
from intent.arena.sources.parser import ATTRIBUTES, BUILTINS, NODES
from intent.base.errors import StrategyError
from intent.strategies.catalogue import strategy

HERE = [name for name in ("seccomp", "strict", "monty") if engine_status()[name] is None]
several = pytest.mark.skipif(len(HERE) < 2, reason="one engine or none is there")

PARTNER = Entrant("partner", automaton=strategy("RANDOM"))
RULES = MatchRules(turns=12, noise=0.1)

Outcome = bytes | tuple[int, str]


@pytest.fixture(scope="module")
def engines() -> Iterator[list[Engine]]:
    """One of each kind, which play for all tests here: to start one takes longer than a match."""
    with ExitStack() as open_to_the_end:
        yield [open_to_the_end.enter_context(make_engine(name, workers=1)) for name in HERE]


def outcomes(engine: Engine, field: list[Entrant]) -> list[Outcome]:
    """Moves of each of the field against the partner, or whose fault of which kind it was."""
    last = len(field)
    jobs = [Job(i, last, (1000 + i,)) for i in range(last)]
    found: dict[int, Outcome] = {}
    for result in engine.play([*field, PARTNER], jobs, RULES):
        if isinstance(result, Fault):
            found[result.job.first] = result.player, result.kind
        else:
            found[result.job.first] = result.moves.tobytes()
    return [found[i] for i in range(last)]


@cache
def let_in(seed: int) -> tuple[str, str] | None:
    """The program and its canonical text, where it passes the gate, which takes longer than to play it."""
    source = program(seed)
    try:
        return source, gate(source)
    except StrategyError:
        return None


def passing(seeds: Sequence[int]) -> list[tuple[str, str]]:
    """Programs that pass the gate, which nearly all do, with their canonical texts."""
    pairs = [pair for seed in seeds if (pair := let_in(seed))]
    assert len(pairs) > 0.95 * len(seeds)
    return pairs


def programs(seeds: Sequence[int]) -> list[str]:
    """Those programs as they were written."""
    return [source for source, _ in passing(seeds)]


def same_everywhere(seeds: range, engines: Sequence[Engine]) -> float:
    """Share of the programs that play to the end; all engines agree about each."""
    pairs = passing(seeds)
    sources = [source for source, _ in pairs]
    field = [Entrant(f"p{i}", text) for i, (_, text) in enumerate(pairs)]
    first, *others = [outcomes(engine, field) for engine in engines]
    again = []
    for name in (HERE[0], HERE[-1]):
        with make_engine(name, workers=2) as anew:
            again.append(outcomes(anew, field))
    for found in (*others, *again):
        apart = [i for i, (a, b) in enumerate(zip(first, found, strict=True)) if a != b]
        assert not apart, f"{len(apart)} differ, the first is\n{sources[apart[0]]}"
    return float(np.mean([isinstance(outcome, bytes) for outcome in first]))


@several
def test_random_programs_move_the_same_on_every_engine(engines: list[Engine]) -> None:
    assert same_everywhere(range(60), engines) > 0.5


SOME = (*range(60), 77, 108)
"""Seeds whose programs reach every line and branch of the rewriting that the first 400 reach."""

REST = tuple(seed for seed in range(400) if seed not in SOME)
seeds_by_share = pytest.mark.parametrize(
    "seeds",
    [pytest.param(SOME, id="some"), pytest.param(REST, id="rest", marks=pytest.mark.exhaustive)],
)


@seeds_by_share
@pytest.mark.parametrize("native", [False, True])
def test_code_that_is_left_out_of_the_rewriting_needs_none(
    native: bool, seeds: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rewriting passes by what `_other_form` denies; visiting every node gives the same tree."""
    sources = programs(seeds)
    short = [ast.dump(normal_form.normalise(ast.parse(source), native)) for source in sources]
    monkeypatch.setattr(normal_form, "_other_form", lambda node, bound: True)
    whole = [ast.dump(normal_form.normalise(ast.parse(source), native)) for source in sources]
    assert short == whole
    assert short != [ast.dump(ast.parse(source)) for source in sources]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@seeds_by_share
def test_new_code_stands_where_the_old_one_stood(seeds: Sequence[int]) -> None:
    """The line of an error is that of the source, also where the code was rewritten."""
    for source in programs(seeds):
        tree = ast.parse(source)
        lines = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt)}
        made = normal_form.normalise(tree, native=True)
        assert {n.lineno for n in ast.walk(made) if isinstance(n, ast.expr | ast.stmt)} <= lines
        compile(made, "<strategy>", "exec")


@several
@pytest.mark.parametrize(
    "line",
    [
        "sorted([1, 2], reverse=1)",
        "sorted([1, 2], key=abs, reverse=len([]))",
        "[1, 2].sort(reverse=True)",
        "{1, 2}",
        "{x for x in [1, 2]}",
        "sum(x for x in [1, 2])",
        "next(x for x in [1, 2])",
        "any(x.flip() is axl.Action.C for x in [axl.Action.D])",
        "pow(2, 3) + 2 ** 3 + (2 << 3)",
        "1.5 is 1.5, [] is not []",
        "isinstance('a', (int, str))",
        "list(zip([1], [2])), list(reversed([1])), list(enumerate([1], start=2))",
        "{1: 2}.items(), {1: 2}.keys(), {1: 2}.values()",
        "{**{1: 2}, 3: 4}",
        "{**True, 'a': 1}",
        "(lambda x: x)(2), (lambda y: y)(3)",
    ],
)
def test_each_rewritten_form_does_the_same_alone(line: str, engines: list[Engine]) -> None:
    """A form that is the only one to be rewritten in its source, where nothing else finds places for it."""
    source = f"""
def strategy(self, opponent):
    x = 2
    x **= 2
    try:
        made = {line}
    except TypeError:
        return axl.Action.D
    except (AttributeError, LookupError, StopIteration, ValueError):
        return axl.Action.D if len(self.history) % 2 else axl.Action.C
    return axl.Action.C
"""
    sources = [source, source.replace("    x = 2\n    x **= 2\n", "")]
    field = [Entrant(f"p{i}", gate(text)) for i, text in enumerate(sources)]
    first, *others = [outcomes(engine, field) for engine in engines]
    assert all(isinstance(outcome, bytes) for outcome in first)
    assert all(found == first for found in others)


@several
@pytest.mark.exhaustive
@pytest.mark.parametrize("start", range(10_000, 20_000, 500))
def test_ten_thousand_random_programs_move_the_same_on_every_engine(
    start: int, engines: list[Engine]
) -> None:
    assert same_everywhere(range(start, start + 500), engines) > 0.5


@several
def test_a_method_is_looked_up_before_its_arguments_are_worked_out(engines: list[Engine]) -> None:
    calls = [
        "(5).append",
        "(1, 2).union",
        "[1].update",
        "{}.append",
        "(5).get",
        "set([1]).append",
        "self.score.add",
    ]
    text = """
    def strategy(self, opponent):
        try:
            {call}([][0])
        except AttributeError:
            return axl.Action.C
        except IndexError:
            return axl.Action.D
        return self.history[-1]
    """
    field = [Entrant(f"p{i}", gate(textwrap.dedent(text.format(call=call)))) for i, call in enumerate(calls)]
    first, *others = [outcomes(engine, field) for engine in engines]
    assert all(found == first for found in others)


def test_random_programs_use_what_the_gate_lets_in() -> None:
    found = occurrences(program(seed) for seed in range(250))
    common = {node.__name__ for node in NODES} - {"Module", "AnnAssign", "Pass", "Nonlocal", "UAdd"}
    assert {name for name in common if not found[name]} <= {"BitXor", "Continue", "Break", "Starred"}
    assert not {name for name in BUILTINS if not found[f"{name}()"]} - {"frozenset"}


def body(text: str) -> str:
    return (
        "def strategy(self, opponent):\n" + textwrap.indent(textwrap.dedent(text).strip("\n"), "    ") + "\n"
    )


ADDRESSES = {
    "text of a function": "x = str(lambda: 1)",
    "text of itself": "x = str(self)",
    "text within a list": "x = str([self, opponent])",
    "text of a generator": "x = str(m for m in self.history)",
    "text of a method": "x = str(self.first_round)",
    "text of an iterator": "x = ''.join(map(str, [iter([1])]))",
    "sorted by text": "x = sorted([lambda: 1, lambda: 2], key=str)",
    "text of a set": "x = str({1, 2})",
}


@several
@pytest.mark.parametrize("name", ADDRESSES)
def test_no_text_tells_an_address(name: str, engines: list[Engine]) -> None:
    source = gate(body(f"{ADDRESSES[name]}\nreturn axl.Action.C"))
    assert {outcomes(engine, [Entrant("a", source)])[0] for engine in engines} == {(0, "error")}


ORDERS = {
    "texts": "x = list({'b', 'a', 'zz', 'q'})\nc = x == ['b', 'a', 'zz', 'q']",
    "functions": "f = [lambda: 1, lambda: 2, lambda: 3]\nc = [g() for g in set(f)] == [1, 2, 3]",
    "moves": "c = list({axl.Action.D, axl.Action.C}) == [axl.Action.C, axl.Action.D]",
    "moves that grow": (
        "s = {5, axl.Action.D}\ns.add(axl.Action.C)\nc = list(s) == [axl.Action.C, axl.Action.D, 5]"
    ),
    "numbers": "c = list({9, 1, 5} | {0}) == [9, 1, 5, 0] and list({3, 1, 2} & {1, 2, 3}) == [3, 1, 2]",
    "taken": "s = {7, 3, 1}\nc = s.pop() == 7 and list(s) == [3, 1]",
    "keys that are equal": "d = {1: 'x'}\nd[True] = 'y'\nc = str(list(d)) == '[1]' and d[1] == 'y'",
    "rounded": "c = round(2.675, 2) == 2.67 and round(0.5) == 0 and round(1234.5, -2) == 1200",
    "a generator makes all values": (
        "g = (self._random.random() for i in range(3))\nx = next(g)\ny = self._random.random()\n"
        "c = y not in [x, next(g), next(g)]"
    ),
    "functions are not equal": "f = [lambda: 1 for i in range(2)]\nc = f[0] != f[1] and f[0] == f[0]",
    "draws in a key": "x = sorted([1, 2, 3], key=lambda n: self._random.random())\nc = len(x) == 3",
    "a history stays": (
        "h = self.history\nn = len(h)\ntry:\n    h.append(axl.Action.C)\nexcept TypeError:\n    pass\n"
        "try:\n    h += [axl.Action.D]\nexcept TypeError:\n    pass\nc = len(self.history) == n"
    ),
    "what is changed in place": "x = [1]\nx += 'ab'\nx += (2,)\nc = x == [1, 'a', 'b', 2]",
    "names that are computed": (
        "f = lambda: 1\nc = not hasattr(f, 'co_' + 'code') and getattr(f, 'gi_' + 'frame', 5) == 5 "
        "and getattr(opponent, 'sc' + 'ore', None) is not None"
    ),
}


@several
@pytest.mark.parametrize("name", ORDERS)
def test_one_order_and_one_meaning(name: str, engines: list[Engine]) -> None:
    source = gate(body(f"{ORDERS[name]}\nreturn axl.Action.C if c else axl.Action.D"))
    quiet = [outcomes(engine, [Entrant("a", source)])[0] for engine in engines]
    assert len(set(quiet)) == 1
    (result,) = engines[0].play([Entrant("a", source), PARTNER], [Job(0, 1, (3,))], MatchRules(turns=12))
    assert isinstance(result, Played), result
    assert result.moves[0, 0].all()


@several
@pytest.mark.parametrize("deep", [299, 300, 2000])
@pytest.mark.parametrize(
    "function",
    [
        "def f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\nx = f(DEEP)",
        "f = lambda g, n: 0 if n == 0 else 1 + g(g, n - 1)\nx = f(f, DEEP)",
        "def f(n):\n    return 0 if n == 0 else sum(map(f, [n - 1]))\nx = f(DEEP)",
        "self.f = lambda n: 0 if n == 0 else 1 + self.f(n - 1)\nx = self.f(DEEP)",
    ],
)
def test_recursion_ends_at_the_same_depth(function: str, deep: int, engines: list[Engine]) -> None:
    source = gate(body(f"{function.replace('DEEP', str(deep))}\nreturn axl.Action.C"))
    found = {outcomes(engine, [Entrant("a", source)])[0] for engine in engines}
    assert len(found) == 1
    assert (found == {(0, "error")}) is (deep > 299)


def test_the_gate_and_the_engines_have_one_list_of_names() -> None:
    assert ATTRIBUTES == PARTS | OWN_METHODS | TYPE_METHODS
    inner = {
        *dir(types.CodeType),
        *dir(types.GeneratorType),
        *dir(types.FrameType),
        *dir(types.TracebackType),
    }
    inner |= {*dir(int), *dir(float), *dir(ValueError), *dir(lambda: 1), *dir(range(1))}
    inner -= {"clear", "count", "index", "replace"}
    assert not ATTRIBUTES & inner
    for name in (n for n in inner if not n.startswith("_")):
        assert not readable(name, own=False)
        assert problems(body(f"f = lambda: 1\nx = f.{name}\nreturn axl.Action.C"))
        assert problems(body(f"f = lambda: 1\nx = getattr(f, '{name}', 0)\nreturn axl.Action.C"))


REFUSED = {
    "x = len": "as a value",
    "x = [str, int]": "as a value",
    "x = self.history.count": "as a value",
    "x = [].append": "as a value",
    "x = list(axl.Action)": "write axl.Action.C",
    "x = isinstance(self, object)": "expected one of",
    "x = iter(self.first_round, True)": "expected 1 arguments",
    "x = pow(2, 3, 5)": "expected 2 arguments",
    "x = 'rate 50%'": "without %",
    "x = 'caf\u00e9'": "plain letters",
    "x = self.history is opponent.history is x": "two at a time",
    "f = lambda max: max\nx = max(1, 2)": "also the builtin",
    "x = dict(**{'a': 1})": "write the arguments out",
    "x = any((y := n) for n in [1])": "write a loop",
    "x = (1).real": "is not there",
    "x = (n for n in [1]).gi_frame": "is not there",
    "x = [{1}]\nx[0] |= {2}": "x[i] = x[i] | y",
    "try:\n    x = 1 / 0\nexcept ZeroDivisionError as e:\n    x = str(e)": "cannot be read",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_engines_would_take_differently_is_refused(line: str) -> None:
    said = problems(body(f"{line}\nreturn axl.Action.C"))
    assert any(REFUSED[line] in problem for problem in said), said


def unconfined(field: list[Entrant]) -> list[Outcome]:
    """As `outcomes`, in this process; the programs are our own."""
    told = Rules(RULES.payoffs, RULES.turns, RULES.noise, False, True, False)
    found: list[Outcome] = []
    for i, entrant in enumerate(field):
        specs = [player_spec(entrant), player_spec(PARTNER)]
        seeds, flips = match_draws(1000 + i, [spec["seeded"] for spec in specs], RULES)
        seats = [Seating(spec, told, late=False) for spec in specs]
        try:
            played = play_match(seats, told, seeds, flips_text(flips))
            found.append(unpack_moves(bytes(played), 1, RULES.turns)[0].tobytes())
        except Exception:  # noqa: BLE001 - whatever a program raises
            found.append((i, "error"))
    return found


@several
def test_random_programs_find_what_is_switched_off(
    engines: list[Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    field = [Entrant(f"p{i}", text) for i, (_, text) in enumerate(passing(range(30)))]
    expected = outcomes(engines[-1], field)
    assert unconfined(field) == expected
    monkeypatch.setitem(views._REPLACED, "set", set)
    monkeypatch.setitem(views._HELPERS, "zz_set", set)
    assert unconfined(field) != expected
