"""The engine holds, and blames nobody, whatever a host was started with and however a player answers."""

import os
import subprocess
import sys
import threading

import pytest
from confinement_needed import needs_seccomp

from intent.arena.entrant import Entrant
from intent.arena.match import Job, MatchRules, Played
from intent.arena.sandbox.confined import ConfinedEngine
from intent.arena.sandbox.process import Budget
from intent.arena.sandbox.referee import Remote
from intent.arena.sandbox.runtime import Rules
from intent.arena.sandbox.zygote import LONGEST_REMEMBERED, _Zygote, compiled_short

PLAY = """
import resource, signal
from intent.arena.entrant import Entrant
from intent.arena.match import Job, MatchRules
from intent.arena.sandbox.confined import ConfinedEngine
{}
code = "def strategy(self, opponent):\\n    return axl.Action.C\\n"
with ConfinedEngine(1) as engine:
    (played,) = engine.play([Entrant("a", code)], [Job(0, 0, (1,) * 40)], MatchRules(turns=5))
    assert played.moves.all(), played
"""


@needs_seccomp
@pytest.mark.parametrize(
    "before",
    [
        "for n in (signal.SIGCHLD, signal.SIGTERM, signal.SIGXCPU): signal.signal(n, signal.SIG_IGN)",
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))",
        "resource.setrlimit(resource.RLIMIT_CPU, (60, 60))",
    ],
)
def test_what_a_host_was_started_with_is_no_hindrance(before):
    done = subprocess.run([sys.executable, "-c", PLAY.format(before)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@needs_seccomp
@pytest.mark.parametrize("apart", [False, True])
def test_names_in_other_alphabets_are_no_crime(apart):
    source = "def strategy(self, opponent):\n    zug_größe = 1\n    return axl.Action.C\n"
    with ConfinedEngine(1, apart=apart) as engine:
        (result,) = engine.play([Entrant("a", source)], [Job(0, 0, (1,))], MatchRules(turns=3))
    assert isinstance(result, Played)


def test_a_player_that_does_not_read_holds_nobody_up():
    read, write = os.pipe()

    class Child:
        input = write

        def begin_match(self):
            pass

    def fill():
        player = Remote(
            Child(), {}, Rules((3, 0, 5, 1), 1, 0.0, False, True, False), False, Budget(0, 0, 0, 0)
        )
        for _ in range(100_000):
            player.tell(0, 1)

    thread = threading.Thread(target=fill, daemon=True)
    thread.start()
    thread.join(20)
    stuck = thread.is_alive()
    os.close(read)
    thread.join(20)
    os.close(write)
    assert not stuck


def test_long_sources_are_not_compiled_outside_a_child():
    zygote = _Zygote()
    short = "def strategy(self, opponent):\n    return axl.Action.C\n"
    for source in (short, short + "#" * LONGEST_REMEMBERED):
        zygote._remember(source)
    assert list(zygote._known) == [short]


def test_long_chains_of_moves_are_read_once():
    body = "\n".join("    self" + ".C" * 200 for _ in range(100))
    code = compiled_short(f"def strategy(self, opponent):\n{body}\n    return axl.Action.C\n")
    assert "axl.Action.C" in next(c for c in code.co_consts if hasattr(c, "co_names")).co_names
