"""What every strategy of the catalogue keeps; a new row of the catalogue brings these tests."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from intent.strategies.catalogue import CATALOGUE, OUTCOMES, Stepper, coin_flips, draw_automaton, strategy
from intent.strategies.likelihood import deviations, log_likelihood

pytestmark = pytest.mark.parametrize("s", CATALOGUE.values(), ids=lambda s: s.name)

ROUNDS = 3


def play(s, n, rounds, eps, rng):
    """`n` games of `s` under noise against fair coins: own and other moves."""
    stepper, own, other = Stepper(s, n), [], []
    for _ in range(rounds):
        intended = stepper.intended(rng)
        own.append(intended ^ coin_flips(n, eps, rng))
        other.append(coin_flips(n, 0.5, rng))
        stepper.advance(own[-1], other[-1], intended)
    return np.stack(own, axis=1).astype(np.int8), np.stack(other, axis=1).astype(np.int8)


def test_says_what_it_is_and_where_it_comes_from(s):
    assert s.rule
    assert any(character.isdigit() for character in s.citation), "a citation names a year"


def test_is_found_by_all_its_names(s):
    for name in (s.name, s.name.lower(), *s.synonyms, *(n.upper() for n in s.synonyms)):
        assert strategy(name) is s


def test_shares_no_name_with_another(s):
    taken = Counter(n.casefold() for t in CATALOGUE.values() for n in (t.name, *t.synonyms))
    assert [n for n in (s.name, *s.synonyms) if taken[n.casefold()] > 1] == []


def test_has_no_state_out_of_reach(s):
    assert sorted(s.reachable()) == list(range(s.n_states))


def test_is_drawn_with_every_state(s):
    assert draw_automaton(s).count("plays") == s.n_states


def test_memory_one_vector_is_what_histories_show(s):
    reached, after = {s.start}, [set() for _ in OUTCOMES]
    for _ in range(5):
        steps = [(o, s.next_state[state][o]) for state in reached for o in range(4)]
        for o, state in steps:
            after[o].add(s.p_cooperate[state])
        reached = {state for _, state in steps}
    if all(len(probabilities) == 1 for probabilities in after):
        assert s.memory_one_vector() == (s.p_cooperate[s.start], *(p for (p,) in after))
    else:
        assert s.memory_one_vector() is None


def test_intended_moves_follow_the_table(s, rng):
    stepper, state = Stepper(s, 1), s.start
    for _ in range(50):
        intended = stepper.intended(rng)
        own, other = rng.integers(0, 2, (2, 1), dtype=np.uint8)
        assert s.p_cooperate[state] not in (0.0, 1.0) or intended[0] == s.p_cooperate[state]
        stepper.advance(own, other, intended)
        state = s.next_code(state, int(own[0]), int(other[0]))


@pytest.mark.parametrize("memory", ["realised", "intended"])
@pytest.mark.parametrize("eps", [0.0, 0.1])
def test_frequencies_of_play_match_the_likelihood(s, memory, eps, rng):
    s = s.with_memory(memory)
    n = 50_000
    own, other = play(s, n, ROUNDS, eps, rng)
    bits = 1 << np.arange(2 * ROUNDS)
    seen = np.bincount(np.hstack([own, other]) @ bits, minlength=4**ROUNDS)
    every = ((np.arange(4**ROUNDS)[:, None] & bits) > 0).astype(np.int8)
    likelihood = np.exp(log_likelihood(every[:, :ROUNDS], every[:, ROUNDS:], None, [s], eps)[:, 0])
    expected = n * likelihood * 0.5**ROUNDS
    possible = expected > 0
    assert seen[~possible].sum() == 0
    chi_square = ((seen - expected)[possible] ** 2 / expected[possible]).sum()
    df = possible.sum() - 1
    assert chi_square < df + 6 * np.sqrt(2 * df)


def test_play_without_noise_is_consistent_with_itself(s, rng):
    own, other = play(s, 500, 12, 0.0, rng)
    assert np.isfinite(log_likelihood(own, other, None, [s], 0.0)).all()
    assert not deviations(own, other, None, [s]).any()
