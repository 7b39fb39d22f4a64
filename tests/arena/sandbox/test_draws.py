"""What chance decides outside the players, against the generator that runs beside written code."""

import pytest

from intent.arena.match import MatchRules, flips_text, match_draws
from intent.arena.sandbox.values import Generator

SEEDED = [(True, True), (False, True), (True, False), (False, False)]


@pytest.mark.parametrize("seed", [0, 1, 12345, 2**32 - 2])
@pytest.mark.parametrize("seeded", SEEDED)
def test_seeds_of_players_come_before_the_flips(seed, seeded):
    match = Generator(seed)
    expected = [match.randint(0, 2**32 - 1) if own else 0 for own in seeded]
    seeds, flips = match_draws(seed, seeded, MatchRules(turns=30, noise=0.2))
    assert seeds == expected
    assert flips.tolist() == [[u < 0.2 for u in pair] for pair in match.random(30, 2)]


def test_nothing_is_flipped_without_noise():
    assert match_draws(1, (True, True), MatchRules(turns=30))[1].shape == (0, 2)


def test_a_digit_tells_whose_move_is_flipped():
    _, flips = match_draws(3, (True, True), MatchRules(turns=50, noise=0.4))
    assert [int(digit) for digit in flips_text(flips)] == [2 * a + b for a, b in flips.tolist()]
    assert set(flips_text(flips)) == set("0123")
