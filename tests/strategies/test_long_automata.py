from __future__ import annotations

import numpy as np

from intent import Strategy
from intent.play.corpora import Corpus, generate_arrays
from intent.strategies.likelihood import log_likelihood


def test_an_automaton_of_many_states_plays_its_own_table():
    """Cooperates for 299 rounds, then defects for ever."""
    n = 300
    rows = tuple((min(s + 1, n - 1),) * 4 for s in range(n))
    late = Strategy("LATE", (1.0,) * (n - 1) + (0.0,), rows)
    X, _ = generate_arrays(Corpus((late,), 3, (305, 305)), np.random.default_rng(0))
    assert (X.own[:, :299] == 1).all()
    assert (X.own[:, 299:] == 0).all()
    assert (log_likelihood(X.own, X.other, None, [late], 0.0) == 0).all()
