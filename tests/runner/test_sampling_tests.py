"""Numbers are read where plain, and tests tell an honest sample from one that is not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from intent.base.errors import UsageError
from intent.runner.sampling import Distribution, compatible, listed_numbers, parse_distributions, sample_facts

LAWS = parse_distributions("gaussian,poisson(4),uniform")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.1, -0.2, 3", [0.1, -0.2, 3]),
        ("1. 0.5\n2. 0.25\n3) 1e-3", [0.5, 0.25, 0.001]),
        ("[1, 2, 3]", [1, 2, 3]),
        ("```\n4\n5\n```", [4, 5]),
        ("Here are 100 numbers from a normal distribution:\n0.3 0.4", [0.3, 0.4]),
        ("Sample of mean 0: 0.3, 0.4.", [0.3, 0.4]),
        ("I drew 3 numbers with mean 4.", []),
        ("0.1 and 0.2", []),
        ("- 3\n- 4", [3, 4]),
        ("−1.5; ٣", [-1.5, 3]),
        ("٠٫٥", []),
        ("0.5\nnan\ninf\n1e999", [0.5]),
        ("", []),
    ],
)
def test_numbers_that_are_plain(text: str, expected: list[float]) -> None:
    assert listed_numbers(text) == expected


@given(st.text(max_size=300))
def test_any_reply_is_read(text: str) -> None:
    assert all(np.isfinite(listed_numbers(text)))


@given(st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), max_size=30))
def test_what_was_written_is_read(values: list[float]) -> None:
    assert listed_numbers("\n".join(f"{v:.3f}" for v in values)) == pytest.approx(values)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_honest_samples_are_rejected_at_their_rate(law: Distribution) -> None:
    rng = np.random.default_rng(1)
    rejected = sum(compatible(sample_facts(law, law.draw(100, rng)), 1) is False for _ in range(60))
    assert rejected < 15  # two tests at 5 %: at most 6 expected


@pytest.mark.parametrize(("law", "decimals"), [(LAWS[0], 1), (LAWS[0], 2), (LAWS[2], 1), (LAWS[2], 2)])
def test_rounding_makes_no_honest_sample_dishonest(law: Distribution, decimals: int) -> None:
    rng = np.random.default_rng(5)
    facts = [sample_facts(law, np.round(law.draw(100, rng), decimals)) for _ in range(60)]
    assert all(f["grain"] == 10.0**-decimals for f in facts)
    assert sum(compatible(f, 1) is False for f in facts) < 12  # as above


def test_rounding_hides_no_dishonest_one() -> None:
    rng = np.random.default_rng(6)
    assert compatible(sample_facts(LAWS[2], np.round(rng.beta(3, 3, 100), 1)), 6) is False
    assert compatible(sample_facts(LAWS[0], np.repeat([-0.5, 0.5], 50)), 6) is False
    whole = sample_facts(LAWS[0], np.round(LAWS[0].draw(100, rng)))
    assert (whole["grain"], compatible(whole, 6)) == (0, False)


def test_the_statistics_are_scipys() -> None:
    values = np.random.default_rng(2).random(100)
    facts = sample_facts(LAWS[2], values)
    assert facts["ks"]["p"] == stats.kstest(values, "uniform").pvalue
    counts = np.histogram(values, 20, (0, 1))[0]
    assert facts["chi_square"]["p"] == pytest.approx(stats.chisquare(counts).pvalue)


def test_samples_of_something_else_are_found() -> None:
    rng = np.random.default_rng(3)
    assert compatible(sample_facts(LAWS[0], rng.uniform(-1, 1, 100)), 6) is False
    assert compatible(sample_facts(LAWS[1], rng.poisson(6, 100).astype(float)), 6) is False
    assert compatible(sample_facts(LAWS[2], np.linspace(0.1, 1.4, 100)), 6) is False


def test_impossible_values_and_few_numbers() -> None:
    assert sample_facts(LAWS[1], np.array([1.5, -1, 3]))["outside"] == 2
    assert compatible(sample_facts(LAWS[0], np.zeros(5)), 1) is None
    assert sample_facts(LAWS[0], np.zeros(0))["mean"] is None


def test_distributions_as_text() -> None:
    assert [str(law) for law in parse_distributions("gaussian(1,2), poisson(3)")] == [
        "gaussian(1, 2)",
        "poisson(3)",
    ]
    for wrong in ("", "gamma", "poisson(-1)", "uniform(1,0)", "gaussian(1)", "poisson(x)", "poisson,poisson"):
        with pytest.raises(UsageError):
            parse_distributions(wrong)
