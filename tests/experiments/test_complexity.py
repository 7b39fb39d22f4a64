"""How many states play needs."""

from __future__ import annotations

import numpy as np

from experiments.agent_architectures.results import matches, states_needed
from intent import Trajectories
from intent.strategies.catalogue import strategy
from intent.strategies.sets import strategy_set


def test_play_needs_the_states_of_the_simplest_strategy_that_explains_it() -> None:
    X = Trajectories.from_strings(
        ["CCCC", "DDDD", "CCDC", "CCCDDD", "...."], ["DDDD", "CCCC", "CDCC", "CDDCCC", "CCCC"]
    )
    assert states_needed(X, strategy_set("rr20"))[:4].tolist() == [1, 1, 2, 3]
    assert np.isnan(states_needed(X, strategy_set("rr20"))[4])


def test_a_strategy_of_the_twenty_remembers_its_own_output_and_not_what_was_played() -> None:
    X = Trajectories.from_strings(["DDCD"], ["CDDC"])
    wsls = strategy("WSLS")
    assert matches(X, [wsls.with_memory("intended")]).tolist() == [[0.0]]
    assert matches(X, [wsls.with_memory("realised")]).tolist() == [[0.75]]
    assert {s.memory for s in strategy_set("rr20")} == {"intended"}
