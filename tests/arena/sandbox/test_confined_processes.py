"""The processes of the sandbox: what is in them, and that none of them stays."""

import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from confinement_needed import needs_seccomp

from intent.arena.entrant import Entrant
from intent.arena.match import Job, Limits, MatchRules, Played
from intent.arena.sandbox.confined import ConfinedEngine, Zygote
from intent.base.errors import RunError

pytestmark = needs_seccomp

PATIENT = Limits(cpu=30)
LONG = Entrant("long", source="def strategy(self, opponent):\n    sum(range(10**10))\n")
SHORT = Entrant("short", source="def strategy(self, opponent):\n    return axl.Action.C\n")
ONE = [Job(0, 0, (1,))]
RULES = MatchRules(turns=10)


def play(entrant, apart=False):
    with ConfinedEngine(1, apart=apart) as engine:
        (result,) = engine.play([SHORT, entrant], [Job(0, 1, (1,))], RULES)
    return result


REACH = """def strategy(self, opponent):
    for kind in ().__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            names = kind.__init__.__globals__
            raise ValueError({})
"""


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("dict(names['environ'])", "{}"),
        ("names['sys'].stdout", "None"),
        ("[n for n in names['sys'].path if 'site-packages' in n]", "[]"),
    ],
)
def test_nothing_of_the_host_is_in_the_process(what, told):
    result = play(Entrant("spy", source=REACH.format(what)))
    assert result.reason == f"line 5: ValueError: {told}"


@pytest.mark.parametrize(
    "what", ["names['open']('/etc/passwd', 0)", "names['fork']()", "names['system']('true')"]
)
@pytest.mark.parametrize("apart", [False, True])
def test_a_forbidden_call_ends_the_process(what, apart):
    result = play(Entrant("spy", source=REACH.format(what)), apart)
    assert (result.player, result.kind) == (1, "killed")
    assert "system call" in result.reason


@pytest.fixture
def long_match():
    """A match that would take minutes: its zygote and its player, and what became of the play."""
    ended, before = [], set(children(os.getpid()))

    def run():
        with ConfinedEngine(1, PATIENT) as engine, pytest.raises(RunError) as error:
            list(engine.play([LONG], ONE, RULES))
        ended.append(error.value)

    thread = threading.Thread(target=run)
    thread.start()
    yield (*wait_for(lambda: family(os.getpid())), ended)
    while thread.is_alive():
        for zygote in set(children(os.getpid())) - before:
            os.kill(zygote, signal.SIGKILL)
        thread.join(0.02)
    assert set(children(os.getpid())) <= before


def test_a_player_has_its_channel_and_no_rights(long_match):
    _, player, _ = long_match
    status = status_of(player)
    assert (status["NoNewPrivs"], status["Threads"]) == ("1", "1")
    if os.getuid() == 0:
        assert status["Uid"].split() == status["Gid"].split() == ["65534"] * 4
        assert status["Groups"].strip() == ""
        assert sorted(os.listdir(f"/proc/{player}/fd")) == ["0", "1", "2", "3"]
        assert {os.readlink(f"/proc/{player}/fd/{n}") for n in "012"} == {"/dev/null"}
        assert Path(f"/proc/{player}/environ").read_bytes() in (b"", b"PYTHONHASHSEED=0\0")


def test_a_zygote_that_dies_takes_its_player_with_it_and_is_replaced_once(long_match):
    zygote, player, ended = long_match
    os.kill(zygote, signal.SIGKILL)
    wait_for(lambda: not alive(player))
    again, _ = wait_for(lambda: family(os.getpid()))
    assert again != zygote
    assert not ended
    os.kill(again, signal.SIGKILL)
    wait_for(lambda: ended)
    assert "has ended" in str(ended[0])


def test_a_play_that_is_left_ends_its_processes():
    before = set(children(os.getpid()))
    with ConfinedEngine(2, PATIENT) as engine:
        results = engine.play([SHORT, LONG], [Job(0, 0, (1,)), Job(1, 1, (1,))], RULES)
        assert isinstance(next(results), Played)
        _, player = wait_for(lambda: family(os.getpid()))
        results.close()
        wait_for(lambda: not alive(player))
    assert set(children(os.getpid())) == before


def test_ctrl_c_ends_a_play_and_its_processes():
    script = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it\n"
        "from intent.arena.sandbox.confined import ConfinedEngine\n"
        "from intent.arena.match import Limits\n"
        "from intent.arena.entrant import Entrant\n"
        "from intent.arena.match import Job, MatchRules\n"
        f"field = [Entrant('long', source={LONG.source!r})]\n"
        "with ConfinedEngine(2, Limits(cpu=30)) as engine:\n"
        "    list(engine.play(field, [Job(0, 0, (1,))], MatchRules(turns=10)))\n"
    )
    host = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE)
    zygote, player = wait_for(lambda: family(host.pid))
    host.send_signal(signal.SIGINT)
    _, told = host.communicate(timeout=20)
    assert b"KeyboardInterrupt" in told
    wait_for(lambda: not alive(player) and not alive(zygote))


def test_a_host_that_is_killed_leaves_nothing():
    script = (
        "from intent.arena.sandbox.confined import Zygote, request\n"
        "from intent.arena.match import Limits\n"
        "from intent.arena.match import MatchRules\n"
        f"player = {{'source': {LONG.source!r}, 'seeded': True}}\n"
        "Zygote().ask(request('pair', [player, player], (1,), MatchRules(turns=10), Limits(cpu=30)))\n"
    )
    host = subprocess.Popen([sys.executable, "-c", script])
    zygote, player = wait_for(lambda: family(host.pid))
    host.kill()
    host.wait()
    wait_for(lambda: not alive(player) and not alive(zygote))


def test_nothing_stays_after_many_matches():
    before = set(children(os.getpid()))
    with ConfinedEngine(1) as engine:
        list(engine.play([SHORT, LONG], ONE, RULES))
        (zygote,) = set(children(os.getpid())) - before
        files = len(os.listdir("/proc/self/fd"))
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert sum(1 for _ in engine.play([SHORT], ONE * 150, MatchRules(turns=1000))) == 150
        wait_for(lambda: len(children(zygote)) == 3)  # the nursery and those that wait for players
        assert len(os.listdir("/proc/self/fd")) == files
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - held < 20_000
        assert os.getuid() != 0 or channels(zygote) == 3 + 1
    assert not alive(zygote)


def test_nothing_stays_after_many_matches_apart():
    with ConfinedEngine(1, apart=True) as engine:
        before = set(children(os.getpid()))
        list(engine.play([SHORT], ONE, RULES))
        (zygote,) = set(children(os.getpid())) - before
        nursery = min(children(zygote))
        jobs = [Job(0, i % 2, (1,)) for i in range(60)]
        ended = list(engine.play([SHORT, Entrant("spy", source=REACH.format("1"))], jobs, RULES))
        assert sum(isinstance(result, Played) for result in ended) == 30
        wait_for(lambda: len(children(zygote)) == 3)
        assert min(children(zygote)) == nursery
        assert os.getuid() != 0 or channels(zygote) == 3 + 1
        wait_for(lambda: os.getuid() != 0 or channels(nursery) == 3 + 1 + 2)
        waiting = children(zygote)
    assert not any(Path(f"/proc/{pid}").exists() for pid in waiting)


def test_a_nursery_that_is_gone_is_replaced_with_its_zygote():
    before = set(children(os.getpid()))
    with ConfinedEngine(1, apart=True) as engine:
        list(engine.play([SHORT], ONE, RULES))
        (zygote,) = set(children(os.getpid())) - before
        os.kill(min(children(zygote)), signal.SIGKILL)
        assert all(isinstance(result, Played) for result in engine.play([SHORT], ONE * 5, RULES))
        assert not alive(zygote)


SEARCH = """def strategy(self, opponent):
    for kind in ().__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            modules = kind.__init__.__globals__["sys"].modules
            found = [o for o in modules["gc"].get_objects() if o.__class__ is {}.__class__ and MARK in o]
            raise ValueError(len(found))
"""


@pytest.mark.parametrize("apart", [False, True])
def test_nothing_of_earlier_pairs_is_in_a_player_s_process_apart(apart):
    spy = Entrant("spy", source=SEARCH.replace("MARK", repr(SHORT.source)))
    with ConfinedEngine(1) as engine:
        assert all(isinstance(result, Played) for result in engine.play([SHORT], ONE * 3, RULES))
        engine.apart = apart
        results = list(engine.play([SHORT, spy], [Job(0, 1, (1,))] * 3, RULES))
    assert [result.reason for result in results] == ["line 6: ValueError: 0"] * 3


def test_a_zygote_that_is_gone_is_an_error():
    zygote = Zygote()
    os.kill(zygote.pid, signal.SIGKILL)
    with pytest.raises(RunError, match="has ended"):
        zygote.ask({"op": "probe", "budget": (2**28, 2.0, 4.0, 1)})
    zygote.close()


def children(parent):
    """By the parent that each process names: a list of children leaves some out while others end."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # ended meanwhile
        if int(fields[1]) == parent:
            found.append(int(path.parent.name))
    return found


def channels(process):
    """Its open pipes, sockets and devices; some builds of ctypes keep a library open, too."""
    folder = Path(f"/proc/{process}/fd")
    return sum(not stat.S_ISREG(path.stat().st_mode) for path in folder.iterdir())


def family(parent):
    """A zygote and the player that it has confined, or nothing; others wait for a player."""
    for pid in children(parent):
        for below in children(pid):
            if alive(below) and status_of(below)["Seccomp"] == "2":
                return pid, below
    return None


def status_of(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(question):
    deadline = time.monotonic() + 20
    while not (answer := question()):
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)
    return answer


@pytest.mark.parametrize("apart", [False, True])
def test_who_is_ended_from_outside_is_not_to_blame(apart):
    """As by a kernel without memory: the job is played again, and nobody is at fault."""
    slow = Entrant(
        "slow", source="def strategy(self, opponent):\n    sum(range(4 * 10**5))\n    return axl.Action.C\n"
    )
    before = set(children(os.getpid()))
    with ConfinedEngine(1, apart=apart) as engine:
        list(engine.play([SHORT], ONE, RULES))
        (zygote,) = set(children(os.getpid())) - before
        idle = set(children(zygote))
        ended = []

        def end_a_player():
            wait_for(lambda: set(children(zygote)) - idle or apart)
            time.sleep(0.1)
            players = set(children(zygote)) if apart else set(children(zygote)) - idle
            ended.append(max(players))
            os.kill(max(players), signal.SIGKILL)

        killer = threading.Thread(target=end_a_player)
        killer.start()
        (result,) = engine.play([slow], [Job(0, 0, (1,))], MatchRules(turns=40))
        killer.join()
    assert ended
    assert isinstance(result, Played), result
