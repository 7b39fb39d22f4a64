"""Equilibrium of the sequential N-person duel."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.gamma.battle_royale import battle_equilibrium, top_target_play

SETTINGS = {
    "51-60": tuple(r / 100 for r in range(51, 61)),
    "35-80": tuple(r / 100 for r in range(35, 85, 5)),
    "10-100": tuple(r / 100 for r in range(10, 110, 10)),
}


def chances_under(rates: tuple[float, ...], plan: dict[tuple[tuple[int, ...], int], int | None]) -> dict:
    """Slow and independent: chances to win of all in all states, the Markov chain of a pure plan solved."""
    n = len(rates)
    states = [
        (alive, i) for k in range(2, n + 1) for alive in itertools.combinations(range(n), k) for i in alive
    ]
    index = {state: j for j, state in enumerate(states)}
    a, b = np.eye(len(states)), np.zeros((len(states), n))
    for (alive, i), j in index.items():
        target = plan[alive, i]
        moves = [(1.0, alive)]
        if target is not None:
            moves = [(rates[i], tuple(s for s in alive if s != target)), (1 - rates[i], alive)]
        for chance, left in moves:
            if len(left) == 1:
                b[j, left[0]] += chance
            else:
                following = next((s for s in left if s > i), left[0])
                a[j, index[left, following]] -= chance
    wins = np.linalg.lstsq(a, b, rcond=None)[0]
    return dict(zip(states, wins, strict=True))


def plan_of(rates: tuple[float, ...]) -> dict:
    return {
        (alive, i): alive[stage.targets[place]] if stage.shoots[place] else None
        for alive, stage in battle_equilibrium(rates).items()
        if len(alive) > 1
        for place, i in enumerate(alive)
    }


def test_the_duel_in_closed_form() -> None:
    p, q = 0.3, 0.8
    first = p / (1 - (1 - p) * (1 - q))
    assert battle_equilibrium((p, q))[0, 1].wins[0] == pytest.approx((first, 1 - first))


def test_mosteller_s_three_cornered_duel() -> None:
    """Fifty Challenging Problems in Probability, no. 20: A (.3) fires into the air, B (1) hits C (.5)."""
    stage = battle_equilibrium((0.3, 1.0, 0.5))[0, 1, 2]
    assert stage.shoots == (0, 1, 1)
    assert stage.wins[0] == pytest.approx((0.3, 0.7, 0))


def test_the_truel_of_thirds() -> None:
    """A 1/3, B 2/3, C 1: A misses and wins with 2/3·3/7 + 1/3·1/3 = 25/63."""
    stage = battle_equilibrium((1 / 3, 2 / 3, 1.0))[0, 1, 2]
    assert stage.shoots == (0, 1, 1)
    assert stage.wins[0] == pytest.approx((25 / 63, 8 / 21, 2 / 9))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(5, 100), min_size=3, max_size=3))
def test_no_plan_of_a_player_beats_the_equilibrium_of_three(percent: list[int]) -> None:
    """Against the plans of the two others, all plans of each player in all states."""
    rates = tuple(p / 100 for p in percent)
    assert battle_equilibrium(rates)[0, 1, 2].epsilon == 0
    assert set(battle_equilibrium(rates)[0, 1, 2].shoots) <= {0, 1}
    plan = plan_of(rates)
    wins = chances_under(rates, plan)
    assert wins[(0, 1, 2), 0] == pytest.approx(battle_equilibrium(rates)[0, 1, 2].wins[0])
    for player in range(3):
        mine = [state for state in plan if state[1] == player]
        for actions in itertools.product(*([None, *(s for s in alive if s != player)] for alive, _ in mine)):
            other = chances_under(rates, plan | dict(zip(mine, actions, strict=True)))
            assert all(
                other[state][player] <= wins[state][player] + 1e-9 for state in wins if player in state[0]
            )


@pytest.mark.parametrize("name", SETTINGS)
def test_no_deviation_pays_in_the_settings_of_the_paper(name: str) -> None:
    """Of all sets of the ten players: by one deviation of the shooter, to every target, or to a miss."""
    rates = SETTINGS[name]
    stages = battle_equilibrium(rates)
    assert len(stages) == 1023
    for alive, stage in stages.items():
        if len(alive) == 1:
            continue
        assert stage.epsilon == 0
        for place, i in enumerate(alive):
            missed = stage.wins[(place + 1) % len(alive)][place]
            gains = [missed]
            for target in alive:
                if target == i:
                    continue
                left = tuple(s for s in alive if s != target)
                following = next((s for s in left if s > i), left[0])
                after = stages[left].wins[left.index(following)][left.index(i)]
                gains.append(rates[i] * after + (1 - rates[i]) * missed)
            assert stage.wins[place][place] == pytest.approx(max(gains), abs=1e-9)


def test_mixing_is_needed_where_no_pure_profile_is_stable() -> None:
    """Seats 3 to 7 of the paper's 35 to 80 per cent: two of them mix."""
    stage = battle_equilibrium(SETTINGS["35-80"])[2, 3, 4, 5, 6]
    assert [round(x, 3) for x in stage.shoots] == [1, 0.988, 0.395, 0, 0]


def test_who_never_hits_never_wins_and_two_of_them_never_end() -> None:
    assert battle_equilibrium((0.0, 0.0))[0, 1].wins[0] == (0, 0)
    assert battle_equilibrium((0.0, 0.5))[0, 1].wins[0] == pytest.approx((0, 1))


def test_top_target_play_is_a_chain_of_its_own() -> None:
    """Three shooters at the top target: solved slowly."""
    rates = (0.2, 0.5, 0.7)
    plan = {((0, 1, 2), 0): 2, ((0, 1, 2), 1): 2, ((0, 1, 2), 2): 1}
    plan |= {((a, b), a): b for a, b in itertools.combinations(range(3), 2)}
    plan |= {((a, b), b): a for a, b in itertools.combinations(range(3), 2)}
    slow = chances_under(rates, plan)
    assert np.allclose(top_target_play(rates).wins, [slow[(0, 1, 2), i] for i in range(3)])
