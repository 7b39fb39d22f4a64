"""Waits between tries: bounded, random, and never shorter than what the endpoint asks for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.base.errors import RetryableError
from intent.runner.limits import RetryRules, backoff, overloaded

seconds = st.floats(0, 1_000)


@given(st.integers(1, 200), st.floats(0, 100), seconds, st.integers(0, 99))
def test_backoff_is_capped(failed, base, cap, seed):
    wait = backoff(RetryRules(base=base, cap=cap), failed, None, np.random.default_rng(seed))
    assert 0 <= wait <= min(cap, base * 2 ** (failed - 1))


@given(st.integers(1, 20), st.floats(-10, 1e9), seconds, st.integers(0, 99))
def test_retry_after_is_waited_for_up_to_a_limit(failed, asked, longest, seed):
    rules = RetryRules(base=0.5, cap=2, longest=longest)
    wait = backoff(rules, failed, asked, np.random.default_rng(seed))
    assert min(max(asked, 0), longest) <= wait <= longest + 2


def test_jitter_is_full(rng):
    waits = [backoff(RetryRules(base=1, cap=8), 4, None, rng) for _ in range(4_000)]
    assert np.mean(waits) == pytest.approx(4, abs=0.15)
    assert np.std(waits) == pytest.approx(8 / 12**0.5, abs=0.1)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (RetryableError("slow down", status=429), True),
        (RetryableError("back soon", retry_after=3), True),
        (RetryableError("oops", status=500), False),
        (RetryableError("cut"), False),
    ],
)
def test_what_concerns_the_whole_endpoint(error, expected):
    assert overloaded(error) is expected
