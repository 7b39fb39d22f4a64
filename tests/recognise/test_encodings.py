from __future__ import annotations

import numpy as np
import pytest

from intent import Trajectories
from intent.base.errors import UnknownNameError
from intent.recognise.encoding import ENCODINGS, SYMBOLS, encode, feature_names, symbols


def read(own, other):
    return [SYMBOLS[s] if s >= 0 else "?" for s in symbols(Trajectories.from_strings([own], [other]))[0]]


def test_symbols_are_the_papers_state_action_pairs():
    assert read("CDDC", "CDCD") == ["C | first", "D | R", "D | P", "C | T after other's defection"]


def test_trigger_is_remembered():
    assert read("CCCC", "DCCC") == [
        "C | first",
        "C | S",
        "C | R after other's defection",
        "C | R after other's defection",
    ]


def test_unknown_situations_have_no_symbol():
    assert read("C?CC", "CCCC") == ["C | first", "?", "?", "C | R"]


def test_moves_encoding_is_one_hot():
    row = encode(Trajectories.from_strings(["CD"], ["DC"]), "moves")[0]
    assert row.tolist() == [1, 0, 0, 1, 0, 1, 1, 0]


def test_counts_are_sums_of_outcomes(rng):
    X = Trajectories(rng.integers(-1, 2, (50, 9)), rng.integers(-1, 2, (50, 9)))
    outcomes = encode(X, "outcomes").reshape(50, 9, -1)
    assert np.array_equal(outcomes.sum(axis=1), encode(X, "counts"))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_columns_have_names_and_fit_other_lengths(encoding, rng):
    X = Trajectories(rng.integers(0, 2, (5, 6)), rng.integers(0, 2, (5, 6)))
    for rounds in (4, 6, 9):
        assert encode(X, encoding, rounds).shape == (5, len(feature_names(encoding, rounds)))
    cut = X.truncated(4) if ENCODINGS[encoding].by_round else X
    assert np.array_equal(encode(X, encoding, 4), encode(cut, encoding))


def test_unknown_encoding():
    with pytest.raises(UnknownNameError, match="did you mean moves"):
        encode(Trajectories([[1]], [[1]]), "move")
