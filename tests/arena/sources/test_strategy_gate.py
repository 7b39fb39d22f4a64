"""The gate lets in what strategies use, and says what to do instead of the rest."""

from __future__ import annotations

import ast
import builtins

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategy_files import BUSY, NODES_USED

from intent.arena.sources.gate import gate, problems
from intent.arena.sources.parser import BUILTINS, EXCEPTIONS, MAX_CHARACTERS, NODES
from intent.base.errors import StrategyError


def body(*lines: str) -> str:
    return "def strategy(self, opponent):\n" + "".join(f"    {line}\n" for line in lines)


def test_published_nodes_and_builtins_pass() -> None:
    assert {getattr(ast, name) for name in NODES_USED} <= NODES
    assert {type(node).__name__ for node in ast.walk(ast.parse(BUSY))} - {"Module"} == NODES_USED
    used = {len, all, range, sum, min, max, getattr, set, zip, list, abs, reversed, float}
    assert {builtin.__name__ for builtin in used} <= BUILTINS
    assert gate(BUSY)


def test_canonical_text_is_one_for_one_meaning() -> None:
    noisy = '''
def strategy(self, opponent: axl.player.Player) -> axl.Action:
    """Says nothing about play."""
    x: int = 3  # three
    y: "anything"
    if x > 2: "nor does this"
    return (axl.Action.C)
'''
    plain = body("x = 3", "if x > 2:", "    pass", "return axl.Action.C")
    assert gate(noisy) == gate(plain) == plain
    assert gate(gate(noisy)) == gate(noisy)


REFUSED = [
    ("import os", "import"),
    ("from os import path", "import"),
    ("global x", "global"),
    ("x = ().__class__", "__class__"),
    ("x = self.__dict__", "__dict__"),
    ("x = self._secret", "_secret"),
    ("x = opponent._random", "_random"),
    ("x = opponent.strategy(self)", "opponent.strategy"),
    ("x = getattr(self, '__class__')", "__class__"),
    ("x = getattr(opponent, '_random')", "_random"),
    ("x = getattr(self, 'strategy')", "strategy"),
    ("x = getattr(self)", "expected getattr(self, 'name')"),
    ("x = '{0.history}'.format(self)", "format"),
    ("x = f'{self}'", "f-string"),
    ("opponent.score = 0", "self only"),
    ("self.history.x = 0", "self only"),
    ("self.score = 0", "belongs to the game"),
    ("self.history += [1]", "belongs to the game"),
    ("self._random = 4", "belongs to the game"),
    ("self.history[-1] = axl.Action.D", "cannot be changed"),
    ("opponent.notes[0] = 1", "cannot be changed"),
    ("self.match_attributes['length'] = 3", "cannot be changed"),
    ("self.history.append(axl.Action.C)", "would change"),
    ("opponent.history.reverse()", "would change"),
    ("self = opponent", "self cannot"),
    ("opponent = self", "opponent cannot"),
    ("x = [axl for axl in (1, 2)]", "axl cannot"),
    ("f = lambda self: self", "self cannot"),
    ("x = axl.Match", "axl.Match"),
    ("x = axl.Action.E", "axl.Action.E"),
    ("x = axl", "got axl"),
    ("x = open('f')", "open"),
    ("x = eval('1')", "eval"),
    ("setattr(self, 'x', 1)", "self.name = value"),
    ("x = math.sqrt(2)", "math.sqrt"),
    ("x = __import__", "__import__"),
    ("x = zz_set", "zz_set"),
    ("x = ｏpen", "open"),
    ("x = type", "type"),
    ("x = globals()", "globals"),
    ("x = strategy", "does not call itself"),
    ("x = self._random.seed(1)", "random_choice, random, randint, choice"),
    ("yield axl.Action.C", "yield"),
    ("raise ValueError", "raise"),
    ("del self.x", "del"),
    ("with self: pass", "with"),
    ("class A: pass", "class"),
    ("x = b'bytes'", "b'bytes'"),
    ("x = ...", "..."),
    (f"x = {2**70}", "71 bits"),
    ("break", "outside loop"),
    ("nonlocal x", "nonlocal"),
    ("x = strategy(self, opponent)", "does not call itself"),
]


@pytest.mark.parametrize(("line", "word"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_is_refused_is_named_with_its_line(line: str, word: str) -> None:
    source = body("x = 1" if line != "nonlocal x" else "pass", line, "return axl.Action.C")
    found = problems(source)
    assert any(said.startswith("line 3: ") and word in said for said in found), found
    with pytest.raises(StrategyError):
        gate(source)


@pytest.mark.parametrize("name", ["total", "math", "numpy", "Move", "endgame"])
def test_a_name_without_a_value_is_a_fault_of_who_reaches_it(name: str) -> None:
    """Published code holds such names where no play leads; none of them is anything in an interpreter."""
    assert not hasattr(builtins, name)
    assert gate(body("if len(self.history) > 5:", f"    return {name}", "return axl.Action.C"))


def test_names_of_the_interpreter_stay_out() -> None:
    known = {
        "open",
        "eval",
        "exec",
        "compile",
        "print",
        "input",
        "id",
        "vars",
        "dir",
        "object",
        "super",
        "memoryview",
    }
    for name in (set(dir(builtins)) | known) - BUILTINS - EXCEPTIONS - {"True", "False", "None", "__debug__"}:
        if name not in ("Exception", "BaseException"):
            assert problems(body(f"x = {name}", "return axl.Action.C")), name


def test_except_names_what_may_go_wrong() -> None:
    def handled(clause: str, last: str = "") -> tuple[str, ...]:
        lines = [
            "try:",
            "    x = self.history[-1]",
            f"{clause}:",
            "    return axl.Action.C",
            *last.split("|"),
        ]
        return problems(body(*lines, "return x"))

    assert handled("except IndexError") == handled("except (KeyError, IndexError) as e") == ()
    assert "bare except" in handled("except")[0]
    assert "except BaseException" in handled("except BaseException")[0]
    assert "finally" in handled("except IndexError", "finally:|    x = 1")[0]


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("", "no function found"),
        ("x = 1", "no function found"),
        ("def strategy(self):\n    return axl.Action.C", "got def strategy(self)"),
        (
            "def strategy(self, opponent, x=1):\n    return axl.Action.C",
            "expected def strategy(self, opponent)",
        ),
        ("def play(self, opponent):\n    return axl.Action.C", "got def play"),
        ("async def strategy(self, opponent):\n    return axl.Action.C", "async"),
        ("import os\n" + body("return axl.Action.C"), "line 1: import"),
        ("@staticmethod\n" + body("return axl.Action.C"), "decorators"),
        (body("return axl.Action.C") * 2, "second function"),
        (body("pass"), "no return"),
        (body("def f():", "    return axl.Action.C", "f()"), "no return"),
        (body("return"), "returns nothing"),
        (body("return 'cooperate'"), "returns 'cooperate'"),
        (body("return axl.Action.C if self.history else None"), "returns None"),
        (body("return axl.Action.C") + "#" * MAX_CHARACTERS, "characters"),
        (body("x = [1" + ", 1" * 5_000 + "]", "return axl.Action.C"), "more than 5,000 parts"),
        (body("x = " + "not " * 200 + "1", "return axl.Action.C"), "levels deep"),
        ("-" * 15_000 + "1", "too deeply"),
        ("(" * 300, "too many nested parentheses"),
        ("def strategy(self, opponent):\n    return (", "line 2: no Python"),
        ("\0", "null bytes"),
        ("x = '\ud800'", "no Python"),
    ],
)
def test_what_is_no_strategy(source: str, word: str) -> None:
    assert any(word in said for said in problems(source)), problems(source)
    with pytest.raises(StrategyError) as caught:
        gate(source)
    assert "\n" not in str(caught.value)


def test_loops_closures_and_tables_pass() -> None:
    assert gate(
        body(
            "count = 0",
            "def step():",
            "    nonlocal count",
            "    count += 1",
            "while count < 3:",
            "    step()",
            "    continue",
            "table = {k: v for k, v in enumerate((1, 2))}",
            "kinds = {*table, 3} | {x ** 2 for x in table}",
            "self._memory = {'a': [1]}",
            "self._memory['a'].append(len(kinds))",
            "if (n := len(self.history)) >= 2 and isinstance(n, int) and hasattr(self, '_memory'):",
            "    first, *rest = [*self.history]",
            "    return first",
            "return axl.Action.C",
        )
    )


def test_at_most_four_problems_in_a_message() -> None:
    with pytest.raises(StrategyError, match=r"; and 2 more$"):
        gate(body(*(f"import m{i}" for i in range(6)), "return axl.Action.C"))


@given(st.text(max_size=200))
def test_any_text_is_refused_in_one_line_or_let_in(text: str) -> None:
    for said in problems(text + "\n" + text):
        assert "\n" not in said
