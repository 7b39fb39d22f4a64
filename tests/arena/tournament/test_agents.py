import numpy as np
import pytest

from intent.arena.engines import AutomataEngine
from intent.arena.entrant import Entrant
from intent.arena.match import Fault, MatchRules
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest, MatchStore
from intent.arena.tournament.standings import standings
from intent.arena.tournament.table import attitude_seats, count_moves, play_line_up
from intent.arena.tournament.tournament import line_up_matches
from intent.base.errors import UsageError
from intent.strategies.catalogue import strategy

SALT = Salt(bytes(32))


def entrant(name, of, group):
    return Entrant(name, automaton=strategy(of), group=group)


FIELD = (
    entrant("A1", "ALLD", "Aggressive"),
    entrant("A2", "GRIM", "Aggressive"),
    entrant("A3", "BULLY", "Aggressive"),
    entrant("C1", "ALLC", "Cooperative"),
    entrant("C2", "TFT", "Cooperative"),
    entrant("Random", "RANDOM", "human"),
)


class GuiltyThird(AutomataEngine):
    def play(self, field, jobs, rules):
        for result in super().play(field, jobs, rules):
            guilty = {result.job.first, result.job.second} & {2}
            yield Fault(result.job, 2, "error", "boom", 0) if guilty else result


def play(engine=None, repetitions=60, **settings):
    rules = MatchRules(turns=8)
    contest = Contest(repetitions, SALT, engine or AutomataEngine(), **settings)
    return play_line_up(FIELD, attitude_seats(FIELD), rules, contest)


def test_an_agent_for_each_attitude_then_the_others():
    assert [seat.name for seat in attitude_seats(FIELD)] == ["Aggressive", "Cooperative", "Random"]
    assert len(attitude_seats(FIELD, singles=True)) == 2 + 6


def test_without_attitudes_there_are_no_agents():
    with pytest.raises(UsageError, match="no strategy has an attitude"):
        attitude_seats(FIELD[5:])


def test_each_match_is_that_of_the_strategies_drawn():
    line_up = play()
    for r in range(60):
        a, b = line_up.drawn[0, 1, r]
        assert FIELD[a].group == "Aggressive"
        assert FIELD[b].group == "Cooperative"
        assert (line_up.table.outcomes[0, 1, r] == line_up.matches.outcomes[a, b, r]).all()
        assert (line_up.table.outcomes[1, 0, r] == line_up.matches.outcomes[b, a, r]).all()


def test_draws_are_uniform():
    counts = np.bincount(play(repetitions=600).drawn[0, 2, :, 0], minlength=3)
    assert ((counts > 160) & (counts < 240)).all()


def test_only_what_was_drawn_is_played(tmp_path):
    with MatchStore(tmp_path / "moves.sqlite") as store:
        line_up = play(repetitions=1, store=store)
        assert len(store) == line_up.matches.played[np.triu_indices(6)].sum() <= 6


def test_the_violin_of_an_agent_is_wider_than_that_of_a_strategy():
    rows = {row["name"]: row for row in standings(play().table)}
    assert set(rows) == {"Aggressive", "Cooperative", "Random"}
    assert rows["Aggressive"]["matches"] == 120


def test_matches_of_a_disqualified_strategy_are_drawn_again_and_no_others():
    clean, line_up = play(), play(GuiltyThird())
    assert line_up.table.played.all()
    assert not (line_up.drawn == 2).any()
    kept = clean.drawn != 2
    assert (clean.drawn[kept] == line_up.drawn[kept]).all()
    assert {fault.player for fault in line_up.matches.faults} == {2}


def test_moves_are_found_again_where_attributes_live_on():
    rules = MatchRules(turns=8, reuse_instances=True)
    with MatchStore(None) as store:
        contest = Contest(4, SALT, AutomataEngine(), store)
        line_up = play_line_up(FIELD, attitude_seats(FIELD), rules, contest)
        for match in line_up_matches(line_up, SALT, store, "all"):
            i, j = (("Aggressive", "Cooperative", "Random").index(name) for name in match.players)
            assert line_up.table.opened[i, j, match.repetition] == match.moves[0, 0]


def test_a_strategy_that_meets_itself_in_an_agent_has_two_seats_of_one_match(tmp_path):
    field = (entrant("A1", "RANDOM", "Aggressive"), FIELD[5])
    rules = MatchRules(turns=8)
    with MatchStore(tmp_path / "moves.sqlite") as store:
        contest = Contest(9, SALT, AutomataEngine(), store)
        line_up = play_line_up(field, attitude_seats(field, singles=True), rules, contest)
        table = line_up.table
        logged = list(line_up_matches(line_up, SALT, store, "all"))
    moves = [m.moves for m in logged if m.players == ("Aggressive", "A1")]
    assert len(moves) == 9
    counts = count_moves(np.stack(moves))
    for view, cell in enumerate(((0, 1), (1, 0))):
        assert (table.outcomes[cell] == counts.outcomes[view]).all()
        assert (table.followed[cell] == counts.followed[view]).all()
        assert (table.cooperated_after[cell] == counts.cooperated_after[view]).all()
        assert (table.opened[cell] == counts.opened[view]).all()
