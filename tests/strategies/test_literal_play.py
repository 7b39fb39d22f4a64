"""What every strategy plays, as literal strings of moves."""

from __future__ import annotations

import numpy as np
import pytest

from intent.strategies.catalogue import CATALOGUE, Stepper


def played(name: str, other: str, flipped: tuple[int, ...] = ()) -> str:
    """Realised own moves against `other`, where the intended move of some rounds (from 1) is flipped."""
    rng = np.random.default_rng(0)
    stepper, moves = Stepper(CATALOGUE[name], 1), ""
    for t, theirs in enumerate(other, start=1):
        intended = stepper.intended(rng)
        own = intended ^ np.uint8(t in flipped)
        stepper.advance(own, np.array([theirs == "C"], dtype=np.uint8), intended)
        moves += "C" if own[0] else "D"
    return moves


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("ALLC", "CCCCCCCCCCCC"),
        ("ALLD", "DDDDDDDDDDDD"),
        ("TFT", "CCDCCDDCCDDD"),
        ("DTFT", "DCDCCDDCCDDD"),
        ("WSLS", "CCDDDCDDDCDC"),
        ("GRIM", "CCDDDDDDDDDD"),
        ("GRUDGER", "CCDDDDDDDDDD"),
        ("GRIM2", "CCCCCCDDDDDD"),
        ("GRIM3", "CCCCCCCCCCCD"),
        ("TF2T", "CCCCCCDCCCDD"),
        ("TF3T", "CCCCCCCCCCCD"),
        ("2TFT", "CCDDCDDDCDDD"),
        ("2TF2T", "CCCCCCDDCCDD"),
        ("T2", "CCDDCDDCCDDC"),
        ("2WSLS", "CCDDDDCCCDDC"),
        ("CTOD", "CDDDDDDDDDDD"),
        ("DC", "DCDCDCDCDCDC"),
        ("BULLY", "DDCDDCCDDCCC"),
        ("DTF2T", "DCCCCCDCCCDD"),
        ("DTF3T", "DCCCCCCCCCCD"),
        ("DGRIM2", "DCDDDDDDDDDD"),
        ("DGRIM3", "DCCCCCCCCCCD"),
    ],
)
def test_against_cdccddccdddc(name, moves):
    assert played(name, "CDCCDDCCDDDC") == moves


@pytest.mark.parametrize(
    ("name", "other", "moves"),
    [
        ("DTF2T", "DDDCDDCD", "DCDDCCDC"),
        ("DTF3T", "DDDDDCDD", "DCCDDDCC"),
        ("DGRIM2", "DDCDDCCC", "DCDDDDDD"),
        ("DGRIM2", "CCDCDCDD", "DCCCCCCC"),
        ("DGRIM3", "CDDCCCCC", "DCCDDDDD"),
        ("DGRIM3", "DDCDDCDD", "DCCCCCCC"),
    ],
)
def test_round_one_is_part_of_the_history(name, other, moves):
    assert played(name, other) == moves


@pytest.mark.parametrize(
    ("name", "other", "flipped", "moves"),
    [
        ("TFT", "CCCCC", (2,), "CDCCC"),
        ("GRIM", "CCCCCC", (2,), "CDDDDD"),
        ("GRIM", "CDCCC", (4,), "CCDCD"),
        ("GRUDGER", "CCCCCC", (2,), "CDCCCC"),
        ("GRIM2", "CCCCCC", (2, 3), "CDDDDD"),
        ("GRIM2", "CCCCCC", (2, 4), "CDCDCC"),
        ("GRIM2", "CCDCCC", (2,), "CDCDDD"),
        ("GRIM3", "CCDCCC", (2, 4), "CDCDDD"),
        ("GRIM3", "CCDCCC", (2,), "CDCCCC"),
        ("DGRIM2", "CCCC", (2,), "DDDD"),
        ("DGRIM2", "CCCC", (1,), "CCCC"),
        ("DGRIM2", "CCCC", (1, 2), "CDDD"),
        ("DGRIM3", "CCCCCC", (2,), "DDCCCC"),
        ("DGRIM3", "CCCCCC", (2, 3), "DDDDDD"),
        ("WSLS", "CCCCC", (2,), "CDDDD"),
        ("WSLS", "CCCDC", (2,), "CDDDC"),
        ("2WSLS", "CCCCCC", (2,), "CDDDDD"),
        ("2WSLS", "CDDDCC", (2,), "CDDCDD"),
        ("T2", "CCCCCC", (2,), "CDDDCC"),
        ("T2", "CCCCCC", (2, 3), "CDCDCC"),
        ("T2", "CCCDCC", (2,), "CDDDCC"),
        ("CTOD", "CCCC", (1,), "DDDD"),
        ("DC", "CCCC", (2,), "DDDC"),
    ],
)
def test_own_moves_that_noise_flipped(name, other, flipped, moves):
    assert played(name, other, flipped) == moves


def test_every_deterministic_strategy_has_a_literal_play():
    (parametrisation,) = test_against_cdccddccdddc.pytestmark
    listed = {row[0] for row in parametrisation.args[1]}
    assert listed == {s.name for s in CATALOGUE.values() if s.is_deterministic}
