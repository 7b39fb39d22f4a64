"""On every engine a player is blamed for what it does alone, and never for its opponent."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest

from intent.arena.engines import engine_status, make_engine
from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, Limits, MatchRules, Played
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest
from intent.arena.tournament.table import play_round_robin
from intent.strategies.catalogue import strategy

NAMES = ("seccomp", "strict", "monty")
RULES = MatchRules(turns=12, noise=0.1)
MB = 10**6
MEMORY = 64 * 2**20
LIMITS = Limits(memory=MEMORY, output=200_000)
SALT = Salt(bytes(32))


def written(name: str, body: str) -> Entrant:
    return Entrant(name, f"def strategy(self, opponent):\n    {body}\n    return axl.Action.C\n")


def hoarder(size: int) -> Entrant:
    return written("hoarder", f"self.hoard = getattr(self, 'hoard', None) or 'x' * {size}")


BYSTANDER = Entrant(
    "bystander",
    """
def strategy(self, opponent):
    total = 0
    for i in range(3000):
        total += i
    self.notes = "n" * 3000000
    if self._random.random() < 0.2:
        return axl.Action.D
    return opponent.history[-1] if opponent.history else axl.Action.C
""",
)
TFT = Entrant("TFT", automaton=strategy("TFT"))
NEVER = written("never", "while True: pass")
FILLS = written("fills", "self.x = []\n    while True: self.x.append('x' * 1000000)")
PRINTS = written("prints", "print('x' * 90000)")
SHOUTS = written("shouts", "print('x' * 9000)")
RAISES = written("raises", "raise MemoryError")


@pytest.fixture(scope="module", params=NAMES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if (why := engine_status()[request.param]) is not None:
        pytest.skip(f"no engine {request.param} here: {why}")
    with make_engine(request.param, workers=2, limits=LIMITS) as made:
        yield made


@pytest.fixture(scope="module")
def quick(engine: Engine) -> Iterator[Engine]:
    """The same kind with little time, for those who never end."""
    limits = Limits(memory=MEMORY, output=200_000, cpu=0.2, wall=1)
    with make_engine(engine.name, workers=1, limits=limits) as made:
        yield made


def fate(engine: Engine, first: Entrant, second: Entrant, rules: MatchRules = RULES) -> Played | Fault:
    job = Job(0, 1, (SALT.match(first.name, second.name, 0),))
    (result,) = engine.play([first, second], [job], rules)
    return result


def largest(engine: Engine, other: Entrant, seat: int, sizes: range = range(60, 72)) -> int:
    """Most of these megabytes that a hoarder keeps without a fault; it alone is ever blamed."""
    held = []
    for size in sizes:
        me = hoarder(size * MB)
        result = fate(engine, *((me, other) if seat == 0 else (other, me)))
        if isinstance(result, Played):
            held.append(size)
        else:
            assert (result.player, result.kind) == (seat, "memory"), result
    assert held
    assert held == list(range(sizes.start, held[-1] + 1))
    return held[-1]


@pytest.mark.parametrize("seat", [0, 1])
def test_a_hoarder_is_judged_by_what_it_hoards_alone(engine: Engine, seat: int) -> None:
    alone = largest(engine, TFT, seat)
    assert abs(largest(engine, BYSTANDER, seat, range(alone - 2, alone + 3)) - alone) <= 1
    assert abs(alone - MEMORY / MB) <= 5, "the same on every engine"


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("attacker", [NEVER, FILLS, PRINTS, RAISES], ids=lambda e: e.name)
def test_a_bystander_is_never_blamed(quick: Engine, attacker: Entrant, seat: int) -> None:
    for other in (BYSTANDER, TFT):
        result = fate(quick, *((attacker, other) if seat == 0 else (other, attacker)))
        assert isinstance(result, Fault)
        assert result.player == seat, result


def test_two_that_print_too_much_together_play(engine: Engine) -> None:
    """Where written code can print at all; elsewhere it has no such name, which is an error of its own."""
    result = fate(engine, SHOUTS, written("also", "print('y' * 9000)"), MatchRules(turns=12))
    if engine.name == "monty":
        assert isinstance(result, Played), result
    else:
        assert isinstance(result, Fault)
        assert (result.player, result.kind) == (0, "error")


@pytest.mark.slow
def test_two_that_are_too_slow_together_play(engine: Engine) -> None:
    """Each takes three fifths of the time, as measured; together they take more than there is."""
    rules, steps = MatchRules(turns=4), 1_000_000
    slow = "for _ in range({}): pass"
    begun = time.perf_counter()
    assert isinstance(fate(engine, written("one", slow.format(steps)), TFT, rules), Played)
    each = time.perf_counter() - begun
    limits = Limits(memory=MEMORY, cpu=1.7 * each, wall=1.7 * each)
    pair = written("one", slow.format(steps)), written("two", slow.format(steps))
    with make_engine(engine.name, workers=1, limits=limits) as tight:
        result = fate(tight, *pair, rules)
    assert isinstance(result, Played), result


@pytest.mark.parametrize("reuse", [False, True])
def test_a_session_for_each_player_plays_the_same(reuse: bool) -> None:
    if (why := engine_status()["monty"]) is not None:
        pytest.skip(why)
    from intent.arena.sandbox.monty import MontyEngine

    rules = MatchRules(turns=40, noise=0.1, reuse_instances=reuse)
    scores = written("scores", "if self.score > opponent.score: return axl.Action.D")
    field = [BYSTANDER, TFT, scores, Entrant("RANDOM", automaton=strategy("RANDOM"))]
    streams = tuple(SALT.match("a", "b", r) for r in range(2))
    jobs = [Job(i, j, streams) for i in range(4) for j in range(4)]
    with MontyEngine(1) as together, MontyEngine(1, apart=True) as apart:
        expected = {r.job: r for r in together.play(field, jobs, rules)}
        for result in apart.play(field, jobs, rules):
            np.testing.assert_array_equal(result.moves, expected[result.job].moves)  # type: ignore[union-attr]


def test_results_among_others_are_the_same_without_the_attackers(engine: Engine) -> None:
    calm = (BYSTANDER, TFT, Entrant("RANDOM", automaton=strategy("RANDOM")))
    wild = (*calm, hoarder(64 * MB), FILLS, PRINTS)
    tables = [play_round_robin(field, RULES, Contest(2, SALT, engine)) for field in (calm, wild)]
    n = len(calm)
    np.testing.assert_array_equal(tables[0].outcomes, tables[1].outcomes[:n, :n])
    assert {fault.player for fault in tables[1].faults} <= {n, n + 1, n + 2}
