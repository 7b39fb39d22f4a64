"""Colours are told apart by readers with and without colour-vision deficiencies."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from intent.figures.populations import name_colours
from intent.figures.style import colour, ink, palette

# Machado, Oliveira & Fernandes 2009, IEEE TVCG 15:1291, severity 1.0, on linear RGB
VISION = {
    "normal": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.3039],
    ],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
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


def linear(code: str) -> np.ndarray:
    c = np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB of linear RGB, white D65."""
    t = TO_XYZ @ np.clip(rgb, 0, 1) / np.array([0.95047, 1, 1.08883])
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(
    "codes", [[colour(name) for name in OUTCOMES], palette(9)], ids=["outcomes", "series"]
)
def test_no_two_look_alike(vision, codes):
    seen = [lab(np.array(VISION[vision]) @ linear(code)) for code in codes]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) >= 15


@pytest.mark.parametrize("code", [*map(colour, OUTCOMES), *palette(9)])
def test_numbers_on_a_colour_have_contrast(code):
    luminance = float(np.array([0.2126, 0.7152, 0.0722]) @ linear(code))
    own = 0.0 if ink(code) == "black" else 1.0
    high, low = max(own, luminance), min(own, luminance)
    assert (high + 0.05) / (low + 0.05) >= 3.0


def test_strategies_keep_their_colours_in_a_population():
    assert name_colours(["TFT", "mine", "ALLD"])[::2] == [colour("TFT"), colour("ALLD")]
    assert len(set(name_colours([*OUTCOMES[:4], *"abcde"]))) == 9
