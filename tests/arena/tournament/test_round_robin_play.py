import numpy as np
import pytest

from intent.arena.engines import AutomataEngine
from intent.arena.entrant import Entrant
from intent.arena.match import Fault, MatchRules, Played
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest, MatchStore
from intent.arena.tournament.table import count_moves, play_round_robin
from intent.base.errors import LimitError, UsageError
from intent.strategies.catalogue import strategy

NOISY = MatchRules(turns=50, noise=0.1)


def field(*names):
    return tuple(Entrant(name, automaton=strategy(name)) for name in names)


FOUR = field("TFT", "ALLD", "RANDOM", "WSLS")


class Counting(AutomataEngine):
    """Counts matches, ends jobs in reverse, and finds some players at fault."""

    def __init__(self, guilty=()):
        self.matches, self.guilty = 0, dict(guilty)

    def play(self, field, jobs, rules):
        for result in reversed(list(super().play(field, jobs, rules))):
            self.matches += len(result.job.seeds)
            pair = (field[result.job.first].name, field[result.job.second].name)
            culprit = self.guilty.get(pair)
            if culprit is None:
                yield result
            else:
                player = result.job.first if culprit == pair[0] else result.job.second
                yield Fault(result.job, player, "error", "boom", 0, 3)


def play(entrants=FOUR, rules=NOISY, engine=None, **settings):
    settings = {"repetitions": 3, "salt": Salt.of_field(entrants, 1), **settings}
    return play_round_robin(entrants, rules, Contest(engine=engine or Counting(), **settings))


def same(a, b):
    return all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for name in ("outcomes", "followed", "cooperated_after", "opened")
    ) and [f.reason for f in a.faults] == [f.reason for f in b.faults]


def test_counts_of_a_match_by_hand():
    moves = np.array([[[1, 1, 0, 0], [1, 0, 0, 1]]], dtype=np.uint8)
    counts = count_moves(moves)
    assert counts.outcomes.tolist() == [[[1, 1, 1, 1]], [[1, 1, 1, 1]]]
    assert counts.followed.tolist() == [[[1, 1, 0, 1]], [[1, 0, 1, 1]]]
    assert counts.cooperated_after.tolist() == [[[1, 0, 0, 0]], [[0, 0, 0, 1]]]
    assert counts.opened.tolist() == [[1], [1]]


def test_every_pair_in_both_directions_and_self_play_once():
    table = play()
    assert table.played.all()
    assert (table.outcomes.sum(axis=-1) == 50).all()
    mirrored = table.outcomes.swapaxes(0, 1)[..., [0, 2, 1, 3]]
    off = ~np.eye(4, dtype=bool)
    assert (table.outcomes[off] == mirrored[off]).all()


def test_what_cannot_differ_is_played_once():
    engine = Counting()
    table = play(rules=MatchRules(turns=20), engine=engine, repetitions=5)
    assert engine.matches == 6 + 4 * 5
    assert table.played.all()


def test_without_self_play():
    assert not play(self_play=False).played[range(4), range(4)].any()


def test_of_one_salt_a_match_is_the_same_in_a_larger_field():
    salt = Salt(bytes(32))
    small, large = play(field("TFT", "RANDOM"), salt=salt), play(salt=salt)
    assert (small.outcomes[0, 1] == large.outcomes[0, 2]).all()


def test_a_larger_field_has_another_salt():
    small, large = play(field("TFT", "RANDOM")), play()
    assert (small.outcomes[0, 1] != large.outcomes[0, 2]).any()


def test_the_store_spares_matches_and_changes_nothing(tmp_path):
    with MatchStore(tmp_path / "moves.sqlite") as store:
        first = play(store=store)
        again = Counting()
        assert same(play(store=store, engine=again), first)
        assert again.matches == 0
        more = Counting()
        play(store=store, engine=more, repetitions=4)
        assert more.matches == 10
        assert len(store) == 40


def test_a_part_in_the_store_is_completed(tmp_path):
    with MatchStore(tmp_path / "moves.sqlite") as store:
        play(store=store, entrants=field("TFT", "ALLD"))
        assert same(play(store=store), play())


def test_other_rules_are_other_matches(tmp_path):
    with MatchStore(tmp_path / "moves.sqlite") as store:
        play(store=store)
        engine = Counting()
        play(store=store, rules=MatchRules(turns=50, noise=0.2), engine=engine)
        assert engine.matches == 30


def test_a_player_at_fault_is_disqualified():
    table = play(engine=Counting({("ALLD", "RANDOM"): "RANDOM"}))
    assert not table.played[2].any()
    assert not table.played[:, 2].any()
    assert table.played[:2, :2].all()
    (fault,) = table.faults
    assert (fault.player, fault.kind, fault.repetition) == (2, "error", 0)


def test_or_only_the_spoiled_pair_is_left_out():
    table = play(engine=Counting({("ALLD", "RANDOM"): "RANDOM"}), faults="void")
    assert table.played.sum() == (16 - 2) * 3


def test_without_those_at_fault_it_is_as_if_they_were_disqualified():
    guilty = {("ALLD", "RANDOM"): "RANDOM"}
    void, barred = (play(engine=Counting(guilty), faults=policy) for policy in ("void", "disqualify"))
    assert same(void.without({fault.player for fault in void.faults}), barred)
    assert void.without(()) is void


def test_who_fails_against_itself_is_not_played_further():
    engine = Counting({("ALLD", "ALLD"): "ALLD"})
    play(engine=engine)
    assert engine.matches == (10 - 3) * 3


def test_progress_ends_at_its_total():
    told = []
    play(update=lambda done, total: told.append((done, total)))
    assert told[0] == (0, 30)
    assert told[-1] == (30, 30)


def test_what_is_no_field_is_refused():
    with pytest.raises(UsageError, match="no strategies"):
        play(entrants=())
    with pytest.raises(UsageError, match="two strategies are named 'TFT'"):
        play(entrants=field("TFT", "TFT"))
    with pytest.raises(LimitError, match="16,777,216"):
        play(repetitions=2_000_000)


def test_long_pairs_are_cut_into_jobs():
    sizes = []

    class Watching(AutomataEngine):
        def play(self, field, jobs, rules):
            for result in super().play(field, jobs, rules):
                assert isinstance(result, Played)
                sizes.append(len(result.job.seeds))
                yield result

    play(rules=MatchRules(turns=10_000, noise=0.1), engine=Watching(), repetitions=7, entrants=FOUR[:1])
    assert sizes == [5, 2]


def test_a_resumed_run_disqualifies_the_same_players(tmp_path):
    """ALLD fails against itself, RANDOM only against ALLD, whom it is then never to meet."""
    guilty = {("ALLD", "ALLD"): "ALLD", ("ALLD", "RANDOM"): "RANDOM"}
    whole = play(engine=Counting(guilty))
    with MatchStore(tmp_path / "moves.sqlite") as store:
        play(store=store, entrants=field("TFT", "RANDOM"))
        resumed = play(store=store, engine=Counting(guilty))
        again = play(store=store, engine=Counting(guilty))
    assert same(whole, resumed)
    assert same(whole, again)


def test_matches_of_an_interrupted_run_are_kept(tmp_path):
    def interrupt(done, total):
        if done == 9:
            raise KeyboardInterrupt

    with MatchStore(tmp_path / "moves.sqlite") as store:
        with pytest.raises(KeyboardInterrupt):
            play(store=store, update=interrupt)
        assert len(store) == 9
