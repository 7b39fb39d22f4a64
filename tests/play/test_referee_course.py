"""The referee of a game whose rules depend on the past: musical chairs, in which the lowest number is out."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from intent.base.errors import GameError
from intent.games.game import CourseGame, RoundOutcome
from intent.play.match import Horizon, to_log
from intent.play.players import ConstantPlayer
from intent.play.referee import Referee, play


@dataclass(frozen=True)
class Chairs:
    """The first living seat names a bar, the others a number; who is below it is out."""

    name: str = "chairs"
    n_players: int = 3
    kind: str = "reward"
    actions: tuple[str, ...] = ()
    cooperative_label: None = None
    open: bool = False

    def payoff(self, actions):
        raise GameError(f"{self.name} has no payoffs outside its course")

    def cooperative_action(self, seat):
        return None

    def to_json(self):
        return json.dumps({"rules": "chairs"})

    def facts(self):
        return {}

    def key(self, asked):
        return "number"

    def read(self, value, seat, asked):
        if not str(value).isdigit():
            raise GameError(f"{value!r}, expected a number")
        return str(int(value))

    def legal(self, seat, asked):
        return None

    equilibrium = best_reply = gains = best = legal

    def course(self, rng):
        return _Course(self, rng)


class _Course:
    def __init__(self, game, rng):
        self.rng, self.alive = rng, list(range(1, game.n_players + 1))

    @property
    def over(self):
        return len(self.alive) < 2

    def steps(self):
        return (tuple(self.alive[:1]), tuple(self.alive[1:]))

    def question(self, seat, earlier):
        return {"bar": next(iter(earlier.values()), None)}

    def complete(self, actions):
        first, luck = self.alive[0], float(self.rng.random())
        bar = int(actions[first] or 0)
        self.alive = [s for s in self.alive if s == first or int(actions[s] or 0) >= bar]
        pays = tuple(luck if s in self.alive else 0.0 for s in (1, 2, 3))
        return RoundOutcome(
            pays, {s: float(a or 0) for s, a in actions.items()}, {key: {"bar": bar} for key in actions}
        )


def referee(rounds=5, **how):
    return Referee(Chairs(), Horizon(rounds), rng=np.random.default_rng(1), **how)


def test_steps_show_what_was_done_before_and_end_the_match_when_one_is_left():
    match = referee()
    assert match.pending() == (1,)
    assert match.view(1).question == {"bar": None}
    assert match.view(2).question == {}
    match.submit(1, "5")
    assert match.pending() == (2, 3)
    assert match.view(3).question == {"bar": "5"}
    match.submit(2, "7")
    match.submit(3, "4")
    assert match.pending() == (1,)
    assert match.view(3).reports == ({"bar": 5},)
    match.submit(1, "9")
    match.submit(2, "1")
    assert match.over
    first, second = match.record
    assert [m.seat for m in second.moves] == [1, 2]
    assert [m.step for m in first.moves] == [1, 2, 2]
    assert first.values == {1: 5.0, 2: 7.0, 3: 4.0}
    assert second.action(3) is None


def test_a_view_of_a_closed_game_has_no_past_of_others():
    match = referee()
    for seat, number in ((1, "0"), (2, "3"), (3, "4")):
        match.submit(seat, number)
    view = match.view(2)
    assert view.own == ("3",)
    assert view.others == ((None,), (None,))
    assert view.reports[0] == {"bar": 0}


@pytest.mark.parametrize("action", ["five", "05"])
def test_an_answer_that_the_game_refuses_or_spells_otherwise_is_no_move(action):
    with pytest.raises(GameError, match="round 1, seat 1"):
        referee().submit(1, action)


@pytest.mark.parametrize(
    "how", [{"stop": [("1", "1", "1")]}, {"order": [(1, 2, 3)]}, {"communication": "sequential"}]
)
def test_a_course_has_no_other_rules_beside_it(how):
    with pytest.raises(GameError, match="its own course decides"):
        referee(**how)


def test_a_course_needs_a_generator():
    with pytest.raises(GameError, match="rng"):
        Referee(Chairs(), Horizon(2))


def test_the_log_has_one_row_per_event_with_its_number():
    assert isinstance(Chairs(), CourseGame)
    players = [ConstantPlayer("5"), ConstantPlayer("7"), ConstantPlayer("4")]
    log = to_log([play(Chairs(), players, Horizon(2), np.random.default_rng(0))])
    rows = log.moves[["round", "step", "seat", "value"]].to_numpy().tolist()
    assert rows == [[1, 1, 1, 5.0], [1, 2, 2, 7.0], [1, 2, 3, 4.0], [2, 1, 1, 5.0], [2, 2, 2, 7.0]]
    assert log.moves["cooperated"].isna().all()
    assert log.moves["payoff"].notna().all()
