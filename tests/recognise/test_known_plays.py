from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from intent.logs.gamelog import Trajectories
from intent.recognise.verdict import KnownPlays, distinct, play_keys

MOVES = st.sampled_from([-1, 0, 1])


@st.composite
def plays(draw):
    shape = (draw(st.integers(1, 8)), draw(st.sampled_from([1, 2, 17, 33])))
    own, other = (draw(arrays(np.int8, shape, elements=MOVES)) for _ in range(2))
    return Trajectories(own, other, evidence=draw(arrays(bool, shape)))


@given(plays())
def test_keys_are_equal_exactly_where_plays_are(X):
    keys = play_keys(X)
    cube = np.concatenate([X.own, X.other, X.evidence], axis=1)
    assert np.array_equal((keys[:, None] == keys).all(axis=2), (cube[:, None] == cube).all(axis=2))
    first, codes = distinct(keys)
    assert np.array_equal(keys[first][codes], keys)
    assert len(first) == len(np.unique(cube, axis=0))


def counted(X: Trajectories) -> pd.DataFrame:
    """A stand-in for a judge: numbers, texts and lists that tell the play."""
    text = ["".join(map(str, row)) for row in X.own.tolist()]
    return pd.DataFrame(
        {
            "sum": X.own.sum(axis=1).astype(float),
            "text": pd.Series(text, dtype=object).where(X.own[:, 0] == 1),
            "list": [list(t[:1]) if t[0] == "1" else [] for t in text],
        }
    )


@pytest.mark.parametrize(("rounds", "limit"), [(4, 1000), (4, 5), (20, 1000)])
def test_looked_up_is_as_judged(rounds, limit):
    draw = np.random.default_rng(1)
    known = KnownPlays(counted, limit)
    for n in (1, 30, 200, 7):
        own = draw.integers(0, 2, (n, rounds)).astype(np.int8)
        X = Trajectories(own, own)
        table, rows = known.look_up(X)
        found = {k: v.to_pylist() for k, v in table.take(rows).items()}
        want = counted(X)
        assert found["sum"] == want["sum"].tolist()
        assert found["text"] == [None if t != t else t for t in want["text"]]
        assert found["list"] == want["list"].tolist()


def test_each_play_is_judged_once():
    seen = []

    def judge(X):
        seen.extend(map(tuple, X.own.tolist()))
        return counted(X)

    known = KnownPlays(judge)
    for seed in range(20):
        own = np.random.default_rng(seed).integers(0, 2, (50, 4)).astype(np.int8)
        known.look_up(Trajectories(own, own))
    assert len(seen) == len(set(seen)) == 16
