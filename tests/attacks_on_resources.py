"""Attacks on time, memory, the stack, the parser and whoever reads what is said."""

from __future__ import annotations

from attack_rows import ENDED, attack, plain

ROWS = (
    # time
    plain("endless", "never return", "while True:\n    pass", frozenset({"time"})),
    plain(
        "endless_caught",
        "never return, and catch what would end it",
        "while True:\n    try:\n        while True:\n            pass\n    except:\n        pass",
        frozenset({"time"}),
        quick=True,
    ),
    plain("endless_sum", "never return from one call", "sum(range(10**12))", frozenset({"time"})),
    plain(
        "endless_iterator",
        "never return from an iterator",
        "for _ in iter(int, 1):\n    pass",
        frozenset({"time", "error"}),
    ),
    plain(
        "late_loop",
        "never return in a later round",
        "if len(self.history) == 20:\n    while True:\n        pass",
        frozenset({"time"}),
    ),
    plain(
        "endless_generator",
        "never return, in a generator",
        "any(x < 0 for x in range(10**12))",
        frozenset({"time", "memory"}),
    ),
    plain("huge_power", "one operation without end", "9 ** 9 ** 9", frozenset({"error"})),
    plain(
        "squaring",
        "huge integers, squared again and again",
        "x = 10 ** 100000\nwhile True:\n    x = x * x",
        frozenset({"time", "memory"}),
        quick=True,
    ),
    plain(
        "shift",
        "an integer larger than the machine",
        "1 << (1 << 40)",
        frozenset({"time", "memory", "error"}),
    ),
    plain(
        "digits",
        "an integer in decimal digits",
        "str(3 ** 10 ** 7)",
        frozenset({"time", "memory", "error"}),
    ),
    plain(
        "collisions",
        "keys that all have one hash",
        "d = {}\nfor i in range(200000):\n    d[i * (2 ** 61 - 1)] = 1",
        frozenset({"time", "memory"}),
        harmless=True,
    ),
    attack("sleep", "sleep", "bring('time').sleep(100)", frozenset({"killed", "time", "error"})),
    attack(
        "busy_sleep",
        "wait without work",
        "clock = bring('time').monotonic\nend = clock() + 100\nwhile clock() < end:\n    pass",
        frozenset({"killed", "time", "error"}),
    ),
    attack(
        "pause",
        "wait for a signal that never comes",
        "bring('_signal').pause()",
        frozenset({"killed", "time", "error"}),
    ),
    plain(
        "module_loop",
        "never load",
        "while True:\n    pass\ndef strategy(self, opponent):\n    return axl.Action.C",
        frozenset({"time"}),
        whole=True,
    ),
    # memory
    plain(
        "list_bomb",
        "a list without end",
        "x = [0]\nwhile True:\n    x = x + x",
        frozenset({"memory", "time"}),
        quick=False,
    ),
    plain(
        "string_bomb",
        "a string without end",
        "x = 'a'\nwhile True:\n    x = x + x",
        frozenset({"memory", "time"}),
    ),
    plain(
        "bytes_bomb",
        "bytes without end",
        "x = b'a'\nwhile True:\n    x = x + x",
        frozenset({"memory", "time"}),
    ),
    plain(
        "dict_bomb",
        "a dictionary without end",
        "d = {}\ni = 0\nwhile True:\n    d[i] = str(i) * 1000\n    i += 1",
        frozenset({"memory", "time"}),
    ),
    plain(
        "hoard",
        "a little more every round",
        "self.hoard = getattr(self, 'hoard', []) + [[0] * 4000000]",
        frozenset({"memory", "time"}),
    ),
    plain(
        "one_string", "a string larger than the machine", "'a' * 10 ** 12", frozenset({"memory"}), quick=True
    ),
    plain("format_bomb", "a string by its format", "'%1000000000000d' % 1", frozenset({"memory", "error"})),
    plain("padding", "a string by its padding", "'a'.ljust(10 ** 12)", frozenset({"memory"})),
    plain("list_of_range", "a list of a huge range", "list(range(10 ** 10))", frozenset({"memory", "time"})),
    plain(
        "defaults",
        "a default value larger than the machine",
        "def strategy(self, opponent, x=[0] * 10 ** 12):\n    return axl.Action.C",
        frozenset({"memory", "refused"}),
        whole=True,
    ),
    plain(
        "memory_caught",
        "memory without end, and catch what would end it",
        "x = [0]\nwhile True:\n    try:\n        x = x + x\n    except:\n        pass",
        frozenset({"memory", "time"}),
    ),
    # the stack and the parser
    plain(
        "recursion",
        "call itself without end",
        "return strategy(self, opponent)",
        frozenset({"error", "killed"}),
        quick=True,
    ),
    plain(
        "recursion_caught",
        "call itself without end, and catch what would end it",
        """
    def f():
        try:
            f()
        except:
            f()
    f()
    """,
        frozenset({"error", "time", "killed"}),
    ),
    plain(
        "nested_list",
        "a list in a list in a list",
        "x = []\nfor _ in range(100000):\n    x = [x]\nreturn x == [x]",
        frozenset({"error", "value", "killed"}),
    ),
    plain(
        "parentheses",
        "source nested too deep",
        f"def strategy(self, opponent):\n    return {'(' * 5000}1{')' * 5000}\n",
        frozenset({"refused"}),
        whole=True,
    ),
    plain(
        "unary",
        "source nested too deep for the compiler",
        f"def strategy(self, opponent):\n    return {'-' * 100000}1\n",
        frozenset({"refused"}),
        whole=True,
    ),
    plain(
        "long_source",
        "source that is too long",
        f"def strategy(self, opponent):\n    x = [{'0, ' * 200000}]\n    return axl.Action.C\n",
        frozenset({"refused", "time"}),
        harmless=True,
        whole=True,
    ),
    # what is printed and said
    plain(
        "print_flood",
        "print without end",
        "while True:\n    print('x' * 100000)",
        frozenset({"time", "output", "error"}),
    ),
    plain(
        "print_codes", "move the cursor", "print('\\x1b[2J\\x1b[H\\x07')", ENDED, harmless=True, quick=True
    ),
    attack(
        "stderr_flood",
        "write errors without end",
        "while True:\n    modules()['sys'].stderr.write('x' * 100000)",
        ENDED,
    ),
    plain(
        "huge_message",
        "an error with a huge message",
        "raise ValueError('z' * 10 ** 7)",
        frozenset({"error"}),
        quick=True,
    ),
    plain(
        "codes_in_message",
        "an error that moves the cursor",
        "raise ValueError('\\x1b[2J\\r\\n\\u202e\\x07\\x00 zz')",
        frozenset({"error"}),
        quick=True,
    ),
    attack(
        "message_that_runs",
        "an error whose text runs code",
        """
    def text(self):
        while True:
            pass
    above = (modules()["builtins"].Exception,)
    raise ().__class__.__class__("E", above, {"__str__": text, "__repr__": text})()
    """,
        ENDED,
    ),
)
