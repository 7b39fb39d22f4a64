from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import UsageError
from intent.play.corpora import Corpus, generate_arrays, opponent
from intent.play.generate import generate
from intent.strategies.sets import strategy_set


@pytest.mark.parametrize(("moves", "played"), [("CDDC", "CDDCCD"), ("cd", "CDCDCD"), ("D", "DDDDDD")])
def test_plays_its_moves_again_and_again(moves, played, rng):
    met = opponent(f"sequence:{moves}")
    X, _ = generate_arrays(Corpus(strategy_set("canonical4"), 40, (6, 6), (0.1, 0.1), opponent=met), rng)
    assert np.array_equal(X.other, np.tile([letter == "C" for letter in played], (40, 1)))


def test_is_named_in_the_log():
    log = generate("TFT,ALLD", 4, rounds=3, opponent="sequence:CDC", seed=1)
    assert set(log.games["opponent"]) == {"sequence:CDC"}


def test_can_be_part_of_a_mixture():
    assert [part.name for part in opponent("sequence:CDDC=2,random=1").parts] == ["sequence:CDDC", "RANDOM"]


@pytest.mark.parametrize("text", ["sequence:", "sequence:CXD", "sequence:10"])
def test_other_letters_are_refused(text):
    with pytest.raises(UsageError, match="sequence:CDDC"):
        opponent(text)
