"""Attacks by what is returned, by what is raised, and by what is no strategy."""

from __future__ import annotations

from attack_rows import ENDED, NO_MOVE, STOPPED, attack, plain

_RETURNS = {
    "none": "None",
    "true": "True",
    "zero": "0",
    "one": "1",
    "letter": "'C'",
    "nan": "float('nan')",
    "huge_text": "'C' * 10 ** 7",
    "codes": "'\\x1b[31mC\\n'",
    "huge_number": "10 ** 4000",
    "class": "axl.Action",
    "method": "axl.Action.C.flip",
    "function": "lambda: axl.Action.C",
    "pair": "(axl.Action.C, axl.Action.D)",
    "list": "[axl.Action.C]",
    "history": "self.history",
    "itself": "self",
    "generator": "(x for x in [axl.Action.C])",
    "ellipsis": "...",
    "cycle": "[d for d in [{}] if not d.update({1: d})]",
}
_QUICK = ("none", "true", "letter", "huge_text", "codes", "pair")
_RAISES = ("SystemExit", "KeyboardInterrupt", "GeneratorExit", "MemoryError")

ROWS = (
    # what is returned
    *(
        plain(
            f"returns_{name}",
            f"return {value}, which is no move",
            f"return {value}",
            frozenset({"value"}),
            quick=name in _QUICK,
        )
        for name, value in _RETURNS.items()
    ),
    attack(
        "equals_everything",
        "return what says that it equals a move",
        """
    kind = ().__class__.__class__("Chameleon", (), {"__eq__": lambda s, o: True, "__hash__": lambda s: 0})
    return kind()
    """,
        STOPPED | {"value"},
    ),
    attack(
        "explodes",
        "return what cannot be looked at",
        """
    def bang(self, *args):
        while True:
            pass
    names = ("__bool__", "__eq__", "__hash__", "__repr__", "__str__", "__len__", "__iter__")
    return ().__class__.__class__("Bang", (), {n: bang for n in names})()
    """,
        ENDED | {"value"},
    ),
    attack(
        "made_action",
        "return a move of its own making",
        "return modules()['builtins'].object.__new__(axl.Action)",
        STOPPED | {"value"},
    ),
    plain("yields", "be a generator", "yield axl.Action.C", NO_MOVE, quick=True),
    plain(
        "waits",
        "be a coroutine",
        "async def strategy(self, opponent):\n    return axl.Action.C",
        NO_MOVE,
        whole=True,
    ),
    # what is raised
    *(
        attack(
            f"raises_{name}",
            f"raise {name}",
            f"raise modules()['builtins'].{name}('out')",
            frozenset({"error", "killed", "memory"}),
        )
        for name in _RAISES
    ),
    plain("raises", "raise", "1 / 0", frozenset({"error"}), quick=True),
    plain("stops", "raise StopIteration", "raise StopIteration", frozenset({"error"})),
    # what is no strategy
    plain(
        "syntax",
        "be no Python",
        "def strategy(self, opponent)\n    return axl.Action.C",
        frozenset({"refused"}),
        whole=True,
        quick=True,
    ),
    plain(
        "null",
        "hide bytes",
        "def strategy(self, opponent):\n    return axl.Action.C\x00",
        frozenset({"refused"}),
        whole=True,
    ),
    plain("nothing", "define nothing", "x = 1", frozenset({"refused"}), whole=True, quick=True),
    plain("no_function", "be no function", "strategy = 5", frozenset({"refused"}), whole=True),
    plain(
        "few_arguments",
        "take no opponent",
        "def strategy(self):\n    return axl.Action.C",
        frozenset({"error", "refused"}),
        whole=True,
    ),
    plain(
        "fullwidth",
        "write a name in other letters",
        "raise ValueError('ESCAPED ' + \uff4f\uff50\uff45\uff4e('CANARY').read())",
    ),
    plain(
        "homoglyph",
        "write a name in letters that look alike",
        "raise ValueError('ESCAPED ' + \u043epen('CANARY').read())",
    ),
    plain("surrogate", "hide half a character", "raise ValueError('\\ud800')", frozenset({"error"})),
    plain(
        "decorator",
        "run at load",
        "def twice(f):\n    raise ValueError('at load')\n@twice\ndef strategy(self, opponent):\n    return 1",
        frozenset({"error", "refused"}),
        whole=True,
    ),
)
