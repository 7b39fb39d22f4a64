"""Costs by hand."""

import pytest

from intent.agents.client import Usage
from intent.base.errors import UsageError
from intent.runner.limits import FREE, Price, price_of, require_prices

PRICE = Price(prompt=2.5, completion=10, cached=1.25)


def test_cost_of_a_call():
    usage = Usage(prompt_tokens=1_000, cached_tokens=400, completion_tokens=50)
    assert PRICE.cost(usage) == pytest.approx((600 * 2.5 + 400 * 1.25 + 50 * 10) / 1e6)


def test_cached_tokens_cost_the_same_where_no_price_is_said():
    usage = Usage(prompt_tokens=1_000, cached_tokens=400)
    assert Price(prompt=2, completion=0).cost(usage) == pytest.approx(0.002)


@pytest.mark.parametrize(
    "model", ["local/smollm2-135m", "gguf:model.gguf", "scripted/TFT", "python/mine", "human"]
)
def test_models_on_this_machine_are_free(model):
    assert price_of(model, {}) is FREE


def test_stated_prices():
    assert price_of("openai/a", {"openai/a": PRICE}) is PRICE
    assert price_of("openai/a@http://localhost:8000/v1", {"openai/a": PRICE}) is None


def test_a_budget_needs_all_prices():
    require_prices(["openai/a", "scripted/TFT"], {"openai/a": PRICE})
    with pytest.raises(UsageError, match="--price openai/b="):
        require_prices(["openai/a", "openai/b"], {"openai/a": PRICE})
