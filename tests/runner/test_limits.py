"""Limits as an experiment file states them."""

import pytest
from pydantic import ValidationError

from intent.runner.limits import Account, Bound, Limits

MINUTE, HOUR = 60_000_000, 3_600_000_000


def test_an_account_lists_what_is_limited():
    limits = Limits(concurrency=4, requests_per_minute=3, tokens_per_hour=1_000)
    requests, tokens = Bound("requests_per_minute", 3, MINUTE), Bound("tokens_per_hour", 1_000, HOUR)
    assert limits.account("openai") == Account("openai", (requests,), (tokens,))


def test_concurrency_alone_needs_no_ledger():
    assert Limits(concurrency=4).account("openai") is None


@pytest.mark.parametrize(
    "wrong", [{"requests_per_minute": 0}, {"concurrency": -1}, {"requests_per_second": 3}]
)
def test_limits_that_cannot_be(wrong):
    with pytest.raises(ValidationError):
        Limits(**wrong)
