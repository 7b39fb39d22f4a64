"""Matches in confined processes: the moves, and whose fault it was."""

import numpy as np
import pytest
from confinement_needed import needs_seccomp

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, Job, Limits, MatchRules, Played
from intent.arena.sandbox.confined import ConfinedEngine, unpack_moves
from intent.base.errors import RunError, UsageError
from intent.strategies.catalogue import strategy

pytestmark = needs_seccomp

TFT = "return opponent.history[-1] if opponent.history else axl.Action.C"
NEVER = "while True:\n        pass"


def code(body, name="it"):
    return Entrant(name, source=f"def strategy(self, opponent):\n    {body}\n")


def automaton(name):
    return Entrant(name, automaton=strategy(name))


ENGINES = {}


@pytest.fixture(scope="module", autouse=True)
def _close():
    yield
    for engine in ENGINES.values():
        engine.close()
    ENGINES.clear()


def play(*bodies, apart=False, seeds=(1,), limits=None, **rules):
    """The first of the field against the last, in one worker."""
    field = [b if isinstance(b, Entrant) else code(b) for b in bodies]
    engine = ENGINES.setdefault((apart, limits), ConfinedEngine(1, limits, apart=apart))
    (result,) = engine.play(field, [Job(0, len(field) - 1, seeds)], MatchRules(**{"turns": 10} | rules))
    return result


def letters(result):
    return ["".join("DC"[m] for m in seat) for seat in result.moves[0]]


@pytest.mark.parametrize("apart", [False, True])
def test_honest_play(apart):
    alternate = "return axl.Action.D if len(self.history) % 2 else axl.Action.C"
    assert letters(play(alternate, TFT, apart=apart)) == ["CDCDCDCDCD", "CCDCDCDCDC"]
    assert letters(play(automaton("ALLD"), TFT, apart=apart)) == ["D" * 10, "C" + "D" * 9]
    assert letters(play(automaton("GRIM"), automaton("ALLD"), apart=apart)) == ["C" + "D" * 9, "D" * 10]


def test_noise_and_chance_are_those_of_the_seed():
    one, two = play("return self._random.random_choice(.5)", TFT, seeds=(5, 6), noise=0.1, turns=200).moves
    again = play("return self._random.random_choice(.5)", TFT, seeds=(6,), noise=0.1, turns=200).moves[0]
    assert (two == again).all()
    assert (one != two).any()


@pytest.mark.parametrize(
    "body",
    [
        "return self._random.choice([axl.Action.C, axl.Action.D])",
        "return axl.Action.D if self.score > opponent.score else axl.Action.C",
        "return axl.Action.D if self._random.randint(0, 9) < 3 else opponent.history[-1:] == [axl.Action.D] "
        "and axl.Action.D or axl.Action.C",
    ],
)
@pytest.mark.parametrize("fidelity", ["axelrod", "clean"])
def test_a_process_per_player_plays_the_same(body, fidelity):
    other = "return axl.Action.C if opponent.score % 3 else axl.Action.D"
    how = {"noise": 0.1, "seeds": (1, 2, 3), "turns": 60, "fidelity": fidelity}
    assert (play(body, other, **how).moves == play(body, other, apart=True, **how).moves).all()


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(("fidelity", "seen"), [("axelrod", "CCDDD"), ("clean", "CDDDD")])
def test_the_first_seat_sees_the_score_of_code_late(apart, fidelity, seen):
    watch = "return axl.Action.D if opponent.score else axl.Action.C"
    result = play(watch, "return axl.Action.D", apart=apart, turns=5, fidelity=fidelity)
    assert letters(result)[0] == seen
    assert letters(play("return axl.Action.D", watch, apart=apart, turns=5))[1] == "CDDDD"
    assert letters(play(watch, automaton("ALLD"), apart=apart, turns=5))[0] == "CDDDD"


@pytest.mark.parametrize("apart", [False, True])
def test_attributes_live_on_only_where_that_is_asked(apart):
    body = 'self.n = getattr(self, "n", 0) + 1\n    return axl.Action.C if self.n <= 10 else axl.Action.D'
    assert play(body, TFT, seeds=(1, 2), apart=apart).moves[:, 0].mean(axis=1).tolist() == [1, 1]
    leak = play(body, TFT, seeds=(1, 2), apart=apart, reuse_instances=True)
    assert leak.moves[:, 0].mean(axis=1).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        ("return opponent.history[7]", "error", "line 2: IndexError: list index out of range"),
        ("return 1", "value", "returned 1, expected axl.Action.C or axl.Action.D"),
        ("return None", "value", "returned None"),
        ('return "C"', "value", "returned 'C'"),
        ("return axl.Action", "value", "expected axl.Action.C"),
        ("return (", "refused", "line 2: '(' was never closed"),
        ("self.x = [0] * 10**10", "memory", "more memory"),
        ("self.x = strategy(self, opponent)", "error", "RecursionError"),
        ("import os", "error", "ImportError"),
        ("open('/etc/passwd')", "error", "NameError"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_the_culprit_is_named(body, kind, reason, first):
    result = play(body, TFT) if first else play(TFT, body)
    assert isinstance(result, Fault)
    assert (result.player, result.kind) == (0 if first else 1, kind)
    assert reason in result.reason
    assert (result.repetition, result.turn) == (0, 0)


def test_the_place_of_a_fault_is_told():
    result = play("if len(self.history) == 7: return self.missing\n    return axl.Action.C", TFT)
    assert (result.turn, result.reason) == (
        7,
        "line 2: AttributeError: 'Myself' object has no attribute 'missing'",
    )


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("first", [True, False])
def test_endless_work_ends_in_time(apart, first):
    limits = Limits(cpu=0.2)
    result = play(NEVER, TFT, limits=limits, apart=apart) if first else play(TFT, NEVER, limits=limits)
    assert (result.player, result.kind) == (0 if first else 1, "time")


def test_time_is_counted_per_match():
    spend = "sum(range(60000))\n    return axl.Action.C"
    result = play(spend, TFT, seeds=tuple(range(12)), limits=Limits(cpu=0.15, wall=5))
    assert isinstance(result, Played)


def test_source_that_is_no_text_or_no_strategy():
    assert play(Entrant("a", source="x = '\ud800'"), TFT).kind == "refused"
    assert play(Entrant("a", source="x = 1"), TFT).kind == "refused"
    assert play(Entrant("a", source="x = 1 / 0"), TFT).kind == "error"
    assert play(Entrant("a", source="(" * 5000), TFT).kind == "refused"


def test_warnings_of_the_compiler_are_no_fault():
    assert letters(play('if "C" is 1: return axl.Action.D\n    return axl.Action.C', TFT))[0] == "C" * 10


def test_any_number_of_workers_plays_the_same():
    field = [code("return self._random.random_choice(.4)"), code(TFT), automaton("RANDOM"), code("return 1")]
    jobs = [Job(i, j, (7 * i + j, 3)) for i in range(4) for j in range(i, 4)]

    def results(workers):
        with ConfinedEngine(workers) as engine:
            found = {
                (r.job.first, r.job.second): r for r in engine.play(field, iter(jobs), MatchRules(noise=0.05))
            }
        return [found[job.first, job.second] for job in jobs]

    for one, three in zip(results(1), results(3), strict=True):
        assert isinstance(one, Fault) == isinstance(three, Fault)
        assert one == three if isinstance(one, Fault) else (one.moves == three.moves).all()


def test_jobs_are_drawn_as_workers_get_free():
    drawn = []

    def jobs():
        for n in range(50):
            drawn.append(n)
            yield Job(0, 0, (n,))

    with ConfinedEngine(2) as engine:
        results = engine.play([code(TFT)], jobs(), MatchRules(turns=5))
        for n in range(10):
            next(results)
            assert len(drawn) <= n + 1 + 4
        results.close()
        assert [r.job.seeds for r in engine.play([code(TFT)], [Job(0, 0, (1,))], MatchRules(turns=5))] == [
            (1,)
        ]


@pytest.mark.parametrize("job", [Job(0, 1, (1,)), Job(-1, 0, (1,)), Job(0, 0, ()), Job(0, 0, (2**32,))])
def test_jobs_that_cannot_be(job):
    with ConfinedEngine(1) as engine, pytest.raises(UsageError):
        list(engine.play([code(TFT)], [job], MatchRules(turns=5)))


def test_a_pair_has_only_so_many_rounds():
    with pytest.raises(UsageError, match="2 matches of 10 rounds by one pair, expected at most 19 rounds"):
        play(TFT, TFT, seeds=(1, 2), limits=Limits(output=19))


@pytest.mark.parametrize("body", [b"", b"\0" * 9, b"\0" * 11, b"\0" * 9 + b"\4"])
def test_nothing_that_comes_back_is_taken_on_trust(body):
    with pytest.raises(RunError):
        unpack_moves(body, 2, 5)


def test_moves_are_unpacked_by_seat():
    moves = unpack_moves(b"\0\1\2\3", 1, 4)
    assert moves.tolist() == [[[1, 1, 0, 0], [1, 0, 1, 0]]]
    assert moves.dtype == np.uint8


@pytest.mark.parametrize("limits", [{"memory": 1}, {"cpu": 0}, {"cpu": 2, "wall": 1}, {"output": 0}])
def test_limits_that_cannot_be(limits):
    with pytest.raises(UsageError):
        Limits(**limits)


def test_long_matches_may_take_longer():
    assert Limits().per_match(10) == (2, 4)
    assert Limits(wall=3).per_match(5000) == (10, 15)
