import numpy as np
import pytest
from axelrod_players import quiet_axelrod

from intent.arena.engines import AutomataEngine, play_automata
from intent.arena.entrant import Entrant
from intent.arena.match import Job, MatchRules
from intent.base.errors import UsageError
from intent.strategies.catalogue import strategy


def letters(moves):
    return ["".join("DC"[m] for m in row) for row in moves]


def test_tit_for_tat_against_suspicious_tit_for_tat_alternates():
    moves = play_automata((strategy("TFT"), strategy("STFT")), MatchRules(turns=6), 1)
    assert letters(moves) == ["CDCDCD", "DCDCDC"]


def test_draws_are_those_of_the_axelrod_library():
    """`axelrod.Match([Random(), TitForTat()], turns=8, seed=3, noise=.1)` in its version 4.14."""
    generator = np.random.RandomState(3)
    own = np.random.RandomState(generator.randint(0, 2**32 - 1, dtype="uint64"))
    flips = generator.rand(16).reshape(8, 2) < 0.1
    meant = own.rand(8) < 0.5
    moves = play_automata((strategy("RANDOM"), strategy("TFT")), MatchRules(turns=8, noise=0.1), 3)
    assert (moves[0] == meant ^ flips[:, 0]).all()
    assert (moves[1][1:] == moves[0][:-1] ^ flips[1:, 1]).all()


def test_written_code_is_refused():
    field = [Entrant("A", source="def strategy(self, opponent):\n    return 1\n")]
    with AutomataEngine() as engine, pytest.raises(UsageError, match="A is written code"):
        list(engine.play(field, [Job(0, 0, (1,))], MatchRules()))


@pytest.mark.axelrod
@pytest.mark.slow
def test_matches_of_the_library_move_for_move():
    axl = quiet_axelrod()

    players = {
        "TFT": axl.TitForTat,
        "RANDOM": axl.Random,
        "WSLS": axl.WinStayLoseShift,
        "GTFT(0.3)": lambda: axl.GTFT(0.3),
    }
    for first in players:
        for second in players:
            match = axl.Match([players[first](), players[second]()], turns=200, noise=0.1, seed=7)
            expected = "".join(str(a) for a, _ in match.play())
            moves = play_automata((strategy(first), strategy(second)), MatchRules(turns=200, noise=0.1), 7)
            assert letters(moves)[0] == expected, (first, second)


def test_the_sandbox_plays_automata_alike():
    from intent.arena.engines import engine_status, make_engine
    from intent.arena.field import catalogue_entrants

    if engine_status()["seccomp"] is not None:
        pytest.skip(f"no seccomp here: {engine_status()['seccomp']}")
    field = catalogue_entrants("all")
    jobs = [Job(i, (i + 1) % len(field), (11, 12)) for i in range(len(field))]
    rules = MatchRules(turns=60, noise=0.1)
    with make_engine("seccomp", workers=1) as sandbox, AutomataEngine() as here:
        theirs = {played.job: played.moves for played in sandbox.play(field, jobs, rules)}
        for played in here.play(field, jobs, rules):
            assert (played.moves == theirs[played.job]).all(), field[played.job.first].name
