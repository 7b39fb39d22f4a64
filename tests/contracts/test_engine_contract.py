"""What every engine does: honest code plays the same, and attacks get nowhere."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from attack_rows import Attack
from attacks import ATTACKS, HONEST

from intent.arena.engines import engine_status, make_engine
from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, Limits, MatchRules, Played
from intent.base.errors import UsageError
from intent.strategies.catalogue import strategy

NAMES = ("seccomp", "strict", "monty")
TURNS = 30
RULES = MatchRules(turns=TURNS, noise=0.1)
LIMITS = Limits(cpu=0.3, wall=0.6)
SECRET = "canary-7d1f"

BYSTANDER = """
def strategy(self, opponent):
    if self.first_round():
        self.seen = []
        return axl.Action.C
    self.seen.append(opponent.history[-1])
    if opponent.history.defections > opponent.history.cooperations:
        return axl.Action.D
    if self.score < opponent.score and len(self.seen) % 3 == 0:
        return opponent.history[-1].flip()
    return self._random.random_choice(0.8)
"""

GAMBLER = """
def strategy(self, opponent):
    if any(self._random.random() < 0.2 for _ in range(5)):
        return self._random.choice([axl.Action.C, axl.Action.D])
    return axl.Action.C if self._random.randint(0, 10) < 7 else axl.Action.D
"""

CALM = [
    Entrant("bystander", BYSTANDER),
    Entrant("gambler", GAMBLER),
    Entrant("honest", HONEST),
    Entrant("TFT", automaton=strategy("TFT")),
    Entrant("RANDOM", automaton=strategy("RANDOM")),
]
PAIR = Job(0, 1, (5, 6))
ATTACKER = len(CALM)


def children(of: int) -> set[int]:
    """Processes that descend from `of`."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if words[0] != "Z":
                parents[int(entry.name)] = int(words[1])
    found = {of}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {of}


def outcomes(
    engine: Engine, field: list[Entrant], jobs: list[Job], rules: MatchRules = RULES
) -> dict[Job, object]:
    """Job -> its moves, or its fault."""
    played = engine.play(field, iter(jobs), rules)
    return {r.job: r.moves if isinstance(r, Played) else r for r in played}


@pytest.fixture(scope="module", params=NAMES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """One engine for all tests here, so that each attack meets what the ones before left behind."""
    why = engine_status()[request.param]
    if why is not None:
        pytest.skip(f"no engine {request.param} here: {why}")
    before = children(os.getpid())
    with make_engine(request.param, workers=2, limits=LIMITS) as made:
        yield made
    deadline = time.monotonic() + 5
    while (left := children(os.getpid()) - before) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left, "processes are left behind"


@pytest.fixture(scope="module")
def calm() -> np.ndarray:
    """Moves of the pair that no attacker comes near."""
    name = next(n for n in NAMES if engine_status()[n] is None)
    with make_engine(name, workers=1, limits=LIMITS) as first:
        moves = outcomes(first, CALM, [PAIR])[PAIR]
    assert isinstance(moves, np.ndarray)
    return moves


@pytest.fixture(scope="module")
def honest() -> dict[int, np.ndarray]:
    """Seat of an honest player -> moves of its match with the bystander."""
    jobs = {0: Job(2, 0, (9,)), 1: Job(0, 2, (9,))}
    name = next(n for n in NAMES if engine_status()[n] is None)
    with make_engine(name, workers=1, limits=LIMITS) as first:
        found = outcomes(first, CALM, list(jobs.values()))
    return {seat: np.asarray(found[job]) for seat, job in jobs.items()}


def rows(quick: bool) -> list[object]:
    chosen = [a for a in ATTACKS.values() if a.quick is quick]
    return [pytest.param(a, id=a.name, marks=() if quick else pytest.mark.slow) for a in chosen]


@pytest.mark.parametrize("attack", [*rows(quick=True), *rows(quick=False)])
def test_an_attack_gets_nowhere(
    attack: Attack,
    engine: Engine,
    calm: np.ndarray,
    honest: dict[int, np.ndarray],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    canary, made = tmp_path / "canary", tmp_path / "made"
    canary.write_text(SECRET)
    canary.chmod(0o666)
    tmp_path.chmod(0o777)
    monkeypatch.setenv("INTENT_CANARY", SECRET)
    field = [*CALM, Entrant(attack.name, attack.aimed(canary, made))]
    attacking = {0: Job(ATTACKER, 0, (9,)), 1: Job(0, ATTACKER, (9,))}
    beside = Job(0, 1, (5, 6))
    begun = time.monotonic()
    found: list[Played | Fault] = list(
        engine.play(field, [beside, attacking[0], beside, attacking[1], beside], RULES)
    )
    assert time.monotonic() - begun < 60, "an attack held the engine up"
    others = [r for r in found if r.job == PAIR]
    assert len(found) == 5
    assert len(others) == 3
    for r in others:
        assert isinstance(r, Played), f"another pair was spoiled: {r}"
        np.testing.assert_array_equal(r.moves, calm)
    for seat, job in attacking.items():
        (result,) = [r for r in found if r.job == job]
        judge(attack, result, honest[seat], sees_inside=engine.name != "seccomp")
    assert canary.read_text() == SECRET
    assert sorted(p.name for p in tmp_path.iterdir()) == ["canary"]
    assert capfd.readouterr() == ("", "")


def judge(attack: Attack, result: Played | Fault, honest: np.ndarray, sees_inside: bool) -> None:
    """A fault of the attacker that reads well, or the moves of an honest player."""
    if isinstance(result, Played):
        if not attack.inside or sees_inside:
            assert attack.harmless, f"nothing was noticed; it tries to {attack.tries}"
            np.testing.assert_array_equal(result.moves, honest)
        return
    if attack.inside and not sees_inside and result.player != ATTACKER:
        return
    assert result.player == ATTACKER, result.reason
    assert result.kind in attack.kinds, f"{result.kind}: {result.reason}"
    assert 0 < len(result.reason) <= 400
    assert result.reason.isprintable()
    assert "ESCAPED" not in result.reason
    assert SECRET not in result.reason


def test_the_memory_of_the_host_is_bounded(engine: Engine) -> None:
    names = ("huge_message", "list_bomb", "one_string", "returns_huge_text")
    field = [*CALM, *(Entrant(name, ATTACKS[name].source) for name in names)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes(engine, field, [Job(ATTACKER + k, 0, (1,)) for k in range(len(names))])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


HONEST_JOBS = [Job(i, j, (3, 4)) for i in range(len(CALM)) for j in range(len(CALM))]


@cache
def honest_play(rules: MatchRules) -> dict[Job, object]:
    """What the first engine that is there plays of them, one after another."""
    with make_engine(next(n for n in NAMES if engine_status()[n] is None), workers=1) as reference:
        return outcomes(reference, CALM, HONEST_JOBS, rules)


@pytest.mark.parametrize("fidelity", ["axelrod", "clean"])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_honest_code_plays_the_same_on_every_engine(engine: Engine, fidelity: str, noise: float) -> None:
    rules = MatchRules(turns=TURNS, noise=noise, fidelity=fidelity)  # type: ignore[arg-type]
    expected = honest_play(rules)
    found = outcomes(engine, CALM, HONEST_JOBS[::-1], rules)
    for job in HONEST_JOBS:
        np.testing.assert_array_equal(found[job], expected[job])


def test_repetitions_together_are_the_same_as_one_by_one(engine: Engine) -> None:
    together = outcomes(engine, CALM, [Job(0, 1, (3, 4, 5))])[Job(0, 1, (3, 4, 5))]
    single = outcomes(engine, CALM, [Job(0, 1, (s,)) for s in (3, 4, 5)])
    np.testing.assert_array_equal(together, np.concatenate([single[Job(0, 1, (s,))] for s in (3, 4, 5)]))


def test_attributes_live_on_only_where_asked_for(engine: Engine) -> None:
    source = (
        "def strategy(self, opponent):\n"
        "    self.calls = getattr(self, 'calls', 0) + 1\n"
        "    return axl.Action.C if self.calls <= 30 else axl.Action.D"
    )
    field = [Entrant("counter", source), Entrant("honest", HONEST)]
    job = Job(0, 1, (1, 2))
    fresh = np.asarray(outcomes(engine, field, [job], MatchRules(turns=TURNS))[job])
    kept = np.asarray(outcomes(engine, field, [job], MatchRules(turns=TURNS, reuse_instances=True))[job])
    assert fresh[:, 0].all()
    assert kept[0, 0].all()
    assert not kept[1, 0].any()


def test_a_player_is_told_the_length_only_where_it_is_known(engine: Engine) -> None:
    source = (
        "def strategy(self, opponent):\n"
        "    return axl.Action.C if self.match_attributes['length'] == -1 else axl.Action.D"
    )
    field = [Entrant("asks", source), Entrant("honest", HONEST)]
    job = Job(0, 1, (1,))
    assert not np.asarray(outcomes(engine, field, [job], MatchRules(turns=3))[job])[0, 0].any()
    assert np.asarray(outcomes(engine, field, [job], MatchRules(turns=3, known_length=False))[job])[
        0, 0
    ].all()


def test_an_engine_left_half_way_ends(engine: Engine) -> None:
    jobs = (Job(0, 1, (k,)) for k in range(10**9))
    for n, _ in enumerate(engine.play(CALM, jobs, RULES)):
        if n == 3:
            break
    assert next(jobs).seeds[0] < 100, "jobs are drawn as workers get free"


@pytest.mark.parametrize("job", [Job(0, len(CALM), (1,)), Job(-1, 0, (1,)), Job(0, 1, ()), Job(0, 1, (-1,))])
def test_a_job_that_is_none_is_an_error(engine: Engine, job: Job) -> None:
    with pytest.raises(UsageError):
        list(engine.play(CALM, [job], RULES))
