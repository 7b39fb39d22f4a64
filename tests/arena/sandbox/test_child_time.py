"""Time on the clock: code that lacks a processor is not to blame, code that sleeps is."""

import json

import pytest
from confinement_needed import needs_seccomp

from intent.arena.entrant import Entrant
from intent.arena.match import Limits, MatchRules
from intent.arena.sandbox.confined import Zygote, player_spec, request

pytestmark = needs_seccomp

BUSY = "def strategy(self, opponent):\n    sum(range(8_000_000))\n    return axl.Action.C\n"
ASLEEP = """def strategy(self, opponent):
    for kind in ().__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            lock = kind.__init__.__globals__["sys"].modules["_thread"].allocate_lock()
            lock.acquire()
            lock.acquire()
"""


def answer(source, what, cpu, wall):
    """Of a zygote to a match of one round against itself within these seconds of work and on the clock."""
    player = player_spec(Entrant("it", source=source))
    asked = request(what, [player, player], (1,), MatchRules(turns=1), Limits())
    zygote = Zygote()
    try:
        return zygote.ask(asked | {"budget": (2**28, cpu, wall, 1)})
    finally:
        zygote.close()


@pytest.mark.parametrize("what", ["pair", "apart"])
def test_code_that_works_may_take_longer_on_the_clock(what):
    assert answer(BUSY, what, cpu=30, wall=0.1)[0] == "M"


def test_code_that_sleeps_may_not():
    kind, told = answer(ASLEEP, "apart", cpu=30, wall=0.1)
    assert (kind, json.loads(told)["kind"]) == ("F", "time")
    assert answer(ASLEEP, "pair", cpu=30, wall=0.1)[0] == "S"


def test_patience_ends():
    kind, told = answer(BUSY.replace("8_000_000", "10**9"), "apart", cpu=30, wall=0.02)
    assert (kind, json.loads(told)["kind"]) == ("F", "time")
