"""Moves as globals: the same play, and nothing that a source can tell."""

import pytest

from intent.arena.sandbox.runtime import namespace
from intent.arena.sandbox.values import C, D
from intent.arena.sandbox.zygote import compiled_short

HEAD = "def strategy(self, opponent):\n    "


def names_of(body):
    code = compiled_short(HEAD + body)
    return next(c for c in code.co_consts if hasattr(c, "co_names")).co_names


def test_moves_become_one_look_up():
    assert names_of("return axl.Action.C if self.history else axl.Action.D") == (
        "history",
        "axl.Action.C",
        "axl.Action.D",
    )
    assert (namespace()["axl.Action.C"], namespace()["axl.Action.D"]) == (C, D)


@pytest.mark.parametrize(
    "body",
    [
        "axl = self\n    return axl.Action.C",
        "return (lambda axl: axl.Action.C)(self)",
        "return [axl.Action.C for axl in [self]][0]",
        "global axl\n    return axl.Action.C",
        "import axl\n    return axl.Action.C",
        "def axl(): pass\n    return axl.Action.C",
        "try: pass\n    except ValueError as axl: return axl.Action.C",
        "axl.Action.C = 3",
        "return axl.Action",
        "return self.axl.Action.C",
        "return axl.player.C",
    ],
)
def test_other_meanings_of_the_words_stay(body):
    assert {"axl.Action.C", "axl.Action.D"}.isdisjoint(names_of(body))


def test_what_does_not_compile_says_so():
    with pytest.raises(SyntaxError):
        compiled_short("def strategy(")
