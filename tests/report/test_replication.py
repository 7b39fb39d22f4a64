"""Published beside ours: verdicts against their definition, and how often they err."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from intent.base.codebook import PUBLISHED, REPLICATION
from intent.base.errors import DataError
from intent.report.replication import Measured, Measurement, Replication, judged, replication_page


def printed(*values: float | None, unit: str = "points", n: int | None = None) -> pd.DataFrame:
    rows = [("Table 1", f"row {k}", "mean", v, None, n, unit, "3", "") for k, v in enumerate(values)]
    frame = pd.DataFrame(rows, columns=[c.name for c in PUBLISHED])
    return frame.astype({"value": "float64", "n": "Int64"})


def ours(k: int, value: float, **how: object) -> Measured:
    return Measured("Table 1", f"row {k}", "mean", value, **how)  # type: ignore[arg-type]


def verdicts(published: pd.DataFrame, *measured: Measured) -> list[str]:
    return list(judged(published, measured)["verdict"])


def test_columns_are_those_of_the_codebook():
    assert list(judged(printed(1.0), [])) == [c.name for c in REPLICATION]


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [
        ([], "not measured"),
        ([ours(0, 0.254, se=0.1, n=30)], "equal"),  # printed .25
        ([ours(0, 0.3, se=0.1, n=30)], "within error"),
        ([ours(0, 0.9, se=0.1, n=30)], "differs"),
        ([ours(0, 0.3, se=0.1, n=4)], "too few"),
        ([ours(0, 0.3)], "too few"),
        ([ours(0, 0.3, exact=True)], "differs"),
        ([ours(0, 0.2549, exact=True)], "equal"),
        ([ours(0, 0.9, se=0.1, n=30, withheld="identical copies")], "withheld"),
        ([ours(0, 1.0, verdict="unclear")], "unclear"),
    ],
)
def test_verdict_of_one_cell(measured, verdict):
    assert verdicts(printed(0.25), *measured) == [verdict]


def test_a_number_that_is_not_printed_has_no_verdict():
    assert verdicts(printed(None), ours(0, 1.0, se=0.1, n=30)) == ["withheld"]


def test_one_large_difference_among_many_is_unclear():
    many = [ours(k, 0.25, se=0.1, n=1000) for k in range(1, 40)]
    alone, among = ours(0, 0.47, se=0.1, n=1000), printed(*[0.25] * 40)
    assert verdicts(printed(0.25), alone) == ["differs"]
    assert verdicts(among, alone, *many)[0] == "unclear"


def test_p_is_that_of_student_with_both_errors():
    table = judged(printed(0.25), [ours(0, 0.5, se=0.1, n=11, published_se=0.05)])
    gap = (0.25 - 0.005) / math.hypot(0.1, 0.05)
    assert table["p"][0] == pytest.approx(2 * student.sf(gap, 10), abs=1e-8)
    assert table["low"][0] == pytest.approx(0.5 - student.ppf(0.975, 10) * 0.1)


def test_a_share_of_all_or_nothing_has_an_error():
    table = judged(printed(0.9, unit="share", n=20), [ours(0, 1.0, se=0.0, n=20)])
    assert table["verdict"][0] == "within error"
    assert 0 < table["se"][0] < 0.1
    assert table["high"][0] == 1.0


def test_the_last_digit_is_that_of_the_column():
    assert verdicts(printed(0.3, 0.25), ours(0, 0.34, exact=True)) == ["differs", "not measured"]
    assert verdicts(printed(0.3, 0.2), ours(0, 0.34, exact=True)) == ["equal", "not measured"]


def test_what_is_not_printed_or_measured_twice_is_refused():
    with pytest.raises(DataError, match="Table 1, row 7, mean: not in the published numbers"):
        judged(printed(1.0), [ours(7, 1.0)])
    with pytest.raises(DataError, match="measured twice"):
        judged(printed(1.0), [ours(0, 1.0), ours(0, 1.0)])


def test_a_page_of_equals_seldom_says_that_anything_differs():
    """Family-wise: of 300 pages of 20 true replications at most some 5 % have a cell that differs."""
    rng, wrong = np.random.default_rng(5), 0
    n, truth = 30, np.linspace(1, 3, 20)
    for _ in range(300):
        theirs, mine = rng.normal(truth, 1, (n, 20)), rng.normal(truth, 1, (n, 20))
        errors = mine.std(axis=0, ddof=1) / math.sqrt(n)
        their_errors = theirs.std(axis=0, ddof=1) / math.sqrt(n)
        cells = [
            ours(k, mine[:, k].mean(), se=errors[k], n=n, published_se=their_errors[k]) for k in range(20)
        ]
        wrong += "differs" in verdicts(printed(*theirs.mean(axis=0).round(2)), *cells)
    assert wrong / 300 <= 0.08


def test_the_page_shows_both_numbers_and_harms_nobody(tmp_path):
    rows = judged(printed(0.25, 0.5), [ours(0, 0.9, se=0.1, n=30, note="<script>alert(1)</script>")])
    made = Replication("mine", "A & B 2020", "paper", rows, [], tmp_path, {}, ["a caution"])
    page = replication_page(made)
    assert "0.9 ± 0.1" in page
    assert "a caution" in page
    assert "<script>alert" not in page
    assert made.counts() == {"differs": 1, "not measured": 1}
    made.write(tmp_path / "r.csv")
    assert len(pd.read_csv(tmp_path / "r.csv")) == 2
    assert Measurement(()).notes == ()
    assert isinstance(made.path, Path)
