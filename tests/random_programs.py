"""Random programs that pass the gate: what strategies use, and what interpreters are apt to do differently.

A program keeps values of all kinds, changes them round by round, and moves by a number that every one of them
and the order within them enter, so that two engines that differ anywhere soon move differently.
"""

from __future__ import annotations

import ast
import random
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable

__all__ = ["occurrences", "program"]

KINDS = ("num", "flag", "move", "moves", "nums", "text", "held", "table", "pair", "odd")
FIRST = {
    "num": "0",
    "flag": "False",
    "move": "axl.Action.C",
    "moves": "[axl.Action.D]",
    "nums": "[3, 1, 2]",
    "text": "'ab'",
    "held": "set()",
    "table": "{'a': 1}",
    "pair": "(1, 2)",
    "odd": "None",
}

FOLD = """
def fold(x, depth):
    if isinstance(x, bool):
        return 2 if x else 3
    if isinstance(x, (int, float)):
        return int(abs(x) * 8) % 97 if abs(x) < 1000000000 else 5
    if isinstance(x, str):
        return len(x) * 3 + sum(i for i, c in enumerate(x) if c in 'aeD1') % 89
    if isinstance(x, axl.Action):
        return 7 + x.value
    total = 1
    if depth > 4:
        return 17
    if isinstance(x, dict):
        for key, value in x.items():
            total = (total * 31 + fold(key, depth + 1) * 7 + fold(value, depth + 1)) % 10007
        return total
    if isinstance(x, (list, tuple, set, frozenset)):
        for value in x:
            total = (total * 31 + fold(value, depth + 1)) % 10007
        return total
    return 13
"""

CAUGHT = ("ArithmeticError", "AttributeError", "IndexError", "KeyError", "LookupError", "OverflowError")
CAUGHT += ("StopIteration", "TypeError", "ValueError", "ZeroDivisionError")


def _templates(text: str) -> tuple[str, ...]:
    """A template per line; ``;;`` ends a statement."""
    return tuple(line.replace(" ;; ", "\n") for line in text.split("\n") if line)


class _Author:
    """Writes one program; `names` are the values of a kind that it may read."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.names: dict[str, list[str]] = {kind: [f"self.{kind}"] for kind in KINDS}
        self.count = 0
        self.functions: list[tuple[str, str]] = []
        self.guarded = 0

    def new(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def of(self, kind: str, depth: int) -> str:
        """An expression of a kind; now and then of another one, where an error is caught."""
        if self.guarded and self.r.random() < 0.06:
            kind = self.r.choice(KINDS)
        if depth <= 0 or self.r.random() < 0.12:
            return self.leaf(kind)
        made: str = getattr(self, f"a_{kind}")(depth - 1)
        return made

    def leaf(self, kind: str) -> str:
        names = self.names[kind]
        if self.r.random() < 0.6:
            return self.r.choice(names)
        return self.r.choice(LEAVES[kind])

    def fill(self, texts: Iterable[str], depth: int) -> str:
        """One of the texts, ``<kind>`` in it being filled and ``<x>`` a new name."""
        text = self.r.choice(list(texts))
        x = self.new("x")
        out, rest = "", text.replace("<x>", x)
        while "<" in rest:
            before, _, after = rest.partition("<")
            word, end, tail = after.partition(">")
            if not end or word not in KINDS:
                out, rest = f"{out}{before}<", after
                continue
            value = self.of(word, depth)
            out, rest = f"{out}{before}{value if value.isidentifier() else f'({value})'}", tail
        return out + rest

    def a_num(self, depth: int) -> str:
        return self.fill(NUMS, depth)

    def a_flag(self, depth: int) -> str:
        return self.fill(FLAGS, depth)

    def a_move(self, depth: int) -> str:
        return self.fill(MOVES, depth)

    def a_moves(self, depth: int) -> str:
        return self.fill(RECORDS, depth)

    def a_nums(self, depth: int) -> str:
        return self.fill(LISTS, depth)

    def a_text(self, depth: int) -> str:
        return self.fill(TEXTS, depth)

    def a_held(self, depth: int) -> str:
        return self.fill(SETS, depth)

    def a_table(self, depth: int) -> str:
        return self.fill(TABLES, depth)

    def a_pair(self, depth: int) -> str:
        return self.fill(PAIRS, depth)

    def a_odd(self, depth: int) -> str:
        if self.functions and self.r.random() < 0.3:
            name, kind = self.r.choice(self.functions)
            return f"{name}({self.of(kind, depth)})" if self.r.random() < 0.7 else name
        return self.fill(ODD, depth)

    def block(self, n: int, depth: int) -> list[str]:
        """Statements, indented as in a block of their own; what is named inside is forgotten behind it."""
        kept = {kind: list(names) for kind, names in self.names.items()}, list(self.functions)
        lines = [line for _ in range(n) for line in self.statement(depth)]
        self.names, self.functions = kept
        return textwrap.indent("\n".join(lines), "    ").split("\n")

    def statement(self, depth: int) -> list[str]:
        choices: list[tuple[int, Callable[[int], list[str]]]] = [
            (8, self.assignment),
            (5, self.bounded),
            (4, self.change),
            (2, self.named),
            (3 if depth else 0, self.branch),
            (3 if depth else 0, self.loop),
            (4 if depth else 0, self.attempt),
            (2 if depth else 0, self.helper),
        ]
        weights = [weight for weight, _ in choices]
        return self.r.choices([write for _, write in choices], weights)[0](depth)

    def assignment(self, depth: int) -> list[str]:
        kind = self.r.choice(KINDS)
        value = self.of(kind, 3)
        name = self.new(kind[0])
        self.names[kind].append(name)
        return [f"{name} = {value}"]

    def bounded(self, depth: int) -> list[str]:
        kind = self.r.choice(KINDS)
        bound = {"nums": "[-9:]", "moves": "[-9:]", "text": "[-12:]"}.get(kind, "")
        value = self.of(kind, 3)
        if kind == "num":
            value = f"max(min({value}, 100000), -100000)"
        return [f"self.{kind} = ({value}){bound}"]

    def change(self, depth: int) -> list[str]:
        broken = self.guarded and self.r.random() < 0.4
        return self.fill(BREAKS if broken else CHANGES, 2).split("\n")

    def named(self, depth: int) -> list[str]:
        name, other = self.new("p"), self.new("q")
        value = self.r.choice([self.of("pair", 2), f"{self.of('num', 2)}, {self.of('text', 2)}"])
        lines = [f"{name}, {other} = {value}"]
        if self.r.random() < 0.3:
            lines = [f"{name}, *{other} = {self.of('nums', 2)} + [0]"]
        self.names["odd"] += [name, other]
        return lines

    def branch(self, depth: int) -> list[str]:
        lines = [f"if {self.of('flag', 3)}:", *self.block(self.r.randint(1, 3), depth - 1)]
        if self.r.random() < 0.5:
            lines += ["else:", *self.block(self.r.randint(1, 2), depth - 1)]
        return lines

    def loop(self, depth: int) -> list[str]:
        if self.r.random() < 0.15:
            k = self.new("k")
            body = self.block(1, 0)
            return [f"{k} = 0", f"while {k} < 4 and {self.of('flag', 2)}:", f"    {k} += 1", *body]
        x = self.new("x")
        kind = self.r.choice(("nums", "moves", "held", "text", "table"))
        member = {"nums": "num", "moves": "move", "text": "text"}.get(kind, "odd")
        over = self.of(kind, 2)
        head = f"for {x} in {'list' if kind != 'nums' else 'tuple'}({over})[:6]:"
        if self.r.random() < 0.3:
            head = f"for {self.new('i')}, {x} in enumerate({over}):"
        elif self.r.random() < 0.3:
            head = f"for {self.new('i')}, {x} in zip({self.of('nums', 1)}, {over}):"
        self.names[member].append(x)
        body = self.block(self.r.randint(1, 2), depth - 1)
        self.names[member].remove(x)
        if self.r.random() < 0.3:
            body += [f"    if {self.of('flag', 1)}:", f"        {self.r.choice(['break', 'continue'])}"]
        return [head, *body]

    def attempt(self, depth: int) -> list[str]:
        self.guarded += 1
        lines = ["try:", *self.block(self.r.randint(1, 3), depth - 1)]
        self.guarded -= 1
        marks = self.r.sample(range(1, 90), len(CAUGHT))
        named = self.r.sample(CAUGHT, self.r.randint(0, 3))
        for error, mark in zip(named, marks, strict=False):
            lines += [f"except {error}:", f"    self.mark = self.mark * 3 % 1009 + {mark}"]
        lines += [f"except ({', '.join(CAUGHT)}) as e:", "    self.mark += 100"]
        if self.r.random() < 0.2:
            lines += ["else:", "    self.mark += 1"]
        return lines

    def helper(self, depth: int) -> list[str]:
        name, x, kind = self.new("f"), self.new("x"), self.r.choice(("num", "nums", "text", "move"))
        style = self.r.random()
        self.names[kind].append(x)
        if style < 0.5:
            lines = [f"{name} = lambda {x}: {self.of(self.r.choice(KINDS), 2)}"]
            self.names[kind].remove(x)
        else:
            outer = self.r.choice([*self.names["num"]])
            body = self.block(1, 0)
            cell = [f"    nonlocal {outer}", f"    {outer} = {outer} + 1"] if "." not in outer else []
            if outer == x or outer in "".join(body).split(" = ")[0]:
                cell = []
            if cell and not outer.startswith("n"):
                cell = []
            default = self.r.choice(["", ", *rest", f", other={LEAVES['num'][0]}"])
            lines = [f"def {name}({x}{default}):", *cell, *body]
            lines += [f"    return {self.of(self.r.choice(KINDS), 2)}"]
            self.names[kind].remove(x)
        self.functions.append((name, kind))
        return lines


LEAVES = {
    "num": ["0", "1", "2", "3", "7", "-1", "0.5", "2.5", "1e3", "len(self.history)", "True", "self.score"],
    "flag": ["True", "False", "self.first_round()", "not self.history"],
    "move": ["axl.Action.C", "axl.Action.D"],
    "moves": ["self.history", "opponent.history", "[]", "opponent.history[-3:]", "self.history[-4:]"],
    "nums": ["[]", "[1]", "[2, 1, 3]", "[0.1, 0.2, 0.3]", "list(range(5))", "[3, 1, 2, 1]"],
    "text": ["''", "'a'", "'abc'", "'D, C'", "'b a'", "'12'"],
    "held": ["set()", "{3, 1, 2}", "{'b', 'a'}", "{axl.Action.D, 1}", "frozenset([2, 1])"],
    "table": ["{}", "{'b': 2, 'a': 1}", "{1: 'x', True: 'y'}", "{axl.Action.D: 1}"],
    "pair": ["(1, 'a')", "('b', 2)", "(axl.Action.C, axl.Action.D)"],
    "odd": ["None", "lambda: 1", "self", "opponent", "self.match_attributes", "iter([1, 2])", "range(3)"],
}

NUMS = _templates("""
<num> + <num>
<num> - <num>
<num> * 2
<num> * 0.5
<num> / 3
<num> // 2
<num> % 5
-<num>
<num> % -3
abs(<num>)
round(<num>, 2)
round(<num>)
int(<num>)
float(<num>)
min(<num>, <num>)
max(<num>, <num>)
len(<nums>)
len(<moves>)
len(<text>)
len(<held>)
len(<table>)
sum(<nums>)
sum(<nums>, <num>)
sum(1 for <x> in <moves> if <x> == axl.Action.C)
sum(<x> * 2 for <x> in <nums>)
sum([<num>, <num>, 0.1])
max(<nums>, default=0)
min(<nums>, default=<num>)
max([0, *<nums>], key=lambda <x>: -<x>)
<moves>.count(<move>)
<nums>.count(<num>)
<text>.count('a')
<text>.find('b')
<table>.get('a', <num>)
self.score - opponent.score
opponent.score
opponent.history.cooperations
self.history.defections
self.defections
self._random.random()
self._random.randint(0, 6)
self._random.randint(3)
self._random.choice([1, 2, 5])
self.total_scores(self.history, opponent.history)[0]
self.match_attributes['length']
(<x> := <num>) + <x>
next(iter(<nums>), 0)
next((<x> for <x> in <nums> if <x> > 1), <num>)
sum(<x> is not None for <x> in <nums>)
<num> if <flag> else <num>
pow(abs(<num>) % 9, 2)
(abs(<num>) % 7) ** 2
2 ** (len(<nums>) % 9)
1 << len(<moves>) % 7
int(<num>) & 7
int(<num>) | 2
int(<num>) ^ 3
~int(<num>)
int(<num>) >> 1
getattr(self, 'num', 0)
<move>.value
getattr(opponent, 'sc' + 'ore')
getattr(self, 'no' + 'body', 4)
getattr(<odd>, 'co_' + 'code', 3)
(lambda <x>: <x> + 1)(<num>)
sum(map(lambda <x>: <x> + 1, <nums>))
sum(<x> * i for i, <x> in enumerate(<nums>))
sum(<x> for <x> in <held> if isinstance(<x>, int))
len(list(filter(None, <nums>)))
len([<x> for <x> in <text> if <x> in 'ab'])
sum(a == b for a, b in zip(self.history, opponent.history))
len(str(<num>))
len(str([<num>, <text>]))
int('1' + str(len(<moves>)))
float('1.5')
len({<num>, <num>, 1})
(<num>, <num>)[0]
sum(reversed(<nums>))
[0, *<nums>][-1]
(<nums> + [0])[len(<moves>) % 1]
len(<nums> * 2)
<num> - <num> * 0.1
max(<num>, float('-inf'))
sum(self._random.random() < 0.5 for <x> in range(3))
<num> % 7 // 2
round(<num> * 0.3, 1)
len(set(<moves>))
len(set(<nums>) & {1, 2})
""")

FLAGS = _templates("""
<num> < <num>
<num> >= <num>
<num> == <num>
<num> != 1
0 <= <num> < 5
1 < <num> <= <num>
not <flag>
<flag> and <flag>
<flag> or <flag>
<move> == <move>
<move> != axl.Action.C
<move> is axl.Action.D
<odd> is None
<odd> is not None
<move> in <moves>
<num> in <nums>
<num> not in <nums>
'a' in <text>
<text> in 'abc'
<num> in <held>
<move> in <held>
'a' in <table>
<text> in <table>
any(<x> == <move> for <x> in <moves>)
all(<x> > <num> for <x> in <nums>)
any(self._random.random() < 0.3 for <x> in <nums>)
all(a == b for a, b in zip(<moves>, <moves>))
any(<nums>)
all(<moves>)
isinstance(<odd>, int)
isinstance(<odd>, (str, list))
isinstance(<move>, axl.Action)
hasattr(self, 'nums')
hasattr(self, 'no' + 'ne')
hasattr(<odd>, 'gi_' + 'frame')
hasattr(opponent, 'history')
bool(<num>)
bool(<moves>)
bool(<text>)
bool(<held>)
<text>.startswith('a')
<text>.endswith(('b', 'c'))
<text> == <text>
<text> < <text>
<held> == <held>
<held> <= <held>
<nums> == <nums>
<nums> < <nums>
<moves> == <moves>
<table> == <table>
<pair> == <pair>
<num> is <num>
<text> is <text>
<nums> is <nums>
<odd> is <odd>
<odd> == <odd>
<odd> in [<odd>, <odd>]
<moves> is self.history
<pair> is <pair>
<move> is not <move>
{1}.isdisjoint(<held>)
<held>.issubset(<held>)
<num> == 1 == <num>
<move> == 0
<odd> != <odd>
bool(<odd>)
not <odd>
<moves>[-2:] == [<move>, <move>]
any(<x> and self._random.randint(2) for <x> in <nums> if <x> > 0)
next((<x> is <move> for <x> in <moves>), False)
self.first_round()
""")

MOVES = _templates("""
<move>.flip()
<move> if <flag> else <move>
self._random.random_choice(0.5)
self._random.random_choice(0)
self._random.choice([<move>, axl.Action.C])
([axl.Action.C] + <moves>)[-1]
([axl.Action.D, *<moves>])[len(<nums>) % 1]
max(set([axl.Action.C, *<moves>]), key=<moves>.count)
min({<move>, <move>}, key=lambda <x>: <moves>.count(<x>))
[axl.Action.C, axl.Action.D][<flag>]
next(iter(<moves>), axl.Action.D)
list({<move>, <move>})[0]
next((<x> for <x> in <moves> if <x> != <move>), <move>)
(<moves> or [axl.Action.C])[0]
{True: axl.Action.C, False: axl.Action.D}[<flag>]
self._random.choice([<move>, <move>], p=[0.3, 0.7])
(lambda <x>: <x>.flip())(<move>)
""")

RECORDS = _templates("""
<moves>[-5:]
<moves>[::2]
<moves>[::-1]
<moves>[1:-1]
[<move>, <move>]
[<move>] * 3
<moves> + [<move>]
list(reversed(<moves>))
<moves>.copy()
[<x> for <x> in <moves> if <x> == <move>]
[<x>.flip() for <x> in <moves>]
[a for a, b in zip(<moves>, <moves>)]
sorted(<moves>, key=lambda <x>: <x>.value)
list(set(<moves>))
list({*<moves>, <move>})
sorted(<moves>, key=lambda <x>: <x>.name, reverse=True)
[*<moves>, *<moves>][:6]
list(<moves>)[:4]
list(map(lambda <x>: <x>.flip(), <moves>))
""")

LISTS = _templates("""
[<num>, <num>]
<nums> + [<num>]
<nums>[1:]
<nums>[::-1]
sorted(<nums>)
sorted(<nums>, reverse=True)
sorted(<nums>, key=lambda <x>: -<x>)
[<x> + 1 for <x> in <nums>]
[<x> for <x> in <nums> if <x> > <num>]
[<x> * y for <x> in <nums>[:3] for y in <nums>[:2]]
list(map(abs, <nums>))
list(range(len(<nums>)))
list(filter(lambda <x>: <x> > 0, <nums>))
list(range(5, 0, -2))
[*<nums>, <num>]
list({int(<num>), 5, 3, 1})
list(set(<nums>))
sorted(set(<nums>))
<nums>.copy()
list({1: 2, 3: 4}.values())
[i for i, <x> in enumerate(<moves>) if <x> == <move>]
[len(<x>) for <x> in ['a', <text>]]
[int(<x>) for <x> in <text> if <x> in '0123']
list(reversed(<nums>))
[<num>] * 2
list(dict(zip(<nums>, <nums>)))
[<x> for <x> in set(<nums>) | {9, 0} if isinstance(<x>, int)]
self._random.random(2)
list(map(int, '132'))
[self._random.randint(5) for <x> in range(2)]
[<x> for <x> in (2, 0, 1)]
list(map(lambda a, b: a + b, <nums>, <nums>))
[min(<x>, 5) for <x> in <nums>]
list(tuple(<nums>))
""")

TEXTS = _templates("""
<text> + <text>
<text>[:3]
<text>[::-1]
<text>.upper()
<text>.lower()
<text>.replace('a', 'x')
<text>.strip()
''.join(<x>.name for <x> in <moves>)
', '.join([<text>, 'z'])
str(<num>)
str(<nums>)
str(<moves>)
str((<num>, <text>))
str(<flag>)
str(<move>)
<move>.name
'-'.join(<text>.split())
''.join(str(<x>) for <x> in <nums>)
<text> * 2
str(None)
str(round(<num>, 3))
<text> if <flag> else <text>
''.join(sorted(<text>))
max(<text>, 'b')
''.join(set(<text>))
''.join(map(str, <nums>))
<text>.lstrip('a')
str(<pair>)
str([<nums>, <pair>])
""")

SETS = _templates("""
set(<nums>)
set(<moves>)
set(<text>)
{<num>, <num>}
{<move>, <num>}
{<x> for <x> in <nums>}
{<x> for <x> in <text>}
<held> | {<num>}
<held> & <held>
<held> - {1}
set(<held>)
frozenset(<held>)
<held>.union(<nums>, [<move>])
<held>.intersection(<nums>)
<held>.difference(<nums>)
<held>.copy()
{*<held>, <move>, <text>}
set(<table>)
<held> | <held>
{<move>} | {<move>, <num>}
{<odd>, <num>}
set([<move>, 3, <move>])
{(<num>, <text>), <pair>}
frozenset({<move>, <move>})
""")

TABLES = _templates("""
{<text>: <num>}
{<move>: <num>, <num>: <text>}
{<x>: <moves>.count(<x>) for <x> in <moves>}
{<x>: i for i, <x> in enumerate(<nums>)}
{**<table>, 'c': <num>}
dict(<table>)
dict(zip(<nums>, <nums>))
dict(a=<num>, b=<text>)
{k: v for k, v in <table>.items()}
{<x>: 1 for <x> in <held>}
dict([(<text>, <num>)])
{<pair>: <num>}
<table> | {'d': <num>}
<table>.copy()
{<odd>: 1, 2: <odd>}
{<x>: <num> for <x> in sorted(<text>)}
""")

PAIRS = _templates("""
(<num>, <text>)
(<move>, <move>)
tuple(<nums>)
(<num>,) + <pair>
<pair>[::-1]
tuple(<moves>[-2:])
tuple(<held>)
self.total_scores(<moves>, <moves>)
self._random.choice([<pair>, <pair>])
(<nums>, <text>)
tuple(<x> for <x> in <nums>)
<pair> * 2
next(zip(<nums>, <moves>), (0, 1))
max([<pair>, (1, 'a')], key=len)
""")

ODD = _templates("""
<num>
<move>
<text>
<nums>
<held>
<table>
<pair>
lambda <x>=1: <x>
lambda: <num>
(<x> for <x> in <nums>)
map(abs, <nums>)
zip(<nums>, <moves>)
enumerate(<text>)
reversed(<nums>)
iter(<nums>)
range(3)
[lambda: 1 for <x> in range(2)]
{(lambda: 1): <num>}
[<odd>, <odd>]
self
opponent
self.match_attributes['game']
self.match_attributes['game'].RPST()
iter(<held>)
next(iter([<odd>]), None)
str(<odd>)
sorted([<odd>, <odd>], key=str)
{<odd>, <odd>}
max([<odd>, <odd>], key=lambda <x>: 1)
[<x> for <x> in [<odd>]]
<odd> if <flag> else <odd>
<odd> == <odd>
getattr(<odd>, 'his' + 'tory', 0)
getattr(<odd>, '__' + 'class__', 0)
getattr(<odd>, 'app' + 'end', 0)
int(<odd>)
list(<odd>)
len(<odd>)
<odd> + <odd>
<odd> < <odd>
<odd>[0]
set([<odd>])
(<odd>, <odd>)
[<odd>].count(<odd>)
[<odd>, 1].index(<odd>)
sum([<odd>, 1])
tuple(<odd>)
dict([[<odd>, 1]])
<odd>.count(1)
range(4).count(<num>)
self._random
1 / <odd>
<odd> * 2
max(<odd>, <odd>)
-<odd>
'ab' * <num>
<nums>[<odd>]
<table>[<odd>]
(1,) + <pair>
<text> + <odd>
int(<text>)
float(<text>)
<text>.split(<text>)
'abc'.index(<text>)
<nums>.index(<num>)
<nums>[9]
<num> / (<num> - 1)
{}[<text>]
next(iter([]))
(lambda: 1)(<num>)
[1, 2][:<odd>]
0 ** -1
pow(<num>, <num> - 1)
(-8) ** 0.5
1 << <num>
10 ** 400 * 1.5
range(<odd>)
round(<odd>)
abs(<odd>)
<move> < <move>
<move> + 1
<move>[0]
len(<move>)
set(<odd>) ^ {1}
<held> < <held>
<held>.copy().pop()
{1: 2}.pop(<num>)
iter(<odd>)
next(<odd>)
isinstance(<odd>, bool)
bool(<odd>)
str(<move>) * 2
(<x> := <odd>)
sorted(<odd>)
sorted([3, 'a', <num>])
self.first_round
<odd> is <odd>
list(zip(<odd>, <odd>))
list(map(<odd>, <nums>))
'a' % []
'a' % <num>
max([])
min(<odd>, default=3)
list(enumerate(<odd>))
float('nan')
int(float('inf'))
list({1: 2}.keys())[0]
""")

CHANGES = _templates("""
self.nums = [*self.nums, <num>][-6:]
self.held = {*self.held, <num>} if len(self.held) < 9 else set()
self.num += 1
self.num -= <num>
self.nums += [<num>] ;; self.nums = self.nums[-8:]
y = list(<nums>) ;; y.append(<num>) ;; self.nums = y[-8:]
y = list(<nums>) ;; y.sort() ;; self.nums = y[:8]
y = list(<nums>) ;; y.sort(key=lambda a: -a, reverse=<flag>) ;; self.nums = y[:7]
y = <nums> + [2] ;; y[0] = <num> ;; self.nums = y[:8]
y = set(<held>) ;; y.add(<num>) ;; y.add(<move>) ;; y.discard(1) ;; self.held = y if len(y) < 9 else {3, 2}
y = set(<nums>) ;; y |= {<num>, <move>} ;; y -= {2} ;; self.held = y
y = set(<held>) ;; y &= {<num>, <move>, 1} ;; self.held = y
y = {} ;; for z in <moves>: ;;     y[z] = y.get(z, 0) + 1 ;; self.table = y
y = {} ;; for z in <nums>: ;;     y.setdefault(z, []).append(<num>) ;; self.odd = y
y = dict(<table>) ;; y.update({<text>: <num>}) ;; self.table = y if len(y) < 9 else {}
y = <nums> + [1] ;; z = y.pop() ;; self.num = z
y = <nums> + [1, 5] ;; y.insert(1, <num>) ;; y.remove(5) ;; y.reverse() ;; self.nums = y[:8]
y = list(<nums>) ;; y.extend(<nums>) ;; self.nums = y[:8]
y = {3, 1, <num>} ;; z = y.pop() ;; self.held = y
y = iter(<nums>) ;; z = [a for a in y if a != <num>] ;; self.odd = (z, list(y))
y = (self._random.randint(3) for z in range(3)) ;; self.num = next(y)
y = map(lambda a: a + self._random.randint(2), <nums>) ;; self.odd = next(y, 0)
y = [0, *<nums>] ;; for i, z in enumerate(y): ;;     if i < 9: ;;         y.append(i) ;; self.nums = y[-8:]
y = [1, 2] ;; z = y ;; z += [<num>] ;; self.nums = y
y = [1] ;; z = y ;; z = z + [<num>] ;; self.nums = y
y = [1] ;; y += <pair> ;; self.odd = y
y = [2] ;; y *= 2 ;; self.nums = y
y = dict(<table>) ;; for k, v in y.items(): ;;     y[k] = (v, 1) ;; self.odd = y
y = dict(<table>) ;; z = sorted(y.keys(), key=str) ;; self.odd = z
y = 0 ;; while y < len(<nums>): ;;     y += 1 ;; self.num = y
i = 0 ;; for y, z in zip(<nums>, <moves>): ;;     i += y if z == <move> else 1 ;; self.num = i
y = <moves> ;; self.flag = y == self.history and len(y) > <num>
y = [<move> for z in range(2)] ;; y[-1] = y[0].flip() ;; self.moves = y
y = <pair> ;; self.pair = y[:3]
self.move = <move> ;; self.flag = not self.flag
y = {<move>: 1} ;; y[<move>] = 2 ;; self.table = y
y = 2 ;; y **= 3 ;; y <<= 1 ;; y //= 3 ;; y %= 4 ;; self.num = y
self.text = (self.text + <text>)[-9:]
self.text = str(self.nums)[:9]
y = [[<num>, <text>], [1, 'b']] ;; y.sort(key=lambda a: str(a)) ;; self.odd = y
y = [[]] * 2 ;; y[0].append(<num>) ;; self.odd = y
""")

BREAKS = _templates("""
y = self.history ;; y.append(<move>)
y = opponent.history ;; y += [<move>]
y = self.history ;; y[0] = <move>
y = self.history ;; y.sort(key=str)
y = [self.history] ;; y[0] *= 2
y = self.history ;; y.clear()
y = (1, 2) ;; y[0] = 3
y = {1: 2} ;; for z in y: ;;     y[z + 1] = 1
y = {1} ;; for z in y: ;;     y.add(z + 1)
y, z = <nums>
for y, z in <nums>: ;;     pass
y = 'ab' ;; y[0] = 'c'
y = {} ;; y[<nums>] = 1
y = [3, 'a', 1] ;; y.sort()
y = opponent.history ;; y.remove(<move>)
y = [1, 2] ;; y.remove(9)
y = {1} ;; y.remove(<num>)
y = [] ;; y.pop()
y = [1] ;; y += <odd>
y = <num> ;; y += <text>
y = {1} ;; y |= [2]
y = {1} ;; y ^= {2}
y = <odd> ;; y += 1
y = <odd> ;; y *= 2
y = <odd> ;; y -= {1}
y = opponent.history ;; y *= <num>
y = <odd> ;; y.append(1)
y = <odd> ;; y.add(1)
y = <odd> ;; y[0] = 1
y = <odd> ;; y.update({1: 2})
y = <odd>.items()
y = <odd>.union({1})
""")


def program(seed: int) -> str:
    """Source of one program, ``def strategy(self, opponent)``; the same for the same seed."""
    author = _Author(seed)
    start = [
        "if self.first_round():",
        "    self.mark = 0",
        *(f"    self.{k} = {v}" for k, v in FIRST.items()),
    ]
    lines = [line for _ in range(author.r.randint(3, 9)) for line in author.statement(2)]
    values = [*(name for kind in KINDS for name in author.names[kind]), "self.mark"]
    end = [
        "total = 0",
        f"for value in [{', '.join(values)}]:",
        "    total = (total * 31 + fold(value, 0)) % 10007",
        "return axl.Action.C if total % 2 else axl.Action.D",
    ]
    body = "\n".join([FOLD.strip(), *start, *lines, *end])
    return "def strategy(self, opponent):\n" + textwrap.indent(body, "    ") + "\n"


def occurrences(sources: Iterable[str]) -> Counter[str]:
    """In how many sources each syntax node and each called builtin occurs."""
    found: Counter[str] = Counter()
    for source in sources:
        nodes = list(ast.walk(ast.parse(source)))
        here = {type(node).__name__ for node in nodes}
        here |= {
            f"{node.func.id}()"
            for node in nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        here |= {f".{node.attr}" for node in nodes if isinstance(node, ast.Attribute)}
        found.update(here)
    return found
