"""Colours are told apart by readers with and without colour-vision deficiencies."""

from __future__ import annotations

from itertools import combinations

import pytest

from intent.figures.populations import name_colours
from intent.figures.proof import distance
from intent.figures.style import colour, contrast, ink, palette

OUTCOMES = (
    "ALLC",
    "ALLD",
    "TFT",
    "WSLS",
    "GTFT",
    "GRUDGER",
    "GRIM",
    "RANDOM",
    "ambiguous",
    "low_confidence",
    "no_fit",
)


@pytest.mark.parametrize(
    "codes", [[colour(name) for name in OUTCOMES], palette(9)], ids=["outcomes", "series"]
)
def test_no_two_look_alike(codes):
    assert min(distance(a, b) for a, b in combinations(codes, 2)) >= 15


@pytest.mark.parametrize("code", [*map(colour, OUTCOMES), *palette(9)])
def test_numbers_on_a_colour_have_contrast(code):
    assert ratio(ink(code), code) >= 3.0


def ratio(one, other):
    """Contrast of two colours, from what each has on white."""
    a, b = sorted((contrast(one), contrast(other)))
    return b / a


def test_strategies_keep_their_colours_in_a_population():
    assert name_colours(["TFT", "mine", "ALLD"])[::2] == [colour("TFT"), colour("ALLD")]
    assert len(set(name_colours([*OUTCOMES[:4], *"abcde"]))) == 9
