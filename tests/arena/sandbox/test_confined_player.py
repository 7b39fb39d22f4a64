"""A written strategy at somebody else's table, move by move."""

import pytest
from confinement_needed import needs_seccomp

from intent.arena.entrant import Entrant
from intent.arena.match import Limits, MatchRules
from intent.arena.sandbox.confined import ConfinedPlayer, PlayerFault
from intent.arena.sandbox.values import Generator
from intent.base.errors import UsageError
from intent.strategies.catalogue import strategy

pytestmark = needs_seccomp

RULES = MatchRules(turns=5)


def player(body, seed=1, limits=None):
    return ConfinedPlayer(
        Entrant("it", source=f"def strategy(self, opponent):\n    {body}\n"), RULES, seed, limits
    )


def answers(table, others):
    """Own moves against those of the other."""
    own = [table.move()]
    for other in others:
        own.append(table.move(own[-1], other))
    return own


def test_it_answers_what_was_realised():
    with player("return opponent.history[-1] if opponent.history else axl.Action.C") as table:
        assert answers(table, [0, 1, 1, 0]) == [1, 0, 1, 1, 0]


def test_an_automaton_can_sit_there_too():
    with ConfinedPlayer(Entrant("GRIM", automaton=strategy("GRIM")), RULES, 1) as table:
        assert answers(table, [1, 0, 1, 1]) == [1, 1, 0, 0, 0]


def test_both_scores_are_current():
    with player("return axl.Action.D if opponent.score > self.score else axl.Action.C") as table:
        assert answers(table, [0, 0, 1]) == [1, 0, 0, 1]


def test_its_chance_is_that_of_the_seed():
    drawn = [int(u < 0.5) for u in Generator(8).random(5)]
    with player("return self._random.random_choice(.5)", seed=8) as table:
        assert answers(table, [1, 1, 1, 1]) == drawn


def test_a_fault_says_what_happened():
    with player("return opponent.history[-1]") as table, pytest.raises(PlayerFault) as error:
        table.move()
    assert str(error.value) == "strategy it: error: line 2: IndexError: list index out of range"
    assert error.value.kind == "error"


def test_after_a_fault_there_is_no_next_move():
    with player("return 3") as table:
        for last in ((), (1, 1)):
            with pytest.raises(PlayerFault):
                table.move(*last)


def test_an_endless_move_ends():
    with player("sum(range(10**12))", limits=Limits(cpu=0.1)) as table, pytest.raises(PlayerFault) as error:
        table.move()
    assert error.value.kind == "time"


@pytest.mark.parametrize("last", [(1, None), (1, 1), (None, 0)])
def test_the_first_move_follows_no_round(last):
    with player("return axl.Action.C") as table, pytest.raises(UsageError):
        table.move(*last)


def test_later_moves_need_the_last_round():
    with player("return axl.Action.C") as table:
        table.move()
        with pytest.raises(UsageError):
            table.move()


def test_a_player_that_was_closed_begins_anew():
    table = player("return axl.Action.D if self.history else axl.Action.C")
    assert answers(table, [1]) == [1, 0]
    table.close()
    assert answers(table, [1]) == [1, 0]
    table.close()


def test_seeds_are_bounded():
    with pytest.raises(UsageError):
        player("return axl.Action.C", seed=-1)
