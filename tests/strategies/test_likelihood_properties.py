"""Properties of the likelihood for any automaton."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from intent.strategies.catalogue import Strategy
from intent.strategies.likelihood import deviations, log_likelihood

probabilities = st.sampled_from([0.0, 1.0]) | st.floats(0.001, 0.999)
noise = st.floats(0.001, 0.49)
unknown_too = st.tuples(st.integers(1, 4), st.integers(1, 7)).flatmap(
    lambda shape: st.tuples(*[arrays(np.int8, shape, elements=st.integers(-1, 1)) for _ in range(2)])
)
moves = unknown_too.map(lambda pair: (abs(pair[0]), abs(pair[1])))


@st.composite
def automata(draw) -> Strategy:
    n = draw(st.integers(1, 4))
    state = st.integers(0, n - 1)
    p = draw(st.tuples(*[probabilities] * n))
    following = draw(st.tuples(*[st.tuples(state, state, state, state)] * n))
    return Strategy(
        "DRAWN", p, following, draw(state), memory=draw(st.sampled_from(["realised", "intended"]))
    )


def relabelled(s: Strategy) -> Strategy:
    """The same strategy where C is called D and D is called C."""
    return Strategy(
        s.name,
        tuple(1 - p for p in s.p_cooperate),
        tuple(row[::-1] for row in s.next_state),
        s.start,
        memory=s.memory,
    )


@given(automata(), unknown_too, noise)
def test_never_above_certainty(s, played, eps):
    assert (log_likelihood(*played, None, [s], eps) <= 1e-12).all()


@given(automata(), moves, noise)
def test_last_move_sums_out(s, played, eps):
    own, other = played
    last = own.copy()
    last[:, -1] = 1 - own[:, -1]
    both = np.exp(log_likelihood(own, other, None, [s], eps)) + np.exp(
        log_likelihood(last, other, None, [s], eps)
    )
    shorter = np.exp(log_likelihood(own[:, :-1], other[:, :-1], None, [s], eps))
    np.testing.assert_allclose(both, shorter, rtol=1e-9)


@given(automata(), unknown_too, noise)
def test_names_of_the_actions_do_not_matter(s, played, eps):
    swapped = [np.where(x < 0, x, 1 - x).astype(np.int8) for x in played]
    np.testing.assert_allclose(
        log_likelihood(*played, None, [s], eps),
        log_likelihood(*swapped, None, [relabelled(s)], eps),
        atol=1e-9,
    )


@given(automata(), unknown_too, noise)
def test_rows_do_not_see_each_other(s, played, eps):
    own, other = played
    together = log_likelihood(own, other, None, [s], eps)
    alone = [log_likelihood(own[i : i + 1], other[i : i + 1], None, [s], eps)[0] for i in range(len(own))]
    np.testing.assert_allclose(together, alone, atol=1e-10)


@given(automata(), unknown_too)
def test_memory_matters_only_under_noise(s, played):
    realised, intended = (s.with_memory(m) for m in ("realised", "intended"))
    np.testing.assert_allclose(
        np.exp(log_likelihood(*played, None, [realised], 0.0)),
        np.exp(log_likelihood(*played, None, [intended], 0.0)),
        rtol=1e-9,
    )


@given(automata(), moves)
def test_deviations_are_the_impossible_moves(s, played):
    s = s.with_memory("realised")
    possible = np.isfinite(log_likelihood(*played, None, [s], 0.0))
    assert np.array_equal(deviations(*played, None, [s]) == 0, possible)
