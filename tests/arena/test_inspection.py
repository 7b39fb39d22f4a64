"""Facts on strategies before use: portrait, nearest strategy, label, metrics, duplicates, faults."""

from __future__ import annotations

import numpy as np
import pytest
from automaton_engine import AutomatonEngine

from intent.arena.entrant import Entrant
from intent.arena.inspection import inspect_strategies, nearest_strategies, play_panel, portrait
from intent.arena.match import MatchRules
from intent.strategies.catalogue import Strategy, catalogue, strategy

RULES = MatchRules(turns=120)


def inspected(*names, rules=RULES, **settings):
    field = [Entrant(f"{name} {k}", automaton=strategy(name)) for k, name in enumerate(names)]
    return inspect_strategies(field, AutomatonEngine(), rules, **settings)


def test_the_portrait_of_a_memory_one_strategy_is_its_vector():
    for facts in inspected("TFT", "WSLS"):
        drawn = facts.portrait
        seen = (drawn.first.estimate, *(drawn.after[o].estimate for o in ("cc", "cd", "dc", "dd")))
        assert seen == facts.entrant.automaton.memory_one_vector()
        assert drawn.spread == 0


def test_outcomes_that_never_came_are_unknown():
    (facts,) = inspected("ALLD")
    assert facts.portrait.n["cc"] == facts.portrait.n["cd"] == 0
    assert np.isnan(facts.portrait.after["cc"].estimate)
    assert facts.portrait.after["dd"].estimate == 0


def test_a_random_strategy_is_recovered_with_its_intervals():
    (facts,) = inspected("GTFT", rules=MatchRules(turns=1000))
    generous = facts.portrait.after["cd"]
    assert generous.low < 1 / 3 < generous.high
    assert facts.portrait.n["cd"] > 300
    assert 0.3 < facts.portrait.spread < 0.6
    assert facts.portrait.first.estimate == 1


@pytest.mark.parametrize("name", [s.name for s in catalogue() if s.is_deterministic])
def test_a_strategy_is_nearest_to_itself(name):
    (facts,) = inspected(name)
    best = {other for other, share in facts.nearest if share == facts.nearest[0][1]}
    assert facts.nearest[0][1] == 1
    assert name in best


def test_a_fair_coin_is_worth_half_a_move():
    """Against ALLC and ALLD, TFT and a coin after every outcome agree on half of the moves."""
    toss = Strategy("toss", (1.0, 0.5), ((1, 1, 1, 1), (1, 1, 1, 1)))
    played = play_panel([Entrant("TFT", automaton=strategy("TFT"))], AutomatonEngine(), MatchRules(turns=101))
    ((name, share),) = nearest_strategies(played, [toss])[0]
    assert name == "toss"
    assert share == pytest.approx((1 + 100 / 2) / 101)


def test_the_default_recogniser_labels_the_play_against_random():
    tft, generous = inspected("TFT", "2TF2T")
    assert (tft.label.best, tft.label.status) == ("TFT", "confident")
    assert generous.label.status != "confident" or generous.label.best != "2TF2T"


def test_metrics_against_friend_and_foe():
    (facts,) = inspected("GRUDGER")
    assert facts.metrics["ALLC"]["cooperation_rate"] == (1, 120)
    assert facts.metrics["ALLD"]["cooperation_rate"][0] == pytest.approx(1 / 120)
    assert facts.metrics["ALLC"]["niceness"] == (1, 1)
    assert facts.metrics["ALLD"]["payoff"] == (pytest.approx(119 / 120), 1)
    assert facts.metrics["itself"]["payoff"][0] == 3


def test_the_same_play_is_found_under_other_names_chance_included():
    first, second, third, coin, other_coin = inspected("TFT", "TFT", "ALLD", "GTFT", "GTFT")
    assert first.same_play == ("TFT 1",)
    assert second.same_play == ("TFT 0",)
    assert third.same_play == ()
    assert coin.same_play == ("GTFT 4",)
    assert other_coin.same_play == ("GTFT 3",)


def test_a_fault_is_named_and_leaves_the_others_alone():
    source = "def strategy(self, opponent):\n    return self._random.random_choice(0.5) + self.score"
    field = [Entrant("bad", source), Entrant("good", automaton=strategy("TFT"))]
    bad, good = inspect_strategies(field, AutomatonEngine(), RULES)
    assert bad.portrait is None
    assert bad.flags[0] == "error in the sandbox: ValueError: <b>no</b>"
    assert {"draws random numbers", "reads scores"} < set(bad.flags)
    assert good.portrait is not None
    assert good.faults == ()
    assert good.seconds > 0


def test_a_portrait_of_no_match_but_one_round():
    moves = np.ones((2, 2, 1), dtype=np.uint8)
    drawn = portrait(moves)
    assert drawn.first.estimate == 1
    assert np.isnan(drawn.spread)


def test_of_strategies_that_fit_alike_one_that_never_randomises_comes_first():
    (facts,) = inspected("GRIM")
    assert facts.nearest[0][0] != "EXTORT2"
    assert strategy(facts.nearest[0][0]).is_deterministic
